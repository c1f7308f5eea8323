//! The engine's tests, one module for each thing it promises.

mod allocations;
mod corpora;
mod differential;
mod exceptions;
mod floods;
mod fuzz;
mod hostile;
mod input;
mod pty;
mod recording_file;
mod recordings;
mod row;
mod signals;
mod snapshot;
mod stream;
mod takeover;
mod text;
mod watched;
mod xterm;
mod xtermjs;
