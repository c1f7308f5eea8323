//! The bytes that bring a fresh terminal of the same size to where this screen is, so that it can go on with the live
//! stream: history, both screens, cursors, modes, title, colours, tab stops, and the sequence that is not complete yet.
//!
//! What cannot be said in a stream is left out: the character that REP would repeat, a wrap flag on the last row, a
//! cursor outside its region in origin mode, halves of wide characters (drawn as blanks).

mod pen;

use std::borrow::Cow;
use std::io::Write as _;

use alacritty_terminal::grid::Cursor;
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, Flags};
use vte::ansi::{CharsetIndex, CursorShape, CursorStyle, KeyboardModes, NamedColor, StandardCharset};

use super::Screen;
use super::freeze::grid_rows;
use crate::history::{Color, RowBuffer, RowView};
use pen::Pen;

/// What of the history comes with a snapshot.
#[derive(Clone, Copy)]
enum HistoryPart {
    All,
    Nothing,
}

/// The bytes of a snapshot, and where they may be cut.
struct Rendered {
    bytes: Vec<u8>,
    history_begin: usize,
    /// Where the lines of the history begin, and the first one in view.
    line_begins: Vec<usize>,
}

impl Screen {
    /// Returns the bytes that bring a fresh terminal of this size to where this screen is.
    pub fn snapshot(&self) -> Vec<u8> {
        self.snapshot_within(usize::MAX)
    }

    /// Returns the same within `most_bytes`, for who must send it on: of the history come the newest lines for which
    /// there is room. What is in view comes whole, also when that alone is more.
    ///
    /// The bytes are a stream: they may be cut into pieces anywhere.
    pub fn snapshot_within(&self, most_bytes: usize) -> Vec<u8> {
        let Rendered {
            mut bytes,
            history_begin,
            line_begins,
        } = self.render(HistoryPart::All);
        let Some(excess) = bytes.len().checked_sub(most_bytes).filter(|excess| *excess > 0) else {
            return bytes;
        };
        match line_begins.iter().find(|begin| **begin >= history_begin + excess) {
            Some(begin) => {
                bytes.drain(history_begin..*begin);
                bytes
            }
            // The line that goes on from the history into view has no beginning that fits, or there is nothing more to
            // leave out.
            None => self.render(HistoryPart::Nothing).bytes,
        }
    }

    fn render(&self, part: HistoryPart) -> Rendered {
        let capture = &self.capture;
        let columns = capture.size.columns();
        let mut pen = Pen::with_room(capture.history.bytes() + columns * capture.size.rows());
        self.write_colors(&mut pen);
        self.write_titles(&mut pen);
        let history_begin = pen.out.len();
        let mut rows = RowWriter::new(columns);
        match part {
            HistoryPart::All => capture.history.for_each_row(|row| rows.write(row, &mut pen)),
            HistoryPart::Nothing => {}
        }
        // The first line in view begins behind the history, unless one of the history goes on there.
        let cuts = rows.line_begins.len() + usize::from(rows.before == Before::Ended);
        let (primary, primary_cursor, primary_saved) = self.primary();
        primary.views().for_each(|row| rows.write(&row, &mut pen));
        let mut line_begins = rows.line_begins;
        line_begins.truncate(cuts);
        pen.reset();
        if capture.is_alternate() {
            push_keyboard(capture.keyboard.other(), &mut pen);
            write_cursor(primary_cursor, &primary, &mut pen);
            pen.text("\x1b[?1049h");
            pen.reset();
            // The alternate screen is cleared with the background there was.
            pen.text("\x1b[2J\x1b[H");
            let view = self.view_rows();
            let mut rows = RowWriter::new(columns);
            view.views().for_each(|row| rows.write(&row, &mut pen));
            let (cursor, saved) = self.view_cursors();
            self.write_state(&view, cursor, saved, &mut pen);
        } else {
            let other = capture.keyboard.other();
            if !other.is_empty() || capture.alternate_saved != Cursor::default() {
                pen.text("\x1b[?1049h");
                push_keyboard(other, &mut pen);
                write_cursor(&capture.alternate_saved, &RowBuffer::default(), &mut pen);
                pen.text("\x1b7\x1b[?1049l");
            }
            self.write_state(&primary, primary_cursor, primary_saved, &mut pen);
        }
        self.scanner.write_unfinished(&mut pen.out);
        Rendered {
            bytes: pen.out,
            history_begin,
            line_begins,
        }
    }

    /// Returns the rows and cursors of the primary screen.
    fn primary(&self) -> (Cow<'_, RowBuffer>, &Cursor<Cell>, &Cursor<Cell>) {
        if let Some(frozen) = &self.frozen {
            let grid = frozen.primary.as_ref().unwrap_or(&frozen.view);
            return (Cow::Borrowed(&grid.rows), &grid.cursor, &grid.saved_cursor);
        }
        let grid = self.capture.primary.as_ref().unwrap_or(self.capture.term.grid());
        (
            Cow::Owned(grid_rows(grid, |_| 0)),
            &grid.cursor,
            &grid.saved_cursor,
        )
    }

    /// Returns the cursor in view and the saved one.
    fn view_cursors(&self) -> (&Cursor<Cell>, &Cursor<Cell>) {
        match &self.frozen {
            Some(frozen) => (&frozen.view.cursor, &frozen.view.saved_cursor),
            None => (
                &self.capture.term.grid().cursor,
                &self.capture.term.grid().saved_cursor,
            ),
        }
    }

    /// Writes all that is not on the screen. The order matters: what moves the cursor comes before it is placed, and
    /// what changes how characters are printed comes after the last one.
    fn write_state(&self, rows: &RowBuffer, cursor: &Cursor<Cell>, saved: &Cursor<Cell>, pen: &mut Pen) {
        let capture = &self.capture;
        if *saved != Cursor::default() {
            write_cursor(saved, rows, pen);
            pen.text("\x1b7");
        }
        self.write_tabs(pen);
        let mode = *capture.term.mode();
        let mut origin = 0;
        if (capture.top, capture.bottom) != (0, capture.size.rows()) {
            let _ = write!(pen.out, "\x1b[{};{}r", capture.top + 1, capture.bottom);
        }
        if mode.contains(TermMode::ORIGIN) {
            pen.text("\x1b[?6h");
            origin = capture.top;
        }
        let mut placed = cursor.clone();
        placed.point.line -= origin.min(cursor.point.line.0 as usize) as i32;
        write_placed_cursor(&placed, cursor, rows, pen);
        pen.text(if capture.active_charset == CharsetIndex::G1 {
            "\x0e"
        } else {
            ""
        });
        self.write_modes(mode, pen);
        push_keyboard(capture.keyboard.active(), pen);
        let in_force = capture.keyboard_in_force();
        if in_force != capture.keyboard.top() {
            let _ = write!(pen.out, "\x1b[={};1u", in_force.bits());
        }
        if capture.modify_other_keys != 0 {
            let _ = write!(pen.out, "\x1b[>4;{}m", capture.modify_other_keys);
        }
        let CursorStyle { shape, blinking } = capture.term.cursor_style();
        if (CursorStyle { shape, blinking }) != CursorStyle::default() {
            let number = match shape {
                CursorShape::Underline => 4,
                CursorShape::Beam => 6,
                CursorShape::Block | CursorShape::HollowBlock | CursorShape::Hidden => 2,
            };
            let _ = write!(pen.out, "\x1b[{} q", number - i32::from(blinking));
        }
        if capture.held_since.is_some() {
            pen.text("\x1b[?2026h");
        }
    }

    fn write_modes(&self, mode: TermMode, pen: &mut Pen) {
        for (flag, on, off) in [
            (TermMode::INSERT, "\x1b[4h", ""),
            (TermMode::LINE_FEED_NEW_LINE, "\x1b[20h", ""),
            (TermMode::APP_CURSOR, "\x1b[?1h", ""),
            (TermMode::LINE_WRAP, "", "\x1b[?7l"),
            (TermMode::SHOW_CURSOR, "", "\x1b[?25l"),
            (TermMode::MOUSE_REPORT_CLICK, "\x1b[?1000h", ""),
            (TermMode::MOUSE_DRAG, "\x1b[?1002h", ""),
            (TermMode::MOUSE_MOTION, "\x1b[?1003h", ""),
            (TermMode::FOCUS_IN_OUT, "\x1b[?1004h", ""),
            (TermMode::UTF8_MOUSE, "\x1b[?1005h", ""),
            (TermMode::SGR_MOUSE, "\x1b[?1006h", ""),
            (TermMode::ALTERNATE_SCROLL, "", "\x1b[?1007l"),
            (TermMode::URGENCY_HINTS, "", "\x1b[?1042l"),
            (TermMode::BRACKETED_PASTE, "\x1b[?2004h", ""),
            (TermMode::APP_KEYPAD, "\x1b=", ""),
        ] {
            pen.text(if mode.contains(flag) { on } else { off });
        }
    }

    fn write_tabs(&self, pen: &mut Pen) {
        if self.capture.tabs.is_default() {
            return;
        }
        pen.text("\x1b[3g");
        for column in self.capture.tabs.stops() {
            let _ = write!(pen.out, "\x1b[{}G\x1bH", column + 1);
        }
    }

    fn write_titles(&self, pen: &mut Pen) {
        let titles = &self.capture.titles;
        let set = |title: Option<&str>, pen: &mut Pen| {
            if let Some(title) = title {
                let _ = write!(pen.out, "\x1b]2;{title}\x1b\\");
            }
        };
        for title in titles.stack() {
            set(title.as_deref(), pen);
            pen.text("\x1b[22t");
        }
        set(titles.current(), pen);
    }

    fn write_colors(&self, pen: &mut Pen) {
        let colors = self.capture.term.colors();
        let rgb = |index: usize| colors[index].map(|rgb| format!("#{:02x}{:02x}{:02x}", rgb.r, rgb.g, rgb.b));
        for index in 0..256 {
            if let Some(color) = rgb(index) {
                let _ = write!(pen.out, "\x1b]4;{index};{color}\x1b\\");
            }
        }
        for (number, name) in [
            (10, NamedColor::Foreground),
            (11, NamedColor::Background),
            (12, NamedColor::Cursor),
        ] {
            if let Some(color) = rgb(name as usize) {
                let _ = write!(pen.out, "\x1b]{number};{color}\x1b\\");
            }
        }
    }
}

fn push_keyboard(stack: &[KeyboardModes], pen: &mut Pen) {
    for modes in stack {
        let _ = write!(pen.out, "\x1b[>{}u", modes.bits());
    }
}

/// Places the cursor with all it carries.
fn write_cursor(cursor: &Cursor<Cell>, rows: &RowBuffer, pen: &mut Pen) {
    write_placed_cursor(cursor, cursor, rows, pen);
}

/// Places the cursor where `placed` says, which differs from where `cursor` is when rows count from the region.
fn write_placed_cursor(placed: &Cursor<Cell>, cursor: &Cursor<Cell>, rows: &RowBuffer, pen: &mut Pen) {
    let (row, column) = (placed.point.line.0 + 1, placed.point.column.0 + 1);
    let _ = write!(pen.out, "\x1b[{row};{column}H");
    if cursor.input_needs_wrap {
        // Only printing makes a cursor wait to wrap: print what stands there once more.
        pen.charsets([StandardCharset::Ascii; 4]);
        match rows.views().nth(cursor.point.line.0 as usize) {
            Some(view) => reprint(&view, column - 1, pen),
            None => pen.text(" "),
        }
    }
    pen.charsets(
        [
            CharsetIndex::G0,
            CharsetIndex::G1,
            CharsetIndex::G2,
            CharsetIndex::G3,
        ]
        .map(|index| cursor.charsets[index]),
    );
    pen.template(&cursor.template);
}

/// Prints the cell of a column once more, from its first half when it is the second of a wide character.
fn reprint(view: &RowView<'_>, column: usize, pen: &mut Pen) {
    let (mut at, mut printed) = (0, false);
    view.for_each_piece(|piece| {
        let wide = piece.shape == Flags::WIDE_CHAR;
        if wide && at + 1 == column {
            pen.text("\x1b[D");
        }
        if at == column && !piece.shape.contains(Flags::WIDE_CHAR_SPACER) || wide && at + 1 == column {
            pen.look(piece.look, view.links);
            pen.text(if piece.text.is_empty() { " " } else { piece.text });
            printed = true;
        }
        at += 1;
    });
    if !printed {
        pen.reset();
        pen.text(" ");
    }
}

/// Writes rows one after the other, from the top left of a screen.
struct RowWriter {
    columns: usize,
    before: Before,
    /// Where in the bytes a line begins. The look there is the default one.
    line_begins: Vec<usize>,
}

/// What the row before left.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// There is none.
    Nothing,
    Ended,
    /// It goes on and fills the width: the next character wraps.
    Full,
    /// It goes on in a wide character that did not fit.
    LeadsToWide,
}

impl RowWriter {
    fn new(columns: usize) -> Self {
        Self {
            columns,
            before: Before::Nothing,
            line_begins: Vec::new(),
        }
    }

    fn write(&mut self, row: &RowView<'_>, pen: &mut Pen) {
        let mut first = None;
        row.for_each_run(|_, look| {
            first.get_or_insert(look.style.background);
        });
        match self.before {
            Before::Nothing => {}
            Before::Ended => {
                pen.reset();
                pen.text("\r\n");
                self.line_begins.push(pen.out.len());
            }
            Before::Full => {
                // A row that comes up takes the background there is. Also, a row with nothing on it still is the one
                // that the row before goes on in.
                if first != Some(Color::Default) {
                    pen.reset();
                    pen.text(" \r");
                }
            }
            Before::LeadsToWide => {
                if first.is_none() {
                    pen.reset();
                    pen.text("  \r");
                }
            }
        }
        let mut cells = 0;
        if row.is_shaped() {
            cells = write_shaped(row, pen);
        } else {
            row.for_each_run(|text, look| {
                pen.look(look, row.links);
                pen.text(text);
            });
            if row.wraps {
                row.for_each_piece(|_| cells += 1);
            }
        }
        self.before = match row.wraps {
            false => Before::Ended,
            true if cells + 1 == self.columns => Before::LeadsToWide,
            true => Before::Full,
        };
    }
}

/// Writes a row with broken wide characters cell by cell, halves as blanks; returns how many cells it was.
fn write_shaped(row: &RowView<'_>, pen: &mut Pen) -> usize {
    let mut pieces = Vec::new();
    row.for_each_piece(|piece| pieces.push((piece.text, piece.shape, piece.look)));
    let wide = |at: usize| {
        pieces
            .get(at)
            .is_some_and(|(_, shape, _)| shape.contains(Flags::WIDE_CHAR))
    };
    let spacer = |at: usize| {
        pieces
            .get(at)
            .is_some_and(|(_, shape, _)| shape.contains(Flags::WIDE_CHAR_SPACER))
    };
    let mut at = 0;
    while let Some((text, _, look)) = pieces.get(at) {
        pen.look(*look, row.links);
        if wide(at) && spacer(at + 1) {
            pen.text(text);
            at += 2;
        } else {
            pen.text(if wide(at) || text.is_empty() { " " } else { text });
            at += 1;
        }
    }
    pieces.len()
}
