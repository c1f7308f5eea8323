//! The guard of one agent or pane: a tiny synchronous process, `pupitre guard`, that is the parent of what it
//! guards. It starts one program, reports each end, and ends the whole tree when it is asked to, when the program
//! itself ends, and when the daemon is gone. It knows no agent and no protocol but its own.
//!
//! Theory of operation. The daemon gives the guard the program's pipes as descriptors 0, 1 and 2 and a socket as
//! descriptor 3, and speaks [`wire`] over it. The guard passes the pipes on and keeps no end of them. On Linux it is
//! a child subreaper, so the tree is empty exactly when it has no child, however its members broke away
//! (`tree/linux.rs`). For a pane it opens a pseudo-terminal instead, starts the program on it and hands the other side
//! to the daemon (`terminal.rs`). All decisions are those of `ladder.rs`, which is pure; `guard.rs` is the loop that feeds it.
//!
//! Its memory is what it writes to: a stack, a small heap, and the pages of its image that the loader relocates. The
//! last part grows with the whole program and not with the guard, unless the program is linked without relocations
//! (`-no-pie`).
//!
//! What stops the guard: SIGTERM makes it end the tree at once (SIGTERM, then SIGKILL); SIGHUP and SIGINT do
//! nothing; SIGKILL, which nobody can answer, takes the leader along, whereas what the leader had started only sees
//! its pipes and its parent vanish, and becomes the child of the next subreaper above or of init.

#[cfg(unix)]
mod control;
#[cfg(unix)]
mod guard;
mod ladder;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod spawn;
#[cfg(unix)]
pub mod terminal;
#[cfg(unix)]
mod tree;
pub mod wire;

pub use ladder::{Grace, KILL_AFTER, TERMINATE_AFTER};

/// Runs this process as a guard; returns when the tree is gone, with success.
///
/// It must be the first thing a process does, and its only thread. Without the daemon's socket as descriptor 3 it
/// says so on stderr and fails with 1.
#[cfg(unix)]
#[must_use]
pub fn run() -> std::process::ExitCode {
    use std::io::Write;
    use std::process::ExitCode;

    match guard_until_gone() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Where stderr is closed too there is nobody to tell.
            writeln!(std::io::stderr(), "pupitre: {error}").ok();
            ExitCode::FAILURE
        }
    }
}

#[cfg(unix)]
#[derive(Debug, thiserror::Error)]
enum GuardError {
    #[error("guard is started by the daemon and by nobody else: there is no socket as descriptor 3 ({0})")]
    NoControl(std::io::Error),
    #[error("guard cannot watch over processes: {0}")]
    Prepare(std::io::Error),
    #[error("guard cannot wait for events: {0}")]
    Wait(std::io::Error),
}

#[cfg(unix)]
fn guard_until_gone() -> Result<(), GuardError> {
    let control = control::Control::inherited().map_err(GuardError::NoControl)?;
    let signals = signals::Signals::install().map_err(GuardError::Prepare)?;
    // A session of its own keeps the guard out of the daemon's terminal and its signals. The only refusal is that
    // it leads one already.
    rustix::process::setsid().ok();
    let tree = tree::Tree::adopt().map_err(GuardError::Prepare)?;
    guard::Guard::new(control, signals, tree)
        .run()
        .map_err(GuardError::Wait)
}
