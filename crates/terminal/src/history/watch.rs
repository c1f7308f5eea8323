//! Lines as they come into the history, for whoever must see every one of them.

use std::collections::VecDeque;

use super::block::Block;
use super::{History, LineNumber, RowBuffer, RowView, block_of};

/// What is remembered from the beginning of a watch to its end.
#[derive(Debug)]
pub(super) struct Watch {
    from: LineNumber,
    /// What the program cleared meanwhile.
    cleared: Vec<Cleared>,
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
        self.watch = Some(Watch {
            from: self.next_line(),
            cleared: Vec::new(),
        });
    }

    /// Ends the watch, and calls `each` with the number, the text and the last change of every line that became complete
    /// since it began. A line that is not complete comes when it is.
    pub(crate) fn end_watch(&mut self, each: &mut dyn FnMut(LineNumber, &str, u64)) {
        let Some(Watch { mut from, cleared }) = self.watch.take() else {
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
        each_line(&self.blocks, &self.open, self.next_line(), from, each);
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
    let (start, mut number) = block_of(blocks, open, next, from);
    let (mut begun, mut stamp) = (String::new(), 0);
    let mut add = |row: &RowView<'_>| {
        stamp = row.stamp.max(stamp);
        if row.wraps {
            begun.push_str(row.text);
            return;
        }
        if number >= from.0 {
            if begun.is_empty() {
                each(LineNumber(number), row.text, stamp);
            } else {
                begun.push_str(row.text);
                each(LineNumber(number), &begun, stamp);
            }
        }
        begun.clear();
        (number, stamp) = (number + 1, 0);
    };
    for block in blocks.iter().skip(start) {
        block.open().views().for_each(|row| add(&row));
    }
    open.views().for_each(|row| add(&row));
}
