//! What comes from an agent, once a line has been read: the words between this layer and the owner of an agent.

use std::fmt;

use pupitre_model::conversation::{ToolPatch, Update};
use pupitre_protocol::conversation::{PermissionOption, Wanted};
use serde_json::value::RawValue;

use crate::process::CommandParts;

use super::envelope::{AgentError, AgentRequestId};

/// One thing that the agent said. `T` is what the owner gave along with a request.
#[derive(Debug)]
pub(crate) enum Incoming<T> {
    Update {
        session_id: String,
        update: Update,
        /// Values of the update that were not understood and left out, each with a short reason.
        skipped: Vec<String>,
    },
    /// The agent repeats what the user wrote: part of a replay, or an echo.
    UserEcho,
    /// The agent waits for an answer to `id`.
    Request {
        id: AgentRequestId,
        request: AgentRequest,
    },
    /// The agent no longer waits for the answer to `id` (ACP: `$/cancel_request`).
    RequestCancelled { id: AgentRequestId },
    /// What the user went to an address for is done (ACP: `elicitation/complete`).
    ElicitationCompleted { elicitation: String },
    /// The answer to a request of ours; read it with the function for what was asked.
    Reply {
        tag: T,
        outcome: Result<Box<RawValue>, AgentError>,
    },
    /// A message that asks for nothing to be done.
    Noise(Noise),
    /// Text that is no message, cut at `limits::TRACE_MESSAGE_BYTES`.
    Stray { text: String },
}

/// What an agent may ask.
#[derive(Debug)]
pub(crate) enum AgentRequest {
    Permission(PermissionRequest),
    Elicitation(ElicitationRequest),
    /// Something about files or terminals of this machine.
    Client(ClientCall),
    /// Known, but its parameters cannot be read.
    Unreadable {
        method: String,
        reason: String,
    },
    Unknown {
        method: String,
    },
}

/// What an agent may ask of its client's machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClientCall {
    ReadFile {
        session: String,
        path: String,
        /// The first line that is wanted, counted from 1.
        line: Option<u64>,
        /// How many lines are wanted.
        limit: Option<u64>,
    },
    WriteFile {
        session: String,
        path: String,
        content: String,
    },
    CreateTerminal {
        session: String,
        terminal: NewTerminal,
    },
    TerminalOutput(String),
    TerminalExit(String),
    KillTerminal(String),
    ReleaseTerminal(String),
}

/// A command that an agent has run for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewTerminal {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) cwd: Option<String>,
    /// How much of the output is kept.
    pub(crate) output_bytes: Option<u64>,
}

impl NewTerminal {
    /// Returns what is to be run: command, arguments, variables, folder.
    pub(crate) fn into_parts(self) -> CommandParts {
        CommandParts {
            command: self.command,
            args: self.args,
            env: self.env,
            cwd: self.cwd,
        }
    }
}

/// The agent asks whether it may run a tool.
#[derive(Debug, PartialEq)]
pub(crate) struct PermissionRequest {
    pub(crate) session_id: String,
    pub(crate) tool: ToolPatch,
    pub(crate) options: Vec<PermissionOption>,
    /// Values that were not understood and left out, each with a short reason.
    pub(crate) skipped: Vec<String>,
}

/// The agent asks its user something.
#[derive(Debug, PartialEq)]
pub(crate) struct ElicitationRequest {
    /// The session that it belongs to; none when it belongs to a request, a login for example.
    pub(crate) session: Option<String>,
    pub(crate) message: String,
    pub(crate) wants: Wanted,
    /// The agent's own id for it, by which it says that a visit is over.
    pub(crate) elicitation: Option<String>,
}

/// A message that is read and ignored; its text is for the log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Noise {
    UnknownNotification {
        method: String,
    },
    UnknownUpdate {
        kind: String,
    },
    UnreadableUpdate {
        reason: String,
    },
    /// An update that changes nothing here: a piece of text without any, a session's date.
    NothingNew {
        kind: String,
    },
    /// An answer to nothing that was asked, or a second one.
    AnswerToNothing {
        id: String,
    },
    ErrorWithoutId(AgentError),
}

impl fmt::Display for Noise {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownNotification { method } => write!(formatter, "unknown notification {method}"),
            Self::UnknownUpdate { kind } => write!(formatter, "unknown kind of session/update: {kind}"),
            Self::UnreadableUpdate { reason } => write!(formatter, "unreadable session/update: {reason}"),
            Self::NothingNew { kind } => write!(formatter, "{kind} with nothing new"),
            Self::AnswerToNothing { id } => write!(formatter, "an answer to {id}, which waits for none"),
            Self::ErrorWithoutId(error) => write!(formatter, "an error without id: {error}"),
        }
    }
}
