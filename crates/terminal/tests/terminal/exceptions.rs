//! Where the engine differs from the emulator alone on purpose, one test each.

use std::time::Instant;

use pupitre_terminal::{Screen, Size};

use crate::differential::{Compare, Plain, difference, history_of, screen_of, unbounded};
use crate::row::{Row, lines};

fn both(size: Size, steps: &[&[u8]]) -> (Plain, Screen) {
    let (mut plain, mut screen) = (Plain::new(size), unbounded(size));
    for bytes in steps {
        plain.feed_as_it_comes(bytes);
        screen.feed(bytes, Instant::now());
    }
    (plain, screen)
}

/// The parser keeps the pieces of a character, but with the second piece it drops what stands behind it when that
/// again ends in the middle of a character.
#[test]
fn text_behind_a_character_in_two_pieces_is_not_lost() {
    let (plain, screen) = both(Size::new(20, 2), &[b"\xc3", b"\xa9a\xe6"]);
    assert_eq!(
        plain.screen()[0].text(),
        "é",
        "the parser no longer loses text: holding bytes back can go"
    );
    assert_eq!(screen_of(&screen)[0].text(), "éa");
}

/// Of two beginnings of characters the first is invalid, also when the second one is still to be completed.
#[test]
fn an_invalid_character_before_one_in_two_pieces_comes_first() {
    let steps: [&[u8]; 3] = [
        b"abc\xe6",
        b"\xf0\x9f",
        "\u{1f600}\u{6f22}\u{5b57} text".as_bytes(),
    ];
    let steps = [steps[0], steps[1], &steps[2][2..]];
    let (plain, screen) = both(Size::new(40, 2), &steps);
    assert_eq!(
        screen_of(&screen)[0].text(),
        "abc\u{fffd}\u{1f600}\u{6f22}\u{5b57} text"
    );
    assert_eq!(difference(&plain, &screen, Compare::Rows), None);
}

/// A parser goes from screen to screen, but what REP repeats stays with each.
#[test]
fn what_is_repeated_is_the_own_screens_last_character() {
    let size = Size::new(40, 2);
    let (mut one, mut other, mut fresh) = (unbounded(size), unbounded(size), unbounded(size));
    let now = Instant::now();
    one.feed("\x1b[1m\u{6f22}\x1b[m".as_bytes(), now);
    other.feed(b"a long run of ascii\x1b[3b", now);
    one.feed(b"\x1b[2b", now);
    fresh.feed(b"\x1b[2b", now);
    other.feed(b"\x1b[1", now);
    one.feed(b"x\x1b[1mx", now);
    other.feed(b"b", now);
    assert_eq!(screen_of(&one)[0].text(), "\u{6f22}\u{6f22}\u{6f22}xx");
    assert_eq!(screen_of(&other)[0].text(), "a long run of asciiiiii");
    assert_eq!(screen_of(&fresh)[0].text(), "");
}

/// An edit can move the wrap flag of a row into its middle. Broken anew, that row would be joined with the next one.
#[test]
fn a_wrap_flag_that_an_edit_moved_joins_no_lines() {
    let steps: [&[u8]; 1] = [b"aaaaaaaaaabbbbbbbbbbcccc\x1b[2;1H\x1b[P\r\nnext"];
    let (mut plain, mut screen) = both(Size::new(10, 4), &steps);
    plain.term.resize(Size::new(7, 4));
    screen.resize(Size::new(7, 4));
    let texts = |rows: Vec<_>| {
        lines(&rows)
            .iter()
            .map(|line| line.text())
            .collect::<Vec<_>>()
            .join("|")
    };
    let mut all = plain.history();
    all.extend(plain.screen());
    assert_ne!(
        texts(all),
        "aaaaaaaaaabbbbbbbbb|next",
        "the emulator no longer joins them: `heal` can go"
    );
    let mut all = history_of(&screen);
    all.extend(screen_of(&screen));
    assert_eq!(texts(all), "aaaaaaaaaabbbbbbbbb|next");
}

/// A wide character that does not fit leaves a marked column at the end of the row. Deleting a character moves the mark
/// into the row, which no longer goes on; broken anew, the emulator takes the mark for its end and joins the next row.
#[test]
fn a_mark_of_an_empty_column_that_an_edit_moved_joins_no_lines() {
    let steps: [&[u8]; 1] = ["aaaaaaaaaaaaaaaaaaa\u{5b57}b\x1b[H\x1b[P".as_bytes()];
    let (mut plain, mut screen) = both(Size::new(20, 2), &steps);
    let texts = |rows: Vec<Row>| lines(&rows).iter().map(|line| line.text()).collect::<Vec<_>>();
    let apart = ["aaaaaaaaaaaaaaaaaa", "\u{5b57}b"];
    assert_eq!(texts(plain.screen()), apart);
    assert_eq!(texts(screen_of(&screen)), apart);
    plain.term.resize(Size::new(10, 4));
    screen.resize(Size::new(10, 4));
    let mut all = plain.history();
    all.extend(plain.screen());
    assert_ne!(
        texts(all),
        apart,
        "the emulator no longer joins them: `heal` need not take these marks away"
    );
    let mut all = history_of(&screen);
    all.extend(screen_of(&screen));
    assert_eq!(texts(all), apart);
}

/// The marked column is a blank once it stands inside the row: what is written behind it stays where it is.
#[test]
fn a_mark_of_an_empty_column_inside_a_row_is_a_blank() {
    let text = "aaaaaaaaaaaaaaaaaaa\u{5b57}b\x1b[H\x1b[P\x1b[20Gx\x1b[3;1H";
    let (_, mut screen) = both(Size::new(20, 3), &[text.as_bytes()]);
    let expected = "aaaaaaaaaaaaaaaaaa x";
    assert_eq!(screen.visible_lines()[0].text, expected);
    screen.freeze();
    assert_eq!(screen.visible_lines()[0].text, expected);
    screen.feed(b"\r\n\r\n\r\n", Instant::now());
    assert_eq!(history_of(&screen)[0].text(), expected);
    for columns in [10, 30] {
        screen.resize(Size::new(columns, 3));
        let window = screen.read(3, 0).expect("there are lines");
        assert_eq!(window.text, format!("{expected}\n\u{5b57}b"), "{columns} columns");
    }
}

/// Bytes of an update that is held are on the screen at once; who draws it is told to wait.
#[test]
fn a_synchronized_update_can_be_read_before_it_ends() {
    let (plain, mut screen) = both(Size::new(20, 2), &[b"\x1b[?2026hhalf"]);
    assert_eq!(plain.screen()[0].text(), "");
    assert_eq!(screen_of(&screen)[0].text(), "half");
    let until = screen.held_until().expect("the program holds the display");
    screen.release_hold(until);
    assert_eq!(screen.held_until(), None);
}

/// Nothing but these exceptions: a stream without them is the same on both sides.
#[test]
fn a_plain_stream_has_no_exception() {
    let (plain, screen) = both(
        Size::new(10, 2),
        &[b"one\r\ntwo\r\nthree \x1b[31mred\x1b[m and more"],
    );
    assert_eq!(difference(&plain, &screen, Compare::Rows), None);
}

/// The emulator remembers how much of a row is written. After erasing in a colour and a wider screen that is not
/// enough, and the next erasing leaves the colour where it was.
#[test]
fn erasing_a_row_after_a_resize_erases_all_of_it() {
    let (mut plain, mut screen) = both(Size::new(20, 5), &[b"\x1b[41m\x1b[S"]);
    plain.term.resize(Size::new(80, 5));
    screen.resize(Size::new(80, 5));
    plain.feed(b"\x1bc");
    screen.feed(b"\x1bc", Instant::now());
    let coloured = |rows: Vec<Row>| rows.iter().any(|row| !row.characters.is_empty());
    assert!(
        coloured(plain.screen()),
        "the emulator erases all of it: `last_mut` in the resize can go"
    );
    assert!(!coloured(screen_of(&screen)));
}

/// Insert mode can push half of a wide character off the screen. The emulator breaks a line there when it gets another
/// width; what is deep in the history stays whole here.
#[test]
fn half_a_wide_character_at_the_edge_breaks_no_line_of_the_history() {
    let steps: [&[u8]; 1] =
        ["0123456789\r\n\x1b[A\x1b[9G漢\r\x1b[4hx\x1b[4l\x1b[9;1Hend\r\n\r\n\r\n\r\n\r\nlast".as_bytes()];
    let (mut plain, mut screen) = both(Size::new(10, 3), &steps);
    let first_line = |rows: Vec<_>| lines(&rows)[0].text();
    assert_eq!(first_line(plain.history()), "x01234567漢");
    plain.term.resize(Size::new(12, 3));
    screen.resize(Size::new(12, 3));
    plain.term.resize(Size::new(9, 3));
    screen.resize(Size::new(9, 3));
    assert_eq!(first_line(history_of(&screen)), "x01234567漢");
}
