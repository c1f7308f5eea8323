//! The answer to `initialize`.

use std::collections::BTreeMap;

use agent_client_protocol_schema::v1;
use pupitre_protocol::agent::{AgentCapabilities, AuthMethod};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::values::{Values, object, short};

/// The one version of ACP that this program speaks.
const VERSION: f64 = 1.0;

/// What an agent said of itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Initialized {
    pub(crate) capabilities: AgentCapabilities,
    pub(crate) auth_methods: Vec<AuthMethod>,
    /// How its program is run for those of them that ask on a terminal.
    pub(crate) terminal_logins: Vec<TerminalLogin>,
    /// Its name and version, such as `codex-acp 0.16.0`.
    pub(crate) version: Option<String>,
    /// Values that were not understood and left out, each with a short reason.
    pub(crate) skipped: Vec<String>,
}

/// A login for which the agent's own program asks on a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TerminalLogin {
    pub(crate) method_id: String,
    /// What follows the agent's own arguments.
    pub(crate) args: Vec<String>,
    /// What comes before variables of the same names.
    pub(crate) env: BTreeMap<String, String>,
}

/// Why there can be no conversation with an agent.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum HandshakeError {
    #[error("speaks ACP version {said}, this program speaks 1")]
    OtherVersion { said: String },
    #[error("does not say which version of ACP it speaks")]
    NoVersion,
    #[error("its answer to initialize cannot be read: {reason}")]
    Unreadable { reason: String },
}

/// Reads the answer to `initialize`, and checks the version.
pub(crate) fn initialized(result: &RawValue) -> Result<Initialized, HandshakeError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Members<'a> {
        #[serde(borrow)]
        protocol_version: Option<&'a RawValue>,
        #[serde(borrow)]
        agent_capabilities: Option<&'a RawValue>,
        #[serde(borrow)]
        auth_methods: Option<&'a RawValue>,
        #[serde(borrow)]
        agent_info: Option<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct AuthMembers {
        id: String,
        name: Option<String>,
        description: Option<String>,
        r#type: Option<String>,
        args: Option<Vec<String>>,
        env: Option<BTreeMap<String, String>>,
    }
    let members: Members<'_> =
        object(Some(result)).map_err(|reason| HandshakeError::Unreadable { reason })?;
    let said = members
        .protocol_version
        .ok_or(HandshakeError::NoVersion)?
        .get()
        .trim_matches('"');
    if said.parse() != Ok(VERSION) {
        return Err(HandshakeError::OtherVersion {
            said: short(said).to_owned(),
        });
    }
    let mut values = Values::default();
    let capabilities = values
        .read("agentCapabilities", members.agent_capabilities)
        .map(capabilities);
    let auth_methods: Vec<AuthMembers> = values
        .list("authMethods", members.auth_methods)
        .unwrap_or_default();
    let mut terminal_logins = Vec::new();
    let auth_methods = auth_methods
        .into_iter()
        .map(|method| {
            let terminal = method.r#type.as_deref() == Some("terminal");
            if terminal {
                terminal_logins.push(TerminalLogin {
                    method_id: method.id.clone(),
                    args: method.args.unwrap_or_default(),
                    env: method.env.unwrap_or_default(),
                });
            }
            AuthMethod {
                name: method.name.unwrap_or_else(|| method.id.clone()),
                id: method.id,
                description: method.description,
                terminal,
            }
        })
        .collect();
    Ok(Initialized {
        terminal_logins,
        capabilities: capabilities.unwrap_or_default(),
        auth_methods,
        version: version(members.agent_info, &mut values),
        skipped: values.skipped,
    })
}

fn version(agent_info: Option<&RawValue>, values: &mut Values) -> Option<String> {
    #[derive(Deserialize)]
    struct InfoMembers {
        name: Option<String>,
        title: Option<String>,
        version: Option<String>,
    }
    let info: InfoMembers = values.read("agentInfo", agent_info)?;
    match (info.name.or(info.title), info.version) {
        (Some(name), Some(version)) => Some(format!("{name} {version}")),
        (name, version) => name.or(version),
    }
}

fn capabilities(said: v1::AgentCapabilities) -> AgentCapabilities {
    let sessions = said.session_capabilities;
    AgentCapabilities {
        load_session: said.load_session,
        resume_session: sessions.resume.is_some(),
        list_sessions: sessions.list.is_some(),
        close_session: sessions.close.is_some(),
        image: said.prompt_capabilities.image,
        audio: said.prompt_capabilities.audio,
        embedded_context: said.prompt_capabilities.embedded_context,
        mcp_http: said.mcp_capabilities.http,
        mcp_sse: said.mcp_capabilities.sse,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(result: &Value) -> Result<Initialized, HandshakeError> {
        initialized(&RawValue::from_string(result.to_string()).unwrap())
    }

    #[test]
    fn capabilities_and_logins_are_read() {
        let said = read(&json!({
            "protocolVersion": 1,
            "agentCapabilities": {
                "loadSession": true,
                "promptCapabilities": {"image": true, "audio": "maybe"},
                "mcpCapabilities": {"http": true},
                "sessionCapabilities": {"list": {}, "resume": {}, "teleport": {}},
            },
            "authMethods": [{"id": "key", "name": "Key", "type": "env_var", "vars": []}, {"id": "login"}, {"name": "?"}],
            "agentInfo": {"name": "codex-acp", "title": "Codex", "version": "0.16.0"},
        }))
        .unwrap();
        let expected = AgentCapabilities {
            load_session: true,
            resume_session: true,
            list_sessions: true,
            image: true,
            mcp_http: true,
            ..AgentCapabilities::default()
        };
        assert_eq!(said.capabilities, expected);
        let logins: Vec<_> = said
            .auth_methods
            .iter()
            .map(|login| (&*login.id, &*login.name))
            .collect();
        assert_eq!(logins, [("key", "Key"), ("login", "login")]);
        assert_eq!(said.terminal_logins, []);
        assert_eq!(said.version.as_deref(), Some("codex-acp 0.16.0"));
        assert_eq!(said.skipped.len(), 1);
    }

    #[test]
    fn a_login_on_a_terminal_says_how_the_program_is_run() {
        let said = read(&json!({
            "protocolVersion": 1,
            "authMethods": [
                {"id": "tui", "name": "Terminal", "type": "terminal", "args": ["--login"], "env": {"WAY": "tui"}},
                {"id": "bare", "type": "terminal", "args": null},
            ],
        }))
        .unwrap();
        assert!(said.auth_methods.iter().all(|method| method.terminal));
        let login = |id: &str, args: &[&str], env: &[(&str, &str)]| TerminalLogin {
            method_id: id.to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            env: env
                .iter()
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        };
        assert_eq!(
            said.terminal_logins,
            [
                login("tui", &["--login"], &[("WAY", "tui")]),
                login("bare", &[], &[])
            ]
        );
    }

    #[test]
    fn an_agent_may_say_nothing_but_the_version() {
        for version in [json!(1), json!(1.0), json!("1")] {
            let said = read(&json!({"protocolVersion": version, "authMethods": null})).unwrap();
            assert_eq!(said.capabilities, AgentCapabilities::default());
            assert_eq!(
                (said.auth_methods.len(), said.version, said.skipped.len()),
                (0, None, 0)
            );
        }
    }

    #[test]
    fn another_version_is_refused_in_plain_words() {
        let error = |result: Value| read(&result).unwrap_err().to_string();
        assert_eq!(
            error(json!({"protocolVersion": 2})),
            "speaks ACP version 2, this program speaks 1"
        );
        assert_eq!(
            error(json!({"protocolVersion": 0})),
            "speaks ACP version 0, this program speaks 1"
        );
        assert_eq!(error(json!({})), "does not say which version of ACP it speaks");
        assert_eq!(
            error(json!(null)),
            "its answer to initialize cannot be read: null is no object"
        );
    }
}
