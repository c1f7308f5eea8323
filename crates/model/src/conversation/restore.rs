//! Taking up a conversation from storage, and putting together again what was cut.

use pupitre_protocol::conversation::{Message, Part, Role, Usage};
use pupitre_protocol::{AgentName, Cause, ConversationId};

use super::held::Held;
use super::{Conversation, Stamps, WholeField};
use crate::reason::Reason;

/// A conversation as storage has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    pub id: ConversationId,
    pub agent: AgentName,
    pub cwd: String,
    pub title: Option<String>,
    pub created_at: u64,
    pub rev: u64,
    pub total: u64,
    pub usage: Option<Usage>,
    /// The newest messages, oldest first.
    pub newest: Vec<Message>,
}

/// What stands in an answer that the daemon's end cut off.
const CUT_OFF: &str = "the daemon ended while this answer was coming in; what had come is above";
/// What stands in a message that was still queued when the daemon ended.
const NOT_SENT: &str = "not sent: the daemon ended before its turn came";

impl Conversation {
    /// Takes up a stored conversation. What was under way when the daemon ended says so.
    pub fn restore(stored: Stored, stamps: &mut dyn Stamps) -> Self {
        let mut conversation = Self::empty(stored.agent, stored.id, stored.cwd, stored.created_at);
        conversation.title = stored.title;
        conversation.rev = stored.rev;
        conversation.total = stored.total;
        conversation.usage = stored.usage;
        conversation.held = stored.newest.into_iter().map(Held::new).collect();
        conversation.end_what_was_cut_off(stamps);
        conversation
    }

    fn end_what_was_cut_off(&mut self, stamps: &mut dyn Stamps) {
        let queued: Vec<_> = self
            .held
            .iter()
            .filter(|held| held.message.queued)
            .map(|held| held.message.id)
            .collect();
        for id in queued {
            self.amend(id, |message| {
                message.queued = false;
                message.error = Some(NOT_SENT.to_owned());
                message.cause = Some(Cause::DaemonEnded);
            });
        }
        let open: Vec<_> = self
            .held
            .iter()
            .filter(|held| !held.message.done)
            .map(|held| held.message.id)
            .collect();
        for id in &open {
            self.finish(*id, Err(Reason::new(CUT_OFF, Cause::DaemonEnded)));
        }
        if open.is_empty()
            && let Some(turn) = self.turn_without_end()
        {
            let mut message = self.draft(Role::Agent, stamps);
            message.turn = Some(turn);
            message.error = Some(CUT_OFF.to_owned());
            message.cause = Some(Cause::DaemonEnded);
            self.add(message);
        }
    }

    /// Returns the last user message when nothing ended its turn: the answer had not begun.
    fn turn_without_end(&self) -> Option<pupitre_protocol::MessageId> {
        let asked = self
            .held
            .iter()
            .rev()
            .map(|held| &held.message)
            .find(|m| m.role == Role::User && m.error.is_none())?;
        let ended = self.held.iter().map(|held| &held.message).any(|m| {
            m.role != Role::User && m.turn == Some(asked.id) && (m.stop_reason.is_some() || m.error.is_some())
        });
        (!ended).then_some(asked.id)
    }
}

/// Puts the whole of each field that was cut back into a part.
pub fn compose(mut part: Part, wholes: Vec<(WholeField, String)>) -> Part {
    for (field, whole) in wholes {
        match (&mut part, field) {
            (Part::Tool { tool }, WholeField::ToolInput) => tool.input = Some(whole),
            (Part::Tool { tool }, WholeField::ToolOutput) => tool.output = Some(whole),
            (Part::Tool { tool }, WholeField::ToolDiffs) => {
                if let Ok(diffs) = serde_json::from_str(&whole) {
                    tool.diffs = diffs;
                }
            }
            (Part::Image { image }, WholeField::MediaData) => image.data = whole,
            (Part::Resource { resource }, WholeField::ResourceText) => resource.text = Some(whole),
            // A field of another kind of part: the row belongs to a part that was replaced since.
            (_, _) => continue,
        }
        match &mut part {
            Part::Tool { tool } => tool.truncated = false,
            Part::Image { image } => image.truncated = false,
            Part::Resource { resource } => resource.truncated = false,
            Part::Text { .. } | Part::Thought { .. } | Part::Plan { .. } => {}
        }
    }
    part
}
