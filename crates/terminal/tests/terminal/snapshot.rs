//! A snapshot brings a fresh terminal to where the screen is, at any byte, and the stream can go on from there.

use std::time::Instant;

use pupitre_terminal::{Screen, Size};

use crate::corpora::corpora;
use crate::differential::{snapshot_difference, unbounded};
use crate::recording_file::recordings;
use crate::takeover::take_over;

fn check(name: &str, size: Size, bytes: &[u8], cuts: usize) {
    assert_eq!(take_over(name, size, bytes, cuts), Ok(()));
}

#[test]
fn every_recording_goes_on_from_a_snapshot_at_any_byte() {
    for recording in recordings() {
        check(recording.name, recording.size, &recording.bytes(), CUTS);
    }
}

#[test]
fn every_corpus_goes_on_from_a_snapshot_at_any_byte() {
    for (name, bytes) in corpora(CORPUS_BYTES) {
        check(name, Size::new(200, 50), &bytes, CUTS / 2);
        check(name, Size::new(61, 17), &bytes, CUTS / 2);
    }
}

/// Places at which a stream is cut; `cargo xtask adversary` cuts at thousands.
const CUTS: usize = 16;
/// Of every corpus, this much.
const CORPUS_BYTES: usize = 48 << 10;

fn check_text(text: &str) {
    for cut in 0..=text.len() {
        let mut screen = unbounded(Size::new(10, 3));
        screen.feed(&text.as_bytes()[..cut], Instant::now());
        assert_eq!(
            snapshot_difference(&screen),
            None,
            "{:?}",
            &text.as_bytes()[..cut].escape_ascii().to_string()
        );
        screen.freeze();
        assert_eq!(snapshot_difference(&screen), None, "frozen, cut at {cut}");
    }
    check(text, Size::new(10, 3), text.as_bytes(), 20);
}

#[test]
fn history_and_wrapped_rows_come_back() {
    check_text("one\r\ntwo and more than a row\r\nthree\r\n\r\nfour 漢字漢字漢字 wide\r\nfive\r\n");
}

#[test]
fn looks_and_links_come_back() {
    check_text(
        "\x1b[1;3;4:3;31mred\x1b[48;2;1;2;3m on dark\x1b[m \x1b]8;id=a;http://x/y\x1b\\link and more\x1b]8;;\x1b\\ \
         \x1b[58;5;9;4mline\x1b[7;9m\r\n\x1b[42mgreen to the end of the row and on\x1b[K\r\n",
    );
}

#[test]
fn a_cursor_that_waits_to_wrap_comes_back() {
    check_text("0123456789\r\n01234567漢\r\n\x1b[3;10H\x1b[7mx");
}

#[test]
fn modes_region_tabs_charset_and_saved_cursor_come_back() {
    check_text(
        "\x1b[?1h\x1b=\x1b[?2004h\x1b[?1002;1006h\x1b[?1004h\x1b[?25l\x1b[5 q\x1b[>1u\x1b[>7u\x1b[=2;2u\x1b[>4;2m\x1b[3g\
         \x1b[4G\x1bH\x1b[2;5H\x1b[35m\x1b7\x1b[m\x1b[2;3r\x1b[?6h\x1b[2;2Hab\x1b(0qq\x1b)0\x0exx\x1b[4hyy\t.\x1b[?7l",
    );
}

#[test]
fn the_alternate_screen_comes_back_over_the_primary_one() {
    check_text(
        "shell$ \x1b[>1u\x1b[32mvi\r\nmore\x1b[44m\x1b[?1049h\x1b[m\x1b[2J\x1b[Hfull screen\x1b[>5u\x1b[2;4H\x1b7text\
         \x1b[3;10Hxy\x1b[?1049lback\r\n\x1b[?1049h\x1b8again",
    );
}

#[test]
fn title_colours_and_unfinished_sequences_come_back() {
    check_text(
        "\x1b]2;first\x07\x1b[22t\x1b]0;second; part\x1b\\\x1b]4;1;#102030\x07\x1b]11;rgb:11/22/33\x1b\\é漢😀\x1b[38;5;",
    );
}

/// Checks a snapshot within `most_bytes`: what is in view comes whole, and above it the newest lines.
fn check_within(screen: &Screen, most_bytes: usize) -> usize {
    let bytes = screen.snapshot_within(most_bytes);
    let size = screen.size();
    let mut fresh = unbounded(size);
    // Whoever sends it on may cut it anywhere.
    bytes
        .chunks(7)
        .for_each(|chunk| fresh.feed(chunk, Instant::now()));
    assert_eq!(fresh.screen_rows(), screen.screen_rows(), "within {most_bytes}");
    assert_eq!(
        (fresh.cursor(), fresh.input_modes(), fresh.title()),
        (screen.cursor(), screen.input_modes(), screen.title()),
        "within {most_bytes}"
    );
    let (whole, kept) = (screen.history_rows(), fresh.history_rows());
    assert!(whole.ends_with(&kept), "within {most_bytes}");
    assert!(
        bytes.len() <= most_bytes || kept.is_empty(),
        "{} bytes within {most_bytes}, with {} rows of history",
        bytes.len(),
        kept.len()
    );
    kept.len()
}

#[test]
fn a_snapshot_within_a_limit_has_the_newest_lines() {
    let line = |line: usize| {
        format!(
            "\x1b[3{}mline {line}\x1b[m, which is longer than a row\r\n",
            line % 8
        )
    };
    let text: String = (0..300).map(line).collect();
    for behind in [
        "$ ",
        "\x1b[44m\r\n",
        "\x1b]2;title\x07\x1b[?1049h\x1b[1mfull\x1b[?2004h",
    ] {
        let mut screen = unbounded(Size::new(20, 5));
        screen.feed(format!("{text}{behind}").as_bytes(), Instant::now());
        let all = screen.history_rows().len();
        let whole = screen.snapshot().len();
        assert_eq!(screen.snapshot_within(whole), screen.snapshot());
        let kept: Vec<_> = [0, 100, 500, 3000, whole - 1, whole]
            .map(|most_bytes| check_within(&screen, most_bytes))
            .into();
        assert!(kept.is_sorted(), "{kept:?}");
        assert_eq!((kept[0], kept[5]), (0, all));
        // At most a line less than there is room for.
        assert!((100..all).contains(&kept[3]) || kept[3] > 40, "{kept:?}");
        assert!((all - 3..all).contains(&kept[4]), "{kept:?}");
    }
}

#[test]
fn a_snapshot_within_a_limit_cuts_no_line() {
    let mut screen = unbounded(Size::new(20, 5));
    let text = format!("one\r\n{}", "\x1b[45m0123456789".repeat(500));
    screen.feed(text.as_bytes(), Instant::now());
    let whole = screen.snapshot().len();
    // Only the short line above fits beside the long one.
    assert_eq!(check_within(&screen, whole - 1), screen.history_rows().len() - 1);
    assert_eq!(check_within(&screen, whole - 10), 0);
    screen.freeze();
    assert_eq!(check_within(&screen, whole - 10), 0);
}

/// Halves of wide characters cannot be sent to another terminal; they come as blanks, and nothing else moves.
#[test]
fn halves_of_wide_characters_come_as_blanks() {
    let mut screen = unbounded(Size::new(10, 2));
    screen.feed("a漢字b\x1b[1;3H\x1b[P".as_bytes(), Instant::now());
    let mut fresh = unbounded(Size::new(10, 2));
    fresh.feed(&screen.snapshot(), Instant::now());
    let text = |screen: &Screen| screen.visible_lines()[0].text.clone();
    assert_eq!(text(&screen), "a漢字b");
    assert_eq!(text(&fresh), "a 字b");
}
