//! What scrolled off a pane's screen: text, looks and wrap flags, compact and bounded.
//!
//! Rows are appended to an open buffer; every 256 rows it is sealed, and compressed when the next one is sealed.
//! Lines (rows joined where they wrap) are numbered from the pane's first, so a number stays valid when older lines
//! are dropped and when a resize breaks lines elsewhere.

mod block;
mod row;
mod style;
mod varint;
mod view;
mod watch;

use std::collections::VecDeque;

use alacritty_terminal::term::cell::{Cell, Flags};

use block::Block;
pub(crate) use row::{RowBuffer, RowContent, RowFacts};
pub use style::{Attributes, Color, Link, Style};
pub(crate) use style::{DEFAULT_BACKGROUND, DEFAULT_FOREGROUND, Look, NAMES};
pub(crate) use view::{LooseRow, RowView};
use watch::Watch;

use crate::screen::text::Mark;

/// The number of a line of a pane, counted from its first and never given twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineNumber(pub u64);

/// How much is kept of what scrolled off. Whole blocks are dropped, so a few hundred rows more may be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLimits {
    pub rows: usize,
    /// Bytes of memory, after compression.
    pub bytes: usize,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self {
            rows: 10_000,
            bytes: 16 << 20,
        }
    }
}

const BLOCK_ROWS: usize = 256;
/// How much larger than the limit the history may be for whoever reads all of it, which is never compressed.
const READ_FACTOR: usize = 4;
/// A block is sealed early when its text and links reach this, so that a block is never a large part of the limit.
const BLOCK_BYTES: usize = 256 << 10;

#[derive(Debug)]
pub(crate) struct History {
    blocks: VecDeque<Block>,
    open: RowBuffer,
    limits: HistoryLimits,
    rows: usize,
    /// Bytes of the sealed blocks.
    sealed_bytes: usize,
    /// Bytes of the sealed blocks when they are not compressed.
    unpacked_bytes: usize,
    lines: u64,
    dropped_lines: u64,
    dropped_stamp: u64,
    runs: Vec<u8>,
    watch: Option<Watch>,
}

impl History {
    pub(crate) fn new(limits: HistoryLimits) -> Self {
        Self {
            blocks: VecDeque::new(),
            open: RowBuffer::default(),
            limits,
            rows: 0,
            sealed_bytes: 0,
            unpacked_bytes: 0,
            lines: 0,
            dropped_lines: 0,
            dropped_stamp: 0,
            runs: Vec::new(),
            watch: None,
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of the line that the row below the newest one belongs to.
    pub(crate) fn next_line(&self) -> LineNumber {
        LineNumber(self.dropped_lines + self.lines)
    }

    /// Returns the number of the oldest line of which something is left.
    pub(crate) fn first_line(&self) -> LineNumber {
        LineNumber(self.dropped_lines)
    }

    /// Returns whether the newest row goes on below it.
    pub(crate) fn is_open(&self) -> bool {
        if self.open.rows() > 0 {
            self.open.is_open()
        } else {
            self.blocks.back().is_some_and(|block| block.open)
        }
    }

    /// Returns the generation of the newest change among what was dropped.
    pub(crate) fn dropped_stamp(&self) -> u64 {
        self.dropped_stamp
    }

    /// Returns the bytes of memory that the history holds.
    pub(crate) fn bytes(&self) -> usize {
        self.sealed_bytes + self.open.bytes() + self.runs.capacity()
    }

    #[inline]
    pub(crate) fn push(&mut self, row: &[Cell], facts: RowFacts) {
        let lines_before = self.open.lines;
        self.open.push(row, facts, &mut self.runs);
        self.rows += 1;
        self.lines += (self.open.lines - lines_before) as u64;
        if self.open.rows == BLOCK_ROWS || self.open.text.len() + self.open.link_bytes > BLOCK_BYTES {
            self.seal();
        }
    }

    #[cold]
    fn seal(&mut self) {
        self.lose_watched_place();
        if let Some(newest) = self.blocks.back_mut() {
            self.sealed_bytes -= newest.bytes();
            newest.pack();
            self.sealed_bytes += newest.bytes();
        }
        let block = Block::seal(&mut self.open);
        self.sealed_bytes += block.bytes();
        self.unpacked_bytes += block.unpacked_bytes();
        self.blocks.push_back(block);
    }

    /// Drops the oldest blocks that are not needed to keep the limits.
    ///
    /// This is apart from [`History::push`] so that whoever watches lines go by sees them before they are dropped.
    pub(crate) fn trim(&mut self) {
        while let Some(oldest) = self.blocks.front() {
            let rows_left = self.rows - oldest.rows;
            let is_small = self.sealed_bytes <= self.limits.bytes
                && self.unpacked_bytes / READ_FACTOR <= self.limits.bytes;
            if rows_left < self.limits.rows && is_small {
                break;
            }
            self.rows = rows_left;
            self.lines -= oldest.lines as u64;
            self.dropped_lines += oldest.lines as u64;
            self.dropped_stamp = self.dropped_stamp.max(oldest.newest_stamp);
            self.sealed_bytes -= oldest.bytes();
            self.unpacked_bytes -= oldest.unpacked_bytes();
            self.blocks.pop_front();
        }
    }

    /// Drops everything. The numbers of lines go on.
    pub(crate) fn clear(&mut self) {
        self.lose_watched_place();
        let newest = self
            .blocks
            .iter()
            .map(|block| block.newest_stamp)
            .max()
            .unwrap_or(0);
        self.dropped_stamp = self.dropped_stamp.max(newest).max(self.open.newest_stamp);
        self.dropped_lines += self.lines;
        (self.rows, self.lines) = (0, 0);
        (self.sealed_bytes, self.unpacked_bytes) = (0, 0);
        let (blocks, open) = (std::mem::take(&mut self.blocks), std::mem::take(&mut self.open));
        self.keep_watched(blocks, open, self.next_line());
    }

    /// Gives back the room that is only there to grow into, and compresses what is not yet.
    pub(crate) fn shrink(&mut self) {
        self.open.shrink();
        self.runs = Vec::new();
        for block in &mut self.blocks {
            block.pack();
        }
        self.sealed_bytes = self.blocks.iter().map(Block::bytes).sum();
        self.blocks.shrink_to_fit();
    }

    /// Takes the newest `count` rows out, oldest first.
    pub(crate) fn pop_newest(&mut self, count: usize) -> Vec<LooseRow> {
        self.lose_watched_place();
        let mut left = count.min(self.rows);
        let mut groups = Vec::new();
        while left > 0 {
            if self.open.rows == 0 {
                let block = self
                    .blocks
                    .pop_back()
                    .expect("`rows` counts the rows of the blocks and the open buffer");
                self.sealed_bytes -= block.bytes();
                self.unpacked_bytes -= block.unpacked_bytes();
                self.open = block.into_buffer();
            }
            let take = left.min(self.open.rows);
            let lines_before = self.open.lines;
            groups.push(self.open.split_off(self.open.rows - take));
            self.lines -= (lines_before - self.open.lines) as u64;
            self.rows -= take;
            left -= take;
        }
        groups.into_iter().rev().flatten().collect()
    }

    /// Makes the column that a wide character left empty at the end of the newest row, if there is one, a blank.
    pub(crate) fn fill_last_column(&mut self, columns: usize) {
        if !self.is_open() {
            return;
        }
        for mut row in self.pop_newest(1) {
            let spacer = Flags::LEADING_WIDE_CHAR_SPACER;
            if row.cells.len() + 1 == columns {
                row.cells.push(Cell::default());
            } else if let Some(last) = row.cells.last_mut().filter(|last| last.flags.contains(spacer)) {
                last.flags.remove(spacer);
            }
            if let Some(last) = row.cells.last_mut() {
                last.flags.insert(Flags::WRAPLINE);
            }
            self.push(
                &row.cells,
                RowFacts {
                    used: columns,
                    stamp: row.stamp,
                    content: RowContent::Any,
                },
            );
        }
    }

    /// Returns how many of the newest rows to take so that at least `wanted` come and the oldest of them begins a
    /// line, but no more than `most`.
    pub(crate) fn rows_to_take(&self, wanted: usize, most: usize) -> usize {
        let most = most.min(self.rows);
        let mut wraps: Vec<bool> = self.open.views().map(|row| row.wraps).collect();
        for block in self.blocks.iter().rev() {
            if wraps.len() > most {
                break;
            }
            let mut older: Vec<bool> = block.open().views().map(|row| row.wraps).collect();
            older.append(&mut wraps);
            wraps = older;
        }
        let mut take = wanted.min(most);
        while take < most && wraps.len() > take && wraps[wraps.len() - 1 - take] {
            take += 1;
        }
        take
    }

    /// Calls `each` with every row, oldest first.
    pub(crate) fn for_each_row(&self, mut each: impl FnMut(&RowView<'_>)) {
        for block in &self.blocks {
            block.open().views().for_each(|row| each(&row));
        }
        self.open.views().for_each(|row| each(&row));
    }

    /// Appends the text of every row from the beginning of line `from` on; what is gone is left out. The text of the
    /// newest row has no line feed behind it when the row goes on below.
    pub(crate) fn write_text_from(&self, from: LineNumber, out: &mut String) {
        let (start, first) = block_of(&self.blocks, &self.open, self.next_line(), from);
        let mut skip = from.0.saturating_sub(first);
        let mut add = |text: &str| {
            let mut text = text;
            while skip > 0 {
                match memchr::memchr(b'\n', text.as_bytes()) {
                    Some(end) => text = &text[end + 1..],
                    None => return,
                }
                skip -= 1;
            }
            out.push_str(text);
        };
        for block in self.blocks.iter().skip(start) {
            add(block.open().text());
        }
        add(self.open.text());
    }

    /// Calls `each` with the number, the text and the last change of every row that may belong to a line that came after
    /// the mark; rows of older blocks are skipped without being read.
    pub(crate) fn for_each_row_since(&self, mark: Mark, mut each: impl FnMut(LineNumber, &RowView<'_>)) {
        let mut line = self.dropped_lines;
        for block in &self.blocks {
            let is_before = |place: LineNumber| line + block.lines as u64 <= place.0;
            if block.newest_stamp <= mark.generation && mark.line.is_none_or(is_before) {
                line += block.lines as u64;
                continue;
            }
            for row in block.open().views() {
                each(LineNumber(line), &row);
                line += u64::from(!row.wraps);
            }
        }
        for row in self.open.views() {
            each(LineNumber(line), &row);
            line += u64::from(!row.wraps);
        }
    }

    /// Returns how many lines at the end of the history are blank, a line that goes on below not among them.
    pub(crate) fn trailing_blank_lines(&self) -> u64 {
        let mut blank = 0;
        let mut count = |text: &str| {
            let kept = text.trim_end_matches('\n');
            blank += (text.len() - kept.len()) as u64;
            // The line feed of the newest line that has text ends that line and is no blank one.
            if kept.is_empty() {
                true
            } else {
                blank = blank.saturating_sub(1);
                false
            }
        };
        if count(self.open.text()) {
            for block in self.blocks.iter().rev() {
                if !count(block.open().text()) {
                    break;
                }
            }
        }
        blank
    }
}

/// Returns the index of the block in which line `from` begins (the open buffer comes behind the last one), and the
/// number of the line that the block begins with or in. `next` is the number behind the last complete line.
fn block_of(blocks: &VecDeque<Block>, open: &RowBuffer, next: LineNumber, from: LineNumber) -> (usize, u64) {
    let mut first = next.0 - open.lines as u64;
    // Going back from the newest block, stop at the one in which the line begins.
    let mut start = blocks.len();
    let continues = |block: usize| block > 0 && blocks[block - 1].open;
    while start > 0 && (first > from.0 || first == from.0 && continues(start)) {
        start -= 1;
        first -= blocks[start].lines as u64;
    }
    (start, first)
}
