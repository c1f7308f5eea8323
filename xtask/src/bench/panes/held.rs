//! What panes hold in memory, and what they cost at rest.

use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::json;

use super::super::process::Spread;
use super::super::row::{Reach, Row, Value};
use super::super::tmux::Tmux;
use super::super::{memory, processor};
use super::{Calls, Desk, Invocation, Subject, Text, Texts, row};

const PANES: usize = 50;
const IDLE_BYTES: u64 = 40 << 20;
const SENTENCES_BYTES: u64 = 600_000;
const CJK_BYTES: u64 = 1_300_000;
/// Longer than a pane stays unfolded after its last output.
const QUIET_MS: u64 = 10_000;
const REST_SECONDS: u64 = 60;
const AGENTS: usize = 5;

pub(super) fn measure(subject: &Subject, texts: &Texts) -> Result<Vec<Row>> {
    let mut rows = vec![at_rest(subject)?, idle(subject)?];
    for (text, limit) in [(&texts.sentences, SENTENCES_BYTES), (&texts.cjk, CJK_BYTES)] {
        rows.push(row(
            format!("a pane with {}, one of 50", text.name),
            Value::Bytes(of_a_full_pane(subject, text)?),
            Some(("tmux", Value::Bytes(of_a_full_window(text)?))),
            Reach::AtMostBytes(limit),
        ));
    }
    Ok(rows)
}

/// Returns the proportional set size of the daemon and its guards, without what runs in the panes.
pub(super) fn of_daemon(desk: &Desk) -> Result<u64> {
    let mut bytes = memory::of_process(desk.process())?;
    for guard in memory::children(desk.process())? {
        bytes += memory::of_process(guard)?;
    }
    Ok(bytes)
}

fn fill(calls: &mut Calls, script: &str) -> Result<Vec<String>> {
    (0..PANES).map(|_| calls.make_pane(script)).collect()
}

fn idle(subject: &Subject) -> Result<Row> {
    let desk = Desk::start(subject, "idle")?;
    let mut calls = desk.calls()?;
    let panes = fill(&mut calls, "exec cat")?;
    calls.wait_for_quiet(&panes[0], QUIET_MS)?;
    Ok(row(
        "a daemon with 50 idle panes, with its guards",
        Value::Bytes(of_daemon(&desk)?),
        None,
        Reach::AtMostBytes(IDLE_BYTES),
    ))
}

/// Returns what each full pane adds to a daemon with as many empty ones.
fn of_a_full_pane(subject: &Subject, text: &Text) -> Result<u64> {
    let measured = |script: &str| -> Result<u64> {
        let desk = Desk::start(subject, "full")?;
        let mut calls = desk.calls()?;
        let panes = fill(&mut calls, script)?;
        calls.wait_for(&panes, "^END$")?;
        calls.wait_for_quiet(&panes[0], QUIET_MS)?;
        of_daemon(&desk)
    };
    let empty = measured("echo END; exec cat")?;
    let full = measured(&format!("cat {}; echo END; exec cat", text.path.display()))?;
    Ok(full.saturating_sub(empty) / PANES as u64)
}

fn of_a_full_window(text: &Text) -> Result<u64> {
    let measured = |show: &str| -> Result<u64> {
        let tmux = Tmux::start("full")?;
        for _ in 0..PANES {
            let script = format!("{show} tmux -L {} wait-for -S done; exec cat", tmux.server());
            tmux.run(&["new-window", "-d", &script])?;
            tmux.run(&["wait-for", "done"])?;
        }
        memory::of_process(tmux.process()?)
    };
    let empty = measured("")?;
    let full = measured(&format!("cat {};", text.path.display()))?;
    Ok(full.saturating_sub(empty) / PANES as u64)
}

fn at_rest(subject: &Subject) -> Result<Row> {
    let desk = Desk::start_with(subject, "rest", Some(&agents(subject)))?;
    let mut calls = desk.calls()?;
    let panes = fill(&mut calls, "exec cat")?;
    for agent in 0..AGENTS {
        calls.call("agent.start", &json!({"agent": format!("rest-{agent}")}))?;
    }
    calls.wait_for_quiet(&panes[0], QUIET_MS)?;
    let before = processor::time_of_children_and(desk.process())?;
    Invocation::of("sleep")
        .arguments([REST_SECONDS.to_string()])
        .run()?;
    let spent = processor::time_of_children_and(desk.process())?.saturating_sub(before);
    Ok(row(
        format!(
            "processor time of a daemon with 50 panes and 5 agents at rest, with its guards, in {REST_SECONDS} s"
        ),
        Value::Time(Spread::of(vec![spent]).context("it is one")?),
        None,
        // A thousandth of a core.
        Reach::AtMostTime(Duration::from_millis(REST_SECONDS)),
    ))
}

fn agents(subject: &Subject) -> String {
    let command = json!(subject.binary);
    let limits = format!("[limits]\nmaxRunningAgents = {AGENTS}\n");
    let agents = (0..AGENTS).map(|agent| {
        format!("[[agents]]\nname = \"rest-{agent}\"\ncommand = {command}\nargs = [\"demo-agent\"]\n")
    });
    std::iter::once(limits).chain(agents).collect()
}
