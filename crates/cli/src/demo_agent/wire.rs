//! JSON-RPC 2.0, one message a line: reads what the client sends, writes what the agent answers.
//! It knows nothing of ACP's methods. Batches are not supported, as in ACP.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// One message of the client.
#[derive(Debug)]
pub(super) enum Incoming {
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
        outcome: Outcome,
    },
}

/// How the client answered one of the agent's requests.
#[derive(Debug)]
pub(super) enum Outcome {
    Result(Value),
    Error,
}

/// The error of a JSON-RPC answer; codes as in JSON-RPC 2.0 and ACP v1.
#[derive(Debug)]
pub(super) struct RpcError {
    code: i32,
    message: String,
}

impl RpcError {
    pub(super) fn parse(message: impl Into<String>) -> Self {
        Self {
            code: -32700,
            message: message.into(),
        }
    }

    pub(super) fn invalid_request(message: impl Into<String>) -> Self {
        Self {
            code: -32600,
            message: message.into(),
        }
    }

    pub(super) fn method_not_found(method: &str) -> Self {
        Self {
            code: -32601,
            message: format!("method not found: {method}"),
        }
    }

    pub(super) fn invalid_params(message: impl Into<String>) -> Self {
        Self {
            code: -32602,
            message: message.into(),
        }
    }

    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self {
            code: -32603,
            message: message.into(),
        }
    }

    pub(super) fn auth_required() -> Self {
        Self {
            code: -32000,
            message: "the demo agent was asked to want a login".to_owned(),
        }
    }

    pub(super) fn unknown_session(id: &str) -> Self {
        Self {
            code: -32002,
            message: format!("session not found: {id}"),
        }
    }
}

/// A line that is no message, and the id to answer it with (`null` when it has none).
#[derive(Debug)]
pub(super) struct BadLine {
    pub(super) id: Value,
    pub(super) error: RpcError,
}

/// Reads one line; a blank one is no message and no error.
pub(super) fn read_line(line: &[u8]) -> Result<Option<Incoming>, BadLine> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let bad = |id: Value, error: RpcError| BadLine { id, error };
    let message: Value = serde_json::from_slice(line).map_err(|error| {
        bad(
            Value::Null,
            RpcError::parse(format!("this line is no JSON: {error}")),
        )
    })?;
    let Value::Object(mut message) = message else {
        let error = RpcError::invalid_request("a message is a JSON object, and batches are not supported");
        return Err(bad(Value::Null, error));
    };
    let id = message.remove("id");
    if let Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) = id {
        let error = RpcError::invalid_request("an id is a number or a string");
        return Err(bad(Value::Null, error));
    }
    let params = message.remove("params").unwrap_or(Value::Null);
    let incoming = match (message.remove("method"), id) {
        (Some(Value::String(method)), Some(id)) => Incoming::Request { id, method, params },
        (Some(Value::String(method)), None) => Incoming::Notification { method, params },
        (None, Some(id)) => {
            let outcome = match (message.remove("result"), message.remove("error")) {
                (Some(result), None) => Outcome::Result(result),
                (_, Some(_)) => Outcome::Error,
                (None, None) => {
                    let error = RpcError::invalid_request("neither a method, nor a result, nor an error");
                    return Err(bad(id, error));
                }
            };
            Incoming::Answer { id, outcome }
        }
        // An error without an id answers nothing that can be found: there is nothing to do about it.
        (None, None) if message.contains_key("error") => return Ok(None),
        (_, id) => {
            let error = RpcError::invalid_request("the method is missing or no string");
            return Err(bad(id.unwrap_or(Value::Null), error));
        }
    };
    Ok(Some(incoming))
}

/// Reads the parameters of a method.
pub(super) fn read_params<Params: DeserializeOwned>(params: Value) -> Result<Params, RpcError> {
    serde_json::from_value(params).map_err(|error| RpcError::invalid_params(error.to_string()))
}

pub(super) fn result_line(id: &Value, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

pub(super) fn error_line(id: &Value, error: &RpcError) -> String {
    let error = json!({"code": error.code, "message": error.message});
    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
}

pub(super) fn request_line(id: u64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// Returns a `session/update` notification.
pub(super) fn update_line(session_id: &str, update: &Value) -> String {
    let params = json!({"sessionId": session_id, "update": update});
    json!({"jsonrpc": "2.0", "method": "session/update", "params": params}).to_string()
}

/// Returns an `agent_message_chunk` without building a JSON tree, for `chunks N`.
///
/// Neither text may need escaping: both are made by this agent, of letters, digits, spaces and full stops.
pub(super) fn plain_chunk_line(session_id: &str, text: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session_id}","update":{{"content":{{"text":"{text}","type":"text"}},"sessionUpdate":"agent_message_chunk"}}}}}}"#
    )
}
