//! Channels: rooms with several agents, and what was said in them.

use serde::{Deserialize, Serialize};

use crate::configuration::ChannelView;
use crate::{AgentName, ChannelEntryId, ErrorKind, MessageId};

/// A message to a channel, and the answers to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChannelEntry {
    pub id: ChannelEntryId,
    /// In epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at: u64,
    pub text: String,
    /// One for each agent that it went to, in the order of the channel.
    pub answers: Vec<ChannelAnswer>,
}

/// The answer of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChannelAnswer {
    pub agent: AgentName,
    /// The user message in this agent's conversation; every message of the answer has it as its `turn`.
    /// Null when the agent did not take the message, which `error` explains.
    pub message_id: Option<MessageId>,
    pub error: Option<String>,
    /// The same for a program.
    #[serde(
        default,
        deserialize_with = "crate::cause::known",
        skip_serializing_if = "Option::is_none"
    )]
    pub error_kind: Option<ErrorKind>,
}

/// The channels of the configuration, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ChannelListReply {
    pub channels: Vec<ChannelView>,
}

/// A message to a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ChannelSendParams {
    pub channel: String,
    /// `@NAME` of an agent of the channel sends it to this one; without any it goes to all.
    pub text: String,
}

/// What a message to a channel made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChannelSendReply {
    /// The user messages that were made, in the order of the channel.
    pub message_ids: Vec<MessageId>,
    pub entry: ChannelEntry,
}

/// Names a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ChannelMessagesParams {
    pub channel: String,
}

/// What was said in a channel, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ChannelMessagesReply {
    pub entries: Vec<ChannelEntry>,
    /// Older entries were left out.
    pub truncated: bool,
}
