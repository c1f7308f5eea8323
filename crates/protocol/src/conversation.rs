//! Conversations: messages, their parts, and permission requests.

mod elicitation;
mod keeping;
mod requests;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::AuthMethod;
use crate::{AgentName, Cause, ConversationId, MessageId, PermissionId, SurfaceId};

pub use elicitation::{
    AnswerElicitationParams, Elicitation, ElicitationAction, ElicitationOutcome, Field, FieldInput,
    FieldOption, Wanted,
};
pub use keeping::{
    DeleteParams, ExcerptPiece, ExportFormat, ExportParams, ExportPlace, ExportReply, SearchMatch,
    SearchParams, SearchReply,
};
pub use requests::{
    AnswerPermissionParams, CancelParams, CancelReply, ConversationParams, CurrentConversationReply,
    HistoryParams, HistoryReply, MessageParams, NewParams, OpenLogin, OpenParams, PartParams, PartReply,
    PermissionsParams, PermissionsReply, SendParams, SendReply, SetModeParams, SetOptionParams,
};

/// Who a message is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    User,
    Agent,
    /// Pupitre itself: what happened to the conversation.
    System,
}

/// What a system message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SystemCode {
    /// A new session: the agent forgot the beginning.
    AgentRestarted,
    /// The agent could not be started or reached; `error` says why.
    AgentUnavailable,
    /// The agent asked for more at once than may be open: what came beyond was answered as cancelled. Once a turn.
    TooManyRequests,
}

/// How an agent's message ended, in the words of ACP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    EndTurn,
    Cancelled,
    MaxTokens,
    MaxTurnRequests,
    Refusal,
}

/// One message. Each turn ends with exactly one message that has a `stopReason` or an `error`: the agent's last one, or
/// a system message `agent-unavailable`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Message {
    pub id: MessageId,
    pub agent: AgentName,
    pub conversation: ConversationId,
    /// The revision of the conversation at which this message last changed.
    #[cfg_attr(test, ts(type = "number"))]
    pub rev: u64,
    /// In epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at: u64,
    pub role: Role,
    /// The user message whose turn this one belongs to; null for what came outside of any turn.
    pub turn: Option<MessageId>,
    pub parts: Vec<Part>,
    /// False while an agent message streams.
    pub done: bool,
    /// A user message that waits for the current answer.
    pub queued: bool,
    pub stop_reason: Option<StopReason>,
    /// Why an agent message ended without a known stop reason, or `cancelled` for a queued message that Stop dropped.
    pub error: Option<String>,
    /// The same for a program, where it is known.
    #[serde(
        default,
        deserialize_with = "crate::cause::known",
        skip_serializing_if = "Option::is_none"
    )]
    pub cause: Option<Cause>,
    /// On system messages.
    pub code: Option<SystemCode>,
}

/// A piece of a message, in the order in which it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Part {
    /// Markdown.
    Text {
        text: String,
    },
    /// Reasoning.
    Thought {
        text: String,
    },
    Tool {
        tool: ToolCall,
    },
    Plan {
        entries: Vec<PlanEntry>,
    },
    Image {
        image: Media,
    },
    Resource {
        resource: Resource,
    },
}

impl Part {
    pub const fn kind(&self) -> PartKind {
        match self {
            Self::Text { .. } => PartKind::Text,
            Self::Thought { .. } => PartKind::Thought,
            Self::Tool { .. } => PartKind::Tool,
            Self::Plan { .. } => PartKind::Plan,
            Self::Image { .. } => PartKind::Image,
            Self::Resource { .. } => PartKind::Resource,
        }
    }
}

/// The kind of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    Text,
    Thought,
    Tool,
    Plan,
    Image,
    Resource,
}

/// What an agent does with a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ToolCall {
    /// The agent's own id.
    pub id: String,
    pub title: String,
    pub kind: ToolKind,
    pub status: ToolStatus,
    /// Compact JSON.
    pub input: Option<String>,
    pub output: Option<String>,
    pub locations: Vec<Location>,
    pub diffs: Vec<Diff>,
    /// The panes in which its commands run or ran (ACP: terminals of its content). One that is closed is not found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panes: Vec<SurfaceId>,
    /// Stop ended it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cancelled: bool,
    /// Something of it was cut; `chat.part` gives the whole.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// How its last permission request ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<PermissionOutcome>,
}

/// The kind of a tool call. One that is not known here reads as `other`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    Read,
    Edit,
    Delete,
    Move,
    Search,
    Execute,
    Think,
    Fetch,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
/// How far a tool call is.
pub enum ToolStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
}

impl ToolStatus {
    pub const fn is_final(self) -> bool {
        match self {
            Self::Pending | Self::InProgress => false,
            Self::Completed | Self::Failed => true,
        }
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Location {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    pub path: String,
    pub old_text: Option<String>,
    pub new_text: String,
    pub new_file: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
/// One step of a plan.
pub struct PlanEntry {
    pub content: String,
    /// `high`, `medium` or `low`, or what the agent says.
    pub priority: String,
    /// `pending`, `in_progress` or `completed`, or what the agent says.
    pub status: String,
}

/// An image or a sound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Media {
    pub mime_type: String,
    /// Base64; empty when the agent gave only an address.
    pub data: String,
    pub uri: Option<String>,
    /// The data was left out here; `chat.part` gives it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
}

/// A file or document that a message carries or points at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Resource {
    pub uri: String,
    pub name: Option<String>,
    pub mime_type: Option<String>,
    /// Its text, when it was embedded.
    pub text: Option<String>,
    /// The text was cut here; `chat.part` gives the whole.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
}

/// The context window's use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Usage {
    /// In tokens.
    #[cfg_attr(test, ts(type = "number"))]
    pub used: u64,
    /// In tokens; 0 when unknown.
    #[cfg_attr(test, ts(type = "number"))]
    pub size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
/// What the session has cost so far.
pub struct Cost {
    pub amount: f64,
    /// ISO 4217, as the agent says it.
    pub currency: String,
}

/// A slash command that an agent announced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Command {
    pub name: String,
    pub description: String,
    /// What may follow the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The modes of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Modes {
    pub current: String,
    pub available: Vec<Mode>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
/// One mode that a session can have.
pub struct Mode {
    pub id: String,
    pub name: String,
    pub description: Option<String>,
}

/// An option of a session, the model for example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConfigOption {
    pub id: String,
    pub name: String,
    pub description: Option<String>,
    /// What the option is about (`mode`, `model`, `thought_level`), as the agent says it.
    pub category: Option<String>,
    /// The value in force: a choice's, or a boolean.
    #[cfg_attr(test, ts(type = "string | boolean"))]
    pub value: Value,
    /// What can be chosen; empty for a boolean.
    pub choices: Vec<ConfigChoice>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
/// One value that an option can have.
pub struct ConfigChoice {
    pub value: String,
    pub name: String,
    pub description: Option<String>,
    pub group: Option<String>,
}

/// One answer that a permission request offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionOption {
    pub option_id: String,
    pub name: String,
    /// `allow_once`, `allow_always`, `reject_once`, `reject_always`, or what the agent says. Several may be of one kind.
    pub kind: String,
}

/// A request of an agent to run a tool, waiting for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Permission {
    pub id: PermissionId,
    pub agent: AgentName,
    pub conversation: ConversationId,
    /// The agent message that holds the tool call.
    pub message_id: MessageId,
    pub tool_call: ToolCall,
    pub options: Vec<PermissionOption>,
    /// How many requests of this turn were refused before.
    pub rejections: u32,
    /// In epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at: u64,
}

/// How a permission request ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum PermissionOutcome {
    /// One of the options was chosen.
    #[serde(rename_all = "camelCase")]
    Selected {
        option_id: String,
        #[serde(default)]
        answered_by: AnsweredBy,
    },
    /// It was answered without choosing.
    #[serde(rename_all = "camelCase")]
    Dismissed {
        #[serde(default)]
        answered_by: AnsweredBy,
    },
    /// Stop cancelled it.
    Cancelled,
    /// The agent took it back, or ended.
    Withdrawn,
}

/// Who answered a permission request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AnsweredBy {
    /// A program of the user's own: the command line, a script.
    #[default]
    Program,
    /// A person at the page.
    Page,
    /// The rule of the configuration (`permissions` of the agent).
    Rule,
}

/// An agent wants its user to log in before it answers: one of these ways, run by `agent.authenticate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Login {
    /// What the agent says of it.
    pub message: String,
    /// What it offers, as `initialize` told; none when it must be done with the agent's own program.
    pub methods: Vec<AuthMethod>,
}

/// A conversation, from one message backwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConversationView {
    pub agent: AgentName,
    pub conversation: ConversationId,
    /// It can only be read: it is not the agent's current one.
    pub read_only: bool,
    pub title: Option<String>,
    /// The working directory of its session.
    pub cwd: String,
    /// The revision that this view is true for.
    #[cfg_attr(test, ts(type = "number"))]
    pub rev: u64,
    /// Oldest first.
    pub messages: Vec<Message>,
    /// How many messages the conversation has.
    #[cfg_attr(test, ts(type = "number"))]
    pub total: u64,
    /// Fewer messages than asked for are here, to keep the answer inside its limit.
    pub truncated: bool,
    /// The agent is answering.
    pub busy: bool,
    /// The agent has said nothing for so long (`agent_stall_threshold_secs`) that it may be stuck.
    pub stalled: bool,
    /// How many messages wait for the current answer.
    pub queued: u32,
    pub usage: Option<Usage>,
    pub commands: Vec<Command>,
    pub permissions: Vec<Permission>,
    pub elicitations: Vec<Elicitation>,
    /// The running turn waits until its user has logged in.
    pub login: Option<Login>,
    pub modes: Option<Modes>,
    pub config_options: Vec<ConfigOption>,
}

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConversationSummary {
    /// The configuration file under which it was begun; only there it goes on.
    pub config: String,
    pub id: ConversationId,
    pub agent: AgentName,
    /// The agent's title for it, else the beginning of its first message.
    pub title: Option<String>,
    pub cwd: String,
    /// In epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at: u64,
    /// In epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub updated_at: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub messages: u64,
    /// It is the agent's current one.
    pub current: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
const fn is_false(flag: &bool) -> bool {
    !*flag
}
