//! Reading, searching, marks, resizing, freezing: what readers of a pane rely on.

use std::time::Instant;

use pupitre_terminal::{
    HistoryLimits, LineNumber, Missing, ReadError, Screen, ScreenOptions, SearchPattern, Size, TextWindow,
    harmless,
};

use crate::stream::{Random, Step, steps};

fn screen(columns: u16, rows: u16) -> Screen {
    Screen::new(ScreenOptions {
        size: Size::new(columns, rows),
        ..ScreenOptions::default()
    })
}

pub(crate) fn fed(columns: u16, rows: u16, text: &str) -> Screen {
    let mut screen = screen(columns, rows);
    screen.feed(text.as_bytes(), Instant::now());
    screen
}

pub(crate) fn numbered(from: usize, to: usize) -> String {
    (from..to).map(|line| format!("line {line}\r\n")).collect()
}

pub(crate) fn read(screen: &Screen, count: usize, offset: usize) -> TextWindow {
    screen.read(count, offset).expect("the offset is within the text")
}

#[test]
fn the_newest_lines_come_without_blank_ones_behind() {
    let screen = fed(20, 5, &format!("{}$ ", numbered(0, 100)));
    let window = read(&screen, 3, 0);
    assert_eq!(window.text, "line 98\nline 99\n$");
    assert_eq!(
        (window.lines, window.total_lines, window.first_line),
        (3, 101, LineNumber(98))
    );
    assert!(!window.reaches_oldest);
    let all = read(&screen, 4000, 0);
    assert_eq!((all.lines, all.reaches_oldest), (101, true));
    assert!(all.text.starts_with("line 0\nline 1\n"));
}

#[test]
fn an_offset_counts_back_from_the_newest_line() {
    let screen = fed(20, 5, &numbered(0, 1000));
    assert_eq!(read(&screen, 2, 500).text, "line 498\nline 499");
    assert_eq!(read(&screen, 2, 999).text, "line 0");
    assert_eq!(
        screen.read(1, 1000),
        Err(ReadError::OffsetPastEnd {
            offset: 1000,
            total_lines: 1000
        })
    );
    assert_eq!(read(&fed(20, 5, ""), 10, 0).text, "");
}

#[test]
fn rows_are_joined_where_they_wrap() {
    let screen = fed(
        10,
        3,
        &format!("{}\r\nshort\r\n{}", "abcdefghij".repeat(5), "漢字".repeat(9)),
    );
    assert_eq!(
        read(&screen, 10, 0).text,
        format!("{}\nshort\n{}", "abcdefghij".repeat(5), "漢字".repeat(9))
    );
}

#[test]
fn lines_keep_their_numbers_when_old_ones_go_and_when_the_width_changes() {
    let history = HistoryLimits {
        rows: 1000,
        ..HistoryLimits::default()
    };
    let mut screen = Screen::new(ScreenOptions {
        size: Size::new(20, 5),
        history,
        ..ScreenOptions::default()
    });
    screen.feed(numbered(0, 5000).as_bytes(), Instant::now());
    let window = screen.read_range(LineNumber(4500), LineNumber(4502));
    assert_eq!(window.text, "line 4500\nline 4501");
    assert!(
        (1000..1600).contains(&window.total_lines),
        "{}",
        window.total_lines
    );
    assert_eq!(screen.read_range(LineNumber(10), LineNumber(12)).text, "");
    for columns in [7, 3, 80, 20] {
        screen.resize(Size::new(columns, 9));
        assert_eq!(
            screen.read_range(LineNumber(4500), LineNumber(4502)).text,
            "line 4500\nline 4501"
        );
        assert_eq!(
            read(&screen, 1, 0).first_line,
            LineNumber(4999),
            "{columns} columns"
        );
    }
}

#[test]
fn the_alternate_screen_is_read_as_what_it_shows() {
    let mut screen = fed(
        20,
        5,
        &format!("{}\x1b[?1049h\x1b[2;3Hfull\r\nscreen", numbered(0, 50)),
    );
    let window = read(&screen, 100, 0);
    assert_eq!(
        (window.text.as_str(), window.total_lines),
        ("\n  full\nscreen", 3)
    );
    screen.feed(b"\x1b[?1049l", Instant::now());
    assert_eq!(read(&screen, 2, 0).text, "line 48\nline 49");
}

#[test]
fn a_cleared_screen_leaves_its_lines_in_the_history() {
    let screen = fed(20, 5, "one\r\ntwo\r\n\x1b[2J\x1b[H");
    assert_eq!(read(&screen, 10, 0).text, "one\ntwo");
}

fn found(screen: &Screen, pattern: &SearchPattern) -> Vec<String> {
    screen
        .search(pattern, 100)
        .matches
        .into_iter()
        .map(|found| found.text)
        .collect()
}

#[test]
fn search_is_by_substring_whatever_its_case_or_by_expression_line_by_line() {
    let screen = fed(
        10,
        3,
        "alpha beta gamma\r\nBETA\r\n(beta)\r\n\r\nend   \r\nbeta end",
    );
    let substring = |text: &str| SearchPattern::substring(text).expect("it is short");
    let regex = |text: &str| SearchPattern::regex(text).expect("it is valid");
    assert_eq!(
        found(&screen, &substring("beta")),
        ["alpha beta gamma", "BETA", "(beta)", "beta end"]
    );
    assert_eq!(found(&screen, &substring("(BETA")), ["(beta)"]);
    assert_eq!(found(&screen, &regex("^beta")), ["beta end"]);
    assert_eq!(found(&screen, &regex("end$")), ["end", "beta end"]);
    assert_eq!(found(&screen, &regex(r"\Aend\z")), ["end"]);
    assert_eq!(found(&screen, &regex("^$")), [""]);
    // What could reach over the end of a line does not.
    assert_eq!(found(&screen, &regex(r"BETA\s+\(")), Vec::<String>::new());
    assert_eq!(found(&screen, &regex(r"[^x]+gamma")), ["alpha beta gamma"]);
    assert!(SearchPattern::regex("(").is_err());
}

#[test]
fn a_match_tells_the_offset_that_shows_it() {
    let screen = fed(20, 5, &numbered(0, 2000));
    let result = screen.search(&SearchPattern::regex("line 1[0-9]*7$").expect("it is valid"), 5);
    assert_eq!((result.matches.len(), result.total), (5, 111));
    for found in &result.matches {
        let window = read(&screen, 1, found.offset);
        assert_eq!((window.text, window.first_line), (found.text.clone(), found.line));
    }
    assert_eq!(result.matches[4].text, "line 1997");
}

#[test]
fn blank_lines_between_those_after_a_mark_are_part_of_what_came() {
    let mut screen = fed(20, 6, "half\r\n");
    let mark = screen.mark();
    screen.feed(b"x\r\n\r\n\r\ny\r\n\r\n", Instant::now());
    let after = screen.read_after(mark);
    assert_eq!(after.text, "x\n\n\ny");
    assert_eq!(after.lines, [1, 2, 3, 4].map(LineNumber));
    // The same when some of it has left the view.
    screen.feed(b"z\r\n", Instant::now());
    assert_eq!(screen.read_after(mark).text, "x\n\n\ny\n\nz");
}

#[test]
fn blank_lines_that_come_first_after_a_mark_are_part_of_what_came() {
    for (before, blank) in [
        ("half\r\n", 1),
        ("half", 1),
        ("half\r\n", 3),
        ("", 2),
        ("half", 600),
    ] {
        let mut screen = fed(20, 6, before);
        let mark = screen.mark();
        screen.freeze();
        assert_eq!(screen.mark(), mark);
        let feeds = blank + usize::from(before == "half");
        screen.feed("\r\n".repeat(feeds).as_bytes(), Instant::now());
        // Nobody can tell them from rows that were always blank before something stands behind them.
        assert_eq!(screen.read_after(mark).text, "");
        screen.feed(b"next\r\n", Instant::now());
        let after = screen.read_after(mark);
        let expected = format!("{}next", "\n".repeat(blank));
        assert_eq!(after.text, expected, "{before:?}, {blank}");
        assert_eq!(after.lines.len(), blank + 1);
        screen.feed(numbered(0, 300).as_bytes(), Instant::now());
        screen.freeze();
        let later = screen.read_after(mark).text;
        assert!(
            later.starts_with(&format!("{expected}\nline 0\n")),
            "{before:?}, {blank}"
        );
    }
}

#[test]
fn what_came_after_a_mark_is_known_also_when_it_was_redrawn_above_the_cursor() {
    let mut screen = fed(20, 6, "old one\r\nold two\r\nspinner\r\n> ");
    let mark = screen.mark();
    assert_eq!(screen.read_after(mark).text, "");
    // Up two rows, a line of text in place of the spinner, and the frame drawn anew below it.
    screen.feed(b"\x1b[1A\r\x1b[Janswer\r\nspinner\r\n> ", Instant::now());
    let after = screen.read_after(mark);
    assert_eq!(after.text, "answer\nspinner\n>");
    assert_eq!(after.lines, [LineNumber(2), LineNumber(3), LineNumber(4)]);
    assert_eq!(after.missing, Missing::Nothing);
    screen.feed(numbered(0, 300).as_bytes(), Instant::now());
    let after = screen.read_after(mark);
    assert!(
        after.text.starts_with("answer\nspinner\n> line 0\nline 1\n"),
        "{}",
        &after.text[..60]
    );
    assert!(after.text.ends_with("line 299"));
    screen.resize(Size::new(9, 12));
    assert_eq!(screen.read_after(mark).text, after.text);
    screen.freeze();
    assert_eq!(screen.read_after(mark).text, after.text);
}

#[test]
fn a_mark_says_when_something_after_it_is_gone() {
    let mut screen = fed(20, 5, "before\r\n");
    let mark = screen.mark();
    screen.feed(numbered(0, 30_000).as_bytes(), Instant::now());
    assert_eq!(screen.read_after(mark).missing, Missing::Older);
    let later = screen.mark();
    screen.feed(b"new\r\n", Instant::now());
    let after = screen.read_after(later);
    assert_eq!((after.text.as_str(), after.missing), ("new", Missing::Nothing));
}

#[test]
fn visible_lines_come_whole_with_their_last_change() {
    let mut screen = fed(10, 2, "0123456789abcdefghijKLM");
    let line = &screen.visible_lines()[0];
    assert_eq!(
        (line.text.as_str(), line.line, line.generation),
        ("0123456789abcdefghijKLM", LineNumber(0), 1)
    );
    screen.feed(b"\r\nnext", Instant::now());
    let generations: Vec<_> = screen
        .visible_lines()
        .iter()
        .map(|line| line.generation)
        .collect();
    assert_eq!(generations, [1, 2]);
}

#[test]
fn reading_does_not_unfold_a_frozen_screen() {
    let mut screen = fed(
        20,
        5,
        &format!("{}\x1b[?1049h\x1b[1mtop\r\n漢字", numbered(0, 10)),
    );
    let (text, rows, cursor, snapshot) = (
        read(&screen, 10, 0),
        screen.screen_rows(),
        screen.cursor(),
        screen.snapshot(),
    );
    screen.freeze();
    assert_eq!(
        (read(&screen, 10, 0), screen.screen_rows(), screen.cursor()),
        (text, rows, cursor)
    );
    assert_eq!(screen.snapshot(), snapshot);
    assert!(screen.is_frozen());
    screen.feed(b"\x1b[?1049lx", Instant::now());
    assert!(!screen.is_frozen());
    assert_eq!(read(&screen, 2, 0).text, "line 9\nx");
}

#[test]
fn the_generation_grows_with_output_only() {
    let mut screen = screen(20, 5);
    screen.feed(b"", Instant::now());
    assert_eq!(screen.generation(), 0);
    screen.feed(b"x", Instant::now());
    screen.resize(Size::new(30, 5));
    screen.freeze();
    assert_eq!(screen.generation(), 1);
}

#[test]
fn harmless_text_neither_steers_a_terminal_nor_turns_its_direction() {
    for (text, expected) in [
        ("plain\nand 漢字 é 😀", "plain\nand 漢字 é 😀"),
        ("a\x1b[31mb\x07\r\x08c\u{9b}5m\u{85}\u{7f}\0d\te", "a[31mbc5mde"),
        (
            "x\u{202e}y\u{202a}\u{202c}z\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}.",
            "xyz.",
        ),
        (
            "ن\u{200d}\u{200c}\u{2065}\u{206a}",
            "ن\u{200d}\u{200c}\u{2065}\u{206a}",
        ),
    ] {
        assert_eq!(harmless(text), expected, "{text:?}");
    }
}

/// Whatever a program writes: what is read of it has no control characters left but line feeds.
#[test]
fn what_is_read_of_random_streams_is_harmless() {
    let mut turned = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut screen = Screen::new(ScreenOptions {
            size: random.size(),
            ..ScreenOptions::default()
        });
        for step in steps(&mut random, seed) {
            if let Step::Bytes(bytes) = step {
                screen.feed(&bytes, Instant::now());
                screen.feed("\u{202e}a\u{2067}\u{9b}1m".as_bytes(), Instant::now());
            }
        }
        let text = read(&screen, usize::MAX, 0).text;
        turned += usize::from(text.contains('\u{202e}'));
        let is_left = |character: char| {
            character.is_control() && character != '\n'
                || ('\u{202a}'..='\u{202e}').contains(&character)
                || ('\u{2066}'..='\u{2069}').contains(&character)
        };
        assert!(!harmless(&text).contains(is_left), "seed {seed}");
    }
    assert!(
        turned > 100,
        "only {turned} streams leave an override of direction"
    );
}

/// Whatever a program writes: windows, numbers, the end and what came after a mark agree with each other.
#[test]
fn what_is_read_of_random_streams_agrees_with_itself() {
    let (mut lines_seen, mut after_seen) = (0, 0);
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let mut screen = Screen::new(ScreenOptions {
            size: random.size(),
            ..ScreenOptions::default()
        });
        let steps = steps(&mut random, seed);
        let mut mark = screen.mark();
        for (index, step) in steps.iter().enumerate() {
            if index == steps.len() / 2 {
                mark = screen.mark();
            }
            match step {
                Step::Bytes(bytes) => screen.feed(bytes, Instant::now()),
                Step::Freeze => screen.freeze(),
                Step::Resize(size) => screen.resize(*size),
            }
        }
        let whole = read(&screen, usize::MAX, 0);
        let lines: Vec<&str> = match whole.lines {
            0 => Vec::new(),
            _ => whole.text.split('\n').collect(),
        };
        assert_eq!(
            (lines.len(), whole.total_lines),
            (whole.lines, whole.lines),
            "seed {seed}"
        );
        assert!(whole.reaches_oldest, "seed {seed}");
        for (offset, line) in lines.iter().rev().enumerate().step_by(1 + lines.len() / 50) {
            let number = LineNumber(whole.first_line.0 + (lines.len() - 1 - offset) as u64);
            let window = TextWindow {
                text: (*line).to_owned(),
                first_line: number,
                lines: 1,
                total_lines: lines.len(),
                reaches_oldest: offset + 1 == lines.len(),
            };
            assert_eq!(read(&screen, 1, offset), window, "seed {seed}, offset {offset}");
            lines_seen += 1;
        }
        assert!(screen.read(1, lines.len().max(1)).is_err(), "seed {seed}");
        let after = screen.read_after(mark);
        assert!(after.lines.is_sorted(), "seed {seed}");
        let numbered = after.lines.iter().zip(after.text.split('\n'));
        for (number, text) in numbered.step_by(1 + after.lines.len() / 50) {
            let window = screen.read_range(*number, LineNumber(number.0 + 1));
            assert_eq!(window.text, text, "seed {seed}, {number:?}");
            after_seen += 1;
        }
    }
    assert!(
        lines_seen > 1000 && after_seen > 500,
        "{lines_seen} and {after_seen} lines"
    );
}
