//! Why something ended or was refused, for a program that has words of its own.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::AgentName;

/// Why something ended or was refused. It stands beside the sentence that says the same and more, and is absent where only a sentence is
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
    /// A variable that the configuration refers to is not set for the daemon.
    NoVariable { variable: String },
    /// A variable that the configuration refers to is set for the daemon, and not handed on.
    VariableNotHandedOn { variable: String },
    /// The system could not start it.
    NotStarted {
        /// In the words of the system.
        error: String,
    },
    /// How the agent's process ended is not known.
    Ended,
    /// The agent's guard was ended from outside, and the agent with it.
    GuardEnded,
    /// The agent closed its output and said nothing more.
    OutputClosed,
    /// The connection to the agent was ended.
    ConnectionEnded {
        /// Why, in English.
        said: String,
    },
    /// The handshake failed: the agent refused it, speaks another version, or cannot be understood.
    HandshakeFailed {
        /// In the agent's words, or in English.
        said: String,
    },
    /// The agent opened no session.
    NoSession {
        /// In the agent's words, or in English.
        said: String,
    },
    /// The agent ended the turn without a reason that is known here.
    UnclearEnd,
    /// The agent's task in the daemon failed.
    TaskFailed,
    /// The login on the terminal did not end well.
    LoginEnded {
        code: Option<i32>,
        signal: Option<String>,
    },
    /// The file or folder cannot be read.
    NotReadable {
        path: String,
        /// In the words of the system, or in English.
        error: String,
    },
    /// The file cannot be written.
    NotWritable {
        path: String,
        /// In the words of the system.
        error: String,
    },
    /// The file does not exist.
    NoFile { path: String },
    /// A pane or a workspace cannot be called so.
    BadName {
        /// The most characters that a name may have.
        most: u32,
    },
    /// Another pane, workspace or agent is called so.
    NameTaken { name: String },
    /// There are as many workspaces as may be.
    TooManyWorkspaces { most: u32 },
}

/// Reads a cause or a kind, or nothing when a newer peer sent one that is not known here: the sentence still tells.
pub(crate) fn known<'de, D: Deserializer<'de>, C: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<C>, D::Error> {
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
