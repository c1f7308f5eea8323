//! The terminal engine, measured by an example of its crate, which prints a line of JSON for every figure.

use std::path::PathBuf;

use anyhow::Result;

use super::row::Row;
use super::{Bench, Measures, Subject, figures};
use crate::invocation::Invocation;

/// Each runs in a process of its own.
const PARTS: [&str; 4] = ["engine", "pty", "memory", "readers"];

pub(super) const BENCH: Bench = Bench {
    name: "terminal",
    what: "the terminal engine beside the emulator alone, beside tmux and a bare reader; memory, readers (4 minutes)",
    measures: Measures::Crate,
    measure,
};

fn measure(subject: &Subject) -> Result<Vec<Row>> {
    let example = example(subject)?;
    let mut rows = Vec::new();
    for part in PARTS {
        let lines = Invocation::of(&example).arguments([part]).output()?;
        rows.extend(figures::rows(BENCH.name, &lines)?);
    }
    Ok(rows)
}

/// Builds the example and returns where it is.
pub(super) fn example(subject: &Subject) -> Result<PathBuf> {
    Invocation::cargo()
        .arguments([
            "build",
            "--release",
            "--package",
            "pupitre-terminal",
            "--example",
            "bench",
        ])
        .run()?;
    Ok(subject.binary.with_file_name("examples").join("bench"))
}
