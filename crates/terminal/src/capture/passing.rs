//! Lines that leave the screen and go nowhere, for whoever must see every line: those that scroll within a region or on
//! the alternate screen, and those that are deleted or erased.

use std::ops::Range;

use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};

use super::Capture;
use crate::history::{RowBuffer, RowFacts};

/// A line that is longer is given in parts: one that never ends would grow without limit.
const LINE_BYTES: usize = 256 << 10;

/// What is remembered of such lines while somebody watches.
#[derive(Debug, Default)]
pub(crate) struct Passing {
    /// The complete ones, a line feed behind each.
    text: String,
    /// When each of them was last written.
    stamps: Vec<u64>,
    /// The rows of a line that goes on in the row that is now at the top of its region, which begins at `from`.
    begun: String,
    stamp: u64,
    from: usize,
    /// Room for one row.
    row: RowBuffer,
    runs: Vec<u8>,
}

impl Passing {
    /// Calls `each` with the text and the last change of every line that became complete.
    pub(crate) fn give(&mut self, each: &mut dyn FnMut(&str, u64)) {
        for (line, stamp) in self.text.lines().zip(&self.stamps) {
            each(line, *stamp);
        }
        self.text.clear();
        self.stamps.clear();
    }

    /// Ends the line that was begun, since what comes next does not belong to it.
    pub(crate) fn cut(&mut self) {
        if !self.begun.is_empty() {
            self.text.push_str(&self.begun);
            self.text.push('\n');
            self.stamps.push(self.stamp);
            self.begun.clear();
        }
        self.stamp = 0;
    }

    fn add(&mut self, cells: &[Cell], facts: RowFacts) {
        if facts.used == 0 {
            return self.cut();
        }
        self.row.clear();
        self.row.push(cells, facts, &mut self.runs);
        self.begun.push_str(self.row.text().trim_end_matches('\n'));
        self.stamp = self.stamp.max(facts.stamp);
        if !self.row.is_open() || self.begun.len() > LINE_BYTES {
            self.cut();
        }
    }
}

impl Capture {
    /// Notes that rows scroll off the top of what begins at row `from`, if they do not go to the history. A line may go
    /// on in rows that follow later.
    #[inline]
    pub(super) fn pass_scrolled(&mut self, from: usize, count: usize) {
        if let Some(mut passing) = self.passing.take() {
            if passing.from != from {
                passing.cut();
                passing.from = from;
            }
            self.add_rows(&mut passing, from..from + count);
            self.passing = Some(passing);
        }
    }

    /// Notes that rows are deleted, erased or scrolled off the bottom. Their lines are given as they stand there.
    #[inline]
    pub(super) fn pass_erased(&mut self, rows: Range<usize>) {
        if let Some(mut passing) = self.passing.take() {
            let goes_on = |row: usize| {
                let last = Column(self.size.columns() - 1);
                self.term.grid()[Line(row as i32)][last]
                    .flags
                    .contains(Flags::WRAPLINE)
            };
            let (mut start, mut end) = (rows.start, rows.end);
            if start < end {
                while start > 0 && goes_on(start - 1) {
                    start -= 1;
                }
                while end < self.size.rows() && goes_on(end - 1) {
                    end += 1;
                }
            }
            // The end of a line that began in the history would be taken for a whole one.
            if start == 0 && !self.is_alternate() && self.history.is_open() {
                while start < end && goes_on(start) {
                    start += 1;
                }
                start = (start + 1).min(end);
            }
            // What stands at the top of the region may end the line whose beginning has scrolled off.
            if start != passing.from {
                passing.cut();
            }
            self.add_rows(&mut passing, start..end);
            passing.cut();
            self.passing = Some(passing);
        }
    }

    fn add_rows(&self, passing: &mut Passing, rows: Range<usize>) {
        for row in rows {
            let cells = &self.term.grid()[Line(row as i32)][Column(0)..Column(self.size.columns())];
            passing.add(cells, self.facts(row));
        }
    }
}
