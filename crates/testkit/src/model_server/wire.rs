//! The four formats in which a model answers, streamed or whole. One file each; this one knows what they share.

mod chat;
mod gemini;
mod messages;
mod responses;

use serde_json::{Value, json};

use super::http::SentEvent;
use super::tools::Call;

/// A format of requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Api {
    Chat,
    Responses,
    Messages,
    Gemini,
}

/// An answer that is not streamed.
#[derive(Debug, Default)]
pub(super) struct Whole {
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
}

/// Turns what a model does into the events of one format.
pub(super) trait Wire {
    fn begin(&mut self) -> Vec<SentEvent>;
    fn text(&mut self, piece: &str) -> Vec<SentEvent>;
    fn thought(&mut self, piece: &str) -> Vec<SentEvent>;
    fn call(&mut self, call: &Call) -> Vec<SentEvent>;
    fn end(&mut self) -> Vec<SentEvent>;
}

impl Api {
    pub(super) fn of_path(path: &str) -> Option<Self> {
        if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with("/responses") {
            Some(Self::Responses)
        } else if path.ends_with("/messages") {
            Some(Self::Messages)
        } else if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
            Some(Self::Gemini)
        } else {
            None
        }
    }

    pub(super) fn is_streamed(self, path: &str, body: &Value) -> bool {
        match self {
            Self::Chat | Self::Responses | Self::Messages => body["stream"] == true,
            Self::Gemini => path.ends_with(":streamGenerateContent"),
        }
    }

    pub(super) fn wire(self, model: &str) -> Box<dyn Wire> {
        match self {
            Self::Chat => Box::new(chat::ChatWire::new(model)),
            Self::Responses => Box::new(responses::ResponsesWire::new(model)),
            Self::Messages => Box::new(messages::MessagesWire::new(model)),
            Self::Gemini => Box::new(gemini::GeminiWire),
        }
    }

    pub(super) fn whole(self, whole: &Whole, model: &str) -> Value {
        match self {
            Self::Chat => chat::whole(whole, model),
            Self::Responses => responses::whole(whole, model),
            Self::Messages => messages::whole(whole, model),
            Self::Gemini => gemini::whole(whole),
        }
    }

    /// Returns what comes after the last event.
    pub(super) fn last_words(self) -> &'static str {
        match self {
            Self::Chat => "data: [DONE]\n\n",
            Self::Responses | Self::Messages | Self::Gemini => "",
        }
    }

    /// Returns the status and body for a key that opens nothing.
    pub(super) fn refusal(self) -> (u16, Value) {
        let text = "this key opens nothing";
        match self {
            Self::Chat | Self::Responses => (
                401,
                json!({"error": {"message": text, "type": "invalid_request_error", "code": "invalid_api_key"}}),
            ),
            Self::Messages => (
                401,
                json!({"type": "error", "error": {"type": "authentication_error", "message": text}}),
            ),
            Self::Gemini => (
                400,
                json!({"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}),
            ),
        }
    }

    /// Returns the body for a failure with this status.
    pub(super) fn failure(self, status: u16) -> Value {
        let text = format!("failing with {status}, as was asked");
        match self {
            Self::Chat | Self::Responses => {
                json!({"error": {"message": text, "type": "server_error", "code": status}})
            }
            Self::Messages => json!({"type": "error", "error": {"type": "api_error", "message": text}}),
            Self::Gemini => json!({"error": {"code": status, "message": text, "status": "UNAVAILABLE"}}),
        }
    }
}

/// Returns `prefix` and a number that no other id of this process has.
fn fresh_id(prefix: &str) -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{prefix}{:012}", NEXT.fetch_add(1, Ordering::Relaxed))
}
