//! Lines as they come into the history, for whoever must see every one of them.

use std::collections::VecDeque;

use super::block::Block;
use super::view::RowViews;
use super::{History, LineNumber, RowBuffer, RowView, block_of};

/// What is remembered from the beginning of a watch to its end.
#[derive(Debug)]
pub(super) struct Watch {
    from: LineNumber,
    /// Where that line begins in the open buffer, unless it is older or the buffer was another one then. All rows before
    /// it would have to be read to find it, looks included, after each batch.
    start: Option<LineStart>,
    /// What the program cleared meanwhile.
    cleared: Vec<Cleared>,
}

/// The place in a buffer where a line begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineStart {
    pub(super) text: usize,
    pub(super) meta: usize,
    /// When the row before was last written.
    pub(super) stamp: u64,
    /// The lines that end before.
    pub(super) lines: usize,
}

/// Rows that are no longer in the history.
#[derive(Debug)]
struct Cleared {
    blocks: VecDeque<Block>,
    open: RowBuffer,
    /// The number of the line behind the last complete one.
    next: LineNumber,
}

impl History {
    /// Begins to watch for lines that become complete here.
    pub(crate) fn begin_watch(&mut self) {
        let start = self.open.line_start;
        let is_here = start.lines > 0 || !self.blocks.back().is_some_and(|block| block.open);
        self.watch = Some(Watch {
            from: self.next_line(),
            start: (start.lines == self.open.lines && is_here).then_some(start),
            cleared: Vec::new(),
        });
    }

    /// Ends the watch, and calls `each` with the number, the text and the last change of every line that became complete
    /// since it began. A line that is not complete comes when it is.
    pub(crate) fn end_watch(&mut self, each: &mut dyn FnMut(LineNumber, &str, u64)) {
        let Some(Watch {
            mut from,
            start,
            cleared,
        }) = self.watch.take()
        else {
            return;
        };
        for Cleared { blocks, open, next } in &cleared {
            each_line(blocks, open, *next, from, each);
            from = *next;
        }
        if self.next_line() == from {
            // Otherwise a line that never ends would be read from its beginning after each batch.
            return;
        }
        match start {
            Some(LineStart {
                text, meta, stamp, ..
            }) => {
                let mut lines = Lines::new(from.0, from, each);
                RowViews::from_place(&self.open, text, meta, stamp).for_each(|row| lines.add(&row));
            }
            None => each_line(&self.blocks, &self.open, self.next_line(), from, each),
        }
    }

    /// Takes note that the open buffer becomes another one, or loses rows.
    pub(super) fn lose_watched_place(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.start = None;
        }
    }

    /// Keeps what is watched for, when it leaves the history.
    pub(super) fn keep_watched(&mut self, blocks: VecDeque<Block>, open: RowBuffer, next: LineNumber) {
        if let Some(watch) = &mut self.watch {
            watch.cleared.push(Cleared { blocks, open, next });
        }
    }
}

/// Calls `each` with every complete line from number `from` on.
fn each_line(
    blocks: &VecDeque<Block>,
    open: &RowBuffer,
    next: LineNumber,
    from: LineNumber,
    each: &mut dyn FnMut(LineNumber, &str, u64),
) {
    let (start, number) = block_of(blocks, open, next, from);
    let mut lines = Lines::new(number, from, each);
    for block in blocks.iter().skip(start) {
        block.open().views().for_each(|row| lines.add(&row));
    }
    open.views().for_each(|row| lines.add(&row));
}

/// Puts rows together to lines, and gives those from a number on.
struct Lines<'a> {
    number: u64,
    from: LineNumber,
    begun: String,
    stamp: u64,
    each: &'a mut dyn FnMut(LineNumber, &str, u64),
}

impl<'a> Lines<'a> {
    fn new(number: u64, from: LineNumber, each: &'a mut dyn FnMut(LineNumber, &str, u64)) -> Self {
        Self {
            number,
            from,
            begun: String::new(),
            stamp: 0,
            each,
        }
    }

    fn add(&mut self, row: &RowView<'_>) {
        self.stamp = self.stamp.max(row.stamp);
        if row.wraps {
            self.begun.push_str(row.text);
            return;
        }
        if self.number >= self.from.0 {
            let number = LineNumber(self.number);
            if self.begun.is_empty() {
                (self.each)(number, row.text, self.stamp);
            } else {
                self.begun.push_str(row.text);
                (self.each)(number, &self.begun, self.stamp);
            }
        }
        self.begun.clear();
        (self.number, self.stamp) = (self.number + 1, 0);
    }
}
