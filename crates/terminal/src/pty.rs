//! The pseudo-terminal of a pane: reading and writing it, its size. Whoever starts the program opens it.
//!
//! The end of a pane is the end of its program, told by
//! whoever waits for it, and not an error on this descriptor: after the leader ends, a background job may hold the
//! other side open, and then a read blocks instead of failing. So read until the program has ended, then [`drain`]
//! what is left.
//!
//! [`drain`]: PtyStream::drain

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::termios::Winsize;
use tokio::io::unix::AsyncFd;

use crate::size::Size;

/// Bytes that one batch of output holds at most. The kernel hands out about 4 KiB a read; a batch joins what is there.
pub const BATCH_BYTES: usize = 64 << 10;

/// Why a pseudo-terminal could not be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} the pseudo-terminal: {source}")]
pub struct PtyError {
    doing: &'static str,
    source: io::Error,
}

/// Tells the program a new size; it gets SIGWINCH.
///
/// # Errors
///
/// When the descriptor is no terminal.
pub fn set_size(terminal_side: impl AsFd, size: Size) -> Result<(), PtyError> {
    let size = Winsize {
        ws_row: size.rows() as u16,
        ws_col: size.columns() as u16,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    rustix::termios::tcsetwinsize(terminal_side, size).map_err(|errno| PtyError {
        doing: "set the size of",
        source: errno.into(),
    })
}

/// Returns the process group in the foreground of the terminal.
///
/// # Errors
///
/// When nothing has the terminal any more.
pub fn foreground_group(terminal_side: impl AsFd) -> Result<i32, PtyError> {
    rustix::termios::tcgetpgrp(terminal_side)
        .map(|group| group.as_raw_nonzero().get())
        .map_err(|errno| PtyError {
            doing: "ask who is in the foreground of",
            source: errno.into(),
        })
}

/// The side of the terminal, as a stream.
///
/// Nothing is read that nobody asked for, so a program that writes faster than its pane is worked on is stopped by the
/// kernel, whose buffer is all that waits.
#[derive(Debug)]
pub struct PtyStream {
    fd: AsyncFd<OwnedFd>,
}

/// What a read found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PtyRead {
    /// This many bytes were appended.
    Bytes(usize),
    /// No process has the other side open. Not how a pane learns that its program ended, but nothing can come.
    Closed,
}

impl PtyStream {
    /// Takes over the side of the terminal. Must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// When the runtime cannot watch the descriptor.
    #[expect(
        unsafe_code,
        reason = "tokio cannot know that a descriptor stays open; an owned one does"
    )]
    pub fn new(terminal_side: OwnedFd) -> io::Result<Self> {
        let flags = rustix::fs::fcntl_getfl(&terminal_side)?;
        rustix::fs::fcntl_setfl(&terminal_side, flags | OFlags::NONBLOCK)?;
        // SAFETY: an `OwnedFd` is open and stays the same descriptor until it is dropped, which only happens together
        // with the `AsyncFd` that owns it here, or after `into_inner` has given it back.
        let fd = unsafe { AsyncFd::register(terminal_side) }?;
        Ok(Self { fd })
    }

    /// Waits for output and appends what is there to `batch`, at most [`BATCH_BYTES`].
    ///
    /// Nothing is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// When the descriptor fails in a way that is no end.
    pub async fn read_batch(&self, batch: &mut Vec<u8>) -> io::Result<PtyRead> {
        loop {
            let mut ready = self.fd.readable().await?;
            match self.read_available(batch, BATCH_BYTES)? {
                Available::Bytes(0) => ready.clear_ready(),
                Available::Bytes(count) => return Ok(PtyRead::Bytes(count)),
                Available::Closed(0) => return Ok(PtyRead::Closed),
                Available::Closed(count) => return Ok(PtyRead::Bytes(count)),
            }
        }
    }

    /// Appends what is still there to `batch`, at most `most` bytes, without waiting. For when the program has ended.
    ///
    /// # Errors
    ///
    /// When the descriptor fails in a way that is no end.
    pub fn drain(&self, batch: &mut Vec<u8>, most: usize) -> io::Result<usize> {
        match self.read_available(batch, most)? {
            Available::Bytes(count) | Available::Closed(count) => Ok(count),
        }
    }

    /// Waits until some of `bytes` can be written, writes it and returns how much it was.
    ///
    /// Nothing is written when the future is dropped.
    ///
    /// # Errors
    ///
    /// When no process has the other side open.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.fd.writable().await?;
            match rustix::io::write(self.fd.get_ref(), bytes) {
                // What the last program left unread fills the kernel's buffer for ever; that readiness is never taken back.
                Err(Errno::AGAIN) if ready.ready().is_write_closed() => return Err(Errno::IO.into()),
                Err(Errno::AGAIN) => ready.clear_ready(),
                Err(Errno::INTR) => {}
                result => return Ok(result?),
            }
        }
    }

    /// Tells the program a new size.
    ///
    /// # Errors
    ///
    /// When the descriptor is no terminal.
    pub fn set_size(&self, size: Size) -> Result<(), PtyError> {
        set_size(self.fd.get_ref(), size)
    }

    /// Returns the process group in the foreground.
    ///
    /// # Errors
    ///
    /// When nothing has the terminal any more.
    pub fn foreground_group(&self) -> Result<i32, PtyError> {
        foreground_group(self.fd.get_ref())
    }

    /// Gives the descriptor back.
    pub fn into_fd(self) -> OwnedFd {
        self.fd.into_inner()
    }

    fn read_available(&self, batch: &mut Vec<u8>, most: usize) -> io::Result<Available> {
        let begin = batch.len();
        loop {
            let had = batch.len() - begin;
            let room = (most - had).min(READ_BYTES);
            if room == 0 {
                return Ok(Available::Bytes(had));
            }
            batch.resize(begin + had + room, 0);
            let result = rustix::io::read(self.fd.get_ref(), &mut batch[begin + had..]);
            batch.truncate(begin + had + result.unwrap_or(0));
            match result {
                Ok(0) | Err(Errno::IO) => return Ok(Available::Closed(had)),
                Ok(_) | Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(Available::Bytes(had)),
                Err(errno) => return Err(errno.into()),
            }
        }
    }
}

/// Bytes asked for in one read.
const READ_BYTES: usize = 16 << 10;

enum Available {
    Bytes(usize),
    Closed(usize),
}
