//! Reading the configuration file at the start.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pupitre_model::config::{Config, Facts, Reading, first_file};

use crate::{ConfigChoice, ConfigSource};

/// What the configuration file gave.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The file, with links resolved.
    pub(crate) path: PathBuf,
    pub(crate) config: Config,
    /// What is wrong with the file; then the configuration is the default without any agent.
    pub(crate) error: Option<String>,
}

/// Why there is no configuration file to hold.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationError {
    #[error("the configuration file {}, which {named_by} names, does not exist", path.display())]
    Missing { path: PathBuf, named_by: &'static str },
    #[error("the configuration file {}: {source}", path.display())]
    System { path: PathBuf, source: io::Error },
}

/// Reads the chosen file; the default one is made when it is not there.
pub(crate) fn load(choice: &ConfigChoice, executable: &Path) -> Result<Loaded, ConfigurationError> {
    let path = &choice.path;
    let system = |source| ConfigurationError::System {
        path: path.clone(),
        source,
    };
    let missing = |named_by| ConfigurationError::Missing {
        path: path.clone(),
        named_by,
    };
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => match choice.source {
            ConfigSource::Flag => return Err(missing("--config")),
            ConfigSource::Environment => return Err(missing("PUPITRE_CONFIG")),
            ConfigSource::Default => create(path).map_err(system)?,
        },
        Err(error) => return Err(system(error)),
    };
    let path = path.canonicalize().map_err(system)?;
    let verdict = Reading::of_bytes(&bytes, &executable.display().to_string()).verdict(&Facts::default());
    let error = verdict
        .problems
        .iter()
        .find(|problem| !problem.warning)
        .map(|problem| {
            format!(
                "line {}, column {}: {}",
                problem.line, problem.column, problem.message
            )
        });
    let config = verdict.config.unwrap_or_default();
    Ok(Loaded { path, config, error })
}

fn create(path: &Path) -> io::Result<Vec<u8>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let text = first_file([]).into_bytes();
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)?
        .write_all(&text)?;
    Ok(text)
}
