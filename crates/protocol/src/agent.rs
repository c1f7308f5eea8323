//! Agents as the wire shows them: state, capabilities, log and trace.

use serde::{Deserialize, Serialize};

use crate::{AgentName, Cause};

/// The state of an agent's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// No process; every agent begins here.
    Stopped,
    /// The process runs, the `initialize` handshake is under way.
    Starting,
    /// Running, unused.
    Ready,
    /// Running, used by at least one conversation.
    Busy,
    /// The start failed, or the process ended by itself; the reason stands beside it.
    Error,
}

impl AgentState {
    /// Returns the word of the wire, which is also the word shown in English.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Busy => "busy",
            Self::Error => "error",
        }
    }
}

/// One agent of the configuration, with the state of its process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct AgentView {
    pub name: AgentName,
    pub title: String,
    pub icon: Option<String>,
    pub description: Option<String>,
    pub state: AgentState,
    /// Why the state is `error`, in plain words; for a failed start with the agent's last stderr lines after it.
    pub error: Option<String>,
    /// The same for a program, where it is known.
    #[serde(
        default,
        deserialize_with = "crate::cause::known",
        skip_serializing_if = "Option::is_none"
    )]
    pub cause: Option<Cause>,
    /// It runs with a definition that is no longer the one of the configuration.
    pub outdated: bool,
    /// It has been asked to stop and something of it still lives.
    pub stopping: bool,
    pub pid: Option<u32>,
    /// What the agent calls itself and its version, as `initialize` told.
    pub version: Option<String>,
    /// When its process was started, in epoch milliseconds.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub started_at: Option<u64>,
    /// What the agent offers, as `initialize` told; null while that is unknown.
    pub capabilities: Option<AgentCapabilities>,
    pub auth_methods: Vec<AuthMethod>,
}

/// What an agent said in `initialize` that it can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct AgentCapabilities {
    pub load_session: bool,
    pub resume_session: bool,
    pub list_sessions: bool,
    pub close_session: bool,
    pub image: bool,
    pub audio: bool,
    pub embedded_context: bool,
    pub mcp_http: bool,
    pub mcp_sse: bool,
}

/// A way to log in that an agent offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct AuthMethod {
    pub id: String,
    pub name: String,
    pub description: Option<String>,
    /// The agent's program asks on a terminal: `agent.authenticate` makes a pane for it, called `NAME-login` after the agent.
    #[serde(default)]
    pub terminal: bool,
}

/// One line that an agent wrote to stderr, or a stray one from its stdout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct LogLine {
    /// Counts the lines of this agent since the daemon was started, from 1.
    #[cfg_attr(test, ts(type = "number"))]
    pub number: u64,
    /// When it came, in epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub ts: u64,
    pub line: String,
    /// It came on stdout, where only protocol messages belong.
    pub stray: bool,
}

/// Which way a protocol message went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TraceDirection {
    ToAgent,
    FromAgent,
}

/// One protocol message between the daemon and an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct TraceEntry {
    /// Counts the messages of this agent since the daemon was started, from 1.
    #[cfg_attr(test, ts(type = "number"))]
    pub number: u64,
    /// When it was sent or read, in epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub ts: u64,
    pub direction: TraceDirection,
    /// The line, with the values of the agent's `env` blotted out.
    pub text: String,
    /// How long the whole line was, in bytes; more than `text` has when it was cut.
    #[cfg_attr(test, ts(type = "number"))]
    pub bytes: u64,
}

/// Names one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct AgentParams {
    pub agent: AgentName,
}

/// Parameters of `agent.authenticate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct AuthenticateParams {
    pub agent: AgentName,
    /// One of the agent's `auth_methods`.
    pub method_id: String,
}

/// Every agent, in the order of the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct AgentListReply {
    pub agents: Vec<AgentView>,
}

/// The last lines of one agent's log, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct AgentLogsReply {
    pub lines: Vec<LogLine>,
    /// Older lines that are kept were left out, to stay inside the limit of a reply.
    pub truncated: bool,
}

/// The last protocol messages of one agent, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct AgentTraceReply {
    pub entries: Vec<TraceEntry>,
    /// Older messages were left out, here or when they were kept, to stay inside the limits.
    pub truncated: bool,
}
