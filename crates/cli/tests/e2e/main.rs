//! The whole program, as a person or a script uses it: the real binary, its daemon, and agents in a desk of its own.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests say what they saw, and what was skipped"
)]

mod agents;
mod ask;
mod asking;
mod basics;
mod capacity;
mod channel;
mod chat;
mod config;
mod crash;
mod failures;
mod gate;
mod http;
mod keeping;
mod limits;
mod machine;
mod odd;
mod pane;
mod random;
mod real_agents;
mod replay;
mod rules;
mod secrets;
mod settings;
mod stopping;
mod support;
