//! One connection to an agent: numbers our requests, remembers who waits for which answer, and tells what a line says.
//!
//! Responsible for matching answers with requests, and for the trace. Never waits and starts nothing: its owner does
//! all of an agent's work in one place, in the order of the lines.

use std::collections::BTreeMap;

use agent_client_protocol_schema::v1::{CLIENT_METHOD_NAMES, ErrorCode, PROTOCOL_LEVEL_METHOD_NAMES};
use pupitre_protocol::agent::TraceDirection;
use pupitre_protocol::limits;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::envelope::{self, AgentRequestId, Envelope, Piece};
use super::incoming::{AgentRequest, Incoming, Noise};
use super::outgoing::OutgoingLines;
use super::trace::Trace;
use super::write::Call;
use super::{read, repair};

/// A connection whose requests each carry a `T` of the owner's, given back with the answer.
#[derive(Debug)]
pub(crate) struct Connection<T> {
    outgoing: OutgoingLines,
    trace: Trace,
    next_id: u64,
    waiting: BTreeMap<u64, T>,
}

/// Why a request of the agent's is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    UnknownMethod {
        method: String,
    },
    UnreadableParams {
        method: String,
        reason: String,
    },
    /// The agent took its request back.
    Cancelled,
    /// What it is about is not there (ACP: resource not found).
    Missing {
        what: String,
    },
    /// It may not be done as it was asked.
    Wrong {
        reason: String,
    },
    /// It was tried and failed.
    Failed {
        reason: String,
    },
}

impl<T> Connection<T> {
    pub(crate) fn new(outgoing: OutgoingLines, trace: Trace) -> Self {
        Self {
            outgoing,
            trace,
            next_id: 0,
            waiting: BTreeMap::new(),
        }
    }

    pub(crate) fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Closes the agent's input behind what was sent, and returns the trace.
    pub(crate) fn into_trace(self) -> Trace {
        self.trace
    }

    /// Sends a request; its answer comes as `Incoming::Reply` with `tag`.
    pub(crate) fn send_request<P: Serialize>(&mut self, call: &Call<P>, tag: T) {
        let id = self.next_id;
        self.next_id += 1;
        self.waiting.insert(id, tag);
        self.send(&Message {
            jsonrpc: VERSION,
            id: Some(id),
            method: call.method,
            params: &call.params,
        });
    }

    /// Sends a notification.
    pub(crate) fn notify<P: Serialize>(&mut self, call: &Call<P>) {
        self.send(&Message {
            jsonrpc: VERSION,
            id: None,
            method: call.method,
            params: &call.params,
        });
    }

    /// Answers a request of the agent's.
    pub(crate) fn reply(&mut self, id: &AgentRequestId, result: &impl Serialize) {
        self.send(&Answer {
            jsonrpc: VERSION,
            id,
            result,
        });
    }

    /// Answers a request of the agent's with an error.
    pub(crate) fn refuse(&mut self, id: &AgentRequestId, refusal: &Refusal) {
        let (code, message) = match refusal {
            Refusal::UnknownMethod { method } => {
                (ErrorCode::MethodNotFound, format!("unknown method {method}"))
            }
            Refusal::UnreadableParams { method, reason } => (
                ErrorCode::InvalidParams,
                format!("the parameters of {method} cannot be read: {reason}"),
            ),
            Refusal::Cancelled => (
                ErrorCode::RequestCancelled,
                "the request was cancelled".to_owned(),
            ),
            Refusal::Missing { what } => (ErrorCode::ResourceNotFound, what.clone()),
            Refusal::Wrong { reason } => (ErrorCode::InvalidParams, reason.clone()),
            Refusal::Failed { reason } => (ErrorCode::InternalError, reason.clone()),
        };
        let error = ErrorObject {
            code: code.into(),
            message,
        };
        self.send(&Refused {
            jsonrpc: VERSION,
            id,
            error,
        });
    }

    /// Reads a line of the agent's stdout. A line says one thing, more only when it holds a batch or other text.
    pub(crate) fn accept(&mut self, line: &[u8]) -> Vec<Incoming<T>> {
        let text = repair::text(line);
        let json = repair::surrogates(&text);
        if let Some(chunk) = read::text_chunk(&json) {
            self.trace.record(TraceDirection::FromAgent, &json);
            return vec![chunk];
        }
        let pieces = envelope::pieces(&json);
        if pieces.iter().any(|piece| matches!(piece, Piece::Message(_))) {
            self.trace.record(TraceDirection::FromAgent, &json);
        }
        let mut incoming = Vec::with_capacity(pieces.len());
        for piece in pieces {
            match piece {
                Piece::Message(envelope) => self.take(envelope, &mut incoming),
                Piece::Stray(text) => {
                    let text = envelope::cut(text, limits::TRACE_MESSAGE_BYTES).to_owned();
                    incoming.push(Incoming::Stray { text });
                }
            }
        }
        incoming
    }

    /// Says whether the agent still owes an answer to such a request.
    pub(crate) fn awaits(&self, is_such: impl Fn(&T) -> bool) -> bool {
        self.waiting.values().any(is_such)
    }

    /// Gives back what waits for an answer, in the order in which it was asked; later answers are noise.
    pub(crate) fn abandon(&mut self) -> impl Iterator<Item = T> + use<T> {
        std::mem::take(&mut self.waiting).into_values()
    }

    fn take(&mut self, envelope: Envelope<'_>, incoming: &mut Vec<Incoming<T>>) {
        match envelope {
            Envelope::Notification { method, params } => incoming.push(notification(&method, params)),
            Envelope::Request { id, method, params } if is_notification(&method) => {
                incoming.push(notification(&method, params));
                // An id makes it a request, which wants an answer; a null id is how some write none.
                if !id.is_null() {
                    let method = method.into_owned();
                    incoming.push(Incoming::Request {
                        id,
                        request: AgentRequest::Unknown { method },
                    });
                }
            }
            Envelope::Request { id, method, params } => {
                incoming.push(Incoming::Request {
                    id,
                    request: request(&method, params),
                });
            }
            Envelope::Answer { id, outcome } => {
                let tag = envelope::our_id(id).and_then(|id| self.waiting.remove(&id));
                incoming.push(match tag {
                    Some(tag) => Incoming::Reply {
                        tag,
                        outcome: outcome.map(std::borrow::Cow::into_owned),
                    },
                    None => {
                        let id = envelope::cut(id.get(), limits::LOG_LINE_BYTES).to_owned();
                        Incoming::Noise(Noise::AnswerToNothing { id })
                    }
                });
            }
            Envelope::ErrorWithoutId(error) => incoming.push(Incoming::Noise(Noise::ErrorWithoutId(error))),
        }
    }

    fn send(&mut self, message: &impl Serialize) {
        let mut line =
            serde_json::to_string(message).expect("a message of ours is text, numbers and lists of them");
        self.trace.record(TraceDirection::ToAgent, &line);
        line.push('\n');
        self.outgoing.push(line.into_bytes());
    }
}

fn is_notification(method: &str) -> bool {
    method == CLIENT_METHOD_NAMES.session_update
        || method == CLIENT_METHOD_NAMES.elicitation_complete
        || method == PROTOCOL_LEVEL_METHOD_NAMES.cancel_request
}

fn notification<T>(method: &str, params: Option<&RawValue>) -> Incoming<T> {
    if method == CLIENT_METHOD_NAMES.session_update {
        return read::session_update(params);
    }
    if method == PROTOCOL_LEVEL_METHOD_NAMES.cancel_request
        && let Some(id) = params.and_then(cancelled_request)
    {
        return Incoming::RequestCancelled { id };
    }
    if method == CLIENT_METHOD_NAMES.elicitation_complete
        && let Some(elicitation) = read::completed_elicitation(params)
    {
        return Incoming::ElicitationCompleted { elicitation };
    }
    Incoming::Noise(Noise::UnknownNotification {
        method: method.to_owned(),
    })
}

fn cancelled_request(params: &RawValue) -> Option<AgentRequestId> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow, rename = "requestId")]
        request_id: &'a RawValue,
    }
    let params: Params<'_> = serde_json::from_str(params.get()).ok()?;
    Some(AgentRequestId::new(params.request_id))
}

fn request(method: &str, params: Option<&RawValue>) -> AgentRequest {
    if method == CLIENT_METHOD_NAMES.session_request_permission {
        return match read::permission_request(params) {
            Ok(request) => AgentRequest::Permission(request),
            Err(reason) => AgentRequest::Unreadable {
                method: method.to_owned(),
                reason,
            },
        };
    }
    if method == CLIENT_METHOD_NAMES.elicitation_create {
        return match read::elicitation_request(params) {
            Ok(request) => AgentRequest::Elicitation(request),
            Err(reason) => AgentRequest::Unreadable {
                method: method.to_owned(),
                reason,
            },
        };
    }
    match read::client_call(method, params) {
        Some(Ok(call)) => AgentRequest::Client(call),
        Some(Err(reason)) => AgentRequest::Unreadable {
            method: method.to_owned(),
            reason,
        },
        None => AgentRequest::Unknown {
            method: method.to_owned(),
        },
    }
}

const VERSION: &str = "2.0";

#[derive(Serialize)]
struct Message<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'static str,
    params: &'a P,
}

#[derive(Serialize)]
struct Answer<'a, R> {
    jsonrpc: &'static str,
    id: &'a AgentRequestId,
    result: &'a R,
}

#[derive(Serialize)]
struct Refused<'a> {
    jsonrpc: &'static str,
    id: &'a AgentRequestId,
    error: ErrorObject,
}

#[derive(Serialize)]
struct ErrorObject {
    code: i32,
    message: String,
}

#[cfg(test)]
mod tests;
