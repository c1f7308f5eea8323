//! Whether a message of our client does what the recorded client's message did at the same place: same method,
//! same shape, and the rules of ACP v1 where a client is free.

use std::path::Path;

use serde_json::Value;

use super::client_line::{AnswerContent, ClientLine};
use super::report::Divergence;
use crate::transcript::OfferedOption;

/// A request of the agent that waits for an answer.
#[derive(Debug)]
pub(super) struct AgentRequest {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Value,
}

/// What our client said it can do, in `initialize`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Offered {
    read_text_file: bool,
    write_text_file: bool,
    terminal: bool,
}

impl Offered {
    pub(super) fn read(params: &Value) -> Self {
        let capabilities = &params["clientCapabilities"];
        let is_true = |value: &Value| *value == Value::Bool(true);
        Self {
            read_text_file: is_true(&capabilities["fs"]["readTextFile"]),
            write_text_file: is_true(&capabilities["fs"]["writeTextFile"]),
            terminal: is_true(&capabilities["terminal"]),
        }
    }

    fn covers(self, method: &str) -> bool {
        match method {
            "fs/read_text_file" => self.read_text_file,
            "fs/write_text_file" => self.write_text_file,
            _ => method.starts_with("terminal/") && self.terminal,
        }
    }
}

/// Whether `line` has the role of the recorded message: the same method, or an answer to the same request.
pub(super) fn has_role(line: &ClientLine, recorded: &Value) -> bool {
    let recorded_method = recorded["method"].as_str();
    match line {
        ClientLine::Request { method, .. } => recorded_method == Some(method) && recorded.get("id").is_some(),
        ClientLine::Notification { method, .. } => {
            recorded_method == Some(method) && recorded.get("id").is_none()
        }
        ClientLine::Answer { id, .. } => recorded_method.is_none() && recorded["id"] == *id,
    }
}

/// Checks the parameters of a request or notification of ours. `recorded` are the recorded client's.
pub(super) fn check_params(method: &str, ours: &Value, recorded: &Value) -> Result<(), Divergence> {
    let wrong = |what: &str| Err(Divergence(format!("{method}: {what}: {ours}")));
    if !ours.is_object() {
        return wrong("params is no object");
    }
    if recorded.get("sessionId").is_some() && ours["sessionId"] != recorded["sessionId"] {
        return wrong("another session id than the agent gave");
    }
    match method {
        "initialize" => {
            if ours["protocolVersion"] != 1 {
                return wrong("protocolVersion is not 1");
            }
            let capabilities = &ours["clientCapabilities"];
            let flags = [
                &capabilities["fs"]["readTextFile"],
                &capabilities["fs"]["writeTextFile"],
                &capabilities["terminal"],
            ];
            if !(capabilities.is_object() || capabilities.is_null())
                || flags.iter().any(|flag| !(flag.is_boolean() || flag.is_null()))
            {
                return wrong("clientCapabilities has another shape");
            }
            let info = &ours["clientInfo"];
            let names_itself = info["name"].is_string() && info["version"].is_string();
            if !(info.is_null() || names_itself) {
                return wrong("clientInfo without name or version");
            }
        }
        "session/new" => {
            if !ours["cwd"]
                .as_str()
                .is_some_and(|cwd| Path::new(cwd).is_absolute())
            {
                return wrong("cwd is no absolute path");
            }
            if !ours["mcpServers"].is_array() {
                return wrong("mcpServers is no list");
            }
        }
        "session/prompt" => {
            let blocks = ours["prompt"].as_array().map(Vec::as_slice).unwrap_or_default();
            if blocks.is_empty() || !blocks.iter().all(is_content_block) {
                return wrong("prompt is no list of content blocks");
            }
        }
        _ => {}
    }
    Ok(())
}

/// Checks an answer of ours to `request`, which the recorded client answered with `recorded`.
pub(super) fn check_answer(
    request: &AgentRequest,
    content: &AnswerContent,
    recorded: &Value,
    offered: Offered,
) -> Result<(), Divergence> {
    let method = request.method.as_str();
    let wrong = |what: String| Err(Divergence(format!("answer to {method} {}: {what}", request.id)));
    let is_capability = method.starts_with("fs/") || method.starts_with("terminal/");
    if is_capability && !offered.covers(method) {
        return match content {
            AnswerContent::Error(error) if error["code"] == -32601 => Ok(()),
            AnswerContent::Error(error) => wrong(format!("not offered, and yet the error is {error}")),
            AnswerContent::Result(result) => wrong(format!("not offered, and yet answered with {result}")),
        };
    }
    let result = match (content, recorded.get("error")) {
        (AnswerContent::Error(_), Some(_)) => return Ok(()),
        (AnswerContent::Error(error), None) => return wrong(format!("an error: {error}")),
        (AnswerContent::Result(result), Some(_)) => return wrong(format!("no error but {result}")),
        (AnswerContent::Result(result), None) => result,
    };
    let has_shape = match method {
        "session/request_permission" => return check_permission(request, result, &recorded["result"]),
        "fs/read_text_file" => result["content"].is_string(),
        "fs/write_text_file" | "terminal/kill" | "terminal/release" => result.is_object() || result.is_null(),
        "terminal/create" => result["terminalId"].is_string(),
        "terminal/output" => result["output"].is_string() && result["truncated"].is_boolean(),
        "terminal/wait_for_exit" => result.is_object(),
        _ => true,
    };
    if has_shape {
        Ok(())
    } else {
        wrong(format!("another shape: {result}"))
    }
}

/// Checks that the outcome is of the recorded kind, with an option that this request offers.
fn check_permission(request: &AgentRequest, ours: &Value, recorded: &Value) -> Result<(), Divergence> {
    let options = OfferedOption::read(&request.params["options"]);
    let kind_of = |answer: &Value| -> Result<String, Divergence> {
        match answer["outcome"]["outcome"].as_str() {
            Some("cancelled") => Ok("cancelled".to_owned()),
            Some("selected") => {
                let id = answer["outcome"]["optionId"].as_str();
                let option = options
                    .iter()
                    .find(|option| Some(option.option_id.as_str()) == id);
                let option = option.ok_or_else(|| {
                    Divergence(format!(
                        "permission {}: option {id:?} was not offered",
                        request.id
                    ))
                })?;
                Ok(format!("selected an option of kind {:?}", option.kind))
            }
            other => Err(Divergence(format!(
                "permission {}: outcome {other:?}",
                request.id
            ))),
        }
    };
    let (ours, recorded) = (kind_of(ours)?, kind_of(recorded)?);
    if ours == recorded {
        Ok(())
    } else {
        Err(Divergence(format!(
            "permission {}: {ours}, where the recorded client {recorded}",
            request.id
        )))
    }
}

fn is_content_block(block: &Value) -> bool {
    let has = |names: &[&str]| names.iter().all(|name| block[*name].is_string());
    match block["type"].as_str() {
        Some("text") => has(&["text"]),
        Some("image" | "audio") => has(&["data", "mimeType"]),
        Some("resource_link") => has(&["name", "uri"]),
        Some("resource") => {
            let resource = &block["resource"];
            resource["uri"].is_string() && (resource["text"].is_string() || resource["blob"].is_string())
        }
        Some(_) | None => false,
    }
}
