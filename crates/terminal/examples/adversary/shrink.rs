//! The shortest part of a stream that still shows a difference.

use std::fmt::Write as _;

use crate::differential::run_steps;
use crate::stream::{Random, Step, steps};

/// A part of a stream that can be left out.
#[derive(Clone)]
enum Atom {
    Byte(u8),
    Cut,
    Other(Step),
}

/// Returns the shortest steps found that still fail, as text: what to look at when a seed differs.
pub(crate) fn shrink_seed(seed: u64) -> String {
    let mut random = Random::new(seed);
    let size = random.size();
    let mut atoms = Vec::new();
    for step in steps(&mut random, seed) {
        match step {
            Step::Bytes(bytes) => {
                atoms.extend(bytes.into_iter().map(Atom::Byte));
                atoms.push(Atom::Cut);
            }
            other => atoms.push(Atom::Other(other)),
        }
    }
    let fails = |atoms: &[Atom]| {
        let steps = joined(atoms);
        std::panic::catch_unwind(|| run_steps(size, &steps)).map_or(true, |result| result.is_err())
    };
    let mut part = atoms.len().div_ceil(2);
    while part > 0 {
        let mut at = 0;
        while at < atoms.len() {
            let mut fewer = atoms.clone();
            fewer.drain(at..(at + part).min(atoms.len()));
            if fails(&fewer) {
                atoms = fewer;
            } else {
                at += part;
            }
        }
        part /= 2;
    }
    let steps = joined(&atoms);
    let mut text = format!("seed {seed}, {size:?}\n");
    for step in &steps {
        let _ = match step {
            Step::Bytes(bytes) => writeln!(text, "  bytes b\"{}\"", bytes.escape_ascii()),
            other => writeln!(text, "  {other:?}"),
        };
    }
    let result = std::panic::catch_unwind(|| run_steps(size, &steps));
    text + &result.map_or("panics".to_owned(), |result| result.err().unwrap_or_default())
}

fn joined(atoms: &[Atom]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut bytes = Vec::new();
    for atom in atoms {
        if let Atom::Byte(byte) = atom {
            bytes.push(*byte);
            continue;
        }
        if !bytes.is_empty() {
            steps.push(Step::Bytes(std::mem::take(&mut bytes)));
        }
        if let Atom::Other(step) = atom {
            steps.push(step.clone());
        }
    }
    if !bytes.is_empty() {
        steps.push(Step::Bytes(bytes));
    }
    steps
}
