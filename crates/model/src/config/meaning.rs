//! What a file means beyond its shape: names that are given once and referred to, durations, what to ask the world.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pupitre_protocol::AgentName;
use pupitre_protocol::configuration::{Language, ProblemCause, ProblemTable, Theme};
use serde_json::Value;

use super::document::{Document, child};
use super::file;
use super::hidden::{is_variable_name, sign_in_key};
use super::nearest::nearest;
use super::preset::{ICONS, PresetProgram, preset};
use super::reading::{Asked, Finding, Question};
use super::shape::{self, What};
use super::{
    AgentDefinition, ChannelDefinition, ClientOffer, Config, ENTRIES, EnvValue, History, Limits, McpServer,
    PROBLEMS, PermissionPolicy, Secrecy,
};
use crate::agent::lifecycle::IdleStop;
use crate::gate::FreeAccess;

/// What was found beyond the shape.
#[derive(Debug, Default)]
pub(super) struct Meaning {
    pub(super) problems: Vec<(What, Finding)>,
    pub(super) warnings: Vec<Finding>,
    pub(super) asked: Vec<Asked>,
    /// Where values of `env` stand, and what may have been meant for there.
    pub(super) secrets: Vec<Range<usize>>,
    /// Values of `env` that are secrets by their name or their form, and where they stand.
    pub(super) words: Vec<(String, Range<usize>)>,
}

/// Looks at whatever has the right shape; the rest is told already.
pub(super) fn check(document: &Document) -> Meaning {
    let mut look = Look {
        document,
        found: Meaning::default(),
    };
    look.limits();
    look.nul_characters();
    look.names("agents", ProblemTable::Agent);
    look.names("channels", ProblemTable::Channel);
    look.names("mcp_servers", ProblemTable::McpServer);
    look.agents();
    look.references("channels", ProblemTable::Channel);
    look.references("mcp_servers", ProblemTable::McpServer);
    look.mcp_servers();
    look.strangers();
    if document.value.get("ai_unrestricted") == Some(&Value::Bool(true)) {
        look.warn("/ai_unrestricted", ProblemCause::FreeAccess);
    }
    look.found
}

struct Look<'a> {
    document: &'a Document,
    found: Meaning,
}

impl<'a> Look<'a> {
    fn start(&self, pointer: &str) -> usize {
        self.document.place(pointer).value.start
    }

    fn problem(&mut self, what: What, pointer: &str, cause: ProblemCause) {
        let at = self.start(pointer);
        self.found.problems.push((what, Finding { at, cause }));
    }

    /// Warns at a key.
    fn warn(&mut self, pointer: &str, cause: ProblemCause) {
        let place = self.document.place(pointer);
        let at = place.key.as_ref().unwrap_or(&place.value).start;
        self.found.warnings.push(Finding { at, cause });
    }

    /// Has the world asked; the warning stands at the value.
    fn ask(&mut self, pointer: &str, question: Question, cause: ProblemCause) {
        let at = self.start(pointer);
        self.found.asked.push(Asked {
            question,
            warning: Finding { at, cause },
        });
    }

    /// Returns the entries of a list, as many as it may have.
    fn entries(&self, list: &str) -> &'a [Value] {
        let entries = self.document.value.get(list).and_then(Value::as_array);
        let entries = entries.map(Vec::as_slice).unwrap_or_default();
        &entries[..entries.len().min(ENTRIES)]
    }

    fn limits(&mut self) {
        let pointer = "/limits/stopIdleAgentsAfter";
        if let Some(text) = self.document.value.pointer(pointer).and_then(Value::as_str)
            && let Duration::OutOfRange = duration(text)
        {
            self.problem(What::Present, pointer, ProblemCause::BadDuration);
        }
    }

    /// No process can be given one.
    fn nul_characters(&mut self) {
        let document = self.document;
        for (pointer, place) in document.places() {
            let value = document.value.pointer(pointer).and_then(Value::as_str);
            if value.is_some_and(|value| value.contains('\0')) {
                let at = place.value.start;
                let cause = ProblemCause::NulCharacter;
                self.found.problems.push((What::Present, Finding { at, cause }));
            }
        }
    }

    /// Names are given once in their list.
    fn names(&mut self, list: &str, table: ProblemTable) {
        let mut seen = BTreeSet::new();
        for (index, entry) in self.entries(list).iter().enumerate() {
            if let Some(name) = entry.get("name").and_then(Value::as_str)
                && !seen.insert(name)
            {
                let pointer = format!("/{list}/{index}/name");
                let name = name.to_owned();
                self.problem(
                    What::Present,
                    &pointer,
                    ProblemCause::DuplicateName { table, name },
                );
            }
        }
    }

    fn agent_names(&self) -> Vec<&'a str> {
        self.entries("agents")
            .iter()
            .filter_map(|agent| agent.get("name").and_then(Value::as_str))
            .collect()
    }

    /// Names of agents refer to agents of the file, each once in its list.
    fn references(&mut self, list: &str, table: ProblemTable) {
        let known = self.agent_names();
        for (index, entry) in self.entries(list).iter().enumerate() {
            let own_name = || entry.get("name").and_then(Value::as_str).map(str::to_owned);
            let mut seen = BTreeSet::new();
            let names = entry.get("agents").and_then(Value::as_array);
            for (at, agent) in names.into_iter().flatten().take(ENTRIES).enumerate() {
                let Some(agent) = agent.as_str() else { continue };
                let pointer = format!("/{list}/{index}/agents/{at}");
                if !seen.insert(agent) {
                    let cause = ProblemCause::AgentTwice {
                        table,
                        name: own_name(),
                        agent: agent.to_owned(),
                    };
                    self.problem(What::Present, &pointer, cause);
                } else if !known.contains(&agent) {
                    // What comes after so many problems is told to nobody, and comparing takes long.
                    let is_told = self.found.problems.len() < PROBLEMS;
                    let meant = nearest(agent, known.iter().copied().filter(|_| is_told));
                    let cause = ProblemCause::UnknownAgent {
                        table,
                        name: own_name(),
                        agent: agent.to_owned(),
                        suggestion: meant.map(str::to_owned),
                    };
                    self.problem(What::Missing, &pointer, cause);
                }
            }
        }
    }

    fn agents(&mut self) {
        for (index, agent) in self.entries("agents").iter().enumerate() {
            let pointer = format!("/agents/{index}");
            let text = |key: &str| agent.get(key).and_then(Value::as_str);
            if agent.is_object() && agent.get("command").is_none() && agent.get("preset").is_none() {
                let name = text("name").map(str::to_owned);
                self.problem(What::Missing, &pointer, ProblemCause::NothingToRun { name });
            }
            let path = agent.pointer("/env/PATH").and_then(Value::as_str);
            let path = path.filter(|path| !path.starts_with('$')).map(str::to_owned);
            let known = text("preset").and_then(preset);
            let command = match (text("command"), known.map(|preset| preset.program)) {
                (Some(command), _) => Some((format!("{pointer}/command"), command)),
                (None, Some(PresetProgram::Command { name: command, .. })) => {
                    Some((format!("{pointer}/preset"), command))
                }
                (None, Some(PresetProgram::Ourselves) | None) => None,
            };
            if let Some((place, command)) = command.filter(|(_, command)| !command.is_empty()) {
                let question = Question::Command {
                    command: command.to_owned(),
                    cwd: text("cwd").map(str::to_owned),
                    path,
                };
                self.ask(&place, question, command_warning(command));
            }
            if let Some(cwd) = text("cwd").filter(|cwd| !cwd.is_empty()) {
                self.ask(
                    &format!("{pointer}/cwd"),
                    Question::Folder(cwd.to_owned()),
                    ProblemCause::FolderMissing {
                        folder: cwd.to_owned(),
                    },
                );
            }
            if let Some(icon) = text("icon") {
                self.icon(&format!("{pointer}/icon"), icon);
            }
            self.environment(&pointer, agent);
        }
    }

    fn icon(&mut self, pointer: &str, icon: &str) {
        let own = || icon.to_owned();
        if icon.contains(['/', '.']) {
            let missing = ProblemCause::ImageMissing { image: own() };
            self.ask(pointer, Question::Icon(own()), missing);
        } else if icon.chars().any(|symbol| symbol.is_ascii_alphanumeric()) && !ICONS.contains(&icon) {
            let cause = ProblemCause::UnknownIcon {
                icon: own(),
                suggestion: nearest(icon, ICONS.iter().copied()).map(str::to_owned),
                known: ICONS.iter().map(|icon| (*icon).to_owned()).collect(),
            };
            let at = self.start(pointer);
            self.found.warnings.push(Finding { at, cause });
        }
    }

    /// What stands under a key that nobody knows may have been meant for `env`: in a table of its own, or with a name or a
    /// form that says so.
    fn strangers(&mut self) {
        let document = self.document;
        for (pointer, place) in document.places() {
            let value = document.value.pointer(pointer).unwrap_or(&Value::Null);
            if is_known(pointer) {
                continue;
            }
            let (table, key) = pointer.rsplit_once('/').unwrap_or_default();
            // A value may be part of what was meant as its name.
            if let Some(name) = place.key.clone().filter(|_| sign_in_key(key).is_some()) {
                self.found.secrets.push(name);
            }
            if value.is_object() || value.is_array() {
                continue;
            }
            let text = value.as_str().unwrap_or_default();
            let secrecy = Secrecy::of(key, &EnvValue::Literal(text.to_owned()), text);
            if secrecy == Secrecy::Secret || !is_known(table) {
                self.found.secrets.push(place.value.clone());
            }
        }
    }

    fn mcp_servers(&mut self) {
        for (index, server) in self.entries("mcp_servers").iter().enumerate() {
            let pointer = format!("/mcp_servers/{index}");
            if let Some(command) = server.get("command").and_then(Value::as_str)
                && !command.is_empty()
            {
                let question = Question::Command {
                    command: command.to_owned(),
                    cwd: None,
                    path: None,
                };
                self.ask(&format!("{pointer}/command"), question, command_warning(command));
            }
            self.environment(&pointer, server);
        }
    }

    fn environment(&mut self, pointer: &str, entry: &'a Value) {
        let pointer = format!("{pointer}/env");
        let Some(env) = entry.get("env").and_then(Value::as_object) else {
            if entry.get("env").is_some() {
                self.found
                    .secrets
                    .push(self.document.place(&pointer).value.clone());
            }
            return;
        };
        for (key, value) in env {
            let pointer = child(&pointer, key);
            let place = self.document.place(&pointer);
            // A value may be part of what was meant as its name.
            if let Some(name) = place.key.clone().filter(|_| !is_variable_name(key)) {
                self.found.secrets.push(name);
            }
            let secret = place.value.clone();
            match value.as_str().map(EnvValue::of) {
                Some(EnvValue::Inherited(name)) => {
                    let variable = || name.clone();
                    self.ask(
                        &pointer,
                        Question::Variable(variable()),
                        ProblemCause::VariableNotSet { variable: variable() },
                    );
                    self.ask(
                        &pointer,
                        Question::HandedOn(variable()),
                        ProblemCause::VariableNotHandedOn { variable: variable() },
                    );
                }
                Some(EnvValue::Literal(text)) => {
                    self.found.secrets.push(secret);
                    let value = EnvValue::Literal(text.clone());
                    if Secrecy::of(key, &value, &text) == Secrecy::Secret {
                        self.found.words.push((text, place.value.clone()));
                    }
                }
                // What is no text was meant for there, too.
                None => self.found.secrets.push(secret),
            }
        }
    }
}

fn command_warning(command: &str) -> ProblemCause {
    let is_path = command.contains('/');
    let command = command.to_owned();
    if is_path {
        ProblemCause::NotExecutable { command }
    } else {
        ProblemCause::CommandNotFound { command }
    }
}

/// Says whether every key on the way to a value is one of the schema's.
fn is_known(pointer: &str) -> bool {
    let mut steps = pointer.match_indices('/').map(|(at, _)| at).collect::<Vec<_>>();
    steps.push(pointer.len());
    steps.windows(2).all(|step| {
        let key = &pointer[step[0] + 1..step[1]];
        key.parse::<usize>().is_ok() || shape::is_known_key(&pointer[..step[0]], key)
    })
}

enum Duration {
    Never,
    Milliseconds(u64),
    OutOfRange,
    /// The shape is told already.
    Malformed,
}

/// From 30 s to 24 h.
const IDLE_SECONDS: std::ops::RangeInclusive<u64> = 30..=86_400;

fn duration(text: &str) -> Duration {
    if text == "never" {
        return Duration::Never;
    }
    let Some((number, unit)) = text.split_at_checked(text.len().saturating_sub(1)) else {
        return Duration::Malformed;
    };
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        _ => return Duration::Malformed,
    };
    match number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
    {
        Some(seconds) if IDLE_SECONDS.contains(&seconds) => Duration::Milliseconds(seconds * 1_000),
        Some(_) => Duration::OutOfRange,
        None => Duration::Malformed,
    }
}

/// Returns what a file without problems says.
pub(super) fn config(value: &Value, executable: &str) -> Config {
    let file: file::File =
        serde_json::from_value(value.clone()).expect("the schema was made from this type, and was obeyed");
    let name = |text: &str| -> AgentName { text.parse().expect("the schema has the rules of names") };
    let environment = |env: &BTreeMap<String, String>| -> BTreeMap<String, EnvValue> {
        env.iter()
            .map(|(key, value)| (key.clone(), EnvValue::of(value)))
            .collect()
    };
    let mcp_servers = |agent: &str| -> Vec<McpServer> {
        let given = file.mcp_servers.iter().filter(|server| {
            server
                .agents
                .as_ref()
                .is_none_or(|agents| agents.iter().any(|name| name == agent))
        });
        given
            .map(|server| McpServer {
                name: server.name.clone(),
                command: server.command.clone(),
                args: server.args.clone(),
                env: environment(&server.env),
            })
            .collect()
    };
    let agents = file.agents.iter().map(|agent| {
        let known = agent.preset.as_deref().and_then(preset);
        let known_command = known.map(|preset| match preset.program {
            PresetProgram::Ourselves => executable,
            PresetProgram::Command { name: command, .. } => command,
        });
        let or_known =
            |own: &Option<String>, known: Option<&str>| own.clone().or_else(|| known.map(str::to_owned));
        // The arguments of a preset belong to its command; `args` alone changes them.
        let known_args = || known.map(|preset| preset.args.iter().map(|arg| (*arg).to_owned()).collect());
        AgentDefinition {
            name: name(&agent.name),
            title: or_known(&agent.title, known.map(|preset| preset.title))
                .unwrap_or_else(|| agent.name.clone()),
            icon: or_known(&agent.icon, known.map(|preset| preset.icon)),
            description: or_known(&agent.description, known.map(|preset| preset.description)),
            command: or_known(&agent.command, known_command).expect("a command or a preset was asked for"),
            args: agent.args.clone().or_else(known_args).unwrap_or_default(),
            cwd: agent.cwd.clone(),
            env: environment(&agent.env),
            permissions: match agent.permissions {
                file::Permissions::Ask => PermissionPolicy::Ask,
                file::Permissions::AllowReads => PermissionPolicy::AllowReads,
                file::Permissions::Deny => PermissionPolicy::Deny,
            },
            client: ClientOffer {
                fs: agent.client.contains(&file::Offer::Fs),
                terminal: agent.client.contains(&file::Offer::Terminal),
            },
            mcp_servers: mcp_servers(&agent.name),
        }
    });
    let channels = file.channels.iter().map(|channel| ChannelDefinition {
        name: channel.name.clone(),
        title: channel.title.clone().unwrap_or_else(|| channel.name.clone()),
        agents: channel.agents.iter().map(|agent| name(agent)).collect(),
    });
    Config {
        theme: match file.theme {
            file::Theme::Light => Theme::Light,
            file::Theme::Dark => Theme::Dark,
            file::Theme::System => Theme::System,
        },
        language: match file.language {
            file::Language::En => Language::En,
            file::Language::Fr => Language::Fr,
            file::Language::System => Language::System,
        },
        history: if file.history {
            History::OnDisk
        } else {
            History::InMemory
        },
        scripting: file.scripting,
        free_access: if file.ai_unrestricted {
            FreeAccess::On
        } else {
            FreeAccess::Off
        },
        ai_injection_fence: file.ai_injection_fence,
        port: file.port,
        limits: Limits {
            running_agents: usize::from(file.limits.max_running_agents),
            idle_stop: match duration(&file.limits.stop_idle_agents_after) {
                Duration::Milliseconds(ms) => IdleStop::After { ms },
                Duration::Never | Duration::OutOfRange | Duration::Malformed => IdleStop::Never,
            },
            stall_after_ms: (file.agent_stall_threshold_secs > 0)
                .then(|| u64::from(file.agent_stall_threshold_secs) * 1_000),
        },
        agents: agents.collect(),
        channels: channels.collect(),
    }
}
