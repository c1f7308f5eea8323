//! What a program gets for a keystroke and for text, by the modes that it set.

use std::time::Instant;

use pupitre_terminal::{
    InputModes, Keystroke, KeystrokeError, Screen, ScreenOptions, TextInputError, text_input,
};

/// The modes behind what a program wrote.
fn modes(written: &str) -> InputModes {
    let mut screen = Screen::new(ScreenOptions::default());
    screen.feed(written.as_bytes(), Instant::now());
    screen.input_modes()
}

fn keystroke(name: &str) -> Keystroke {
    name.parse().expect("it names a keystroke")
}

/// Checks what is sent for keystrokes, `"name bytes"` each, to a program that wrote `written`.
fn check(written: &str, expected: &[(&str, &str)]) {
    let modes = modes(written);
    for (name, bytes) in expected {
        let sent = keystroke(name).bytes(&modes);
        assert_eq!(
            sent.escape_ascii().to_string(),
            bytes.as_bytes().escape_ascii().to_string(),
            "{name} behind {}",
            written.escape_debug()
        );
    }
}

#[test]
fn keys_are_sent_as_xterm_sends_them() {
    check(
        "",
        &[
            ("a", "a"),
            ("A", "A"),
            ("shift-a", "A"),
            ("7", "7"),
            ("ctrl-c", "\x03"),
            ("ctrl-C", "\x03"),
            ("CTRL-z", "\x1a"),
            ("ctrl-shift-a", "\x01"),
            ("alt-x", "\x1bx"),
            ("alt-X", "\x1bX"),
            ("ctrl-alt-x", "\x1b\x18"),
            ("ctrl-2", "\0"),
            ("ctrl-3", "\x1b"),
            ("ctrl-7", "\x1f"),
            ("ctrl-8", "\x7f"),
            ("ctrl-9", "9"),
            ("enter", "\r"),
            ("alt-enter", "\x1b\r"),
            ("tab", "\t"),
            ("shift-tab", "\x1b[Z"),
            ("escape", "\x1b"),
            ("alt-esc", "\x1b\x1b"),
            ("space", " "),
            ("ctrl-space", "\0"),
            ("backspace", "\x7f"),
            ("ctrl-backspace", "\x08"),
            ("alt-backspace", "\x1b\x7f"),
            ("up", "\x1b[A"),
            ("ctrl-right", "\x1b[1;5C"),
            ("ctrl-alt-shift-left", "\x1b[1;8D"),
            ("home", "\x1b[H"),
            ("shift-end", "\x1b[1;2F"),
            ("insert", "\x1b[2~"),
            ("delete", "\x1b[3~"),
            ("pageup", "\x1b[5~"),
            ("alt-pagedown", "\x1b[6;3~"),
            ("f1", "\x1bOP"),
            ("f4", "\x1bOS"),
            ("shift-f1", "\x1b[1;2P"),
            ("f5", "\x1b[15~"),
            ("f6", "\x1b[17~"),
            ("f10", "\x1b[21~"),
            ("f11", "\x1b[23~"),
            ("ctrl-f12", "\x1b[24;5~"),
            ("kp5", "5"),
            ("kpadd", "+"),
            ("kpenter", "\r"),
            ("alt-kp0", "\x1b0"),
        ],
    );
}

#[test]
fn application_modes_change_arrows_and_keypad() {
    check(
        "\x1b[?1h",
        &[
            ("up", "\x1bOA"),
            ("home", "\x1bOH"),
            ("shift-up", "\x1b[1;2A"),
            ("kp1", "1"),
        ],
    );
    check(
        "\x1b=",
        &[
            ("up", "\x1b[A"),
            ("kp0", "\x1bOp"),
            ("kp9", "\x1bOy"),
            ("kpenter", "\x1bOM"),
            ("kpsubtract", "\x1bOm"),
            ("ctrl-kpadd", "\x1bO5k"),
        ],
    );
    check("\x1b[?1h\x1b=\x1b[?1l\x1b>", &[("up", "\x1b[A"), ("kp0", "0")]);
}

#[test]
fn modified_keys_are_told_to_programs_that_asked_xterm_for_it() {
    check(
        "\x1b[>4;2m",
        &[
            ("enter", "\r"),
            ("shift-enter", "\x1b[27;2;13~"),
            ("ctrl-c", "\x1b[27;5;99~"),
            ("ctrl-shift-c", "\x1b[27;6;67~"),
            ("alt-x", "\x1b[27;3;120~"),
            ("X", "X"),
            ("shift-tab", "\x1b[Z"),
            ("ctrl-up", "\x1b[1;5A"),
        ],
    );
    check("\x1b[>4;2m\x1b[>4m", &[("shift-enter", "\r"), ("ctrl-c", "\x03")]);
}

#[test]
fn the_kitty_keyboard_tells_keys_apart() {
    check(
        "\x1b[?1h\x1b[>1u",
        &[
            ("a", "a"),
            ("A", "A"),
            ("ctrl-c", "\x1b[99;5u"),
            ("ctrl-i", "\x1b[105;5u"),
            ("alt-X", "\x1b[120;4u"),
            ("enter", "\r"),
            ("tab", "\t"),
            ("backspace", "\x7f"),
            ("shift-enter", "\x1b[13;2u"),
            ("shift-tab", "\x1b[9;2u"),
            ("escape", "\x1b[27u"),
            ("space", " "),
            ("ctrl-space", "\x1b[32;5u"),
            ("up", "\x1b[A"),
            ("ctrl-up", "\x1b[1;5A"),
            ("f1", "\x1b[P"),
            ("f3", "\x1b[13~"),
            ("shift-f3", "\x1b[13;2~"),
            ("delete", "\x1b[3~"),
            ("kp1", "1"),
            ("kpenter", "\x1b[57414u"),
            ("ctrl-kp1", "\x1b[57400;5u"),
        ],
    );
    // What is asked for ends when it is taken back.
    check("\x1b[>1u\x1b[<u", &[("escape", "\x1b"), ("ctrl-c", "\x03")]);
}

#[test]
fn the_kitty_keyboard_tells_of_releases_alternates_and_text() {
    // What Codex asks for: 1, 2 and 4.
    check(
        "\x1b[>7u",
        &[
            ("a", "a"),
            ("enter", "\r"),
            ("up", "\x1b[A\x1b[1;1:3A"),
            ("ctrl-c", "\x1b[99;5u\x1b[99;5:3u"),
            ("ctrl-shift-c", "\x1b[99:67;6u\x1b[99:67;6:3u"),
            ("delete", "\x1b[3~\x1b[3;1:3~"),
        ],
    );
    check(
        "\x1b[>8u",
        &[
            ("a", "\x1b[97u"),
            ("A", "\x1b[97;2u"),
            ("enter", "\x1b[13u"),
            ("kp3", "\x1b[57402u"),
        ],
    );
    check(
        "\x1b[>24u",
        &[
            ("a", "\x1b[97;;97u"),
            ("A", "\x1b[97;2;65u"),
            ("space", "\x1b[32;;32u"),
            ("ctrl-a", "\x1b[97;5u"),
            ("enter", "\x1b[13u"),
            ("kp3", "\x1b[57402;;51u"),
        ],
    );
}

#[test]
fn what_names_no_keystroke_is_an_error() {
    let error = |name: &str| {
        name.parse::<Keystroke>()
            .expect_err("it names no keystroke")
            .to_string()
    };
    assert_eq!(error("-"), "\"\" is none of ctrl, alt and shift");
    for name in [
        "", "ctrl-", "é", "ab", "f0", "f13", "f01", "kp10", "kp", "hello", "\x1b", "\n", "!",
    ] {
        let key = name.rsplit_once('-').map_or(name, |(_, key)| key);
        assert_eq!(error(name), format!("{key:?} is no key"), "{name:?}");
    }
    assert_eq!(error("super-a"), "\"super\" is none of ctrl, alt and shift");
    assert_eq!(error("a-"), "\"a\" is none of ctrl, alt and shift");
    assert_eq!(error("-a"), "\"\" is none of ctrl, alt and shift");
    assert_eq!(error("ctrl--a"), "\"\" is none of ctrl, alt and shift");
    assert_eq!(error("ctrl-alt-CTRL-a"), "ctrl is there twice");
    assert_eq!("shift-1".parse::<Keystroke>(), Err(KeystrokeError::ShiftedDigit));
}

#[test]
fn every_keystroke_is_shown_by_a_name_that_is_read_back() {
    let names = "a z 0 9 enter tab escape space backspace insert delete home end pageup pagedown up down left right f1 \
                 f12 kp0 kp9 kpdecimal kpdivide kpmultiply kpsubtract kpadd kpenter";
    let mut seen = std::collections::HashSet::new();
    for name in names.split_whitespace() {
        for held in ["", "ctrl-", "alt-", "ctrl-alt-"] {
            let name = format!("{held}{name}");
            assert_eq!(keystroke(&name).to_string(), name);
            for flags in [0, 1, 8] {
                let bytes = keystroke(&name).bytes(&modes(&format!("\x1b[={flags};1u")));
                assert!(!bytes.is_empty(), "{name} sends nothing at {flags}");
                // With every key told by a sequence, no two are the same.
                assert!(flags < 8 || seen.insert(bytes), "{name} is sent as another is");
            }
        }
    }
    assert_eq!(keystroke("Shift-PAGE_UP").to_string(), "shift-pageup");
}

#[test]
fn keys_that_submit_are_known_by_what_they_send() {
    for name in [
        "enter",
        "return",
        "ctrl-m",
        "ctrl-j",
        "ctrl-J",
        "shift-enter",
        "alt-enter",
        "ctrl-alt-m",
        "kpenter",
    ] {
        assert!(keystroke(name).submits(), "{name}");
    }
    let modes = modes("");
    let letters = (b'a'..=b'z').map(|letter| char::from(letter).to_string());
    let digits = (0..10).map(|digit| digit.to_string());
    let named = ["tab", "escape", "space", "backspace", "up", "f5", "delete", "kp1"].map(str::to_owned);
    for name in letters.chain(digits).chain(named) {
        for held in ["", "ctrl-", "alt-", "ctrl-alt-", "ctrl-shift-"] {
            let Ok(keystroke) = format!("{held}{name}").parse::<Keystroke>() else {
                continue;
            };
            let sends_a_break = keystroke
                .bytes(&modes)
                .iter()
                .any(|byte| matches!(byte, b'\r' | b'\n'));
            assert_eq!(keystroke.submits(), sends_a_break, "{held}{name}");
        }
    }
}

#[test]
fn text_goes_as_a_paste_where_the_program_takes_one() {
    let pasted = |text: &str| text_input(text, &modes("\x1b[?2004h")).map(String::from_utf8);
    assert_eq!(pasted("one"), Ok(Ok("\x1b[200~one\x1b[201~".to_owned())));
    assert_eq!(
        pasted("one\ntwo\r\nthree\rfour\n"),
        Ok(Ok("\x1b[200~one\rtwo\rthree\rfour\r\x1b[201~".to_owned()))
    );
    // The end of the paste cannot be part of it, whatever its pieces.
    assert_eq!(
        pasted("a\x1b[201~b\u{9b}201~c\x1b\x1b[201~\x03\x04\x7f\u{85}\0d\té漢"),
        Ok(Ok("\x1b[200~a[201~b201~c[201~d\té漢\x1b[201~".to_owned()))
    );
    assert_eq!(pasted(""), Ok(Ok(String::new())));
    assert_eq!(pasted("\x1b"), Ok(Ok(String::new())));
}

#[test]
fn text_with_line_breaks_is_not_typed() {
    let typed = |text: &str| text_input(text, &modes("")).map(String::from_utf8);
    assert_eq!(typed("echo 'é'\t\x1b"), Ok(Ok("echo 'é'\t".to_owned())));
    for text in ["one\ntwo", "one\n", "\r", "one\x1b\r\n"] {
        assert_eq!(typed(text), Err(TextInputError::LineBreaks), "{text:?}");
    }
}
