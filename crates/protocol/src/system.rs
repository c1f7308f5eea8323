//! The daemon itself: who it is, what it can, how it does.

use serde::{Deserialize, Serialize};

use crate::{AgentName, Epoch};

/// The number of this protocol; it grows when a client of the old one would be misled.
pub const PROTOCOL: u32 = 1;

/// No parameters, or nothing to say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Empty {}

/// The daemon answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PingReply {
    /// The daemon's clock, in epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub ts: u64,
}

/// Who the daemon is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct IdentifyReply {
    /// Always `pupitre`.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// The number of the protocol.
    pub protocol: u32,
    pub epoch: Epoch,
    pub pid: u32,
    /// When it was started, in epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub started_at: u64,
    /// The configuration file that it holds.
    pub config_path: String,
    /// What is wrong with the configuration file; null when nothing is. The last one that was right stays in force.
    pub config_error: Option<String>,
    /// Where it keeps its log.
    pub log_path: String,
    /// The home folder of its user, which a path below it may be shown as `~`; empty from a daemon that does not tell.
    #[serde(default)]
    pub home: String,
}

/// What the daemon can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct CapabilitiesReply {
    pub methods: Vec<String>,
    pub events: Vec<String>,
    /// Who the daemon takes this caller for.
    pub caller: CallerKind,
    /// The agent that an inside caller is below.
    pub inside: Option<AgentName>,
    /// This caller may do what the gate opens; always true outside.
    pub gate_open: bool,
}

/// Who calls the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CallerKind {
    /// A program of the user's own: a terminal, a script.
    Outside,
    /// The page, in a browser that was let in.
    Page,
    /// Something that an agent runs.
    Inside,
    /// It could not be told, so it may do what is allowed inside.
    Unknown,
}

/// Where the page is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PageReply {
    /// With a token in its fragment that is good for one browser, once, and for five minutes.
    pub url: String,
}

/// Numbers about the daemon, since it was started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct CountersReply {
    /// Connections for calls that are open now.
    #[cfg_attr(test, ts(type = "number"))]
    pub connections: u64,
    /// Subscriptions that are open now.
    #[cfg_attr(test, ts(type = "number"))]
    pub subscriptions: u64,
    /// Events published.
    #[cfg_attr(test, ts(type = "number"))]
    pub events: u64,
    /// Events that slow subscribers lost.
    #[cfg_attr(test, ts(type = "number"))]
    pub dropped: u64,
    /// Bytes of frames kept for readers that resume.
    #[cfg_attr(test, ts(type = "number"))]
    pub ring_bytes: u64,
    /// Bytes of conversations that wait for the disk.
    #[cfg_attr(test, ts(type = "number"))]
    pub history_pending_bytes: u64,
    /// Why conversations cannot be written just now; null when they can.
    pub history_trouble: Option<String>,
}
