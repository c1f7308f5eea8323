//! Permission requests.

use pupitre_protocol::conversation::PermissionOption;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::incoming::PermissionRequest;
use super::tool::ToolMembers;
use super::values::{Values, object};

/// Returns what the parameters of `session/request_permission` ask, or why they cannot be read.
pub(in super::super) fn permission_request(params: Option<&RawValue>) -> Result<PermissionRequest, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'a> {
        #[serde(borrow)]
        session_id: Option<&'a RawValue>,
        #[serde(borrow)]
        tool_call: Option<&'a RawValue>,
        #[serde(borrow)]
        options: Option<&'a RawValue>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct OptionMembers {
        option_id: String,
        name: Option<String>,
        kind: Option<String>,
    }
    let params: Params<'_> = object(params)?;
    let mut values = Values::default();
    let session_id = values
        .read("sessionId", params.session_id)
        .ok_or("no sessionId")?;
    let tool: ToolMembers<'_> = object(params.tool_call).map_err(|reason| format!("toolCall: {reason}"))?;
    let tool = tool.patch(&mut values)?;
    let options: Vec<OptionMembers> = values.list("options", params.options).unwrap_or_default();
    let options = options
        .into_iter()
        .map(|option| PermissionOption {
            name: option.name.unwrap_or_else(|| option.option_id.clone()),
            option_id: option.option_id,
            kind: option.kind.unwrap_or_default(),
        })
        .collect();
    Ok(PermissionRequest {
        session_id,
        tool,
        options,
        skipped: values.skipped,
    })
}

#[cfg(test)]
mod tests {
    use pupitre_model::conversation::ToolPatch;
    use serde_json::{Value, json};

    use super::*;

    fn read(params: &Value) -> Result<PermissionRequest, String> {
        permission_request(Some(&RawValue::from_string(params.to_string()).unwrap()))
    }

    #[test]
    fn options_keep_the_agents_words() {
        let option = |option_id: &str, name: &str, kind: &str| PermissionOption {
            option_id: option_id.into(),
            name: name.into(),
            kind: kind.into(),
        };
        let request = read(&json!({
            "sessionId": "s",
            "toolCall": {"toolCallId": "t", "title": "rm", "unknown": 1},
            "options": [
                {"optionId": "once", "name": "Once", "kind": "allow_once"},
                {"optionId": "again", "name": "Once more", "kind": "allow_once"},
                {"optionId": "maybe", "kind": "ask_again_later"},
                {"name": "no id"},
            ],
        }))
        .unwrap();
        assert_eq!(request.session_id, "s");
        assert_eq!(
            request.tool,
            ToolPatch {
                id: "t".into(),
                title: Some("rm".into()),
                ..ToolPatch::default()
            }
        );
        assert_eq!(
            request.options,
            [
                option("once", "Once", "allow_once"),
                option("again", "Once more", "allow_once"),
                option("maybe", "maybe", "ask_again_later"),
            ]
        );
        assert_eq!(request.skipped.len(), 1);
    }

    #[test]
    fn a_request_needs_a_session_and_a_tool() {
        assert_eq!(
            read(&json!({"toolCall": {"toolCallId": "t"}})).unwrap_err(),
            "no sessionId"
        );
        assert_eq!(
            read(&json!({"sessionId": "s"})).unwrap_err(),
            "toolCall: it is missing"
        );
        assert_eq!(
            read(&json!({"sessionId": "s", "toolCall": {}})).unwrap_err(),
            "a tool call without toolCallId"
        );
        assert!(
            read(&json!({"sessionId": "s", "toolCall": {"toolCallId": "t"}}))
                .unwrap()
                .options
                .is_empty()
        );
    }
}
