//! Tests of the demo agent from its client's side. Everything that the agent sends is checked against the
//! types of ACP v1, both ways: what a type does not keep when it is read is a mistake of the agent.

mod protocol;
mod streams;
mod words;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use agent_client_protocol_schema::v1;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::agent::{Agent, Effect};

/// A client that holds the agent by hand: its clock is its own, and nothing takes time.
struct Client {
    agent: Agent,
    start: Instant,
    now: Instant,
    requests: BTreeMap<u64, String>,
    session_id: String,
    log: Vec<String>,
    crashed: bool,
}

impl Client {
    /// A client of an agent that was just started; booleans are shown.
    fn new(pace: Duration) -> Self {
        let now = Instant::now();
        Self {
            agent: Agent::new(pace, 7),
            start: now,
            now,
            requests: BTreeMap::new(),
            session_id: String::new(),
            log: Vec::new(),
            crashed: false,
        }
    }

    /// A client with a session.
    fn with_session() -> Self {
        let mut client = Self::new(Duration::ZERO);
        client.initialize(json!({"session": {"configOptions": {"boolean": {}}}}));
        client.session_id = client.new_session();
        client
    }

    fn initialize(&mut self, capabilities: Value) -> Value {
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        result_of(&self.request("initialize", params))
    }

    fn new_session(&mut self) -> String {
        let sent = self.request("session/new", json!({"cwd": "/music", "mcpServers": []}));
        let result = &sent[0]["result"];
        result["sessionId"]
            .as_str()
            .unwrap_or_else(|| panic!("no session in {sent:?}"))
            .to_owned()
    }

    /// Sends a request and returns all that the agent sends until it has nothing to do.
    fn request(&mut self, method: &str, params: Value) -> Vec<Value> {
        let id = self.requests.len() as u64 + 1;
        self.requests.insert(id, method.to_owned());
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    fn notify(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    fn send(&mut self, message: &Value) -> Vec<Value> {
        self.send_line(message.to_string().as_bytes())
    }

    fn send_line(&mut self, line: &[u8]) -> Vec<Value> {
        let effects = self.agent.receive(line, self.now);
        let mut sent = self.take(effects);
        while let Some(due) = self.agent.next_due() {
            self.now = self.now.max(due);
            let effects = self.agent.advance(self.now);
            sent.extend(self.take(effects));
        }
        sent
    }

    fn take(&mut self, effects: Vec<Effect>) -> Vec<Value> {
        let mut sent = Vec::new();
        for effect in effects {
            assert!(!self.crashed, "nothing comes after a crash");
            match effect {
                Effect::Send(line) => {
                    assert!(!line.contains('\n'), "one message a line: {line}");
                    let message = serde_json::from_str(&line).unwrap();
                    check_message(&message, &self.requests);
                    sent.push(message);
                }
                Effect::Log(line) => self.log.push(line),
                Effect::Crash => self.crashed = true,
            }
        }
        sent
    }

    /// Sends a prompt to the session and returns the turn, up to its end or to where it waits.
    fn prompt(&mut self, text: &str) -> Turn {
        let params = json!({"sessionId": self.session_id, "prompt": [{"type": "text", "text": text}]});
        Turn(self.request("session/prompt", params))
    }

    fn cancel(&mut self) -> Turn {
        Turn(self.notify("session/cancel", json!({"sessionId": self.session_id})))
    }

    fn select(&mut self, request: &Value, option_id: &str) -> Turn {
        let outcome = json!({"outcome": "selected", "optionId": option_id});
        self.answer_permission(request, outcome)
    }

    fn answer_permission(&mut self, request: &Value, outcome: Value) -> Turn {
        let result = json!({"outcome": outcome});
        Turn(self.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result})))
    }

    fn elapsed(&self) -> Duration {
        self.now - self.start
    }
}

/// What the agent sent of a turn.
#[derive(Debug)]
struct Turn(Vec<Value>);

impl Turn {
    fn updates(&self, kind: &str) -> Vec<&Value> {
        self.0
            .iter()
            .map(|message| &message["params"]["update"])
            .filter(|update| update["sessionUpdate"] == kind)
            .collect()
    }

    /// Returns the text of all message chunks together.
    fn text(&self) -> String {
        self.text_of("agent_message_chunk")
    }

    fn text_of(&self, kind: &str) -> String {
        self.updates(kind)
            .iter()
            .filter_map(|update| update["content"]["text"].as_str())
            .collect()
    }

    /// Returns the kinds of the updates, those that follow one another once.
    fn kinds(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = self
            .0
            .iter()
            .filter_map(|message| message["params"]["update"]["sessionUpdate"].as_str())
            .collect();
        kinds.dedup();
        kinds
    }

    fn statuses(&self, kind: &str) -> Vec<&str> {
        self.updates(kind)
            .iter()
            .map(|update| update["status"].as_str().unwrap())
            .collect()
    }

    /// Returns the one permission request, which is the last thing of the turn so far.
    fn permission_request(&self) -> &Value {
        let requests: Vec<&Value> = self
            .0
            .iter()
            .filter(|message| message["method"] == "session/request_permission")
            .collect();
        assert_eq!(requests.len(), 1, "{:?}", self.0);
        assert_eq!(self.0.last(), Some(requests[0]));
        requests[0]
    }

    /// Returns the stop reason, checking that the answer is the last message and the only answer.
    #[track_caller]
    fn stop_reason(&self) -> &str {
        let answers: Vec<&Value> = self
            .0
            .iter()
            .filter(|message| message.get("result").is_some())
            .collect();
        assert_eq!(answers.len(), 1, "{:?}", self.0);
        assert_eq!(self.0.last(), Some(answers[0]));
        answers[0]["result"]["stopReason"].as_str().unwrap()
    }

    fn is_over(&self) -> bool {
        self.0
            .iter()
            .any(|message| message.get("result").is_some() || message.get("error").is_some())
    }
}

#[track_caller]
fn result_of(sent: &[Value]) -> Value {
    sent[0]
        .get("result")
        .unwrap_or_else(|| panic!("no result in {sent:?}"))
        .clone()
}

#[track_caller]
fn error_code_of(sent: &[Value]) -> i64 {
    assert_eq!(sent.len(), 1, "{sent:?}");
    sent[0]["error"]["code"]
        .as_i64()
        .unwrap_or_else(|| panic!("no error in {sent:?}"))
}

/// Checks one message of the agent against ACP v1; `requests` says what an answer answers.
#[track_caller]
fn check_message(message: &Value, requests: &BTreeMap<u64, String>) {
    assert_eq!(message["jsonrpc"], "2.0");
    match message["method"].as_str() {
        Some("session/update") => {
            assert_eq!(message.get("id"), None);
            check_type::<v1::SessionNotification>(&message["params"]);
        }
        Some("session/request_permission") => {
            assert!(message["id"].is_u64());
            check_type::<v1::RequestPermissionRequest>(&message["params"]);
        }
        Some(method) => panic!("the agent calls no {method}"),
        None if message.get("error").is_some() => check_type::<v1::Error>(&message["error"]),
        None => {
            let id = message["id"].as_u64().unwrap();
            let result = &message["result"];
            match requests[&id].as_str() {
                "initialize" => check_type::<v1::InitializeResponse>(result),
                "session/new" => check_type::<v1::NewSessionResponse>(result),
                "session/load" => check_type::<v1::LoadSessionResponse>(result),
                "session/resume" => check_type::<v1::ResumeSessionResponse>(result),
                "session/list" => check_type::<v1::ListSessionsResponse>(result),
                "session/close" => check_type::<v1::CloseSessionResponse>(result),
                "session/set_mode" => check_type::<v1::SetSessionModeResponse>(result),
                "session/set_config_option" => check_type::<v1::SetSessionConfigOptionResponse>(result),
                "session/prompt" => check_type::<v1::PromptResponse>(result),
                method => panic!("{method} has no result: {result}"),
            }
        }
    }
}

/// Reading is tolerant in these types, so what was read is written again and compared.
#[track_caller]
fn check_type<Type: Serialize + DeserializeOwned>(value: &Value) {
    let read: Type = serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"));
    let mut expected = value.clone();
    // The defaults of a new tool call are not written again.
    let update = &mut expected["update"];
    if update["sessionUpdate"] == "tool_call" {
        let update = update.as_object_mut().unwrap();
        update.retain(|field, value| {
            !(field == "status" && value == "pending" || field == "kind" && value == "other")
        });
    } else if update.is_null()
        && let Some(value) = expected.as_object_mut()
    {
        // Looking for the field has made it.
        value.remove("update");
    }
    assert_eq!(serde_json::to_value(read).unwrap(), expected);
}
