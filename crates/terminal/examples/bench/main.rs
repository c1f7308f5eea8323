//! The engine's figures, one line of JSON each: `cargo xtask bench terminal` makes a table of them.
//!
//! `engine` measures in process beside the emulator alone, `pty` through a real pseudo-terminal beside a reader that
//! discards and tmux, `memory` what panes hold, `readers` what readers wait for; `repeat CORPUS` feeds one corpus again
//! and again, for a profiler. For `cargo xtask bench panes`: `write FOLDER BYTES` puts each corpus into a file and prints
//! name and path, `keys SOCKET ECHO FULL` sits before panes of a daemon.

#[path = "../../tests/terminal/allocations.rs"]
#[expect(dead_code, reason = "the tests ask for the most too")]
mod allocations;
#[path = "../../tests/terminal/corpora.rs"]
mod corpora;
mod figure;
mod keys;
mod memory;
mod pty;
#[path = "../../tests/terminal/stream.rs"]
#[expect(dead_code, reason = "only its random numbers are used")]
mod stream;
mod tmux;

use std::process::ExitCode;
use std::time::Instant;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::term::{Config, Term};
use pupitre_terminal::{Screen, ScreenOptions, SearchPattern, Size};
use rustix::time::{ClockId, clock_gettime};
use vte::ansi::Processor;

use corpora::{corpora, line80};
use figure::{AtMost, Measured};
use stream::Random;

const ROUNDS: usize = 5;
const CHUNK: usize = 4096;
/// Lines that a pane with a full history is fed: some more than it keeps.
const FULL_LINES: usize = 10_350;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["engine"] => engine(),
        ["pty"] => pty::beside_others(),
        ["memory"] => memory::of_panes(),
        ["readers"] => readers(),
        ["repeat", name] => repeat(name),
        ["write", folder, bytes] => write(folder, bytes.parse().expect("a number of bytes")),
        ["keys", socket, echo, full] => keys::measure(socket, echo, full),
        _ => return ExitCode::from(2),
    }
    ExitCode::SUCCESS
}

pub(crate) fn size() -> Size {
    Size::new(200, 50)
}

pub(crate) fn screen() -> Screen {
    Screen::new(ScreenOptions {
        size: size(),
        ..ScreenOptions::default()
    })
}

/// Feeds as reads from a pseudo-terminal come.
pub(crate) fn feed(screen: &mut Screen, bytes: &[u8]) {
    let now = Instant::now();
    bytes.chunks(CHUNK).for_each(|chunk| screen.feed(chunk, now));
}

/// Returns the processor time of this process, in seconds.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Returns the processor time that `work` takes, in seconds.
fn cpu_time_of(work: &mut dyn FnMut()) -> f64 {
    let begun = cpu_seconds();
    work();
    cpu_seconds() - begun
}

/// What the engine may take of the emulator's time, corpus by corpus: what was reached by the first prototype.
const OF_EMULATOR: [f64; 6] = [0.36, 0.63, 1.02, 0.73, 0.75, 1.02];

fn engine() {
    for ((name, bytes), most) in corpora(16 << 20).iter().zip(OF_EMULATOR) {
        let config = Config {
            scrolling_history: 10_000,
            kitty_keyboard: true,
            ..Config::default()
        };
        let mut term = Term::new(config, &size(), VoidListener);
        let mut processor: Processor = Processor::new();
        let mut screen = screen();
        let (mut alone, mut engine) = (Vec::new(), Vec::new());
        for round in 0..=ROUNDS {
            let emulator_time = cpu_time_of(&mut || {
                bytes
                    .chunks(CHUNK)
                    .for_each(|chunk| processor.advance(&mut term, chunk));
            });
            let engine_time = cpu_time_of(&mut || feed(&mut screen, bytes));
            // The first round only warms up.
            if round > 0 {
                alone.push(emulator_time);
                engine.push(engine_time);
            }
        }
        figure::print(
            &format!("16 MiB of {name} in process, CPU time"),
            &Measured::Seconds(engine),
            Some(("the emulator alone", &Measured::Seconds(alone))),
            Some(AtMost::TimesPeer(most)),
        );
    }
}

fn repeat(name: &str) {
    let corpora = corpora(4 << 20);
    let (_, bytes) = corpora
        .iter()
        .find(|(known, _)| *known == name)
        .expect("the corpus is one of the names that `engine` tells");
    let mut screen = screen();
    (0..100).for_each(|_| feed(&mut screen, bytes));
}

/// Puts each corpus, and full histories of two kinds, into files, and prints a line of JSON for each.
#[expect(clippy::print_stdout, reason = "an example tells what it made")]
fn write(folder: &str, bytes: usize) {
    let history = |line: fn(&mut Random, usize) -> String| {
        let mut random = Random::new(7);
        let lines: String = (0..FULL_LINES).map(|index| line(&mut random, index)).collect();
        lines.into_bytes()
    };
    let histories = [
        ("10,000 lines of one sentence", history(line80)),
        ("10,000 lines of CJK", history(corpora::cjk)),
    ];
    for (number, (name, text)) in corpora(bytes).into_iter().chain(histories).enumerate() {
        let path = std::path::Path::new(folder).join(number.to_string());
        std::fs::write(&path, text).expect("the folder can be written");
        println!("{}", serde_json::json!({"name": name, "path": path}));
    }
}

fn readers() {
    let mut random = Random::new(7);
    let text: String = (0..FULL_LINES).map(|index| line80(&mut random, index)).collect();
    let mut screen = screen();
    feed(&mut screen, text.as_bytes());
    let pattern = SearchPattern::regex(r"00(9\d{2})7 the qu.{2,4}k").expect("the pattern is valid");
    let substring = SearchPattern::substring("009997 THE").expect("the pattern is short");
    let mut reader = |what: &str, most: Option<f64>, work: &mut dyn FnMut(&mut Screen)| {
        let times = (0..31).map(|_| cpu_time_of(&mut || work(&mut screen)));
        let times = Measured::Seconds(times.collect());
        figure::print(
            &format!("{what}, 10,000 lines, CPU time"),
            &times,
            None,
            most.map(AtMost::Seconds),
        );
    };
    reader("the last 200 lines", Some(1e-4), &mut |screen| {
        drop(screen.read(200, 0))
    });
    reader("search by expression", Some(1e-3), &mut |screen| {
        drop(screen.search(&pattern, 100))
    });
    reader("search by substring", Some(1e-3), &mut |screen| {
        drop(screen.search(&substring, 100))
    });
    reader("snapshot", Some(5e-3), &mut |screen| drop(screen.snapshot()));
    reader("folding and unfolding", None, &mut |screen| {
        screen.freeze();
        screen.feed(b"\0", Instant::now());
    });
    reader("another width and back", None, &mut |screen| {
        screen.resize(Size::new(120, 40));
        screen.resize(size());
    });
}
