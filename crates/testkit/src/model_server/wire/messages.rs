//! Anthropic Messages.

use serde_json::{Value, json};

use super::{Whole, Wire, fresh_id};
use crate::model_server::http::SentEvent;
use crate::model_server::tools::{Call, Input};

pub(super) struct MessagesWire {
    model: String,
    /// Blocks begun so far; the last one is open while `open` says so.
    blocks: usize,
    open: Option<BlockKind>,
    calls: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Text,
    Thinking,
    Call,
}

impl MessagesWire {
    pub(super) fn new(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            blocks: 0,
            open: None,
            calls: 0,
        }
    }

    fn in_block(&mut self, kind: BlockKind, begin: Value) -> Vec<SentEvent> {
        if self.open == Some(kind) && kind != BlockKind::Call {
            return Vec::new();
        }
        let mut events = self.close();
        events.push(event(
            "content_block_start",
            json!({"index": self.blocks, "content_block": begin}),
        ));
        self.blocks += 1;
        self.open = Some(kind);
        events
    }

    fn delta(&self, delta: Value) -> SentEvent {
        event(
            "content_block_delta",
            json!({"index": self.blocks - 1, "delta": delta}),
        )
    }

    fn close(&mut self) -> Vec<SentEvent> {
        let Some(kind) = self.open.take() else {
            return Vec::new();
        };
        let stop = event("content_block_stop", json!({"index": self.blocks - 1}));
        match kind {
            BlockKind::Thinking => {
                vec![
                    self.delta(json!({"type": "signature_delta", "signature": "c2lnbmVk"})),
                    stop,
                ]
            }
            BlockKind::Text | BlockKind::Call => vec![stop],
        }
    }
}

impl Wire for MessagesWire {
    fn begin(&mut self) -> Vec<SentEvent> {
        let message = message(&self.model, &json!([]), None);
        vec![
            event("message_start", json!({"message": message})),
            event("ping", json!({})),
        ]
    }

    fn text(&mut self, piece: &str) -> Vec<SentEvent> {
        let mut events = self.in_block(BlockKind::Text, json!({"type": "text", "text": ""}));
        events.push(self.delta(json!({"type": "text_delta", "text": piece})));
        events
    }

    fn thought(&mut self, piece: &str) -> Vec<SentEvent> {
        let begin = json!({"type": "thinking", "thinking": "", "signature": ""});
        let mut events = self.in_block(BlockKind::Thinking, begin);
        events.push(self.delta(json!({"type": "thinking_delta", "thinking": piece})));
        events
    }

    fn call(&mut self, call: &Call) -> Vec<SentEvent> {
        self.calls += 1;
        let begin = json!({"type": "tool_use", "id": fresh_id("toolu_"), "name": call.name, "input": {}});
        let mut events = self.in_block(BlockKind::Call, begin);
        let arguments = input(call).to_string();
        events.push(self.delta(json!({"type": "input_json_delta", "partial_json": arguments})));
        events
    }

    fn end(&mut self) -> Vec<SentEvent> {
        let mut events = self.close();
        let reason = if self.calls > 0 { "tool_use" } else { "end_turn" };
        let delta = json!({"stop_reason": reason, "stop_sequence": null});
        events.push(event("message_delta", json!({"delta": delta, "usage": usage()})));
        events.push(event("message_stop", json!({})));
        events
    }
}

pub(super) fn whole(whole: &Whole, model: &str) -> Value {
    let mut content = Vec::new();
    if !whole.text.is_empty() {
        content.push(json!({"type": "text", "text": whole.text}));
    }
    for call in &whole.calls {
        content.push(
            json!({"type": "tool_use", "id": fresh_id("toolu_"), "name": call.name, "input": input(call)}),
        );
    }
    let reason = if whole.calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    };
    message(model, &content.into(), Some(reason))
}

fn message(model: &str, content: &Value, stop_reason: Option<&str>) -> Value {
    json!({"id": fresh_id("msg_"), "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": stop_reason, "stop_sequence": null, "usage": usage()})
}

fn input(call: &Call) -> Value {
    match &call.input {
        Input::Arguments(arguments) => arguments.clone(),
        Input::Freeform(text) => json!({"input": text}),
    }
}

fn event(name: &'static str, mut data: Value) -> SentEvent {
    data["type"] = name.into();
    (Some(name), data)
}

fn usage() -> Value {
    json!({"input_tokens": 1000, "output_tokens": 20, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 0})
}
