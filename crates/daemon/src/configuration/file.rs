//! Which file is the configuration, and its first text.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use pupitre_model::config::first_file;
use pupitre_protocol::configuration::ConfigSource;

use super::ConfigurationError;
use super::machine::Machine;
use super::obstacle::{Standing, standing};
use super::recent::Recent;
use crate::ConfigChoice;

/// The file that a choice leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Absolute, as it was named.
    pub path: PathBuf,
    pub source: ConfigSource,
}

/// A file that is held from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) canonical: PathBuf,
    pub(crate) source: ConfigSource,
    pub(crate) created: bool,
}

/// Returns the file that counts: the one that was chosen, else the last one opened in the program while it is still
/// there, else the default one.
pub fn discover(choice: &ConfigChoice, state_folder: &Path) -> Found {
    let path = choice.path.clone();
    let source = match choice.source {
        crate::ConfigSource::Flag => ConfigSource::Flag,
        crate::ConfigSource::Environment => ConfigSource::Environment,
        crate::ConfigSource::Default => {
            return match Recent::in_folder(state_folder)
                .last()
                .filter(|path| path.is_file())
            {
                Some(path) => Found {
                    path,
                    source: ConfigSource::Recent,
                },
                None => Found {
                    path,
                    source: ConfigSource::Default,
                },
            };
        }
    };
    Found { path, source }
}

/// Takes up the file that was found; the default one is made when it is not there.
pub(crate) fn open(found: Found, machine: &Machine) -> Result<Opened, ConfigurationError> {
    let Found { path, source } = found;
    let missing = |named_by| ConfigurationError::Missing {
        path: path.clone(),
        named_by,
    };
    let created = match (standing(&path), source) {
        (Standing::File, _) => false,
        (Standing::Obstructed(obstacle), _) => return Err(obstacle.into()),
        (Standing::Absent, ConfigSource::Flag) => return Err(missing("--config")),
        (Standing::Absent, ConfigSource::Environment) => return Err(missing("PUPITRE_CONFIG")),
        (Standing::Absent, ConfigSource::Recent) => return Err(missing("the list of recent files")),
        (Standing::Absent, ConfigSource::Default) => {
            create(&path, machine)?;
            true
        }
    };
    let canonical = path.canonicalize().map_err(|source| ConfigurationError::System {
        path: path.clone(),
        source,
    })?;
    Ok(Opened {
        canonical,
        path,
        source,
        created,
    })
}

/// Makes a first file, with the demo agent and every known agent on `PATH`.
///
/// # Errors
///
/// When it cannot be written, or something is there already.
pub fn create(path: &Path, machine: &Machine) -> Result<(), ConfigurationError> {
    let make = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let text = first_file(machine.known_agents());
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        // Keys may be written into it.
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path)?.write_all(text.as_bytes())
    };
    make().map_err(|source| ConfigurationError::System {
        path: path.to_owned(),
        source,
    })
}
