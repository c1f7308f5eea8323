//! What we send to agents: requests and notifications with their methods, and the answers to what agents ask.
//!
//! Responsible for the shape of our messages; every one of them is an object, never a batch (some agents end at one).

use std::fmt::Write as _;
use std::path::Path;

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES, AuthCapabilities, AuthenticateRequest, BooleanConfigOptionCapabilities,
    CancelNotification, ClientCapabilities, ClientSessionCapabilities, ContentBlock, ElicitationCapabilities,
    ElicitationFormCapabilities, ElicitationUrlCapabilities, EnvVariable, FileSystemCapabilities,
    ImageContent, Implementation, InitializeRequest, LoadSessionRequest, McpServer, McpServerStdio,
    NewSessionRequest, PromptRequest, RequestPermissionOutcome, RequestPermissionResponse, ResourceLink,
    SelectedPermissionOutcome, SessionConfigOptionsCapabilities, SessionConfigValueId,
    SetSessionConfigOptionRequest, SetSessionModeRequest, TextContent,
};
use pupitre_model::config::ClientOffer;
use pupitre_protocol::conversation::ElicitationAction;
use serde::Serialize;
use serde_json::{Map, Value};

/// A method of the agent with its parameters.
#[derive(Debug)]
pub(crate) struct Call<P> {
    pub(super) method: &'static str,
    pub(super) params: P,
}

/// Returns the first request. It asks for version 1 and no other: some agents would go on in version 2, some echo
/// whatever they are asked for.
pub(crate) fn initialize(offer: ClientOffer, program_version: &str) -> Call<impl Serialize> {
    let ClientOffer { fs, terminal } = offer;
    let capabilities = ClientCapabilities::new()
        .fs(FileSystemCapabilities::new()
            .read_text_file(fs)
            .write_text_file(fs))
        .terminal(terminal)
        .auth(AuthCapabilities::new().terminal(terminal))
        .session(ClientSessionCapabilities::new().config_options(
            SessionConfigOptionsCapabilities::new().boolean(BooleanConfigOptionCapabilities::new()),
        ))
        .elicitation(
            ElicitationCapabilities::new()
                .form(ElicitationFormCapabilities::new())
                .url(ElicitationUrlCapabilities::new()),
        );
    let program = Implementation::new("pupitre", program_version).title("Pupitre");
    Call {
        method: AGENT_METHOD_NAMES.initialize,
        params: InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(capabilities)
            .client_info(program),
    }
}

/// Runs one of the logins that the agent offers.
pub(crate) fn authenticate(method_id: &str) -> Call<impl Serialize> {
    Call {
        method: AGENT_METHOD_NAMES.authenticate,
        params: AuthenticateRequest::new(method_id.to_owned()),
    }
}

/// What every session begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionStart {
    /// An absolute path.
    pub(crate) cwd: String,
    pub(crate) servers: Vec<ToolServer>,
}

/// A tool server (MCP) that the agent starts and speaks to over its stdin and stdout, which every agent can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolServer {
    pub(crate) name: String,
    /// An absolute path.
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
}

impl SessionStart {
    fn mcp_servers(&self) -> Vec<McpServer> {
        let servers = self.servers.iter().cloned().map(|server| {
            let env = server.env.into_iter();
            McpServer::Stdio(
                McpServerStdio::new(server.name, server.command)
                    .args(server.args)
                    .env(env.map(|(name, value)| EnvVariable::new(name, value)).collect()),
            )
        });
        servers.collect()
    }
}

/// Begins a session.
pub(crate) fn new_session(start: &SessionStart) -> Call<impl Serialize> {
    Call {
        method: AGENT_METHOD_NAMES.session_new,
        params: NewSessionRequest::new(start.cwd.clone()).mcp_servers(start.mcp_servers()),
    }
}

/// Opens an earlier session; the agent then repeats what was said in it.
pub(crate) fn load_session(session_id: &str, start: &SessionStart) -> Call<impl Serialize> {
    let params =
        LoadSessionRequest::new(session_id.to_owned(), start.cwd.clone()).mcp_servers(start.mcp_servers());
    Call {
        method: AGENT_METHOD_NAMES.session_load,
        params,
    }
}

/// Opens an earlier session without a replay.
pub(crate) fn resume_session(session_id: &str, start: &SessionStart) -> Call<impl Serialize> {
    // The schema's type leaves out an empty list of servers, and some agents insist on one.
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Resume {
        session_id: String,
        cwd: String,
        mcp_servers: Vec<McpServer>,
    }
    let params = Resume {
        session_id: session_id.to_owned(),
        cwd: start.cwd.clone(),
        mcp_servers: start.mcp_servers(),
    };
    Call {
        method: AGENT_METHOD_NAMES.session_resume,
        params,
    }
}

/// The result of `fs/read_text_file`.
#[derive(Debug, Serialize)]
pub(crate) struct FileText {
    pub(crate) content: String,
}

/// The result of what has nothing to say.
#[derive(Debug, Serialize)]
pub(crate) struct Nothing {}

/// The result of `terminal/create`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TerminalStarted {
    pub(crate) terminal_id: String,
}

/// How a command ended; the result of `terminal/wait_for_exit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TerminalExit {
    pub(crate) exit_code: Option<i32>,
    /// The name of the signal, SIGTERM for example.
    pub(crate) signal: Option<String>,
}

/// The result of `terminal/output`.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TerminalOutput {
    pub(crate) output: String,
    pub(crate) truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exit_status: Option<TerminalExit>,
}

/// A part of what the user says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PromptBlock {
    Text(String),
    /// `data` is base64.
    Image {
        mime_type: String,
        data: String,
    },
    /// A file that the agent reads itself.
    File {
        uri: String,
        name: String,
        mime_type: Option<String>,
        bytes: u64,
    },
}

/// Begins a turn; its answer is the end of the turn.
pub(crate) fn prompt(session_id: &str, blocks: Vec<PromptBlock>) -> Call<impl Serialize> {
    let blocks = blocks
        .into_iter()
        .map(|block| match block {
            PromptBlock::Text(text) => ContentBlock::Text(TextContent::new(text)),
            PromptBlock::Image { mime_type, data } => ContentBlock::Image(ImageContent::new(data, mime_type)),
            PromptBlock::File {
                uri,
                name,
                mime_type,
                bytes,
            } => {
                let link = ResourceLink::new(name, uri)
                    .mime_type(mime_type)
                    .size(i64::try_from(bytes).ok());
                ContentBlock::ResourceLink(link)
            }
        })
        .collect();
    Call {
        method: AGENT_METHOD_NAMES.session_prompt,
        params: PromptRequest::new(session_id.to_owned(), blocks),
    }
}

/// Asks the agent to end its turn: a notification. Its open permission requests are to be answered as cancelled.
pub(crate) fn cancel(session_id: &str) -> Call<impl Serialize> {
    Call {
        method: AGENT_METHOD_NAMES.session_cancel,
        params: CancelNotification::new(session_id.to_owned()),
    }
}

pub(crate) fn set_mode(session_id: &str, mode: &str) -> Call<impl Serialize> {
    let params = SetSessionModeRequest::new(session_id.to_owned(), mode.to_owned());
    Call {
        method: AGENT_METHOD_NAMES.session_set_mode,
        params,
    }
}

/// The value that a session's option takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OptionValue {
    Choice(String),
    Switch(bool),
}

pub(crate) fn set_option(session_id: &str, option_id: &str, value: OptionValue) -> Call<impl Serialize> {
    let (session_id, option_id) = (session_id.to_owned(), option_id.to_owned());
    let params = match value {
        OptionValue::Choice(value) => {
            SetSessionConfigOptionRequest::new(session_id, option_id, SessionConfigValueId::new(value))
        }
        OptionValue::Switch(on) => SetSessionConfigOptionRequest::new(session_id, option_id, on),
    };
    Call {
        method: AGENT_METHOD_NAMES.session_set_config_option,
        params,
    }
}

/// The answer to a permission request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PermissionAnswer {
    Selected {
        option_id: String,
    },
    /// No choice was made.
    Cancelled,
}

/// Serializes as the result of `session/request_permission`.
impl Serialize for PermissionAnswer {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let outcome = match self {
            Self::Selected { option_id } => {
                RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option_id.clone()))
            }
            Self::Cancelled => RequestPermissionOutcome::Cancelled,
        };
        RequestPermissionResponse::new(outcome).serialize(serializer)
    }
}

/// The answer to a question of the agent's; serializes as the result of `elicitation/create`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ElicitationAnswer {
    action: ElicitationAction,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Map<String, Value>>,
}

impl ElicitationAnswer {
    /// An acceptance of a form carries its values.
    pub(crate) fn accepted(content: Option<Map<String, Value>>) -> Self {
        let action = ElicitationAction::Accept;
        Self { action, content }
    }

    pub(crate) fn declined() -> Self {
        let action = ElicitationAction::Decline;
        Self {
            action,
            content: None,
        }
    }

    pub(crate) fn cancelled() -> Self {
        let action = ElicitationAction::Cancel;
        Self {
            action,
            content: None,
        }
    }
}

/// Returns the address of a file, from an absolute path (RFC 8089).
pub(crate) fn file_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(*byte))
            }
            _ => write!(uri, "%{byte:02X}").expect("writing to a string cannot fail"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(call: &Call<impl Serialize>, method: &str, params: &Value) {
        assert_eq!(
            (call.method, &serde_json::to_value(&call.params).unwrap()),
            (method, params)
        );
    }

    #[test]
    fn requests_are_as_acp_has_them() {
        check(
            &initialize(
                ClientOffer {
                    fs: true,
                    terminal: false,
                },
                "1.2.3",
            ),
            "initialize",
            &json!({
                "protocolVersion": 1,
                "clientCapabilities": {
                    "fs": {"readTextFile": true, "writeTextFile": true},
                    "terminal": false,
                    "auth": {"terminal": false},
                    "session": {"configOptions": {"boolean": {}}},
                    "elicitation": {"form": {}, "url": {}},
                },
                "clientInfo": {"name": "pupitre", "title": "Pupitre", "version": "1.2.3"},
            }),
        );
        let start = SessionStart {
            cwd: "/w".into(),
            servers: Vec::new(),
        };
        check(
            &new_session(&start),
            "session/new",
            &json!({"cwd": "/w", "mcpServers": []}),
        );
        let again = json!({"sessionId": "s", "cwd": "/w", "mcpServers": []});
        check(&load_session("s", &start), "session/load", &again);
        check(&resume_session("s", &start), "session/resume", &again);
        let with_server = SessionStart {
            servers: vec![ToolServer {
                name: "docs".into(),
                command: "/bin/docs".into(),
                args: vec!["-v".into()],
                env: vec![("A".into(), "b".into())],
            }],
            ..start
        };
        let server = json!({
            "name": "docs", "command": "/bin/docs", "args": ["-v"], "env": [{"name": "A", "value": "b"}],
        });
        let expected = json!({"sessionId": "s", "cwd": "/w", "mcpServers": [server]});
        check(&load_session("s", &with_server), "session/load", &expected);
        check(&resume_session("s", &with_server), "session/resume", &expected);
        check(&cancel("s"), "session/cancel", &json!({"sessionId": "s"}));
        check(
            &set_mode("s", "plan"),
            "session/set_mode",
            &json!({"sessionId": "s", "modeId": "plan"}),
        );
        check(
            &set_option("s", "model", OptionValue::Choice("big".into())),
            "session/set_config_option",
            &json!({"sessionId": "s", "configId": "model", "value": "big"}),
        );
        check(
            &set_option("s", "fast", OptionValue::Switch(true)),
            "session/set_config_option",
            &json!({"sessionId": "s", "configId": "fast", "type": "boolean", "value": true}),
        );
    }

    #[test]
    fn a_prompt_carries_text_pictures_and_files() {
        let blocks = vec![
            PromptBlock::Text("look".into()),
            PromptBlock::Image {
                mime_type: "image/png".into(),
                data: "AAAA".into(),
            },
            PromptBlock::File {
                uri: file_uri(Path::new("/w/a b.txt")),
                name: "a b.txt".into(),
                mime_type: None,
                bytes: 5,
            },
        ];
        check(
            &prompt("s", blocks),
            "session/prompt",
            &json!({"sessionId": "s", "prompt": [
                {"type": "text", "text": "look"},
                {"type": "image", "mimeType": "image/png", "data": "AAAA"},
                {"type": "resource_link", "uri": "file:///w/a%20b.txt", "name": "a b.txt", "size": 5},
            ]}),
        );
    }

    #[test]
    fn a_permission_is_answered_with_an_option_or_none() {
        let answer = |answer| serde_json::to_value::<PermissionAnswer>(answer).unwrap();
        assert_eq!(
            answer(PermissionAnswer::Selected {
                option_id: "once".into()
            }),
            json!({"outcome": {"outcome": "selected", "optionId": "once"}})
        );
        assert_eq!(
            answer(PermissionAnswer::Cancelled),
            json!({"outcome": {"outcome": "cancelled"}})
        );
    }

    #[test]
    fn a_question_is_answered_with_values_or_without() {
        let content = json!({"branch": "main", "depth": 3});
        let answer = |answer| serde_json::to_value::<ElicitationAnswer>(answer).unwrap();
        assert_eq!(
            answer(ElicitationAnswer::accepted(content.as_object().cloned())),
            json!({"action": "accept", "content": content})
        );
        assert_eq!(
            answer(ElicitationAnswer::declined()),
            json!({"action": "decline"})
        );
        assert_eq!(
            answer(ElicitationAnswer::cancelled()),
            json!({"action": "cancel"})
        );
        check(&authenticate("key"), "authenticate", &json!({"methodId": "key"}));
    }

    #[test]
    fn file_addresses_escape_what_is_not_plain() {
        assert_eq!(
            file_uri(Path::new("/a/é#?%.txt")),
            "file:///a/%C3%A9%23%3F%25.txt"
        );
    }
}
