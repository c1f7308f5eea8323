//! What is known of each row of a screen: how far it is used, and when it was last written.

use std::ops::Range;

use crate::size::Size;

/// Facts about the rows of one screen.
///
/// `used` is an upper bound: from that column on every cell is a default blank, which spares reading them. When an
/// operation is not understood well enough, the bound is the width of the screen.
///
/// A row is `plain` when for sure its cells hold nothing but ASCII that looks like nothing, with blanks between: then
/// its text can be taken without a look at anything else.
#[derive(Clone, Debug)]
pub(crate) struct RowTracker {
    used: Vec<u16>,
    stamps: Vec<u64>,
    plain: Vec<bool>,
    columns: u16,
    inserting: bool,
}

impl RowTracker {
    /// Returns a tracker for a blank screen.
    pub(crate) fn new(size: Size) -> Self {
        let (columns, rows) = (size.columns() as u16, size.rows());
        Self {
            used: vec![0; rows],
            stamps: vec![0; rows],
            plain: vec![true; rows],
            columns,
            inserting: false,
        }
    }

    #[inline]
    pub(crate) fn used(&self, row: usize) -> usize {
        usize::from(self.used[row])
    }

    /// Returns the generation in which the row was last written; 0 when it never was.
    #[inline]
    pub(crate) fn stamp(&self, row: usize) -> u64 {
        self.stamps[row]
    }

    #[inline]
    pub(crate) fn is_plain(&self, row: usize) -> bool {
        self.plain[row]
    }

    /// Takes over stamps from before a resize; rows that get none were never written.
    pub(crate) fn set_stamps(&mut self, stamps: impl Iterator<Item = u64>) {
        self.stamps
            .iter_mut()
            .zip(stamps)
            .for_each(|(stamp, known)| *stamp = known);
    }

    /// In insert mode a written cell pushes others to the right, so nothing is known of how far a row is used.
    pub(crate) fn set_inserting(&mut self, inserting: bool) {
        if inserting && !self.inserting {
            self.forget_used();
        }
        self.inserting = inserting;
    }

    /// Notes that cells of `row` were written, the last of them before column `used`; 0 when some became default blanks.
    #[inline]
    pub(crate) fn touch(&mut self, row: usize, used: usize, generation: u64) {
        self.plain[row] &= used == 0 && !self.inserting;
        self.touch_plainly(row, used, generation);
    }

    /// Notes that ASCII without a look was written to `row`, the last of it before column `used`.
    #[inline]
    pub(crate) fn touch_plainly(&mut self, row: usize, used: usize, generation: u64) {
        let used = if self.inserting { self.columns } else { used as u16 };
        self.used[row] = self.used[row].max(used);
        self.stamps[row] = generation;
    }

    /// Notes that `rows` were erased as a whole.
    pub(crate) fn erase(&mut self, rows: Range<usize>, used: usize, generation: u64) {
        self.used[rows.clone()].fill(used as u16);
        self.plain[rows.clone()].fill(used == 0);
        self.stamps[rows].fill(generation);
    }

    /// Notes that nothing is known of the cells any more, and that they changed.
    pub(crate) fn touch_all(&mut self, generation: u64) {
        self.forget_used();
        self.stamps.fill(generation);
    }

    /// Notes that nothing is known of how far the rows are used, and with what.
    pub(crate) fn forget_used(&mut self) {
        self.used.fill(self.columns);
        self.plain.fill(false);
    }

    /// Moves what is known up by `count` rows within `rows`; what comes in below was erased.
    #[inline]
    pub(crate) fn scroll_up(&mut self, rows: Range<usize>, count: usize, used: usize, generation: u64) {
        let count = count.min(rows.len());
        self.used.copy_within(rows.start + count..rows.end, rows.start);
        self.stamps.copy_within(rows.start + count..rows.end, rows.start);
        self.plain.copy_within(rows.start + count..rows.end, rows.start);
        self.erase(rows.end - count..rows.end, used, generation);
    }

    /// Moves what is known down by `count` rows within `rows`; what comes in above was erased.
    pub(crate) fn scroll_down(&mut self, rows: Range<usize>, count: usize, used: usize, generation: u64) {
        let count = count.min(rows.len());
        self.used
            .copy_within(rows.start..rows.end - count, rows.start + count);
        self.stamps
            .copy_within(rows.start..rows.end - count, rows.start + count);
        self.plain
            .copy_within(rows.start..rows.end - count, rows.start + count);
        self.erase(rows.start..rows.start + count, used, generation);
    }
}
