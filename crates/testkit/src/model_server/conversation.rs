//! What an agent sends to a model, read from the four formats: the tools it offers, what the person said, what tools
//! gave back.

use serde_json::Value;

use super::play::is_play;
use super::tools::{Tool, ToolKind};
use super::wire::Api;

#[derive(Clone, Debug, Default)]
pub(super) struct Conversation {
    pub(super) model: String,
    pub(super) tools: Vec<Tool>,
    pub(super) events: Vec<Event>,
    /// The agent wants nothing but JSON.
    pub(super) wants_json: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    User(String),
    Result(String),
}

impl Conversation {
    pub(super) fn read(api: Api, body: &Value) -> Self {
        let model = body["model"].as_str().unwrap_or("test-model").to_owned();
        let mut conversation = Self {
            model,
            ..Self::default()
        };
        match api {
            Api::Chat => conversation.read_chat(body),
            Api::Responses => conversation.read_responses(body),
            Api::Messages => conversation.read_messages(body),
            Api::Gemini => conversation.read_gemini(body),
        }
        conversation
    }

    /// Returns what tools gave back since the last prompt with words for this server.
    pub(super) fn results_since_play(&self) -> Vec<String> {
        let mut results = Vec::new();
        for event in self.events.iter().rev() {
            match event {
                Event::User(text) if is_play(text) => break,
                Event::User(_) => {}
                Event::Result(text) => results.push(text.clone()),
            }
        }
        results.reverse();
        results
    }

    fn read_chat(&mut self, body: &Value) {
        for tool in list(&body["tools"]) {
            let function = &tool["function"];
            self.tools.push(Tool::new(
                &function["name"],
                &function["parameters"],
                ToolKind::Arguments,
            ));
        }
        for message in list(&body["messages"]) {
            match message["role"].as_str() {
                Some("user") => self.events.push(Event::User(text(&message["content"]))),
                Some("tool") => self.events.push(Event::Result(text(&message["content"]))),
                Some(_) | None => {}
            }
        }
    }

    fn read_responses(&mut self, body: &Value) {
        for tool in list(&body["tools"]) {
            let name = if tool["name"].is_string() {
                &tool["name"]
            } else {
                &tool["type"]
            };
            let kind = if tool["type"] == "custom" {
                ToolKind::Freeform
            } else {
                ToolKind::Arguments
            };
            self.tools.push(Tool::new(name, &tool["parameters"], kind));
        }
        if let Some(input) = body["input"].as_str() {
            self.events.push(Event::User(input.to_owned()));
        }
        for item in list(&body["input"]) {
            let kind = item["type"].as_str().unwrap_or("message");
            if kind.ends_with("_call_output") {
                self.events.push(Event::Result(text(&item["output"])));
            } else if kind == "message" && item["role"] == "user" {
                self.events.push(Event::User(text(&item["content"])));
            }
        }
    }

    fn read_messages(&mut self, body: &Value) {
        for tool in list(&body["tools"]) {
            self.tools.push(Tool::new(
                &tool["name"],
                &tool["input_schema"],
                ToolKind::Arguments,
            ));
        }
        for message in list(&body["messages"])
            .iter()
            .filter(|message| message["role"] == "user")
        {
            if let Some(content) = message["content"].as_str() {
                self.events.push(Event::User(content.to_owned()));
            }
            for block in list(&message["content"]) {
                match block["type"].as_str() {
                    Some("text") => self.events.push(Event::User(text(block))),
                    Some("tool_result") => self.events.push(Event::Result(text(&block["content"]))),
                    Some(_) | None => {}
                }
            }
        }
    }

    fn read_gemini(&mut self, body: &Value) {
        for tool in list(&body["tools"]) {
            for function in list(&tool["functionDeclarations"]) {
                let schema = &function["parametersJsonSchema"];
                let schema = if schema.is_object() {
                    schema
                } else {
                    &function["parameters"]
                };
                self.tools
                    .push(Tool::new(&function["name"], schema, ToolKind::Arguments));
            }
        }
        for content in list(&body["contents"]) {
            for part in list(&content["parts"]) {
                if part["functionResponse"].is_object() {
                    self.events
                        .push(Event::Result(part["functionResponse"]["response"].to_string()));
                } else if content["role"] == "user" && part["text"].is_string() {
                    self.events.push(Event::User(text(part)));
                }
            }
        }
        self.wants_json = body["generationConfig"]["responseMimeType"] == "application/json";
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Returns the text in a string, in a block with `text`, or in a list of such.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text).collect::<Vec<_>>().join("\n"),
        Value::Object(block) => block
            .get("text")
            .or_else(|| block.get("content"))
            .map(text)
            .unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}
