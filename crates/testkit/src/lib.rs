//! Fakes and fixtures for the tests of the other crates: an agent that replays recordings or plays a script, a
//! model server with scripted answers, and pinned agents of others. Nothing of this reaches a release build.

pub mod fake_agent;
pub mod fixtures;
pub mod model_server;
pub mod plain_client;
pub mod real_agents;
pub mod replica;
pub mod transcript;
