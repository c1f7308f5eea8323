//! `pupitre doctor`: looks at everything that Pupitre needs, and says what to do where something is wrong.

use std::path::Path;

use clap::Args;
use pupitre_model::config::{PRESETS, PresetProgram};
use pupitre_protocol::method::system;
use pupitre_protocol::system::Empty;
use serde::Serialize;

use super::config::file::Lack;
use super::config::{file, place_in_force};
use crate::desk::Desk;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(crate) what: &'static str,
    pub(crate) state: FindingState,
    pub(crate) words: String,
}

/// How it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FindingState {
    Good,
    /// It works, but its user should know something.
    Note,
    Bad,
}

pub(super) fn run(desk: &Desk, output: &mut Output, arguments: &DoctorArguments) -> Result<(), Failure> {
    let mut findings = vec![program(), state_folder(desk), socket_folder(desk)];
    findings.extend(daemon(desk));
    findings.extend(configuration(desk));
    findings.push(known_agents(desk));
    if arguments.json {
        output.json(&findings)?;
    } else {
        output.findings(&findings)?;
    }
    if findings.iter().any(|finding| finding.state == FindingState::Bad) {
        Err(Failure::Reported)
    } else {
        Ok(())
    }
}

fn finding(what: &'static str, state: FindingState, words: impl Into<String>) -> Finding {
    Finding {
        what,
        state,
        words: words.into(),
    }
}

fn program() -> Finding {
    let version = env!("CARGO_PKG_VERSION");
    match std::env::current_exe() {
        Ok(path) => finding(
            "program",
            FindingState::Good,
            format!("pupitre {version}, {}", path.display()),
        ),
        Err(error) => finding(
            "program",
            FindingState::Bad,
            format!("cannot find its own file: {error}; agents cannot be guarded"),
        ),
    }
}

fn state_folder(desk: &Desk) -> Finding {
    folder("state folder", &desk.location.state_folder)
}

fn socket_folder(desk: &Desk) -> Finding {
    let folder_of_socket = desk.location.socket.parent().unwrap_or(Path::new("/"));
    folder("socket folder", folder_of_socket)
}

/// A folder that is ours alone, or that the daemon will make.
fn folder(what: &'static str, path: &Path) -> Finding {
    let shown = path.display();
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_dir() => {
            finding(what, FindingState::Bad, format!("{shown} is no folder"))
        }
        Ok(metadata) if is_open_to_others(&metadata) => finding(
            what,
            FindingState::Bad,
            format!("{shown} may be written by others; `chmod 700 {shown}` makes it yours alone"),
        ),
        Ok(_) => finding(what, FindingState::Good, shown.to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => finding(
            what,
            FindingState::Good,
            format!("{shown}, made when the daemon starts"),
        ),
        Err(error) => finding(what, FindingState::Bad, format!("{shown}: {error}")),
    }
}

#[cfg(unix)]
fn is_open_to_others(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o022 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_metadata: &std::fs::Metadata) -> bool {
    false
}

fn daemon(desk: &Desk) -> Vec<Finding> {
    // Whether it holds another file than the one that is named, the configuration's finding says.
    let asked = desk
        .find_with_any_configuration()
        .and_then(|(mut client, identity)| {
            let counters = client.call::<system::Counters>(&Empty {})?;
            Ok((identity, counters))
        });
    match asked {
        Ok((identity, counters)) => {
            let running = format!("version {} runs, process {}", identity.version, identity.pid);
            let state = if identity.version == env!("CARGO_PKG_VERSION") {
                finding("daemon", FindingState::Good, running)
            } else {
                finding(
                    "daemon",
                    FindingState::Note,
                    format!("{running}; `pupitre stop`, then `pupitre`, starts the new version"),
                )
            };
            let history = match counters.history_trouble {
                None => finding("history", FindingState::Good, "is written"),
                Some(trouble) => finding("history", FindingState::Bad, trouble),
            };
            vec![
                state,
                history,
                finding("log", FindingState::Good, identity.log_path),
            ]
        }
        Err(Failure::NoDaemon) => vec![finding(
            "daemon",
            FindingState::Note,
            "does not run; `pupitre` starts it",
        )],
        Err(failure) => vec![finding("daemon", FindingState::Bad, failure.to_string())],
    }
}

fn configuration(desk: &Desk) -> Vec<Finding> {
    let place = match place_in_force(desk) {
        Ok(place) => place,
        Err(failure) => return vec![finding("configuration", FindingState::Bad, failure.to_string())],
    };
    match file::lack(desk, &place) {
        None => {}
        Some(Lack::NotYet { words }) => return vec![finding("configuration", FindingState::Note, words)],
        Some(Lack::Wrong { words }) => return vec![finding("configuration", FindingState::Bad, words)],
    }
    let shown = format!("{} ({})", place.path.display(), place.source.as_str());
    match file::check(desk, &place.path) {
        Err(failure) => vec![finding("configuration", FindingState::Bad, failure.to_string())],
        Ok(checked) => {
            let state = if checked.is_valid() {
                FindingState::Good
            } else {
                FindingState::Bad
            };
            let agents = match checked.agents.as_slice() {
                [] => String::new(),
                agents => format!(", with {}", agents.join(", ")),
            };
            let mut findings = vec![finding("configuration", state, format!("{shown}{agents}"))];
            findings.extend(checked.problems.iter().map(|problem| {
                let words = format!(
                    "line {}, column {}: {}",
                    problem.line, problem.column, problem.message
                );
                let state = if problem.warning {
                    FindingState::Note
                } else {
                    FindingState::Bad
                };
                finding("", state, words)
            }));
            findings
        }
    }
}

fn known_agents(desk: &Desk) -> Finding {
    let found = file::known_agents(desk);
    let words = match found.as_slice() {
        [] => {
            let commands = PRESETS.iter().filter_map(|preset| match preset.program {
                PresetProgram::Command { name, .. } => Some(name),
                PresetProgram::Ourselves => None,
            });
            let commands: Vec<&str> = commands.collect();
            format!("none on PATH; these are known: {}", commands.join(", "))
        }
        found => format!("on PATH: {}", found.join(", ")),
    };
    finding(
        "agents",
        if found.is_empty() {
            FindingState::Note
        } else {
            FindingState::Good
        },
        words,
    )
}
