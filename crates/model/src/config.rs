//! The configuration file: what it says, where it is wrong, and what a change of it means.
//!
//! Responsible for the text of the file. Who reads, writes and watches the file is elsewhere; what a check must know
//! of the world comes in as `Facts`.

mod change;
mod cover;
mod document;
mod file;
mod first_file;
mod hidden;
mod meaning;
mod nearest;
mod preset;
mod quote;
mod reading;
#[cfg(test)]
mod reference;
mod secrecy;
mod sentence;
mod shape;
#[cfg(test)]
mod tests;
mod unclosed;

use std::collections::BTreeMap;
use std::fmt;

use pupitre_protocol::AgentName;
use pupitre_protocol::configuration::{Language, Theme};

use crate::agent::lifecycle::IdleStop;
use crate::gate::FreeAccess;

pub use change::{AgentsChange, ConfigChange};
pub use file::{schema, schema_text};
pub use first_file::first_file;
pub use preset::{PRESETS, Preset, PresetProgram, preset};
pub use reading::{Counts, Facts, Question, Reading, Running, Verdict, Writers};
pub use secrecy::{SECRET_BYTES, Secrecy};
pub use sentence::sentence;

/// The most bytes that a configuration file may have.
pub const FILE_BYTES: usize = 512 << 10;
/// The most agents, channels or MCP servers of a file, and the most agents of one of these.
pub const ENTRIES: usize = 256;
/// The most problems that are told of a file, and the most warnings; the last one says how many more there are.
pub const PROBLEMS: usize = 100;

/// What a configuration file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    pub theme: Theme,
    pub language: Language,
    /// Whether conversations are kept on disk.
    pub history: History,
    /// The person's own programs may type into terminals.
    pub scripting: bool,
    /// Whether agents may do what their user's own programs may (`ai_unrestricted`).
    pub free_access: FreeAccess,
    /// Texts of terminals and agents are marked as untrusted before an agent reads them.
    pub ai_injection_fence: bool,
    /// Of the page, on loopback; any free one when it is 0.
    pub port: u16,
    pub limits: Limits,
    /// In the order of the file.
    pub agents: Vec<AgentDefinition>,
    pub channels: Vec<ChannelDefinition>,
}

impl Default for Config {
    /// Returns what counts when a file says nothing.
    fn default() -> Self {
        let facts = Facts::default();
        let verdict = Reading::of_text("", "").verdict(&facts);
        verdict.config.expect("the empty file is valid")
    }
}

/// Where conversations are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    OnDisk,
    /// Until the daemon ends.
    InMemory,
}

/// How many agents run, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many may have a process at once, 1 to 64.
    pub running_agents: usize,
    pub idle_stop: IdleStop,
    /// After how long a silent turn counts as stalled (`agent_stall_threshold_secs`); never when there is none.
    pub stall_after_ms: Option<u64>,
}

/// How one agent is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDefinition {
    pub name: AgentName,
    pub title: String,
    pub icon: Option<String>,
    pub description: Option<String>,
    /// A path, or a name that is looked for on `PATH`.
    pub command: String,
    pub args: Vec<String>,
    /// Where it runs; `~` stands for the home folder, which is also where it runs when nothing is said.
    pub cwd: Option<String>,
    /// What is added to the daemon's environment.
    pub env: BTreeMap<String, EnvValue>,
    pub permissions: PermissionPolicy,
    pub client: ClientOffer,
    /// The tool servers that it is given, in the order of the file.
    pub mcp_servers: Vec<McpServer>,
}

impl AgentDefinition {
    /// Returns the definition of an agent of which nothing is said but what it runs.
    pub fn new(name: AgentName, command: impl Into<String>) -> Self {
        Self {
            title: name.to_string(),
            name,
            icon: None,
            description: None,
            command: command.into(),
            args: Vec::new(),
            cwd: None,
            env: BTreeMap::new(),
            permissions: PermissionPolicy::Ask,
            client: ClientOffer::default(),
            mcp_servers: Vec::new(),
        }
    }
}

/// What happens to an agent's permission requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionPolicy {
    /// A person is asked.
    Ask,
    /// Reading is allowed without a question.
    AllowReads,
    /// Everything is denied.
    Deny,
}

/// What an agent is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientOffer {
    pub fs: bool,
    pub terminal: bool,
}

impl Default for ClientOffer {
    fn default() -> Self {
        Self {
            fs: true,
            terminal: true,
        }
    }
}

/// A tool server that agents are given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    pub name: String,
    pub command: String,
    pub args: Vec<String>,
    pub env: BTreeMap<String, EnvValue>,
}

/// A room with several agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelDefinition {
    pub name: String,
    pub title: String,
    /// At least one, each once.
    pub agents: Vec<AgentName>,
}

/// The value of an environment variable. A literal is never shown, not even for debugging.
#[derive(Clone, PartialEq, Eq)]
pub enum EnvValue {
    Literal(String),
    /// The value of this variable of the daemon's own environment.
    Inherited(String),
}

impl EnvValue {
    /// Returns what a value of `env` means: `$NAME` is a variable of the daemon's, everything else stands for itself.
    pub fn of(text: &str) -> Self {
        match text.strip_prefix('$') {
            Some(name) if is_variable_name(name) => Self::Inherited(name.to_owned()),
            Some(_) | None => Self::Literal(text.to_owned()),
        }
    }
}

fn is_variable_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl fmt::Debug for EnvValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(_) => formatter.write_str("Literal(***)"),
            Self::Inherited(name) => write!(formatter, "Inherited({name})"),
        }
    }
}
