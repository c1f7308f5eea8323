//! Chunks of an answer: from the agent's stdout through the daemon to a subscriber, beside a reader of lines with serde.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value as Json, json};

use super::desk::Desk;
use super::process::Spread;
use super::row::{Peer, Reach, Row, Value};
use super::{Bench, Measures, Subject};

const CHUNKS: usize = 100_000;
const ROUNDS: usize = 5;
/// At least half of the bare reader's speed.
const MOST_TIMES_BARE: f64 = 2.0;

pub(super) const BENCH: Bench = Bench {
    name: "chunks",
    what: "100,000 chunks of an answer through the daemon to a subscriber, beside a bare reader with serde",
    measures: Measures::Program,
    measure,
};

fn measure(subject: &Subject) -> Result<Vec<Row>> {
    let desk = Desk::start(subject, "chunks")?;
    desk.calls()?.call("agent.start", &json!({"agent": "demo"}))?;
    // One round before goes uncounted: it opens the session and warms the caches.
    through_daemon(&desk)?;
    let mut ours = Vec::new();
    let mut bare = Vec::new();
    for _ in 0..ROUNDS {
        bare.push(without_daemon(subject)?);
        ours.push(through_daemon(&desk)?);
    }
    let spread = |times| Spread::of(times).context("there is one round at least");
    Ok(vec![Row {
        name: BENCH.name,
        what: format!("{CHUNKS} chunks from the demo agent through the daemon to a subscriber"),
        value: Value::Time(spread(ours)?),
        peer: Some(Peer {
            what: "the same chunks read from the agent itself, each line parsed with serde".to_owned(),
            value: Value::Time(spread(bare)?),
        }),
        reach: Reach::AtMostTimesPeer(MOST_TIMES_BARE),
    }])
}

fn through_daemon(desk: &Desk) -> Result<Duration> {
    let mut stream = desk.calls()?;
    stream.ask("events.subscribe", &json!({"agents": ["demo"]}))?;
    stream.next()?;
    let mut calls = desk.calls()?;
    let begun = Instant::now();
    let sent = calls.call(
        "chat.send",
        &json!({"agent": "demo", "text": format!("chunks {CHUNKS}")}),
    )?;
    loop {
        let frame = stream.next()?;
        match frame["type"].as_str() {
            Some("dropped") => bail!("the subscriber lost events: {frame}"),
            Some("message:updated") => {
                let message = &frame["message"];
                let is_ours = message["role"] == "agent" && message["turn"] == sent["messageId"];
                if is_ours && !message["stopReason"].is_null() {
                    return Ok(begun.elapsed());
                }
            }
            Some(_) | None => {}
        }
    }
}

fn without_daemon(subject: &Subject) -> Result<Duration> {
    let mut agent = subject
        .pupitre()
        .environment("PUPITRE_DEMO_PACE_MS", "0")
        .arguments(["demo-agent"])
        .command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start the demo agent")?;
    let input = agent.stdin.take().context("the demo agent has no input")?;
    let output = agent.stdout.take().context("the demo agent has no output")?;
    let took = read_chunks(input, BufReader::new(output));
    // Its input is closed by now, which ends it.
    agent.wait().context("cannot await the demo agent")?;
    took
}

fn read_chunks(mut input: ChildStdin, mut output: BufReader<ChildStdout>) -> Result<Duration> {
    let mut ask = |id: u32, method: &str, params: Json| {
        writeln!(
            input,
            "{}",
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        )
    };
    ask(
        0,
        "initialize",
        json!({"protocolVersion": 1, "clientCapabilities": {}}),
    )?;
    answer_to(0, &mut output)?;
    ask(1, "session/new", json!({"cwd": "/", "mcpServers": []}))?;
    let session = answer_to(1, &mut output)?["sessionId"].take();
    let text = format!("chunks {CHUNKS}");
    let begun = Instant::now();
    ask(
        2,
        "session/prompt",
        json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]}),
    )?;
    answer_to(2, &mut output)?;
    Ok(begun.elapsed())
}

/// Parses every line up to the answer to this request.
fn answer_to(id: u32, output: &mut BufReader<ChildStdout>) -> Result<Json> {
    let mut line = String::new();
    loop {
        line.clear();
        if output.read_line(&mut line)? == 0 {
            bail!("the demo agent ended before it answered");
        }
        let mut message: Json = serde_json::from_str(&line)
            .with_context(|| format!("the demo agent did not write JSON: {line}"))?;
        if message["id"] == id && message.get("method").is_none() {
            return Ok(message["result"].take());
        }
    }
}
