//! A conversation of 10,000 messages in the history: searched, exported and deleted by whole processes, and what somebody else
//! waits for the history meanwhile.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value as Json, json};

use super::desk::{Calls, Desk};
use super::process::{self, Spread};
use super::row::{Reach, Row, Value};
use super::{Bench, Measures, Subject};

const MESSAGES: u64 = 10_000;
/// A queue holds few messages.
const QUEUED: u64 = 12;
const RUNS: usize = 9;
const DELETIONS: usize = 3;
/// A word that every question has, and so the demo agent's every answer.
const WORD: &str = "sentence";
const SEARCH: Duration = Duration::from_millis(100);

pub(super) const BENCH: Bench = Bench {
    name: "history",
    what: "`pupitre chat search`, `chat export` and `chat delete` of a conversation of 10,000 messages",
    measures: Measures::Program,
    measure,
};

fn measure(subject: &Subject) -> Result<Vec<Row>> {
    let desk = Desk::start(subject, "history")?;
    let mut calls = desk.calls()?;
    let mut conversations = Vec::new();
    for _ in 0..DELETIONS {
        conversations.push(fill(&mut calls)?);
        calls.call("chat.new", &json!({"agent": "demo"}))?;
    }
    let newest = conversations.last().context("there is one at least")?;
    let search = desk.pupitre().arguments(["chat", "search", WORD]);
    let export = desk.pupitre().arguments(["chat", "export", newest.as_str()]);
    let [search, export] = process::times([&search, &export], RUNS)?;
    let (mut deletions, mut waits) = (Vec::new(), Vec::new());
    for id in &conversations {
        let delete = desk.pupitre().arguments(["chat", "delete", id.as_str()]);
        let (took, waited) = meanwhile(&desk, || process::time(&delete))?;
        deletions.push(took);
        waits.push(waited);
    }
    let row = |what, value, reach| Row::alone(BENCH.name, what, value, reach);
    let spread = |times| Spread::of(times).context("something was deleted");
    Ok(vec![
        row(
            "`pupitre chat search` of a word that all of 10,000 messages have",
            Value::Time(search),
            Reach::AtMostTime(SEARCH),
        ),
        row(
            "`pupitre chat export` of 10,000 messages",
            Value::Time(export),
            Reach::NotSet,
        ),
        row(
            "`pupitre chat delete` of 10,000 messages",
            Value::Time(spread(deletions)?),
            Reach::NotSet,
        ),
        row(
            "the longest that `chat.history` waited meanwhile",
            Value::Time(spread(waits)?),
            Reach::NotSet,
        ),
    ])
}

/// Makes a conversation of so many messages, by asking for half of them, and returns its id.
fn fill(calls: &mut Calls) -> Result<String> {
    let mut sent = 0;
    loop {
        let view = calls.call("chat.conversation", &json!({"agent": "demo", "limit": 1}))?;
        let queued = view["queued"].as_u64().context("`queued` is missing")?;
        if sent == MESSAGES / 2 && queued == 0 && view["busy"] == false {
            let id = view["conversation"].as_str();
            return Ok(id.context("`conversation` is missing")?.to_owned());
        }
        for _ in queued..QUEUED.min(queued + MESSAGES / 2 - sent) {
            calls.call("chat.send", &question(sent))?;
            sent += 1;
        }
    }
}

fn question(number: u64) -> Json {
    let filler = "that fills some room, ".repeat(usize::try_from(number % 7).unwrap_or_default());
    json!({"agent": "demo", "text": format!("Question {number}: a {WORD} {filler}and no more.")})
}

/// Does something, and returns what that returned with the longest time that the history let somebody else wait meanwhile.
fn meanwhile<T>(desk: &Desk, work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let mut calls = desk.calls()?;
    let (end, ended) = mpsc::channel::<()>();
    let asking = std::thread::spawn(move || -> Result<Duration> {
        let mut longest = Duration::ZERO;
        while ended.try_recv() == Err(mpsc::TryRecvError::Empty) {
            let begun = Instant::now();
            calls.call("chat.history", &json!({}))?;
            longest = longest.max(begun.elapsed());
        }
        Ok(longest)
    });
    let done = work();
    drop(end);
    let longest = asking.join().expect("it panics at nothing")?;
    Ok((done?, longest))
}
