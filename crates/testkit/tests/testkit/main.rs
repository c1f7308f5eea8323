//! The fakes themselves, driven by the bare client of this package.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "the functions around the tests are tests as well"
)]

mod fake_agent;
mod model_server;
mod real_agents;
