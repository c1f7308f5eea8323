//! `cargo xtask adversary`: what the tests do, in a release build and for as long as it takes to find the rare case.
//! To add an adversary: a file in `adversary/` with what it builds and runs, and its name in `ADVERSARIES`.

mod configuration;
mod terminal;

use anyhow::{Result, bail};

use crate::checkout::Checkout;
use crate::invocation::Invocation;
use crate::report::{self, PhaseEnd, Phases};

const ADVERSARIES: &[Adversary] = &[
    configuration::FUZZ,
    terminal::FUZZ,
    terminal::SNAPSHOTS,
    terminal::FLOODS,
];

/// How far an adversary goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// About a minute each.
    Short,
    Long,
}

/// One adversary: a name to call it by, what it does, and how.
struct Adversary {
    name: &'static str,
    what: &'static str,
    /// What cargo builds for it, in a release build.
    build: &'static [&'static str],
    /// The path of what is built, below the folder of release builds.
    program: &'static str,
    arguments: fn(Extent) -> Vec<String>,
}

/// Prints each adversary's name and what it does.
pub(crate) fn list() {
    let names = ADVERSARIES.iter().map(|adversary| adversary.name.len());
    let widest = names.max().unwrap_or_default();
    for adversary in ADVERSARIES {
        report::line(format_args!("{:widest$}  {}", adversary.name, adversary.what));
    }
}

/// Runs the named adversaries, or all of them.
pub(crate) fn run(checkout: &Checkout, names: &[String], extent: Extent) -> Result<()> {
    let chosen = choose(names)?;
    let mut phases = Phases::of("adversary");
    for adversary in chosen {
        let build = Invocation::cargo()
            .arguments(["build", "--release"])
            .arguments(adversary.build.iter().copied());
        if phases.command(&format!("{}: build", adversary.name), &build) == PhaseEnd::Failed {
            continue;
        }
        let program = checkout.target_folder()?.join("release").join(adversary.program);
        let run = Invocation::of(program).arguments((adversary.arguments)(extent));
        phases.command(adversary.name, &run);
    }
    phases.finish()
}

fn choose(names: &[String]) -> Result<Vec<&'static Adversary>> {
    if names.is_empty() {
        return Ok(ADVERSARIES.iter().collect());
    }
    let named = |name: &String| match ADVERSARIES.iter().find(|adversary| adversary.name == name) {
        Some(adversary) => Ok(adversary),
        None => bail!("no adversary is called {name} (cargo xtask adversary --list)"),
    };
    names.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adversaries_are_chosen_by_name() {
        let names =
            |chosen: Vec<&Adversary>| chosen.iter().map(|adversary| adversary.name).collect::<Vec<_>>();
        assert_eq!(
            names(choose(&["terminal-floods".to_owned()]).expect("there is one")),
            ["terminal-floods"]
        );
        assert_eq!(choose(&[]).expect("all of them").len(), ADVERSARIES.len());
        assert!(choose(&["terminal".to_owned()]).is_err());
    }

    #[test]
    fn the_long_form_goes_further() {
        for adversary in ADVERSARIES {
            assert_ne!(
                (adversary.arguments)(Extent::Short),
                (adversary.arguments)(Extent::Long),
                "{}",
                adversary.name
            );
        }
    }
}
