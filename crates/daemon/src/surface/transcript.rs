//! A conversation as lines of text: what `read`, `search` and `wait` see of it.

use pupitre_model::conversation::Page;
use pupitre_protocol::conversation::{
    ConversationView, Message, Part, Role, StopReason, ToolCall, ToolStatus,
};
use pupitre_protocol::{ErrorKind, MessageId, RpcError};

use super::mark::Place;
use crate::agent::{AgentHandle, AgentRequest, PageRequest};
use crate::history::History;

/// The newest messages of a conversation as text.
#[derive(Debug, Clone)]
pub(crate) struct Transcript {
    pub(crate) text: String,
    /// Where each message begins in the text.
    begins: Vec<(MessageId, usize)>,
    /// There are no older messages.
    pub(crate) is_whole: bool,
    conversation: pupitre_protocol::ConversationId,
}

impl Transcript {
    fn new(view: &ConversationView) -> Self {
        let mut text = String::new();
        let mut begins = Vec::new();
        for message in &view.messages {
            if !text.is_empty() {
                text.push('\n');
            }
            begins.push((message.id, text.len()));
            write_message(message, &mut text);
        }
        while text.ends_with('\n') {
            text.pop();
        }
        Self {
            text,
            begins,
            is_whole: !view.truncated,
            conversation: view.conversation,
        }
    }

    /// Returns where the conversation stands; `None` while it is empty.
    pub(crate) fn place(&self) -> Option<Place> {
        let (message, begin) = self.begins.last()?;
        Some(Place {
            conversation: self.conversation,
            message: *message,
            bytes: self.text.len().saturating_sub(*begin),
        })
    }

    /// Returns what came after a place, and whether something of it is missing here.
    pub(crate) fn after(&self, place: Option<Place>) -> (&str, Missing) {
        let Some(place) = place.filter(|place| place.conversation == self.conversation) else {
            // It is another conversation since, or the mark was made before the first message: all of it came after.
            let missing = if self.is_whole {
                Missing::Nothing
            } else {
                Missing::Some
            };
            return (&self.text, missing);
        };
        match self.begins.iter().find(|(id, _)| *id == place.message) {
            Some((_, begin)) => {
                let begin = (begin + place.bytes).min(self.text.len());
                let after = &self.text[self.text.ceil_char_boundary(begin)..];
                (after.trim_start_matches('\n'), Missing::Nothing)
            }
            None => (&self.text, Missing::Some),
        }
    }
}

/// Whether something that was asked for is not there any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Nothing,
    Some,
}

/// Reads the newest messages of an agent's current conversation, at most `messages` of them.
///
/// # Errors
///
/// When the agent's task has failed or storage cannot be read.
pub(crate) async fn read_transcript(
    agent: &AgentHandle,
    history: &History,
    messages: usize,
) -> Result<Transcript, RpcError> {
    let page = PageRequest {
        before: None,
        limit: messages,
    };
    let held = agent
        .ask(|respond| AgentRequest::Conversation(page, respond))
        .await?;
    let mut view = held.view;
    if held.missing > 0 {
        let older = history
            .page(view.conversation, held.missing_before, held.missing)
            .await
            .map_err(|error| RpcError::new(ErrorKind::HistoryUnavailable, error.to_string()))?;
        let newer = Page {
            messages: view.messages,
            truncated: view.truncated,
        };
        let page = newer.with_older(older);
        (view.messages, view.truncated) = (page.messages, page.truncated);
    }
    Ok(Transcript::new(&view))
}

fn write_message(message: &Message, text: &mut String) {
    match message.role {
        Role::User => {
            for part in &message.parts {
                let mut own = String::new();
                write_part(part, &mut own);
                for line in own.lines() {
                    text.push_str("> ");
                    text.push_str(line);
                    text.push('\n');
                }
            }
            if message.queued {
                text.push_str("[queued]\n");
            }
        }
        Role::Agent => {
            for part in &message.parts {
                write_part(part, text);
            }
        }
        Role::System => {
            text.push_str("[system] ");
            for part in &message.parts {
                write_part(part, text);
            }
            if !text.ends_with('\n') {
                text.push('\n');
            }
        }
    }
    if let Some(error) = &message.error {
        text.push_str(&format!("[error] {error}\n"));
    } else if let Some(StopReason::Cancelled) = message.stop_reason {
        text.push_str("[cancelled]\n");
    }
}

fn write_part(part: &Part, text: &mut String) {
    match part {
        Part::Text { text: said } => {
            text.push_str(said);
            if !said.ends_with('\n') {
                text.push('\n');
            }
        }
        // Reasoning is folded away for people, too.
        Part::Thought { .. } => {}
        Part::Tool { tool } => write_tool(tool, text),
        Part::Plan { entries } => {
            for entry in entries {
                let mark = match entry.status.as_str() {
                    "completed" => "x",
                    "in_progress" => ">",
                    // Pending, or a word of the agent's own.
                    _ => " ",
                };
                text.push_str(&format!("[{mark}] {}\n", entry.content));
            }
        }
        Part::Image { image } => text.push_str(&format!("[image {}]\n", image.mime_type)),
        Part::Resource { resource } => text.push_str(&format!("[file {}]\n", resource.uri)),
    }
}

fn write_tool(tool: &ToolCall, text: &mut String) {
    let status = match tool.status {
        _ if tool.cancelled => "cancelled",
        ToolStatus::Pending => "pending",
        ToolStatus::InProgress => "running",
        ToolStatus::Completed => "done",
        ToolStatus::Failed => "failed",
    };
    text.push_str(&format!("[tool, {status}] {}\n", tool.title.replace('\n', " ")));
}
