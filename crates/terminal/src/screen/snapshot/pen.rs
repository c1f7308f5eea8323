//! What a terminal is told before text, and only when it changed: look, link, charsets.

use std::io::Write as _;

use alacritty_terminal::term::cell::Cell;
use vte::ansi::StandardCharset;

use crate::history::{Attributes, Color, Link, Look, Style};

pub(super) struct Pen {
    pub(super) out: Vec<u8>,
    style: Style,
    link: Option<Link>,
    charsets: [StandardCharset; 4],
}

impl Pen {
    pub(super) fn with_room(bytes: usize) -> Self {
        Self {
            out: Vec::with_capacity(bytes),
            style: Style::default(),
            link: None,
            charsets: Default::default(),
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Takes the default look and no link.
    pub(super) fn reset(&mut self) {
        self.style(Style::default());
        self.set_link(None);
    }

    /// Takes a look whose link is one of `links`.
    #[inline]
    pub(super) fn look(&mut self, look: Look, links: &[Link]) {
        if look.style != self.style {
            self.style(look.style);
        }
        if look.link != 0 || self.link.is_some() {
            self.set_link(
                (look.link as usize)
                    .checked_sub(1)
                    .and_then(|link| links.get(link)),
            );
        }
    }

    /// Takes the look and link of the cell that a cursor writes with.
    pub(super) fn template(&mut self, template: &Cell) {
        self.style(Look::of(template, 0).style);
        let link = template.hyperlink().map(|link| Link {
            id: link.id().into(),
            uri: link.uri().into(),
        });
        self.set_link(link.as_ref());
    }

    pub(super) fn charsets(&mut self, charsets: [StandardCharset; 4]) {
        for (index, (known, wanted)) in self.charsets.iter_mut().zip(charsets).enumerate() {
            if *known != wanted {
                let name = match wanted {
                    StandardCharset::Ascii => b'B',
                    StandardCharset::SpecialCharacterAndLineDrawing => b'0',
                };
                self.out.extend_from_slice(&[0x1b, b"()*+"[index], name]);
                *known = wanted;
            }
        }
    }

    fn set_link(&mut self, link: Option<&Link>) {
        if self.link.as_ref() == link {
            return;
        }
        let _ = match link {
            Some(Link { id, uri }) => write!(self.out, "\x1b]8;id={id};{uri}\x1b\\"),
            None => write!(self.out, "\x1b]8;;\x1b\\"),
        };
        self.link = link.cloned();
    }

    fn style(&mut self, style: Style) {
        if style == self.style {
            return;
        }
        self.style = style;
        self.out.extend_from_slice(b"\x1b[0");
        for (attribute, code) in ATTRIBUTES {
            if style.attributes.contains(attribute) {
                self.out.extend_from_slice(code);
            }
        }
        self.color(
            style.foreground,
            Place {
                named: 30,
                bright: 90,
                other: 38,
            },
        );
        self.color(
            style.background,
            Place {
                named: 40,
                bright: 100,
                other: 48,
            },
        );
        match style.underline {
            // Underlines have no codes for named colours; these come from 58;5 all the same.
            Color::Named(index) => self.color(
                Color::Indexed(index),
                Place {
                    named: 0,
                    bright: 0,
                    other: 58,
                },
            ),
            color => self.color(
                color,
                Place {
                    named: 0,
                    bright: 0,
                    other: 58,
                },
            ),
        }
        self.out.push(b'm');
    }

    fn color(&mut self, color: Color, place: Place) {
        let _ = match color {
            Color::Default => Ok(()),
            Color::Named(index @ 0..8) => write!(self.out, ";{}", place.named + index),
            Color::Named(index) => write!(self.out, ";{}", place.bright + index - 8),
            Color::Indexed(index) => write!(self.out, ";{};5;{index}", place.other),
            Color::Rgb(red, green, blue) => write!(self.out, ";{};2;{red};{green};{blue}", place.other),
        };
    }
}

/// The codes by which a colour is set for a place.
#[derive(Clone, Copy)]
struct Place {
    named: u8,
    bright: u8,
    other: u8,
}

const ATTRIBUTES: [(Attributes, &[u8]); 11] = [
    (Attributes::BOLD, b";1"),
    (Attributes::DIM, b";2"),
    (Attributes::ITALIC, b";3"),
    (Attributes::UNDERLINE, b";4"),
    (Attributes::DOUBLE_UNDERLINE, b";4:2"),
    (Attributes::CURLY_UNDERLINE, b";4:3"),
    (Attributes::DOTTED_UNDERLINE, b";4:4"),
    (Attributes::DASHED_UNDERLINE, b";4:5"),
    (Attributes::INVERSE, b";7"),
    (Attributes::HIDDEN, b";8"),
    (Attributes::STRIKEOUT, b";9"),
];
