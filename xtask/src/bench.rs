//! `cargo xtask bench`: measures a release build and writes what it found into docs/benchmarks.md.
//! To add a benchmark: a file in `bench/` with a `Bench` that returns rows, and its name in `BENCHES`. A peer is
//! measured in the same run, so that the ratio holds where absolute times do not.

mod chunks;
mod daemon;
mod demo_agent;
mod desk;
mod figures;
mod guard;
mod history;
mod interface;
mod machine;
mod memory;
mod page;
mod panes;
mod process;
mod processor;
mod row;
mod size;
mod start;
mod table;
mod terminal;
mod tmux;

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::checkout::Checkout;
use crate::invocation::Invocation;
use crate::report::{self, PhaseEnd, Phases};

use self::page::Section;
use self::row::Row;

const PAGE: &str = "docs/benchmarks.md";

const BENCHES: &[Bench] = &[
    size::BENCH,
    start::BENCH,
    demo_agent::BENCH,
    daemon::BENCH,
    guard::BENCH,
    chunks::BENCH,
    history::BENCH,
    terminal::BENCH,
    interface::BENCH,
    panes::BENCH,
];

/// One benchmark: a name to call it by, and what it does.
struct Bench {
    name: &'static str,
    what: &'static str,
    measures: Measures,
    measure: fn(&Subject) -> Result<Vec<Row>>,
}

/// What a benchmark needs to be built before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measures {
    /// The stripped release binary.
    Program,
    /// A crate alone, which the benchmark builds itself.
    Crate,
}

/// Why a benchmark cannot be run here: an error that is no failure, and is shown.
#[derive(Debug)]
struct Skipped(String);

impl std::fmt::Display for Skipped {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Skipped {}

/// What is measured: the stripped release binary.
struct Subject {
    binary: PathBuf,
}

impl Subject {
    /// Returns an invocation of the measured binary.
    fn pupitre(&self) -> Invocation {
        Invocation::of(&self.binary)
    }
}

/// Prints each benchmark's name and what it measures.
pub(crate) fn list() {
    let widest = BENCHES
        .iter()
        .map(|bench| bench.name.len())
        .max()
        .unwrap_or_default();
    for bench in BENCHES {
        report::line(format_args!("{:widest$}  {}", bench.name, bench.what));
    }
}

/// Measures the named benchmarks, or all of them, and puts what each found in its place on the page.
pub(crate) fn run(checkout: &Checkout, names: &[String]) -> Result<()> {
    let chosen = choose(names)?;
    let mut phases = Phases::of("bench");
    if chosen.iter().any(|bench| bench.measures == Measures::Program) {
        let build = Invocation::cargo().arguments(["build", "--release", "--package", "pupitre"]);
        if phases.command("build", &build) == PhaseEnd::Failed {
            return phases.finish();
        }
    }
    let subject = Subject {
        binary: checkout.target_folder()?.join("release").join("pupitre"),
    };
    let machine = machine::description()?;
    let (mut rows, mut sections) = (Vec::new(), Vec::new());
    for bench in chosen {
        let run_again = format!("cargo xtask bench {}", bench.name);
        let begun = Instant::now();
        let mut measured = Vec::new();
        let mut skipped = None;
        let end = phases.work(bench.name, &run_again, || {
            match (bench.measure)(&subject) {
                Ok(rows) => measured = rows,
                Err(error) => skipped = Some(error.downcast::<Skipped>()?),
            }
            Ok(())
        });
        if let Some(Skipped(why)) = &skipped {
            phases.skip(bench.name, why);
        } else if end == PhaseEnd::Passed {
            sections.push(Section::of(bench.name, &machine, begun.elapsed(), &measured));
        }
        rows.extend(measured);
    }
    report::line(table::text(&rows));
    write_page(checkout, sections)?;
    phases.finish()
}

/// Writes the page; benchmarks that were not measured now keep their sections.
fn write_page(checkout: &Checkout, measured: Vec<Section>) -> Result<()> {
    let path = checkout.root().join(PAGE);
    let before = fs::read_to_string(&path).with_context(|| format!("cannot read {PAGE}"))?;
    let order: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
    fs::write(&path, page::updated(&before, measured, &order))
        .with_context(|| format!("cannot write {PAGE}"))?;
    report::line(format_args!("written: {PAGE}"));
    Ok(())
}

fn choose(names: &[String]) -> Result<Vec<&'static Bench>> {
    if names.is_empty() {
        return Ok(BENCHES.iter().collect());
    }
    let named = |name: &String| match BENCHES.iter().find(|bench| bench.name == name) {
        Some(bench) => Ok(bench),
        None => bail!("no benchmark is called {name} (cargo xtask bench --list)"),
    };
    names.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benchmarks_are_chosen_by_name() {
        let names = |chosen: Vec<&Bench>| chosen.iter().map(|bench| bench.name).collect::<Vec<_>>();
        assert_eq!(
            names(choose(&["size".to_owned()]).expect("there is one")),
            ["size"]
        );
        assert_eq!(choose(&[]).expect("all of them").len(), BENCHES.len());
        let Err(error) = choose(&["sise".to_owned()]) else {
            panic!("there is no sise")
        };
        assert_eq!(
            error.to_string(),
            "no benchmark is called sise (cargo xtask bench --list)"
        );
    }
}
