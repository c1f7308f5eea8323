//! How text looks, and how that is written into a few bytes.

use alacritty_terminal::term::cell::{Cell, Flags};
use vte::ansi::{Color as CellColor, NamedColor, Rgb};

use super::varint;

/// The flags of a cell that are part of its look.
pub(crate) const LOOK: Flags = Flags::INVERSE
    .union(Flags::BOLD)
    .union(Flags::ITALIC)
    .union(Flags::DIM)
    .union(Flags::HIDDEN)
    .union(Flags::STRIKEOUT)
    .union(Flags::ALL_UNDERLINES);
/// The flags of a cell that say what part of a row it is.
pub(crate) const SHAPE: Flags = Flags::WIDE_CHAR
    .union(Flags::WIDE_CHAR_SPACER)
    .union(Flags::LEADING_WIDE_CHAR_SPACER)
    .union(Flags::WRAPLINE);

/// The flags of cells that show nothing of their own.
pub(super) const SPACERS: Flags = Flags::WIDE_CHAR_SPACER.union(Flags::LEADING_WIDE_CHAR_SPACER);

pub(crate) const DEFAULT_FOREGROUND: CellColor = CellColor::Named(NamedColor::Foreground);
pub(crate) const DEFAULT_BACKGROUND: CellColor = CellColor::Named(NamedColor::Background);

/// A colour as the program asked for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// The viewer's own.
    #[default]
    Default,
    /// One of the sixteen named ones (SGR 30 to 37, 90 to 97 and their backgrounds).
    Named(u8),
    /// One of the 256 (SGR 38;5).
    Indexed(u8),
    /// Red, green, blue (SGR 38;2).
    Rgb(u8, u8, u8),
}

/// The attributes of a text, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes(u16);

impl Attributes {
    pub const NONE: Self = Self(0);
    pub const INVERSE: Self = Self(Flags::INVERSE.bits());
    pub const BOLD: Self = Self(Flags::BOLD.bits());
    pub const ITALIC: Self = Self(Flags::ITALIC.bits());
    pub const DIM: Self = Self(Flags::DIM.bits());
    pub const HIDDEN: Self = Self(Flags::HIDDEN.bits());
    pub const STRIKEOUT: Self = Self(Flags::STRIKEOUT.bits());
    pub const UNDERLINE: Self = Self(Flags::UNDERLINE.bits());
    pub const DOUBLE_UNDERLINE: Self = Self(Flags::DOUBLE_UNDERLINE.bits());
    pub const CURLY_UNDERLINE: Self = Self(Flags::UNDERCURL.bits());
    pub const DOTTED_UNDERLINE: Self = Self(Flags::DOTTED_UNDERLINE.bits());
    pub const DASHED_UNDERLINE: Self = Self(Flags::DASHED_UNDERLINE.bits());

    /// Returns whether every attribute of `other` is in this set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The look of a run of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub foreground: Color,
    pub background: Color,
    /// The colour of the underline; the default is the text's.
    pub underline: Color,
    pub attributes: Attributes,
}

/// A hyperlink (OSC 8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The id that joins the parts of one link.
    pub id: Box<str>,
    pub uri: Box<str>,
}

/// A style with the number of its link in the store of links beside it, from 1; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) style: Style,
    pub(crate) link: u32,
}

impl Look {
    /// Returns the look of a cell whose link has number `link`.
    pub(crate) fn of(cell: &Cell, link: u32) -> Self {
        let style = Style {
            foreground: from_cell(cell.fg),
            background: from_cell(cell.bg),
            underline: cell.underline_color().map_or(Color::Default, from_cell),
            attributes: Attributes((cell.flags & LOOK).bits()),
        };
        Self { style, link }
    }

    /// Returns a blank cell that looks like this, without its link.
    pub(crate) fn to_cell(self) -> Cell {
        let mut cell = Cell {
            c: ' ',
            fg: to_cell(self.style.foreground, DEFAULT_FOREGROUND),
            bg: to_cell(self.style.background, DEFAULT_BACKGROUND),
            flags: Flags::from_bits_truncate(self.style.attributes.0),
            extra: None,
        };
        if self.style.underline != Color::Default {
            cell.set_underline_color(Some(to_cell(self.style.underline, DEFAULT_FOREGROUND)));
        }
        cell
    }

    /// Appends this look: a byte that says which parts differ from the default, then those parts.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        let at = out.len();
        out.push(0);
        let mut tag = write_color(out, self.style.foreground) | write_color(out, self.style.background) << 2;
        if self.style.attributes != Attributes::NONE {
            tag |= HAS_ATTRIBUTES;
            out.extend_from_slice(&self.style.attributes.0.to_le_bytes());
        }
        if self.style.underline != Color::Default {
            tag |= HAS_UNDERLINE;
            let kind = out.len();
            out.push(0);
            out[kind] = write_color(out, self.style.underline);
        }
        if self.link != 0 {
            tag |= HAS_LINK;
            varint::write(out, u64::from(self.link));
        }
        out[at] = tag;
    }

    /// Reads what [`Look::write`] wrote at `at`, and moves `at` behind it.
    pub(super) fn read(bytes: &[u8], at: &mut usize) -> Self {
        let tag = byte(bytes, at);
        let mut look = Self::default();
        look.style.foreground = read_color(bytes, at, tag & 3);
        look.style.background = read_color(bytes, at, tag >> 2 & 3);
        if tag & HAS_ATTRIBUTES != 0 {
            look.style.attributes = Attributes(u16::from_le_bytes([byte(bytes, at), byte(bytes, at)]));
        }
        if tag & HAS_UNDERLINE != 0 {
            let kind = byte(bytes, at);
            look.style.underline = read_color(bytes, at, kind);
        }
        if tag & HAS_LINK != 0 {
            look.link = varint::read(bytes, at) as u32;
        }
        look
    }
}

const HAS_ATTRIBUTES: u8 = 16;
const HAS_UNDERLINE: u8 = 32;
const HAS_LINK: u8 = 64;

fn byte(bytes: &[u8], at: &mut usize) -> u8 {
    *at += 1;
    bytes[*at - 1]
}

/// Appends a colour and returns its kind, which fits in two bits.
fn write_color(out: &mut Vec<u8>, color: Color) -> u8 {
    match color {
        Color::Default => 0,
        Color::Indexed(index) => {
            out.push(index);
            1
        }
        Color::Rgb(red, green, blue) => {
            out.extend_from_slice(&[red, green, blue]);
            2
        }
        Color::Named(index) => {
            out.push(index);
            3
        }
    }
}

fn read_color(bytes: &[u8], at: &mut usize, kind: u8) -> Color {
    match kind {
        0 => Color::Default,
        1 => Color::Indexed(byte(bytes, at)),
        2 => Color::Rgb(byte(bytes, at), byte(bytes, at), byte(bytes, at)),
        _ => Color::Named(byte(bytes, at)),
    }
}

/// Returns a cell's colour. Only the sixteen names and the two defaults can come from a stream; the emulator's other
/// names (dim and bright variants) are made when it draws, which it never does here.
fn from_cell(color: CellColor) -> Color {
    match color {
        CellColor::Named(name) if (name as usize) < 16 => Color::Named(name as u8),
        CellColor::Named(_) => Color::Default,
        CellColor::Indexed(index) => Color::Indexed(index),
        CellColor::Spec(Rgb { r, g, b }) => Color::Rgb(r, g, b),
    }
}

fn to_cell(color: Color, default: CellColor) -> CellColor {
    match color {
        Color::Default => default,
        Color::Named(index) => CellColor::Named(NAMES[usize::from(index & 15)]),
        Color::Indexed(index) => CellColor::Indexed(index),
        Color::Rgb(r, g, b) => CellColor::Spec(Rgb { r, g, b }),
    }
}

/// The sixteen named colours, in the order of their numbers.
pub(crate) const NAMES: [NamedColor; 16] = [
    NamedColor::Black,
    NamedColor::Red,
    NamedColor::Green,
    NamedColor::Yellow,
    NamedColor::Blue,
    NamedColor::Magenta,
    NamedColor::Cyan,
    NamedColor::White,
    NamedColor::BrightBlack,
    NamedColor::BrightRed,
    NamedColor::BrightGreen,
    NamedColor::BrightYellow,
    NamedColor::BrightBlue,
    NamedColor::BrightMagenta,
    NamedColor::BrightCyan,
    NamedColor::BrightWhite,
];
