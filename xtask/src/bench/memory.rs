//! Memory of processes as proportional set size: what is shared is counted once, divided among who shares it.
//! Sources: proc_pid_smaps_rollup(5) and proc_pid_task(5).

use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// Returns the proportional set size in bytes of a process and of all that descend from it.
///
/// # Errors
///
/// When one of them ends while it is looked at, or belongs to somebody else.
pub(super) fn of_tree(process: u32) -> Result<u64> {
    let mut bytes = of_process(process)?;
    for child in children(process)? {
        bytes += of_tree(child)?;
    }
    Ok(bytes)
}

/// Returns the proportional set size in bytes of a process alone.
///
/// # Errors
///
/// When it has ended, or belongs to somebody else.
pub(super) fn of_process(process: u32) -> Result<u64> {
    let path = format!("/proc/{process}/smaps_rollup");
    let rollup = std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    proportional_bytes(&rollup).with_context(|| format!("{path} has no Pss line"))
}

/// Returns what a process shares with no other, in bytes.
///
/// # Errors
///
/// When it has ended, or belongs to somebody else.
pub(super) fn private(process: u32) -> Result<u64> {
    let path = format!("/proc/{process}/smaps_rollup");
    let rollup = std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    let of = |name| bytes_of(&rollup, name).with_context(|| format!("{path} has no line {name}"));
    Ok(of("Private_Clean:")? + of("Private_Dirty:")?)
}

fn proportional_bytes(rollup: &str) -> Option<u64> {
    bytes_of(rollup, "Pss:")
}

fn bytes_of(rollup: &str, name: &str) -> Option<u64> {
    let line = rollup.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Returns the children of a process. A thread's file lists the children that this thread began.
pub(super) fn children(process: u32) -> Result<Vec<u32>> {
    let threads = format!("/proc/{process}/task");
    let mut children = Vec::new();
    for thread in std::fs::read_dir(&threads).with_context(|| format!("cannot list {threads}"))? {
        let thread = thread.with_context(|| format!("cannot list {threads}"))?;
        children.extend(children_of_thread(&thread.path().join("children"))?);
    }
    Ok(children)
}

fn children_of_thread(path: &Path) -> Result<Vec<u32>> {
    let list = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    list.split_whitespace()
        .map(|word| match word.parse() {
            Ok(process) => Ok(process),
            Err(_) => bail!("{} holds {word}, which is no process", path.display()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;
    use crate::invocation::Invocation;

    #[test]
    fn the_proportional_line_is_read_in_bytes() {
        let rollup =
            "55f0-7ffe ---p 00000000 00:00 0 [rollup]\nRss:    9000 kB\nPss:    1234 kB\nPss_Dirty:  7 kB\n";
        assert_eq!(proportional_bytes(rollup), Some(1234 * 1024));
        assert_eq!(proportional_bytes("Rss: 9000 kB\n"), None);
    }

    #[test]
    fn a_tree_is_the_process_and_its_descendants() {
        // Each shell waits for what it began, and the innermost for a line that never comes.
        let mut shell = Invocation::of("sh")
            .arguments(["-c", "sh -c 'echo ready; read line; true'; true"])
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh is everywhere");
        let mut ready = [0_u8; 6];
        let mut output = shell.stdout.take().expect("it was piped");
        std::io::Read::read_exact(&mut output, &mut ready).expect("the inner shell says that it is ready");
        let (alone, tree) = (of_process(shell.id()), of_tree(shell.id()));
        let below = children(shell.id());
        drop(shell.stdin.take());
        shell.wait().expect("it ends with its input");
        assert_eq!(below.expect("it is ours").len(), 1);
        assert!(tree.expect("both are ours") > alone.expect("it is ours"));
    }
}
