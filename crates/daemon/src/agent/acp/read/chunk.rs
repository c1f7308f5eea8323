//! The short road for what agents send most: a piece of text.
//!
//! One look at the line instead of one for each layer of it, which is nearly half of the time. Whatever is not exactly
//! a chunk of text is left to the long road, which reads chunks too, and the same.

use agent_client_protocol_schema::v1::CLIENT_METHOD_NAMES;
use pupitre_model::conversation::{Update, Voice};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::super::envelope::Text;
use super::super::incoming::Incoming;

/// Longer lines are not looked at: for one that is something else, the look would be wasted. In bytes.
const SHORT_BYTES: usize = 64 << 10;

#[derive(Deserialize)]
struct Line<'a> {
    id: Option<IgnoredAny>,
    #[serde(borrow)]
    method: Text<'a>,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    session_id: String,
    #[serde(borrow)]
    update: Chunk<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow)]
    session_update: Text<'a>,
    message_id: Option<String>,
    #[serde(borrow)]
    content: Block<'a>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    r#type: Text<'a>,
    text: String,
}

/// Returns the update of a line (already text, its surrogates repaired) that is a chunk of text; `None` for all others.
pub(in super::super) fn text_chunk<T>(line: &str) -> Option<Incoming<T>> {
    if line.len() > SHORT_BYTES || !line.starts_with('{') {
        return None;
    }
    let Line {
        id,
        method,
        params: Params { session_id, update },
    } = serde_json::from_str(line).ok()?;
    let voice = match update.session_update.0.as_ref() {
        "agent_message_chunk" => Voice::Answer,
        "agent_thought_chunk" => Voice::Thought,
        _ => return None,
    };
    let Block { r#type, text } = update.content;
    let is_text = r#type.0 == "text" && !text.is_empty();
    if id.is_some() || method.0 != CLIENT_METHOD_NAMES.session_update || !is_text {
        return None;
    }
    let update = Update::Text {
        voice,
        message_id: update.message_id,
        text,
    };
    Some(Incoming::Update {
        session_id,
        update,
        skipped: Vec::new(),
    })
}
