//! Identifiers: newtypes that are parsed once, at the edge.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[doc = $doc:literal])* $name:ident) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(
            #[cfg_attr(test, ts(type = "string"), schemars(with = "String"))] pub Uuid,
        );

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

uuid_id! {
    /// Identifies a message: a UUIDv7, so that ids sort by creation.
    MessageId
}
uuid_id! {
    /// Identifies a conversation: a UUIDv7.
    ConversationId
}
uuid_id! {
    /// Identifies a permission request: a UUIDv7 of ours, not the agent's request id.
    PermissionId
}
uuid_id! {
    /// Identifies a question of an agent to its user: a UUIDv7 of ours.
    ElicitationId
}
uuid_id! {
    /// Identifies a file that a page gave the daemon, to send along with a message: a UUIDv7.
    UploadId
}

uuid_id! {
    /// Identifies a message to a channel: a UUIDv7.
    ChannelEntryId
}

macro_rules! number_id {
    ($(#[doc = $doc:literal])* $name:ident) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(#[cfg_attr(test, ts(type = "number"))] pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

number_id! {
    /// Identifies a surface, a pane or a conversation's: never given twice on a machine, nor after a restart of the daemon.
    SurfaceId
}
number_id! {
    /// Identifies a workspace: never given twice on a machine, nor after a restart of the daemon.
    WorkspaceId
}

/// The name of an agent in the configuration: `a-z 0-9 - _`, 1 to 32 characters, not only digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(test, ts(type = "string"), schemars(with = "String"))]
pub struct AgentName(String);

/// Says why a text cannot be an agent's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentNameError {
    #[error("an agent's name cannot be empty")]
    Empty,
    #[error("the agent name \"{name}\" has more than {} characters", AgentName::LONGEST)]
    TooLong { name: String },
    #[error("the agent name \"{name}\" may only have a-z, 0-9, \"-\" and \"_\"")]
    Character { name: String },
    #[error("the agent name \"{name}\" may not be only digits, which would read as a surface id")]
    OnlyDigits { name: String },
}

impl AgentName {
    /// The most characters that a name may have.
    pub const LONGEST: usize = 32;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AgentName {
    type Err = AgentNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = || text.to_owned();
        if text.is_empty() {
            return Err(AgentNameError::Empty);
        }
        if text.chars().count() > Self::LONGEST {
            return Err(AgentNameError::TooLong { name: name() });
        }
        if !text
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
        {
            return Err(AgentNameError::Character { name: name() });
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(AgentNameError::OnlyDigits { name: name() });
        }
        Ok(Self(name()))
    }
}

impl TryFrom<String> for AgentName {
    type Error = AgentNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<AgentName> for String {
    fn from(name: AgentName) -> Self {
        name.0
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// Names one run of the daemon. Sequence numbers of different epochs cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(transparent)]
pub struct Epoch(pub String);

impl fmt::Display for Epoch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A place in the stream of events, written `EPOCH:SEQ`: everything up to and including `seq` has been seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(test, ts(type = "string"), schemars(with = "String"))]
pub struct Cursor {
    pub epoch: Epoch,
    pub seq: u64,
}

/// Says that a text is no cursor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is no cursor: one is written EPOCH:SEQ, as in the frames of a stream")]
pub struct CursorError {
    pub text: String,
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || CursorError {
            text: text.to_owned(),
        };
        let (epoch, seq) = text.rsplit_once(':').ok_or_else(wrong)?;
        if epoch.is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            epoch: Epoch(epoch.to_owned()),
            seq: seq.parse().map_err(|_| wrong())?,
        })
    }
}

impl TryFrom<String> for Cursor {
    type Error = CursorError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.to_string()
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.epoch, self.seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_names_keep_to_their_rules() {
        for good in ["demo", "a", "gemini-2", "x_y", &"a".repeat(32), "1a"] {
            assert!(good.parse::<AgentName>().is_ok(), "{good}");
        }
        for bad in ["", "42", "Demo", "a b", "é", &"a".repeat(33), "a:b"] {
            assert!(bad.parse::<AgentName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn cursors_are_read_as_they_are_written() {
        let cursor: Cursor = "0193-ab:42".parse().expect("a cursor");
        assert_eq!(
            cursor,
            Cursor {
                epoch: Epoch("0193-ab".into()),
                seq: 42
            }
        );
        assert_eq!(cursor.to_string(), "0193-ab:42");
        for bad in ["", "42", ":42", "a:", "a:-1", "a:x"] {
            assert!(bad.parse::<Cursor>().is_err(), "{bad}");
        }
    }
}
