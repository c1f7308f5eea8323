//! What a recording says that a client can see, turn by turn, beyond what the recording tells itself.

use pupitre_testkit::transcript::{Step, Transcript};
use serde_json::Value;

use crate::support::Desk;

/// A recording, and the texts of its turns.
pub(super) struct Recording {
    pub(super) transcript: Transcript,
    turns: Vec<Texts>,
}

#[derive(Default)]
struct Texts {
    /// Everything that was said between the prompt and the next one: what comes after the answer to the prompt still
    /// belongs to the turn.
    all: String,
    before_cancel: Option<String>,
}

impl Recording {
    pub(super) fn new(transcript: Transcript) -> Self {
        let mut turns: Vec<Texts> = Vec::new();
        for step in &transcript.steps {
            match step {
                Step::Client(message) if message["method"] == "session/prompt" => {
                    turns.push(Texts::default())
                }
                Step::Client(message) if message["method"] == "session/cancel" => {
                    let turn = turns.last_mut().expect("a cancel follows a prompt");
                    turn.before_cancel = Some(turn.all.clone());
                }
                Step::Agent(line) => {
                    let message: Value = serde_json::from_str(line.get()).unwrap();
                    let update = &message["params"]["update"];
                    let text = update["content"]["text"].as_str().unwrap_or_default();
                    if let Some(turn) = turns.last_mut()
                        && message["method"] == "session/update"
                        && update["sessionUpdate"] == "agent_message_chunk"
                    {
                        turn.all += text;
                    }
                }
                // What is said behind the end nobody hears.
                Step::End(_) => break,
                Step::Client(_) | Step::Stray(_) | Step::Stderr(_) => {}
            }
        }
        Self { transcript, turns }
    }

    /// Returns all text of a turn, as the replay says it on this desk.
    pub(super) fn text(&self, turn: usize, desk: &Desk) -> String {
        expanded(&self.turns[turn].all, desk)
    }

    /// Returns what was said in a turn before the recorded client cancelled it.
    pub(super) fn text_before_cancel(&self, turn: usize, desk: &Desk) -> String {
        expanded(
            self.turns[turn].before_cancel.as_deref().unwrap_or_default(),
            desk,
        )
    }
}

/// Agents work in their home when nothing else is said.
fn expanded(text: &str, desk: &Desk) -> String {
    let home = desk.path("home").display().to_string();
    expand_big(&text.replace("${CWD}", &home).replace("${HOME}", &home))
}

/// `${BIG:n}` stands for n letters.
fn expand_big(text: &str) -> String {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${BIG:") {
        let (count, after) = behind.split_once('}').expect("a placeholder ends");
        expanded += before;
        expanded += &"x".repeat(count.parse().expect("a number of letters"));
        rest = after;
    }
    expanded + rest
}
