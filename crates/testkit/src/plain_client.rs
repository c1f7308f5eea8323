//! A bare ACP client, for trying the fakes and the agents of others without the daemon. It reads whole lines of
//! valid JSON only: what a real client must bear is the daemon's business.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::transcript::{CancelPoint, PermissionAnswer, TurnOutcome};

/// A running agent and our side of its pipes.
pub struct PlainClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: i64,
    patience: Duration,
    /// Session of the last `session/new`.
    pub session_id: String,
    /// Lines on stdout that are no JSON objects.
    pub stray: Vec<String>,
    /// Kinds of the updates seen outside of turns.
    pub idle_updates: Vec<String>,
}

/// What the client does in a turn.
#[derive(Clone, Debug, Default)]
pub struct TurnPlan {
    /// Answers in order; an option is chosen by its kind. The last one serves for all further requests.
    pub permissions: VecDeque<PermissionAnswer>,
    pub cancel: Option<CancelPoint>,
    /// Where to leave the turn open; for recordings that end in it.
    pub leave_open_after: Option<CancelPoint>,
}

/// What a turn brought.
#[derive(Clone, Debug)]
pub struct TurnReport {
    pub text: String,
    /// `sessionUpdate` of each update, in order.
    pub updates: Vec<String>,
    /// Parameters of each permission request, in order.
    pub permissions: Vec<Value>,
    /// Methods of other requests, all answered -32601.
    pub refused: Vec<String>,
    pub outcome: TurnOutcome,
}

#[derive(Debug, thiserror::Error)]
pub enum PlainClientError {
    #[error("cannot start {program}: {source}")]
    Start { program: String, source: std::io::Error },
    #[error("the agent does not read any more: {0}")]
    Write(std::io::Error),
    #[error("the agent has closed its stdout while {0} was waited for")]
    Closed(String),
    #[error("no {0} within the time given")]
    Late(String),
    #[error("{method} was answered with an error: {error}")]
    Refused { method: String, error: Value },
    #[error("the agent's end cannot be waited for: {0}")]
    Wait(std::io::Error),
}

impl PlainClient {
    /// Starts the agent. `patience` bounds every wait for its next message; stderr is inherited.
    pub fn start(mut command: std::process::Command, patience: Duration) -> Result<Self, PlainClientError> {
        let program = command.get_program().to_string_lossy().into_owned();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| PlainClientError::Start { program, source })?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout was piped two lines above");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            child,
            stdin,
            lines,
            next_id: 100,
            patience,
            session_id: String::new(),
            stray: Vec::new(),
            idle_updates: Vec::new(),
        })
    }

    /// Sends `initialize` and returns the result.
    pub fn initialize(&mut self) -> Result<Value, PlainClientError> {
        let params = json!({
            "protocolVersion": 1,
            "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false},
            "clientInfo": {"name": "pupitre-testkit", "title": "Pupitre tests", "version": "0"},
        });
        self.call("initialize", params)
    }

    /// Begins a session in `cwd` and returns the result.
    pub fn new_session(&mut self, cwd: &Path) -> Result<Value, PlainClientError> {
        let result = self.call("session/new", json!({"cwd": cwd, "mcpServers": []}))?;
        self.session_id = result["sessionId"].as_str().unwrap_or_default().to_owned();
        Ok(result)
    }

    /// Waits for so many updates outside of a turn.
    pub fn idle(&mut self, updates: usize) -> Result<(), PlainClientError> {
        let mut seen = 0;
        while seen < updates {
            let message = self.next("updates between turns")?;
            if message["method"] == "session/update" {
                let kind = message["params"]["update"]["sessionUpdate"]
                    .as_str()
                    .unwrap_or_default();
                self.idle_updates.push(kind.to_owned());
                seen += 1;
            }
        }
        Ok(())
    }

    /// Sends a prompt and follows the turn to its end, or to where `plan` leaves it.
    pub fn turn(&mut self, text: &str, plan: &TurnPlan) -> Result<TurnReport, PlainClientError> {
        let prompt = json!([{"type": "text", "text": text}]);
        let id = self.request(
            "session/prompt",
            json!({"sessionId": self.session_id, "prompt": prompt}),
        )?;
        let mut report = TurnReport {
            text: String::new(),
            updates: Vec::new(),
            permissions: Vec::new(),
            refused: Vec::new(),
            outcome: TurnOutcome::Open,
        };
        let mut answers = plan.permissions.clone();
        let mut held = Vec::new();
        let mut cancel = plan.cancel;
        loop {
            if cancel.is_some_and(|point| report.has_reached(point)) {
                cancel = None;
                self.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": self.session_id}}))?;
                for request in held.drain(..) {
                    self.answer(&request, json!({"outcome": {"outcome": "cancelled"}}))?;
                }
            }
            if plan
                .leave_open_after
                .is_some_and(|point| report.has_reached(point))
            {
                return Ok(report);
            }
            let message = self.next("the end of a turn")?;
            match message["method"].as_str() {
                Some("session/update") => report.take_update(&message["params"]["update"]),
                Some("session/request_permission") => {
                    report.permissions.push(message["params"].clone());
                    let answer = if answers.len() > 1 {
                        answers.pop_front()
                    } else {
                        answers.front().cloned()
                    };
                    let result = match answer.unwrap_or(PermissionAnswer::Cancelled) {
                        PermissionAnswer::Cancelled if cancel.is_some() => {
                            held.push(message["id"].clone());
                            continue;
                        }
                        PermissionAnswer::Cancelled => json!({"outcome": {"outcome": "cancelled"}}),
                        PermissionAnswer::Selected { kind, option_id } => {
                            let options = message["params"]["options"]
                                .as_array()
                                .cloned()
                                .unwrap_or_default();
                            let option = options.iter().find(|option| option["kind"] == kind.as_str());
                            let id =
                                option.map_or(Value::from(option_id), |option| option["optionId"].clone());
                            json!({"outcome": {"outcome": "selected", "optionId": id}})
                        }
                    };
                    self.answer(&message["id"].clone(), result)?;
                }
                Some(method) if message.get("id").is_some() => {
                    report.refused.push(method.to_owned());
                    self.refuse(&message["id"].clone())?;
                }
                Some(_) => {}
                None if message["id"] == id => {
                    report.outcome = match message["result"]["stopReason"].as_str() {
                        Some(reason) => TurnOutcome::Stopped {
                            reason: reason.to_owned(),
                        },
                        None => TurnOutcome::Failed {
                            code: message["error"]["code"].as_i64().unwrap_or_default(),
                            message: message["error"]["message"]
                                .as_str()
                                .unwrap_or_default()
                                .to_owned(),
                        },
                    };
                    return Ok(report);
                }
                None => {}
            }
        }
    }

    /// Sends any message as one line.
    pub fn send(&mut self, message: &Value) -> Result<(), PlainClientError> {
        self.send_line(&message.to_string())
    }

    /// Sends any text as one line.
    pub fn send_line(&mut self, line: &str) -> Result<(), PlainClientError> {
        let Some(stdin) = &mut self.stdin else {
            return Err(PlainClientError::Write(std::io::ErrorKind::BrokenPipe.into()));
        };
        let written = stdin
            .write_all(format!("{line}\n").as_bytes())
            .and_then(|()| stdin.flush());
        written.map_err(PlainClientError::Write)
    }

    /// Sends a request and returns its id.
    pub fn request(&mut self, method: &str, params: Value) -> Result<i64, PlainClientError> {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(id)
    }

    /// Returns the agent's next JSON object. `awaited` names what for, should it not come.
    pub fn next(&mut self, awaited: &str) -> Result<Value, PlainClientError> {
        let deadline = Instant::now() + self.patience;
        loop {
            let line = self
                .lines
                .recv_timeout(deadline.saturating_duration_since(Instant::now()));
            let line = line.map_err(|error| match error {
                RecvTimeoutError::Timeout => PlainClientError::Late(awaited.to_owned()),
                RecvTimeoutError::Disconnected => PlainClientError::Closed(awaited.to_owned()),
            })?;
            match serde_json::from_str::<Value>(&line) {
                Ok(message) if message.is_object() => return Ok(message),
                Ok(_) | Err(_) => self.stray.push(line),
            }
        }
    }

    /// Returns the number of the agent's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes the agent's stdin.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Sends SIGTERM to the agent's process.
    pub fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    /// Sends SIGKILL to the agent's process.
    pub fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    /// Sends SIGKILL to the agent's process group; the agent must have been started in one of its own.
    pub fn kill_group(&self) {
        // A group that has ended by itself needs no signal.
        let _ = rustix::process::kill_process_group(self.system_pid(), rustix::process::Signal::KILL);
    }

    /// Waits for the end of the agent's process, without limit.
    pub fn wait(mut self) -> Result<ExitStatus, PlainClientError> {
        self.child.wait().map_err(PlainClientError::Wait)
    }

    fn signal(&self, signal: rustix::process::Signal) {
        // A process that has ended by itself needs no signal.
        let _ = rustix::process::kill_process(self.system_pid(), signal);
    }

    fn system_pid(&self) -> rustix::process::Pid {
        let pid = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        pid.expect("the system gave this pid")
    }

    fn call(&mut self, method: &str, params: Value) -> Result<Value, PlainClientError> {
        let id = self.request(method, params)?;
        loop {
            let message = self.next(method)?;
            match message["method"].as_str() {
                Some("session/update") => {
                    let kind = message["params"]["update"]["sessionUpdate"]
                        .as_str()
                        .unwrap_or_default();
                    self.idle_updates.push(kind.to_owned());
                }
                Some(_) if message.get("id").is_some() => self.refuse(&message["id"].clone())?,
                Some(_) => {}
                None if message["id"] == id => {
                    return match message.get("result") {
                        Some(result) => Ok(result.clone()),
                        None => Err(PlainClientError::Refused {
                            method: method.to_owned(),
                            error: message["error"].clone(),
                        }),
                    };
                }
                None => {}
            }
        }
    }

    fn answer(&mut self, id: &Value, result: Value) -> Result<(), PlainClientError> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    fn refuse(&mut self, id: &Value) -> Result<(), PlainClientError> {
        let error = json!({"code": -32601, "message": "Method not found"});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
    }
}

impl TurnReport {
    fn has_reached(&self, point: CancelPoint) -> bool {
        self.updates.len() >= point.after_updates && self.permissions.len() >= point.after_permissions
    }

    fn take_update(&mut self, update: &Value) {
        let kind = update["sessionUpdate"].as_str().unwrap_or_default();
        if kind == "agent_message_chunk" {
            self.text += update["content"]["text"].as_str().unwrap_or_default();
        }
        self.updates.push(kind.to_owned());
    }
}
