//! Why something ended, for a program that has words of its own.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::AgentName;

/// Why something ended. It stands beside the sentence that says the same and more, and is absent where only a sentence is
/// known, an agent's own words for example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Cause {
    /// Stop dropped the message before it was sent.
    Dropped,
    /// The message was taken back before it was sent.
    Withdrawn,
    /// The daemon ended meanwhile.
    DaemonEnded,
    /// The agent was stopped while it started.
    Stopped,
    /// The agent's process ended by itself.
    Exited { code: i32 },
    /// A signal ended the agent's process.
    Killed {
        signal: i32,
        /// `SIGKILL` for example, when it has a name.
        name: Option<String>,
    },
    /// The agent's command cannot be found, or not be run.
    NoCommand { command: String },
    /// Its working directory does not exist.
    NoFolder { folder: String },
    /// The agent did not answer `initialize`.
    NoHandshake {
        #[cfg_attr(test, ts(type = "number"))]
        seconds: u64,
    },
    /// As many agents run as may, and none of them makes room.
    TooManyAgents { busy: Vec<AgentName>, limit: u32 },
}

/// Reads a cause, or nothing when a newer peer sent one that is not known here: the sentence still tells.
pub(crate) fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cause>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

#[cfg(test)]
mod tests {
    use crate::agent::AgentState;
    use crate::event::AgentStateChanged;

    use super::*;

    #[test]
    fn a_cause_that_is_not_known_here_costs_nothing_else() {
        let read = |cause: &str| -> Option<Cause> {
            let json = format!(
                r#"{{"agent":"demo","state":"error","error":"gone","outdated":false,"stopping":false,"cause":{cause}}}"#
            );
            let changed: AgentStateChanged = serde_json::from_str(&json).expect("it is the payload");
            assert_eq!(changed.state, AgentState::Error);
            changed.cause
        };
        assert_eq!(
            read(r#"{"kind":"exited","code":3}"#),
            Some(Cause::Exited { code: 3 })
        );
        assert_eq!(read(r#"{"kind":"abducted","by":"aliens"}"#), None);
        assert_eq!(read("null"), None);
    }
}
