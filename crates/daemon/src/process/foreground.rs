//! Who is in the foreground of a pane, and which agent is in it.
//!
//! Nobody tells when a program begins, so it is looked at after output and whenever somebody asks.

use std::collections::VecDeque;
use std::os::fd::AsFd;

use pupitre_model::fleet::signature::Signatures;

use super::recognition::Process;

/// How many processes of a pane are looked at.
const PROCESSES: usize = 64;

/// What is in the foreground of a pane.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Foreground {
    /// The leader of the foreground's process group and what it started in it, the leader first.
    pub(crate) processes: Vec<(u32, String)>,
    /// The working directory of the leader.
    pub(crate) cwd: Option<String>,
    pub(crate) agent: Option<FoundAgent>,
}

/// An agent's process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundAgent {
    pub(crate) pid: u32,
    pub(crate) tool: String,
    pub(crate) how: String,
}

impl Foreground {
    /// Looks at a terminal whose session `leader` leads.
    ///
    /// The agent is looked for in the foreground first, then in all that the leader started: one that was suspended is still
    /// there.
    pub(crate) fn look(terminal: impl AsFd, leader: u32, signatures: &Signatures) -> Self {
        let group = pupitre_terminal::pty::foreground_group(terminal)
            .ok()
            .and_then(|group| u32::try_from(group).ok())
            .unwrap_or(leader);
        let in_group = tree(group, |pid| system::group(pid) == Some(group));
        let found =
            agent_among(&in_group, signatures).or_else(|| agent_among(&tree(leader, |_| true), signatures));
        Self {
            cwd: system::cwd(group),
            processes: in_group
                .into_iter()
                .map(|(pid, process)| (pid, process.command()))
                .collect(),
            agent: found,
        }
    }

    /// Returns the command line in the foreground.
    pub(crate) fn command(&self) -> Option<&str> {
        self.processes.first().map(|(_, command)| command.as_str())
    }
}

fn agent_among(processes: &[(u32, Process)], signatures: &Signatures) -> Option<FoundAgent> {
    let facts = processes.iter().map(|(_, process)| process.facts());
    let (place, tool) = signatures.agent_among(facts)?;
    let (pid, process) = processes.get(place)?;
    Some(FoundAgent {
        pid: *pid,
        tool: tool.to_owned(),
        how: process.how(),
    })
}

/// Returns a process and those below it that belong, the nearest first.
fn tree(root: u32, belongs: impl Fn(u32) -> bool) -> Vec<(u32, Process)> {
    let mut found = Vec::new();
    let mut next = VecDeque::from([root]);
    while let Some(pid) = next.pop_front()
        && found.len() < PROCESSES
    {
        if let Some(process) = Process::read(pid) {
            found.push((pid, process));
            next.extend(system::children(pid).into_iter().filter(|child| belongs(*child)));
        }
    }
    found
}

/// Waits until a process has ended. Where the system cannot tell, for ever.
pub(crate) async fn ended(pid: u32) {
    system::ended(pid).await;
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use tokio::io::unix::AsyncFd;

    /// How many threads of a process are asked for children.
    const THREADS: usize = 256;

    pub(super) fn group(pid: u32) -> Option<u32> {
        super::super::parent::group(pid)
    }

    pub(super) fn cwd(pid: u32) -> Option<String> {
        let folder = std::fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
        Some(folder.to_string_lossy().into_owned())
    }

    /// Returns the children of all threads of a process (proc_tid_children(5)).
    pub(super) fn children(pid: u32) -> Vec<u32> {
        let threads = std::fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
            .flatten()
            .take(THREADS);
        threads
            .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
            .flat_map(|children| {
                children
                    .split_whitespace()
                    .filter_map(|child| child.parse().ok())
                    .collect::<Vec<u32>>()
            })
            .collect()
    }

    #[expect(
        unsafe_code,
        reason = "tokio cannot know that a descriptor stays open; an owned one does"
    )]
    pub(super) async fn ended(pid: u32) {
        let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
            return;
        };
        // One that cannot be opened has ended already.
        let Ok(process) = pidfd_open(pid, PidfdFlags::NONBLOCK) else {
            return;
        };
        // SAFETY: an `OwnedFd` is open and stays the same descriptor until it is dropped, together with the `AsyncFd`.
        match unsafe { AsyncFd::register(process) } {
            Ok(process) => drop(process.readable().await),
            Err(error) => {
                tracing::debug!(%error, "a process cannot be watched");
                std::future::pending::<()>().await;
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn group(_pid: u32) -> Option<u32> {
        None
    }

    pub(super) fn cwd(_pid: u32) -> Option<String> {
        None
    }

    pub(super) fn children(_pid: u32) -> Vec<u32> {
        Vec::new()
    }

    pub(super) async fn ended(_pid: u32) {
        std::future::pending::<()>().await;
    }
}
