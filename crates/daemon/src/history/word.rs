//! Our enumerations in storage: the words that the protocol has for them.

use pupitre_protocol::conversation::PartKind;
use rusqlite::types::Type;
use serde::Serialize;
use serde::de::value::{Error as WordError, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};

/// Returns the word for a value of an enumeration without data.
pub(super) fn word(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("an enumeration without data is a string");
    json.trim_matches('"').to_owned()
}

/// Returns the value that a word in this column stands for.
///
/// # Errors
///
/// When the word is not known.
pub(super) fn from_word<Value: DeserializeOwned>(column: usize, word: &str) -> rusqlite::Result<Value> {
    let deserializer: StrDeserializer<'_, WordError> = word.into_deserializer();
    Value::deserialize(deserializer)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into()))
}

/// Returns the value that is written as JSON in this column.
///
/// # Errors
///
/// When it is not the JSON of such a value.
pub(super) fn from_json<Value: DeserializeOwned>(column: usize, json: &str) -> rusqlite::Result<Value> {
    serde_json::from_str(json)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into()))
}

/// Says whether the text of a part of this kind is kept in pieces, to which more is appended.
pub(super) const fn is_text(kind: PartKind) -> bool {
    match kind {
        PartKind::Text | PartKind::Thought => true,
        PartKind::Tool | PartKind::Plan | PartKind::Image | PartKind::Resource => false,
    }
}

/// Returns a number as SQLite holds it. Ours count changes, messages and milliseconds and never come near the end.
pub(super) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns a number from SQLite; what was never written by [`integer`] reads as 0.
pub(super) fn natural(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
