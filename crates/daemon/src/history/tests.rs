//! The history from the outside: what was recorded is what is read, whatever happened in between.

mod cost;
mod deleting;
mod failure;
mod file;
mod keeping;
mod listing;
mod round_trip;

use std::thread::JoinHandle;

use pupitre_model::conversation::{Conversation, Stamps, ToolPatch, TurnEnd, Update, Voice};
use pupitre_protocol::conversation::{Message, StopReason};
use rusqlite::Connection;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::*;

const CONFIG: &str = "/home/somebody/pupitre.toml";

/// Counts instead of looking at a clock.
#[derive(Debug, Clone)]
struct Counter(u64);

impl Stamps for Counter {
    fn now_ms(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }

    fn new_id(&mut self) -> Uuid {
        self.0 += 1;
        Uuid::from_u64_pair(self.0, 7)
    }
}

/// A history whose worker runs.
struct Running {
    history: History,
    thread: JoinHandle<()>,
}

impl Running {
    fn start(place: Place) -> Self {
        let (history, worker) = History::open(place).unwrap();
        Self {
            history,
            thread: std::thread::spawn(|| worker.run()),
        }
    }

    fn stop(self) {
        drop(self.history);
        self.thread.join().unwrap();
    }

    /// Records what changed in the conversation.
    fn record(&self, conversation: &mut Conversation) {
        let revisions = conversation.take_revisions();
        self.history.record(Header::of(conversation), revisions);
    }

    /// Looks at the worker's own connection, between its jobs.
    async fn inspect<T: Send + 'static>(
        &self,
        look: impl FnOnce(&mut Connection) -> T + Send + 'static,
    ) -> T {
        let (respond, answer) = oneshot::channel();
        let inspect = move |connection: &mut Connection| assert!(respond.send(look(connection)).is_ok());
        assert!(self.history.jobs.send(Job::Inspect(Box::new(inspect))).is_ok());
        answer.await.unwrap()
    }
}

fn agent(name: &str) -> AgentName {
    name.parse().unwrap()
}

fn conversation(stamps: &mut Counter) -> Conversation {
    Conversation::new(agent("demo"), "/home/somebody/work".into(), stamps)
}

fn say(conversation: &mut Conversation, text: &str, stamps: &mut Counter) {
    let update = Update::Text {
        voice: Voice::Answer,
        message_id: None,
        text: text.into(),
    };
    conversation.update(update, stamps);
}

fn tool_output(conversation: &mut Conversation, id: &str, output: String, stamps: &mut Counter) {
    let patch = ToolPatch {
        id: id.into(),
        output: Some(output),
        ..ToolPatch::default()
    };
    conversation.update(Update::Tool(patch), stamps);
}

/// One whole turn with a short answer.
fn exchange(conversation: &mut Conversation, question: &str, answer: &str, stamps: &mut Counter) {
    conversation.send(question.into(), Vec::new(), stamps).unwrap();
    conversation.prompt_sent();
    say(conversation, answer, stamps);
    conversation.end_turn(TurnEnd::Stopped(StopReason::EndTurn), stamps);
}

/// Returns everything the conversation holds, oldest first.
fn held(conversation: &Conversation) -> Vec<Message> {
    let mut messages = Vec::new();
    loop {
        let (page, _) = conversation.held_page(messages.first().map(|message: &Message| message.id), 100);
        if page.messages.is_empty() {
            return messages;
        }
        messages.splice(0..0, page.messages);
    }
}

/// Returns everything the history has of the conversation, read page by page.
async fn kept(history: &History, id: ConversationId, limit: usize) -> Vec<Message> {
    let mut messages = Vec::new();
    loop {
        let before = messages.first().map(|message: &Message| message.id);
        let page = history.page(id, before, limit).await.unwrap();
        assert!(page.messages.len() <= limit);
        if page.messages.is_empty() {
            return messages;
        }
        messages.splice(0..0, page.messages);
    }
}

/// Returns a part as its windows together give it.
async fn whole_part(history: &History, message: MessageId, index: u32) -> String {
    let mut json = String::new();
    let mut next = Some(0);
    while let Some(offset) = next {
        let reply = history.part(message, index, offset).await.unwrap().unwrap();
        assert!(reply.json.len() <= pupitre_protocol::limits::PART_WINDOW_BYTES);
        json.push_str(&reply.json);
        assert_eq!(reply.next.is_none(), json.len() as u64 == reply.bytes);
        next = reply.next;
    }
    json
}
