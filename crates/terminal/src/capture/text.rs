//! The short way for runs of text: straight into the cells of the row, without a call for every character.
//!
//! It must do exactly what the emulator does for each of the characters; the differential tests hold it to that.
//! Whatever is not simple (edges, marks, halves of wide characters) goes to the emulator.

use alacritty_terminal::index::Column;
use alacritty_terminal::term::cell::{Cell, Flags};
use unicode_width::UnicodeWidthChar;
use vte::ansi::{Color, Handler};

use super::Capture;
use crate::history::{DEFAULT_BACKGROUND, DEFAULT_FOREGROUND};
use crate::scanner::SHORT_RUN;

const WIDE: Flags = Flags::WIDE_CHAR.union(Flags::WIDE_CHAR_SPACER);

/// What a printed cell looks like.
#[derive(Clone, Copy)]
struct Ink {
    foreground: Color,
    background: Color,
    flags: Flags,
    looks_like_nothing: bool,
}

impl Ink {
    #[inline]
    fn print(self, cell: &mut Cell, character: char, shape: Flags) {
        cell.c = character;
        cell.fg = self.foreground;
        cell.bg = self.background;
        cell.flags = self.flags | shape;
        if cell.extra.is_some() {
            cell.extra = None;
        }
    }
}

impl Capture {
    /// Prints `text`, which holds nothing but bytes from 0x20 to 0x7e.
    #[inline]
    pub(crate) fn print_ascii(&mut self, mut text: &[u8]) {
        if !self.plain {
            text.iter().for_each(|byte| self.input(char::from(*byte)));
            return;
        }
        let columns = self.size.columns();
        while let Some(first) = text.first() {
            if self.term.grid().cursor.input_needs_wrap {
                self.input(char::from(*first));
                text = &text[1..];
                continue;
            }
            let ink = self.ink();
            let grid = self.term.grid_mut();
            let (line, column) = (grid.cursor.point.line, grid.cursor.point.column.0);
            let row = line.0 as usize;
            let (part, rest) = text.split_at(text.len().min(columns - column));
            let cells = &mut grid[line][Column(column)..Column(column + part.len())];
            if ink.looks_like_nothing && self.rows.is_plain(row) {
                // All that these cells do not have yet is their characters.
                for (cell, byte) in cells.iter_mut().zip(part) {
                    cell.c = char::from(*byte);
                }
                self.advance_cursor(column + part.len());
                self.rows.touch_plainly(row, column + part.len(), self.generation);
                text = rest;
                continue;
            }
            let met = cells.iter().fold(Flags::empty(), |met, cell| met | cell.flags);
            if met.intersects(WIDE) {
                // Writing over half a wide character changes its neighbours.
                part.iter().for_each(|byte| self.input(char::from(*byte)));
                text = rest;
                continue;
            }
            for (cell, byte) in cells.iter_mut().zip(part) {
                ink.print(cell, char::from(*byte), Flags::empty());
            }
            self.advance_cursor(column + part.len());
            self.rows.touch(row, column + part.len(), self.generation);
            text = rest;
        }
    }

    /// Prints text in UTF-8 up to the first byte that is no part of a printable character, or to where a long run of
    /// ASCII goes on; returns how many bytes it printed, and the last character.
    pub(crate) fn print_text(&mut self, text: &[u8]) -> (usize, Option<char>) {
        let columns = self.size.columns();
        let (mut at, mut last, mut ascii) = (0, None, 0);
        while ascii < SHORT_RUN
            && let Some((first, length)) = first_character(&text[at..])
        {
            let cursor = &self.term.grid().cursor;
            let (line, column) = (cursor.point.line, cursor.point.column.0);
            let is_simple = self.plain && !cursor.input_needs_wrap && columns - column > 1;
            let first_cells = &self.term.grid()[line][Column(column)..];
            if !is_simple || !fits(first_cells, width(first)) {
                self.input(first);
                (at, last) = (at + length, Some(first));
                ascii = if length == 1 { ascii + 1 } else { 0 };
                continue;
            }
            let ink = self.ink();
            // No character takes more cells than it has bytes.
            let end = columns.min(column + text.len() - at);
            let cells = &mut self.term.grid_mut()[line][Column(column)..Column(end)];
            let mut written = 0;
            while ascii < SHORT_RUN
                && let Some((character, length)) = first_character(&text[at..])
            {
                let width = width(character);
                if !fits(&cells[written..], width) {
                    break;
                }
                let shape = if width == 2 {
                    Flags::WIDE_CHAR
                } else {
                    Flags::empty()
                };
                ink.print(&mut cells[written], character, shape);
                if width == 2 {
                    ink.print(&mut cells[written + 1], ' ', Flags::WIDE_CHAR_SPACER);
                }
                written += width;
                (at, last) = (at + length, Some(character));
                ascii = if length == 1 { ascii + 1 } else { 0 };
            }
            self.advance_cursor(column + written);
            self.rows
                .touch(line.0 as usize, column + written, self.generation);
        }
        (at, last)
    }

    #[inline]
    fn ink(&self) -> Ink {
        let template = &self.term.grid().cursor.template;
        Ink {
            foreground: template.fg,
            background: template.bg,
            flags: template.flags,
            looks_like_nothing: template.fg == DEFAULT_FOREGROUND
                && template.bg == DEFAULT_BACKGROUND
                && template.flags.is_empty(),
        }
    }

    /// Puts the cursor behind what was printed up to before `column` of its row.
    #[inline]
    fn advance_cursor(&mut self, column: usize) {
        let columns = self.size.columns();
        let cursor = &mut self.term.grid_mut().cursor;
        cursor.point.column = Column(column.min(columns - 1));
        cursor.input_needs_wrap = column == columns;
    }
}

/// Returns whether a character of this width can be printed into the first of `cells` with no effect on others.
#[inline]
fn fits(cells: &[Cell], width: usize) -> bool {
    match width {
        1 => cells.first().is_some_and(|cell| !cell.flags.intersects(WIDE)),
        2 => cells
            .get(..2)
            .is_some_and(|cells| !(cells[0].flags | cells[1].flags).intersects(WIDE)),
        _ => false,
    }
}

/// Returns the first character and how many bytes it has, when it is there whole and printable.
#[inline]
fn first_character(bytes: &[u8]) -> Option<(char, usize)> {
    let first = *bytes.first()?;
    let next = |at: usize| {
        let byte = *bytes.get(at)?;
        (byte & 0xc0 == 0x80).then_some(u32::from(byte & 0x3f))
    };
    let lead = u32::from(first);
    let (code, length, least) = match first {
        0x20..=0x7e => return Some((char::from(first), 1)),
        // C1 control characters come before U+00A0.
        0xc2..=0xdf => ((lead & 0x1f) << 6 | next(1)?, 2, 0xa0),
        0xe0..=0xef => ((lead & 0x0f) << 12 | next(1)? << 6 | next(2)?, 3, 0x800),
        0xf0..=0xf4 => {
            let code = (lead & 0x07) << 18 | next(1)? << 12 | next(2)? << 6 | next(3)?;
            (code, 4, 0x1_0000)
        }
        _ => return None,
    };
    char::from_u32(code)
        .filter(|_| code >= least)
        .map(|character| (character, length))
}

/// Returns how many cells a printable character takes; 0 for marks. The ranges named here need no look into the tables.
#[inline]
fn width(character: char) -> usize {
    match character {
        ' '..='~' | '\u{ae}'..='\u{2ff}' | '\u{2500}'..='\u{25fc}' => 1,
        '\u{3041}'..='\u{3096}'
        | '\u{30a0}'..='\u{30ff}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' => 2,
        _ => character.width().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_tables() {
        for character in ' '..=char::MAX {
            if !character.is_control() {
                assert_eq!(width(character), character.width().unwrap_or(0), "{character:?}");
            }
        }
    }

    #[test]
    fn characters_are_those_of_the_standard_library() {
        let mut bytes = [0; 4];
        for character in '\0'..=char::MAX {
            let length = character.encode_utf8(&mut bytes).len();
            let expected = (!character.is_control()).then_some((character, length));
            assert_eq!(first_character(&bytes[..length]), expected, "{character:?}");
            assert_eq!(
                first_character(&bytes[..length - 1]),
                None,
                "a part of {character:?}"
            );
        }
        for first in 0x80..=0xff {
            for second in 0..=0xff {
                for third in [0, 0x7f, 0x80, 0xbf, 0xc0] {
                    let bytes = [first, second, third, 0x80];
                    let valid = bytes
                        .utf8_chunks()
                        .next()
                        .and_then(|chunk| chunk.valid().chars().next());
                    let found = first_character(&bytes).map(|(character, _)| character);
                    assert_eq!(
                        found,
                        valid.filter(|character| !character.is_control()),
                        "{bytes:x?}"
                    );
                }
            }
        }
    }
}
