//! What an agent says about a conversation, in our own words: the ACP layer translates into this.

use pupitre_protocol::SurfaceId;
use pupitre_protocol::conversation::{
    Command, ConfigOption, Diff, Location, Media, Modes, PlanEntry, Resource, ToolKind, ToolStatus, Usage,
};

/// One thing that an agent told about its session.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// A piece of the answer or of the reasoning. A `message_id` that changes starts a new message.
    Text {
        voice: Voice,
        message_id: Option<String>,
        text: String,
    },
    Image {
        message_id: Option<String>,
        image: Media,
    },
    Resource {
        message_id: Option<String>,
        resource: Resource,
    },
    /// Announces a tool call: an id that was seen in an earlier turn is another call.
    ToolCall(ToolPatch),
    /// Changes a tool call. An id never seen creates the call.
    Tool(ToolPatch),
    /// Replaces the plan.
    Plan(Vec<PlanEntry>),
    Usage(Usage),
    Commands(Vec<Command>),
    /// Replaces modes, current one and choices.
    Modes(Modes),
    /// Another mode of those known is in force.
    CurrentMode(String),
    ConfigOptions(Vec<ConfigOption>),
    /// The session's title; `None` takes it back.
    Title(Option<String>),
}

/// Whether the agent speaks or thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    Answer,
    Thought,
}

/// What is said about a tool call: a field that is `None` stays as it was.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolPatch {
    pub id: String,
    pub title: Option<String>,
    pub kind: Option<ToolKind>,
    pub status: Option<ToolStatus>,
    /// Compact JSON.
    pub input: Option<String>,
    /// Replaces the output.
    pub output: Option<String>,
    pub locations: Option<Vec<Location>>,
    pub diffs: Option<Vec<Diff>>,
    pub panes: Option<Vec<SurfaceId>>,
}
