//! Which of the tools an agent offers is called for an intent, with arguments under the names of its schema.

use serde_json::{Map, Value, json};

use super::play::Intent;

/// A tool as an agent offers it to a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Tool {
    pub(super) name: String,
    schema: Value,
    kind: ToolKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ToolKind {
    #[default]
    Arguments,
    /// Takes a text instead of arguments.
    Freeform,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) input: Input,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Input {
    Arguments(Value),
    Freeform(String),
}

impl Tool {
    pub(super) fn new(name: &Value, schema: &Value, kind: ToolKind) -> Self {
        Self {
            name: name.as_str().unwrap_or_default().to_owned(),
            schema: schema.clone(),
            kind,
        }
    }

    fn property(&self, name: &str) -> Option<&Value> {
        self.schema["properties"].get(name)
    }
}

/// Returns the call for `intent`, unless no offered tool can do it.
pub(super) fn call(intent: &Intent, tools: &[Tool]) -> Option<Call> {
    let with = |tool: &Tool, arguments| {
        Some(Call {
            name: tool.name.clone(),
            input: Input::Arguments(arguments),
        })
    };
    match intent {
        Intent::Shell { command } => {
            let tool = find(
                tools,
                &[
                    "bash",
                    "run_shell_command",
                    "exec_command",
                    "shell_command",
                    "shell",
                    "local_shell",
                    "execute",
                ],
            )?;
            let is_list = |name| {
                tool.property(name)
                    .is_some_and(|property| property["type"] == "array")
            };
            let command = if is_list("command") {
                json!(["bash", "-lc", command])
            } else {
                json!(command)
            };
            let values = [
                (&["command", "cmd", "script"][..], command),
                (&["description"], json!("a call of the shell")),
            ];
            with(tool, arguments(tool, &values))
        }
        Intent::Write { path, text } => {
            if let Some(tool) = find(tools, &["write", "write_file", "write_text_file", "create_file"]) {
                let values = [
                    (PATHS, json!(path)),
                    (&["content", "contents", "text"], json!(format!("{text}\n"))),
                ];
                return with(tool, arguments(tool, &values));
            }
            let tool = find(tools, &["apply_patch"])?;
            let patch = format!("*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch\n");
            match tool.kind {
                ToolKind::Freeform => Some(Call {
                    name: tool.name.clone(),
                    input: Input::Freeform(patch),
                }),
                ToolKind::Arguments => with(tool, json!({"input": patch})),
            }
        }
        Intent::Read { path } => {
            let tool = find(tools, &["read", "read_file", "read_text_file", "view"])?;
            with(tool, arguments(tool, &[(PATHS, json!(path))]))
        }
        Intent::Plan { steps } => {
            let tool = find(
                tools,
                &["todowrite", "todo_write", "update_plan", "write_todos", "todo"],
            )?;
            with(tool, plan(tool, steps))
        }
        Intent::Named { name, arguments } => {
            let tool = tools.iter().find(|tool| tool.name == *name)?;
            match tool.kind {
                ToolKind::Freeform => Some(Call {
                    name: name.clone(),
                    input: Input::Freeform(arguments.clone()),
                }),
                ToolKind::Arguments => with(
                    tool,
                    serde_json::from_str(arguments).unwrap_or_else(|_| json!({})),
                ),
            }
        }
    }
}

const PATHS: &[&str] = &["file_path", "filePath", "absolute_path", "path"];

fn find<'tools>(tools: &'tools [Tool], names: &[&str]) -> Option<&'tools Tool> {
    names
        .iter()
        .find_map(|name| tools.iter().find(|tool| tool.name.eq_ignore_ascii_case(name)))
}

/// Returns arguments with each value under the first of its names that the schema knows, and something for whatever
/// else the schema requires.
fn arguments(tool: &Tool, values: &[(&[&str], Value)]) -> Value {
    let mut arguments = Map::new();
    for (names, value) in values {
        if let Some(name) = names.iter().find(|name| tool.property(name).is_some()) {
            arguments.insert((*name).to_owned(), value.clone());
        }
    }
    for required in tool.schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        if !arguments.contains_key(required) {
            let property = tool.property(required).unwrap_or(&Value::Null);
            arguments.insert(required.to_owned(), anything_for(property));
        }
    }
    Value::Object(arguments)
}

fn anything_for(property: &Value) -> Value {
    if let Some(first) = property["enum"].get(0) {
        return first.clone();
    }
    match property["type"].as_str() {
        Some("boolean") => json!(false),
        Some("number" | "integer") => json!(1),
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some(_) | None => json!("something"),
    }
}

/// Returns a list of steps in the shape of the tool: the first one begun, the others not.
fn plan(tool: &Tool, steps: &[String]) -> Value {
    let properties = tool.schema["properties"].as_object();
    let key = ["todos", "plan", "items"]
        .into_iter()
        .find(|key| tool.property(key).is_some());
    let key = key
        .or_else(|| properties?.keys().next().map(String::as_str))
        .unwrap_or("todos");
    let fields = tool.schema["properties"][key]["items"]["properties"].as_object();
    let fields: Vec<&str> = match fields {
        Some(fields) => fields.keys().map(String::as_str).collect(),
        None => vec!["content", "status"],
    };
    let step = |(index, text): (usize, &String)| {
        let mut step = Map::new();
        for field in &fields {
            let value = match *field {
                "status" => json!(if index == 0 { "in_progress" } else { "pending" }),
                "id" => json!((index + 1).to_string()),
                "priority" => json!("medium"),
                _ => json!(text),
            };
            step.insert((*field).to_owned(), value);
        }
        Value::Object(step)
    };
    json!({key: steps.iter().enumerate().map(step).collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: &Value, name: &str, intent: &Intent, expected: Value) {
        let tools = [Tool::new(&json!(name), schema, ToolKind::Arguments)];
        let call = call(intent, &tools).unwrap();
        assert_eq!(
            (call.name.as_str(), call.input),
            (name, Input::Arguments(expected))
        );
    }

    #[test]
    fn arguments_take_the_names_of_the_schema() {
        let shell = Intent::Shell {
            command: "ls".to_owned(),
        };
        let schema = json!({"properties": {"command": {"type": "array"}, "timeout": {"type": "integer"}}, "required": ["command"]});
        check(
            &schema,
            "shell",
            &shell,
            json!({"command": ["bash", "-lc", "ls"]}),
        );
        let schema = json!({"properties": {"cmd": {"type": "string"}, "login": {"type": "boolean"}}, "required": ["cmd", "login"]});
        check(
            &schema,
            "exec_command",
            &shell,
            json!({"cmd": "ls", "login": false}),
        );
        let plan = Intent::Plan {
            steps: vec!["dig".to_owned(), "plant".to_owned()],
        };
        let schema = json!({"properties": {"plan": {"items": {"properties": {"step": {}, "status": {}}}}}});
        let steps = json!({"plan": [{"step": "dig", "status": "in_progress"}, {"step": "plant", "status": "pending"}]});
        check(&schema, "update_plan", &plan, steps);
    }

    #[test]
    fn no_tool_no_call() {
        assert_eq!(call(&Intent::Read { path: "x".to_owned() }, &[]), None);
    }
}
