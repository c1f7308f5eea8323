//! Gemini: `generateContent` and `streamGenerateContent`.

use serde_json::{Value, json};

use super::{Whole, Wire};
use crate::model_server::http::SentEvent;
use crate::model_server::tools::{Call, Input};

pub(super) struct GeminiWire;

impl Wire for GeminiWire {
    fn begin(&mut self) -> Vec<SentEvent> {
        Vec::new()
    }

    fn text(&mut self, piece: &str) -> Vec<SentEvent> {
        vec![(None, answer(&json!([{"text": piece}]), None))]
    }

    fn thought(&mut self, piece: &str) -> Vec<SentEvent> {
        vec![(None, answer(&json!([{"text": piece, "thought": true}]), None))]
    }

    fn call(&mut self, call: &Call) -> Vec<SentEvent> {
        vec![(None, answer(&json!([part(call)]), None))]
    }

    fn end(&mut self) -> Vec<SentEvent> {
        vec![(None, answer(&json!([{"text": ""}]), Some("STOP")))]
    }
}

pub(super) fn whole(whole: &Whole) -> Value {
    let mut parts = vec![json!({"text": whole.text})];
    parts.extend(whole.calls.iter().map(part));
    answer(&parts.into(), Some("STOP"))
}

fn part(call: &Call) -> Value {
    let arguments = match &call.input {
        Input::Arguments(arguments) => arguments.clone(),
        Input::Freeform(text) => json!({"input": text}),
    };
    json!({"functionCall": {"name": call.name, "args": arguments}})
}

fn answer(parts: &Value, finish: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let Some(finish) = finish {
        candidate["finishReason"] = finish.into();
    }
    let usage = json!({"promptTokenCount": 1000, "candidatesTokenCount": 20, "totalTokenCount": 1020, "cachedContentTokenCount": 100});
    json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "test-model", "responseId": "r1"})
}
