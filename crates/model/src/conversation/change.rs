//! What changed in a conversation: the one source of both the events that are sent and the rows that are written.

use pupitre_protocol::conversation::{
    Command, ConfigOption, Elicitation, ElicitationOutcome, Login, Message, Modes, Part, PartKind,
    Permission, PermissionOutcome, Usage,
};
use pupitre_protocol::event::{
    CommandsChanged, ElicitationRequested, ElicitationResolved, MessageDelta, MessageUpdated,
    PermissionRequested, PermissionResolved, SessionChanged, TurnChanged, UsageChanged,
};
use pupitre_protocol::{AgentName, ConversationId, ElicitationId, Event, MessageId, PermissionId};

/// A change, and the revision of the conversation that it made.
#[derive(Debug, Clone, PartialEq)]
pub struct Revision {
    pub rev: u64,
    pub change: Change,
}

/// One change of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A message was added, with all its parts.
    Added(Box<Message>),
    /// What stands around the parts changed: done, queued, how it ended.
    Header(Box<Message>),
    /// Text was appended to a part, which begins with it when `index` is new.
    Appended {
        message: MessageId,
        index: u32,
        kind: PartKind,
        text: String,
    },
    /// A part was added or replaced.
    Part {
        message: MessageId,
        index: u32,
        part: Box<Part>,
    },
    /// The whole of a field that the part shows cut; `None` when it is whole again.
    Whole {
        message: MessageId,
        index: u32,
        field: WholeField,
        text: Option<String>,
    },
    Turn {
        busy: bool,
        queued: u32,
        stalled: bool,
        login: Option<Login>,
    },
    Asked(Box<Permission>),
    Resolved {
        id: PermissionId,
        outcome: PermissionOutcome,
    },
    Elicited(Box<Elicitation>),
    ElicitationResolved {
        id: ElicitationId,
        outcome: ElicitationOutcome,
    },
    Usage(Usage),
    Commands(Vec<Command>),
    Session {
        modes: Option<Modes>,
        config_options: Option<Vec<ConfigOption>>,
        title: Option<String>,
    },
}

/// A field of a part that may be too long for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WholeField {
    ToolInput,
    ToolOutput,
    /// The list of diffs, as JSON.
    ToolDiffs,
    /// Base64.
    MediaData,
    ResourceText,
}

impl WholeField {
    pub const ALL: [Self; 5] = [
        Self::ToolInput,
        Self::ToolOutput,
        Self::ToolDiffs,
        Self::MediaData,
        Self::ResourceText,
    ];

    /// Returns the word that stands for the field in storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ToolInput => "input",
            Self::ToolOutput => "output",
            Self::ToolDiffs => "diffs",
            Self::MediaData => "data",
            Self::ResourceText => "text",
        }
    }
}

impl Revision {
    /// Returns the event that tells of the change; `None` for what only storage needs.
    pub fn into_event(self, agent: &AgentName, conversation: ConversationId) -> Option<Event> {
        let Self { rev, change } = self;
        let agent = agent.clone();
        Some(match change {
            Change::Added(message) | Change::Header(message) => Event::MessageUpdated(MessageUpdated {
                agent,
                conversation,
                rev,
                message: *message,
            }),
            Change::Appended {
                message,
                index,
                kind,
                text,
            } => Event::MessageDelta(MessageDelta {
                agent,
                conversation,
                rev,
                message_id: message,
                index,
                kind,
                text: Some(text),
                part: None,
            }),
            Change::Part { message, index, part } => Event::MessageDelta(MessageDelta {
                agent,
                conversation,
                rev,
                message_id: message,
                index,
                kind: part.kind(),
                text: None,
                part: Some(*part),
            }),
            Change::Whole { .. } => return None,
            Change::Turn {
                busy,
                queued,
                stalled,
                login,
            } => Event::TurnChanged(TurnChanged {
                stalled,
                login,
                agent,
                conversation,
                rev,
                busy,
                queued,
            }),
            Change::Asked(permission) => {
                Event::PermissionRequested(PermissionRequested::new(*permission, rev))
            }
            Change::Resolved { id, outcome } => Event::PermissionResolved(PermissionResolved {
                id,
                agent,
                conversation,
                rev,
                resolution: outcome,
            }),
            Change::Elicited(elicitation) => Event::ElicitationRequested(ElicitationRequested {
                agent,
                conversation,
                rev,
                elicitation: *elicitation,
            }),
            Change::ElicitationResolved { id, outcome } => Event::ElicitationResolved(ElicitationResolved {
                id,
                agent,
                conversation,
                rev,
                resolution: outcome,
            }),
            Change::Usage(usage) => Event::UsageChanged(UsageChanged {
                agent,
                conversation,
                rev,
                usage,
            }),
            Change::Commands(commands) => Event::CommandsChanged(CommandsChanged {
                agent,
                conversation,
                rev,
                commands,
            }),
            Change::Session {
                modes,
                config_options,
                title,
            } => Event::SessionChanged(SessionChanged {
                agent,
                conversation,
                rev,
                modes,
                config_options,
                title,
            }),
        })
    }
}
