//! What the checks of a file must know of the world: commands, folders, variables, images, and who may write.

use std::ops::Range;
use std::path::{Path, PathBuf};

use pupitre_model::config::{
    Facts, PRESETS, Preset, PresetProgram, Question, Reading, Running, Verdict, Writers,
};

use pupitre_protocol::configuration::KnownAgent;

use crate::process::{find, handed_on, working_folder};

/// Where this program and its user are; the rest is the environment of the process.
#[derive(Debug, Clone)]
pub struct Machine {
    pub executable: PathBuf,
    pub home: PathBuf,
    /// What the daemon that asks began with.
    pub running: Option<Running>,
}

/// A file that was checked.
#[derive(Debug)]
pub struct Checked {
    pub verdict: Verdict,
    /// Where values of `env` stand, in bytes.
    pub secrets: Vec<Range<usize>>,
}

/// Checks what stands, or would stand, in the file at this path.
pub fn check(bytes: &[u8], path: &Path, machine: &Machine) -> Checked {
    judge(bytes, path, machine, writers(path))
}

/// Checks a text that stands elsewhere as if it stood in the file at this path; who may write that file is no matter of it.
pub fn check_text(bytes: &[u8], path: &Path, machine: &Machine) -> Checked {
    judge(bytes, path, machine, Writers::Owner)
}

fn judge(bytes: &[u8], path: &Path, machine: &Machine, writers: Writers) -> Checked {
    let reading = Reading::of_bytes(bytes, &machine.executable.display().to_string());
    let secrets = reading.secrets().to_vec();
    let facts = Facts {
        absent: reading
            .questions()
            .into_iter()
            .filter(|question| !machine.has(question, path))
            .collect(),
        writers,
        running: machine.running,
    };
    Checked {
        verdict: reading.verdict(&facts),
        secrets,
    }
}

impl Machine {
    fn has(&self, question: &Question, file: &Path) -> bool {
        match question {
            Question::Command { command, cwd, path } => {
                let folder = working_folder(cwd.as_deref(), &self.home);
                let path = match path {
                    Some(path) => path.clone(),
                    None => search_path(),
                };
                find(command, &path, &folder, &self.home).is_ok()
            }
            Question::Folder(folder) => working_folder(Some(folder), &self.home).is_dir(),
            Question::Variable(name) => std::env::var_os(name).is_some(),
            Question::HandedOn(name) => std::env::var_os(name).is_none() || handed_on(name).is_some(),
            Question::Icon(icon) => {
                let below = file.parent().unwrap_or(Path::new("/"));
                below
                    .join(
                        icon.strip_prefix("~/")
                            .map_or_else(|| icon.into(), |rest| self.home.join(rest)),
                    )
                    .is_file()
            }
        }
    }

    /// Returns the known agents whose commands are on `PATH`.
    pub fn known_agents(&self) -> Vec<&'static Preset> {
        let path = search_path();
        let is_there = |preset: &&Preset| match preset.program {
            PresetProgram::Ourselves => false,
            PresetProgram::Command { name, install: _ } => self.is_on(&path, name),
        };
        PRESETS.iter().filter(is_there).collect()
    }

    /// Returns every known agent as the wire shows it.
    pub(super) fn known(&self) -> Vec<KnownAgent> {
        let path = search_path();
        let view = |preset: &Preset| {
            let (command, install) = match preset.program {
                PresetProgram::Ourselves => (None, None),
                PresetProgram::Command { name, install } => (Some(name), Some(install)),
            };
            KnownAgent {
                name: preset.name.to_owned(),
                title: preset.title.to_owned(),
                icon: preset.icon.to_owned(),
                description: preset.description.to_owned(),
                command: command.map(str::to_owned),
                found: command.is_none_or(|command| self.is_on(&path, command)),
                install: install.map(str::to_owned),
            }
        };
        PRESETS.iter().map(view).collect()
    }

    fn is_on(&self, path: &str, command: &str) -> bool {
        find(command, path, &self.home, &self.home).is_ok()
    }
}

fn search_path() -> String {
    std::env::var_os("PATH")
        .map(|path| path.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// A file that is not there, or cannot be looked at, has no writers that would matter.
fn writers(path: &Path) -> Writers {
    use std::os::unix::fs::PermissionsExt as _;
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.permissions().mode() & 0o022 != 0 => Writers::Others {
            path: path.display().to_string(),
        },
        Ok(_) | Err(_) => Writers::Owner,
    }
}
