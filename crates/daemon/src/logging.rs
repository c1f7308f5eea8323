//! The daemon's log: a file that is rotated every day, and stderr when the daemon runs in the foreground.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use crate::LogTarget;

/// How many days' logs are kept.
const KEPT_FILES: usize = 7;
/// The variable that says what is logged, in the syntax of `tracing`'s filters.
const FILTER_VARIABLE: &str = "PUPITRE_LOG";
/// What is logged when nothing is said.
const FILTER: &str = "info";

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
    let filter = || EnvFilter::try_from_env(FILTER_VARIABLE).unwrap_or_else(|_| EnvFilter::new(FILTER));
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

/// Colours are for people: not in a pipe or a file, and not when they are unwanted (no-color.org).
fn has_colours() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
