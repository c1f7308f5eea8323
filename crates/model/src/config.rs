//! The configuration file: what it says, and where it is wrong.
//!
//! Responsible for the text of the file; who reads, writes and watches the file is elsewhere.

use std::collections::BTreeMap;

use pupitre_protocol::{AgentName, limits};
use serde::Deserialize;
use toml::Spanned;

use crate::agent::lifecycle::IdleStop;
use crate::gate::FreeAccess;

/// What a configuration file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Whether conversations are kept on disk.
    pub history: History,
    /// Whether agents may do what their user's own programs may (`ai_unrestricted`).
    pub free_access: FreeAccess,
    pub limits: Limits,
    /// In the order of the file.
    pub agents: Vec<AgentDefinition>,
}

/// How many agents run, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many may have a process at once, 1 to 64.
    pub running_agents: usize,
    pub idle_stop: IdleStop,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            running_agents: limits::RUNNING_AGENTS,
            idle_stop: IdleStop::After {
                ms: limits::IDLE_STOP_MS,
            },
        }
    }
}

/// Where conversations are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    OnDisk,
    /// Until the daemon ends.
    InMemory,
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
}

/// The value of an environment variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvValue {
    Literal(String),
    /// The value of this variable of the daemon's own environment.
    Inherited(String),
}

/// What the reading of a file needs to know of the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The path of this program, which is also the demo agent.
    pub executable: String,
}

/// What is wrong with a file, and where; lines and columns begin at 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ConfigError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// The file that is made when there is none.
pub const FIRST_FILE: &str = "\
# The agents that Pupitre runs. Restart the daemon after a change: pupitre stop, then pupitre.

# history = true            # false: conversations are forgotten when the daemon ends

# The demo agent is inside Pupitre: it answers without any model. Try: pupitre ask demo help
[[agents]]
name = \"demo\"
title = \"Demo\"
description = \"A scripted agent that shows what an agent can do\"
preset = \"demo\"

# An agent of your own: any program that speaks the Agent Client Protocol on its stdin and stdout.
# [[agents]]
# name = \"gemini\"
# title = \"Gemini CLI\"
# command = \"gemini\"
# args = [\"--acp\"]
# cwd = \"~/src/app\"
# env = { GEMINI_API_KEY = \"$GEMINI_API_KEY\" }   # $NAME is read from the daemon's environment
";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default = "yes")]
    history: bool,
    #[serde(default)]
    ai_unrestricted: bool,
    limits: Option<FileLimits>,
    #[serde(default)]
    agents: Vec<Spanned<FileAgent>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct FileLimits {
    max_running_agents: Option<Spanned<usize>>,
    stop_idle_agents_after: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileAgent {
    name: Spanned<String>,
    title: Option<String>,
    icon: Option<String>,
    description: Option<String>,
    preset: Option<Spanned<String>>,
    command: Option<String>,
    args: Option<Vec<String>>,
    cwd: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

const fn yes() -> bool {
    true
}

impl Config {
    /// Returns the configuration that stands in this text.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong: syntax, an unknown key, a wrong type, a bad or double name, nothing to run.
    pub fn parse(text: &str, facts: &Facts) -> Result<Self, ConfigError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            error_at(text, start, error.message())
        })?;
        let mut agents: Vec<AgentDefinition> = Vec::new();
        for agent in file.agents {
            let agent = definition(text, agent, facts)?;
            if let (double, Some(_)) = (&agent.0, agents.iter().find(|other| other.name == agent.0.name)) {
                return Err(error_at(
                    text,
                    agent.1,
                    &format!("there are two agents named \"{}\"", double.name),
                ));
            }
            agents.push(agent.0);
        }
        let history = if file.history {
            History::OnDisk
        } else {
            History::InMemory
        };
        let limits = match file.limits {
            Some(limits) => limits_of(text, limits)?,
            None => Limits::default(),
        };
        Ok(Self {
            history,
            free_access: if file.ai_unrestricted {
                FreeAccess::On
            } else {
                FreeAccess::Off
            },
            limits,
            agents,
        })
    }
}

fn limits_of(text: &str, file: FileLimits) -> Result<Limits, ConfigError> {
    let mut limits = Limits::default();
    if let Some(most) = file.max_running_agents {
        if !(1..=64).contains(most.get_ref()) {
            return Err(error_at(text, most.span().start, "must be 1 to 64"));
        }
        limits.running_agents = most.into_inner();
    }
    if let Some(after) = file.stop_idle_agents_after {
        limits.idle_stop = idle_stop(after.get_ref()).ok_or_else(|| {
            let message = "must be a duration from \"30s\" to \"24h\", \"15m\" for example, or \"never\"";
            error_at(text, after.span().start, message)
        })?;
    }
    Ok(limits)
}

fn idle_stop(text: &str) -> Option<IdleStop> {
    if text == "never" {
        return Some(IdleStop::Never);
    }
    let (number, unit_ms) = [("s", 1_000), ("m", 60_000), ("h", 3_600_000)]
        .into_iter()
        .find_map(|(unit, ms)| Some((text.strip_suffix(unit)?, ms)))?;
    let ms = number.parse::<u64>().ok()?.checked_mul(unit_ms)?;
    (30_000..=86_400_000)
        .contains(&ms)
        .then_some(IdleStop::After { ms })
}

/// Returns an agent's definition, and where its name stands.
fn definition(
    text: &str,
    agent: Spanned<FileAgent>,
    facts: &Facts,
) -> Result<(AgentDefinition, usize), ConfigError> {
    let table_at = agent.span().start;
    let agent = agent.into_inner();
    let name_at = agent.name.span().start;
    let name: AgentName = agent
        .name
        .into_inner()
        .parse()
        .map_err(|error| error_at(text, name_at, &format!("{error}")))?;
    let preset = match agent.preset {
        None => None,
        Some(preset) if preset.get_ref() == "demo" => {
            Some((facts.executable.clone(), vec!["demo-agent".to_owned()]))
        }
        Some(preset) => {
            let message = format!("there is no preset \"{}\"; there is: demo", preset.get_ref());
            return Err(error_at(text, preset.span().start, &message));
        }
    };
    let (preset_command, preset_args) = preset.unzip();
    let Some(command) = agent
        .command
        .or(preset_command)
        .filter(|command| !command.is_empty())
    else {
        let message = format!("the agent \"{name}\" has neither a command nor a preset");
        return Err(error_at(text, table_at, &message));
    };
    let env = agent
        .env
        .into_iter()
        .map(|(key, value)| (key, env_value(value)))
        .collect();
    let definition = AgentDefinition {
        title: agent.title.unwrap_or_else(|| name.to_string()),
        name,
        icon: agent.icon,
        description: agent.description,
        command,
        args: agent.args.or(preset_args).unwrap_or_default(),
        cwd: agent.cwd,
        env,
    };
    Ok((definition, name_at))
}

fn env_value(text: String) -> EnvValue {
    match text.strip_prefix('$') {
        Some(name) if !name.is_empty() => EnvValue::Inherited(name.to_owned()),
        Some(_) | None => EnvValue::Literal(text),
    }
}

fn error_at(text: &str, offset: usize, message: &str) -> ConfigError {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    ConfigError {
        line,
        column,
        message: message.trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts {
            executable: "/bin/pupitre".into(),
        }
    }

    fn check_error(text: &str, line: usize, column: usize, part: &str) {
        let error = Config::parse(text, &facts()).expect_err(text);
        assert_eq!((error.line, error.column), (line, column), "{error}");
        assert!(error.message.contains(part), "{error}");
    }

    #[test]
    fn the_first_file_has_the_demo_agent() {
        let config = Config::parse(FIRST_FILE, &facts()).expect("it is valid");
        assert_eq!(config.history, History::OnDisk);
        let [demo] = config.agents.as_slice() else {
            panic!("one agent: {config:?}")
        };
        assert_eq!((demo.name.as_str(), demo.title.as_str()), ("demo", "Demo"));
        assert_eq!(
            (demo.command.as_str(), demo.args.as_slice()),
            ("/bin/pupitre", &["demo-agent".to_owned()][..])
        );
    }

    #[test]
    fn an_agent_with_everything() {
        let text = r#"
            history = false
            [[agents]]
            name = "gemini"
            icon = "G"
            command = "gemini"
            args = ["--acp"]
            cwd = "~/src"
            env = { KEY = "$KEY", PLAIN = "a$b", DOLLAR = "$" }
        "#;
        let config = Config::parse(text, &facts()).expect("it is valid");
        assert_eq!(config.history, History::InMemory);
        let agent = &config.agents[0];
        assert_eq!(agent.title, "gemini");
        assert_eq!(agent.env["KEY"], EnvValue::Inherited("KEY".into()));
        assert_eq!(agent.env["PLAIN"], EnvValue::Literal("a$b".into()));
        assert_eq!(agent.env["DOLLAR"], EnvValue::Literal("$".into()));
    }

    #[test]
    fn mistakes_have_a_place() {
        check_error("histry = true", 1, 1, "histry");
        check_error("history = 3", 1, 11, "invalid type");
        check_error("\n[[agents]]\nname = \"Big\"\ncommand = \"x\"", 3, 8, "a-z");
        check_error("[[agents]]\nname = \"a\"", 1, 1, "neither a command nor a preset");
        check_error(
            "[[agents]]\nname = \"a\"\npreset = \"b\"",
            3,
            10,
            "no preset \"b\"",
        );
        let double = "[[agents]]\nname = \"a\"\ncommand = \"x\"\n[[agents]]\nname = \"a\"\ncommand = \"x\"";
        check_error(double, 5, 8, "two agents named \"a\"");
        check_error("[[agents", 1, 9, "");
    }
}
