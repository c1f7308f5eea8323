//! Plays the agent's side of a recording: says what the agent said, in its order, and waits for our client wherever
//! the recorded client had said something. Messages of the client with nothing of the agent between them may come
//! in any order. Nothing here waits for time.

mod end;

pub(in crate::fake_agent) use end::{kill_self, park};

use std::collections::HashMap;
use std::io::BufRead;

use serde_json::Value;

use super::client_line::{AnswerContent, ClientLine, ClientLines};
use super::dialogue::{Stdout, expand, json_inner, stderr_line};
use super::expectation::{AgentRequest, Offered, check_answer, check_params, has_role};
use super::members::Members;
use super::report::{self, Divergence};
use crate::transcript::{Step, Transcript};

use end::EndWatch;

/// Replays `transcript` over stdin and stdout and ends the process as the agent's process ended.
pub fn run(transcript: &Transcript) -> ! {
    let watch = EndWatch::start();
    let mut replay = Replay {
        lines: ClientLines::new(std::io::stdin().lock()),
        stdout: Stdout::new(),
        offered: Offered::default(),
        cwd: None,
        our_ids: HashMap::new(),
        terminals: Vec::new(),
        requests: Vec::new(),
        open_prompts: Vec::new(),
    };
    match replay.play(&transcript.steps, &watch) {
        Ok(never) => match never {},
        Err(divergence) => report::reject(&divergence),
    }
}

struct Replay<R> {
    lines: ClientLines<R>,
    stdout: Stdout,
    offered: Offered,
    cwd: Option<String>,
    /// Id of a recorded request of the client → id our client used for it.
    our_ids: HashMap<String, Value>,
    /// Id of a terminal as the recorded client named it, and as ours did; both as JSON text.
    terminals: Vec<(String, String)>,
    /// Requests of the agent without an answer.
    requests: Vec<AgentRequest>,
    /// Recorded ids of prompts without an answer.
    open_prompts: Vec<Value>,
}

impl<R: BufRead> Replay<R> {
    fn play(&mut self, steps: &[Step], watch: &EndWatch) -> Result<std::convert::Infallible, Divergence> {
        let mut index = 0;
        while index < steps.len() {
            match &steps[index] {
                Step::Client(_) => {
                    let block = steps[index..]
                        .iter()
                        .take_while(|step| matches!(step, Step::Client(_) | Step::Stderr(_)));
                    let block: Vec<_> = block.collect();
                    index += block.len();
                    self.receive(&block)?;
                }
                Step::Agent(line) => {
                    self.send(line.get())?;
                    index += 1;
                }
                Step::Stray(text) => {
                    self.stdout.line(&self.fill_in(text))?;
                    index += 1;
                }
                Step::Stderr(text) => {
                    stderr_line(text);
                    index += 1;
                }
                Step::End(ending) => {
                    let rest = &steps[index + 1..];
                    return self.end(*ending, rest, watch);
                }
            }
        }
        Err(Divergence(
            "the transcript does not say how the recording ended".to_owned(),
        ))
    }

    /// Waits for all messages of `block`, in any order.
    fn receive(&mut self, block: &[&Step]) -> Result<(), Divergence> {
        let mut expected = Vec::new();
        for step in block {
            match step {
                Step::Client(message) => expected.push(message),
                Step::Stderr(text) => stderr_line(text),
                Step::Agent(_) | Step::Stray(_) | Step::End(_) => {}
            }
        }
        while !expected.is_empty() {
            let wanted = || {
                expected
                    .iter()
                    .map(|message| name(message))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let line = self.lines.next()?;
            let line = line.ok_or_else(|| Divergence(format!("stdin was closed before {}", wanted())))?;
            let position = expected.iter().position(|message| has_role(&line, message));
            let position =
                position.ok_or_else(|| Divergence(format!("{} instead of {}", line.describe(), wanted())))?;
            let recorded = expected.remove(position);
            self.accept(line, recorded)?;
        }
        Ok(())
    }

    fn accept(&mut self, line: ClientLine, recorded: &Value) -> Result<(), Divergence> {
        match line {
            ClientLine::Request { id, method, params } => {
                check_params(&method, &params, &recorded["params"])?;
                match method.as_str() {
                    "initialize" => self.offered = Offered::read(&params),
                    "session/new" => self.cwd = params["cwd"].as_str().map(str::to_owned),
                    "session/prompt" => self.open_prompts.push(recorded["id"].clone()),
                    _ => {}
                }
                self.our_ids.insert(recorded["id"].to_string(), id);
            }
            ClientLine::Notification { method, params } => {
                check_params(&method, &params, &recorded["params"])?
            }
            ClientLine::Answer { id, content } => {
                let position = self.requests.iter().position(|request| request.id == id);
                let position =
                    position.ok_or_else(|| Divergence(format!("an answer to {id}, which is not open")))?;
                let request = self.requests.remove(position);
                check_answer(&request, &content, recorded, self.offered)?;
                if let (AnswerContent::Result(ours), Some(theirs)) =
                    (&content, recorded["result"].get("terminalId"))
                {
                    self.terminals
                        .push((theirs.to_string(), ours["terminalId"].to_string()));
                }
            }
        }
        Ok(())
    }

    fn send(&mut self, recorded: &str) -> Result<(), Divergence> {
        let members: Members = serde_json::from_str(recorded)
            .map_err(|error| Divergence(format!("the transcript holds no object: {error}")))?;
        let message: Value = serde_json::from_str(recorded)
            .map_err(|error| Divergence(format!("the transcript holds no object: {error}")))?;
        let line = match (members.get("method"), members.get("id")) {
            (Some(_), Some(_)) => {
                self.requests.push(AgentRequest {
                    id: message["id"].clone(),
                    method: message["method"].as_str().unwrap_or_default().to_owned(),
                    params: message["params"].clone(),
                });
                recorded.to_owned()
            }
            (None, Some(id)) if id != "null" => {
                self.open_prompts.retain(|prompt| *prompt != message["id"]);
                let ours = self
                    .our_ids
                    .get(&message["id"].to_string())
                    .ok_or_else(|| Divergence(format!("the transcript answers {id}, which nobody asked")))?;
                members.with("id", &ours.to_string())
            }
            (_, _) => recorded.to_owned(),
        };
        let line = self.fill_in(&line);
        self.stdout.line(&line)
    }

    fn fill_in(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (theirs, ours) in &self.terminals {
            text = text.replace(theirs, ours);
        }
        expand(&text, |name, argument| match name {
            "CWD" => self.cwd.as_deref().map(json_inner),
            "HOME" => Some(json_inner(
                &std::env::var("HOME").unwrap_or_else(|_| "/home/agent".to_owned()),
            )),
            "BIG" => Some("x".repeat(argument?.parse().ok()?)),
            _ => None,
        })
    }
}

fn name(recorded: &Value) -> String {
    match recorded["method"].as_str() {
        Some(method) => method.to_owned(),
        None => format!("the answer to {}", recorded["id"]),
    }
}
