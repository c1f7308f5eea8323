//! The encoding of keys by the kitty keyboard protocol, at the level that the program asked for.

use std::fmt::Write as _;

use super::keystroke::{Key, KeypadKey, Keystroke};
use super::legacy::function_code;

const DISAMBIGUATE: u8 = 1;
const REPORT_EVENTS: u8 = 2;
const REPORT_ALTERNATES: u8 = 4;
const REPORT_ALL: u8 = 8;
const REPORT_TEXT: u8 = 16;

/// The numbers of the keypad's keys lie in an area of Unicode for private use.
const KEYPAD_0: u32 = 57399;

/// Returns whether keys are encoded by this protocol at all.
pub(super) fn is_on(flags: u8) -> bool {
    flags & (DISAMBIGUATE | REPORT_ALL) != 0
}

/// Returns the bytes of a keystroke: the press, and the release when the program wants to know of it.
pub(super) fn bytes(keystroke: Keystroke, flags: u8) -> Vec<u8> {
    if flags & REPORT_ALL == 0
        && let Some(character) = sent_as_character(keystroke)
    {
        return character.to_string().into_bytes();
    }
    let mut text = sequence(keystroke, flags, Event::Press);
    if flags & REPORT_EVENTS != 0 {
        text += &sequence(keystroke, flags, Event::Release);
    }
    text.into_bytes()
}

/// Returns the character that a keystroke stays, as long as not every key is to be a sequence: text, and those that
/// must work in a program that crashed without taking its request back.
fn sent_as_character(keystroke: Keystroke) -> Option<char> {
    match (keystroke.key, keystroke.modifiers.number()) {
        (Key::Enter, 1) => Some('\r'),
        (Key::Tab, 1) => Some('\t'),
        (Key::Backspace, 1) => Some('\x7f'),
        _ => keystroke.typed(),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Event {
    Press,
    Release,
}

fn sequence(keystroke: Keystroke, flags: u8, event: Event) -> String {
    let (code, last) = code_of(keystroke.key);
    let number = keystroke.modifiers.number();
    let typed = keystroke
        .typed()
        .filter(|_| flags & (REPORT_ALL | REPORT_TEXT) == REPORT_ALL | REPORT_TEXT && event == Event::Press);
    let has_modifiers = number > 1 || event == Event::Release;
    let mut text = "\x1b[".to_owned();
    if last == 'u' || last == '~' || has_modifiers {
        let _ = write!(text, "{code}");
    }
    if let Key::Character(character) = keystroke.key
        && flags & REPORT_ALTERNATES != 0
        && keystroke.modifiers.shift
    {
        let _ = write!(text, ":{}", u32::from(character.to_ascii_uppercase()));
    }
    if has_modifiers {
        let _ = write!(text, ";{number}");
        if event == Event::Release {
            text += ":3";
        }
    } else if typed.is_some() {
        text.push(';');
    }
    if let Some(typed) = typed {
        let _ = write!(text, ";{}", u32::from(typed));
    }
    text.push(last);
    text
}

/// Returns the number of a key and the character that ends its sequence.
fn code_of(key: Key) -> (u32, char) {
    match key {
        Key::Character(character) => (character.into(), 'u'),
        Key::Enter => (13, 'u'),
        Key::Tab => (9, 'u'),
        Key::Escape => (27, 'u'),
        Key::Space => (32, 'u'),
        Key::Backspace => (127, 'u'),
        Key::Insert => (2, '~'),
        Key::Delete => (3, '~'),
        Key::PageUp => (5, '~'),
        Key::PageDown => (6, '~'),
        Key::Up => (1, 'A'),
        Key::Down => (1, 'B'),
        Key::Right => (1, 'C'),
        Key::Left => (1, 'D'),
        Key::End => (1, 'F'),
        Key::Home => (1, 'H'),
        Key::Function(1) => (1, 'P'),
        Key::Function(2) => (1, 'Q'),
        // `ESC[R` would be read as a report of the cursor's place.
        Key::Function(4) => (1, 'S'),
        Key::Function(number) => (function_code(number).into(), '~'),
        Key::Keypad(key) => (KEYPAD_0 + keypad_index(key), 'u'),
    }
}

fn keypad_index(key: KeypadKey) -> u32 {
    match key {
        KeypadKey::Digit(digit) => digit.into(),
        KeypadKey::Decimal => 10,
        KeypadKey::Divide => 11,
        KeypadKey::Multiply => 12,
        KeypadKey::Subtract => 13,
        KeypadKey::Add => 14,
        KeypadKey::Enter => 15,
    }
}
