//! The pseudo-terminal of a pane: opened here, given to the program as its controlling terminal, held until the tree
//! is asked to end, and handed over to the daemon, which reads and writes it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use rustix::pty::OpenptFlags;
use rustix::termios::{InputModes, OptionalActions, Winsize};

use crate::wire::TerminalSize;

/// A new pseudo-terminal, both sides. Neither descriptor outlives an `exec`.
#[derive(Debug)]
pub struct Pty {
    /// The side of the terminal.
    pub terminal_side: OwnedFd,
    /// The side of the program. Close it here once the program has it.
    pub program_side: OwnedFd,
}

/// Why there is no pseudo-terminal.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} a pseudo-terminal: {source}")]
pub struct PtyError {
    doing: &'static str,
    source: io::Error,
}

impl Pty {
    /// Opens a pseudo-terminal of this size, for UTF-8 text.
    ///
    /// # Errors
    ///
    /// When the system has no more of them or the process may open no more descriptors.
    pub fn open(size: TerminalSize) -> Result<Self, PtyError> {
        let failed = |doing| {
            move |errno: rustix::io::Errno| PtyError {
                doing,
                source: errno.into(),
            }
        };
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let terminal_side = rustix::pty::openpt(flags).map_err(failed("open"))?;
        rustix::pty::grantpt(&terminal_side).map_err(failed("open"))?;
        rustix::pty::unlockpt(&terminal_side).map_err(failed("unlock"))?;
        let program_side = rustix::pty::ioctl_tiocgptpeer(&terminal_side, flags).map_err(failed("open"))?;
        let mut attributes = rustix::termios::tcgetattr(&program_side).map_err(failed("set up"))?;
        // Erasing a character in the kernel's line editor erases all of its bytes.
        attributes.input_modes.insert(InputModes::IUTF8);
        rustix::termios::tcsetattr(&program_side, OptionalActions::Now, &attributes)
            .map_err(failed("set up"))?;
        let size = Winsize {
            ws_row: size.rows,
            ws_col: size.columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        rustix::termios::tcsetwinsize(&terminal_side, size).map_err(failed("set the size of"))?;
        Ok(Self {
            terminal_side,
            program_side,
        })
    }
}

/// Makes this terminal the controlling one of the calling process, which has to lead a session. May be called between
/// `fork` and `exec`.
///
/// # Errors
///
/// When the process leads no session, or the terminal belongs to another one.
pub fn take_control(program_side: BorrowedFd<'_>) -> io::Result<()> {
    Ok(rustix::process::ioctl_tiocsctty(program_side)?)
}

/// Does what the system does when a terminal goes away: tells the leader and whoever is in the foreground.
///
/// The daemon holds the terminal on, to read the last output, so the system itself does it too late.
pub(crate) fn hang_up(terminal_side: OwnedFd, leader: Option<Pid>) -> io::Result<()> {
    let foreground = rustix::termios::tcgetpgrp(terminal_side.as_fd()).ok();
    let told = |outcome: rustix::io::Result<()>| match outcome {
        // It has ended in the meantime.
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(errno) => Err(io::Error::from(errno)),
    };
    for signal in [Signal::HUP, Signal::CONT] {
        if let Some(leader) = leader {
            told(kill_process(leader, signal))?;
        }
        if let Some(group) = foreground
            && Some(group) != leader
        {
            told(kill_process_group(group, signal))?;
        }
    }
    Ok(())
}
