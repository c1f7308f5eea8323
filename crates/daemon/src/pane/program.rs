//! The program of a pane: a command, a terminal agent or the person's shell, with the environment of a terminal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pupitre_model::config::Secrecy;
use pupitre_model::environment::misleads;
use pupitre_protocol::surface::EnvironmentVariable;
use pupitre_protocol::{Cause, SurfaceId, WorkspaceId};

use crate::agent::Redactor;
use crate::process::{LaunchError, Program, working_folder};

/// A program to be started on a terminal.
#[derive(Debug)]
pub(crate) struct PaneProgram {
    program: Program,
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProgramError {
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error("the environment variable \"{name}\" cannot be set")]
    Variable { name: String },
}

impl ProgramError {
    /// Returns the same for a program, where it has words for it.
    pub(crate) fn cause(&self) -> Option<Cause> {
        match self {
            Self::Launch(error) => Some(error.cause()),
            Self::Variable { .. } => None,
        }
    }
}

/// What a pane is asked to run.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    /// Empty for the person's shell.
    pub(crate) command: &'a [String],
    pub(crate) cwd: Option<&'a str>,
    pub(crate) env: &'a [EnvironmentVariable],
    pub(crate) place: PlaceOf<'a>,
    pub(crate) home: &'a Path,
}

/// Where a pane is, as its program is told.
#[derive(Debug)]
pub(crate) struct PlaceOf<'a> {
    pub(crate) surface: SurfaceId,
    pub(crate) workspace: WorkspaceId,
    pub(crate) socket: &'a Path,
}

impl PlaceOf<'_> {
    /// Returns the variables that a program on a terminal of ours finds.
    fn variables(&self) -> [(String, String); 5] {
        [
            ("TERM", "xterm-256color".to_owned()),
            ("COLORTERM", "truecolor".to_owned()),
            ("PUPITRE_SOCKET_PATH", self.socket.display().to_string()),
            ("PUPITRE_SURFACE_ID", self.surface.to_string()),
            ("PUPITRE_WORKSPACE_ID", self.workspace.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
    }
}

impl PaneProgram {
    /// Finds the program and makes its environment.
    ///
    /// # Errors
    ///
    /// When the program or the folder is not there.
    pub(crate) fn find(wanted: &Wanted<'_>) -> Result<Self, ProgramError> {
        let folder: PathBuf = working_folder(wanted.cwd, wanted.home);
        let mut env = crate::process::own_environment();
        env.retain(|name, _| !misleads(name));
        for EnvironmentVariable { name, value } in wanted.env {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                return Err(ProgramError::Variable { name: name.clone() });
            }
            env.insert(name.clone(), value.clone());
        }
        env.extend(wanted.place.variables());
        let shell = env
            .get("SHELL")
            .filter(|shell| !shell.is_empty())
            .cloned()
            .unwrap_or_else(|| "/bin/sh".to_owned());
        let argv = match wanted.command {
            [] => vec![shell],
            command => command.to_vec(),
        };
        let program = Program::of_pane(argv, folder, env, wanted.home)?;
        Ok(Self { program })
    }

    /// Returns the program of a command that an agent has run for it. Nobody sits there to turn the pages of a pager.
    pub(crate) fn of_agent(mut program: Program, place: &PlaceOf<'_>) -> Self {
        let mut env: BTreeMap<String, String> = program.env.into_iter().collect();
        env.retain(|name, _| !misleads(name));
        for pager in ["PAGER", "GIT_PAGER"] {
            env.entry(pager.to_owned()).or_insert_with(|| "cat".to_owned());
        }
        env.extend(place.variables());
        program.env = env.into_iter().collect();
        Self { program }
    }

    /// Returns the command line, from which a name is derived.
    pub(crate) fn command_line(&self) -> String {
        self.program.argv.join(" ")
    }

    /// Returns what blots out the secrets that it was given.
    pub(super) fn secrets(&self) -> Redactor {
        let values = self.program.secrets.iter();
        let secrets = values.filter(|(_, secrecy)| *secrecy == Secrecy::Secret);
        Redactor::new(secrets.map(|(value, _)| value.as_str()))
    }

    pub(super) fn into_program(self) -> Program {
        self.program
    }
}
