//! The rules of agent processes.

pub mod lifecycle;
