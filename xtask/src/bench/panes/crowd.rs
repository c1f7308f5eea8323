//! Two hundred panes, a quarter of them flooding: answers about another, every last line, memory, and the end.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::super::memory;
use super::super::process::Spread;
use super::super::row::{Percentile, Reach, Row, Value};
use super::held::of_daemon;
use super::{Desk, Subject, Texts, row};

const PANES: usize = 200;
const FLOODING: usize = 50;
const STATUS_LIMIT: Duration = Duration::from_millis(10);
const END_LIMIT: Duration = Duration::from_secs(10);
/// An idle daemon, its idle panes, and what 50 panes with full histories of repetitive text add.
const MEMORY_BYTES: u64 = (15 << 20) + (PANES as u64) * ((25 << 20) / 50) + (FLOODING as u64) * 600_000;

pub(super) fn measure(subject: &Subject, texts: &Texts) -> Result<Vec<Row>> {
    let desk = Desk::start(subject, "crowd")?;
    let mut calls = desk.calls()?;
    let flood = texts.corpora[0].path.display();
    let mut panes = Vec::new();
    for number in 0..PANES {
        let noise = if number < FLOODING {
            format!("head -c 16777216 {flood}; echo; ")
        } else {
            String::new()
        };
        panes.push(calls.make_pane(&format!("{noise}echo last-{number}; exec cat"))?);
    }
    let quiet = panes.last().context("there are 200")?.clone();
    let mut waiting = desk.calls()?;
    let (memory, times) = calls.times_of_status_while(&quiet, || {
        let middle = of_daemon(&desk)?;
        waiting.wait_for(&panes, "^last-\\d+$")?;
        Ok(middle.max(of_daemon(&desk)?))
    })?;
    for (number, pane) in panes.iter().enumerate() {
        calls.expect_last_line(pane, &format!("last-{number}"))?;
    }
    let mut below = Vec::new();
    for guard in memory::children(desk.process())? {
        below.push(guard);
        below.extend(memory::children(guard)?);
    }
    if below.len() < 2 * PANES {
        bail!("{PANES} panes have {} processes", below.len());
    }
    let ended_in = desk.end()?;
    if let Some(process) = below.iter().find(|process| is_alive(**process)) {
        bail!("process {process} of a pane outlived the daemon");
    }
    Ok(vec![
        row(
            "200 panes, 50 flooding: `surface.status` of another one",
            Value::Percentile(Percentile::of(99, times).context("it was asked at least once")?),
            None,
            Reach::AtMostTime(STATUS_LIMIT),
        ),
        row(
            "200 panes, 50 flooding: daemon and guards, proportional set size",
            Value::Bytes(memory),
            None,
            Reach::AtMostBytes(MEMORY_BYTES),
        ),
        row(
            "200 panes: clean stop, every last line read before and no process left",
            Value::Time(Spread::of(vec![ended_in]).context("it is one")?),
            None,
            Reach::AtMostTime(END_LIMIT),
        ),
    ])
}

fn is_alive(process: u32) -> bool {
    std::path::Path::new(&format!("/proc/{process}")).exists()
}
