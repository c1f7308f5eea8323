//! What the daemon costs: its start, its memory, and the command line's whole processes.

use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::json;

use super::desk::Desk;
use super::process::{self, Spread};
use super::row::{Reach, Row, Value};
use super::{Bench, Measures, Subject, memory};

const STARTS: usize = 9;
const RUNS: usize = 50;
/// The figure for an empty daemon with its guards.
const EMPTY_DAEMON_BYTES: u64 = 15 << 20;

pub(super) const BENCH: Bench = Bench {
    name: "daemon",
    what: "start and memory of the daemon, `pupitre agents` and `pupitre ask` as whole processes",
    measures: Measures::Program,
    measure,
};

fn measure(subject: &Subject) -> Result<Vec<Row>> {
    let starts: Vec<Duration> = (0..STARTS)
        .map(|_| Desk::start(subject, "start").map(|desk| desk.started_in))
        .collect::<Result<_>>()?;
    let desk = Desk::start(subject, "daemon")?;
    let empty = memory::of_tree(desk.process())?;
    let agents = desk.pupitre().arguments(["agents"]);
    let ask = desk.pupitre().arguments(["ask", "demo", "hello"]);
    let [agents, ask] = process::times([&agents, &ask], RUNS)?;
    desk.calls()?.call("agent.start", &json!({"agent": "demo"}))?;
    let used = memory::of_tree(desk.process())?;
    let row = |what, value, reach| Row::alone(BENCH.name, what, value, reach);
    let starts = Spread::of(starts).context("the daemon was started at least once")?;
    Ok(vec![
        row(
            "start of the daemon until it answers",
            Value::Time(starts),
            Reach::NotSet,
        ),
        row("`pupitre agents`", Value::Time(agents), Reach::NotSet),
        row("`pupitre ask demo hello`", Value::Time(ask), Reach::NotSet),
        row(
            "an empty daemon, proportional set size",
            Value::Bytes(empty),
            Reach::AtMostBytes(EMPTY_DAEMON_BYTES),
        ),
        row(
            "the daemon after 51 turns, with one guard and the demo agent",
            Value::Bytes(used),
            Reach::NotSet,
        ),
    ])
}
