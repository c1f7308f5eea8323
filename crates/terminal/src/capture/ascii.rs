//! The short way for runs of printable ASCII: straight into the cells of the row, without a call for every character.
//!
//! It must do exactly what the emulator does for each of the characters; the differential tests hold it to that.

use alacritty_terminal::index::Column;
use alacritty_terminal::term::cell::Flags;
use vte::ansi::Handler;

use super::Capture;

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
            let grid = self.term.grid_mut();
            let (line, column) = (grid.cursor.point.line, grid.cursor.point.column.0);
            let (part, rest) = text.split_at(text.len().min(columns - column));
            let template = &grid.cursor.template;
            let (foreground, background, flags) = (template.fg, template.bg, template.flags);
            let cells = &mut grid[line][Column(column)..Column(column + part.len())];
            let met = cells.iter().fold(Flags::empty(), |met, cell| met | cell.flags);
            if met.intersects(Flags::WIDE_CHAR | Flags::WIDE_CHAR_SPACER) {
                // Writing over half a wide character changes its neighbours.
                part.iter().for_each(|byte| self.input(char::from(*byte)));
                text = rest;
                continue;
            }
            for (cell, byte) in cells.iter_mut().zip(part) {
                cell.c = char::from(*byte);
                cell.fg = foreground;
                cell.bg = background;
                cell.flags = flags;
                if cell.extra.is_some() {
                    cell.extra = None;
                }
            }
            if column + part.len() == columns {
                grid.cursor.point.column = Column(columns - 1);
                grid.cursor.input_needs_wrap = true;
            } else {
                grid.cursor.point.column = Column(column + part.len());
            }
            self.rows
                .touch(line.0 as usize, column + part.len(), self.generation);
            text = rest;
        }
    }
}
