//! Performs the commands of a script, one after the other.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use super::parse::{Command, Expected, RawPart};
use crate::fake_agent::client_line::{AnswerContent, ClientLine, ClientLines};
use crate::fake_agent::dialogue::{Stdout, expand, json_inner, stderr_line};
use crate::fake_agent::expectation::check_params;
use crate::fake_agent::replay::kill_self;
use crate::fake_agent::report::{self, Divergence};

/// How a script ends.
pub(super) enum End {
    Exit(i32),
    /// Stays until it is killed.
    Parked,
}

/// Whether the commands after this one are performed.
enum Flow {
    Next,
    /// The client has closed stdin where it may.
    Closed,
    Exit(i32),
}

pub(super) fn perform(commands: &[Command]) -> Result<End, Divergence> {
    let mut performer = Performer {
        lines: ClientLines::new(std::io::stdin().lock()),
        stdout: Stdout::new(),
        id: Value::Null,
        cwd: "/".to_owned(),
        sessions: 0,
        round: 0,
        after_eof: AfterEof::Exit,
        kept: VecDeque::new(),
    };
    match performer.all(commands)? {
        Flow::Exit(code) => return Ok(End::Exit(code)),
        Flow::Next => performer.read_to_end()?,
        Flow::Closed => {}
    }
    Ok(match performer.after_eof {
        AfterEof::Exit => End::Exit(0),
        AfterEof::Stay => End::Parked,
    })
}

struct Performer<R> {
    lines: ClientLines<R>,
    stdout: Stdout,
    /// Id of the last expected request.
    id: Value,
    cwd: String,
    sessions: usize,
    /// Number of the innermost repetition, from 1.
    round: usize,
    after_eof: AfterEof,
    /// What came while an answer was awaited.
    kept: VecDeque<ClientLine>,
}

enum AfterEof {
    Exit,
    Stay,
}

impl<R: BufRead> Performer<R> {
    fn all(&mut self, commands: &[Command]) -> Result<Flow, Divergence> {
        for command in commands {
            match self.one(command)? {
                Flow::Next => {}
                flow @ (Flow::Closed | Flow::Exit(_)) => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn one(&mut self, command: &Command) -> Result<Flow, Divergence> {
        match command {
            Command::Expect { method } => {
                let line = self.next_line()?;
                let line = line.ok_or_else(|| Divergence(format!("stdin was closed before {method}")))?;
                self.take(line, method)?;
            }
            Command::WaitFor { method } => loop {
                let line = self.next_line()?;
                let line = line.ok_or_else(|| Divergence(format!("stdin was closed before {method}")))?;
                if is_method(&line, method) {
                    self.take(line, method)?;
                    break;
                }
            },
            Command::ExpectAnswer { id, expected } => self.expect_answer(id, expected)?,
            Command::AwaitAnswer { id, expected } => self.await_answer(id, expected)?,
            Command::Send { line } => {
                let line = self.fill_in(line);
                self.stdout.line(&line)?;
            }
            Command::Raw { bytes } => {
                let mut out = Vec::new();
                for part in bytes {
                    match part {
                        RawPart::Bytes(bytes) => out.extend_from_slice(bytes),
                        RawPart::Text(text) => out.extend_from_slice(self.fill_in(text).as_bytes()),
                    }
                }
                self.stdout.bytes(&out)?;
            }
            Command::Answer { result } => {
                let result = self.fill_in(result);
                self.answer(&self.id.clone(), &result)?;
            }
            Command::Fail { code, message } => {
                let error =
                    json!({"jsonrpc": "2.0", "id": self.id, "error": {"code": code, "message": message}});
                self.stdout.line(&error.to_string())?;
            }
            Command::Update { update } => {
                let update = self.fill_in(update);
                self.stdout.line(&self.update_line(&update))?;
            }
            Command::Chunk { text } => self.chunk(text)?,
            Command::Flood { count, text } => self.flood(*count, text)?,
            Command::Repeat { count, body } => {
                for round in 1..=*count {
                    self.round = round;
                    match self.all(body)? {
                        Flow::Next => {}
                        flow @ (Flow::Closed | Flow::Exit(_)) => return Ok(flow),
                    }
                }
            }
            Command::Loop { body } => return self.rounds(body),
            Command::Handshake => {
                self.all(&[Command::Expect {
                    method: "initialize".to_owned(),
                }])?;
                self.answer_initialize(&self.id.clone())?;
                self.all(&[Command::Expect {
                    method: "session/new".to_owned(),
                }])?;
                self.answer_session(&self.id.clone())?;
            }
            Command::Turn { text } => {
                self.all(&[Command::Expect {
                    method: "session/prompt".to_owned(),
                }])?;
                self.chunk(text)?;
                self.answer(&self.id.clone(), r#"{"stopReason":"end_turn"}"#)?;
            }
            Command::Serve => {
                while let Some(line) = self.next_line()? {
                    self.serve(line)?;
                }
                return Ok(Flow::Closed);
            }
            Command::Stderr { text } => stderr_line(&self.fill_in(text)),
            Command::Silence => {
                self.read_to_end()?;
                return Ok(Flow::Closed);
            }
            Command::IgnoreEof => self.after_eof = AfterEof::Stay,
            Command::IgnoreTerm => {
                let flag = Arc::new(AtomicBool::new(false));
                signal_hook::flag::register(signal_hook::consts::SIGTERM, flag)
                    .map_err(|error| Divergence(format!("SIGTERM cannot be ignored: {error}")))?;
            }
            Command::KillSelf => {
                report::accept();
                kill_self(rustix::process::Signal::KILL)
            }
            Command::Exit { code } => return Ok(Flow::Exit(*code)),
        }
        Ok(Flow::Next)
    }

    /// Repeats `body`, which begins with an `Expect`, until the client has no more to say.
    fn rounds(&mut self, body: &[Command]) -> Result<Flow, Divergence> {
        let Some((Command::Expect { method }, rest)) = body.split_first() else {
            return Err(Divergence("a loop has to begin with expect".to_owned()));
        };
        for round in 1.. {
            let Some(line) = self.next_line()? else { break };
            self.round = round;
            self.take(line, method)?;
            match self.all(rest)? {
                Flow::Next => {}
                flow @ (Flow::Closed | Flow::Exit(_)) => return Ok(flow),
            }
        }
        Ok(Flow::Closed)
    }

    fn take(&mut self, line: ClientLine, method: &str) -> Result<(), Divergence> {
        if !is_method(&line, method) {
            return Err(Divergence(format!("{} instead of {method}", line.describe())));
        }
        match line {
            ClientLine::Request { id, params, .. } => {
                check_params(method, &params, &Value::Null)?;
                if let Some(cwd) = params["cwd"].as_str() {
                    self.cwd = cwd.to_owned();
                }
                self.id = id;
            }
            ClientLine::Notification { .. } | ClientLine::Answer { .. } => {}
        }
        Ok(())
    }

    fn expect_answer(&mut self, wanted: &Value, expected: &Expected) -> Result<(), Divergence> {
        let line = self.next_line()?;
        let line =
            line.ok_or_else(|| Divergence(format!("stdin was closed before the answer to {wanted}")))?;
        check_answer(&line, wanted, expected)
    }

    /// Waits for the answer to `wanted`; what else comes before it is kept for the commands after this one.
    fn await_answer(&mut self, wanted: &Value, expected: &Expected) -> Result<(), Divergence> {
        loop {
            let line = self.lines.next()?;
            let line =
                line.ok_or_else(|| Divergence(format!("stdin was closed before the answer to {wanted}")))?;
            match &line {
                ClientLine::Answer { id, .. } if id == wanted => {
                    return check_answer(&line, wanted, expected);
                }
                ClientLine::Answer { .. } | ClientLine::Request { .. } | ClientLine::Notification { .. } => {
                    self.kept.push_back(line);
                }
            }
        }
    }

    fn next_line(&mut self) -> Result<Option<ClientLine>, Divergence> {
        match self.kept.pop_front() {
            Some(line) => Ok(Some(line)),
            None => self.lines.next(),
        }
    }

    fn serve(&mut self, line: ClientLine) -> Result<(), Divergence> {
        let ClientLine::Request { id, method, params } = line else {
            return Ok(());
        };
        match method.as_str() {
            "initialize" => self.answer_initialize(&id),
            "session/new" => {
                self.cwd = params["cwd"].as_str().unwrap_or("/").to_owned();
                self.answer_session(&id)
            }
            "session/prompt" => {
                self.chunk("All is well.")?;
                self.answer(&id, r#"{"stopReason":"end_turn"}"#)
            }
            _ => {
                let error = json!({"code": -32601, "message": "Method not found"});
                self.stdout
                    .line(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string())
            }
        }
    }

    fn read_to_end(&mut self) -> Result<(), Divergence> {
        while self.next_line()?.is_some() {}
        Ok(())
    }

    fn answer_initialize(&mut self, id: &Value) -> Result<(), Divergence> {
        self.answer(
            id,
            r#"{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"odd","version":"1"}}"#,
        )
    }

    fn answer_session(&mut self, id: &Value) -> Result<(), Divergence> {
        self.sessions += 1;
        let result = json!({"sessionId": self.session()}).to_string();
        self.answer(id, &result)
    }

    fn answer(&mut self, id: &Value, result: &str) -> Result<(), Divergence> {
        self.stdout
            .line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
    }

    fn chunk(&mut self, text: &str) -> Result<(), Divergence> {
        let line = self.chunk_line(text);
        self.stdout.line(&line)
    }

    fn flood(&mut self, count: usize, text: &str) -> Result<(), Divergence> {
        let mut lines = String::new();
        for number in 1..=count {
            self.round = number;
            lines.push_str(&self.chunk_line(text));
            lines.push('\n');
        }
        self.stdout.bytes(lines.as_bytes())
    }

    fn chunk_line(&self, text: &str) -> String {
        let text = json_inner(&self.fill_in(text));
        self.update_line(&format!(
            r#"{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}"#
        ))
    }

    fn update_line(&self, update: &str) -> String {
        let session = self.session();
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{update}}}}}"#
        )
    }

    /// Returns the id of the newest session; before the first one, the id it is going to have.
    fn session(&self) -> String {
        format!("s{}", self.sessions.max(1))
    }

    fn fill_in(&self, text: &str) -> String {
        expand(text, |name, argument| {
            let count = || argument.and_then(|argument| argument.parse::<usize>().ok());
            Some(match name {
                "id" => self.id.to_string(),
                "session" => self.session(),
                "n" => self.round.to_string(),
                "cwd" => json_inner(&self.cwd),
                "big" => "x".repeat(count()?),
                "base64" => "QUFB".repeat(count()?.div_ceil(4)),
                "commands" => {
                    let command = |number| {
                        json!({"name": format!("command-{number}"), "description": "One of very many.", "input": null})
                            .to_string()
                    };
                    (1..=count()?).map(command).collect::<Vec<_>>().join(",")
                }
                _ => return None,
            })
        })
    }
}

fn is_method(line: &ClientLine, wanted: &str) -> bool {
    match line {
        ClientLine::Request { method, .. } | ClientLine::Notification { method, .. } => method == wanted,
        ClientLine::Answer { .. } => false,
    }
}

fn check_answer(line: &ClientLine, wanted: &Value, expected: &Expected) -> Result<(), Divergence> {
    let fits = match line {
        ClientLine::Answer { id, content } if id == wanted => match (expected, content) {
            (Expected::Result, AnswerContent::Result(_)) => true,
            (Expected::Error { code }, AnswerContent::Error(error)) => error["code"] == *code,
            (Expected::Selected { option_id }, AnswerContent::Result(result)) => {
                result["outcome"] == json!({"outcome": "selected", "optionId": option_id})
            }
            (Expected::Cancelled, AnswerContent::Result(result)) => {
                result["outcome"] == json!({"outcome": "cancelled"})
            }
            (Expected::Error { .. }, AnswerContent::Result(_)) => false,
            (Expected::Result | Expected::Selected { .. } | Expected::Cancelled, AnswerContent::Error(_)) => {
                false
            }
        },
        ClientLine::Answer { .. } | ClientLine::Request { .. } | ClientLine::Notification { .. } => false,
    };
    if fits {
        Ok(())
    } else {
        Err(Divergence(format!(
            "{} instead of {expected:?} for {wanted}",
            line.describe()
        )))
    }
}
