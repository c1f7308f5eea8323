//! What a guard costs: its own memory, and the start of an agent through daemon and guard beside the agent started alone.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::json;

use super::desk::Desk;
use super::process::Spread;
use super::row::{Peer, Reach, Row, Value};
use super::{Bench, Measures, Subject, demo_agent, memory};

const STARTS: usize = 25;
/// The agents page: well under 1 MB of its own memory.
const GUARD_BYTES: u64 = 1 << 20;

pub(super) const BENCH: Bench = Bench {
    name: "guard",
    what: "memory of a guard, and the start of an agent through it",
    measures: Measures::Program,
    measure,
};

fn measure(subject: &Subject) -> Result<Vec<Row>> {
    let desk = Desk::start(subject, "guard")?;
    let mut calls = desk.calls()?;
    let demo = json!({"agent": "demo"});
    let (mut guarded, mut alone) = (Vec::new(), Vec::new());
    // In turns, so that both meet the same machine.
    for _ in 0..STARTS {
        guarded.push(timed(|| calls.call("agent.start", &demo).map(drop))?);
        calls.call("agent.stop", &demo)?;
        alone.push(demo_agent::start_time(subject)?);
    }
    calls.call("agent.start", &demo)?;
    let guards = memory::children(desk.process())?;
    let guard = guards.first().context("the agent runs below a guard")?;
    let spread = |times| Spread::of(times).context("there was one start at least");
    Ok(vec![
        Row::alone(
            BENCH.name,
            "private memory of one guard",
            Value::Bytes(memory::private(*guard)?),
            Reach::AtMostBytes(GUARD_BYTES),
        ),
        Row {
            name: BENCH.name,
            what: "`agent.start` of the demo agent until it is ready".to_owned(),
            value: Value::Time(spread(guarded)?),
            peer: Some(Peer {
                what: "the demo agent started directly, until it has answered `initialize`".to_owned(),
                value: Value::Time(spread(alone)?),
            }),
            reach: Reach::NotSet,
        },
    ])
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let begun = Instant::now();
    work()?;
    Ok(begun.elapsed())
}
