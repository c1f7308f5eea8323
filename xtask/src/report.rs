//! What a person reads while a verb runs: phases with their times, and at the end what failed and how to run it again.
//! The only file of xtask that prints.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool: what it says goes through this file"
)]

use std::fmt::Display;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::invocation::Invocation;

/// Prints one line of result or of progress.
pub(crate) fn line(text: impl Display) {
    println!("{text}");
}

/// Prints an error with its causes.
pub(crate) fn error(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
}

/// The phases of one verb. A failed phase does not stop the next one, unless the verb asks.
pub(crate) struct Phases {
    verb: &'static str,
    ended: Vec<Ended>,
}

struct Ended {
    name: String,
    took: Duration,
    outcome: Outcome,
}

enum Outcome {
    Passed,
    Failed { run_again: String },
    Skipped,
}

/// Whether one phase did what it was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PhaseEnd {
    Passed,
    Failed,
}

impl Phases {
    pub(crate) fn of(verb: &'static str) -> Self {
        Self {
            verb,
            ended: Vec::new(),
        }
    }

    /// Runs one command as a phase; its output goes straight to the terminal.
    pub(crate) fn command(&mut self, name: &str, invocation: &Invocation) -> PhaseEnd {
        self.work(name, &invocation.to_string(), || invocation.run())
    }

    /// Runs `work` as a phase; `run_again` is the command line that repeats it alone.
    pub(crate) fn work(
        &mut self,
        name: &str,
        run_again: &str,
        work: impl FnOnce() -> Result<()>,
    ) -> PhaseEnd {
        line(format_args!("== {name}: {run_again}"));
        let started = Instant::now();
        let result = work();
        let took = started.elapsed();
        let (end, outcome) = match result {
            Ok(()) => {
                line(format_args!("== {name}: ok in {}", seconds(took)));
                (PhaseEnd::Passed, Outcome::Passed)
            }
            Err(error) => {
                line(format_args!("== {name}: FAILED in {}: {error:#}", seconds(took)));
                (
                    PhaseEnd::Failed,
                    Outcome::Failed {
                        run_again: run_again.to_owned(),
                    },
                )
            }
        };
        self.ended.push(Ended {
            name: name.to_owned(),
            took,
            outcome,
        });
        end
    }

    /// Says that a phase is left out, and why.
    pub(crate) fn skip(&mut self, name: &str, why: &str) {
        line(format_args!("== {name}: skipped: {why}"));
        self.ended.push(Ended {
            name: name.to_owned(),
            took: Duration::ZERO,
            outcome: Outcome::Skipped,
        });
    }

    /// Prints the times, and for every failed phase the command to run again.
    ///
    /// # Errors
    ///
    /// When a phase failed.
    pub(crate) fn finish(self) -> Result<()> {
        let times: Vec<String> = self.ended.iter().map(Ended::time).collect();
        line(format_args!("== {}: {}", self.verb, times.join(", ")));
        let mut failed = Vec::new();
        for phase in &self.ended {
            if let Outcome::Failed { run_again } = &phase.outcome {
                line(format_args!("   {} FAILED; run again: {run_again}", phase.name));
                failed.push(phase.name.as_str());
            }
        }
        if failed.is_empty() {
            return Ok(());
        }
        bail!("cargo xtask {}: {}", self.verb, failed.join(", "))
    }
}

impl Ended {
    fn time(&self) -> String {
        match &self.outcome {
            Outcome::Passed => format!("{} {}", self.name, seconds(self.took)),
            Outcome::Failed { .. } => format!("{} {} FAILED", self.name, seconds(self.took)),
            Outcome::Skipped => format!("{} skipped", self.name),
        }
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
