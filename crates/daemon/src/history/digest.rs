//! One batch, put together row by row: what was said twice is written once, and text that goes on is joined.

use std::collections::BTreeMap;

use pupitre_model::conversation::{Change, WholeField};
use pupitre_protocol::conversation::{Message, Part, PartKind, Permission, PermissionOutcome};
use pupitre_protocol::{AgentName, ConversationId, MessageId, PermissionId};

use super::Header;
use super::unwritten::{What, Write};

/// What a batch says, by the rows that it changes.
#[derive(Debug, Default)]
pub(super) struct Digest<'batch> {
    pub(super) conversations: BTreeMap<ConversationId, ConversationChange<'batch>>,
    /// The current conversations by configuration and agent.
    pub(super) current: BTreeMap<(&'batch str, &'batch AgentName), ConversationId>,
    pub(super) sessions: BTreeMap<ConversationId, Option<&'batch str>>,
    pub(super) messages: BTreeMap<MessageId, MessageChange<'batch>>,
    pub(super) permissions: Vec<PermissionChange<'batch>>,
}

#[derive(Debug)]
pub(super) struct ConversationChange<'batch> {
    pub(super) header: &'batch Header,
    pub(super) config: Option<&'batch str>,
    /// When the batch first spoke of it.
    pub(super) seen_at_ms: u64,
    /// When something in it last changed; to be made the current one is no change.
    pub(super) changed_at_ms: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct MessageChange<'batch> {
    pub(super) added: Option<Added<'batch>>,
    /// What stands around the parts, when it is new or changed.
    pub(super) header: Option<&'batch Message>,
    /// The last revision that changed the message; `None` when only wholes of it came.
    pub(super) rev: Option<u64>,
    pub(super) parts: BTreeMap<u32, PartChange<'batch>>,
    pub(super) wholes: BTreeMap<(u32, WholeField), Option<&'batch str>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Added<'batch> {
    pub(super) conversation: ConversationId,
    pub(super) message: &'batch Message,
}

#[derive(Debug)]
pub(super) struct PartChange<'batch> {
    pub(super) kind: PartKind,
    /// What took the place of the part; `None` when text is only appended.
    pub(super) replaced: Option<&'batch Part>,
    pub(super) appended: Vec<&'batch str>,
}

#[derive(Debug)]
pub(super) enum PermissionChange<'batch> {
    Asked(&'batch Permission),
    Resolved {
        id: PermissionId,
        outcome: &'batch PermissionOutcome,
        at_ms: u64,
    },
}

impl<'batch> Digest<'batch> {
    pub(super) fn of(batch: impl Iterator<Item = &'batch Write>) -> Self {
        let mut digest = Self::default();
        for write in batch {
            match &write.what {
                What::Record {
                    header,
                    revisions,
                    at_ms,
                } => {
                    let conversation = digest.conversation(header, *at_ms);
                    conversation.changed_at_ms = Some(*at_ms);
                    for revision in revisions {
                        digest.take(header.id, revision.rev, &revision.change, *at_ms);
                    }
                }
                What::Current {
                    config,
                    header,
                    at_ms,
                } => {
                    digest.conversation(header, *at_ms).config = Some(config);
                    digest.current.insert((config, &header.agent), header.id);
                }
                What::Session { id, session } => {
                    digest.sessions.insert(*id, session.as_deref());
                }
            }
        }
        digest
    }

    fn conversation(&mut self, header: &'batch Header, at_ms: u64) -> &mut ConversationChange<'batch> {
        let change = self.conversations.entry(header.id).or_insert(ConversationChange {
            header,
            config: None,
            seen_at_ms: at_ms,
            changed_at_ms: None,
        });
        change.header = header;
        change
    }

    fn take(&mut self, conversation: ConversationId, rev: u64, change: &'batch Change, at_ms: u64) {
        match change {
            Change::Added(message) => {
                let row = self.changed(message.id, rev);
                row.added = Some(Added {
                    conversation,
                    message,
                });
                row.header = Some(message);
                for (index, part) in (0..).zip(&message.parts) {
                    row.parts.insert(index, PartChange::replaced(part));
                }
            }
            Change::Header(message) => self.changed(message.id, rev).header = Some(message),
            Change::Appended {
                message,
                index,
                kind,
                text,
            } => {
                let empty = || PartChange {
                    kind: *kind,
                    replaced: None,
                    appended: Vec::new(),
                };
                self.changed(*message, rev)
                    .parts
                    .entry(*index)
                    .or_insert_with(empty)
                    .appended
                    .push(text);
            }
            Change::Part { message, index, part } => {
                self.changed(*message, rev)
                    .parts
                    .insert(*index, PartChange::replaced(part));
            }
            Change::Whole {
                message,
                index,
                field,
                text,
            } => {
                let wholes = &mut self.messages.entry(*message).or_default().wholes;
                wholes.insert((*index, *field), text.as_deref());
            }
            Change::Asked(permission) => self.permissions.push(PermissionChange::Asked(permission)),
            Change::Resolved { id, outcome } => {
                self.permissions.push(PermissionChange::Resolved {
                    id: *id,
                    outcome,
                    at_ms,
                });
            }
            // They show in the header of the conversation, or only in memory.
            Change::Elicited(_)
            | Change::ElicitationResolved { .. }
            | Change::Turn { .. }
            | Change::Usage(_)
            | Change::Commands(_)
            | Change::Session { .. } => {}
        }
    }

    fn changed(&mut self, message: MessageId, rev: u64) -> &mut MessageChange<'batch> {
        let row = self.messages.entry(message).or_default();
        row.rev = Some(rev);
        row
    }
}

impl<'batch> PartChange<'batch> {
    const fn replaced(part: &'batch Part) -> Self {
        Self {
            kind: part.kind(),
            replaced: Some(part),
            appended: Vec::new(),
        }
    }

    /// Returns the text to add, joined, when the part is one of text.
    pub(super) fn text(&self) -> String {
        let start = match self.replaced {
            Some(Part::Text { text } | Part::Thought { text }) => Some(text.as_str()),
            Some(Part::Tool { .. } | Part::Plan { .. } | Part::Image { .. } | Part::Resource { .. })
            | None => None,
        };
        start.into_iter().chain(self.appended.iter().copied()).collect()
    }
}
