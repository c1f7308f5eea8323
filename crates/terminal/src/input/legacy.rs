//! The classic encoding of keys, as xterm has it.

use super::keystroke::{Key, KeypadKey, Keystroke, Modifiers};
use crate::screen::modes::InputModes;

/// The level of modifyOtherKeys at which every modified key is told by its character.
const ALL_MODIFIED: u8 = 2;

/// Returns the bytes of a keystroke.
pub(super) fn bytes(keystroke: Keystroke, modes: &InputModes) -> Vec<u8> {
    let Keystroke { modifiers, key } = keystroke;
    if let Some(character) = base_character(key) {
        return match modified_character(keystroke, character, modes.modify_other_keys) {
            Some(sequence) => sequence,
            None => character_bytes(keystroke, character),
        };
    }
    let number = modifiers.number();
    match final_part(key) {
        Final::Letter(letter, without_modifiers) => {
            let introducer = match without_modifiers {
                _ if number > 1 => return format!("\x1b[1;{number}{letter}").into_bytes(),
                Introducer::Cursor if modes.application_cursor => "\x1bO",
                Introducer::Cursor => "\x1b[",
                Introducer::Single => "\x1bO",
            };
            format!("{introducer}{letter}").into_bytes()
        }
        Final::Tilde(code) if number > 1 => format!("\x1b[{code};{number}~").into_bytes(),
        Final::Tilde(code) => format!("\x1b[{code}~").into_bytes(),
        Final::Keypad(key) => keypad_bytes(key, modifiers, modes),
    }
}

/// Returns the character that a key stands for, in lower case, when it stands for one.
fn base_character(key: Key) -> Option<char> {
    match key {
        Key::Character(character) => Some(character),
        Key::Enter => Some('\r'),
        Key::Tab => Some('\t'),
        Key::Escape => Some('\x1b'),
        Key::Space => Some(' '),
        Key::Backspace => Some('\x7f'),
        Key::Insert
        | Key::Delete
        | Key::Home
        | Key::End
        | Key::PageUp
        | Key::PageDown
        | Key::Up
        | Key::Down
        | Key::Left
        | Key::Right
        | Key::Function(_)
        | Key::Keypad(_) => None,
    }
}

/// Returns xterm's `ESC[27;…~` for keys that would otherwise lose their modifiers, when the program asked for it.
fn modified_character(keystroke: Keystroke, character: char, level: u8) -> Option<Vec<u8>> {
    let Modifiers { ctrl, alt, shift } = keystroke.modifiers;
    let loses = ctrl || alt || shift && matches!(keystroke.key, Key::Enter | Key::Escape | Key::Backspace);
    if level < ALL_MODIFIED || !loses {
        return None;
    }
    let code = if shift {
        character.to_ascii_uppercase()
    } else {
        character
    };
    let number = keystroke.modifiers.number();
    Some(format!("\x1b[27;{number};{}~", u32::from(code)).into_bytes())
}

fn character_bytes(keystroke: Keystroke, character: char) -> Vec<u8> {
    let Keystroke {
        modifiers: Modifiers { ctrl, alt, shift },
        key,
    } = keystroke;
    let mut bytes = Vec::new();
    if alt {
        bytes.push(0x1b);
    }
    if shift && key == Key::Tab {
        bytes.extend_from_slice(b"\x1b[Z");
        return bytes;
    }
    let plain = character as u8;
    bytes.push(match (plain, ctrl, shift) {
        (b'a'..=b'z', true, _) => plain & 0x1f,
        (b'a'..=b'z', false, true) => plain.to_ascii_uppercase(),
        // The digits have the control characters that have no letter.
        (b' ' | b'2', true, _) => 0,
        (b'3'..=b'7', true, _) => plain - b'3' + 0x1b,
        (b'8', true, _) => 0x7f,
        (0x7f, true, _) => 0x08,
        _ => plain,
    });
    bytes
}

/// How the sequence of a key ends.
enum Final {
    /// In a letter, which may stand behind another introducer when nothing is held.
    Letter(char, Introducer),
    /// In a tilde, behind this number.
    Tilde(u8),
    Keypad(KeypadKey),
}

#[derive(Clone, Copy)]
enum Introducer {
    /// `ESC[`, or `ESC O` in the mode of application cursor keys.
    Cursor,
    /// `ESC O`.
    Single,
}

fn final_part(key: Key) -> Final {
    match key {
        Key::Up => Final::Letter('A', Introducer::Cursor),
        Key::Down => Final::Letter('B', Introducer::Cursor),
        Key::Right => Final::Letter('C', Introducer::Cursor),
        Key::Left => Final::Letter('D', Introducer::Cursor),
        Key::End => Final::Letter('F', Introducer::Cursor),
        Key::Home => Final::Letter('H', Introducer::Cursor),
        Key::Function(number @ 1..=4) => Final::Letter(char::from(b'P' + number - 1), Introducer::Single),
        Key::Function(number) => Final::Tilde(function_code(number)),
        Key::Insert => Final::Tilde(2),
        Key::Delete => Final::Tilde(3),
        Key::PageUp => Final::Tilde(5),
        Key::PageDown => Final::Tilde(6),
        Key::Keypad(key) => Final::Keypad(key),
        Key::Character(_) | Key::Enter | Key::Tab | Key::Escape | Key::Space | Key::Backspace => {
            unreachable!("keys that stand for a character are sent as it")
        }
    }
}

/// Returns the number of a function key before a tilde. The VT220 left gaps between its groups of keys.
pub(super) fn function_code(number: u8) -> u8 {
    match number {
        0..=5 => 10 + number,
        6..=10 => 11 + number,
        _ => 12 + number,
    }
}

fn keypad_bytes(key: KeypadKey, modifiers: Modifiers, modes: &InputModes) -> Vec<u8> {
    let letter = match key {
        KeypadKey::Digit(digit) => char::from(b'p' + digit),
        KeypadKey::Decimal => 'n',
        KeypadKey::Divide => 'o',
        KeypadKey::Multiply => 'j',
        KeypadKey::Subtract => 'm',
        KeypadKey::Add => 'k',
        KeypadKey::Enter => 'M',
    };
    let number = modifiers.number();
    if modes.application_keypad {
        let held = if number > 1 {
            number.to_string()
        } else {
            String::new()
        };
        return format!("\x1bO{held}{letter}").into_bytes();
    }
    let prefix = if modifiers.alt { "\x1b" } else { "" };
    format!("{prefix}{}", key.typed().unwrap_or('\r')).into_bytes()
}
