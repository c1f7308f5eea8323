//! A program to be run: found, with its folder and its whole environment; and how its end is told.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use pupitre_model::config::{AgentDefinition, EnvValue, McpServer, Secrecy};
use pupitre_protocol::Cause;
use rustix::fs::{Access, access};

/// A program with everything that it is started with.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) argv: Vec<String>,
    pub(crate) cwd: String,
    pub(crate) env: Vec<(String, String)>,
    /// The values of the agent's own `env`, and which of them are shown nowhere.
    pub(crate) secrets: Vec<(String, Secrecy)>,
}

/// Why a program cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LaunchError {
    #[error("cannot run \"{command}\": not found on PATH")]
    NotOnPath { command: String },
    #[error("cannot run \"{command}\": no such file, or not executable")]
    NotExecutable { command: String },
    #[error("the working directory {folder} does not exist")]
    NoFolder { folder: String },
    #[error("the environment variable {name}, which the configuration refers to, is not set for the daemon")]
    NoVariable { name: String },
    #[error(
        "the environment variable {name}, which the configuration refers to, is set for the daemon, but not handed on: its \
         value is no UTF-8, or it is one of Pupitre's own"
    )]
    NotHandedOn { name: String },
}

impl LaunchError {
    /// Returns the same for a program.
    pub(crate) fn cause(&self) -> Cause {
        match self {
            Self::NotOnPath { command } | Self::NotExecutable { command } => Cause::NoCommand {
                command: command.clone(),
            },
            Self::NoFolder { folder } => Cause::NoFolder {
                folder: folder.clone(),
            },
            Self::NoVariable { name } => Cause::NoVariable {
                variable: name.clone(),
            },
            Self::NotHandedOn { name } => Cause::VariableNotHandedOn {
                variable: name.clone(),
            },
        }
    }
}

impl Program {
    /// Returns the program of an agent.
    ///
    /// # Errors
    ///
    /// When the command, the working directory or a variable that `env` refers to is not there.
    pub(crate) fn of_agent(definition: &AgentDefinition, home: &Path) -> Result<Self, LaunchError> {
        let folder = working_folder(definition.cwd.as_deref(), home);
        if !folder.is_dir() {
            return Err(LaunchError::NoFolder {
                folder: folder.display().to_string(),
            });
        }
        let mut env = own_environment();
        let mut secrets = Vec::new();
        let servers = definition.mcp_servers.iter().map(|server| &server.env);
        for added in servers {
            // They are given to the agent in a message, so they are secrets of its connection too. One whose variable is
            // not set is left out of the session, and told there.
            if let Ok(values) = values_of(added, &env) {
                secrets.extend(secrets_of(added, &values));
            }
        }
        let added = values_of(&definition.env, &env)?;
        secrets.extend(secrets_of(&definition.env, &added));
        env.extend(added);
        let path = env.get("PATH").map(String::as_str).unwrap_or_default();
        let command = find(&definition.command, path, &folder, home)?;
        let argv = [command]
            .into_iter()
            .chain(definition.args.iter().cloned())
            .collect();
        Ok(Self {
            argv,
            cwd: folder.display().to_string(),
            env: env.into_iter().collect(),
            secrets,
        })
    }

    /// Returns the program of a tool server of an agent: its absolute path, arguments, and the variables that are added.
    ///
    /// # Errors
    ///
    /// When the command or a variable that `env` refers to is not there.
    pub(crate) fn of_tool_server(
        definition: &AgentDefinition,
        server: &McpServer,
        home: &Path,
    ) -> Result<Self, LaunchError> {
        let env = own_environment();
        let folder = working_folder(definition.cwd.as_deref(), home);
        let path = env.get("PATH").map(String::as_str).unwrap_or_default();
        let command = find(&server.command, path, &folder, home)?;
        let added = values_of(&server.env, &env)?;
        Ok(Self {
            argv: [command].into_iter().chain(server.args.iter().cloned()).collect(),
            cwd: folder.display().to_string(),
            secrets: secrets_of(&server.env, &added).collect(),
            env: added.into_iter().collect(),
        })
    }

    /// Returns the program of a pane, with this whole environment.
    ///
    /// # Errors
    ///
    /// When the program or the folder is not there.
    pub(crate) fn of_pane(
        mut argv: Vec<String>,
        folder: PathBuf,
        env: BTreeMap<String, String>,
        home: &Path,
    ) -> Result<Self, LaunchError> {
        if !folder.is_dir() {
            return Err(LaunchError::NoFolder {
                folder: folder.display().to_string(),
            });
        }
        let path = env.get("PATH").map(String::as_str).unwrap_or_default();
        if let Some(command) = argv.first_mut() {
            *command = find(command, path, &folder, home)?;
        }
        Ok(Self {
            argv,
            cwd: folder.display().to_string(),
            env: env.into_iter().collect(),
            secrets: Vec::new(),
        })
    }

    /// Returns the program of a command that an agent wants to have run, in its session's folder.
    ///
    /// # Errors
    ///
    /// When the command or the folder is not there.
    pub(crate) fn of_command(
        definition: &AgentDefinition,
        parts: CommandParts,
        session_folder: &Path,
        home: &Path,
    ) -> Result<Self, LaunchError> {
        let folder = match &parts.cwd {
            Some(cwd) => session_folder.join(cwd),
            None => session_folder.to_owned(),
        };
        if !folder.is_dir() {
            return Err(LaunchError::NoFolder {
                folder: folder.display().to_string(),
            });
        }
        let mut env = own_environment();
        let added = values_of(&definition.env, &env)?;
        let secrets = secrets_of(&definition.env, &added).collect();
        env.extend(added);
        env.extend(parts.env);
        let argv = if parts.args.is_empty() {
            // Agents that have one line of text mean a shell by it.
            vec!["/bin/sh".to_owned(), "-c".to_owned(), parts.command]
        } else {
            let path = env.get("PATH").map(String::as_str).unwrap_or_default();
            let command = find(&parts.command, path, &folder, home)?;
            [command].into_iter().chain(parts.args).collect()
        };
        Ok(Self {
            argv,
            cwd: folder.display().to_string(),
            env: env.into_iter().collect(),
            secrets,
        })
    }
}

/// Names the file with which the daemon began, which need not be the one that it holds now.
const CONFIG_VARIABLE: &str = "PUPITRE_CONFIG";

/// Returns the daemon's own environment, without the claim for a configuration: what is started here talks to this daemon.
/// Names and values that are no Unicode cannot be told to the guard; no agent is known that needs one.
pub(crate) fn own_environment() -> BTreeMap<String, String> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    names
        .filter_map(|name| handed_on(&name).map(|value| (name, value)))
        .collect()
}

/// Returns the value of a variable of the daemon's own environment, when it is handed on to what is started.
pub(crate) fn handed_on(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|_| name != CONFIG_VARIABLE)
}

/// Returns what the values of an `env` are, given the daemon's own environment.
fn values_of(
    env: &BTreeMap<String, EnvValue>,
    own: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, LaunchError> {
    let values = env.iter().map(|(name, value)| {
        let value = match value {
            EnvValue::Literal(value) => value.clone(),
            EnvValue::Inherited(from) => own.get(from).cloned().ok_or_else(|| {
                let name = from.clone();
                if std::env::var_os(from).is_some() {
                    LaunchError::NotHandedOn { name }
                } else {
                    LaunchError::NoVariable { name }
                }
            })?,
        };
        Ok((name.clone(), value))
    });
    values.collect()
}

/// Returns the values of an `env`, given what each is, and whether it is a secret.
fn secrets_of(
    env: &BTreeMap<String, EnvValue>,
    values: &BTreeMap<String, String>,
) -> impl Iterator<Item = (String, Secrecy)> {
    env.iter().zip(values.values()).map(|((name, value), text)| {
        let secrecy = Secrecy::of(name, value, text);
        (text.clone(), secrecy)
    })
}

/// What an agent wants to have run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandParts {
    /// A program; without arguments, a line for the shell.
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    /// What is added to the agent's own environment.
    pub(crate) env: Vec<(String, String)>,
    /// The session's folder when nothing is said.
    pub(crate) cwd: Option<String>,
}

/// Returns the folder that a configuration names: `~` is the home folder, and so is nothing.
pub(crate) fn working_folder(cwd: Option<&str>, home: &Path) -> PathBuf {
    match cwd {
        None | Some("~") => home.to_owned(),
        Some(cwd) => match cwd.strip_prefix("~/") {
            Some(below) => home.join(below),
            None => home.join(cwd),
        },
    }
}

/// Returns the file that a command names: found on this `PATH`, or a path seen from a folder.
pub(crate) fn find(command: &str, path: &str, folder: &Path, home: &Path) -> Result<String, LaunchError> {
    if command.contains('/') {
        let full = match command.strip_prefix("~/") {
            Some(below) => home.join(below),
            None => folder.join(command),
        };
        return if is_executable(&full) {
            Ok(full.display().to_string())
        } else {
            Err(LaunchError::NotExecutable {
                command: command.to_owned(),
            })
        };
    }
    std::env::split_paths(OsStr::new(path))
        .map(|folder| folder.join(command))
        .find(|candidate| is_executable(candidate))
        .map(|found| found.display().to_string())
        .ok_or_else(|| LaunchError::NotOnPath {
            command: command.to_owned(),
        })
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

/// Returns how a process ended, in plain words.
pub(crate) fn exit_reason(code: Option<i32>, signal: Option<i32>) -> String {
    match (code, signal) {
        (_, Some(signal)) => match signal_name(signal) {
            Some(name) => format!("killed by signal {signal} ({name})"),
            None => format!("killed by signal {signal}"),
        },
        (Some(code), None) => format!("exited with code {code}"),
        (None, None) => "ended in an unknown way".to_owned(),
    }
}

/// Returns the name of a signal.
pub(crate) fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_told_in_plain_words() {
        assert_eq!(exit_reason(Some(3), None), "exited with code 3");
        assert_eq!(exit_reason(None, Some(9)), "killed by signal 9 (SIGKILL)");
        assert_eq!(exit_reason(None, Some(63)), "killed by signal 63");
    }

    #[test]
    fn folders_are_below_home_unless_absolute() {
        let home = Path::new("/home/me");
        for (cwd, expected) in [
            (None, "/home/me"),
            (Some("~"), "/home/me"),
            (Some("~/src"), "/home/me/src"),
            (Some("/srv"), "/srv"),
            (Some("src"), "/home/me/src"),
        ] {
            assert_eq!(working_folder(cwd, home), Path::new(expected), "{cwd:?}");
        }
    }

    #[test]
    fn what_cannot_be_run_says_why() {
        let home = std::env::temp_dir();
        let definition = |command: &str, cwd: Option<&str>| AgentDefinition {
            cwd: cwd.map(str::to_owned),
            ..AgentDefinition::new("a".parse().expect("a name"), command)
        };
        let error = |command, cwd| {
            Program::of_agent(&definition(command, cwd), &home)
                .map(|_| ())
                .expect_err("no such")
        };
        assert_eq!(
            error("no-such-thing", None).to_string(),
            "cannot run \"no-such-thing\": not found on PATH"
        );
        assert_eq!(
            error("/etc/passwd", None).to_string(),
            "cannot run \"/etc/passwd\": no such file, or not executable"
        );
        assert_eq!(
            error("sh", Some("/no/such")).to_string(),
            "the working directory /no/such does not exist"
        );
    }
}
