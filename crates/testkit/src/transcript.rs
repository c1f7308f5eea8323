//! The file format of `fixtures/acp`: what a real agent and its client said to each other, and how it ended.
//! Replaying is in `fake_agent::replay`; what a test needs to know to drive the replay is in `turns`.

mod turns;

pub(crate) use turns::OfferedOption;

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub use turns::{CancelPoint, Opening, PermissionAnswer, RecordedTurn, TurnOutcome};

/// One recording, in the order in which the recording client saw it.
#[derive(Debug)]
pub struct Transcript {
    pub agent: String,
    /// Absent where the agent does not tell.
    pub version: Option<String>,
    pub scenario: String,
    pub steps: Vec<Step>,
}

/// One line of a recording.
#[derive(Debug)]
pub enum Step {
    /// What the recording client sent: a client of ours has to send the like.
    Client(Value),
    /// A message of the agent, with the order of its members.
    Agent(Box<RawValue>),
    /// A line on the agent's stdout that is no JSON.
    Stray(String),
    Stderr(String),
    End(Ending),
}

/// How a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    pub cause: EndCause,
    pub exit: Exit,
}

/// What made the agent end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndCause {
    /// The client closed the agent's stdin.
    StdinClosed,
    /// The client sent SIGTERM.
    Terminated,
    /// SIGKILL from outside.
    Killed,
    /// The agent left by itself.
    Itself,
}

/// How the agent's process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
    /// It was still there 15 s later.
    Never,
}

#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    #[error("cannot read transcript {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("transcript {} is empty", path.display())]
    Empty { path: PathBuf },
    #[error("transcript {} line {line}: {source}", path.display())]
    Json {
        path: PathBuf,
        line: usize,
        source: serde_json::Error,
    },
    #[error("transcript {} line {line}: {problem}", path.display())]
    Row {
        path: PathBuf,
        line: usize,
        problem: &'static str,
    },
}

impl Transcript {
    /// Returns the transcript in `path`.
    pub fn load(path: &Path) -> Result<Self, TranscriptError> {
        let text = std::fs::read_to_string(path).map_err(|source| TranscriptError::Read {
            path: path.to_owned(),
            source,
        })?;
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let at = |index: usize, source| TranscriptError::Json {
            path: path.to_owned(),
            line: index + 1,
            source,
        };
        let (index, first) = lines.next().ok_or_else(|| TranscriptError::Empty {
            path: path.to_owned(),
        })?;
        let head: Head = serde_json::from_str(first).map_err(|source| at(index, source))?;
        let mut steps = Vec::new();
        for (index, line) in lines {
            let row: Row = serde_json::from_str(line).map_err(|source| at(index, source))?;
            steps.push(row.into_step().map_err(|problem| TranscriptError::Row {
                path: path.to_owned(),
                line: index + 1,
                problem,
            })?);
        }
        Ok(Self {
            agent: head.name,
            version: head.version,
            scenario: head.scenario,
            steps,
        })
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(out, "code {code}"),
            Self::Signal(signal) => write!(out, "signal {signal}"),
            Self::Never => out.write_str("never"),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    /// Version of this format; there is only one.
    #[serde(rename = "transcript")]
    _format: u32,
    name: String,
    version: Option<String>,
    scenario: String,
}

/// A row as it stands in the file: exactly one of the members beside `t` is there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Milliseconds since the agent was started, for readers; a replay does not wait.
    #[serde(rename = "t")]
    _at_ms: u64,
    client: Option<Value>,
    agent: Option<Box<RawValue>>,
    agent_raw: Option<String>,
    stderr: Option<String>,
    end: Option<String>,
    exit: Option<Value>,
}

impl Row {
    fn into_step(self) -> Result<Step, &'static str> {
        let Self {
            _at_ms: _,
            client,
            agent,
            agent_raw,
            stderr,
            end,
            exit,
        } = self;
        match (client, agent, agent_raw, stderr, end) {
            (Some(message), None, None, None, None) => Ok(Step::Client(message)),
            (None, Some(line), None, None, None) => Ok(Step::Agent(line)),
            (None, None, Some(text), None, None) => Ok(Step::Stray(text)),
            (None, None, None, Some(text), None) => Ok(Step::Stderr(text)),
            (None, None, None, None, Some(end)) => {
                let cause = match end.as_str() {
                    "eof" => EndCause::StdinClosed,
                    "term" => EndCause::Terminated,
                    "kill" => EndCause::Killed,
                    "self" => EndCause::Itself,
                    _ => return Err("`end` is none of eof, term, kill, self"),
                };
                let exit = match exit {
                    Some(Value::String(word)) if word == "never" => Exit::Never,
                    Some(Value::Number(number)) => {
                        let code = number.as_i64().and_then(|code| i32::try_from(code).ok());
                        match code.ok_or("`exit` is no exit code")? {
                            code @ 0.. => Exit::Code(code),
                            signal => Exit::Signal(-signal),
                        }
                    }
                    Some(_) | None => return Err("`exit` is neither a number nor \"never\""),
                };
                Ok(Step::End(Ending { cause, exit }))
            }
            _ => Err("a row has exactly one of client, agent, agent_raw, stderr, end"),
        }
    }
}
