//! The short way for the control sequences that programs send most: colours and attributes, moving the cursor, erasing
//! a line. Half of the time for a screen in true colour went into reading their digits.
//!
//! It must do exactly what the emulator's parser does; the differential tests hold it to that. Whatever is not simple
//! goes to that parser.

use vte::ansi::{Attr, Color, Handler, LineClearMode, NamedColor, Rgb};

use super::Capture;
use crate::history::NAMES;

/// Parameters that a control sequence has at most; one with more is ignored.
const MOST_PARAMETERS: usize = 32;

/// Whether a sequence was worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Controlled {
    Done,
    /// It is one for the parser.
    Not,
}

impl Capture {
    /// Returns whether sequences that end with `last` may go the short way.
    #[inline]
    pub(crate) fn can_control(last: u8) -> bool {
        matches!(last, b'A'..=b'D' | b'G' | b'H' | b'K' | b'm')
    }

    /// Works on the control sequence with these parameters, which are made of digits, colons and semicolons.
    pub(crate) fn control(&mut self, parameters: &[u8], last: u8) -> Controlled {
        let mut numbers = [0; MOST_PARAMETERS];
        let Some(count) = read_numbers(parameters, &mut numbers) else {
            return Controlled::Not;
        };
        let numbers = &numbers[..count];
        let number = |index: usize, default: u16| {
            let given = numbers.get(index).copied().filter(|number| *number != 0);
            usize::from(given.unwrap_or(default))
        };
        match last {
            b'm' => self.set_attributes(numbers),
            b'A' => self.move_up(number(0, 1)),
            b'B' => self.move_down(number(0, 1)),
            b'C' => self.move_forward(number(0, 1)),
            b'D' => self.move_backward(number(0, 1)),
            b'G' => self.goto_col(number(0, 1) - 1),
            b'H' => self.goto(number(0, 1) as i32 - 1, number(1, 1) - 1),
            b'K' => match number(0, 0) {
                0 => self.clear_line(LineClearMode::Right),
                1 => self.clear_line(LineClearMode::Left),
                2 => self.clear_line(LineClearMode::All),
                _ => {}
            },
            _ => return Controlled::Not,
        }
        Controlled::Done
    }

    fn set_attributes(&mut self, numbers: &[u16]) {
        let mut numbers = numbers.iter().copied();
        while let Some(number) = numbers.next() {
            if let Some(attribute) = attribute(number, &mut numbers) {
                self.terminal_attribute(attribute);
            }
        }
    }
}

/// Reads numbers with semicolons between them, an empty one as 0; returns how many they are, and nothing when they are
/// too many or have parts.
#[inline]
fn read_numbers(parameters: &[u8], numbers: &mut [u16; MOST_PARAMETERS]) -> Option<usize> {
    let (mut count, mut number) = (0, 0_u16);
    for byte in parameters {
        match byte {
            b'0'..=b'9' => number = number.saturating_mul(10).saturating_add(u16::from(byte - b'0')),
            b';' => {
                *numbers.get_mut(count)? = number;
                (count, number) = (count + 1, 0);
            }
            _ => return None,
        }
    }
    *numbers.get_mut(count)? = number;
    Some(count + 1)
}

/// Returns the attribute that an SGR parameter sets; a colour takes the parameters behind it.
fn attribute(number: u16, behind: &mut impl Iterator<Item = u16>) -> Option<Attr> {
    let named = |from: u16, first: usize| Color::Named(NAMES[first + usize::from(number - from)]);
    Some(match number {
        0 => Attr::Reset,
        1 => Attr::Bold,
        2 => Attr::Dim,
        3 => Attr::Italic,
        4 => Attr::Underline,
        5 => Attr::BlinkSlow,
        6 => Attr::BlinkFast,
        7 => Attr::Reverse,
        8 => Attr::Hidden,
        9 => Attr::Strike,
        21 => Attr::CancelBold,
        22 => Attr::CancelBoldDim,
        23 => Attr::CancelItalic,
        24 => Attr::CancelUnderline,
        25 => Attr::CancelBlink,
        27 => Attr::CancelReverse,
        28 => Attr::CancelHidden,
        29 => Attr::CancelStrike,
        30..=37 => Attr::Foreground(named(30, 0)),
        38 => Attr::Foreground(color(behind)?),
        39 => Attr::Foreground(Color::Named(NamedColor::Foreground)),
        40..=47 => Attr::Background(named(40, 0)),
        48 => Attr::Background(color(behind)?),
        49 => Attr::Background(Color::Named(NamedColor::Background)),
        58 => Attr::UnderlineColor(Some(color(behind)?)),
        59 => Attr::UnderlineColor(None),
        90..=97 => Attr::Foreground(named(90, 8)),
        100..=107 => Attr::Background(named(100, 8)),
        _ => return None,
    })
}

/// Reads a colour: `2` and three numbers, or `5` and an index.
fn color(numbers: &mut impl Iterator<Item = u16>) -> Option<Color> {
    let mut byte = || u8::try_from(numbers.next()?).ok();
    match byte()? {
        2 => Some(Color::Spec(Rgb {
            r: byte()?,
            g: byte()?,
            b: byte()?,
        })),
        5 => Some(Color::Indexed(byte()?)),
        _ => None,
    }
}
