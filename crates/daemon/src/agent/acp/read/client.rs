//! What an agent asks of its client's machine: files and terminals (ACP: `fs/*`, `terminal/*`).

use agent_client_protocol_schema::v1::CLIENT_METHOD_NAMES;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::incoming::{ClientCall, NewTerminal};
use super::values::object;

/// Reads a call of a method that is about files or terminals. `None` for other methods.
pub(in super::super) fn client_call(
    method: &str,
    params: Option<&RawValue>,
) -> Option<Result<ClientCall, String>> {
    let names = &CLIENT_METHOD_NAMES;
    Some(match method {
        _ if method == names.fs_read_text_file => read_file(params),
        _ if method == names.fs_write_text_file => write_file(params),
        _ if method == names.terminal_create => create(params),
        _ if method == names.terminal_output => one_terminal(params, ClientCall::TerminalOutput),
        _ if method == names.terminal_wait_for_exit => one_terminal(params, ClientCall::TerminalExit),
        _ if method == names.terminal_kill => one_terminal(params, ClientCall::KillTerminal),
        _ if method == names.terminal_release => one_terminal(params, ClientCall::ReleaseTerminal),
        _ => return None,
    })
}

fn read_file(params: Option<&RawValue>) -> Result<ClientCall, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        session_id: String,
        path: String,
        line: Option<u64>,
        limit: Option<u64>,
    }
    let Params {
        session_id: session,
        path,
        line,
        limit,
    } = object(params)?;
    Ok(ClientCall::ReadFile {
        session,
        path,
        line,
        limit,
    })
}

fn write_file(params: Option<&RawValue>) -> Result<ClientCall, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        session_id: String,
        path: String,
        content: String,
    }
    let Params {
        session_id: session,
        path,
        content,
    } = object(params)?;
    Ok(ClientCall::WriteFile {
        session,
        path,
        content,
    })
}

fn create(params: Option<&RawValue>) -> Result<ClientCall, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        session_id: String,
        command: String,
        #[serde(default)]
        args: Option<Vec<String>>,
        #[serde(default)]
        env: Option<Vec<Variable>>,
        cwd: Option<String>,
        output_byte_limit: Option<u64>,
    }
    #[derive(Deserialize)]
    struct Variable {
        name: String,
        value: String,
    }
    let params: Params = object(params)?;
    let env = params.env.unwrap_or_default().into_iter();
    Ok(ClientCall::CreateTerminal {
        session: params.session_id,
        terminal: NewTerminal {
            command: params.command,
            args: params.args.unwrap_or_default(),
            env: env.map(|variable| (variable.name, variable.value)).collect(),
            cwd: params.cwd,
            output_bytes: params.output_byte_limit,
        },
    })
}

fn one_terminal(
    params: Option<&RawValue>,
    call: impl FnOnce(String) -> ClientCall,
) -> Result<ClientCall, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        terminal_id: String,
    }
    let Params { terminal_id } = object(params)?;
    Ok(call(terminal_id))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(method: &str, params: &Value) -> Result<ClientCall, String> {
        let params = RawValue::from_string(params.to_string()).unwrap();
        client_call(method, Some(&params)).expect("it is about files or terminals")
    }

    #[test]
    fn calls_are_read_with_what_may_be_missing() {
        assert_eq!(
            read(
                "fs/read_text_file",
                &json!({"sessionId": "s", "path": "/a", "limit": 3})
            ),
            Ok(ClientCall::ReadFile {
                session: "s".into(),
                path: "/a".into(),
                line: None,
                limit: Some(3)
            })
        );
        assert_eq!(
            read(
                "terminal/create",
                &json!({"sessionId": "s", "command": "ls", "env": [{"name": "A", "value": "b"}], "cwd": null})
            ),
            Ok(ClientCall::CreateTerminal {
                session: "s".into(),
                terminal: NewTerminal {
                    command: "ls".into(),
                    args: Vec::new(),
                    env: vec![("A".into(), "b".into())],
                    cwd: None,
                    output_bytes: None,
                }
            })
        );
        assert_eq!(
            read("terminal/kill", &json!({"sessionId": "s", "terminalId": "t"})),
            Ok(ClientCall::KillTerminal("t".into()))
        );
        assert!(read("fs/write_text_file", &json!({"sessionId": "s", "path": "/a"})).is_err());
        assert!(client_call("fs/delete", None).is_none());
    }
}
