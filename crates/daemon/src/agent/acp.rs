//! The Agent Client Protocol, version 1, as a client speaks it: the only place that knows its types.
//!
//! Responsible for lines, envelopes, tolerant reading into the words of `model`, and writing. Starts no task and
//! keeps no conversation: the owner of an agent runs the reader and the writer, and hands each line to `Connection`.
//!
//! The road of a line: `LineReader` → `Connection::accept` (`repair`, `envelope`, `read`) → `Incoming`, and back:
//! `write` → `Connection::send_request` → `OutgoingLines` → `LineWriter`. Nothing on it waits but the two ends.

mod connection;
mod envelope;
mod incoming;
mod lines;
mod outgoing;
mod read;
mod redactor;
mod repair;
mod seams;
mod terminal;
mod trace;
mod write;

#[cfg(test)]
mod throughput;
#[cfg(test)]
mod transcripts;

pub(crate) use connection::{Connection, Refusal};
pub(crate) use envelope::{AgentError, AgentRequestId};
pub(crate) use incoming::{
    AgentRequest, ClientCall, ElicitationRequest, Incoming, NewTerminal, PermissionRequest,
};
pub(crate) use lines::{LineError, LineReader};
pub(crate) use outgoing::{Congestion, WriteError, outgoing_lines};
pub(crate) use read::{
    Initialized, SessionSettings, TerminalLogin, initialized, new_session_result, session_settings,
    stop_reason,
};
pub(crate) use redactor::{OpenEnd, Redactor};
pub(crate) use terminal::terminal_id;
pub(crate) use trace::Trace;
pub(crate) use write::{
    ElicitationAnswer, FileText, Nothing, OptionValue, PermissionAnswer, PromptBlock, SessionStart,
    TerminalExit, TerminalOutput, TerminalStarted, ToolServer, authenticate, cancel, file_uri, initialize,
    load_session, new_session, prompt, resume_session, set_mode, set_option,
};
