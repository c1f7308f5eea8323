//! What waits to be written, and what it weighs.

use std::collections::{BTreeMap, VecDeque};
use std::mem::size_of;

use pupitre_model::conversation::{Change, Revision};
use pupitre_protocol::conversation::{Message, Part, PermissionOption, ToolCall};
use pupitre_protocol::{ConversationId, MessageId};

use super::Header;

/// When so many bytes wait they are written without waiting for more.
pub(super) const BATCH_BYTES: usize = 1 << 20;
/// While nothing can be written so many bytes are kept …
pub(super) const KEPT_BYTES: usize = 64 << 20;
/// … and when there are more, the oldest go until this is left.
const LEFT_BYTES: usize = 56 << 20;
/// What each thing that waits takes beside its texts, about.
const FRAME_BYTES: usize = 256;

/// One thing to write.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) what: What,
    /// About what it takes in memory.
    pub(super) bytes: usize,
}

#[derive(Debug)]
pub(super) enum What {
    Record {
        header: Header,
        revisions: Vec<Revision>,
        at_ms: u64,
    },
    Current {
        config: String,
        header: Header,
        at_ms: u64,
    },
    Session {
        id: ConversationId,
        session: Option<String>,
    },
}

impl Write {
    pub(super) fn record(header: Header, revisions: Vec<Revision>, at_ms: u64) -> Self {
        let bytes = header_bytes(&header) + revisions.iter().map(revision_bytes).sum::<usize>();
        Self {
            what: What::Record {
                header,
                revisions,
                at_ms,
            },
            bytes,
        }
    }

    pub(super) fn current(config: String, header: Header, at_ms: u64) -> Self {
        let bytes = header_bytes(&header) + config.len();
        Self {
            what: What::Current {
                config,
                header,
                at_ms,
            },
            bytes,
        }
    }

    pub(super) fn session(id: ConversationId, session: Option<String>) -> Self {
        let bytes = FRAME_BYTES + session.as_ref().map_or(0, String::len);
        Self {
            what: What::Session { id, session },
            bytes,
        }
    }

    fn conversation(&self) -> ConversationId {
        match &self.what {
            What::Record { header, .. } | What::Current { header, .. } => header.id,
            What::Session { id, .. } => *id,
        }
    }

    fn revisions(&self) -> &[Revision] {
        match &self.what {
            What::Record { revisions, .. } => revisions,
            What::Current { .. } | What::Session { .. } => &[],
        }
    }

    /// Returns the name that a log has for it.
    pub(super) fn name(&self) -> String {
        match &self.what {
            What::Record {
                header, revisions, ..
            } => {
                format!(
                    "{} changes of conversation {} up to revision {}",
                    revisions.len(),
                    header.id,
                    header.rev
                )
            }
            What::Current { header, .. } => format!("that conversation {} is the current one", header.id),
            What::Session { id, .. } => format!("the session of conversation {id}"),
        }
    }
}

/// What waits to be written, oldest first.
#[derive(Debug, Default)]
pub(super) struct Unwritten {
    writes: VecDeque<Write>,
    bytes: usize,
}

/// What was given up of one conversation, since nothing could be written for too long.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GivenUp {
    pub(super) changes: usize,
    pub(super) bytes: usize,
    pub(super) from_rev: u64,
    pub(super) to_rev: u64,
}

impl Unwritten {
    pub(super) fn push(&mut self, write: Write) {
        self.bytes += write.bytes;
        self.writes.push_back(write);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns how many of the oldest make one transaction.
    pub(super) fn batch_len(&self) -> usize {
        let mut bytes = 0;
        let full = self.writes.iter().position(|write| {
            bytes += write.bytes;
            bytes >= BATCH_BYTES
        });
        full.map_or(self.writes.len(), |last| last + 1)
    }

    pub(super) fn oldest(&self, count: usize) -> impl Iterator<Item = &Write> {
        self.writes.iter().take(count)
    }

    /// Forgets the oldest and returns how many bytes they had.
    pub(super) fn forget(&mut self, count: usize) -> usize {
        let bytes = self.writes.drain(..count).map(|write| write.bytes).sum();
        self.bytes -= bytes;
        bytes
    }

    /// Gives up the oldest changes when more is kept than may be, and says of which conversations.
    pub(super) fn give_up(&mut self) -> BTreeMap<ConversationId, GivenUp> {
        let mut gone = BTreeMap::<ConversationId, GivenUp>::new();
        if self.bytes <= KEPT_BYTES {
            return gone;
        }
        let mut bytes = self.bytes;
        self.writes.retain(|write| {
            // What is no change of a message is small, and nothing after it could make up for it.
            let What::Record {
                header, revisions, ..
            } = &write.what
            else {
                return true;
            };
            if bytes <= LEFT_BYTES {
                return true;
            }
            bytes -= write.bytes;
            let gone = gone.entry(header.id).or_default();
            if gone.changes == 0 {
                gone.from_rev = revisions.first().map_or(header.rev, |revision| revision.rev);
            }
            gone.changes += revisions.len();
            gone.bytes += write.bytes;
            gone.to_rev = header.rev;
            false
        });
        self.bytes = bytes;
        gone
    }

    pub(super) fn touches_conversation(&self, id: ConversationId) -> bool {
        self.writes.iter().any(|write| write.conversation() == id)
    }

    /// Returns the conversation of a message about which something waits.
    pub(super) fn conversation_of(&self, id: MessageId) -> Option<ConversationId> {
        let touches = |write: &&Write| {
            write
                .revisions()
                .iter()
                .any(|revision| message_of(&revision.change) == Some(id))
        };
        self.writes.iter().find(touches).map(Write::conversation)
    }

    /// Says whether a message that waits belongs before this one.
    pub(super) fn has_message_before(&self, id: ConversationId, before: Option<MessageId>) -> bool {
        self.writes
            .iter()
            .filter(|write| write.conversation() == id)
            .flat_map(Write::revisions)
            .filter(|revision| matches!(revision.change, Change::Added(_)))
            .filter_map(|revision| message_of(&revision.change))
            .any(|message| before.is_none_or(|before| message < before))
    }
}

fn message_of(change: &Change) -> Option<MessageId> {
    match change {
        Change::Added(message) | Change::Header(message) => Some(message.id),
        Change::Appended { message, .. } | Change::Part { message, .. } | Change::Whole { message, .. } => {
            Some(*message)
        }
        Change::Turn { .. }
        | Change::Asked(_)
        | Change::Resolved { .. }
        | Change::Elicited(_)
        | Change::ElicitationResolved { .. }
        | Change::Usage(_)
        | Change::Commands(_)
        | Change::Session { .. } => None,
    }
}

fn header_bytes(header: &Header) -> usize {
    FRAME_BYTES + header.cwd.len() + header.title.as_ref().map_or(0, String::len)
}

fn revision_bytes(revision: &Revision) -> usize {
    size_of::<Revision>()
        + match &revision.change {
            Change::Added(message) | Change::Header(message) => message_bytes(message),
            Change::Appended { text, .. } => text.len(),
            Change::Part { part, .. } => part_bytes(part),
            Change::Whole { text, .. } => text.as_ref().map_or(0, String::len),
            Change::Asked(permission) => {
                let option =
                    |option: &PermissionOption| FRAME_BYTES + option.option_id.len() + option.name.len();
                tool_bytes(&permission.tool_call) + permission.options.iter().map(option).sum::<usize>()
            }
            // Questions are not stored.
            Change::Elicited(_)
            | Change::ElicitationResolved { .. }
            | Change::Resolved { .. }
            | Change::Turn { .. }
            | Change::Usage(_)
            | Change::Commands(_)
            | Change::Session { .. } => FRAME_BYTES,
        }
}

fn message_bytes(message: &Message) -> usize {
    size_of::<Message>()
        + message.error.as_ref().map_or(0, String::len)
        + message.parts.iter().map(part_bytes).sum::<usize>()
}

/// Returns about what a part takes in memory.
pub(super) fn part_bytes(part: &Part) -> usize {
    let option = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    size_of::<Part>()
        + match part {
            Part::Text { text } | Part::Thought { text } => text.len(),
            Part::Tool { tool } => tool_bytes(tool),
            Part::Plan { entries } => entries
                .iter()
                .map(|entry| FRAME_BYTES + entry.content.len())
                .sum(),
            Part::Image { image } => image.data.len() + option(&image.uri),
            Part::Resource { resource } => {
                resource.uri.len() + option(&resource.name) + option(&resource.text)
            }
        }
}

fn tool_bytes(tool: &ToolCall) -> usize {
    let option = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let diffs = tool
        .diffs
        .iter()
        .map(|diff| FRAME_BYTES + diff.path.len() + diff.new_text.len() + option(&diff.old_text));
    let locations = tool
        .locations
        .iter()
        .map(|location| FRAME_BYTES + location.path.len());
    size_of::<ToolCall>()
        + tool.title.len()
        + option(&tool.input)
        + option(&tool.output)
        + diffs.sum::<usize>()
        + locations.sum::<usize>()
        + size_of_val(tool.panes.as_slice())
}
