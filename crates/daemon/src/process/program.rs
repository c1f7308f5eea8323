//! A program to be run: found, with its folder and its whole environment; and how its end is told.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use pupitre_model::config::{AgentDefinition, EnvValue};
use rustix::fs::{Access, access};

/// A program with everything that it is started with.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) argv: Vec<String>,
    pub(crate) cwd: String,
    pub(crate) env: Vec<(String, String)>,
    /// The values of the agent's own `env`, which are shown nowhere.
    pub(crate) secrets: Vec<String>,
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
        // Names and values that are no Unicode cannot be told to the guard; no agent is known that needs one.
        let mut env: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let mut secrets = Vec::new();
        for (name, value) in &definition.env {
            let value = match value {
                EnvValue::Literal(value) => value.clone(),
                EnvValue::Inherited(from) => env
                    .get(from)
                    .cloned()
                    .ok_or_else(|| LaunchError::NoVariable { name: from.clone() })?,
            };
            secrets.push(value.clone());
            env.insert(name.clone(), value);
        }
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

fn find(command: &str, path: &str, folder: &Path, home: &Path) -> Result<String, LaunchError> {
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

fn signal_name(signal: i32) -> Option<&'static str> {
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
