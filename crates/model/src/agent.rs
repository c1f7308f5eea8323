//! The rules of agent processes.

pub mod capacity;
pub mod lifecycle;
