//! The daemon's log: a file that is rotated every day, and stderr when the daemon runs in the foreground.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use crate::LogTarget;

/// How many days' logs are kept.
const KEPT_FILES: usize = 7;
/// The variable that says what is logged: a level, or targets with their levels, with commas between them.
const FILTER_VARIABLE: &str = "PUPITRE_LOG";
/// What is logged when nothing is said, or nothing that can be read.
const LEVEL: LevelFilter = LevelFilter::INFO;

/// Begins to log, and returns the folder of the log files.
///
/// # Errors
///
/// When the folder or the file cannot be made.
pub(crate) fn begin(state_folder: &Path, target: LogTarget) -> io::Result<PathBuf> {
    let folder = state_folder.join("log");
    std::fs::create_dir_all(&folder)?;
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("pupitre")
        .filename_suffix("log")
        .max_log_files(KEPT_FILES)
        .build(&folder)
        .map_err(io::Error::other)?;
    let file = fmt::layer()
        .with_ansi(false)
        .with_writer(appender)
        .with_filter(filter());
    let stderr = match target {
        LogTarget::StderrAndFile => Some(
            fmt::layer()
                .with_ansi(has_colours())
                .with_writer(io::stderr)
                .with_filter(filter()),
        ),
        LogTarget::File => None,
    };
    // A second daemon in one process (as in tests) goes on with the log of the first.
    if tracing_subscriber::registry()
        .with(file)
        .with(stderr)
        .try_init()
        .is_err()
    {
        tracing::debug!("the log had begun before");
    }
    Ok(folder)
}

fn filter() -> Targets {
    let said = std::env::var(FILTER_VARIABLE).unwrap_or_default();
    match said.parse() {
        Ok(targets) if !said.trim().is_empty() => targets,
        Ok(_) | Err(_) => Targets::new().with_default(LEVEL),
    }
}

/// Colours are for people: not in a pipe or a file, and not when they are unwanted (no-color.org).
fn has_colours() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
