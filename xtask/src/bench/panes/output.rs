//! How fast output goes through: of one pane beside tmux, and of eight at once beside one after the other.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::json;

use super::super::process::Spread;
use super::super::row::{Percentile, Reach, Row, Value};
use super::super::tmux::Tmux;
use super::{Calls, Desk, Subject, Text, Texts, row};

const ROUNDS: usize = 3;
const AT_ONCE: usize = 8;
const STATUS_LIMIT: Duration = Duration::from_millis(10);

pub(super) fn measure(subject: &Subject, texts: &Texts) -> Result<Vec<Row>> {
    let desk = Desk::start(subject, "output")?;
    let tmux = Tmux::start("output")?;
    let mut calls = desk.calls()?;
    let mut rows = eight_at_once(&desk, &mut calls, &texts.corpora[0])?;
    for text in &texts.corpora {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(through_pane(&mut calls, text)?);
            theirs.push(through_tmux(&tmux, text)?);
        }
        rows.push(row(
            format!(
                "96 MiB of {} in a pane until `read` shows the last line",
                text.name
            ),
            Value::LeastTime(Spread::of(ours).context("there was a round")?),
            Some((
                "tmux, until its program has written all",
                Value::LeastTime(Spread::of(theirs).context("there was a round")?),
            )),
            Reach::AtMostTimesPeer(1.0),
        ));
    }
    Ok(rows)
}

/// The text, then a line of its own.
fn script(text: &Text) -> String {
    // A corpus may end within a colour, a line, or the middle of the screen.
    format!(
        "cat {}; printf '\\033[m\\033[999;1H\\nEND\\n'; exec cat",
        text.path.display()
    )
}

fn through_pane(calls: &mut Calls, text: &Text) -> Result<Duration> {
    let begun = Instant::now();
    let pane = calls.make_pane(&script(text))?;
    calls.wait_for(std::slice::from_ref(&pane), "^END$")?;
    calls.expect_last_line(&pane, "END")?;
    let took = begun.elapsed();
    calls.close_pane(&pane)?;
    Ok(took)
}

fn through_tmux(tmux: &Tmux, text: &Text) -> Result<Duration> {
    let begun = Instant::now();
    let script = format!(
        "cat {}; tmux -L {} wait-for -S done",
        text.path.display(),
        tmux.server()
    );
    tmux.run(&["new-window", "-d", &script])?;
    tmux.run(&["wait-for", "done"])?;
    Ok(begun.elapsed())
}

fn eight_at_once(desk: &Desk, calls: &mut Calls, text: &Text) -> Result<Vec<Row>> {
    let begun = Instant::now();
    for _ in 0..AT_ONCE {
        through_pane(calls, text)?;
    }
    let after_each_other = begun.elapsed();
    let quiet = calls.make_pane("exec cat")?;
    let begun = Instant::now();
    let panes: Vec<String> = (0..AT_ONCE)
        .map(|_| calls.make_pane(&script(text)))
        .collect::<Result<_>>()?;
    let (mut status, mut waiting) = (desk.calls()?, desk.calls()?);
    let (at_once, times) = status.times_of_status_while(&quiet, || {
        waiting.wait_for(&panes, "^END$")?;
        Ok(begun.elapsed())
    })?;
    for pane in &panes {
        calls.expect_last_line(pane, "END")?;
        calls.close_pane(pane)?;
    }
    calls.close_pane(&quiet)?;
    let one = |time| Spread::of(vec![time]).context("it is one");
    Ok(vec![
        row(
            "8 panes with 96 MiB of ASCII each, at once",
            Value::Time(one(at_once)?),
            Some((
                "the same, one after the other",
                Value::Time(one(after_each_other)?),
            )),
            Reach::NotSet,
        ),
        row(
            "`surface.status` of a ninth meanwhile",
            Value::Percentile(Percentile::of(99, times).context("it was asked at least once")?),
            None,
            Reach::AtMostTime(STATUS_LIMIT),
        ),
    ])
}

impl Calls {
    /// Asks for the status of a pane again and again while something is done elsewhere. Returns what that gave, and how
    /// long each answer took.
    pub(super) fn times_of_status_while<T: Send>(
        &mut self,
        pane: &str,
        work: impl FnOnce() -> Result<T> + Send,
    ) -> Result<(T, Vec<Duration>)> {
        std::thread::scope(|scope| {
            let work = scope.spawn(work);
            let mut times = Vec::new();
            while !work.is_finished() {
                let begun = Instant::now();
                self.call("surface.status", &json!({"surface": pane}))?;
                times.push(begun.elapsed());
            }
            let done = work.join().expect("it does not panic")?;
            Ok((done, times))
        })
    }
}
