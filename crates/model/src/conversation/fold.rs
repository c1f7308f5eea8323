//! Folding what an agent says into messages and parts.

use pupitre_protocol::conversation::{
    Media, Message, Part, PartKind, PlanEntry, Resource, Role, ToolCall, ToolKind, ToolStatus,
};
use pupitre_protocol::limits::{FIELD_BYTES, MESSAGE_BYTES};
use pupitre_protocol::{MessageId, conversation::Diff};

use super::held::{part_len, position};
use super::{Change, Conversation, Stage, Stamps, Target, ToolPatch, Update, Voice, WholeField, clip};

/// Where a tool call stands, and which of its fields are cut there.
#[derive(Debug, Clone)]
pub(super) struct ToolPlace {
    pub(super) message: MessageId,
    index: usize,
    turn: Option<MessageId>,
    cut: Vec<WholeField>,
    /// Some of its locations were left out.
    lacks_locations: bool,
}

/// A tool call's id longer than this, as JSON writes it, costs the tool call: it could not be found again.
const TOOL_ID_BYTES: usize = 1 << 10;

/// Why an unfinished tool call is at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolEnd {
    /// Stop was pressed.
    Cancelled,
    /// The agent's process ended.
    AgentGone,
}

impl Conversation {
    /// Takes in what the agent said.
    pub fn update(&mut self, update: Update, stamps: &mut dyn Stamps) {
        match update {
            Update::Text {
                voice,
                message_id,
                text,
            } => self.take_text(voice, message_id, &text, stamps),
            Update::Image { message_id, image } => self.take_image(message_id, image, stamps),
            Update::Resource { message_id, resource } => self.take_resource(message_id, resource, stamps),
            Update::ToolCall(patch) => {
                self.forget_tool_of_earlier_turn(&patch.id);
                self.take_tool(patch, stamps);
            }
            Update::Tool(patch) => {
                self.take_tool(patch, stamps);
            }
            Update::Plan(entries) => self.take_plan(entries, stamps),
            Update::Usage(mut usage) => {
                clip::usage(&mut usage);
                if self.usage.as_ref() != Some(&usage) {
                    self.usage = Some(usage.clone());
                    self.record(Change::Usage(usage));
                }
            }
            Update::Commands(commands) => {
                let commands = clip::commands(commands);
                if self.commands != commands {
                    self.commands.clone_from(&commands);
                    self.record(Change::Commands(commands));
                }
            }
            Update::Modes(modes) => {
                let modes = clip::modes(modes);
                if self.modes.as_ref() != Some(&modes) {
                    self.modes = Some(modes.clone());
                    self.record(Change::Session {
                        modes: Some(modes),
                        config_options: None,
                        title: None,
                    });
                }
            }
            Update::CurrentMode(current) => {
                let current = clip::label(&current, clip::LABEL_BYTES).into_owned();
                if let Some(modes) = self.modes.as_mut().filter(|modes| modes.current != current) {
                    modes.current = current;
                    let modes = Some(modes.clone());
                    self.record(Change::Session {
                        modes,
                        config_options: None,
                        title: None,
                    });
                }
            }
            Update::ConfigOptions(options) => {
                let options = clip::options(options);
                if self.config_options != options {
                    self.config_options.clone_from(&options);
                    self.record(Change::Session {
                        modes: None,
                        config_options: Some(options),
                        title: None,
                    });
                }
            }
            Update::Title(title) => {
                let title = title.map(|title| clip::label(&title, clip::LABEL_BYTES).into_owned());
                if let Some(title) = title.filter(|title| self.title.as_ref() != Some(title)) {
                    self.title = Some(title.clone());
                    self.record(Change::Session {
                        modes: None,
                        config_options: None,
                        title: Some(title),
                    });
                }
            }
        }
    }

    fn take_text(&mut self, voice: Voice, agent_id: Option<String>, text: &str, stamps: &mut dyn Stamps) {
        let kind = match voice {
            Voice::Answer => PartKind::Text,
            Voice::Thought => PartKind::Thought,
        };
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, _) = clip::beginning(rest, FIELD_BYTES);
            rest = &rest[piece.len()..];
            self.take_piece(kind, agent_id.clone(), piece, stamps);
        }
    }

    fn take_piece(&mut self, kind: PartKind, agent_id: Option<String>, piece: &str, stamps: &mut dyn Stamps) {
        let length = clip::json_len(piece);
        let open = self.open_target(agent_id.as_deref());
        if let Some(id) = open
            && let Some(held) = self.held(id)
            && held.message.parts.last().map(Part::kind) == Some(kind)
            && held.bytes() + length <= MESSAGE_BYTES
        {
            let index = held.message.parts.len() - 1;
            self.append(id, index, piece);
            return;
        }
        let text = piece.to_owned();
        let part = if kind == PartKind::Thought {
            Part::Thought { text }
        } else {
            Part::Text { text }
        };
        self.add_part(agent_id, part, length, stamps);
    }

    fn take_image(&mut self, agent_id: Option<String>, mut image: Media, stamps: &mut dyn Stamps) {
        let whole = (clip::json_len(&image.data) > FIELD_BYTES).then(|| std::mem::take(&mut image.data));
        image.truncated = whole.is_some();
        clip::media_labels(&mut image);
        let length = clip::json_len(&image.data);
        let (message, index) = self.add_part(agent_id, Part::Image { image }, length, stamps);
        self.keep_whole(message, index, WholeField::MediaData, whole);
    }

    fn take_resource(&mut self, agent_id: Option<String>, mut resource: Resource, stamps: &mut dyn Stamps) {
        let whole = resource
            .text
            .as_mut()
            .and_then(|text| clip::take_whole(text, FIELD_BYTES));
        resource.truncated = whole.is_some();
        clip::resource_labels(&mut resource);
        let length = resource.text.as_deref().map_or(0, clip::json_len);
        let (message, index) = self.add_part(agent_id, Part::Resource { resource }, length, stamps);
        self.keep_whole(message, index, WholeField::ResourceText, whole);
    }

    fn take_plan(&mut self, entries: Vec<PlanEntry>, stamps: &mut dyn Stamps) {
        let part = Part::Plan {
            entries: clip::plan(entries),
        };
        // One a turn: it stays where it first stood, also when the answer has gone on in another message.
        match self.plan.filter(|(message, _)| self.held(*message).is_some()) {
            Some((message, index)) => self.put(message, index, part),
            None => self.plan = Some(self.add_part(None, part, FIELD_BYTES / 2, stamps)),
        }
    }

    /// Applies a patch to its tool call, or creates that, and returns where it stands.
    pub(super) fn take_tool(
        &mut self,
        patch: ToolPatch,
        stamps: &mut dyn Stamps,
    ) -> Option<(MessageId, usize)> {
        if clip::json_len(&patch.id) > TOOL_ID_BYTES {
            return None;
        }
        let standing = self.tools.get(&patch.id).cloned().and_then(|place| {
            let Part::Tool { tool } = self.held(place.message)?.message.parts.get(place.index)? else {
                return None;
            };
            Some((tool.clone(), place))
        });
        let (tool, place) = match standing {
            Some((tool, place)) => (tool, Some(place)),
            None => (new_tool(patch.id.clone()), None),
        };
        let mut cut = place.as_ref().map(|place| place.cut.clone()).unwrap_or_default();
        let before = tool.clone();
        let mut tool = patched(tool, &patch);
        let room = match &place {
            Some(place) => self.held(place.message)?.room_at(place.index),
            None => MESSAGE_BYTES,
        };
        let wholes = cut_fields(&mut tool, &patch, room, &mut cut);
        let lacked_locations = place.as_ref().is_some_and(|place| place.lacks_locations);
        let lacks_locations =
            clip::tool_labels(&mut tool, room) || (patch.locations.is_none() && lacked_locations);
        tool.truncated = !cut.is_empty() || lacks_locations;
        let (message, index) = match place {
            Some(place) if tool == before && wholes.is_empty() => return Some((place.message, place.index)),
            Some(place) => {
                self.put(place.message, place.index, Part::Tool { tool });
                (place.message, place.index)
            }
            None => {
                let part = Part::Tool { tool };
                let bytes = part_len(&part);
                self.add_part(None, part, bytes, stamps)
            }
        };
        for (field, whole) in wholes {
            self.record(Change::Whole {
                message,
                index: position(index),
                field,
                text: whole,
            });
        }
        self.tools.insert(
            patch.id,
            ToolPlace {
                message,
                index,
                turn: self.turn_of_target,
                cut,
                lacks_locations,
            },
        );
        Some((message, index))
    }

    /// Returns where a tool call stands.
    pub(super) fn tool_place(&self, id: &str) -> Option<(MessageId, usize)> {
        let place = self.tools.get(id)?;
        Some((place.message, place.index))
    }

    /// Makes the id free when it is that of a call of an earlier turn: agents count anew in each.
    pub(super) fn forget_tool_of_earlier_turn(&mut self, id: &str) {
        let turn = self.turn_of_target;
        if self.tools.get(id).is_some_and(|place| place.turn != turn) {
            self.tools.remove(id);
        }
    }

    /// Marks the unfinished tool calls of the turn as failed.
    pub(super) fn fail_tools(&mut self, end: ToolEnd) {
        let turn = self.turn_of_target;
        let mut places: Vec<(MessageId, usize)> = self
            .tools
            .values()
            .filter(|place| place.turn == turn)
            .map(|place| (place.message, place.index))
            .collect();
        places.sort_unstable();
        for (message, index) in places {
            let Some(Part::Tool { tool }) = self.held(message).and_then(|held| held.message.parts.get(index))
            else {
                continue;
            };
            if !tool.status.is_final() {
                let tool = ToolCall {
                    status: ToolStatus::Failed,
                    cancelled: end == ToolEnd::Cancelled,
                    ..tool.clone()
                };
                self.put(message, index, Part::Tool { tool });
            }
        }
    }

    /// Returns the message that updates go to now, unless the agent means another one.
    fn open_target(&mut self, agent_id: Option<&str>) -> Option<MessageId> {
        let target = self.target.as_mut()?;
        match (&target.agent_id, agent_id) {
            (Some(known), Some(given)) if known != given => return None,
            (None, Some(given)) => target.agent_id = Some(given.to_owned()),
            (_, _) => {}
        }
        Some(target.message)
    }

    /// Adds a part to the message that updates go to, or to a new one, and returns where it stands.
    fn add_part(
        &mut self,
        agent_id: Option<String>,
        part: Part,
        bytes: usize,
        stamps: &mut dyn Stamps,
    ) -> (MessageId, usize) {
        let open = self.open_target(agent_id.as_deref());
        if let Some(id) = open
            && let Some(held) = self.held(id)
            && held.has_room_for(bytes)
        {
            let index = held.message.parts.len();
            if let Part::Text { text } | Part::Thought { text } = &part {
                self.begin_text(id, index, part.kind(), text.clone());
            } else {
                self.put(id, index, part);
            }
            return (id, index);
        }
        let mut message = self.draft(Role::Agent, stamps);
        message.parts.push(part);
        (self.open(message, agent_id), 0)
    }

    /// Begins a text part: told as an append, since what follows is one.
    fn begin_text(&mut self, id: MessageId, index: usize, kind: PartKind, text: String) {
        let empty = match kind {
            PartKind::Thought => Part::Thought { text: String::new() },
            PartKind::Text | PartKind::Tool | PartKind::Plan | PartKind::Image | PartKind::Resource => {
                Part::Text { text: String::new() }
            }
        };
        if let Some(held) = self.held_mut(id) {
            held.put(index, empty);
        }
        self.append(id, index, &text);
    }

    /// Makes a new agent message the one that updates go to; the one before is done and goes on here.
    fn open(&mut self, mut message: Message, agent_id: Option<String>) -> MessageId {
        let in_turn = self
            .turn
            .is_some_and(|turn| turn.stage != Stage::Abandoned && self.turn_of_target == Some(turn.message));
        message.turn = self.turn_of_target;
        message.done = !in_turn;
        self.close_target();
        let id = self.add(message);
        self.target = Some(Target {
            message: id,
            agent_id,
        });
        id
    }

    /// Returns the message that updates go to.
    pub(super) fn target_message(&self) -> Option<MessageId> {
        self.target.as_ref().map(|target| target.message)
    }

    /// Ends the message that updates go to, when it is open; what comes next begins another one.
    pub(super) fn close_target(&mut self) {
        let before = self.target.take().map(|target| target.message);
        if let Some(id) = before.filter(|id| self.held(*id).is_some_and(|held| !held.message.done)) {
            self.finish(id, Ok(None));
        }
    }

    /// Returns the open agent message of the turn, adding an empty one when nothing was said.
    pub(super) fn closing_message(&mut self, stamps: &mut dyn Stamps) -> MessageId {
        if self.turn.map(|turn| turn.message) != self.turn_of_target {
            // The agent was never given the prompt: what it said was no answer.
            self.prompt_sent();
        }
        match &self.target {
            Some(target) => target.message,
            None => {
                let message = self.draft(Role::Agent, stamps);
                self.open(message, None)
            }
        }
    }

    fn keep_whole(&mut self, message: MessageId, index: usize, field: WholeField, whole: Option<String>) {
        if let Some(text) = whole {
            self.record(Change::Whole {
                message,
                index: position(index),
                field,
                text: Some(text),
            });
        }
    }
}

fn new_tool(id: String) -> ToolCall {
    ToolCall {
        id,
        title: String::new(),
        kind: ToolKind::Other,
        status: ToolStatus::Pending,
        input: None,
        output: None,
        locations: Vec::new(),
        diffs: Vec::new(),
        panes: Vec::new(),
        cancelled: false,
        truncated: false,
        permission: None,
    }
}

fn patched(mut tool: ToolCall, patch: &ToolPatch) -> ToolCall {
    let ToolPatch {
        id: _,
        title,
        kind,
        status,
        input,
        output,
        locations,
        diffs,
        panes,
    } = patch.clone();
    if let Some(title) = title {
        tool.title = title;
    }
    if let Some(kind) = kind {
        tool.kind = kind;
    }
    if let Some(status) = status {
        tool.status = status;
        // An agent that says of a cancelled call that it failed says the same in other words.
        tool.cancelled = tool.cancelled && status == ToolStatus::Failed;
    }
    if input.is_some() {
        tool.input = input;
    }
    if output.is_some() {
        tool.output = output;
    }
    if let Some(locations) = locations {
        tool.locations = locations;
    }
    if let Some(diffs) = diffs {
        tool.diffs = diffs;
    }
    if let Some(panes) = panes {
        tool.panes = panes;
    }
    tool
}

/// Cuts the fields that the patch brought, and returns what storage must know: the whole of a field, or that it is whole again.
fn cut_fields(
    tool: &mut ToolCall,
    patch: &ToolPatch,
    room: usize,
    cut: &mut Vec<WholeField>,
) -> Vec<(WholeField, Option<String>)> {
    // A full message leaves a tool call that grows in it a little of each field; the whole is one call away.
    let limit = FIELD_BYTES.min(room / 4);
    let mut wholes = Vec::new();
    let mut note = |field: WholeField, whole: Option<String>| {
        let was_cut = cut.contains(&field);
        cut.retain(|known| *known != field);
        if whole.is_some() {
            cut.push(field);
        }
        if whole.is_some() || was_cut {
            wholes.push((field, whole));
        }
    };
    if patch.input.is_some() {
        note(
            WholeField::ToolInput,
            tool.input.as_mut().and_then(|text| clip::take_whole(text, limit)),
        );
    }
    if patch.output.is_some() {
        note(
            WholeField::ToolOutput,
            tool.output
                .as_mut()
                .and_then(|text| clip::take_whole(text, limit)),
        );
    }
    if patch.diffs.is_some() {
        let whole: Option<Vec<Diff>> = clip::take_whole_diffs(&mut tool.diffs, limit);
        note(
            WholeField::ToolDiffs,
            whole.map(|diffs| serde_json::to_string(&diffs).expect("diffs are JSON")),
        );
    }
    wholes
}
