//! A message in memory, with the weight of each of its parts.

use pupitre_protocol::MessageId;
use pupitre_protocol::conversation::{Message, Part, Role, StopReason};
use pupitre_protocol::limits::{MESSAGE_BYTES, MESSAGE_PARTS};

use super::clip::json_len;
use super::{Change, Conversation, Stamps};
use crate::reason::Reason;

/// The least room that a part finds in a message, however full that is.
const LEAST_PART_BYTES: usize = 2 << 10;

/// A message and what it weighs.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) message: Message,
    /// About how many bytes each part takes as JSON.
    part_bytes: Vec<usize>,
    bytes: usize,
}

impl Held {
    pub(super) fn new(message: Message) -> Self {
        let part_bytes: Vec<usize> = message.parts.iter().map(part_len).collect();
        let bytes = part_bytes.iter().sum();
        Self {
            message,
            part_bytes,
            bytes,
        }
    }

    /// Returns about how many bytes the message takes as JSON.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Says whether another part of so many bytes still belongs into this message.
    pub(super) fn has_room_for(&self, bytes: usize) -> bool {
        self.part_bytes.len() < MESSAGE_PARTS
            && (self.bytes + bytes <= MESSAGE_BYTES || self.part_bytes.is_empty())
    }

    /// Returns how large the part at `index` may become.
    pub(super) fn room_at(&self, index: usize) -> usize {
        let others = self.bytes - self.part_bytes.get(index).copied().unwrap_or(0);
        MESSAGE_BYTES.saturating_sub(others).max(LEAST_PART_BYTES)
    }

    pub(super) fn append(&mut self, index: usize, text: &str) {
        match &mut self.message.parts[index] {
            Part::Text { text: whole } | Part::Thought { text: whole } => whole.push_str(text),
            Part::Tool { .. } | Part::Plan { .. } | Part::Image { .. } | Part::Resource { .. } => {
                unreachable!("text is appended to text parts only")
            }
        }
        let added = json_len(text);
        self.part_bytes[index] += added;
        self.bytes += added;
    }

    /// Adds the part, or puts it in the place of the one at `index`.
    pub(super) fn put(&mut self, index: usize, part: Part) {
        let length = part_len(&part);
        if index == self.message.parts.len() {
            self.message.parts.push(part);
            self.part_bytes.push(length);
        } else {
            self.message.parts[index] = part;
            self.bytes -= self.part_bytes[index];
            self.part_bytes[index] = length;
        }
        self.bytes += length;
    }

    /// Says whether nothing of the message can change any more, but for what comes late.
    fn is_settled(&self) -> bool {
        self.message.done && !self.message.queued
    }

    fn has_unfinished_tool(&self) -> bool {
        self.message.parts.iter().any(|part| match part {
            Part::Tool { tool } => !tool.status.is_final(),
            Part::Text { .. }
            | Part::Thought { .. }
            | Part::Plan { .. }
            | Part::Image { .. }
            | Part::Resource { .. } => false,
        })
    }
}

/// Returns about how many bytes a message takes as JSON.
pub(super) fn message_len(message: &Message) -> usize {
    const HEADER: usize = 600;
    let error = message.error.as_deref().map_or(0, json_len);
    HEADER + error + message.parts.iter().map(part_len).sum::<usize>()
}

/// Returns about how many bytes a part takes as JSON: its texts, and a little for each of its fields.
pub(super) fn part_len(part: &Part) -> usize {
    const FIELDS: usize = 120;
    let option = |text: &Option<String>| text.as_deref().map_or(0, json_len);
    FIELDS
        + match part {
            Part::Text { text } | Part::Thought { text } => json_len(text),
            Part::Tool { tool } => {
                json_len(&tool.title)
                    + json_len(&tool.id)
                    + option(&tool.input)
                    + option(&tool.output)
                    + tool
                        .locations
                        .iter()
                        .map(|location| json_len(&location.path) + 40)
                        .sum::<usize>()
                    + tool.panes.len() * 21
                    + tool
                        .diffs
                        .iter()
                        .map(|diff| {
                            json_len(&diff.path) + json_len(&diff.new_text) + option(&diff.old_text) + 80
                        })
                        .sum::<usize>()
            }
            Part::Plan { entries } => entries.iter().map(|entry| json_len(&entry.content) + 120).sum(),
            Part::Image { image } => json_len(&image.data) + option(&image.uri),
            Part::Resource { resource } => {
                json_len(&resource.uri) + option(&resource.name) + option(&resource.text)
            }
        }
}

impl Conversation {
    /// Returns the message when it is held.
    pub(super) fn held(&self, id: MessageId) -> Option<&Held> {
        let place = self.place(id)?;
        self.held.get(place)
    }

    pub(super) fn held_mut(&mut self, id: MessageId) -> Option<&mut Held> {
        let place = self.place(id)?;
        self.held.get_mut(place)
    }

    /// Ids sort by creation, so the place is found by halving.
    fn place(&self, id: MessageId) -> Option<usize> {
        self.held.binary_search_by_key(&id, |held| held.message.id).ok()
    }

    /// Returns a new message of this role, empty and done.
    pub(super) fn draft(&self, role: Role, stamps: &mut dyn Stamps) -> Message {
        Message {
            id: MessageId(stamps.new_id()),
            agent: self.agent.clone(),
            conversation: self.id,
            rev: 0,
            created_at: stamps.now_ms(),
            role,
            turn: None,
            parts: Vec::new(),
            done: true,
            queued: false,
            stop_reason: None,
            error: None,
            cause: None,
            code: None,
        }
    }

    /// Adds a message and lets go of old ones.
    pub(super) fn add(&mut self, mut message: Message) -> MessageId {
        message.rev = self.rev + 1;
        let id = message.id;
        self.record(Change::Added(Box::new(message.clone())));
        self.held.push_back(Held::new(message));
        self.total += 1;
        self.let_go();
        id
    }

    /// Changes what stands around the parts of a message.
    pub(super) fn amend(&mut self, id: MessageId, change: impl FnOnce(&mut Message)) {
        let rev = self.rev + 1;
        if let Some(held) = self.held_mut(id) {
            change(&mut held.message);
            held.message.rev = rev;
            let message = held.message.clone();
            self.record(Change::Header(Box::new(message)));
        }
    }

    /// Appends text to the part at `index`, which must be a text or a thought.
    pub(super) fn append(&mut self, id: MessageId, index: usize, text: &str) {
        let rev = self.rev + 1;
        if let Some(held) = self.held_mut(id) {
            held.append(index, text);
            held.message.rev = rev;
            let kind = held.message.parts[index].kind();
            self.record(Change::Appended {
                message: id,
                index: position(index),
                kind,
                text: text.to_owned(),
            });
        }
    }

    /// Adds or replaces the part at `index`.
    pub(super) fn put(&mut self, id: MessageId, index: usize, part: Part) {
        let rev = self.rev + 1;
        if let Some(held) = self.held_mut(id) {
            held.put(index, part.clone());
            held.message.rev = rev;
            self.record(Change::Part {
                message: id,
                index: position(index),
                part: Box::new(part),
            });
        }
    }

    /// Ends an agent message. `Ok(None)` means that the answer goes on in a next message.
    pub(super) fn finish(&mut self, id: MessageId, end: Result<Option<StopReason>, Reason>) {
        self.amend(id, |message| {
            message.done = true;
            match end {
                Ok(stop_reason) => message.stop_reason = stop_reason,
                Err(reason) => (message.error, message.cause) = (Some(reason.text), reason.cause),
            }
        });
    }

    /// Lets go of old messages, but for those that still change. Only the newest ones are held without a hole.
    fn let_go(&mut self) {
        let mut bytes: usize = self.held.iter().map(Held::bytes).sum();
        loop {
            let is_over =
                |times| self.held.len() > times * Self::HELD_MESSAGES || bytes > times * Self::HELD_BYTES;
            if !is_over(1) {
                return;
            }
            // A tool call that runs on while much is said is waited for, but not without end.
            let waits_for_tools = !is_over(2);
            let newest = self.held.len() - 1;
            let is_needed = |held: &Held| {
                let is_in_turn = held.message.turn == self.turn_of_target;
                !held.is_settled()
                    || self.target_message() == Some(held.message.id)
                    || self.plan.is_some_and(|(message, _)| message == held.message.id)
                    || (waits_for_tools && is_in_turn && held.has_unfinished_tool())
            };
            let Some(place) = self.held.iter().take(newest).position(|held| !is_needed(held)) else {
                return;
            };
            let gone = self.held.remove(place).expect("the place was found");
            bytes -= gone.bytes();
            self.tools.retain(|_, place| place.message != gone.message.id);
            self.whole_from = self.whole_from.max(Some(self.held[place].message.id));
        }
    }
}

pub(super) fn position(index: usize) -> u32 {
    u32::try_from(index).expect("a message has a few hundred parts at most")
}
