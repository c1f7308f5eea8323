//! Plays a script: one odd agent in a few lines. `parse` knows the verbs; `fixtures/acp-odd/README.md` lists them
//! for whoever writes one.

mod parse;
mod perform;

use std::path::{Path, PathBuf};

use super::report;

pub use parse::{Command, Expected, ParseError, parse};

#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("cannot read script {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("script {}: {source}", path.display())]
    Parse { path: PathBuf, source: ParseError },
}

/// Returns the commands of the script in `path`.
pub fn load(path: &Path) -> Result<Vec<Command>, ScriptError> {
    let text = std::fs::read_to_string(path).map_err(|source| ScriptError::Read {
        path: path.to_owned(),
        source,
    })?;
    parse(&text).map_err(|source| ScriptError::Parse {
        path: path.to_owned(),
        source,
    })
}

/// Performs `commands` over stdin and stdout and ends the process.
pub fn run(commands: &[Command]) -> ! {
    match perform::perform(commands) {
        Ok(perform::End::Exit(code)) => {
            report::accept();
            std::process::exit(code)
        }
        Ok(perform::End::Parked) => {
            report::accept();
            super::replay::park()
        }
        Err(divergence) => report::reject(&divergence),
    }
}
