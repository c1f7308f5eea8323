//! The processes that a guard answers for: who they are, and a signal to each. One interface, two platforms:
//! on Linux everything the agent ever started, elsewhere its process group.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::{Tree, prepare_child};

#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{Tree, prepare_child};

use rustix::process::Pid;

/// The process that the guard started itself: id of its own session and process group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leader {
    /// Not yet waited for, so the id is its own.
    Running(Pid),
    /// Waited for: the id may be somebody else's, but for a group that still has members.
    Ended(Pid),
}

/// The signals of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TreeSignal {
    /// SIGTERM, and SIGCONT to what is stopped and would never see it.
    Terminate,
    /// SIGKILL.
    Kill,
}

impl TreeSignal {
    pub(crate) fn number(self) -> i32 {
        self.signal().as_raw()
    }

    fn signal(self) -> rustix::process::Signal {
        match self {
            Self::Terminate => rustix::process::Signal::TERM,
            Self::Kill => rustix::process::Signal::KILL,
        }
    }
}

/// What one look at the tree did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// Those that were sent the signal.
    pub(crate) signalled: Vec<u32>,
    /// Those that may not be signalled: they run as somebody else.
    pub(crate) refused: Vec<u32>,
}

/// Returns a process id as the wire has it.
pub(crate) fn number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().unsigned_abs()
}
