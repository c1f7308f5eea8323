//! What an agent asks its user besides permission: a form to fill in, an address to visit (ACP: elicitation).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::AnsweredBy;
use crate::{AgentName, ConversationId, ElicitationId};

/// A question of an agent to its user, waiting for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Elicitation {
    pub id: ElicitationId,
    pub agent: AgentName,
    pub conversation: ConversationId,
    /// What the agent says of it; empty when it says nothing.
    pub message: String,
    pub wants: Wanted,
    /// In epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at: u64,
}

/// What an agent wants of its user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum Wanted {
    /// Values, in the order in which they are asked.
    Form { fields: Vec<Field> },
    /// A visit to this address, where the user goes on with somebody else.
    Url { url: String },
}

/// One value of a form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Field {
    /// Its key in the answer's `content`.
    pub name: String,
    pub title: String,
    pub description: Option<String>,
    pub required: bool,
    pub input: FieldInput,
}

/// What can be entered into a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FieldInput {
    Text {
        /// `email`, `uri`, `date` or `date-time`, or what the agent says; shown and not checked.
        format: Option<String>,
        /// In characters.
        min_length: Option<u32>,
        /// In characters.
        max_length: Option<u32>,
        /// A regular expression (ECMA 262) that must match somewhere; checked by the agent.
        pattern: Option<String>,
        default: Option<String>,
    },
    Number {
        minimum: Option<f64>,
        maximum: Option<f64>,
        default: Option<f64>,
    },
    Integer {
        #[cfg_attr(test, ts(type = "number | null"))]
        minimum: Option<i64>,
        #[cfg_attr(test, ts(type = "number | null"))]
        maximum: Option<i64>,
        #[cfg_attr(test, ts(type = "number | null"))]
        default: Option<i64>,
    },
    Boolean {
        default: Option<bool>,
    },
    /// One of these.
    Choice {
        options: Vec<FieldOption>,
        default: Option<String>,
    },
    /// Any of these.
    Choices {
        options: Vec<FieldOption>,
        min_items: Option<u32>,
        max_items: Option<u32>,
        default: Vec<String>,
    },
}

/// One value that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct FieldOption {
    pub value: String,
    pub title: String,
    pub description: Option<String>,
}

/// Parameters of `chat.answer_elicitation`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct AnswerElicitationParams {
    pub id: ElicitationId,
    pub action: ElicitationAction,
    /// The values of a form that is accepted, by the fields' names: texts, numbers, booleans, lists of texts.
    #[serde(default)]
    #[cfg_attr(
        test,
        ts(type = "Record<string, string | number | boolean | string[]>"),
        schemars(with = "Value")
    )]
    pub content: Map<String, Value>,
}

/// What a user does with a question, in the words of ACP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ElicitationAction {
    /// Gives the values, or agrees to visit the address.
    Accept,
    /// Says no.
    Decline,
    /// Leaves it without an answer.
    Cancel,
}

/// How a question ended. What was entered is told to nobody but the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum ElicitationOutcome {
    #[serde(rename_all = "camelCase")]
    Answered {
        action: ElicitationAction,
        answered_by: AnsweredBy,
    },
    /// Stop cancelled it.
    Cancelled,
    /// The agent took it back, or ended.
    Withdrawn,
}
