//! Systems whose transport is not built yet (on Windows: a named pipe): everything compiles, nothing connects.

use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::path::Path;

use super::ConnectError;

/// A stream that cannot exist.
#[derive(Debug)]
pub(crate) struct Stream(Infallible);

pub(crate) fn connect(_socket: &Path) -> Result<Stream, ConnectError> {
    Err(ConnectError::Unsupported)
}

impl Stream {
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        match self.0 {}
    }

    pub(crate) fn shutdown(&self, _how: Shutdown) -> io::Result<()> {
        match self.0 {}
    }
}

impl Read for Stream {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }
}

impl Write for Stream {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0 {}
    }
}
