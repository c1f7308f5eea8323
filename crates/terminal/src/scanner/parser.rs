//! The emulator's parser, lent to a screen only while something in its stream is not complete.
//!
//! Each parser comes with room for 2 MiB of synchronized output that is never used here. So a thread keeps one that is
//! in its ground state and lends it to the screen that is fed. All it remembers then is the last character it printed,
//! for REP: a screen tells the parser its own before that can matter.

use std::cell::Cell;
use std::time::Duration;

use vte::ansi::{Processor, Timeout};

thread_local! {
    static AT_REST: Cell<Option<Box<Parser>>> = const { Cell::new(None) };
}

pub(super) type Parser = Processor<NoHold>;

/// Synchronized updates are not held back from the emulator: the parser would buffer 2 MiB and show readers nothing.
/// Whether the display is held is for those who draw it, with a time limit of our own.
#[derive(Default)]
pub(super) struct NoHold;

impl Timeout for NoHold {
    fn set_timeout(&mut self, _: Duration) {}

    fn clear_timeout(&mut self) {}

    fn pending_timeout(&self) -> bool {
        false
    }
}

/// The parser of a screen, while it has one.
#[derive(Default)]
pub(super) struct LentParser(Option<Box<Parser>>);

impl LentParser {
    /// Returns the parser that the screen has, or one in its ground state.
    #[inline]
    pub(super) fn get(&mut self) -> &mut Parser {
        self.0.get_or_insert_with(|| AT_REST.take().unwrap_or_default())
    }

    /// Gives the parser back, which must be in its ground state.
    #[inline]
    pub(super) fn give_back(&mut self) {
        if let Some(parser) = self.0.take() {
            AT_REST.set(Some(parser));
        }
    }
}
