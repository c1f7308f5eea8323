//! OpenAI Responses.

use serde_json::{Value, json};

use super::{Whole, Wire, fresh_id};
use crate::model_server::http::SentEvent;
use crate::model_server::tools::{Call, Input};

pub(super) struct ResponsesWire {
    response: Value,
    sequence: u64,
    output: Vec<Value>,
    open: Option<OpenItem>,
}

/// The item that is being streamed.
struct OpenItem {
    kind: ItemKind,
    id: String,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Message,
    Reasoning,
}

impl ResponsesWire {
    pub(super) fn new(model: &str) -> Self {
        let response = json!({"id": fresh_id("resp_"), "object": "response", "created_at": 1, "model": model,
            "status": "in_progress", "output": []});
        Self {
            response,
            sequence: 0,
            output: Vec::new(),
            open: None,
        }
    }

    fn event(&mut self, name: &'static str, mut data: Value) -> SentEvent {
        self.sequence += 1;
        data["type"] = name.into();
        data["sequence_number"] = self.sequence.into();
        (Some(name), data)
    }

    fn piece(&mut self, kind: ItemKind, piece: &str) -> Vec<SentEvent> {
        let mut events = Vec::new();
        if self.open.as_ref().is_none_or(|open| open.kind != kind) {
            events.extend(self.close());
            events.extend(self.open(kind));
        }
        let index = self.output.len();
        let Some(open) = &mut self.open else { return events };
        open.text.push_str(piece);
        let id = open.id.clone();
        events.push(match kind {
            ItemKind::Message => self.event(
                "response.output_text.delta",
                json!({"output_index": index, "item_id": id, "content_index": 0, "delta": piece}),
            ),
            ItemKind::Reasoning => self.event(
                "response.reasoning_summary_text.delta",
                json!({"output_index": index, "item_id": id, "summary_index": 0, "delta": piece}),
            ),
        });
        events
    }

    fn open(&mut self, kind: ItemKind) -> Vec<SentEvent> {
        let index = self.output.len();
        let (id, item) = match kind {
            ItemKind::Message => {
                let id = fresh_id("msg_");
                let item = json!({"type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": []});
                (id, item)
            }
            ItemKind::Reasoning => {
                let id = fresh_id("rs_");
                let item = json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": null});
                (id, item)
            }
        };
        let added = self.event(
            "response.output_item.added",
            json!({"output_index": index, "item": item}),
        );
        let part = match kind {
            ItemKind::Message => self.event(
                "response.content_part.added",
                json!({"output_index": index, "item_id": id, "content_index": 0,
                    "part": {"type": "output_text", "text": "", "annotations": []}}),
            ),
            ItemKind::Reasoning => self.event(
                "response.reasoning_summary_part.added",
                json!({"output_index": index, "item_id": id, "summary_index": 0, "part": {"type": "summary_text", "text": ""}}),
            ),
        };
        self.open = Some(OpenItem {
            kind,
            id,
            text: String::new(),
        });
        vec![added, part]
    }

    fn close(&mut self) -> Vec<SentEvent> {
        let Some(open) = self.open.take() else {
            return Vec::new();
        };
        let index = self.output.len();
        let (done, item) = match open.kind {
            ItemKind::Message => (
                self.event(
                    "response.output_text.done",
                    json!({"output_index": index, "item_id": open.id, "content_index": 0, "text": open.text}),
                ),
                message_item(&open.id, &open.text),
            ),
            ItemKind::Reasoning => (
                self.event(
                    "response.reasoning_summary_text.done",
                    json!({"output_index": index, "item_id": open.id, "summary_index": 0, "text": open.text}),
                ),
                json!({"type": "reasoning", "id": open.id, "encrypted_content": null,
                    "summary": [{"type": "summary_text", "text": open.text}]}),
            ),
        };
        let finished = self.finish_item(item);
        vec![done, finished]
    }

    fn finish_item(&mut self, item: Value) -> SentEvent {
        let index = self.output.len();
        self.output.push(item.clone());
        self.event(
            "response.output_item.done",
            json!({"output_index": index, "item": item}),
        )
    }
}

impl Wire for ResponsesWire {
    fn begin(&mut self) -> Vec<SentEvent> {
        let response = self.response.clone();
        vec![self.event("response.created", json!({"response": response}))]
    }

    fn text(&mut self, piece: &str) -> Vec<SentEvent> {
        self.piece(ItemKind::Message, piece)
    }

    fn thought(&mut self, piece: &str) -> Vec<SentEvent> {
        self.piece(ItemKind::Reasoning, piece)
    }

    fn call(&mut self, call: &Call) -> Vec<SentEvent> {
        let mut events = self.close();
        let item = call_item(call);
        let index = self.output.len();
        events.push(self.event(
            "response.output_item.added",
            json!({"output_index": index, "item": item}),
        ));
        events.push(self.finish_item(item));
        events
    }

    fn end(&mut self) -> Vec<SentEvent> {
        let mut events = self.close();
        let mut response = self.response.clone();
        response["status"] = "completed".into();
        response["output"] = self.output.clone().into();
        response["usage"] = usage();
        events.push(self.event("response.completed", json!({"response": response})));
        events
    }
}

pub(super) fn whole(whole: &Whole, model: &str) -> Value {
    let mut output = Vec::new();
    if !whole.text.is_empty() {
        output.push(message_item(&fresh_id("msg_"), &whole.text));
    }
    output.extend(whole.calls.iter().map(call_item));
    json!({"id": fresh_id("resp_"), "object": "response", "created_at": 1, "model": model, "status": "completed",
        "output": output, "usage": usage()})
}

fn message_item(id: &str, text: &str) -> Value {
    json!({"type": "message", "id": id, "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

fn call_item(call: &Call) -> Value {
    let (id, call_id) = (fresh_id("fc_"), fresh_id("call_"));
    match &call.input {
        Input::Arguments(arguments) => {
            json!({"type": "function_call", "id": id, "call_id": call_id, "name": call.name,
            "arguments": arguments.to_string(), "status": "completed"})
        }
        Input::Freeform(text) => {
            json!({"type": "custom_tool_call", "id": id, "call_id": call_id, "name": call.name,
            "input": text, "status": "completed"})
        }
    }
}

fn usage() -> Value {
    json!({"input_tokens": 1000, "input_tokens_details": {"cached_tokens": 100}, "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 5}, "total_tokens": 1020})
}
