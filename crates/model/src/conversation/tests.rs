//! The rules of conversations, each shown once, and what holds whatever comes.

mod asking;
mod bounds;
mod fold;
mod operation;
mod replay;
mod restore;
mod standing;
mod turn;
mod whole;

use pupitre_protocol::conversation::{Message, Part, PermissionOption, StopReason, ToolCall, ToolStatus};
use pupitre_protocol::{MessageId, PermissionId};
use uuid::Uuid;

use super::{Conversation, Prompt, Revision, Stamps, ToolPatch, TurnEnd, Update, Voice};

/// Counts ids and milliseconds.
#[derive(Debug, Default)]
struct Counted {
    ids: u128,
    now_ms: u64,
}

impl Stamps for Counted {
    fn now_ms(&mut self) -> u64 {
        self.now_ms += 1;
        self.now_ms
    }

    fn new_id(&mut self) -> Uuid {
        self.ids += 1;
        Uuid::from_u128(self.ids)
    }
}

/// A conversation with the clock that it needs.
#[derive(Debug)]
struct Scene {
    conversation: Conversation,
    stamps: Counted,
}

impl Scene {
    fn new() -> Self {
        let mut stamps = Counted::default();
        let agent = "demo".parse().expect("a name");
        let conversation = Conversation::new(agent, "/somewhere".into(), &mut stamps);
        Self { conversation, stamps }
    }

    /// A conversation whose first turn is running.
    fn in_turn() -> Self {
        let mut scene = Self::new();
        scene.send("a question");
        scene
    }

    fn send(&mut self, text: &str) -> (MessageId, Option<Prompt>) {
        let sent = self.send_later(text);
        if sent.1.is_some() {
            self.conversation.prompt_sent();
        }
        sent
    }

    /// Sends a message whose prompt the agent is not given yet.
    fn send_later(&mut self, text: &str) -> (MessageId, Option<Prompt>) {
        self.conversation
            .send(text.to_owned(), Vec::new(), &mut self.stamps)
            .expect("it can be sent")
    }

    /// Begins the turn of the next queued message, and gives the agent its prompt.
    fn next(&mut self) -> Option<Prompt> {
        let prompt = self.conversation.next_prompt();
        if prompt.is_some() {
            self.conversation.prompt_sent();
        }
        prompt
    }

    fn update(&mut self, update: Update) {
        self.conversation.update(update, &mut self.stamps);
    }

    fn say(&mut self, text: &str) {
        self.say_in(None, text);
    }

    fn say_in(&mut self, message_id: Option<&str>, text: &str) {
        self.update(Update::Text {
            voice: Voice::Answer,
            message_id: message_id.map(str::to_owned),
            text: text.to_owned(),
        });
    }

    fn think(&mut self, text: &str) {
        self.update(Update::Text {
            voice: Voice::Thought,
            message_id: None,
            text: text.to_owned(),
        });
    }

    fn announce(&mut self, id: &str, title: &str) {
        self.update(Update::ToolCall(ToolPatch {
            id: id.to_owned(),
            title: Some(title.to_owned()),
            ..ToolPatch::default()
        }));
    }

    fn set_status(&mut self, id: &str, status: ToolStatus) {
        self.update(Update::Tool(ToolPatch {
            id: id.to_owned(),
            status: Some(status),
            ..ToolPatch::default()
        }));
    }

    fn ask(&mut self, tool_id: &str) -> Option<PermissionId> {
        let options = ["allow_once", "reject_once"].map(|kind| PermissionOption {
            option_id: format!("to-{kind}"),
            name: kind.to_owned(),
            kind: kind.to_owned(),
        });
        let patch = ToolPatch {
            id: tool_id.to_owned(),
            ..ToolPatch::default()
        };
        self.conversation.ask(patch, options.into(), &mut self.stamps)
    }

    fn end(&mut self, end: TurnEnd) {
        self.conversation.end_turn(end, &mut self.stamps);
    }

    fn end_well(&mut self) {
        self.end(TurnEnd::Stopped(StopReason::EndTurn));
    }

    fn abandon(&mut self) {
        self.conversation.abandon_turn(&mut self.stamps);
    }

    fn messages(&self) -> Vec<Message> {
        let held = self.conversation.held.iter();
        held.map(|held| held.message.clone()).collect()
    }

    fn message(&self, id: MessageId) -> Message {
        self.messages()
            .into_iter()
            .find(|message| message.id == id)
            .expect("it is held")
    }

    fn last(&self) -> Message {
        self.messages().pop().expect("there is a message")
    }

    fn tool(&self, id: &str) -> ToolCall {
        self.messages()
            .into_iter()
            .rev()
            .flat_map(|message| message.parts)
            .find_map(|part| match part {
                Part::Tool { tool } if tool.id == id => Some(tool),
                _ => None,
            })
            .expect("there is such a tool call")
    }

    fn take(&mut self) -> Vec<Revision> {
        self.conversation.take_revisions()
    }
}

/// Returns a message as a line of words: who, its parts, and how it stands.
fn told(message: &Message) -> String {
    let mut words = vec![format!("{:?}", message.role).to_lowercase()];
    words.extend(message.parts.iter().map(|part| match part {
        Part::Text { text } => format!("\"{text}\""),
        Part::Thought { text } => format!("thought \"{text}\""),
        Part::Tool { tool } => format!("tool {} {:?}", tool.id, tool.status),
        Part::Plan { entries } => format!("plan of {}", entries.len()),
        Part::Image { .. } => "image".to_owned(),
        Part::Resource { .. } => "resource".to_owned(),
    }));
    if !message.done {
        words.push("open".into());
    }
    if message.queued {
        words.push("queued".into());
    }
    words.extend(message.stop_reason.map(|reason| format!("{reason:?}")));
    words.extend(message.error.as_ref().map(|error| format!("error: {error}")));
    words.extend(message.code.map(|code| format!("{code:?}")));
    words.join(" | ")
}

/// Compares all messages with their lines.
#[track_caller]
fn check(scene: &Scene, expected: &[&str]) {
    let lines: Vec<String> = scene.messages().iter().map(told).collect();
    assert_eq!(lines, expected);
}
