//! The byte stream to the daemon, and why there may be none.

use std::io;
use std::path::{Path, PathBuf};

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::{Stream, connect};

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
pub(crate) use other::{Stream, connect};

/// Says why the daemon's socket cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No socket, or one that nobody listens at.
    #[error("no daemon listens at {}", socket.display())]
    NoDaemon { socket: PathBuf },
    #[error("the socket {} belongs to somebody else", socket.display())]
    NotOurs { socket: PathBuf },
    /// The system limits how long the path of a socket may be.
    #[error("the path of the socket is too long for this system: {}", socket.display())]
    TooLong { socket: PathBuf },
    #[error("this system has no sockets that pupitre can use yet")]
    Unsupported,
    #[error("cannot connect to {}: {source}", socket.display())]
    Failed { socket: PathBuf, source: io::Error },
}

impl ConnectError {
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is nothing to connect to"))]
    fn new(socket: &Path, source: io::Error) -> Self {
        let socket = socket.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Self::NoDaemon { socket },
            io::ErrorKind::PermissionDenied => Self::NotOurs { socket },
            // The only input that the standard library refuses besides a NUL, which no path of ours has.
            io::ErrorKind::InvalidInput => Self::TooLong { socket },
            _ => Self::Failed { socket, source },
        }
    }
}
