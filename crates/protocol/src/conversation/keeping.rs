//! What is asked about kept conversations: the parameters and replies of `chat.search`, `chat.delete` and `chat.export`.

use serde::{Deserialize, Serialize};

use super::Role;
use crate::{AgentName, ConversationId, MessageId};

/// Parameters of `chat.search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SearchParams {
    /// Words that must all be in a message, whatever their case and accents. A word of three letters or more also finds what
    /// begins with it; words in double quotes must follow one another. At most 1 KiB.
    pub query: String,
    /// Only this agent's conversations.
    #[serde(default)]
    pub agent: Option<AgentName>,
    /// 1 to 200; 50 when absent.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Messages that have what was searched for, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SearchReply {
    pub matches: Vec<SearchMatch>,
    /// There are more.
    pub truncated: bool,
}

/// One message that has what was searched for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SearchMatch {
    pub conversation: ConversationId,
    pub agent: AgentName,
    /// The conversation's title, else the beginning of its first message.
    pub title: Option<String>,
    /// The configuration file under which the conversation was begun; only there it goes on.
    pub config: String,
    /// The conversation is the agent's current one.
    pub current: bool,
    pub message_id: MessageId,
    pub role: Role,
    /// In epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at: u64,
    /// The text around the first words that were found, in pieces.
    pub excerpt: Vec<ExcerptPiece>,
}

/// A piece of an excerpt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ExcerptPiece {
    pub text: String,
    /// It is what was searched for.
    pub found: bool,
}

/// Parameters of `chat.delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct DeleteParams {
    pub id: ConversationId,
}

/// How an exported conversation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// For people.
    Markdown,
    /// `{"conversation": …, "messages": […]}`, as `chat.history` and `chat.conversation` show them, with nothing cut.
    Json,
}

/// Parameters of `chat.export`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ExportParams {
    pub id: ConversationId,
    pub format: ExportFormat,
    /// Where to go on: the `next` of the answer before; the beginning when absent.
    #[serde(default)]
    pub from: Option<ExportPlace>,
}

/// A place in an exported conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ExportPlace {
    pub message: MessageId,
    /// In what is written of the message, in bytes.
    #[cfg_attr(test, ts(type = "number"))]
    pub offset: u64,
}

/// A window of an exported conversation; all windows together are the whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ExportReply {
    pub text: String,
    /// Where to go on; null at the end.
    pub next: Option<ExportPlace>,
}
