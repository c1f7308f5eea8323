//! One line of the client, read strictly: what a careless client may send kills some agents.

use std::collections::HashSet;
use std::io::BufRead;

use serde_json::{Map, Value};

use super::report::Divergence;

/// A message of the client.
#[derive(Clone, Debug)]
pub(super) enum ClientLine {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    Answer {
        id: Value,
        content: AnswerContent,
    },
}

#[derive(Clone, Debug)]
pub(super) enum AnswerContent {
    Result(Value),
    Error(Value),
}

/// The client's side of stdin.
pub(super) struct ClientLines<R> {
    input: R,
    request_ids: HashSet<i64>,
}

impl<R: BufRead> ClientLines<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            request_ids: HashSet::new(),
        }
    }

    /// Returns the next message, or nothing when the client has closed our stdin.
    pub(super) fn next(&mut self) -> Result<Option<ClientLine>, Divergence> {
        let mut line = Vec::new();
        let read = self.input.read_until(b'\n', &mut line);
        read.map_err(|error| Divergence(format!("stdin cannot be read: {error}")))?;
        if line.is_empty() {
            return Ok(None);
        }
        if line.pop() != Some(b'\n') {
            return Err(Divergence("stdin ended in the middle of a line".to_owned()));
        }
        let shown = || shorten(&String::from_utf8_lossy(&line));
        let message: Map<String, Value> = serde_json::from_slice(&line)
            .map_err(|error| Divergence(format!("a line is no JSON object ({error}): {}", shown())))?;
        self.classify(message)
            .map_err(|problem| Divergence(format!("{problem}: {}", shown())))
            .map(Some)
    }

    fn classify(&mut self, mut message: Map<String, Value>) -> Result<ClientLine, String> {
        if message.get("jsonrpc") != Some(&Value::from("2.0")) {
            return Err("a message without jsonrpc 2.0".to_owned());
        }
        let id = message.remove("id");
        let (result, error) = (message.remove("result"), message.remove("error"));
        match (message.remove("method"), result, error) {
            (Some(Value::String(method)), None, None) => {
                let params = message.remove("params").unwrap_or(Value::Null);
                let Some(id) = id else {
                    return Ok(ClientLine::Notification { method, params });
                };
                let number = id
                    .as_i64()
                    .ok_or_else(|| format!("the id of {method} is no integer"))?;
                if !self.request_ids.insert(number) {
                    return Err(format!("the id of {method} was used before"));
                }
                Ok(ClientLine::Request { id, method, params })
            }
            (None, Some(result), None) => {
                let id = id.ok_or("an answer without id")?;
                Ok(ClientLine::Answer {
                    id,
                    content: AnswerContent::Result(result),
                })
            }
            (None, None, Some(error)) => {
                if error["code"].as_i64().is_none() || !error["message"].is_string() {
                    return Err("an error without code or message".to_owned());
                }
                let id = id.ok_or("an error without id")?;
                Ok(ClientLine::Answer {
                    id,
                    content: AnswerContent::Error(error),
                })
            }
            _ => Err("a message that is neither request, notification nor answer".to_owned()),
        }
    }
}

impl ClientLine {
    /// Returns a short name for reports.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Request { id, method, .. } => format!("the request {method} (id {id})"),
            Self::Notification { method, .. } => format!("the notification {method}"),
            Self::Answer {
                id,
                content: AnswerContent::Result(result),
            } => {
                format!("an answer to {id}: {}", shorten(&result.to_string()))
            }
            Self::Answer {
                id,
                content: AnswerContent::Error(error),
            } => {
                format!("an error for {id}: {}", shorten(&error.to_string()))
            }
        }
    }
}

fn shorten(text: &str) -> String {
    const SHOWN_CHARACTERS: usize = 400;
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
