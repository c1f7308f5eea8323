//! The file's own shape: the Rust types from which the JSON Schema is made, and which read a valid file.
//!
//! What each key means is said here, once, for the schema, for editors and for the reference page.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ENTRIES;
use super::preset::PRESETS;

/// The pattern of names of agents, channels and MCP servers: what `AgentName` takes.
const NAME: &str = "^[0-9]*[a-z_-][a-z0-9_-]*$";
/// The pattern of durations.
const DURATION: &str = "^([0-9]{1,6}[smh]|never)$";
/// The pattern of names of variables: what a process can be given.
const VARIABLE: &str = r"^[^=\u0000]+$";

/// The configuration of Pupitre: its agents, and how it behaves.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Pupitre's configuration")]
pub(super) struct File {
    /// The colours of the interface.
    #[serde(default)]
    pub(super) theme: Theme,
    /// The language of the interface.
    #[serde(default)]
    pub(super) language: Language,
    /// Whether conversations are kept on disk. A change takes effect when the daemon is started again.
    #[serde(default = "yes")]
    pub(super) history: bool,
    /// Whether programs of your own may type into terminals. The variable `PUPITRE_SCRIPTING=1` says the same for one program.
    #[serde(default)]
    pub(super) scripting: bool,
    /// Whether agents, too, may type into terminals of others ("AI free access").
    #[serde(default)]
    pub(super) ai_unrestricted: bool,
    /// Whether texts of terminals and agents are marked as untrusted before another agent reads them.
    #[serde(default = "yes")]
    pub(super) ai_injection_fence: bool,
    /// After how many seconds of silence a turn is shown as stalled; 0 for never.
    #[serde(default = "stall_threshold_secs")]
    #[schemars(range(max = 604_800))]
    pub(super) agent_stall_threshold_secs: u32,
    /// The port of the page, on this machine only; 0 for any free one. A change takes effect when the daemon is started again.
    #[serde(default)]
    pub(super) port: u16,
    /// What may run at once, and for how long unused.
    #[serde(default)]
    pub(super) limits: Limits,
    /// The agents, in the order in which they are shown.
    #[serde(default)]
    #[schemars(length(max = ENTRIES))]
    pub(super) agents: Vec<Agent>,
    /// Rooms with several agents.
    #[serde(default)]
    #[schemars(length(max = ENTRIES))]
    pub(super) channels: Vec<Channel>,
    /// Tool servers that agents are given.
    #[serde(default)]
    #[schemars(length(max = ENTRIES))]
    pub(super) mcp_servers: Vec<McpServer>,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Theme {
    Light,
    Dark,
    #[default]
    System,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Language {
    En,
    Fr,
    #[default]
    System,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    /// How many agents may have a process at once.
    #[serde(rename = "maxRunningAgents", default = "max_running_agents")]
    #[schemars(range(min = 1, max = 64))]
    pub(super) max_running_agents: u8,
    /// After how long an unused agent is stopped: `"30s"` to `"24h"`, or `"never"`.
    #[serde(rename = "stopIdleAgentsAfter", default = "stop_idle_agents_after")]
    #[schemars(regex(pattern = DURATION))]
    pub(super) stop_idle_agents_after: String,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_running_agents: max_running_agents(),
            stop_idle_agents_after: stop_idle_agents_after(),
        }
    }
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Agent {
    /// Unique: a-z, 0-9, `-` and `_`, at most 32, not only digits.
    #[schemars(regex(pattern = NAME), length(max = 32))]
    pub(super) name: String,
    /// For people; the name when it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) title: Option<String>,
    /// For people: a built-in icon's name, an emoji, or an image beside this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) icon: Option<String>,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) description: Option<String>,
    /// A known agent, which gives command, arguments, title, icon and description; each can be written over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = preset_names()))]
    pub(super) preset: Option<String>,
    /// A name that is looked for on `PATH`, or a path; `~/` is your home folder. Needed without a preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1))]
    pub(super) command: Option<String>,
    /// The command's arguments; those of the preset when they are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>")]
    pub(super) args: Option<Vec<String>>,
    /// The working directory; `~` is your home folder, which is also what counts when it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1))]
    pub(super) cwd: Option<String>,
    /// Variables for the agent, on top of the daemon's environment; a value `$NAME` is read from there.
    #[serde(default)]
    #[schemars(extend("propertyNames" = {"pattern": VARIABLE}))]
    pub(super) env: BTreeMap<String, String>,
    /// What happens to its permission requests: a person is asked, reading is allowed without a question, or all are denied.
    #[serde(default)]
    pub(super) permissions: Permissions,
    /// What the agent is offered: access to files, terminals.
    #[serde(default = "everything")]
    pub(super) client: Vec<Offer>,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Permissions {
    #[default]
    Ask,
    AllowReads,
    Deny,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Offer {
    Fs,
    Terminal,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Channel {
    /// Unique among channels: a-z, 0-9, `-` and `_`, at most 32, not only digits.
    #[schemars(regex(pattern = NAME), length(max = 32))]
    pub(super) name: String,
    /// For people; the name when it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) title: Option<String>,
    /// The names of its agents.
    #[schemars(length(min = 1, max = ENTRIES))]
    pub(super) agents: Vec<String>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct McpServer {
    /// Unique among MCP servers: a-z, 0-9, `-` and `_`, at most 32, not only digits.
    #[schemars(regex(pattern = NAME), length(max = 32))]
    pub(super) name: String,
    /// A name that is looked for on `PATH`, or a path; `~/` is your home folder.
    #[schemars(length(min = 1))]
    pub(super) command: String,
    /// The command's arguments.
    #[serde(default)]
    pub(super) args: Vec<String>,
    /// Variables for the server; a value `$NAME` is read from the daemon's environment.
    #[serde(default)]
    #[schemars(extend("propertyNames" = {"pattern": VARIABLE}))]
    pub(super) env: BTreeMap<String, String>,
    /// The names of the agents that are given it; every agent when it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>")]
    pub(super) agents: Option<Vec<String>>,
}

const fn yes() -> bool {
    true
}

const fn stall_threshold_secs() -> u32 {
    180
}

const fn max_running_agents() -> u8 {
    4
}

fn stop_idle_agents_after() -> String {
    "15m".to_owned()
}

fn everything() -> Vec<Offer> {
    vec![Offer::Fs, Offer::Terminal]
}

fn preset_names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let generator = SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator();
    generator.into_root_schema_for::<File>().to_value()
});

/// Returns the JSON Schema of the configuration file, without references.
pub fn schema() -> &'static Value {
    &SCHEMA
}

/// Returns the schema as a file has it.
pub fn schema_text() -> String {
    serde_json::to_string_pretty(schema()).expect("a schema has string keys")
}
