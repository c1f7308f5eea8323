//! The tool calls that the demo agent pretends to make, and how each looks on the wire.
//! Nothing is read, written or run: the content is made up.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::prose;

/// What a permission is asked for, and so what "always" is remembered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asking {
    Edit,
    Run,
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    Read {
        file: NamedFile,
    },
    Edit {
        file: NamedFile,
    },
    Run {
        output_lines: Option<u32>,
    },
    /// The word `ask`: a question with nothing behind it.
    Nothing,
}

/// A file as a person named it, and where that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedFile {
    pub(super) name: String,
    pub(super) path: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolCall {
    pub(super) id: String,
    pub(super) action: Action,
}

/// The options of a permission request: id, name, kind.
pub(super) const ALLOW_ONCE: &str = "allow-once";
pub(super) const ALLOW_ALWAYS: &str = "allow-always";
pub(super) const REJECT_ONCE: &str = "reject-once";

impl ToolCall {
    /// Returns what "always" would stand for.
    pub(super) fn asking(&self) -> Asking {
        match self.action {
            Action::Edit { .. } => Asking::Edit,
            Action::Run { .. } => Asking::Run,
            Action::Read { .. } | Action::Nothing => Asking::Nothing,
        }
    }

    /// Returns the update that makes the call known, still pending.
    pub(super) fn announcement(&self) -> Value {
        let mut update = self.description();
        update["sessionUpdate"] = json!("tool_call");
        update["status"] = json!("pending");
        update
    }

    /// Returns the parameters of the permission request, but for the session's id.
    pub(super) fn permission_request(&self, session_id: &str) -> Value {
        let mut tool_call = self.description();
        tool_call["status"] = json!("pending");
        json!({
            "sessionId": session_id,
            "toolCall": tool_call,
            "options": [
                {"optionId": ALLOW_ONCE, "name": "Allow", "kind": "allow_once"},
                {"optionId": ALLOW_ALWAYS, "name": "Always allow in this conversation", "kind": "allow_always"},
                {"optionId": REJECT_ONCE, "name": "Reject", "kind": "reject_once"},
            ],
        })
    }

    pub(super) fn started(&self) -> Value {
        self.update("in_progress")
    }

    /// Returns what the call has printed so far, for those that print.
    pub(super) fn first_output(&self) -> Option<Value> {
        let Action::Run { output_lines: None } = self.action else {
            return None;
        };
        let mut update = self.update("in_progress");
        update["content"] = json!([text_content(prose::RUN_OUTPUT_BEGINNING)]);
        Some(update)
    }

    pub(super) fn completed(&self) -> Value {
        let mut update = self.update("completed");
        match &self.action {
            Action::Read { .. } => update["content"] = json!([text_content(prose::FILE_BEFORE)]),
            Action::Run { output_lines } => {
                update["content"] = json!([text_content(&run_output(*output_lines))]);
                update["rawOutput"] = json!({"exitCode": 0});
            }
            Action::Edit { .. } | Action::Nothing => {}
        }
        update
    }

    pub(super) fn failed(&self) -> Value {
        self.update("failed")
    }

    fn update(&self, status: &str) -> Value {
        json!({"sessionUpdate": "tool_call_update", "toolCallId": self.id, "status": status})
    }

    fn description(&self) -> Value {
        match &self.action {
            Action::Read {
                file: NamedFile { name, path },
            } => json!({
                "toolCallId": self.id,
                "title": format!("Read {name}"),
                "kind": "read",
                "locations": [{"path": path, "line": 1}],
                "rawInput": {"path": path},
            }),
            Action::Edit {
                file: NamedFile { name, path },
            } => json!({
                "toolCallId": self.id,
                "title": format!("Edit {name}"),
                "kind": "edit",
                "locations": [{"path": path, "line": 2}],
                "rawInput": {"path": path},
                "content": [{
                    "type": "diff",
                    "path": path,
                    "oldText": prose::FILE_BEFORE,
                    "newText": prose::FILE_AFTER,
                }],
            }),
            Action::Run { .. } => json!({
                "toolCallId": self.id,
                "title": prose::RUN_COMMAND,
                "kind": "execute",
                "rawInput": {"command": prose::RUN_COMMAND},
            }),
            Action::Nothing => json!({
                "toolCallId": self.id,
                "title": "Do nothing at all",
                "kind": "other",
                "rawInput": {},
            }),
        }
    }
}

fn run_output(lines: Option<u32>) -> String {
    let Some(lines) = lines else {
        return format!("{}{}", prose::RUN_OUTPUT_BEGINNING, prose::RUN_OUTPUT_END);
    };
    let mut output = String::new();
    for line in 1..=lines {
        writeln!(
            output,
            "line {line:>6} of {lines}: made up by the demo agent, nothing was run"
        )
        .expect("writing to a string cannot fail");
    }
    output
}

fn text_content(text: &str) -> Value {
    json!({"type": "content", "content": {"type": "text", "text": text}})
}
