//! The whole program, as a person or a script uses it: the real binary, its daemon, and agents in a desk of its own.
#![cfg(unix)]

mod agents;
mod ask;
mod basics;
mod chat;
mod crash;
mod failures;
mod limits;
mod odd;
mod real_agents;
mod replay;
mod secrets;
mod support;
