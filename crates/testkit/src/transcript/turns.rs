//! What a recording holds, told from the side of a client: how the session opened, what each turn was asked, what
//! the recording client did in it, and how it ended. A test drives a client of ours with this.

use serde::Deserialize;
use serde_json::Value;

use super::{Ending, Step, Transcript};

/// How far the recording came before its first turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    Ready {
        session_id: String,
    },
    /// The agent left before it answered `initialize`.
    NoHandshake,
    SessionRefused {
        code: i64,
    },
}

/// One `session/prompt` and all that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedTurn {
    /// Updates between the answer before (to `session/new` or to a prompt) and this prompt.
    pub updates_before: usize,
    pub prompt: String,
    /// In the order in which the agent asked.
    pub permissions: Vec<PermissionAnswer>,
    pub cancel: Option<CancelPoint>,
    /// Joined text of the `agent_message_chunk` updates.
    pub text: String,
    /// Number of `session/update` notifications between the prompt and its end.
    pub updates: usize,
    pub outcome: TurnOutcome,
}

/// What the recording client answered to a permission request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermissionAnswer {
    /// `kind` as the agent wrote it beside the option.
    Selected {
        option_id: String,
        kind: String,
    },
    Cancelled,
}

/// When the recording client sent `session/cancel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CancelPoint {
    /// Updates of this turn seen before.
    pub after_updates: usize,
    /// Permission requests of this turn seen before; the last of them may be unanswered.
    pub after_permissions: usize,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnOutcome {
    Stopped {
        reason: String,
    },
    Failed {
        code: i64,
        message: String,
    },
    /// The recording ended first.
    Open,
}

impl Transcript {
    /// Returns how far the recording came before its first turn.
    pub fn opening(&self) -> Opening {
        let mut new_session = None;
        let mut handshake = false;
        for step in &self.steps {
            match step {
                Step::Client(message) if message["method"] == "session/new" => {
                    new_session = Some(message["id"].clone());
                }
                Step::Agent(line) => {
                    let message = value(line.get());
                    if message.get("method").is_some() {
                        continue;
                    }
                    match &new_session {
                        None => handshake = true,
                        Some(id) if message["id"] == *id => {
                            return match message["result"]["sessionId"].as_str() {
                                Some(session_id) => Opening::Ready {
                                    session_id: session_id.to_owned(),
                                },
                                None => Opening::SessionRefused {
                                    code: message["error"]["code"].as_i64().unwrap_or_default(),
                                },
                            };
                        }
                        Some(_) => {}
                    }
                }
                Step::Client(_) | Step::Stray(_) | Step::Stderr(_) | Step::End(_) => {}
            }
        }
        assert!(
            !handshake,
            "transcript {}.{} has no session",
            self.agent, self.scenario
        );
        Opening::NoHandshake
    }

    /// Returns the turns of the recording, in order.
    pub fn turns(&self) -> Vec<RecordedTurn> {
        let mut turns: Vec<(Value, RecordedTurn)> = Vec::new();
        let mut asked: Vec<(Value, Vec<OfferedOption>)> = Vec::new();
        let mut idle_updates = 0;
        for step in &self.steps {
            match step {
                Step::Client(message) if message["method"] == "session/prompt" => {
                    let prompt = message["params"]["prompt"][0]["text"]
                        .as_str()
                        .unwrap_or_default();
                    turns.push((
                        message["id"].clone(),
                        RecordedTurn {
                            updates_before: std::mem::take(&mut idle_updates),
                            prompt: prompt.to_owned(),
                            permissions: Vec::new(),
                            cancel: None,
                            text: String::new(),
                            updates: 0,
                            outcome: TurnOutcome::Open,
                        },
                    ));
                    asked.clear();
                }
                Step::Client(message) => {
                    let Some((_, turn)) = turns.last_mut() else {
                        continue;
                    };
                    if message["method"] == "session/cancel" {
                        turn.cancel = Some(CancelPoint {
                            after_updates: turn.updates,
                            after_permissions: asked.len(),
                        });
                    } else if let Some((_, options)) = asked.iter().find(|(id, _)| *id == message["id"]) {
                        turn.permissions.push(PermissionAnswer::read(message, options));
                    }
                }
                Step::Agent(line) => {
                    let message = value(line.get());
                    let is_idle = turns
                        .last()
                        .is_none_or(|(_, turn)| turn.outcome != TurnOutcome::Open);
                    if is_idle {
                        match message["method"].as_str() {
                            Some("session/update") => idle_updates += 1,
                            // What came before the answer to `session/new` is not between it and the prompt.
                            None => idle_updates = 0,
                            Some(_) => {}
                        }
                    }
                    let Some((prompt_id, turn)) = turns.last_mut() else {
                        continue;
                    };
                    match message["method"].as_str() {
                        Some("session/update") if turn.outcome == TurnOutcome::Open => {
                            turn.updates += 1;
                            let update = &message["params"]["update"];
                            if update["sessionUpdate"] == "agent_message_chunk" {
                                turn.text += update["content"]["text"].as_str().unwrap_or_default();
                            }
                        }
                        Some("session/request_permission") => {
                            let options = OfferedOption::read(&message["params"]["options"]);
                            asked.push((message["id"].clone(), options));
                        }
                        Some(_) => {}
                        None if message["id"] == *prompt_id => turn.outcome = TurnOutcome::read(&message),
                        None => {}
                    }
                }
                Step::End(_) => break,
                Step::Stray(_) | Step::Stderr(_) => {}
            }
        }
        turns.into_iter().map(|(_, turn)| turn).collect()
    }

    /// Returns how the recording ended.
    pub fn ending(&self) -> Ending {
        let ending = self.steps.iter().find_map(|step| match step {
            Step::End(ending) => Some(*ending),
            Step::Client(_) | Step::Agent(_) | Step::Stray(_) | Step::Stderr(_) => None,
        });
        ending.expect("every transcript in the fixtures says how it ended; a test reads them all")
    }
}

/// An option as an agent offers it with a permission request.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OfferedOption {
    pub(crate) option_id: String,
    #[serde(default)]
    pub(crate) kind: String,
}

impl OfferedOption {
    pub(crate) fn read(options: &Value) -> Vec<Self> {
        let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
        options
            .iter()
            .filter_map(|option| Self::deserialize(option).ok())
            .collect()
    }
}

impl PermissionAnswer {
    fn read(message: &Value, options: &[OfferedOption]) -> Self {
        let Some(option_id) = message["result"]["outcome"]["optionId"].as_str() else {
            return Self::Cancelled;
        };
        let kind = options.iter().find(|option| option.option_id == option_id);
        Self::Selected {
            option_id: option_id.to_owned(),
            kind: kind.map(|option| option.kind.clone()).unwrap_or_default(),
        }
    }
}

impl TurnOutcome {
    fn read(message: &Value) -> Self {
        match message["result"]["stopReason"].as_str() {
            Some(reason) => Self::Stopped {
                reason: reason.to_owned(),
            },
            None => Self::Failed {
                code: message["error"]["code"].as_i64().unwrap_or_default(),
                message: message["error"]["message"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
            },
        }
    }
}

fn value(line: &str) -> Value {
    serde_json::from_str(line).expect("a raw value was read from valid JSON")
}
