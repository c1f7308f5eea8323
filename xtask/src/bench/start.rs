//! What every command costs before it does anything: a whole process that only prints its version.

use anyhow::Result;

use super::row::{Peer, Reach, Row, Value};
use super::{Bench, Measures, Subject, process};
use crate::invocation::Invocation;

const RUNS: usize = 100;

pub(super) const BENCH: Bench = Bench {
    name: "start",
    what: "`pupitre --version` as a whole process, beside git's",
    measures: Measures::Program,
    measure,
};

fn measure(subject: &Subject) -> Result<Vec<Row>> {
    let ours = subject.pupitre().arguments(["--version"]);
    let theirs = Invocation::of("git").arguments(["--version"]);
    let [ours, theirs] = process::times([&ours, &theirs], RUNS)?;
    Ok(vec![Row {
        name: BENCH.name,
        what: "`pupitre --version`".to_owned(),
        value: Value::Time(ours),
        peer: Some(Peer {
            what: "`git --version`".to_owned(),
            value: Value::Time(theirs),
        }),
        reach: Reach::AtMostTimesPeer(1.0),
    }])
}
