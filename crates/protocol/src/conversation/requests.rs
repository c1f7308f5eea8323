//! What is asked about conversations: the parameters and replies of `chat.*`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ConversationSummary, Elicitation, Login, Permission};
use crate::{AgentName, ConversationId, MessageId, PermissionId, UploadId};

/// Parameters of `chat.send`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SendParams {
    pub agent: AgentName,
    pub text: String,
    /// Absolute paths of files to send along.
    #[serde(default)]
    pub attachments: Vec<String>,
    /// Files to send along that the daemon was given before, with `POST /api/upload`.
    #[serde(default)]
    pub uploads: Vec<UploadId>,
}

/// What became of a message that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SendReply {
    pub message_id: MessageId,
    pub conversation: ConversationId,
    /// It waits for the current answer.
    pub queued: bool,
}

/// Parameters of `chat.cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CancelParams {
    pub agent: AgentName,
    /// Only this message: takes it back when it waits, cancels its turn when that runs, and leaves all others alone.
    #[serde(default)]
    pub message_id: Option<MessageId>,
}

/// What a cancel did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct CancelReply {
    /// A running turn was asked to end.
    pub cancelled: bool,
    /// The queued messages that were dropped.
    pub dropped: Vec<MessageId>,
    /// How many permission requests and questions of the agent were answered as cancelled.
    #[serde(default)]
    pub requests: u32,
}

/// Names one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MessageParams {
    pub message_id: MessageId,
}

/// Parameters of `chat.permissions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PermissionsParams {
    /// Only this agent's.
    #[serde(default)]
    pub agent: Option<AgentName>,
}

/// Every open request of agents to their user, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PermissionsReply {
    pub permissions: Vec<Permission>,
    pub elicitations: Vec<Elicitation>,
    /// Turns that wait until their user has logged in.
    pub logins: Vec<OpenLogin>,
}

/// A turn that waits until its user has logged in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct OpenLogin {
    pub agent: AgentName,
    pub conversation: ConversationId,
    pub login: Login,
}

/// Parameters of `chat.answer_permission`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AnswerPermissionParams {
    pub id: PermissionId,
    /// One of the options; null answers without choosing (ACP's outcome `cancelled`), which some agents take as the end of the turn.
    #[serde(default)]
    pub option_id: Option<String>,
}

/// Parameters of `chat.conversation`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ConversationParams {
    pub agent: AgentName,
    /// An earlier conversation of the agent; the current one when absent.
    #[serde(default)]
    pub conversation: Option<ConversationId>,
    /// Only messages before this one.
    #[serde(default)]
    pub before: Option<MessageId>,
    /// 1 to 1,000; 200 when absent.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Parameters of `chat.part`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PartParams {
    pub message_id: MessageId,
    pub index: u32,
    /// Where to go on, in bytes: 0, or the `next` of the answer before.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub offset: u64,
}

/// A window of a part written as JSON; all windows together are the whole part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PartReply {
    /// A piece of the JSON text.
    pub json: String,
    /// How long the whole JSON text is, in bytes.
    #[cfg_attr(test, ts(type = "number"))]
    pub bytes: u64,
    /// Where to go on; null at the end.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub next: Option<u64>,
}

/// Parameters of `chat.set_option`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SetOptionParams {
    pub agent: AgentName,
    pub id: String,
    /// A choice's value, or a boolean.
    #[cfg_attr(test, ts(type = "string | boolean"))]
    pub value: Value,
}

/// Parameters of `chat.set_mode`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SetModeParams {
    pub agent: AgentName,
    pub mode: String,
}

/// Parameters of `chat.new`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct NewParams {
    pub agent: AgentName,
    /// An absolute path; the agent's own folder of the configuration when absent.
    #[serde(default)]
    pub cwd: Option<String>,
}

/// Names the conversation that is now the agent's current one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct CurrentConversationReply {
    pub agent: AgentName,
    pub conversation: ConversationId,
}

/// Parameters of `chat.history`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct HistoryParams {
    /// Only this agent's.
    #[serde(default)]
    pub agent: Option<AgentName>,
}

/// Conversations, the one that changed last first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct HistoryReply {
    pub conversations: Vec<ConversationSummary>,
    /// Older ones were left out, to keep the answer inside its limit.
    pub truncated: bool,
}

/// Parameters of `chat.open`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct OpenParams {
    pub id: ConversationId,
}
