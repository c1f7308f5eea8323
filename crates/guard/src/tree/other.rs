//! The tree where there is no child subreaper: the leader's process group. Who leaves the group is not found.

use std::io;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::{Leader, Look, TreeSignal, number};

/// The tree below this process.
#[derive(Debug)]
pub(crate) struct Tree;

impl Tree {
    /// Makes this process the root, for which there is nothing to do here.
    pub(crate) fn adopt() -> io::Result<Self> {
        Ok(Self)
    }

    /// Returns whether the group has members although the guard has no child: orphans go to the system's init, and
    /// a group's id is not reused while it has members.
    pub(crate) fn outlives_children(&self, leader: Leader) -> bool {
        test_kill_process_group(group(leader)).is_ok()
    }

    /// Sends a signal to the leader's process group, and names the leader for it.
    pub(crate) fn signal(&self, signal: TreeSignal, leader: Leader) -> io::Result<Look> {
        let mut look = Look::default();
        match kill_process_group(group(leader), signal.signal()) {
            Ok(()) => {
                look.signalled.push(number(group(leader)));
                // Who is stopped would never see SIGTERM. Nobody being left any more is no failure.
                match signal {
                    TreeSignal::Terminate => kill_process_group(group(leader), Signal::CONT).ok(),
                    TreeSignal::Kill => None,
                };
            }
            // Nobody is left, or nobody but the dead, which some systems refuse to signal.
            Err(Errno::SRCH | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(look)
    }
}

/// Runs in the child between `fork` and `exec`: there is nothing to ask of the system here.
pub(crate) fn prepare_child(_guard: Pid) -> io::Result<()> {
    Ok(())
}

fn group(leader: Leader) -> Pid {
    match leader {
        Leader::Running(pid) | Leader::Ended(pid) => pid,
    }
}
