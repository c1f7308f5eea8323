//! Events: what happened, stamped and flat, one frame a line.

use serde::{Deserialize, Serialize};

use crate::agent::{AgentState, TraceEntry};
use crate::channel::ChannelEntry;
use crate::configuration::Problem;
use crate::conversation::{
    Command, ConfigOption, Elicitation, ElicitationOutcome, Login, Message, Modes, Part, PartKind,
    Permission, PermissionOutcome, Usage,
};
use crate::method::Access;
use crate::surface::{StateChanged, SurfaceClosed, SurfaceView};
use crate::workspace::WorkspacesChanged;
use crate::{
    AgentName, Cause, ConversationId, Cursor, ElicitationId, Epoch, MessageId, PermissionId, SurfaceId,
};

macro_rules! events {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal ($payload:ty), $class:ident;)+) => {
        /// Something that happened, or a control frame of the stream itself.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
        #[serde(tag = "type")]
        pub enum Event {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $variant($payload),)+
        }

        /// The type of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
        pub enum EventKind {
            $(#[serde(rename = $name)] $variant,)+
        }

        impl EventKind {
            /// Every type, control frames included.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns how the stream treats events of this type.
            pub const fn class(self) -> EventClass {
                match self {
                    $(Self::$variant => EventClass::$class,)+
                }
            }
        }

        impl Event {
            pub const fn kind(&self) -> EventKind {
                match self {
                    $(Self::$variant(_) => EventKind::$variant,)+
                }
            }
        }

        /// Shows every event to the generator of the reference.
        #[cfg(test)]
        pub(crate) fn describe(page: &mut crate::generated::Reference) {
            $(page.event::<$payload>(EventKind::$variant, concat!($($doc, "\n"),+));)+
        }
    };
}

events! {
    /// The state or the definition of an agent changed.
    AgentState = "agent:state"(AgentStateChanged), LifeCycle;
    /// An agent wrote a line to stderr, or a stray one to stdout.
    AgentLog = "agent:log"(AgentLogged), Bulk;
    /// A protocol message went between the daemon and an agent. Sent to those alone who ask for this type by name.
    AgentTrace = "agent:trace"(AgentTraced), Bulk;
    /// Another conversation became the agent's current one.
    ConversationChanged = "conversation:changed"(ConversationChanged), LifeCycle;
    /// A conversation was deleted for good.
    ConversationDeleted = "conversation:deleted"(ConversationDeleted), LifeCycle;
    /// A message was added, changed as a whole, or finished.
    MessageUpdated = "message:updated"(MessageUpdated), LifeCycle;
    /// Text was appended to a part of a message, or a part was added or replaced.
    MessageDelta = "message:delta"(MessageDelta), Bulk;
    /// The agent starts or stops answering, or the queue changed.
    TurnChanged = "turn:changed"(TurnChanged), LifeCycle;
    /// The agent asks to run a tool.
    PermissionRequested = "permission:requested"(PermissionRequested), LifeCycle;
    /// A permission request was answered, cancelled, or taken back.
    PermissionResolved = "permission:resolved"(PermissionResolved), LifeCycle;
    /// The agent asks its user to fill in a form, or to visit an address.
    ElicitationRequested = "elicitation:requested"(ElicitationRequested), LifeCycle;
    /// A question of the agent's was answered, cancelled, or taken back.
    ElicitationResolved = "elicitation:resolved"(ElicitationResolved), LifeCycle;
    /// The agent reported the use of its context window.
    UsageChanged = "usage:changed"(UsageChanged), LifeCycle;
    /// The agent announced its slash commands.
    CommandsChanged = "commands:changed"(CommandsChanged), LifeCycle;
    /// Mode, options or title of the session changed.
    SessionChanged = "session:changed"(SessionChanged), LifeCycle;
    /// The configuration file changed, and was applied when it is valid.
    ConfigChanged = "config:changed"(ConfigChanged), LifeCycle;
    /// A message was sent to a channel.
    ChannelUpdated = "channel:updated"(ChannelUpdated), LifeCycle;
    /// A pane was made, or a conversation became a surface.
    SurfaceOpened = "surface:opened"(SurfaceView), LifeCycle;
    /// A pane was closed, or the agent of a conversation left the configuration.
    SurfaceClosed = "surface:closed"(SurfaceClosed), LifeCycle;
    /// Output arrived in a pane, or something that lists show of it changed; at most one a pane each 50 ms.
    SurfaceChanged = "surface_changed"(SurfaceView), Bulk;
    /// The state of a surface changed, whatever the evidence.
    StateChanged = "state_changed"(StateChanged), LifeCycle;
    /// A workspace was made, closed, selected, renamed or laid out anew.
    WorkspacesChanged = "workspace:changed"(WorkspacesChanged), LifeCycle;
    /// The first frame of a stream: where it stands.
    Subscribed = "subscribed"(Subscribed), Control;
    /// Nothing happened for 30 s.
    Heartbeat = "heartbeat"(Heartbeat), Control;
    /// Events were lost to this reader, exactly here.
    Dropped = "dropped"(Dropped), Control;
    /// The cursor cannot be resumed: take snapshots.
    Resync = "resync"(Resync), Control;
}

/// How the stream treats a type of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventClass {
    /// Kept longest, dropped last.
    LifeCycle,
    /// Many and replaceable by a snapshot: dropped first.
    Bulk,
    /// Of the stream itself: consumes no sequence number.
    Control,
}

impl EventKind {
    /// Says whether a subscription gets this type only when it asks for it by name.
    pub const fn is_by_name_only(self) -> bool {
        matches!(self, Self::AgentTrace)
    }

    /// Says who may see events of this type.
    pub const fn access(self) -> Access {
        match self {
            Self::AgentLog | Self::AgentTrace | Self::ChannelUpdated => Access::Private,
            Self::AgentState
            | Self::ConversationChanged
            | Self::ConversationDeleted
            | Self::MessageUpdated
            | Self::MessageDelta
            | Self::TurnChanged
            | Self::PermissionRequested
            | Self::PermissionResolved
            | Self::ElicitationRequested
            | Self::ElicitationResolved
            | Self::UsageChanged
            | Self::CommandsChanged
            | Self::SessionChanged
            | Self::ConfigChanged
            | Self::SurfaceOpened
            | Self::SurfaceClosed
            | Self::SurfaceChanged
            | Self::StateChanged
            | Self::WorkspacesChanged
            | Self::Subscribed
            | Self::Heartbeat
            | Self::Dropped
            | Self::Resync => Access::Read,
        }
    }
}

impl std::str::FromStr for EventKind {
    type Err = UnknownEventKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| UnknownEventKind {
                text: text.to_owned(),
            })
    }
}

/// Says that there is no such type of event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no event type \"{text}\"")]
pub struct UnknownEventKind {
    pub text: String,
}

/// Payload of `agent:state`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct AgentStateChanged {
    pub agent: AgentName,
    pub state: AgentState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The same for a program, where it is known.
    #[serde(
        default,
        deserialize_with = "crate::cause::known",
        skip_serializing_if = "Option::is_none"
    )]
    pub cause: Option<Cause>,
    pub outdated: bool,
    pub stopping: bool,
}

/// Payload of `agent:log`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct AgentLogged {
    pub agent: AgentName,
    /// The line's number, as in `agent.logs`.
    #[cfg_attr(test, ts(type = "number"))]
    pub number: u64,
    pub line: String,
    /// The line came on stdout, where only protocol messages belong.
    pub stray: bool,
    /// How many lines before this one came too fast to be sent.
    #[cfg_attr(test, ts(type = "number"))]
    pub missed: u64,
}

/// Payload of `agent:trace`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct AgentTraced {
    pub agent: AgentName,
    pub entry: TraceEntry,
}

/// Payload of `conversation:changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConversationChanged {
    pub agent: AgentName,
    pub conversation: ConversationId,
}

/// Payload of `conversation:deleted`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConversationDeleted {
    pub agent: AgentName,
    pub conversation: ConversationId,
}

/// Payload of `message:updated`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct MessageUpdated {
    pub agent: AgentName,
    pub conversation: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub rev: u64,
    pub message: Message,
}

/// Payload of `message:delta`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MessageDelta {
    pub agent: AgentName,
    pub conversation: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub rev: u64,
    pub message_id: MessageId,
    /// Which part; equal to the number of parts, it appends one.
    pub index: u32,
    pub kind: PartKind,
    /// What is appended to the part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What replaces the part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

/// Payload of `turn:changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct TurnChanged {
    pub agent: AgentName,
    pub conversation: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub rev: u64,
    /// The agent is answering.
    pub busy: bool,
    /// How many messages wait.
    pub queued: u32,
    /// The agent has said nothing for so long (`agent_stall_threshold_secs`) that it may be stuck.
    pub stalled: bool,
    /// The running turn waits until its user has logged in.
    pub login: Option<Login>,
}

/// Payload of `permission:requested`: the request itself, and the revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequested {
    pub id: PermissionId,
    pub agent: AgentName,
    pub conversation: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub rev: u64,
    pub message_id: MessageId,
    pub tool_call: crate::conversation::ToolCall,
    pub options: Vec<crate::conversation::PermissionOption>,
    pub rejections: u32,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at: u64,
}

impl PermissionRequested {
    /// Returns the event of a request.
    pub fn new(permission: Permission, rev: u64) -> Self {
        let Permission {
            id,
            agent,
            conversation,
            message_id,
            tool_call,
            options,
            rejections,
            created_at,
        } = permission;
        Self {
            id,
            agent,
            conversation,
            rev,
            message_id,
            tool_call,
            options,
            rejections,
            created_at,
        }
    }

    /// Returns the request of an event.
    pub fn into_permission(self) -> Permission {
        let Self {
            id,
            agent,
            conversation,
            rev: _,
            message_id,
            tool_call,
            options,
            rejections,
            created_at,
        } = self;
        Permission {
            id,
            agent,
            conversation,
            message_id,
            tool_call,
            options,
            rejections,
            created_at,
        }
    }
}

/// Payload of `permission:resolved`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PermissionResolved {
    pub id: PermissionId,
    pub agent: AgentName,
    pub conversation: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub rev: u64,
    pub resolution: PermissionOutcome,
}

/// Payload of `elicitation:requested`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ElicitationRequested {
    pub agent: AgentName,
    pub conversation: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub rev: u64,
    pub elicitation: Elicitation,
}

/// Payload of `elicitation:resolved`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ElicitationResolved {
    pub id: ElicitationId,
    pub agent: AgentName,
    pub conversation: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub rev: u64,
    pub resolution: ElicitationOutcome,
}

/// Payload of `usage:changed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct UsageChanged {
    pub agent: AgentName,
    pub conversation: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub rev: u64,
    pub usage: Usage,
}

/// Payload of `commands:changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct CommandsChanged {
    pub agent: AgentName,
    pub conversation: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub rev: u64,
    pub commands: Vec<Command>,
}

/// Payload of `session:changed`: what is there changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SessionChanged {
    pub agent: AgentName,
    pub conversation: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub rev: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modes: Option<Modes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_options: Option<Vec<ConfigOption>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// Payload of `config:changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConfigChanged {
    pub path: String,
    /// Whether it can be used; otherwise the last one that could be stays in force.
    pub valid: bool,
    /// Problems and warnings, in the order of the file.
    pub problems: Vec<Problem>,
}

/// Payload of `channel:updated`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ChannelUpdated {
    pub channel: String,
    pub entry: ChannelEntry,
}

/// Payload of `subscribed`, and the reply of `events.subscribe` on a WebSocket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Subscribed {
    pub cursor: Cursor,
}

/// Payload of `heartbeat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Heartbeat {}

/// Payload of `dropped`: every event of the filter in `from..=to` was lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Dropped {
    #[cfg_attr(test, ts(type = "number"))]
    pub from: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub to: u64,
    /// The types that were, or may have been, among them.
    pub kinds: Vec<EventKind>,
}

/// Why a cursor cannot be resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ResyncReason {
    /// The daemon was restarted.
    EpochChanged,
    /// The life-cycle events after the cursor are no longer all kept.
    CursorTooOld,
    /// The cursor is ahead of the stream.
    CursorUnknown,
}

/// Payload of `resync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Resync {
    pub reason: ResyncReason,
}

/// Parameters of `events.subscribe`. Filters narrow; control frames always come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SubscribeParams {
    /// Only these types; every type when absent.
    #[serde(default)]
    pub types: Option<Vec<EventKind>>,
    /// Only events of these agents; every agent when absent.
    #[serde(default)]
    pub agents: Option<Vec<AgentName>>,
    /// Only events of these surfaces, those of a conversation's agent among them; every surface when absent.
    #[serde(default)]
    pub surfaces: Option<Vec<SurfaceId>>,
    /// Replays what came after this cursor.
    #[serde(default)]
    pub since: Option<Cursor>,
}

/// An event with its stamp, as a reader gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    pub stamp: Stamp,
    pub event: Event,
}

/// Where and when an event stands in the stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    pub epoch: Epoch,
    /// One number for each event published; a control frame carries the last one before it.
    pub seq: u64,
    /// In epoch milliseconds.
    pub ts: u64,
}

impl Frame {
    /// Returns the frame as one line of JSON, without the line break.
    pub fn to_line(&self) -> String {
        self.stamp.line_of(&self.event)
    }
}

impl Stamp {
    /// Returns the line of an event that has this stamp, without the line break.
    ///
    /// Frames are flat: the stamp stands behind `type`, before the fields of the event. This is the one place that says so.
    pub fn line_of(&self, event: &Event) -> String {
        let kind = event.kind().as_str();
        let event = serde_json::to_string(event).expect("events have string keys and finite numbers");
        let head = format!("{{\"type\":\"{kind}\"");
        let fields = event
            .strip_prefix(&head)
            .expect("serde writes the tag of an event first");
        let Self { epoch, seq, ts } = self;
        let mut line = head;
        line.reserve(fields.len() + 96);
        line.push_str(",\"epoch\":");
        line.push_str(&serde_json::to_string(epoch).expect("a string is JSON"));
        line.push_str(&format!(",\"seq\":{seq},\"ts\":{ts}"));
        line.push_str(fields);
        line
    }
}

impl Frame {
    /// Reads a frame from one line of JSON.
    ///
    /// # Errors
    ///
    /// When the line is no frame, or its type is not known here.
    pub fn from_line(line: &str) -> Result<Self, serde_json::Error> {
        Ok(Self {
            stamp: serde_json::from_str(line)?,
            event: serde_json::from_str(line)?,
        })
    }

    /// Returns the cursor that resumes after this frame.
    pub fn cursor(&self) -> Cursor {
        Cursor {
            epoch: self.stamp.epoch.clone(),
            seq: self.stamp.seq,
        }
    }
}
