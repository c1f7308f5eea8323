//! The size of the stripped release binary.

use anyhow::{Context as _, Result};

use super::row::{Reach, Row, Value};
use super::{Bench, Measures, Subject};

/// With the interface inside.
const AT_MOST_BYTES: u64 = 25_000_000;

pub(super) const BENCH: Bench = Bench {
    name: "size",
    what: "size of the stripped release binary",
    measures: Measures::Program,
    measure,
};

fn measure(subject: &Subject) -> Result<Vec<Row>> {
    let metadata = std::fs::metadata(&subject.binary)
        .with_context(|| format!("cannot look at {}", subject.binary.display()))?;
    Ok(vec![Row::alone(
        BENCH.name,
        "`pupitre`, stripped",
        Value::Bytes(metadata.len()),
        Reach::AtMostBytes(AT_MOST_BYTES),
    )])
}
