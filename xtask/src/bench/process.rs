//! Times of whole processes, from start to exit.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::invocation::Invocation;

/// The least, the middle and the most of several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spread {
    pub(super) least: Duration,
    pub(super) median: Duration,
    pub(super) most: Duration,
}

impl Spread {
    /// Returns the spread of `times`; nothing when there are none.
    pub(super) fn of(mut times: Vec<Duration>) -> Option<Self> {
        times.sort();
        Some(Self {
            least: *times.first()?,
            median: *times.get(times.len() / 2)?,
            most: *times.last()?,
        })
    }
}

/// Runs each command `runs` times, in turns, so that what the machine does meanwhile strikes all of them alike. One
/// round before goes uncounted: it warms the caches. Returns one spread a command, in their order.
///
/// # Errors
///
/// When a command cannot be started or does not exit with 0.
pub(super) fn times<const COMMANDS: usize>(
    commands: [&Invocation; COMMANDS],
    runs: usize,
) -> Result<[Spread; COMMANDS]> {
    let mut times = [const { Vec::new() }; COMMANDS];
    for round in 0..=runs {
        for (command, times) in commands.iter().zip(&mut times) {
            let took = time(command)?;
            if round > 0 {
                times.push(took);
            }
        }
    }
    let spreads = times.map(Spread::of);
    if spreads.contains(&None) {
        bail!("a benchmark needs one run at least");
    }
    Ok(spreads.map(|spread| spread.expect("none of them is missing, as was just looked at")))
}

/// Returns how long a command takes.
///
/// # Errors
///
/// When it cannot be started or does not exit with 0.
pub(super) fn time(invocation: &Invocation) -> Result<Duration> {
    let mut command = invocation.command();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let started = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("cannot start `{invocation}`"))?;
    let took = started.elapsed();
    if !status.success() {
        bail!("`{invocation}` ended with {status}");
    }
    Ok(took)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_least_middle_and_most() {
        let times = |list: &[u64]| {
            list.iter()
                .copied()
                .map(Duration::from_millis)
                .collect::<Vec<_>>()
        };
        let spread = Spread::of(times(&[9, 1, 5])).expect("three times");
        assert_eq!(
            [spread.least, spread.median, spread.most].to_vec(),
            times(&[1, 5, 9])
        );
        assert_eq!(Spread::of(Vec::new()), None);
    }

    #[test]
    fn commands_take_turns() {
        let folder = std::env::temp_dir().join(format!("xtask-turns-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
        let says = |word: &str| {
            Invocation::of("sh")
                .arguments(["-c", &format!("echo {word} >> log")])
                .folder(&folder)
        };
        let [first, _] = times([&says("a"), &says("b")], 2).expect("sh is everywhere");
        let log = std::fs::read_to_string(folder.join("log")).expect("they wrote it");
        std::fs::remove_dir_all(&folder).expect("it was made above");
        assert_eq!(log.split_whitespace().collect::<String>(), "ababab");
        assert!(first.least <= first.median && first.median <= first.most);
    }

    #[test]
    fn a_failing_command_is_no_measure() {
        let error = times([&Invocation::of("false")], 1)
            .expect_err("it fails")
            .to_string();
        assert_eq!(error, "`false` ended with exit status: 1");
    }
}
