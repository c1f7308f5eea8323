//! Errors as they cross the wire, and the exit codes that the command line makes of them.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::Cause;

/// A stable word for a program: what went wrong. Closed: a new one is added here and nowhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The line was no JSON (-32700).
    ParseError,
    /// The JSON was no request: a batch, no object, no method (-32600).
    InvalidRequest,
    /// A request, a text or a file over its limit (-32600).
    TooLarge,
    /// No such method, perhaps an older daemon (-32601).
    UnknownMethod,
    /// The parameters are wrong (-32602).
    InvalidParams,
    /// A message without text and without attachment (-32602).
    EmptyMessage,
    /// A failure of the daemon's own (-32603).
    Internal,
    /// Conversations cannot be read or written just now (-32603).
    HistoryUnavailable,
    /// Too many connections, subscriptions or requests: try again (-32000).
    TooManyConnections,
    /// Too many messages wait for this agent (-32000).
    QueueFull,
    /// The daemon is shutting down (-32000).
    ShuttingDown,
    /// The peer is another user (-32001).
    ForeignUser,
    /// What an agent runs may not do this while AI free access is off (-32001).
    GateClosed,
    /// What an agent runs may never do this: its user decides (-32001).
    NotFromInside,
    /// No such agent, conversation, message or request (-32003).
    NotFound,
    /// Several targets match (-32003).
    Ambiguous,
    /// It took too long (-32004).
    Timeout,
    /// The agent has no process, or none that could do this (-32005).
    NotRunning,
    /// The agent has no open session; a message opens one (-32005).
    NoSession,
    /// The limit of running agents is reached (-32005).
    TooManyAgents,
    /// The agent could not be started (-32005).
    StartFailed,
    /// A stop ended the start (-32005).
    StartCancelled,
    /// The permission request was answered or cancelled before (-32005).
    AlreadyAnswered,
    /// The message is no longer queued (-32005).
    NotQueued,
    /// The agent is answering; this must wait for the end of the turn (-32005).
    TurnRunning,
    /// The conversation can only be read (-32005).
    ReadOnly,
    /// The agent does not offer this (-32005).
    NotSupported,
    /// A file could not be read or written; the message says which and why (-32005).
    FileError,
    /// The pane was closed (-32005).
    SurfaceClosed,
    /// The program of the pane has ended (-32005).
    ProgramEnded,
    /// It asks for a decision of its person's (-32005).
    Asks,
    /// Its turn or its process failed (-32005).
    TargetErrored,
    /// As many panes or viewers are there as may be (-32005).
    TooManySurfaces,
    /// There is no window that could show a dialog (-32005).
    NoDisplay,
    /// The agent wants its user to log in first (-32006).
    AuthRequired,
    /// The agent answered with an error of its own (-32006).
    AgentError,
}

impl ErrorKind {
    /// Returns the JSON-RPC code that goes with the kind.
    pub const fn code(self) -> i64 {
        match self {
            Self::ParseError => -32700,
            Self::InvalidRequest | Self::TooLarge => -32600,
            Self::UnknownMethod => -32601,
            Self::InvalidParams | Self::EmptyMessage => -32602,
            Self::Internal | Self::HistoryUnavailable => -32603,
            Self::TooManyConnections | Self::QueueFull | Self::ShuttingDown => -32000,
            Self::ForeignUser | Self::GateClosed | Self::NotFromInside => -32001,
            Self::NotFound | Self::Ambiguous => -32003,
            Self::Timeout => -32004,
            Self::NotRunning
            | Self::NoSession
            | Self::TooManyAgents
            | Self::StartFailed
            | Self::StartCancelled
            | Self::AlreadyAnswered
            | Self::NotQueued
            | Self::TurnRunning
            | Self::ReadOnly
            | Self::NotSupported
            | Self::FileError
            | Self::SurfaceClosed
            | Self::ProgramEnded
            | Self::Asks
            | Self::TargetErrored
            | Self::TooManySurfaces
            | Self::NoDisplay => -32005,
            Self::AuthRequired | Self::AgentError => -32006,
        }
    }
}

/// The `error` member of a JSON-RPC reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[error("{message}")]
pub struct RpcError {
    #[cfg_attr(test, ts(type = "number"))]
    pub code: i64,
    /// A sentence for a person.
    pub message: String,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_data"
    )]
    pub data: Option<Box<ErrorData>>,
}

/// What a program needs to know of an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ErrorData {
    pub kind: ErrorKind,
    /// More about why, where it is known.
    #[serde(
        default,
        deserialize_with = "crate::cause::known",
        skip_serializing_if = "Option::is_none"
    )]
    pub cause: Option<Cause>,
    /// What exists, or what matched, when a target was not found or ambiguous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<String>>,
    /// When it is worth trying again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "number | null"))]
    pub retry_after_ms: Option<u64>,
    /// The agent's own error, as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "unknown"))]
    pub agent_error: Option<Value>,
}

impl RpcError {
    /// Returns an error of this kind, with its code.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            code: kind.code(),
            message: message.into(),
            data: Some(Box::new(ErrorData {
                kind,
                cause: None,
                candidates: None,
                retry_after_ms: None,
                agent_error: None,
            })),
        }
    }

    /// Adds why, where it is known.
    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<Option<Cause>>) -> Self {
        if let Some(data) = &mut self.data {
            data.cause = cause.into();
        }
        self
    }

    /// Names what exists or what matched.
    #[must_use]
    pub fn with_candidates(mut self, candidates: Vec<String>) -> Self {
        if let Some(data) = &mut self.data {
            data.candidates = Some(candidates);
        }
        self
    }

    /// Says after how many milliseconds another try is worth it.
    #[must_use]
    pub fn with_retry_after_ms(mut self, retry_after_ms: u64) -> Self {
        if let Some(data) = &mut self.data {
            data.retry_after_ms = Some(retry_after_ms);
        }
        self
    }

    /// Adds the agent's own error.
    #[must_use]
    pub fn with_agent_error(mut self, agent_error: Value) -> Self {
        if let Some(data) = &mut self.data {
            data.agent_error = Some(agent_error);
        }
        self
    }

    /// Returns the kind, when the peer sent one that is known here.
    pub fn kind(&self) -> Option<ErrorKind> {
        self.data.as_ref().map(|data| data.kind)
    }

    /// Returns the exit code of a command that ends with this error.
    pub fn exit_code(&self) -> ExitCode {
        match self.code {
            -32003 => ExitCode::Target,
            -32004 => ExitCode::Timeout,
            _ => ExitCode::Failure,
        }
    }
}

/// Reads `data`, or nothing when a newer peer sent a kind that is not known here: the sentence still tells.
fn known_data<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<ErrorData>>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

/// The exit codes of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    Success = 0,
    /// A failure at run time.
    Failure = 1,
    /// Wrong usage, found before the daemon is asked.
    Usage = 2,
    /// The target was not found, or is ambiguous.
    Target = 3,
    /// A wait timed out.
    Timeout = 4,
    /// Ctrl-C.
    Interrupted = 130,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}
