//! The engine's tests, one module for each thing it promises.

mod differential;
mod exceptions;
mod fuzz;
mod hostile;
mod pty;
mod recording_file;
mod recordings;
mod signals;
mod snapshot;
mod stream;
mod text;
mod xterm;
