//! What a client is shown of a conversation.

use pupitre_protocol::MessageId;
use pupitre_protocol::conversation::{ConversationView, Message};
use pupitre_protocol::limits::REPLY_BYTES;

use super::Conversation;
use super::held::{Held, message_len};

/// Some messages of a conversation, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    pub messages: Vec<Message>,
    /// Fewer than asked for, since they would not fit into one reply.
    pub truncated: bool,
}

/// What the messages of one reply may weigh; all else in the reply has the other half.
const PAGE_BYTES: usize = REPLY_BYTES / 2;

impl Page {
    /// Returns as many messages as fit into one reply.
    pub fn of_newest_first(messages: impl Iterator<Item = Message>) -> Self {
        Self::within(messages, PAGE_BYTES)
    }

    fn within(newest_first: impl Iterator<Item = Message>, room: usize) -> Self {
        let mut taken = 0;
        let mut page = Self::default();
        for message in newest_first {
            taken += message_len(&message);
            if taken > room && !page.messages.is_empty() {
                page.truncated = true;
                break;
            }
            page.messages.push(message);
        }
        page.messages.reverse();
        page
    }

    /// Returns these messages with older ones from storage before them.
    #[must_use]
    pub fn with_older(self, older: Self) -> Self {
        let truncated = older.truncated;
        let newest_first = self
            .messages
            .into_iter()
            .rev()
            .chain(older.messages.into_iter().rev());
        let mut page = Self::of_newest_first(newest_first);
        page.truncated |= truncated;
        page
    }
}

impl Conversation {
    /// Returns everything a client needs to follow the conversation, with these messages.
    pub fn view(&self, page: Page) -> ConversationView {
        ConversationView {
            agent: self.agent.clone(),
            conversation: self.id,
            read_only: false,
            title: self.title.clone(),
            cwd: self.cwd.clone(),
            rev: self.rev,
            messages: page.messages,
            total: self.total,
            truncated: page.truncated,
            busy: self.is_busy(),
            stalled: self.stalled,
            queued: self.queued(),
            usage: self.usage.clone(),
            commands: self.commands.clone(),
            permissions: self.permissions.clone(),
            elicitations: self.elicitations.clone(),
            login: self.login.clone(),
            modes: self.modes.clone(),
            config_options: self.config_options.clone(),
        }
    }

    /// Returns the newest `limit` messages before `before` that are held, and how many of them only storage has.
    pub fn held_page(&self, before: Option<MessageId>, limit: usize) -> (Page, usize) {
        let count_before = |id: MessageId| self.held.partition_point(|held| held.message.id < id);
        let start = self.whole_from.map_or(0, count_before);
        let end = before.map_or(self.held.len(), count_before);
        let newest_first = self
            .held
            .iter()
            .take(end)
            .skip(start)
            .rev()
            .take(limit)
            .map(|held: &Held| held.message.clone());
        let page = Page::of_newest_first(newest_first);
        let has_older = self.total > (self.held.len() - start) as u64;
        let missing = if has_older && !page.truncated {
            limit.saturating_sub(page.messages.len())
        } else {
            0
        };
        (page, missing)
    }

    /// Returns the message from which on all are held.
    pub fn oldest_held(&self) -> Option<MessageId> {
        self.whole_from
            .or_else(|| self.held.front().map(|held| held.message.id))
    }
}
