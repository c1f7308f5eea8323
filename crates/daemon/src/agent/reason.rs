//! Why an agent does not run, for people and for programs.

use pupitre_model::reason::Reason;
use pupitre_protocol::Cause;

use crate::process::{LaunchError, exit_reason, signal_name};

/// Returns why an agent cannot be started.
pub(super) fn of_launch(error: &LaunchError) -> Reason {
    Reason::new(error.to_string(), error.cause())
}

/// Returns how an agent's process ended.
pub(super) fn of_exit(code: Option<i32>, signal: Option<i32>) -> Reason {
    let words = exit_reason(code, signal);
    match (code, signal) {
        (_, Some(signal)) => {
            let name = signal_name(signal).map(str::to_owned);
            Reason::new(words, Cause::Killed { signal, name })
        }
        (Some(code), None) => Reason::new(words, Cause::Exited { code }),
        (None, None) => Reason::new(words, Cause::Ended),
    }
}

/// Returns why the connection to an agent was ended.
pub(super) fn of_connection(error: &dyn std::error::Error) -> Reason {
    let said = error.to_string();
    Reason::new(
        format!("the connection was ended: {said}"),
        Cause::ConnectionEnded { said },
    )
}
