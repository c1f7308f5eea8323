//! The emulator with no scrollback of its own, and the handler around it that copies rows out before they are lost.
//!
//! Rows must be copied just before the operation that scrolls them off. Looking at the emulator after a batch of bytes
//! loses most of them: one `ESC[50S` or a repeated character scrolls many screens in a few bytes. The price is that
//! this module mirrors what the emulator keeps private: region, charset, tab stops, keyboard stacks.

pub(crate) mod control;
mod handler;
pub(crate) mod keyboard;
mod passing;
mod reply;
pub(crate) mod rows;
mod switch;
pub(crate) mod tabs;
mod text;
pub(crate) mod titles;

use std::time::Instant;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::{Cursor, Dimensions, Grid};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Config, Term, TermMode};
use unicode_width::UnicodeWidthChar;
use vte::ansi::{CharsetIndex, Handler, Mode, NamedMode, StandardCharset};

use crate::history::{DEFAULT_BACKGROUND, History, HistoryLimits, LineNumber, RowContent, RowFacts};
use crate::palette::Palette;
use crate::signal::Signals;
use crate::size::Size;
use keyboard::Keyboard;
use passing::Passing;
use reply::Replies;
use rows::RowTracker;
pub(crate) use switch::no_grid;
use tabs::TabStops;
use titles::Titles;

/// Marks (combining characters, joiners) that one cell keeps. Real text stays below ten; a flood would grow one cell
/// without limit.
const MARKS_PER_CELL: usize = 32;

const INSERT_MODE: Mode = Mode::Named(NamedMode::Insert);

/// The emulator and all that is mirrored around it.
pub(crate) struct Capture {
    pub(crate) term: Term<VoidListener>,
    pub(crate) history: History,
    pub(crate) size: Size,
    /// The scroll region: from `top` to before `bottom`.
    pub(crate) top: usize,
    pub(crate) bottom: usize,
    pub(crate) active_charset: CharsetIndex,
    pub(crate) tabs: TabStops,
    pub(crate) keyboard: Keyboard,
    pub(crate) titles: Titles,
    pub(crate) replies: Replies,
    pub(crate) signals: Signals,
    pub(crate) palette: Palette,
    /// The rows of the screen in view.
    pub(crate) rows: RowTracker,
    /// The rows of the primary screen while the alternate one is in view.
    pub(crate) primary_rows: RowTracker,
    /// The primary screen's grid while the alternate one is in view; the emulator holds a placeholder for it.
    pub(crate) primary: Option<Grid<Cell>>,
    /// The saved cursor of the alternate screen while the primary one is in view.
    pub(crate) alternate_saved: Cursor<Cell>,
    /// When the program asked to hold the display (mode 2026).
    pub(crate) held_since: Option<Instant>,
    /// The level of xterm's modifyOtherKeys, which the emulator ignores but a viewer may not.
    pub(crate) modify_other_keys: u8,
    /// Counts batches of output.
    pub(crate) generation: u64,
    /// The time of the batch that is being worked on.
    pub(crate) now: Option<Instant>,
    /// Lines that leave the screen and go nowhere, while somebody watches.
    pub(crate) passing: Option<Box<Passing>>,
    /// Plain characters can go straight into the cells: ASCII charset, no insert mode, nothing hangs on the cells.
    plain: bool,
    /// The next printed character is for the parser's memory only, not for the screen.
    pub(crate) muted: bool,
    /// The last character that the parser printed.
    pub(crate) last_input: Option<char>,
}

impl Capture {
    pub(crate) fn new(size: Size, limits: HistoryLimits, palette: Palette) -> Self {
        let config = Config {
            scrolling_history: 0,
            kitty_keyboard: true,
            ..Config::default()
        };
        let mut capture = Self {
            term: Term::new(config, &size, VoidListener),
            history: History::new(limits),
            size,
            top: 0,
            bottom: size.rows(),
            active_charset: CharsetIndex::default(),
            tabs: TabStops::new(size.columns()),
            keyboard: Keyboard::default(),
            titles: Titles::default(),
            replies: Replies::default(),
            signals: Signals::default(),
            palette,
            rows: RowTracker::new(size),
            primary_rows: RowTracker::new(size),
            primary: None,
            alternate_saved: Cursor::default(),
            held_since: None,
            modify_other_keys: 0,
            generation: 0,
            now: None,
            passing: None,
            plain: true,
            muted: false,
            last_input: None,
        };
        capture.drop_other_grid();
        capture
    }

    pub(crate) fn is_alternate(&self) -> bool {
        self.term.mode().contains(TermMode::ALT_SCREEN)
    }

    /// Returns whether what scrolls off the top of the region goes to the history.
    #[inline]
    fn feeds_history(&self) -> bool {
        self.top == 0 && !self.is_alternate()
    }

    /// Returns whether the cursor's next line feed scrolls the region.
    #[inline]
    fn is_at_bottom(&self) -> bool {
        self.cursor_row() + 1 == self.bottom
    }

    #[inline]
    fn cursor_row(&self) -> usize {
        self.term.grid().cursor.point.line.0 as usize
    }

    #[inline]
    fn is_at_top_left(&self) -> bool {
        let point = self.term.grid().cursor.point;
        point.line.0 == 0 && point.column.0 <= 1
    }

    /// Returns whether erased cells are default blanks.
    #[inline]
    fn erases_to_default(&self) -> bool {
        self.term.grid().cursor.template.bg == DEFAULT_BACKGROUND
    }

    /// Returns how far a row that was erased as a whole is used.
    #[inline]
    fn erased_used(&self) -> usize {
        if self.erases_to_default() {
            0
        } else {
            self.size.columns()
        }
    }

    /// Copies the topmost `count` rows to the history.
    #[inline]
    fn copy_top_rows(&mut self, count: usize) {
        for row in 0..count {
            let facts = self.facts(row);
            self.history.push(
                &self.term.grid()[Line(row as i32)][Column(0)..Column(self.size.columns())],
                facts,
            );
        }
    }

    #[inline]
    fn facts(&self, row: usize) -> RowFacts {
        RowFacts {
            used: self.rows.used(row),
            stamp: self.rows.stamp(row),
            content: if self.rows.is_plain(row) {
                RowContent::Plain
            } else {
                RowContent::Any
            },
        }
    }

    /// Does what must be done before the region scrolls up by `count` rows from row `from` on.
    #[inline]
    fn before_scroll_up(&mut self, from: usize, count: usize) {
        if from == 0 && self.feeds_history() {
            self.copy_top_rows(count);
        } else if self.passing.is_some() {
            self.pass_scrolled(from, count);
        }
        self.rows
            .scroll_up(from..self.bottom, count, self.erased_used(), self.generation);
    }

    /// Does what must be done before a character or tab that finds the cursor behind the last column.
    fn before_wrap(&mut self) {
        if !self.term.mode().contains(TermMode::LINE_WRAP) {
            return;
        }
        let row = self.cursor_row();
        self.rows.touch(row, self.size.columns(), self.generation);
        if !self.is_at_bottom() {
            return;
        }
        if self.feeds_history() {
            // The emulator marks the row as going on, then scrolls. In a region of one row it is the row that leaves.
            self.term.grid_mut().cursor_cell().flags.insert(Flags::WRAPLINE);
            self.copy_top_rows(1);
        } else if self.passing.is_some() {
            self.term.grid_mut().cursor_cell().flags.insert(Flags::WRAPLINE);
            self.pass_scrolled(self.top, 1);
        }
        self.rows
            .scroll_up(self.top..self.bottom, 1, self.erased_used(), self.generation);
    }

    /// Prints a character that may wrap: one at the last column, or behind it.
    #[cold]
    fn print_at_edge(&mut self, character: char) {
        let cursor = &self.term.grid().cursor;
        let mut goes_to_next_row = false;
        let wraps = self.term.mode().contains(TermMode::LINE_WRAP);
        match character.width() {
            None | Some(0) => {}
            Some(width) => {
                // Where it is written: here, or in the next row; when the region has no rows there is no next one.
                if !(cursor.input_needs_wrap && wraps) {
                    self.before_write_at_top_left(cursor.point.column.0, 1);
                } else if self.top == self.bottom && self.size.rows() == 1 {
                    self.before_write_at_top_left(0, width);
                }
                let cursor = &self.term.grid().cursor;
                if !cursor.input_needs_wrap && width == 2 && wraps {
                    // A wide character does not fit here. The emulator marks the column and wraps in one step; doing
                    // the first half of it before the second lets the row be copied as it will be.
                    let template = &mut self.term.grid_mut().cursor.template.flags;
                    template.insert(Flags::LEADING_WIDE_CHAR_SPACER);
                    self.term.input(' ');
                    self.term
                        .grid_mut()
                        .cursor
                        .template
                        .flags
                        .remove(Flags::LEADING_WIDE_CHAR_SPACER);
                    goes_to_next_row = true;
                }
                if self.term.grid().cursor.input_needs_wrap {
                    self.before_wrap();
                }
            }
        }
        if goes_to_next_row && self.term.mode().contains(TermMode::INSERT) {
            // A character that goes to the next row pushes nothing to the right there.
            self.term.unset_mode(INSERT_MODE);
            self.term.input(character);
            self.term.set_mode(INSERT_MODE);
        } else {
            self.term.input(character);
        }
    }

    /// Does what must be done before a character is written at the very top left.
    ///
    /// The column that a wide character left empty at the end of the row before is a blank like any other once that
    /// character is overwritten. For the topmost row, the row before is the newest one of the history.
    #[cold]
    fn before_write_at_top_left(&mut self, column: usize, width: usize) {
        let grid = self.term.grid();
        let columns = self.size.columns();
        if grid.cursor.point.line.0 != 0 || column > 1 {
            return;
        }
        let inserts = self.term.mode().contains(TermMode::INSERT) && column + width < columns;
        // Insert mode first brings the last cells here, in reverse order when it moves an odd number by two.
        let is_odd = width == 2 && (columns - column) % 2 == 1;
        let written = (0..width)
            .filter(|index| column + index < 2)
            .map(|index| match (inserts, is_odd) {
                (false, _) => column + index,
                (true, false) => columns - width + index,
                (true, true) => columns - 1 - index,
            });
        let wide = Flags::WIDE_CHAR | Flags::WIDE_CHAR_SPACER;
        let overwrites = written
            .into_iter()
            .any(|at| grid[Line(0)][Column(at)].flags.intersects(wide));
        if overwrites && !self.is_alternate() {
            self.history.fill_last_column(columns);
        }
    }

    /// Returns whether the cell that a mark would go to has enough of them.
    fn is_marked_enough(&self) -> bool {
        let cursor = &self.term.grid().cursor;
        let row = &self.term.grid()[cursor.point.line];
        let mut column = cursor.point.column.0;
        if !cursor.input_needs_wrap {
            column = column.saturating_sub(1);
        }
        if row[Column(column)].flags.contains(Flags::WIDE_CHAR_SPACER) {
            column = column.saturating_sub(1);
        }
        row[Column(column)]
            .zerowidth()
            .is_some_and(|marks| marks.len() >= MARKS_PER_CELL)
    }

    /// Works out again whether characters can go straight into the cells.
    fn refresh_plain(&mut self) {
        let inserts = self.term.mode().contains(TermMode::INSERT);
        self.rows.set_inserting(inserts);
        let cursor = &self.term.grid().cursor;
        self.plain = !inserts
            && cursor.template.extra.is_none()
            && matches!(cursor.charsets[self.active_charset], StandardCharset::Ascii);
    }

    /// Brings what is mirrored in line with a new size, after the grids have it.
    pub(crate) fn after_resize(&mut self) {
        let (columns, rows) = (self.size.columns(), self.size.rows());
        (self.top, self.bottom) = (0, rows);
        self.tabs.resize(columns);
        if let Some(passing) = &mut self.passing {
            passing.cut();
        }
        let saved = &mut self.alternate_saved.point;
        saved.line = saved.line.min(Line(rows as i32 - 1));
        saved.column = saved.column.min(Column(columns - 1));
        self.refresh_plain();
    }

    /// Returns the number of the line that the cursor is in.
    pub(crate) fn cursor_line(&self) -> LineNumber {
        let (grid, last) = (self.term.grid(), Column(self.size.columns() - 1));
        let ends = |row: &usize| !grid[Line(*row as i32)][last].flags.contains(Flags::WRAPLINE);
        LineNumber(self.history.next_line().0 + (0..self.cursor_row()).filter(ends).count() as u64)
    }

    /// Returns how many rows `ESC[2J` moves to the history: up to the last one with something on it.
    fn rows_to_clear(&self) -> usize {
        let grid = self.term.grid();
        let filled = (0..grid.screen_lines())
            .rev()
            .find(|row| !grid[Line(*row as i32)].is_clear());
        match filled {
            Some(row) => row + 1,
            // The emulator's own search for the last filled row stops one row late when there is no history yet.
            None => usize::from(self.history.rows() == 0),
        }
    }
}
