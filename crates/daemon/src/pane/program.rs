//! The program of a pane: a command, a terminal agent or the person's shell, with the environment of a terminal.

use std::path::{Path, PathBuf};

use pupitre_model::environment::misleads;
use pupitre_protocol::surface::EnvironmentVariable;
use pupitre_protocol::{SurfaceId, WorkspaceId};

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

/// What a pane is asked to run.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    /// Empty for the person's shell.
    pub(crate) command: &'a [String],
    pub(crate) cwd: Option<&'a str>,
    pub(crate) env: &'a [EnvironmentVariable],
    pub(crate) surface: SurfaceId,
    pub(crate) workspace: WorkspaceId,
    pub(crate) socket: &'a Path,
    pub(crate) home: &'a Path,
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
        for (name, value) in [
            ("TERM", "xterm-256color".to_owned()),
            ("COLORTERM", "truecolor".to_owned()),
            ("PUPITRE_SOCKET_PATH", wanted.socket.display().to_string()),
            ("PUPITRE_SURFACE_ID", wanted.surface.to_string()),
            ("PUPITRE_WORKSPACE_ID", wanted.workspace.to_string()),
        ] {
            env.insert(name.to_owned(), value);
        }
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

    /// Returns the command line, from which a name is derived.
    pub(crate) fn command_line(&self) -> String {
        self.program.argv.join(" ")
    }

    pub(super) fn into_program(self) -> Program {
        self.program
    }
}
