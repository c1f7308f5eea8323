//! Processor time of processes, thread by thread. Source: the kernel's documentation of schedstat.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::memory;

/// Returns the processor time that a process and its children have taken so far. Threads that have ended are left out.
///
/// # Errors
///
/// When one of them ends while it is looked at, or belongs to somebody else.
pub(super) fn time_of_children_and(process: u32) -> Result<Duration> {
    let mut time = time_of(process)?;
    for child in memory::children(process)? {
        time += time_of(child)?;
    }
    Ok(time)
}

fn time_of(process: u32) -> Result<Duration> {
    let threads = format!("/proc/{process}/task");
    let mut time = Duration::ZERO;
    for thread in std::fs::read_dir(&threads).with_context(|| format!("cannot list {threads}"))? {
        let path = thread
            .with_context(|| format!("cannot list {threads}"))?
            .path()
            .join("schedstat");
        time += time_of_thread(&path)?;
    }
    Ok(time)
}

fn time_of_thread(path: &Path) -> Result<Duration> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        // The thread ended while its process was looked at.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Duration::ZERO),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let nanoseconds = text.split_whitespace().next().context("it is empty")?;
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time() {
        let before = time_of(std::process::id()).expect("it is ours");
        let mut sum = 0_u64;
        while time_of(std::process::id()).expect("it is ours") <= before {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
    }
}
