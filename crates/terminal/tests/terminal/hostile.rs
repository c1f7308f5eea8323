//! Streams that mean harm: nothing may crash, and nothing may grow beyond its limit.

use std::time::Instant;

use pupitre_terminal::{HistoryLimits, Screen, ScreenOptions, Signal, Size};

use crate::allocations::growth_during;
use crate::floods::floods;

fn fed(size: Size, pieces: impl IntoIterator<Item = Vec<u8>>) -> Screen {
    let mut screen = Screen::new(ScreenOptions {
        size,
        ..ScreenOptions::default()
    });
    for piece in pieces {
        screen.feed(&piece, Instant::now());
    }
    screen
}

/// How much of a flood is enough: all of it takes minutes without optimization.
const SHARE: usize = if cfg!(debug_assertions) { 16 } else { 1 };
const FLOOD_SHARE: usize = 32;
/// Bytes that reading everything may take for a moment: four times what the history holds, and room to grow into.
const READING_BYTES: isize = 192 << 20;

fn limit() -> usize {
    HistoryLimits::default().bytes
}

#[test]
fn five_thousand_keyboard_modes_do_not_crash() {
    let mut screen = fed(Size::default(), [b"\x1b[>1u".repeat(5000)]);
    screen.feed(b"\x1b[?u\x1b[<9999u\x1b[?u", Instant::now());
    assert_eq!(screen.take_replies(), b"\x1b[?1u\x1b[?0u");
}

#[test]
fn five_million_marks_on_one_character_are_forgotten() {
    let marks = "\u{301}".repeat(50_000).into_bytes();
    let screen = fed(
        Size::default(),
        std::iter::once(b"x".to_vec()).chain((0..100 / SHARE).map(|_| marks.clone())),
    );
    let line = &screen.visible_lines()[0].text;
    assert_eq!(line.chars().count(), 1 + crate::row::MARKS_PER_CELL);
}

#[test]
fn a_line_of_64_mib_leaves_only_its_end() {
    let piece = vec![b'x'; 1 << 20];
    let screen = fed(Size::new(200, 50), (0..64 / SHARE).map(|_| piece.clone()));
    assert!(
        screen.history_bytes() < limit(),
        "{} bytes",
        screen.history_bytes()
    );
    let window = screen.read(1, 0).expect("the newest line");
    assert_eq!(window.total_lines, 1);
    assert!(window.text.len() > 2_000_000, "{} bytes", window.text.len());
    assert!(window.text.bytes().all(|byte| byte == b'x'));
}

#[test]
fn huge_parameters_do_what_the_largest_ones_do() {
    let sequences = b"ABCDEFGHIJKLMPSTXZ@`abdefghlmnqrstu".map(|letter| {
        let mut sequence = b"text\x1b[99999999999999999999;99999999999999999999".to_vec();
        sequence.push(letter);
        sequence
    });
    let parameters = b"\x1b["
        .iter()
        .copied()
        .chain(b"1;".repeat(10_000))
        .chain(*b"m")
        .collect();
    let screen = fed(Size::new(80, 24), sequences.into_iter().chain([parameters]));
    assert!(screen.history_bytes() < limit());
}

#[test]
fn strings_without_end_are_not_collected() {
    for begin in [
        b"\x1b]0;".as_slice(),
        b"\x1b]7501;",
        b"\x1bP+q",
        b"\x1b_G",
        b"\x1b]8;;",
        b"\x1b\x00]0;",
    ] {
        let body = vec![b'a'; 1 << 20];
        let mut screen = fed(
            Size::default(),
            std::iter::once(begin.to_vec()).chain((0..32 / SHARE).map(|_| body.clone())),
        );
        assert!(
            screen.snapshot().len() < 64 << 10,
            "{} is collected",
            begin.escape_ascii()
        );
        screen.feed(b"\x07\x18seen", Instant::now());
        assert_eq!(screen.title(), None);
        assert_eq!(screen.visible_lines()[0].text, "seen");
    }
}

#[test]
fn a_link_on_every_character_stays_within_the_limit() {
    // 200 links of 1.9 KB a row: 19 MB of them.
    let piece = |line: usize| {
        let link = |column: usize| format!("\x1b]8;;http://{line}/{column}/{}\x1b\\x", "u".repeat(1900));
        (0..200).map(link).collect::<String>().into_bytes()
    };
    let screen = fed(Size::new(200, 10), (0..50).map(piece));
    assert!(
        screen.history_bytes() < limit() + (1 << 20),
        "{} bytes",
        screen.history_bytes()
    );
}

#[test]
fn titles_and_questions_and_bells_are_bounded() {
    let mut screen = fed(
        Size::default(),
        [
            format!("\x1b]2;{}\x07", "t".repeat(15_000)).into_bytes(),
            b"\x1b[22t".repeat(10_000),
            b"\x1b[c".repeat(200_000),
            b"\x07".repeat(200_000),
            b"\x1b]9;note\x07".repeat(10_000),
        ],
    );
    assert!(screen.title().is_some_and(|title| title.len() <= 1024));
    assert!(screen.take_replies().len() <= 1 << 20);
    assert!(screen.take_signals().len() <= 4096);
    assert!(screen.snapshot().len() < 64 << 10);
}

#[test]
fn signals_that_wait_are_bounded_by_their_text() {
    let shown = format!("\x1b]9;{}\x07", "n".repeat(4000)).into_bytes();
    let mut screen = fed(Size::default(), (0..1000).map(|_| shown.clone()));
    let bodies = |signals: Vec<Signal>| {
        let body = |signal| match signal {
            Signal::Notification(notification) => notification.body.len(),
            other => panic!("nothing else was told, not {other:?}"),
        };
        signals.into_iter().map(body).sum::<usize>()
    };
    let waiting = bodies(screen.take_signals());
    assert!((1 << 19..=1 << 20).contains(&waiting), "{waiting} bytes");
    screen.feed(&shown, Instant::now());
    assert_eq!(bodies(screen.take_signals()), 4000);
}

#[test]
fn a_screen_is_never_larger_than_the_limit() {
    let mut screen = fed(Size::new(u16::MAX, u16::MAX), []);
    assert_eq!(screen.size(), Size::MAXIMUM);
    screen.resize(Size::new(0, 0));
    assert_eq!(screen.size(), Size::MINIMUM);
    screen.feed("漢字\r\n字".as_bytes(), Instant::now());
}

#[test]
fn rows_that_scroll_by_the_million_are_all_seen_and_then_dropped() {
    const REPEATS: usize = 5;
    let mut screen = fed(Size::new(2, 1), []);
    let mut seen = 0;
    let bytes = [b"x".to_vec(), b"\x1b[65535b\n".repeat(REPEATS)].concat();
    screen.feed_watched(&bytes, Instant::now(), &mut |line| seen += line.text.len());
    assert!(screen.history_bytes() < limit());
    let left: usize = screen.visible_lines().iter().map(|line| line.text.len()).sum();
    assert!(seen + left >= REPEATS * 65535, "{seen} seen and {left} left");
}

/// Marks compress so well that the history holds ten times its limit of them; whoever reads would take all of it.
#[test]
fn a_history_that_compresses_well_does_not_become_huge_for_its_reader() {
    let mut screen = Screen::new(ScreenOptions {
        size: Size::new(200, 10),
        history: HistoryLimits {
            rows: 10_000,
            bytes: 1 << 20,
        },
        ..ScreenOptions::default()
    });
    let row = format!("{}x", "\u{301}".repeat(40)).repeat(200);
    (0..1000).for_each(|_| screen.feed(row.as_bytes(), Instant::now()));
    let (read, taken) = growth_during(|| screen.read(usize::MAX, 0).expect("there are lines"));
    assert!(
        (3 << 20..5 << 20).contains(&read.text.len()),
        "{} bytes",
        read.text.len()
    );
    assert!(taken < 12 << 20, "{taken} bytes");
    assert!(
        screen.history_bytes() < 1 << 20,
        "{} bytes",
        screen.history_bytes()
    );
}

/// A part of every flood; `cargo xtask adversary --long` pours all of each.
#[test]
fn no_flood_takes_more_memory_than_it_may() {
    for flood in floods() {
        let poured = flood.pour(FLOOD_SHARE);
        assert!(
            poured.held_bytes <= flood.most_bytes,
            "{}: {} bytes after {}, at most {}",
            flood.name,
            poured.held_bytes,
            poured.fed_bytes,
            flood.most_bytes
        );
        let (read, taken) = growth_during(|| poured.screen.read(usize::MAX, 0));
        assert!(
            read.is_ok() && taken < READING_BYTES,
            "{}: {taken} bytes to read",
            flood.name
        );
    }
}
