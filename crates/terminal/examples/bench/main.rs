//! The engine's figures: `cargo run --release -p pupitre-terminal --example bench [MEGABYTES]`.
//!
//! In process beside the emulator alone, in CPU time, taken in turns; then through a real pseudo-terminal beside a
//! reader that discards and, where it is installed, tmux; then memory and what readers wait for. Trust the ratios.

#![expect(clippy::print_stdout, reason = "an example tells what it measures")]

mod corpora;
#[path = "../../tests/terminal/stream.rs"]
#[expect(dead_code, reason = "only its random numbers are used")]
mod stream;
mod terminals;

use std::time::Instant;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::term::{Config, Term};
use pupitre_terminal::{Screen, ScreenOptions, SearchPattern, Size};
use rustix::time::{ClockId, clock_gettime};
use vte::ansi::Processor;

use corpora::{cjk, colour, corpora, line80, random80};
use stream::Random;

const ROUNDS: usize = 5;
const CHUNK: usize = 4096;
/// The argument by which the bench asks itself for one kind of pane.
const MEMORY: &str = "memory-of";

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(MEMORY) {
        return memory_of(arguments.next().and_then(|kind| kind.parse().ok()).unwrap_or(0));
    }
    let megabytes = std::env::args()
        .nth(1)
        .and_then(|size| size.parse().ok())
        .unwrap_or(16);
    let corpora = corpora(megabytes << 20);
    in_process(&corpora);
    terminals::beside_others(&corpora);
    memory();
    readers();
}

pub(crate) fn size() -> Size {
    Size::new(200, 50)
}

fn screen() -> Screen {
    Screen::new(ScreenOptions {
        size: size(),
        ..ScreenOptions::default()
    })
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn in_process(corpora: &[(&str, Vec<u8>)]) {
    println!(
        "In process, {CHUNK}-byte chunks, 200 × 50, 10,000 lines: MB per CPU second, median of {ROUNDS}\n"
    );
    println!("| corpus | emulator alone | engine | ratio |\n|---|---|---|---|");
    for (name, bytes) in corpora {
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
            let begin = cpu_seconds();
            bytes
                .chunks(CHUNK)
                .for_each(|chunk| processor.advance(&mut term, chunk));
            let between = cpu_seconds();
            let now = Instant::now();
            bytes.chunks(CHUNK).for_each(|chunk| screen.feed(chunk, now));
            let end = cpu_seconds();
            // The first round only warms up.
            if round > 0 {
                let rate = |seconds: f64| bytes.len() as f64 / 1e6 / seconds;
                alone.push(rate(between - begin));
                engine.push(rate(end - between));
            }
        }
        let (alone, engine) = (median(alone), median(engine));
        println!("| {name} | {alone:.0} | {engine:.0} | {:.2} |", engine / alone);
    }
    println!();
}

fn private_kib() -> f64 {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Private_Dirty:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(f64::NAN)
}

type Line = fn(&mut Random, usize) -> String;

const KINDS: [(&str, Option<Line>); 5] = [
    ("empty", None),
    ("10,000 lines of one sentence", Some(line80)),
    ("10,000 lines of random ASCII", Some(random80)),
    ("10,000 lines in colour", Some(colour)),
    ("10,000 lines of CJK", Some(cjk)),
];

/// Measures each kind of pane in a process of its own: memory that was freed before would hide what is taken.
#[expect(clippy::disallowed_methods, reason = "a bench starts itself")]
fn memory() {
    println!(
        "Memory of a pane of 200 × 50, private KiB, mean of 20\n\n| pane | KiB | frozen | of it history |\n|---|---|---|---|"
    );
    let bench = std::env::current_exe().expect("the bench knows where it is");
    for kind in 0..KINDS.len() {
        let status = std::process::Command::new(&bench)
            .args([MEMORY, &kind.to_string()])
            .status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "a part of the bench failed"
        );
    }
    println!();
}

fn memory_of(kind: usize) {
    let (name, line) = KINDS[kind];
    let mut random = Random::new(7);
    let text: String = line.map_or_else(String::new, |line| {
        (0..10_350).map(|index| line(&mut random, index)).collect()
    });
    let before = private_kib();
    let mut panes: Vec<Screen> = (0..20)
        .map(|_| {
            let mut screen = screen();
            text.as_bytes()
                .chunks(CHUNK)
                .for_each(|chunk| screen.feed(chunk, Instant::now()));
            screen
        })
        .collect();
    let each = |panes: &[Screen]| (private_kib() - before) / panes.len() as f64;
    let live = each(&panes);
    panes.iter_mut().for_each(Screen::freeze);
    let history = panes[0].history_bytes() as f64 / 1024.0;
    println!("| {name} | {live:.0} | {:.0} | {history:.0} |", each(&panes));
}

fn readers() {
    let mut random = Random::new(7);
    let text: String = (0..10_350).map(|index| line80(&mut random, index)).collect();
    let mut screen = screen();
    text.as_bytes()
        .chunks(CHUNK)
        .for_each(|chunk| screen.feed(chunk, Instant::now()));
    let pattern = SearchPattern::regex(r"00(9\d{2})7 the qu.{2,4}k").expect("the pattern is valid");
    let substring = SearchPattern::substring("009997 THE").expect("the pattern is short");
    println!("Readers of 10,000 lines: CPU µs, median of 31\n\n| what | µs |\n|---|---|");
    let mut row = |name: &str, work: &mut dyn FnMut(&mut Screen)| {
        let times = (0..31).map(|_| {
            let begin = cpu_seconds();
            work(&mut screen);
            (cpu_seconds() - begin) * 1e6
        });
        println!("| {name} | {:.0} |", median(times.collect()));
    };
    row("the last 200 lines", &mut |screen| drop(screen.read(200, 0)));
    row("search by expression", &mut |screen| {
        drop(screen.search(&pattern, 100))
    });
    row("search by substring", &mut |screen| {
        drop(screen.search(&substring, 100))
    });
    row("snapshot", &mut |screen| drop(screen.snapshot()));
    row("freeze and unfold", &mut |screen| {
        screen.freeze();
        screen.feed(b"\0", Instant::now());
    });
    row("another width and back", &mut |screen| {
        screen.resize(Size::new(120, 40));
        screen.resize(size());
    });
}
