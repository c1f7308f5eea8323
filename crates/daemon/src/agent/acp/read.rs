//! Tolerant reading: from what agents send to the words of `model` and `protocol`.
//!
//! One value that is not understood costs that value and leaves a short reason, never the update; an update never the
//! turn. A reason may quote the agent: whoever logs it blots out secrets first.

mod chunk;
mod client;
mod content;
mod elicitation;
mod handshake;
mod permission;
mod session;
mod tool;
mod turn;
mod update;
mod values;

pub(super) use chunk::text_chunk;
pub(super) use client::client_call;
pub(super) use elicitation::{completed_elicitation, elicitation_request};
pub(crate) use handshake::{Initialized, TerminalLogin, initialized};
pub(super) use permission::permission_request;
pub(crate) use session::{SessionSettings, new_session_result, session_settings};
pub(crate) use turn::stop_reason;
pub(super) use update::session_update;
