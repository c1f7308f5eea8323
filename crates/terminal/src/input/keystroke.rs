//! A keystroke by its name (`ctrl-c`, `shift-tab`, `f5`), and the bytes that a terminal sends for it.

use std::fmt;
use std::str::FromStr;

use super::{kitty, legacy};
use crate::screen::modes::InputModes;

/// One stroke of a key, with what is held meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keystroke {
    pub modifiers: Modifiers,
    pub key: Key,
}

/// The keys that are held while another is struck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A letter of the Latin alphabet, in lower case, or a digit.
    Character(char),
    Enter,
    Tab,
    Escape,
    Space,
    Backspace,
    Insert,
    Delete,
    Home,
    End,
    PageUp,
    PageDown,
    Up,
    Down,
    Left,
    Right,
    /// F1 to F12.
    Function(u8),
    /// A key of the numeric keypad.
    Keypad(KeypadKey),
}

/// A key of the numeric keypad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeypadKey {
    /// 0 to 9.
    Digit(u8),
    Decimal,
    Divide,
    Multiply,
    Subtract,
    Add,
    Enter,
}

/// Why a text names no keystroke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeystrokeError {
    #[error("{name:?} is no key")]
    UnknownKey { name: String },
    #[error("{name:?} is none of ctrl, alt and shift")]
    UnknownModifier { name: String },
    #[error("{name} is there twice")]
    RepeatedModifier { name: String },
    #[error("what shift and a digit type depends on the keyboard; send the character as text")]
    ShiftedDigit,
}

/// The names of keys that have one. Where two are given, the first is what a keystroke is shown with.
const NAMES: [(&str, Key); 28] = [
    ("enter", Key::Enter),
    ("return", Key::Enter),
    ("tab", Key::Tab),
    ("escape", Key::Escape),
    ("esc", Key::Escape),
    ("space", Key::Space),
    ("backspace", Key::Backspace),
    ("insert", Key::Insert),
    ("delete", Key::Delete),
    ("home", Key::Home),
    ("end", Key::End),
    ("pageup", Key::PageUp),
    ("pagedown", Key::PageDown),
    ("up", Key::Up),
    ("down", Key::Down),
    ("left", Key::Left),
    ("right", Key::Right),
    ("kpdecimal", Key::Keypad(KeypadKey::Decimal)),
    ("kpdivide", Key::Keypad(KeypadKey::Divide)),
    ("kpmultiply", Key::Keypad(KeypadKey::Multiply)),
    ("kpsubtract", Key::Keypad(KeypadKey::Subtract)),
    ("kpadd", Key::Keypad(KeypadKey::Add)),
    ("kpenter", Key::Keypad(KeypadKey::Enter)),
    ("page_up", Key::PageUp),
    ("page_down", Key::PageDown),
    ("del", Key::Delete),
    ("ins", Key::Insert),
    ("bs", Key::Backspace),
];

const FUNCTION_KEYS: u8 = 12;

impl Keystroke {
    /// Returns the bytes that a program with these modes gets for this keystroke.
    ///
    /// When it asked to be told of releases too (kitty keyboard), they have the release behind the press.
    pub fn bytes(self, modes: &InputModes) -> Vec<u8> {
        if kitty::is_on(modes.keyboard_flags) {
            kitty::bytes(self, modes.keyboard_flags)
        } else {
            legacy::bytes(self, modes)
        }
    }

    /// Returns whether this may submit what stands in an input line: Enter, or one of the control characters that it
    /// stands for, whatever else is held.
    pub fn submits(self) -> bool {
        match self.key {
            Key::Enter | Key::Keypad(KeypadKey::Enter) => true,
            Key::Character(character) => self.modifiers.ctrl && matches!(character, 'j' | 'm'),
            Key::Tab
            | Key::Escape
            | Key::Space
            | Key::Backspace
            | Key::Insert
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
            | Key::Keypad(_) => false,
        }
    }

    /// Returns the character that the keystroke types, when it types one.
    pub(super) fn typed(self) -> Option<char> {
        if self.modifiers.ctrl || self.modifiers.alt {
            return None;
        }
        match self.key {
            Key::Character(character) if self.modifiers.shift => Some(character.to_ascii_uppercase()),
            Key::Character(character) => Some(character),
            Key::Space => Some(' '),
            Key::Keypad(key) => key.typed(),
            Key::Enter
            | Key::Tab
            | Key::Escape
            | Key::Backspace
            | Key::Insert
            | Key::Delete
            | Key::Home
            | Key::End
            | Key::PageUp
            | Key::PageDown
            | Key::Up
            | Key::Down
            | Key::Left
            | Key::Right
            | Key::Function(_) => None,
        }
    }
}

impl Modifiers {
    /// Returns the number that stands for these in a control sequence; 1 is none.
    pub(super) fn number(self) -> u8 {
        1 + u8::from(self.shift) + 2 * u8::from(self.alt) + 4 * u8::from(self.ctrl)
    }
}

impl KeypadKey {
    pub(super) fn typed(self) -> Option<char> {
        match self {
            Self::Digit(digit) => char::from_digit(digit.into(), 10),
            Self::Decimal => Some('.'),
            Self::Divide => Some('/'),
            Self::Multiply => Some('*'),
            Self::Subtract => Some('-'),
            Self::Add => Some('+'),
            Self::Enter => None,
        }
    }
}

impl Key {
    /// Returns the key of this name, in lower case.
    fn named(name: &str) -> Option<Self> {
        let mut characters = name.chars();
        if let (Some(character), None) = (characters.next(), characters.next()) {
            let types_itself = character.is_ascii_lowercase() || character.is_ascii_digit();
            return types_itself.then_some(Self::Character(character));
        }
        if let Some((_, key)) = NAMES.iter().find(|(known, _)| *known == name) {
            return Some(*key);
        }
        let number = |digits: &str| {
            let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
            digits.parse::<u8>().ok().filter(|_| is_plain || digits == "0")
        };
        if let Some(digit) = name.strip_prefix("kp").and_then(number) {
            return (digit < 10).then_some(Self::Keypad(KeypadKey::Digit(digit)));
        }
        let function = name.strip_prefix('f').and_then(number)?;
        (1..=FUNCTION_KEYS)
            .contains(&function)
            .then_some(Self::Function(function))
    }
}

impl FromStr for Keystroke {
    type Err = KeystrokeError;

    /// Reads modifiers and a key with dashes between them, whatever their case. A capital letter is that letter with
    /// shift, except behind ctrl, where people write either.
    fn from_str(text: &str) -> Result<Self, KeystrokeError> {
        let (held, name) = match text.rsplit_once('-') {
            Some((held, name)) => (Some(held), name),
            None => (None, text),
        };
        let mut modifiers = Modifiers::default();
        for part in held.into_iter().flat_map(|held| held.split('-')) {
            let part = part.to_ascii_lowercase();
            let modifier = match part.as_str() {
                "ctrl" => &mut modifiers.ctrl,
                "alt" => &mut modifiers.alt,
                "shift" => &mut modifiers.shift,
                _ => return Err(KeystrokeError::UnknownModifier { name: part }),
            };
            if std::mem::replace(modifier, true) {
                return Err(KeystrokeError::RepeatedModifier { name: part });
            }
        }
        let unknown = || KeystrokeError::UnknownKey {
            name: name.to_owned(),
        };
        let key = Key::named(&name.to_ascii_lowercase()).ok_or_else(unknown)?;
        if let Key::Character(character) = key {
            let is_capital = name.bytes().all(|byte| byte.is_ascii_uppercase());
            modifiers.shift |= is_capital && !modifiers.ctrl;
            if character.is_ascii_digit() && modifiers.shift {
                return Err(KeystrokeError::ShiftedDigit);
            }
        }
        Ok(Self { modifiers, key })
    }
}

impl fmt::Display for Keystroke {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Modifiers { ctrl, alt, shift } = self.modifiers;
        for (held, name) in [(ctrl, "ctrl-"), (alt, "alt-"), (shift, "shift-")] {
            if held {
                formatter.write_str(name)?;
            }
        }
        if let Some((name, _)) = NAMES.iter().find(|(_, key)| *key == self.key) {
            return formatter.write_str(name);
        }
        match self.key {
            Key::Character(character) => write!(formatter, "{character}"),
            Key::Function(number) => write!(formatter, "f{number}"),
            Key::Keypad(KeypadKey::Digit(digit)) => write!(formatter, "kp{digit}"),
            named => unreachable!("{named:?} has a name in the table"),
        }
    }
}
