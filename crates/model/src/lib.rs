//! The rules: pure and synchronous. Time and ids come in as values, actions and changes go out.
//!
//! Responsible for what is true and what may happen next; does nothing itself. Knows no runtime, file, clock,
//! environment, and no ACP type.

pub mod agent;
pub mod channel;
pub mod config;
pub mod conversation;
pub mod environment;
pub mod fleet;
pub mod gate;
pub mod pane;
pub mod reason;
pub mod workspace;
