//! What readers, waits, keys and whole processes take, beside tmux.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::json;

use super::super::figures;
use super::super::process::{self, Spread};
use super::super::row::{Percentile, Reach, Row, Value};
use super::super::tmux::Tmux;
use super::{BENCH, Calls, Desk, Invocation, Subject, Texts, row};

const RUNS: usize = 50;
const READS: usize = 200;
const WAITS: usize = 500;
const PROCESS_LIMIT: Duration = Duration::from_millis(5);
const WAIT_LIMIT: Duration = Duration::from_millis(20);

pub(super) fn measure(subject: &Subject, example: &Path, texts: &Texts) -> Result<Vec<Row>> {
    let desk = Desk::start(subject, "readers")?;
    let tmux = Tmux::start("readers")?;
    let mut calls = desk.calls()?;
    let show = format!("cat {}; echo END; exec cat", texts.sentences.path.display());
    let full = calls.make_pane(&show)?;
    calls.wait_for(std::slice::from_ref(&full), "^END$")?;
    tmux.run(&[
        "new-window",
        &format!("{show} & tmux -L {} wait-for -S done; wait", tmux.server()),
    ])?;
    tmux.run(&["wait-for", "done"])?;
    let mut rows = whole_processes(&desk, &tmux, &full)?;
    rows.extend(reads(&mut calls, &tmux, &full)?);
    rows.push(waits(&desk, &mut calls, texts)?);
    let echo = calls.make_pane("exec cat")?;
    let keys = Invocation::of(example)
        .arguments(["keys".into(), desk.socket().into_os_string()])
        .arguments([echo, full])
        .output()?;
    rows.extend(figures::rows(BENCH.name, &keys)?);
    Ok(rows)
}

fn whole_processes(desk: &Desk, tmux: &Tmux, pane: &str) -> Result<Vec<Row>> {
    let ps = desk.pupitre().arguments(["ps"]);
    let status = desk.pupitre().arguments(["status", pane]);
    let list = tmux.command(&["list-panes", "-a"]);
    let [ps, status, list] = process::times([&ps, &status, &list], RUNS)?;
    let rows = [("`pupitre ps`", ps), ("`pupitre status`", status)].map(|(what, times)| {
        [
            row(
                what,
                Value::Time(times),
                Some(("`tmux list-panes -a`", Value::Time(list))),
                Reach::AtMostTimesPeer(1.0),
            ),
            row(what, Value::Time(times), None, Reach::AtMostTime(PROCESS_LIMIT)),
        ]
    });
    Ok(rows.into_iter().flatten().collect())
}

fn reads(calls: &mut Calls, tmux: &Tmux, pane: &str) -> Result<Vec<Row>> {
    let mut control = tmux.control()?;
    let read = json!({"surface": pane, "lines": 200});
    let search = json!({"surface": pane, "pattern": "00(9\\d{2})7 the qu.{2,4}k", "regex": true});
    let (mut reads, mut searches, mut captures) = (Vec::new(), Vec::new(), Vec::new());
    // In turns, so that all meet the same machine.
    for _ in 0..READS {
        reads.push(timed(|| calls.call("surface.read", &read).map(drop))?);
        searches.push(timed(|| calls.call("surface.search", &search).map(drop))?);
        captures.push(timed(|| control.ask("capture-pane -p -S -200").map(drop))?);
    }
    let spread = |times| Spread::of(times).context("there was one at least");
    let captures = Value::Time(spread(captures)?);
    Ok(vec![
        row(
            "`surface.read` of the last 200 lines, there and back",
            Value::Time(spread(reads)?),
            Some(("`capture-pane -S -200` in tmux's control mode", captures)),
            Reach::AtMostTimesPeer(1.0),
        ),
        row(
            "`surface.search` by expression over 10,000 lines, there and back",
            Value::Time(spread(searches)?),
            None,
            Reach::AtMostTime(Duration::from_millis(1)),
        ),
    ])
}

/// A program that writes each line as soon as it is told to.
fn waits(desk: &Desk, calls: &mut Calls, texts: &Texts) -> Result<Row> {
    let pipe = texts.folder.join("lines");
    Invocation::of("mkfifo").arguments([&pipe]).run()?;
    let pane = calls.make_pane(&format!("exec cat {}", pipe.display()))?;
    let mut lines = OpenOptions::new()
        .write(true)
        .open(&pipe)
        .context("nobody reads the pipe")?;
    let mut waiting = desk.calls()?;
    let mut times = Vec::new();
    for number in 0..WAITS {
        let wait = json!({"surfaces": [pane], "pattern": format!("^line {number}$")});
        waiting.ask("surface.wait", &wait)?;
        // An answer on another connection: by then the wait has begun, as near as can be told from here.
        calls.call("surface.status", &json!({"surface": pane}))?;
        let begun = Instant::now();
        writeln!(lines, "line {number}")?;
        let reply = waiting.next()?;
        times.push(begun.elapsed());
        reply["result"]["matched"].as_bool().context("the wait failed")?;
    }
    Ok(row(
        "a line written by a program until `surface.wait` answers",
        Value::Percentile(Percentile::of(99, times).context("there was one at least")?),
        None,
        Reach::AtMostTime(WAIT_LIMIT),
    ))
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let begun = Instant::now();
    work()?;
    Ok(begun.elapsed())
}
