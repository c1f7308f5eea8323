//! The language of scripts: one command a line, `#` for comments, `repeat N` and `loop` up to their `end`.

use serde_json::Value;

/// One line of a script.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// The next message must be this method; its id becomes `${id}`.
    Expect {
        method: String,
    },
    /// Like `Expect`, but other messages are passed over.
    WaitFor {
        method: String,
    },
    /// The next message must answer the request with this id.
    ExpectAnswer {
        id: Value,
        expected: Expected,
    },
    /// Like `ExpectAnswer`, but other messages may come before and are kept for the commands that follow.
    AwaitAnswer {
        id: Value,
        expected: Expected,
    },
    /// A line of JSON with placeholders.
    Send {
        line: String,
    },
    /// Bytes as they are, without a newline.
    Raw {
        bytes: Vec<RawPart>,
    },
    /// A result for the last expected request.
    Answer {
        result: String,
    },
    /// An error for the last expected request.
    Fail {
        code: i64,
        message: String,
    },
    Update {
        update: String,
    },
    Chunk {
        text: String,
    },
    /// So many chunks in one write.
    Flood {
        count: usize,
        text: String,
    },
    Repeat {
        count: usize,
        body: Vec<Command>,
    },
    /// Until the client closes stdin at the first `Expect` of a round.
    Loop {
        body: Vec<Command>,
    },
    /// `initialize` and `session/new`, answered as usual.
    Handshake,
    /// A whole ordinary turn that says this text.
    Turn {
        text: String,
    },
    /// Answers everything as usual until stdin is closed.
    Serve,
    Stderr {
        text: String,
    },
    /// Reads and does nothing until stdin is closed.
    Silence,
    /// From here on the end of stdin does not end the agent.
    IgnoreEof,
    /// From here on SIGTERM does nothing.
    IgnoreTerm,
    KillSelf,
    Exit {
        code: i32,
    },
}

/// What an answer has to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    Result,
    Error { code: i64 },
    Selected { option_id: String },
    Cancelled,
}

/// A piece of raw output: bytes, or a text with placeholders.
#[derive(Clone, Debug, PartialEq)]
pub enum RawPart {
    Bytes(Vec<u8>),
    Text(String),
}

#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ParseError {
    pub line: usize,
    pub problem: String,
}

/// Returns the commands in `text`.
pub fn parse(text: &str) -> Result<Vec<Command>, ParseError> {
    let mut open: Vec<(usize, OpenBlock)> = Vec::new();
    let mut commands: Vec<Vec<Command>> = vec![Vec::new()];
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let at = |problem: String| ParseError {
            line: line_number,
            problem,
        };
        let line = line.trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "repeat" => {
                let count = number(rest).map_err(at)?;
                open.push((line_number, OpenBlock::Repeat { count }));
                commands.push(Vec::new());
            }
            "loop" => {
                open.push((line_number, OpenBlock::Loop));
                commands.push(Vec::new());
            }
            "end" => {
                let (_, block) = open.pop().ok_or_else(|| at("nothing to end".to_owned()))?;
                let body = commands.pop().expect("every open block has its commands");
                let command = match block {
                    OpenBlock::Repeat { count } => Command::Repeat { count, body },
                    OpenBlock::Loop => Command::Loop { body },
                };
                commands
                    .last_mut()
                    .expect("the outermost commands stay")
                    .push(command);
            }
            _ => {
                let command = command(verb, rest).map_err(at)?;
                commands
                    .last_mut()
                    .expect("the outermost commands stay")
                    .push(command);
            }
        }
    }
    match open.pop() {
        Some((line, _)) => Err(ParseError {
            line,
            problem: "this block has no end".to_owned(),
        }),
        None => Ok(commands.pop().expect("the outermost commands stay")),
    }
}

enum OpenBlock {
    Repeat { count: usize },
    Loop,
}

fn command(verb: &str, rest: &str) -> Result<Command, String> {
    let text = || rest.to_owned();
    Ok(match verb {
        "expect" => Command::Expect { method: text() },
        "wait-for" => Command::WaitFor { method: text() },
        "expect-answer" | "await-answer" => {
            let (id, expected) = rest.split_once(' ').ok_or("expect-answer ID WHAT")?;
            let id = serde_json::from_str(id).map_err(|error| format!("id {id}: {error}"))?;
            let expected = match expected.split_once(' ').unwrap_or((expected, "")) {
                ("result", "") => Expected::Result,
                ("cancelled", "") => Expected::Cancelled,
                ("error", code) => Expected::Error { code: number(code)? },
                ("selected", option) => Expected::Selected {
                    option_id: option.to_owned(),
                },
                (_, _) => return Err(format!("no such answer: {expected}")),
            };
            match verb {
                "expect-answer" => Command::ExpectAnswer { id, expected },
                _ => Command::AwaitAnswer { id, expected },
            }
        }
        "send" => Command::Send { line: text() },
        "raw" => Command::Raw {
            bytes: raw_parts(rest)?,
        },
        "answer" => Command::Answer { result: text() },
        "fail" => {
            let (code, message) = rest.split_once(' ').ok_or("fail CODE MESSAGE")?;
            Command::Fail {
                code: number(code)?,
                message: message.to_owned(),
            }
        }
        "update" => Command::Update { update: text() },
        "chunk" => Command::Chunk { text: text() },
        "flood" => {
            let (count, text) = rest.split_once(' ').ok_or("flood COUNT TEXT")?;
            Command::Flood {
                count: number(count)?,
                text: text.to_owned(),
            }
        }
        "handshake" => Command::Handshake,
        "turn" => Command::Turn { text: text() },
        "serve" => Command::Serve,
        "stderr" => Command::Stderr { text: text() },
        "silence" => Command::Silence,
        "ignore-eof" => Command::IgnoreEof,
        "ignore-term" => Command::IgnoreTerm,
        "kill-self" => Command::KillSelf,
        "exit" => Command::Exit { code: number(rest)? },
        _ => return Err(format!("no such command: {verb}")),
    })
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("no number: {text:?}"))
}

/// Reads `\n`, `\r`, `\t`, `\e`, `\\` and `\xHH`; what is between them stays a text with placeholders.
fn raw_parts(text: &str) -> Result<Vec<RawPart>, String> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('t') => plain.push('\t'),
            Some('e') => plain.push('\u{1b}'),
            Some('\\') => plain.push('\\'),
            Some('x') => {
                let digits: String = characters.by_ref().take(2).collect();
                let byte = u8::from_str_radix(&digits, 16).map_err(|_| format!("no byte: \\x{digits}"))?;
                parts.push(RawPart::Text(std::mem::take(&mut plain)));
                parts.push(RawPart::Bytes(vec![byte]));
            }
            other => {
                return Err(format!(
                    "no such escape: \\{}",
                    other.map(String::from).unwrap_or_default()
                ));
            }
        }
    }
    parts.push(RawPart::Text(plain));
    Ok(parts)
}
