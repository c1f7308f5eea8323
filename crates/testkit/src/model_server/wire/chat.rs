//! OpenAI Chat Completions.

use serde_json::{Value, json};

use super::{Whole, Wire, fresh_id};
use crate::model_server::http::SentEvent;
use crate::model_server::tools::{Call, Input};

pub(super) struct ChatWire {
    id: String,
    model: String,
    calls: usize,
}

impl ChatWire {
    pub(super) fn new(model: &str) -> Self {
        Self {
            id: fresh_id("chatcmpl-"),
            model: model.to_owned(),
            calls: 0,
        }
    }

    fn delta(&self, delta: Value, finish: Option<&str>) -> SentEvent {
        let choices = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        (None, self.chunk(choices))
    }

    fn chunk(&self, choices: Value) -> Value {
        json!({"id": self.id, "object": "chat.completion.chunk", "created": 1, "model": self.model, "choices": choices})
    }
}

impl Wire for ChatWire {
    fn begin(&mut self) -> Vec<SentEvent> {
        vec![self.delta(json!({"role": "assistant", "content": ""}), None)]
    }

    fn text(&mut self, piece: &str) -> Vec<SentEvent> {
        vec![self.delta(json!({"content": piece}), None)]
    }

    fn thought(&mut self, piece: &str) -> Vec<SentEvent> {
        vec![self.delta(json!({"reasoning_content": piece}), None)]
    }

    fn call(&mut self, call: &Call) -> Vec<SentEvent> {
        let index = self.calls;
        self.calls += 1;
        let arguments = arguments(call);
        let half = (0..=arguments.len() / 2)
            .rev()
            .find(|at| arguments.is_char_boundary(*at))
            .unwrap_or(0);
        let function = json!({"name": call.name, "arguments": ""});
        let begin =
            json!({"index": index, "id": fresh_id("call_"), "type": "function", "function": function});
        let part = |text: &str| json!({"tool_calls": [{"index": index, "function": {"arguments": text}}]});
        vec![
            self.delta(json!({"tool_calls": [begin]}), None),
            self.delta(part(&arguments[..half]), None),
            self.delta(part(&arguments[half..]), None),
        ]
    }

    fn end(&mut self) -> Vec<SentEvent> {
        let finish = if self.calls > 0 { "tool_calls" } else { "stop" };
        let mut last = self.chunk(json!([]));
        last["usage"] = usage();
        vec![self.delta(json!({}), Some(finish)), (None, last)]
    }
}

pub(super) fn whole(whole: &Whole, model: &str) -> Value {
    let mut message = json!({"role": "assistant", "content": whole.text});
    let calls: Vec<_> = whole.calls.iter().map(|call| {
        json!({"id": fresh_id("call_"), "type": "function", "function": {"name": call.name, "arguments": arguments(call)}})
    }).collect();
    let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let choices = json!([{"index": 0, "message": message, "finish_reason": finish}]);
    json!({"id": fresh_id("chatcmpl-"), "object": "chat.completion", "created": 1, "model": model, "choices": choices, "usage": usage()})
}

fn arguments(call: &Call) -> String {
    match &call.input {
        Input::Arguments(arguments) => arguments.to_string(),
        Input::Freeform(text) => json!({"input": text}).to_string(),
    }
}

fn usage() -> Value {
    json!({"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020, "prompt_tokens_details": {"cached_tokens": 100}})
}
