//! JSON-RPC envelopes as agents write them: what is a message in a line, and of which kind.
//!
//! Responsible for the members of an envelope, read as raw text first; their content is read in `read`. A `null` is
//! told from an absent member. Source: JSON-RPC 2.0, and what agents make of it.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use agent_client_protocol_schema::v1::ErrorCode;
use memchr::memchr;
use pupitre_protocol::limits;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::repair;

/// How many braces in a line with other text may turn out to open no JSON before the rest counts as text.
const FALSE_OPENINGS: usize = 16;

/// A part of a line.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    Message(Envelope<'a>),
    /// Text that is no message.
    Stray(&'a str),
}

/// One message of the agent.
#[derive(Debug)]
pub(super) enum Envelope<'a> {
    Request {
        id: AgentRequestId,
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    Notification {
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    Answer {
        id: &'a RawValue,
        outcome: Result<Cow<'a, RawValue>, AgentError>,
    },
    ErrorWithoutId(AgentError),
}

/// The id of a request of the agent's, kept as it was written: a number, a string, or anything else.
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub(crate) struct AgentRequestId(Box<RawValue>);

/// An error that the agent answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentError {
    /// `None` when it gave none, or none that is a whole number.
    pub(crate) code: Option<i64>,
    /// In the agent's own words, with what its `data` adds to them.
    pub(crate) message: String,
}

impl AgentError {
    /// Tells whether the agent asks for a login first (ACP: error -32000, `auth_required`).
    pub(crate) fn is_auth_required(&self) -> bool {
        self.code == Some(i64::from(i32::from(ErrorCode::AuthRequired)))
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// Returns what a line (already text, its surrogates repaired) consists of; nothing for a blank one.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let whole = match text.as_bytes().first() {
        None => return Vec::new(),
        Some(b'{') => message(text).map(|envelope| vec![Piece::Message(envelope)]),
        Some(b'[') => batch(text),
        Some(_) => None,
    };
    whole.unwrap_or_else(|| salvage(text))
}

/// Reads the messages of a batch one by one; one that is none is stray by itself.
fn batch(text: &str) -> Option<Vec<Piece<'_>>> {
    let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let pieces: Vec<_> = elements
        .into_iter()
        .map(|element| message(element.get()).map_or(Piece::Stray(element.get()), Piece::Message))
        .collect();
    pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Message(_)))
        .then_some(pieces)
}

/// Finds the messages of a line that also holds other text: behind a log line or an escape sequence, or one directly
/// after the other. Only objects that say `jsonrpc` count here, so that no data in the text is taken for a message.
fn salvage(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut claimed = 0;
    let mut at = 0;
    let mut false_openings = 0;
    while false_openings < FALSE_OPENINGS
        && let Some(open) = memchr(b'{', &text.as_bytes()[at..]).map(|found| at + found)
    {
        let Some(Ok(object)) = serde_json::Deserializer::from_str(&text[open..])
            .into_iter::<&RawValue>()
            .next()
        else {
            false_openings += 1;
            at = open + 1;
            continue;
        };
        at = open + object.get().len();
        if let Some(members) = Members::read(object.get())
            && members.jsonrpc.is_some()
            && let Some(envelope) = members.envelope()
        {
            push_stray(&mut pieces, &text[claimed..open]);
            pieces.push(Piece::Message(envelope));
            claimed = at;
        }
    }
    push_stray(&mut pieces, &text[claimed..]);
    pieces
}

fn push_stray<'a>(pieces: &mut Vec<Piece<'a>>, text: &'a str) {
    if repair::shows_something(text) {
        pieces.push(Piece::Stray(text.trim()));
    }
}

fn message(object: &str) -> Option<Envelope<'_>> {
    Members::read(object)?.envelope()
}

/// The members of an envelope. `None` is absent; a `null` is there.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Reads a member that is there, even when it is `null` (`Option` alone takes `null` for absent).
pub(super) fn present<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl<'a> Members<'a> {
    fn read(object: &'a str) -> Option<Self> {
        // A list would be read as members in their order.
        if !object.starts_with('{') {
            return None;
        }
        serde_json::from_str(object).ok()
    }

    fn envelope(self) -> Option<Envelope<'a>> {
        let params = self.params;
        if let Some(Text(method)) = self.method {
            return Some(match self.id {
                Some(id) => Envelope::Request {
                    id: AgentRequestId(id.to_owned()),
                    method,
                    params,
                },
                None => Envelope::Notification { method, params },
            });
        }
        let error = self.error.filter(|error| !is_null(error)).map(agent_error);
        match (self.id.filter(|id| !is_null(id)), error, self.result) {
            (Some(id), Some(error), _) => Some(Envelope::Answer {
                id,
                outcome: Err(error),
            }),
            (Some(id), None, Some(result)) => Some(Envelope::Answer {
                id,
                outcome: Ok(Cow::Borrowed(result)),
            }),
            // JavaScript leaves out a result that is undefined.
            (Some(id), None, None) if self.jsonrpc.is_some() || self.error.is_some() => {
                Some(Envelope::Answer {
                    id,
                    outcome: Ok(Cow::Owned(null())),
                })
            }
            (None, Some(error), _) => Some(Envelope::ErrorWithoutId(error)),
            (Some(_), None, None) | (None, None, _) => None,
        }
    }
}

fn null() -> Box<RawValue> {
    RawValue::from_string("null".to_owned()).expect("null is JSON")
}

pub(super) fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

/// Text that is borrowed from the line where it can be (`Cow` alone, inside an `Option`, is always read as owned).
#[derive(Debug, Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

fn string(value: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(value.get())
        .ok()
        .map(|text| text.0)
}

/// Reads an error of any form: as JSON-RPC has it, with a code that is text, without a message, or a bare string.
fn agent_error(error: &RawValue) -> AgentError {
    #[derive(Deserialize)]
    struct ErrorMembers<'a> {
        #[serde(borrow)]
        code: Option<&'a RawValue>,
        #[serde(borrow)]
        message: Option<&'a RawValue>,
        #[serde(borrow)]
        data: Option<&'a RawValue>,
    }
    let raw = || cut(error.get(), limits::LOG_LINE_BYTES).to_owned();
    if !error.get().starts_with('{') {
        return AgentError {
            code: None,
            message: string(error).map_or_else(raw, Cow::into_owned),
        };
    }
    let Ok(members) = serde_json::from_str::<ErrorMembers<'_>>(error.get()) else {
        return AgentError {
            code: None,
            message: raw(),
        };
    };
    let code = members
        .code
        .and_then(|code| serde_json::from_str(code.get()).ok());
    let mut message = members.message.and_then(string).map_or_else(raw, Cow::into_owned);
    if let Some(more) = members.data.and_then(words_of_data)
        && !message.contains(more.as_ref())
    {
        message.push_str(": ");
        message.push_str(&more);
    }
    AgentError { code, message }
}

/// Returns what an error's `data` says in words: many agents put the cause there and only "Internal error" before it.
fn words_of_data(data: &RawValue) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Data<'a> {
        #[serde(borrow)]
        details: Option<&'a RawValue>,
        #[serde(borrow)]
        message: Option<&'a RawValue>,
        #[serde(borrow)]
        error: Option<&'a RawValue>,
    }
    let words = if data.get().starts_with('{') {
        let data: Data<'_> = serde_json::from_str(data.get()).ok()?;
        [data.details, data.message, data.error]
            .into_iter()
            .flatten()
            .find_map(string)
    } else {
        string(data)
    };
    words.filter(|words| !words.is_empty())
}

/// Returns the beginning of a text, at most `limit_bytes` long, ending between two characters.
pub(super) fn cut(text: &str, limit_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(limit_bytes)]
}

/// Returns the number of one of our requests, which some agents give back as a string, or with a fraction of zero.
pub(super) fn our_id(id: &RawValue) -> Option<u64> {
    let text = id.get().trim_matches('"');
    text.strip_suffix(".0").unwrap_or(text).parse().ok()
}

impl AgentRequestId {
    pub(super) fn new(id: &RawValue) -> Self {
        Self(id.to_owned())
    }

    /// Tells whether the agent asked with a `null`, which many take for no id at all.
    pub(super) fn is_null(&self) -> bool {
        is_null(&self.0)
    }
}

impl PartialEq for AgentRequestId {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Eq for AgentRequestId {}

impl Hash for AgentRequestId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.get().hash(state);
    }
}

impl fmt::Debug for AgentRequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.get())
    }
}

impl fmt::Display for AgentRequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the pieces of a line in short.
    fn check(line: &str, expected: &[&str]) {
        let found: Vec<String> = pieces(line).iter().map(in_short).collect();
        assert_eq!(found, expected, "{line}");
    }

    fn in_short(piece: &Piece<'_>) -> String {
        match piece {
            Piece::Stray(text) => format!("stray {text}"),
            Piece::Message(Envelope::Request { id, method, params }) => {
                format!("request {id} {method} {}", params.map_or("-", RawValue::get))
            }
            Piece::Message(Envelope::Notification { method, params }) => {
                format!("notification {method} {}", params.map_or("-", RawValue::get))
            }
            Piece::Message(Envelope::Answer {
                id,
                outcome: Ok(result),
            }) => {
                format!("answer {} {}", id.get(), result.get())
            }
            Piece::Message(Envelope::Answer {
                id,
                outcome: Err(error),
            }) => {
                format!("error {} {:?} {error}", id.get(), error.code)
            }
            Piece::Message(Envelope::ErrorWithoutId(error)) => format!("error {:?} {error}", error.code),
        }
    }

    #[test]
    fn the_four_kinds_of_messages() {
        check(
            r#"{"jsonrpc":"2.0","id":0,"method":"a/b","params":{"x":1}}"#,
            &[r#"request 0 a/b {"x":1}"#],
        );
        check(r#"{"jsonrpc":"2.0","method":"a/b"}"#, &["notification a/b -"]);
        check(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, &["answer 1 {}"]);
        check(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}"#,
            &["error 1 Some(-32603) no"],
        );
    }

    #[test]
    fn ids_of_the_agent_stay_as_they_are() {
        for id in [
            "18446744073709551615",
            "1.5",
            "-1",
            r#""3ca65f76-fb11""#,
            r#""é\n""#,
            "null",
            r#"{"a":1}"#,
        ] {
            check(
                &format!(r#"{{"method":"m","id":{id}}}"#),
                &[&format!("request {id} m -")],
            );
        }
    }

    #[test]
    fn a_null_result_is_a_result() {
        check(r#"{"id":1,"result":null}"#, &["answer 1 null"]);
        check(
            r#"{"id":1,"result":{"a":1},"error":null}"#,
            &[r#"answer 1 {"a":1}"#],
        );
        check(r#"{"id":1,"error":null}"#, &["answer 1 null"]);
        check(r#"{"jsonrpc":"2.0","id":1}"#, &["answer 1 null"]);
        check(r#"{"id":1}"#, &[r#"stray {"id":1}"#]);
        check(
            r#"{"id":1,"result":null,"error":{"code":1,"message":"m"}}"#,
            &["error 1 Some(1) m"],
        );
    }

    #[test]
    fn errors_of_any_form_are_read() {
        check(
            r#"{"id":1,"error":{"code":"EPIPE","message":"broken"}}"#,
            &["error 1 None broken"],
        );
        check(
            r#"{"id":1,"error":{"code":5}}"#,
            &[r#"error 1 Some(5) {"code":5}"#],
        );
        check(r#"{"id":1,"error":"just words"}"#, &["error 1 None just words"]);
        check(r#"{"id":1,"error":[1]}"#, &["error 1 None [1]"]);
        check(
            r#"{"id":1,"error":{"code":1,"message":{"a":1}}}"#,
            &[r#"error 1 Some(1) {"code":1,"message":{"a":1}}"#],
        );
        check(
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"bad line"}}"#,
            &["error Some(-32700) bad line"],
        );
        check(
            r#"{"id":null,"error":{"code":-32700,"message":"bad line"}}"#,
            &["error Some(-32700) bad line"],
        );
    }

    #[test]
    fn the_cause_in_the_data_is_part_of_the_message() {
        let with = |data: &str| {
            format!(r#"{{"id":1,"error":{{"code":1,"message":"Internal error","data":{data}}}}}"#)
        };
        check(
            &with(r#"{"message":"no key","other":1}"#),
            &["error 1 Some(1) Internal error: no key"],
        );
        check(
            &with(r#"{"details":"no key"}"#),
            &["error 1 Some(1) Internal error: no key"],
        );
        check(&with(r#""no key""#), &["error 1 Some(1) Internal error: no key"]);
        check(&with(r#""Internal""#), &["error 1 Some(1) Internal error"]);
        check(&with("null"), &["error 1 Some(1) Internal error"]);
        check(&with("[1]"), &["error 1 Some(1) Internal error"]);
    }

    #[test]
    fn a_login_is_asked_for_by_its_code() {
        assert!(
            AgentError {
                code: Some(-32000),
                message: String::new()
            }
            .is_auth_required()
        );
        assert!(
            !AgentError {
                code: Some(-32603),
                message: String::new()
            }
            .is_auth_required()
        );
    }

    #[test]
    fn text_that_is_no_message_is_stray() {
        for line in [
            "Loaded cached credentials.",
            "42",
            "\"text\"",
            "{}",
            r#"{"level":"info"}"#,
            "[]",
            "[1,2]",
            "{",
        ] {
            check(line, &[&format!("stray {line}")]);
        }
        check("", &[]);
    }

    #[test]
    fn a_message_is_found_behind_other_text() {
        let message = r#"{"jsonrpc":"2.0","id":1,"result":1}"#;
        check(&format!("\u{1b}[2K\u{1b}[1G{message}"), &["answer 1 1"]);
        check(
            &format!("[INFO] {{x}}: {message}"),
            &["stray [INFO] {x}:", "answer 1 1"],
        );
        check(
            &format!("{message}{message} bye"),
            &["answer 1 1", "answer 1 1", "stray bye"],
        );
        check(
            &format!(r#"{{"jsonrpc":"2.0","id":4,"res{message}"#),
            &[r#"stray {"jsonrpc":"2.0","id":4,"res"#, "answer 1 1"],
        );
        check(
            r#"log {"id":1,"result":1}"#,
            &[r#"stray log {"id":1,"result":1}"#],
        );
    }

    #[test]
    fn text_full_of_braces_is_read_in_time() {
        let line = "{".repeat(200_000);
        check(&line, &[&format!("stray {line}")]);
    }

    #[test]
    fn a_batch_is_read_element_by_element() {
        check(
            r#"[{"method":"a"},{"id":1,"result":2},{"x":1},5]"#,
            &["notification a -", "answer 1 2", r#"stray {"x":1}"#, "stray 5"],
        );
    }

    #[test]
    fn our_ids_come_back_in_several_forms() {
        for (id, expected) in [
            ("3", Some(3)),
            ("\"3\"", Some(3)),
            ("3.0", Some(3)),
            ("3.5", None),
            ("null", None),
            ("-3", None),
        ] {
            let id: Box<RawValue> = serde_json::from_str(id).unwrap();
            assert_eq!(our_id(&id), expected, "{id}");
        }
    }
}
