//! `cargo xtask bench`: measures a release build and writes docs/benchmarks.md.
//! To add a benchmark: a file in `bench/` with a `Bench` that returns rows, and its name in `BENCHES`. A peer is
//! measured in the same run, so that the ratio holds where absolute times do not.

mod chunks;
mod daemon;
mod demo_agent;
mod desk;
mod machine;
mod memory;
mod process;
mod row;
mod size;
mod start;
mod table;
mod terminal;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::checkout::Checkout;
use crate::invocation::Invocation;
use crate::report::{self, PhaseEnd, Phases};

use self::row::Row;

const PAGE: &str = "docs/benchmarks.md";

const BENCHES: &[Bench] = &[
    size::BENCH,
    start::BENCH,
    demo_agent::BENCH,
    daemon::BENCH,
    chunks::BENCH,
    terminal::BENCH,
];

/// One benchmark: a name to call it by, and what it does.
struct Bench {
    name: &'static str,
    what: &'static str,
    measure: fn(&Subject) -> Result<Vec<Row>>,
}

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

/// Measures the named benchmarks, or all of them. Only a whole run writes the page, so that no row gets lost.
pub(crate) fn run(checkout: &Checkout, names: &[String]) -> Result<()> {
    let chosen = choose(names)?;
    let mut phases = Phases::of("bench");
    let build = Invocation::cargo().arguments(["build", "--release", "--package", "pupitre"]);
    if phases.command("build", &build) == PhaseEnd::Failed {
        return phases.finish();
    }
    let subject = Subject {
        binary: checkout.target_folder()?.join("release").join("pupitre"),
    };
    let mut rows = Vec::new();
    let mut whole = names.is_empty();
    for bench in chosen {
        let run_again = format!("cargo xtask bench {}", bench.name);
        let end = phases.work(bench.name, &run_again, || {
            rows.extend((bench.measure)(&subject)?);
            Ok(())
        });
        whole &= end == PhaseEnd::Passed;
    }
    report::line(table::text(&rows));
    if whole {
        let page = table::page(&machine::description()?, &rows);
        std::fs::write(checkout.root().join(PAGE), page).with_context(|| format!("cannot write {PAGE}"))?;
        report::line(format_args!("written: {PAGE}"));
    }
    phases.finish()
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
