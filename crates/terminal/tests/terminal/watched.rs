//! Lines that are seen as they leave the place where they are written: what a wait for a pattern looks at.

use std::time::Instant;

use pupitre_terminal::{HistoryLimits, Mark, Screen, ScreenOptions, SearchPattern, Size};

use crate::allocations::growth_during;
use crate::text::{fed, numbered, read};

#[test]
fn every_line_that_scrolls_is_seen_once() {
    let history = HistoryLimits {
        rows: 100,
        ..HistoryLimits::default()
    };
    let mut screen = Screen::new(ScreenOptions {
        size: Size::new(20, 5),
        history,
        ..ScreenOptions::default()
    });
    let text = numbered(0, 50_000);
    let mut seen = Vec::new();
    for chunk in text.as_bytes().chunks(33_333) {
        screen.feed_watched(chunk, Instant::now(), &mut |scrolled| {
            let line = scrolled.line.expect("it went to the history");
            seen.push((line, scrolled.text.to_owned()));
        });
    }
    let visible = screen.visible_lines();
    seen.extend(visible.into_iter().map(|line| (line.line, line.text)));
    assert_eq!(seen.len(), 50_000);
    for (index, (number, line)) in seen.iter().enumerate() {
        assert_eq!(
            (number.0, line.as_str()),
            (index as u64, format!("line {index}").as_str())
        );
    }
}

/// What a wait for a pattern does with one batch: lines that scroll, then what is in view, if it came after the mark.
fn seen_after(screen: &mut Screen, mark: Mark, bytes: &[u8]) -> Vec<String> {
    let mut seen = Vec::new();
    screen.feed_watched(bytes, Instant::now(), &mut |scrolled| {
        if scrolled.generation > mark.generation {
            seen.push(scrolled.text.to_owned());
        }
    });
    let visible = screen.visible_lines().into_iter();
    seen.extend(
        visible
            .filter(|line| line.generation > mark.generation)
            .map(|line| line.text),
    );
    seen
}

#[test]
fn a_line_from_before_a_mark_that_only_scrolls_is_not_new() {
    let mut screen = fed(20, 3, "DONE: before\r\n$ ");
    let mark = screen.mark();
    let seen = seen_after(
        &mut screen,
        mark,
        b"run\r\nDONE: 0123456789abcdef\r\nthree\r\nfour\r\n",
    );
    assert_eq!(seen, ["$ run", "DONE: 0123456789abcdef", "three", "four"]);
    let mark = screen.mark();
    assert_eq!(seen_after(&mut screen, mark, b"five"), ["five"]);
}

#[test]
fn a_line_is_seen_although_the_program_clears_its_history_at_once() {
    let mut screen = fed(20, 3, "");
    let mark = screen.mark();
    let clear = "\x1b[H\x1b[2J\x1b[3J";
    let text = format!(
        "{}DONE\r\n{clear}{}{clear}last",
        numbered(0, 300),
        numbered(300, 310)
    );
    let seen = seen_after(&mut screen, mark, text.as_bytes());
    let expected = (0..300)
        .map(|line| format!("line {line}"))
        .chain(["DONE".to_owned()]);
    let expected = expected.chain((300..310).map(|line| format!("line {line}")));
    assert_eq!(seen, expected.chain(["last".to_owned()]).collect::<Vec<_>>());
    assert_eq!(read(&screen, 5, 0).text, "last");
}

/// A wait for a pattern as a pane does it: every line that leaves the writing position, then what is in view.
#[test]
fn a_line_among_a_hundred_thousand_is_caught_also_when_it_wraps() {
    let pattern = SearchPattern::regex("^DONE: .*result 0123456789 in the last row$").expect("it is valid");
    let mut screen = fed(
        20,
        5,
        "DONE: before the mark, result 0123456789 in the last row\r\n",
    );
    let mark = screen.mark();
    let text = format!(
        "{}DONE: this takes four rows; result 0123456789 in the last row\r\n{}",
        numbered(0, 60_000),
        numbered(60_000, 100_000)
    );
    let mut caught = Vec::new();
    for chunk in text.as_bytes().chunks(4096) {
        screen.feed_watched(chunk, Instant::now(), &mut |scrolled| {
            if scrolled.generation > mark.generation && pattern.matches(scrolled.text) {
                caught.push(scrolled.text.to_owned());
            }
        });
        assert!(
            !screen
                .visible_lines()
                .iter()
                .any(|line| line.text.starts_with("DONE"))
        );
    }
    assert_eq!(
        caught,
        ["DONE: this takes four rows; result 0123456789 in the last row"]
    );
}

#[test]
fn the_blanks_before_the_cursor_come_with_its_line() {
    for (bytes, expected) in [
        ("one\r\npw: ", Some("pw: ")),
        ("> ", Some("> ")),
        ("漢字:  ", Some("漢字:  ")),
        ("0123456789abcdefghij$ ", Some("0123456789abcdefghij$ ")),
        ("pw: x", None),
        ("pw: x\x1b[2D", None),
        ("", None),
        ("pw: \r\n", None),
    ] {
        let mut screen = fed(20, 2, bytes);
        for _ in 0..2 {
            let line = screen.line_up_to_cursor();
            assert_eq!(
                line.as_ref().map(|line| line.text.as_str()),
                expected,
                "{bytes:?}"
            );
            assert!(line.is_none_or(|line| line.generation == 1));
            screen.freeze();
        }
    }
}

#[test]
fn what_a_full_screen_program_shows_is_seen_by_a_wait() {
    let mut screen = fed(20, 4, "shell\r\n\x1b[?1049h");
    let mark = screen.mark();
    assert_eq!(
        seen_after(&mut screen, mark, b"\x1b[2J\x1b[3;3Hstatus: DONE"),
        ["", "", "  status: DONE"]
    );
    let mark = screen.mark();
    assert_eq!(
        seen_after(&mut screen, mark, b"\x1b[1;1Htop"),
        ["top"],
        "only what was written after the mark"
    );
}

#[test]
fn a_line_that_leaves_the_screen_without_a_history_is_seen() {
    for (name, before, after) in [
        ("a region", "\x1b[3;4r\x1b[3;1H", ""),
        ("one row", "\x1b[3;3r\x1b[3;1H", ""),
        ("the alternate screen", "\x1b[?1049h\x1b[H", ""),
        ("leaving it", "\x1b[?1049h\x1b[H", "\x1b[?1049l"),
        ("a reset", "", "\x1bc"),
        ("a reset there", "\x1b[?1049h\x1b[H", "\x1bc"),
        ("a deletion", "\x1b[2;1H", "\x1b[2;1H\x1b[9M"),
        ("an erasure", "\x1b[2;1H", "\x1b[2;1H\x1b[2K\n\x1b[2K\n\x1b[2K"),
        ("an erasure below", "\x1b[2;1H", "\x1b[H\x1b[J"),
        ("an erasure above", "\x1b[3;1H", "\x1b[1J"),
        ("scrolling down", "\x1b[2;1H", "\x1b[9T"),
        ("lines that are put in", "\x1b[2;1H", "\x1b[H\x1b[9L"),
        ("going up", "\x1b[2;1H", "\x1b[H\x1bM\x1bM\x1bM\x1bM\x1bM"),
        ("a cleared alternate screen", "\x1b[?1049h\x1b[H", "\x1b[2J"),
    ] {
        for text in ["FLASH", "FLASH 0123456789abcdefghijk"] {
            let mut screen = fed(20, 5, "FLASH before\r\n");
            let mark = screen.mark();
            let rest = if after.is_empty() {
                "\r\na\r\nb\r\nc\r\nd\r\ne\r\n"
            } else {
                ""
            };
            let batch = format!("{before}{text}{rest}{after}");
            let seen = seen_after(&mut screen, mark, batch.as_bytes());
            assert!(seen.iter().any(|line| line == text), "{name}: {seen:?}");
            assert!(
                !seen.iter().any(|line| line == "FLASH before"),
                "{name}: {seen:?}"
            );
        }
    }
}

#[test]
fn lines_that_scroll_are_seen_once_wherever_their_batches_end() {
    for (begin, end) in [
        // To the history, over the end of its blocks.
        ("\x1b[31m", "\x1b[m"),
        ("\x1b[2;4r\x1b[2;1H", "\x1b[r"),
        ("\x1b[?1049h\x1b[H", "\x1b[?1049l"),
    ] {
        for length in [1, 7, 64, 5000] {
            let lines: Vec<String> = (0..500)
                .map(|line| {
                    format!("line {line} {}", "x".repeat(line % 50))
                        .trim_end()
                        .to_owned()
                })
                .collect();
            let text = format!("{begin}{}\r\n{end}", lines.join("\r\n"));
            let mut screen = fed(20, 5, "");
            let mut seen = Vec::new();
            for piece in text.as_bytes().chunks(length) {
                screen.feed_watched(piece, Instant::now(), &mut |line| seen.push(line.text.to_owned()));
            }
            // What still stands in the region is in view.
            assert!(seen.len() >= lines.len() - 5, "{}", seen.len());
            assert_eq!(seen, lines[..seen.len()], "{length}");
        }
    }
}

#[test]
fn a_line_that_never_ends_costs_its_watcher_nothing() {
    let mut screen = fed(200, 5, "");
    let piece = "漢字 ".repeat(5000);
    let mut seen = 0;
    for _ in 0..100 {
        screen.feed_watched(piece.as_bytes(), Instant::now(), &mut |_| seen += 1);
    }
    // Rows that are put together or unpacked would be megabytes.
    let ((), taken) = growth_during(|| {
        screen.feed_watched(b"x", Instant::now(), &mut |_| seen += 1);
    });
    assert!(taken < 64 << 10, "{taken} bytes");
    assert_eq!(seen, 0);
    screen.feed_watched(b"\r\n1\r\n2\r\n3\r\n4\r\n5\r\n", Instant::now(), &mut |line| {
        seen += line.text.len();
    });
    assert!(seen > 1_000_000, "{seen}");
}
