//! `pupitre new`, `ls`, `read` and the other verbs of surfaces: panes, and the conversations of agents.

pub(crate) mod arrange;
#[cfg(unix)]
pub(crate) mod attach;
pub(crate) mod look;
pub(crate) mod wait;

use std::time::Duration;

/// Reads a number of seconds, which may have a fraction.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| format!("\"{text}\" is no number of seconds"))?;
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| format!("\"{text}\" is no number of seconds that can pass"))
}

/// Returns a time in milliseconds, as the daemon takes it.
fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
