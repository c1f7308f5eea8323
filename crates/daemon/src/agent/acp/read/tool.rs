//! Tool calls, announced or changed, and those that a permission is asked for.

use agent_client_protocol_schema::v1;
use pupitre_model::conversation::ToolPatch;
use pupitre_protocol::SurfaceId;
use pupitre_protocol::conversation::{Diff, Location, ToolKind, ToolStatus};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::envelope::is_null;
use super::super::repair::compact;
use super::super::terminal::pane_of;
use super::content;
use super::values::Values;

/// The members of a tool call, of any update about one, and of a permission request's.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolMembers<'a> {
    #[serde(borrow)]
    pub(super) tool_call_id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) title: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) kind: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) status: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) locations: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) raw_input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) raw_output: Option<&'a RawValue>,
}

impl ToolMembers<'_> {
    /// Returns what is said about the call; without an id nothing can be said.
    ///
    /// An empty list of contents or locations says nothing: agents send one where they mean "as before", and what was
    /// shown would vanish. For the same reason diffs stay until there are others.
    pub(super) fn patch(&self, values: &mut Values) -> Result<ToolPatch, &'static str> {
        let id: String = values
            .read("toolCallId", self.tool_call_id)
            .ok_or("a tool call without toolCallId")?;
        let title = values.read("title", self.title);
        let kind = values.read("kind", self.kind).map(tool_kind);
        let status = values
            .read("status", self.status)
            .and_then(|status| tool_status(status, values));
        let Contents { text, diffs, panes } = contents(self.content, values);
        let locations: Option<Vec<Location>> = values
            .list("locations", self.locations)
            .map(|locations| locations.into_iter().map(location).collect());
        Ok(ToolPatch {
            id,
            title,
            kind,
            status,
            input: self
                .raw_input
                .filter(|input| !is_null(input))
                .map(|input| compact(input.get())),
            output: text.or_else(|| raw_output(self.raw_output)),
            locations: locations.filter(|locations| !locations.is_empty()),
            diffs: Some(diffs).filter(|diffs| !diffs.is_empty()),
            panes: Some(panes).filter(|panes| !panes.is_empty()),
        })
    }
}

/// What a tool call contains.
#[derive(Default)]
struct Contents {
    text: Option<String>,
    diffs: Vec<Diff>,
    panes: Vec<SurfaceId>,
}

fn contents(raw: Option<&RawValue>, values: &mut Values) -> Contents {
    let Contents {
        mut text,
        mut diffs,
        mut panes,
    } = Contents::default();
    for content in values.list("content", raw).unwrap_or_default() {
        match content {
            v1::ToolCallContent::Content(content) => match content::text(content.content) {
                Some(more) => match &mut text {
                    Some(text) => {
                        text.push('\n');
                        text.push_str(&more);
                    }
                    None => text = Some(more),
                },
                None => values.skip("content", "a block without text"),
            },
            v1::ToolCallContent::Diff(diff) => diffs.push(Diff {
                path: diff.path.to_string_lossy().into_owned(),
                new_file: diff.old_text.is_none(),
                old_text: diff.old_text,
                new_text: diff.new_text,
            }),
            v1::ToolCallContent::Terminal(terminal) => {
                let terminal = terminal.terminal_id.to_string();
                match pane_of(&terminal) {
                    Some(pane) if panes.contains(&pane) => {}
                    Some(pane) => panes.push(pane),
                    None => values.skip("content", &format!("{terminal}, which is no terminal of ours")),
                }
            }
            _ => values.skip("content", "a type that is not shown"),
        }
    }
    Contents { text, diffs, panes }
}

fn raw_output(raw: Option<&RawValue>) -> Option<String> {
    let raw = raw.filter(|raw| !is_null(raw))?.get();
    if raw.starts_with('"') {
        return serde_json::from_str(raw).ok();
    }
    Some(compact(raw))
}

fn location(location: v1::ToolCallLocation) -> Location {
    Location {
        path: location.path.to_string_lossy().into_owned(),
        line: location.line,
    }
}

fn tool_kind(kind: v1::ToolKind) -> ToolKind {
    match kind {
        v1::ToolKind::Read => ToolKind::Read,
        v1::ToolKind::Edit => ToolKind::Edit,
        v1::ToolKind::Delete => ToolKind::Delete,
        v1::ToolKind::Move => ToolKind::Move,
        v1::ToolKind::Search => ToolKind::Search,
        v1::ToolKind::Execute => ToolKind::Execute,
        v1::ToolKind::Think => ToolKind::Think,
        v1::ToolKind::Fetch => ToolKind::Fetch,
        // `switch_mode`, which the conversation has no word for, and kinds to come.
        _ => ToolKind::Other,
    }
}

fn tool_status(status: v1::ToolCallStatus, values: &mut Values) -> Option<ToolStatus> {
    match status {
        v1::ToolCallStatus::Pending => Some(ToolStatus::Pending),
        v1::ToolCallStatus::InProgress => Some(ToolStatus::InProgress),
        v1::ToolCallStatus::Completed => Some(ToolStatus::Completed),
        v1::ToolCallStatus::Failed => Some(ToolStatus::Failed),
        _ => {
            values.skip("status", "a new status");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(call: &Value) -> (Result<ToolPatch, &'static str>, Vec<String>) {
        let call = call.to_string();
        let members: ToolMembers<'_> = serde_json::from_str(&call).unwrap();
        let mut values = Values::default();
        (members.patch(&mut values), values.skipped)
    }

    /// Checks what is said about the call `t`, and how many values were left out.
    fn check(mut call: Value, expected: ToolPatch, left_out: usize) {
        call["toolCallId"] = json!("t");
        let (patch, skipped) = read(&call);
        assert_eq!(
            patch,
            Ok(ToolPatch {
                id: "t".into(),
                ..expected
            }),
            "{call}"
        );
        assert_eq!(skipped.len(), left_out, "{skipped:?}");
    }

    fn text(text: &str) -> Value {
        json!({"type": "content", "content": {"type": "text", "text": text}})
    }

    #[test]
    fn what_is_not_said_stays() {
        check(json!({}), ToolPatch::default(), 0);
        let nulls = json!({
            "title": null, "kind": null, "status": null, "content": null, "locations": null, "rawInput": null,
            "rawOutput": null,
        });
        check(nulls, ToolPatch::default(), 0);
        check(json!({"content": [], "locations": []}), ToolPatch::default(), 0);
        assert!(read(&json!({"title": "x"})).0.is_err());
    }

    #[test]
    fn kinds_and_states() {
        let kind = |kind| ToolPatch {
            kind: Some(kind),
            ..ToolPatch::default()
        };
        check(json!({"kind": "execute"}), kind(ToolKind::Execute), 0);
        check(json!({"kind": "switch_mode"}), kind(ToolKind::Other), 0);
        check(json!({"kind": "teleport"}), kind(ToolKind::Other), 0);
        check(json!({"kind": 5}), ToolPatch::default(), 1);
        let status = ToolPatch {
            status: Some(ToolStatus::InProgress),
            ..ToolPatch::default()
        };
        check(json!({"status": "in_progress"}), status, 0);
        let titled = ToolPatch {
            title: Some("x".into()),
            ..ToolPatch::default()
        };
        check(json!({"status": "paused", "title": "x"}), titled, 1);
    }

    #[test]
    fn input_is_compact_json() {
        let input = |input: &str| ToolPatch {
            input: Some(input.into()),
            ..ToolPatch::default()
        };
        check(
            json!({"rawInput": {"a": [1, "b c"]}}),
            input(r#"{"a":[1,"b c"]}"#),
            0,
        );
        check(json!({"rawInput": {}}), input("{}"), 0);
        check(json!({"rawInput": "text"}), input("\"text\""), 0);
    }

    #[test]
    fn output_is_the_text_or_else_the_raw_output() {
        let output = |output: &str| ToolPatch {
            output: Some(output.into()),
            ..ToolPatch::default()
        };
        check(
            json!({"content": [text("a"), text("b")], "rawOutput": "no"}),
            output("a\nb"),
            0,
        );
        check(
            json!({"content": [], "rawOutput": "as it is"}),
            output("as it is"),
            0,
        );
        check(
            json!({"rawOutput": {"stdout": "x y"}}),
            output(r#"{"stdout":"x y"}"#),
            0,
        );
        let file = json!({"type": "content", "content": {"type": "resource", "resource": {"uri": "u", "text": "f"}}});
        let link =
            json!({"type": "content", "content": {"type": "resource_link", "uri": "file:///a", "name": "a"}});
        check(json!({"content": [file, link]}), output("f\nfile:///a"), 0);
    }

    #[test]
    fn contents_that_are_not_understood_cost_themselves() {
        let image =
            json!({"type": "content", "content": {"type": "image", "mimeType": "image/png", "data": "A"}});
        let contents = json!([
            {"type": "terminal", "terminalId": "nobody knows it"},
            {"type": "hologram"},
            image,
            text("seen"),
            {"type": "content", "content": {"type": "hologram"}},
            "text",
        ]);
        check(
            json!({"content": contents, "rawOutput": "not needed"}),
            ToolPatch {
                output: Some("seen".into()),
                ..ToolPatch::default()
            },
            5,
        );
    }

    #[test]
    fn terminals_are_the_panes_that_they_run_in() {
        let terminal = |id: &str| json!({"type": "terminal", "terminalId": id});
        let contents = json!([
            terminal("terminal-7"),
            terminal("terminal-9"),
            terminal("terminal-7")
        ]);
        check(
            json!({ "content": contents }),
            ToolPatch {
                panes: Some(vec![SurfaceId(7), SurfaceId(9)]),
                ..ToolPatch::default()
            },
            0,
        );
        for no_pane in ["7", "terminal-", "terminal-x", "terminal--1"] {
            check(json!({"content": [terminal(no_pane)]}), ToolPatch::default(), 1);
        }
    }

    #[test]
    fn changes_of_files() {
        let diff = |old_text: Option<&str>| Diff {
            path: "/a".into(),
            old_text: old_text.map(str::to_owned),
            new_text: "new".into(),
            new_file: old_text.is_none(),
        };
        check(
            json!({"content": [
                {"type": "diff", "path": "/a", "oldText": "old", "newText": "new"},
                {"type": "diff", "path": "/a", "oldText": null, "newText": "new"},
                {"type": "diff", "path": "/a", "newText": "new"},
                {"type": "diff", "path": "/a"},
            ]}),
            ToolPatch {
                diffs: Some(vec![diff(Some("old")), diff(None), diff(None)]),
                ..ToolPatch::default()
            },
            1,
        );
    }

    #[test]
    fn places() {
        let location = |path: &str, line| Location {
            path: path.into(),
            line,
        };
        check(
            json!({"locations": [{"path": "/a", "line": 3}, {"path": "/b"}, {"path": "/c", "line": -1}, {"line": 1}]}),
            ToolPatch {
                locations: Some(vec![
                    location("/a", Some(3)),
                    location("/b", None),
                    location("/c", None),
                ]),
                ..ToolPatch::default()
            },
            1,
        );
    }
}
