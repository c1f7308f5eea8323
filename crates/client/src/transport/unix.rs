//! Unix domain sockets.

use std::os::unix::net::UnixStream;
use std::path::Path;

use super::ConnectError;

pub(crate) type Stream = UnixStream;

pub(crate) fn connect(socket: &Path) -> Result<Stream, ConnectError> {
    UnixStream::connect(socket).map_err(|source| ConnectError::new(socket, source))
}
