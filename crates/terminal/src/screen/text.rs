//! The text of a pane as lines: the newest ones, any range, what came after a mark, what is in view.
//!
//! While the alternate screen is in view, the text is what it shows; otherwise it is the history and the primary
//! screen. Rows are joined where they wrap. Blanks at the end of lines and blank lines at the end are not part of it.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

use super::Screen;
use super::freeze::grid_rows;
use crate::history::{LineNumber, RowBuffer, RowView};

/// A moment of a pane, to ask later what came after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// The output generation of that moment.
    pub generation: u64,
    /// The line that the cursor was in: a line feed leaves nothing in a row, so blank lines from here on that other new
    /// lines follow came after the mark. Without it the first of these are left out.
    pub line: Option<LineNumber>,
}

/// Lines of a pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextWindow {
    /// The lines with line feeds between them.
    pub text: String,
    /// The number of the first of them.
    pub first_line: LineNumber,
    /// How many they are.
    pub lines: usize,
    /// How many the pane has.
    pub total_lines: usize,
    /// The window touches the oldest line there is.
    pub reaches_oldest: bool,
}

/// What came after a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AfterMark {
    /// The lines that were written to after the mark, with line feeds between them.
    pub text: String,
    /// The number of each of them.
    pub lines: Vec<LineNumber>,
    pub missing: Missing,
}

/// Whether all that came after a mark is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Nothing,
    /// Older lines were dropped from the history, or by the program itself.
    Older,
}

/// A line that is in view, wholly or in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleLine {
    pub line: LineNumber,
    pub text: String,
    /// The generation in which it was last written; it came after a mark when this is greater than the mark's.
    pub generation: u64,
}

/// Why lines cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("offset {offset} is past the end: there are {total_lines} lines")]
    OffsetPastEnd { offset: usize, total_lines: usize },
}

/// The numbers of a pane's lines: the first, and the one behind the last.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    pub(super) first: LineNumber,
    pub(super) end: LineNumber,
}

impl Extent {
    fn lines(self) -> usize {
        (self.end.0 - self.first.0) as usize
    }
}

impl Screen {
    /// Returns a mark for now.
    pub fn mark(&self) -> Mark {
        Mark {
            generation: self.generation(),
            line: (!self.capture.is_alternate()).then(|| self.cursor_line()),
        }
    }

    fn cursor_line(&self) -> LineNumber {
        let Some(frozen) = &self.frozen else {
            return self.capture.cursor_line();
        };
        let above = frozen
            .view
            .rows
            .views()
            .take(frozen.view.cursor.point.line.0 as usize);
        let ended = above.filter(|row| !row.wraps).count();
        LineNumber(self.capture.history.next_line().0 + ended as u64)
    }

    /// Returns the newest `count` lines before the newest `offset`.
    ///
    /// # Errors
    ///
    /// When `offset` is not less than the number of lines there are, unless it is 0.
    pub fn read(&self, count: usize, offset: usize) -> Result<TextWindow, ReadError> {
        let view = self.view_rows();
        let extent = self.extent(&view);
        let total_lines = extent.lines();
        if offset > 0 && offset >= total_lines {
            return Err(ReadError::OffsetPastEnd { offset, total_lines });
        }
        let end = LineNumber(extent.end.0 - offset as u64);
        let first = LineNumber(end.0.saturating_sub(count as u64).max(extent.first.0));
        Ok(self.window(&view, extent, first, end))
    }

    /// Returns the lines from number `first` to before number `end`, as far as they are still there.
    pub fn read_range(&self, first: LineNumber, end: LineNumber) -> TextWindow {
        let view = self.view_rows();
        let extent = self.extent(&view);
        let end = end.clamp(extent.first, extent.end);
        self.window(&view, extent, first.clamp(extent.first, end), end)
    }

    /// Returns the lines that were written to after `mark`.
    ///
    /// On a screen where rows moved (regions, inserted lines) some that only moved may be among them.
    pub fn read_after(&self, mark: Mark) -> AfterMark {
        let view = self.view_rows();
        let end = self.extent(&view).end;
        let mut after = AfterMark {
            text: String::new(),
            lines: Vec::new(),
            missing: Missing::Nothing,
        };
        let mut line = OpenLine::default();
        if !self.capture.is_alternate() {
            let history = &self.capture.history;
            if history.dropped_stamp() > mark.generation {
                after.missing = Missing::Older;
            }
            history.for_each_row_since(mark, |number, row| line.add(number, row, mark, &mut after));
        }
        let mut number = self.capture.history.next_line();
        for row in view.views() {
            line.add(number, &row, mark, &mut after);
            number.0 += u64::from(!row.wraps);
        }
        line.finish(mark, &mut after);
        // Blank lines at the end are not part of the text.
        while after.lines.last().is_some_and(|last| *last >= end) {
            after.lines.pop();
            let kept = after.text.rfind('\n').unwrap_or(0);
            after.text.truncate(kept);
        }
        after
    }

    /// Returns the lines in view, blank ones at the end left out. A line that began above the view comes whole.
    pub fn visible_lines(&self) -> Vec<VisibleLine> {
        let view = self.view_rows();
        let mut text = String::new();
        if !self.capture.is_alternate() {
            self.capture
                .history
                .write_text_from(self.capture.history.next_line(), &mut text);
        }
        let mut lines = Vec::new();
        let mut line = self.capture.history.next_line();
        let mut generation = 0;
        for row in view.views() {
            text.push_str(row.text);
            generation = row.stamp.max(generation);
            if !row.wraps {
                lines.push(VisibleLine {
                    line,
                    text: std::mem::take(&mut text),
                    generation,
                });
                line.0 += 1;
                generation = 0;
            }
        }
        if !text.is_empty() {
            lines.push(VisibleLine {
                line,
                text,
                generation,
            });
        }
        while lines.last().is_some_and(|line| line.text.is_empty()) {
            lines.pop();
        }
        lines
    }

    /// Returns the line that the cursor stands behind, with the blanks before the cursor that are not part of its text:
    /// whoever waits for a prompt looks for these, too. None when there are none.
    pub fn line_up_to_cursor(&self) -> Option<VisibleLine> {
        let (cursor, view) = (self.cursor(), self.view_rows());
        let history = &self.capture.history;
        let (mut text, mut line, mut generation) = (String::new(), history.next_line(), 0);
        if !self.capture.is_alternate() {
            history.write_text_from(line, &mut text);
        }
        for (index, row) in view.views().enumerate().take(cursor.row + 1) {
            text.push_str(row.text);
            generation = row.stamp.max(generation);
            if index == cursor.row {
                let width: usize = row.text.chars().filter_map(UnicodeWidthChar::width).sum();
                let blanks = cursor.column.checked_sub(width).filter(|blanks| *blanks > 0);
                let blanks = blanks.filter(|_| !row.wraps && !text.is_empty())?;
                text.extend(std::iter::repeat_n(' ', blanks));
                return Some(VisibleLine {
                    line,
                    text,
                    generation,
                });
            }
            if !row.wraps {
                text.clear();
                (line.0, generation) = (line.0 + 1, 0);
            }
        }
        None
    }

    /// Returns the rows in view.
    pub(super) fn view_rows(&self) -> Cow<'_, RowBuffer> {
        match &self.frozen {
            Some(frozen) => Cow::Borrowed(&frozen.view.rows),
            None => Cow::Owned(grid_rows(self.capture.term.grid(), |row| {
                self.capture.rows.stamp(row)
            })),
        }
    }

    /// Returns the extent of the text, given the rows in view.
    pub(super) fn extent(&self, view: &RowBuffer) -> Extent {
        let history = &self.capture.history;
        let top = history.next_line();
        let first = if self.capture.is_alternate() {
            top
        } else {
            history.first_line()
        };
        let shown = view.text().trim_end_matches('\n');
        let end = if !shown.is_empty() {
            LineNumber(top.0 + memchr::memchr_iter(b'\n', shown.as_bytes()).count() as u64 + 1)
        } else if self.capture.is_alternate() {
            top
        } else if history.is_open() {
            LineNumber(top.0 + 1)
        } else {
            LineNumber(top.0 - history.trailing_blank_lines())
        };
        Extent {
            first: first.min(end),
            end,
        }
    }

    /// Appends the text from the beginning of line `from` on.
    pub(super) fn write_text_from(&self, view: &RowBuffer, from: LineNumber, out: &mut String) {
        let top = self.capture.history.next_line();
        if !self.capture.is_alternate() {
            self.capture.history.write_text_from(from, out);
        }
        let mut shown = view.text();
        for _ in top.0..from.0 {
            shown = shown.split_once('\n').map_or("", |(_, rest)| rest);
        }
        out.push_str(shown);
    }

    fn window(&self, view: &RowBuffer, extent: Extent, first: LineNumber, end: LineNumber) -> TextWindow {
        let lines = (end.0 - first.0) as usize;
        let mut text = String::new();
        if lines > 0 {
            self.write_text_from(view, first, &mut text);
            let stop = memchr::memchr_iter(b'\n', text.as_bytes()).nth(lines - 1);
            text.truncate(stop.unwrap_or(text.len()));
        }
        let reaches_oldest = first == extent.first;
        TextWindow {
            text,
            first_line: first,
            lines,
            total_lines: extent.lines(),
            reaches_oldest,
        }
    }
}

/// A line that is being put together from its rows.
#[derive(Default)]
struct OpenLine {
    number: Option<LineNumber>,
    text: String,
    generation: u64,
    /// Blank lines behind one that came after the mark, or behind where the cursor was. A line feed leaves nothing in a row,
    /// so nothing tells when they came: they count when another line that came after the mark follows.
    blanks: Vec<LineNumber>,
}

impl OpenLine {
    /// Adds a row of line `number`; a line of another number is complete then.
    fn add(&mut self, number: LineNumber, row: &RowView<'_>, mark: Mark, after: &mut AfterMark) {
        if self.number != Some(number) {
            self.finish(mark, after);
        }
        self.number = Some(number);
        self.text.push_str(row.text);
        self.generation = self.generation.max(row.stamp);
    }

    fn finish(&mut self, mark: Mark, after: &mut AfterMark) {
        let Some(number) = self.number.take() else { return };
        if self.generation > mark.generation {
            for blank in self.blanks.drain(..) {
                if !after.lines.is_empty() {
                    after.text.push('\n');
                }
                after.lines.push(blank);
            }
            if !after.lines.is_empty() {
                after.text.push('\n');
            }
            after.text.push_str(&self.text);
            after.lines.push(number);
        } else if self.text.is_empty()
            && (!after.lines.is_empty() || mark.line.is_some_and(|line| number >= line))
        {
            self.blanks.push(number);
        } else {
            self.blanks.clear();
        }
        self.text.clear();
        self.generation = 0;
    }
}
