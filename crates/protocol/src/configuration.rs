//! The configuration as the wire shows it: where it is, what is wrong with it, and how it is read and written.

mod problem;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::AgentName;

pub use problem::{Problem, ProblemCause, ProblemSubject, ProblemTable, ValueType};

/// Who chose the configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConfigSource {
    /// `--config`.
    Flag,
    /// The variable `PUPITRE_CONFIG`.
    Environment,
    /// It was opened in the program.
    Recent,
    /// Nobody: it is where it always is.
    Default,
}

impl ConfigSource {
    /// Returns the word of the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::Recent => "recent",
            Self::Default => "default",
        }
    }
}

/// The colours of the interface.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    Light,
    Dark,
    /// As the system has it.
    #[default]
    System,
}

/// The language of the interface.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Language {
    En,
    Fr,
    /// As the system has it.
    #[default]
    System,
}

/// The configuration that is in force, and how its file is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConfigView {
    pub path: String,
    pub source: ConfigSource,
    /// The file was not there, and this run of the daemon made it.
    pub created: bool,
    /// The file can be used as it is now; otherwise the last one that could be is in force.
    pub valid: bool,
    /// Why the file cannot be used, in the order of the file.
    pub problems: Vec<Problem>,
    /// What its writer should know, in the order of the file.
    pub warnings: Vec<Problem>,
    pub theme: Theme,
    pub language: Language,
    /// How many agents may have a process at once (`limits.maxRunningAgents`).
    pub max_running_agents: u32,
    pub channels: Vec<ChannelView>,
}

/// A room with several agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ChannelView {
    pub name: String,
    pub title: String,
    pub agents: Vec<AgentName>,
}

/// The text of the configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConfigContentReply {
    pub text: String,
    /// Names these bytes; `config.save` gives it back.
    pub hash: String,
}

/// A text to be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConfigValidateParams {
    pub text: String,
}

/// What is wrong with a text, and what its writer should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConfigValidateReply {
    /// There are only warnings, or nothing.
    pub valid: bool,
    /// Problems and warnings, in the order of the file.
    pub problems: Vec<Problem>,
}

/// A text that is to become the configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConfigSaveParams {
    pub text: String,
    /// That of the text which was changed, as `config.content` gave it.
    pub hash: String,
}

/// Why a text was not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NotSaved {
    /// It has problems.
    Invalid,
    /// The file on disk is no longer the one that was read.
    Changed,
}

/// Whether a text was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConfigSaveReply {
    pub saved: bool,
    /// Null when it was written.
    pub reason: Option<NotSaved>,
    /// Problems and warnings of the text, in the order of the file.
    pub problems: Vec<Problem>,
    /// That of the file as it is now.
    pub hash: String,
}

/// The JSON Schema of the configuration file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(transparent)]
pub struct ConfigSchemaReply(#[cfg_attr(test, ts(type = "unknown"))] pub Value);

/// Names a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConfigOpenParams {
    /// Absolute.
    pub path: String,
}

/// The path of the file that was chosen and opened; empty when the choice was cancelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(transparent)]
pub struct ConfigChooseReply(pub String);

/// The files that were opened in the program, the last one first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(transparent)]
pub struct ConfigRecentReply(pub Vec<RecentFile>);

/// A file that was opened in the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct RecentFile {
    pub path: String,
    pub exists: bool,
}

/// Names a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConfigBrowseParams {
    /// Absolute; that of the configuration file when absent.
    #[serde(default)]
    pub folder: Option<String>,
}

/// What of a folder can lead to a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConfigBrowseReply {
    pub folder: String,
    /// Null for the root.
    pub parent: Option<String>,
    /// Folders first, then the files whose names end with `.toml`.
    pub entries: Vec<BrowseEntry>,
    /// There were more.
    pub truncated: bool,
}

/// A folder, or a file that may be a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct BrowseEntry {
    pub name: String,
    pub path: String,
    pub folder: bool,
}

/// The agents that Pupitre knows, whether they are there or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConfigKnownReply {
    pub agents: Vec<KnownAgent>,
}

/// An agent that an entry of the file needs only to name, as its `preset`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct KnownAgent {
    /// The word of `preset`.
    pub name: String,
    pub title: String,
    pub icon: String,
    pub description: String,
    /// What is looked for on the daemon's `PATH`; null for the agent that is inside Pupitre.
    pub command: Option<String>,
    /// It can be started: its command was found just now.
    pub found: bool,
    /// The command line that installs it; null for the agent that is inside Pupitre.
    pub install: Option<String>,
}
