//! What the demo agent costs in memory, apart from the daemon that runs it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::row::{Reach, Row, Value};
use super::{Bench, Measures, Subject, memory};

/// Far above what an answer takes: it only keeps a broken agent from holding the run.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}"#;

pub(super) const BENCH: Bench = Bench {
    name: "demo-agent",
    what: "memory of the demo agent once it answered `initialize`",
    measures: Measures::Program,
    measure,
};

/// Returns how long the demo agent, started directly, takes until it has answered `initialize`.
pub(super) fn start_time(subject: &Subject) -> Result<Duration> {
    let begun = Instant::now();
    with_agent(subject, |_| Ok(begun.elapsed()))
}

/// Starts the agent, looks at it once it has answered `initialize`, and ends it.
fn with_agent<T>(subject: &Subject, look: impl FnOnce(u32) -> Result<T>) -> Result<T> {
    let mut agent = subject
        .pupitre()
        .arguments(["demo-agent"])
        .command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start the demo agent")?;
    let seen = answered(&mut agent).and_then(|()| look(agent.id()));
    // Whatever was measured or not, nothing is left running.
    agent.kill().context("cannot end the demo agent")?;
    agent.wait().context("cannot end the demo agent")?;
    seen
}

fn measure(subject: &Subject) -> Result<Vec<Row>> {
    let bytes = with_agent(subject, memory::of_tree);
    Ok(vec![Row::alone(
        BENCH.name,
        "`pupitre demo-agent`, proportional set size",
        Value::Bytes(bytes?),
        Reach::NotSet,
    )])
}

/// Returns once the agent answered `initialize`.
fn answered(agent: &mut Child) -> Result<()> {
    let mut input = agent.stdin.as_ref().context("the demo agent has no input")?;
    let output = agent.stdout.take().context("the demo agent has no output")?;
    let (answers, answer) = mpsc::channel();
    // Ends with the agent's output, which ends with the agent.
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            let is_last = line.is_err();
            if answers.send(line).is_err() || is_last {
                break;
            }
        }
    });
    writeln!(input, "{INITIALIZE}").context("the demo agent does not read")?;
    let line = match answer.recv_timeout(ANSWER_LIMIT) {
        Ok(line) => line.context("cannot read from the demo agent")?,
        Err(mpsc::RecvTimeoutError::Disconnected) => bail!("the demo agent ended without an answer"),
        Err(mpsc::RecvTimeoutError::Timeout) => bail!("no answer from the demo agent in {ANSWER_LIMIT:?}"),
    };
    let answer: serde_json::Value =
        serde_json::from_str(&line).with_context(|| format!("the demo agent did not write JSON: {line}"))?;
    match answer.get("result") {
        Some(_) => Ok(()),
        None => bail!("the demo agent refused `initialize`: {line}"),
    }
}
