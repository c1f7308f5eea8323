//! The engine's tests in large, in a release build: `cargo xtask adversary` runs them.
//!
//! `fuzz [FROM] SEEDS` runs random streams beside the emulator alone, `shrink SEED` looks for the shortest part of one
//! that still differs, `snapshots CUTS` takes over every recording and corpus at so many places, and shows a tenth of
//! them to xterm.js, `floods SHARE` pours one of so many parts of every stream that means harm and tells the memory it
//! took. Exits 1 when something is wrong.

#![expect(clippy::print_stdout, reason = "an example tells what it finds")]

#[path = "../../tests/terminal/allocations.rs"]
mod allocations;
#[path = "../../tests/terminal/corpora.rs"]
mod corpora;
#[path = "../../tests/terminal/differential.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod differential;
#[path = "../../tests/terminal/floods.rs"]
#[expect(dead_code, reason = "the tests look at the screen too")]
mod floods;
#[path = "../../tests/terminal/recording_file.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod recording_file;
#[path = "../../tests/terminal/row.rs"]
mod row;
mod shrink;
#[path = "../../tests/terminal/stream.rs"]
mod stream;
#[path = "../../tests/terminal/takeover.rs"]
mod takeover;
#[path = "../../tests/terminal/xtermjs.rs"]
mod xtermjs;

use std::process::ExitCode;
use std::time::Instant;

use pupitre_terminal::Size;

/// Bytes of every corpus that is cut.
const CORPUS_BYTES: usize = 256 << 10;

/// One of so many cuts is shown to xterm.js, which takes a hundred times as long.
const SHOWN: usize = 10;
const SHOWN_AT_ONCE: usize = 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let numbers: Vec<u64> = words
        .iter()
        .skip(1)
        .filter_map(|word| word.parse().ok())
        .collect();
    let wrong = match (words.first().copied(), numbers.as_slice()) {
        (Some("fuzz"), [count]) => fuzz(0, *count),
        (Some("fuzz"), [from, count]) => fuzz(*from, *count),
        (Some("shrink"), [seed]) => {
            println!("{}", shrink::shrink_seed(*seed));
            0
        }
        (Some("snapshots"), [cuts]) => snapshots(*cuts as usize),
        (Some("floods"), [share]) => floods((*share).max(1) as usize),
        _ => {
            println!("usage: adversary fuzz [FROM] SEEDS | shrink SEED | snapshots CUTS | floods SHARE");
            return ExitCode::from(2);
        }
    };
    ExitCode::from(u8::from(wrong > 0))
}

/// Returns how many seeds differ.
fn fuzz(from: u64, count: u64) -> usize {
    let mut differ = 0;
    for seed in from..from + count {
        let result = std::panic::catch_unwind(|| differential::run_seed(seed));
        if let Err(difference) = result.unwrap_or_else(|_| Err(format!("seed {seed}: panicked"))) {
            differ += 1;
            println!("{difference}");
        }
    }
    println!("{count} seeds from {from}: {differ} differ");
    differ
}

/// Returns how many streams could not be taken over.
fn snapshots(cuts: usize) -> usize {
    let recordings = recording_file::recordings().into_iter();
    let mut streams: Vec<_> = recordings
        .map(|recording| (recording.name, recording.size, recording.bytes()))
        .collect();
    for (name, bytes) in corpora::corpora(CORPUS_BYTES) {
        streams.push((name, Size::new(200, 50), bytes.clone()));
        streams.push((name, Size::new(61, 17), bytes));
    }
    let (mut differ, mut shown) = (0, 0);
    for (name, size, bytes) in &streams {
        // So many screens at a time as fit into memory.
        for part in xtermjs::screens_at_cuts(name, *size, bytes, cuts / SHOWN).chunks(SHOWN_AT_ONCE) {
            let Some(differences) = xtermjs::differences(part) else {
                break;
            };
            differ += differences.len();
            shown += part.len();
            differences
                .iter()
                .for_each(|difference| println!("xterm.js: {difference}"));
        }
        if let Err(difference) = takeover::take_over(name, *size, bytes, cuts) {
            differ += 1;
            println!("{difference}");
        }
    }
    println!(
        "{} streams, each cut at {cuts} places, {shown} of them shown to xterm.js: {differ} differ",
        streams.len()
    );
    differ
}

/// Returns how many floods took more memory than they may.
fn floods(share: usize) -> usize {
    println!(
        "{:40} {:>9} {:>8} {:>12} {:>12}",
        "flood", "fed MB", "MB/s", "held KiB", "at most KiB"
    );
    let mut grew = 0;
    for flood in floods::floods() {
        let begun = Instant::now();
        let poured = flood.pour(share);
        let megabytes = poured.fed_bytes as f64 / 1e6;
        let rate = megabytes / begun.elapsed().as_secs_f64();
        let (held, most) = (poured.held_bytes >> 10, flood.most_bytes >> 10);
        let verdict = if held <= most { "" } else { "  TOO MUCH" };
        grew += usize::from(held > most);
        println!(
            "{:40} {megabytes:9.1} {rate:8.1} {held:12} {most:12}{verdict}",
            flood.name
        );
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    println!(
        "largest resident size of the process: {}",
        peak.unwrap_or("unknown").trim()
    );
    grew
}
