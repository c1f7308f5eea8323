//! The demo agent itself, as a pure machine: a line of the client and the time go in, effects come out.
//! It answers ACP's methods and owns the sessions; `turn` does the steps of what runs.

mod turn;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::script::End;
use super::session::{Attendance, BooleanOptions, Mode, Model, Reasoning, Session};
use super::wire::{self, Incoming, RpcError};
use super::word;
use turn::{Turn, TurnState};

/// The one protocol version spoken, whatever the client asks for (ACP v1, initialization).
const PROTOCOL_VERSION: u64 = 1;

/// What the world has to do, in this order.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// One line for stdout, without its end.
    Send(String),
    /// One line for stderr, without its end.
    Log(String),
    Crash,
}

#[derive(Debug)]
pub(super) struct Agent {
    pace: Duration,
    origin: u32,
    boolean_options: BooleanOptions,
    login: Login,
    sessions: BTreeMap<String, Session>,
    turns: Vec<Turn>,
    requests: u64,
    effects: Vec<Effect>,
}

/// Whether the word `login` wants one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Login {
    Wanted,
    Done,
}

/// The id of the one way to log in.
const LOGIN_METHOD: &str = "demo";

/// The answer to a request, and the updates that follow it.
struct Reply {
    result: Value,
    updates: Vec<Value>,
}

impl Agent {
    /// `pace` is the pause between two chunks; `origin` makes session ids of different runs differ.
    pub(super) fn new(pace: Duration, origin: u32) -> Self {
        Self {
            pace,
            origin,
            boolean_options: BooleanOptions::NotShown,
            login: Login::Wanted,
            sessions: BTreeMap::new(),
            turns: Vec::new(),
            requests: 0,
            effects: Vec::new(),
        }
    }

    /// Returns what one line of the client leads to at once.
    pub(super) fn receive(&mut self, line: &[u8], now: Instant) -> Vec<Effect> {
        match wire::read_line(line) {
            Ok(None) => {}
            Ok(Some(Incoming::Request { id, method, params })) => self.request(&id, &method, params, now),
            Ok(Some(Incoming::Notification { method, params })) => self.notification(&method, &params),
            Ok(Some(Incoming::Answer { id, outcome })) => self.answer(&id, &outcome, now),
            Err(bad) => self.send(wire::error_line(&bad.id, &bad.error)),
        }
        std::mem::take(&mut self.effects)
    }

    /// Returns when `advance` has something to do, if nothing else happens.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.turns
            .iter()
            .filter_map(|turn| match &turn.state {
                TurnState::Due(due) => Some(*due),
                TurnState::Asking { .. } | TurnState::Waiting => None,
            })
            .min()
    }

    /// Does the steps that are due, but not more than a few hundred.
    pub(super) fn advance(&mut self, now: Instant) -> Vec<Effect> {
        for turn in std::mem::take(&mut self.turns) {
            self.advance_turn(turn, now);
        }
        std::mem::take(&mut self.effects)
    }

    fn request(&mut self, id: &Value, method: &str, params: Value, now: Instant) {
        if method == "session/prompt" {
            if let Err(error) = self.begin_turn(id, params, now) {
                self.send(wire::error_line(id, &error));
            }
            return;
        }
        let session_id = params["sessionId"].as_str().map(str::to_owned);
        let reply = match method {
            "initialize" => self.initialize(params),
            "authenticate" => self.authenticate(params),
            "session/new" => self.new_session(params),
            "session/load" => self.load_session(params),
            "session/resume" => self.resume_session(params),
            "session/list" => self.list_sessions(params),
            "session/close" => self.close_session(params),
            "session/set_mode" => self.set_mode(params),
            "session/set_config_option" => self.set_config_option(params),
            _ => Err(RpcError::method_not_found(method)),
        };
        match reply {
            Err(error) => self.send(wire::error_line(id, &error)),
            Ok(reply) => {
                self.send(wire::result_line(id, &reply.result));
                let new_id = reply.result["sessionId"].as_str().map(str::to_owned);
                if let Some(session_id) = new_id.or(session_id) {
                    for update in &reply.updates {
                        self.send(wire::update_line(&session_id, update));
                    }
                }
            }
        }
    }

    fn notification(&mut self, method: &str, params: &Value) {
        let turn = match method {
            "session/cancel" => self
                .turns
                .iter()
                .position(|turn| params["sessionId"] == *turn.session_id),
            "$/cancel_request" => self
                .turns
                .iter()
                .position(|turn| params["requestId"] == turn.request_id),
            // ACP asks to ignore what is not known.
            _ => None,
        };
        if let Some(index) = turn {
            let turn = self.turns.remove(index);
            self.end_turn(turn, End::Cancelled);
        }
    }

    fn initialize(&mut self, params: Value) -> Result<Reply, RpcError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            #[serde(rename = "protocolVersion")]
            _protocol_version: u64,
            #[serde(default)]
            client_capabilities: Value,
        }
        let params: Params = wire::read_params(params)?;
        let boolean = &params.client_capabilities["session"]["configOptions"]["boolean"];
        self.boolean_options = if boolean.is_object() {
            BooleanOptions::Shown
        } else {
            BooleanOptions::NotShown
        };
        Ok(Reply::only(json!({
            "protocolVersion": PROTOCOL_VERSION,
            "agentInfo": {
                "name": "pupitre-demo-agent",
                "title": "Demo agent",
                "version": env!("CARGO_PKG_VERSION"),
            },
            "agentCapabilities": {
                "loadSession": true,
                "promptCapabilities": {"image": true, "audio": false, "embeddedContext": true},
                "mcpCapabilities": {"http": false, "sse": false},
                "sessionCapabilities": {"list": {}, "resume": {}, "close": {}},
                "auth": {},
            },
            "authMethods": [{
                "id": LOGIN_METHOD,
                "name": "Demo login",
                "description": "Needs no account and no password",
            }],
        })))
    }

    fn authenticate(&mut self, params: Value) -> Result<Reply, RpcError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            method_id: String,
        }
        let params: Params = wire::read_params(params)?;
        if params.method_id != LOGIN_METHOD {
            let message = format!("no such login: {}", params.method_id);
            return Err(RpcError::invalid_params(message));
        }
        self.login = Login::Done;
        Ok(Reply::only(json!({})))
    }

    fn new_session(&mut self, params: Value) -> Result<Reply, RpcError> {
        #[derive(Deserialize)]
        struct Params {
            cwd: PathBuf,
        }
        let params: Params = wire::read_params(params)?;
        check_absolute(&params.cwd)?;
        let id = format!("demo-{:08x}-{}", self.origin, self.sessions.len() + 1);
        let session = Session::new(id.clone(), params.cwd);
        let mut reply = self.session_reply(&session);
        reply.result["sessionId"] = json!(id);
        self.sessions.insert(id, session);
        Ok(reply)
    }

    fn load_session(&mut self, params: Value) -> Result<Reply, RpcError> {
        let session_id = self.open_session(params)?;
        let session = self.find_session(&session_id)?;
        let mut replay = Vec::new();
        for turn in &session.past {
            for (kind, text) in [
                ("user_message_chunk", &turn.prompt),
                ("agent_message_chunk", &turn.answer),
            ] {
                let update = json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}});
                replay.push(wire::update_line(&session_id, &update));
            }
        }
        let reply = self.session_reply(session);
        for line in replay {
            self.send(line);
        }
        Ok(reply)
    }

    fn resume_session(&mut self, params: Value) -> Result<Reply, RpcError> {
        let session_id = self.open_session(params)?;
        Ok(self.session_reply(self.find_session(&session_id)?))
    }

    /// Opens a known session, in the working directory that the client names now.
    fn open_session(&mut self, params: Value) -> Result<String, RpcError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            session_id: String,
            cwd: PathBuf,
        }
        let params: Params = wire::read_params(params)?;
        check_absolute(&params.cwd)?;
        let session = self
            .sessions
            .get_mut(&params.session_id)
            .ok_or_else(|| RpcError::unknown_session(&params.session_id))?;
        session.attendance = Attendance::Open;
        session.cwd = params.cwd;
        Ok(params.session_id)
    }

    fn list_sessions(&mut self, params: Value) -> Result<Reply, RpcError> {
        #[derive(Default, Deserialize)]
        struct Params {
            cwd: Option<PathBuf>,
        }
        let params: Option<Params> = wire::read_params(params)?;
        let cwd = params.unwrap_or_default().cwd;
        let sessions: Vec<Value> = self
            .sessions
            .values()
            .filter(|session| cwd.as_ref().is_none_or(|cwd| session.cwd == *cwd))
            .map(|session| {
                let mut info = json!({"sessionId": session.id, "cwd": session.cwd});
                if let Some(title) = &session.title {
                    info["title"] = json!(title);
                }
                info
            })
            .collect();
        Ok(Reply::only(json!({ "sessions": sessions })))
    }

    fn close_session(&mut self, params: Value) -> Result<Reply, RpcError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            session_id: String,
        }
        let params: Params = wire::read_params(params)?;
        let session = self.find_open_session(&params.session_id)?;
        session.attendance = Attendance::Closed;
        if let Some(index) = self
            .turns
            .iter()
            .position(|turn| turn.session_id == params.session_id)
        {
            let turn = self.turns.remove(index);
            self.end_turn(turn, End::Cancelled);
        }
        Ok(Reply::only(json!({})))
    }

    fn set_mode(&mut self, params: Value) -> Result<Reply, RpcError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            session_id: String,
            mode_id: String,
        }
        let params: Params = wire::read_params(params)?;
        let session = self.find_open_session(&params.session_id)?;
        session.mode = Mode::from_id(&params.mode_id)
            .ok_or_else(|| RpcError::invalid_params(format!("no such mode: {}", params.mode_id)))?;
        Ok(Reply {
            result: json!({}),
            updates: vec![session.mode_update()],
        })
    }

    fn set_config_option(&mut self, params: Value) -> Result<Reply, RpcError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            session_id: String,
            config_id: String,
            value: Value,
        }
        let params: Params = wire::read_params(params)?;
        let booleans = self.boolean_options;
        let session = self.find_open_session(&params.session_id)?;
        match (params.config_id.as_str(), &params.value) {
            ("model", Value::String(id)) => {
                session.model = Model::from_id(id)
                    .ok_or_else(|| RpcError::invalid_params(format!("no such model: {id}")))?;
            }
            ("reasoning", Value::Bool(true)) => session.reasoning = Reasoning::Always,
            ("reasoning", Value::Bool(false)) => session.reasoning = Reasoning::OnRequest,
            ("model" | "reasoning", value) => {
                return Err(RpcError::invalid_params(format!(
                    "not a value of {}: {value}",
                    params.config_id
                )));
            }
            (id, _) => return Err(RpcError::invalid_params(format!("no such option: {id}"))),
        }
        Ok(Reply::only(
            json!({"configOptions": session.config_options(booleans)}),
        ))
    }

    fn find_session(&self, id: &str) -> Result<&Session, RpcError> {
        self.sessions.get(id).ok_or_else(|| RpcError::unknown_session(id))
    }

    fn find_open_session(&mut self, id: &str) -> Result<&mut Session, RpcError> {
        match self.sessions.get_mut(id) {
            Some(session) if session.attendance == Attendance::Open => Ok(session),
            Some(_) => Err(RpcError::invalid_request(format!(
                "session is closed, load or resume it: {id}"
            ))),
            None => Err(RpcError::unknown_session(id)),
        }
    }

    /// Returns the modes and options of a session, then its slash commands.
    fn session_reply(&self, session: &Session) -> Reply {
        let result = json!({
            "modes": session.modes(),
            "configOptions": session.config_options(self.boolean_options),
        });
        let commands = json!({
            "sessionUpdate": "available_commands_update",
            "availableCommands": word::available_commands(),
        });
        Reply {
            result,
            updates: vec![commands],
        }
    }

    fn send(&mut self, line: String) {
        self.effects.push(Effect::Send(line));
    }
}

impl Reply {
    fn only(result: Value) -> Self {
        Self {
            result,
            updates: Vec::new(),
        }
    }
}

fn check_absolute(cwd: &Path) -> Result<(), RpcError> {
    if cwd.is_absolute() {
        Ok(())
    } else {
        Err(RpcError::invalid_params(format!(
            "cwd is not an absolute path: {}",
            cwd.display()
        )))
    }
}
