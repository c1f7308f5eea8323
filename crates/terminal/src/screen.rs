//! A pane's screen as the rest of the program sees it: bytes go in; text, signals, replies and snapshots come out.
//!
//! It is synchronous and owns all its state; time comes in with the bytes. See `screen/` for each thing it gives.

mod freeze;
pub(crate) mod modes;
mod resize;
pub(crate) mod rows;
pub(crate) mod search;
mod snapshot;

pub(crate) mod text;

use std::time::{Duration, Instant};

use crate::capture::Capture;
use crate::history::{HistoryLimits, LineNumber};
use crate::palette::Palette;
use crate::scanner::Scanner;
use crate::signal::Signal;
use crate::signal::directory::WorkingDirectory;
use crate::signal::status::StatusRecord;
use crate::size::Size;
use freeze::Frozen;

/// Bytes that are worked on before old lines are dropped and watchers are told.
const SLICE_BYTES: usize = 16 << 10;
/// How long a program may hold the display (mode 2026) before it is shown as it is.
const HOLD_LIMIT: Duration = Duration::from_millis(150);

/// What a screen is made with.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScreenOptions {
    pub size: Size,
    pub history: HistoryLimits,
    pub palette: Palette,
}

/// The screen of a pane, with its history.
pub struct Screen {
    capture: Capture,
    scanner: Scanner,
    frozen: Option<Frozen>,
}

/// A line that left the screen, or was deleted or erased there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScrolledLine<'a> {
    /// Its number, if it went to the history, where only complete lines count.
    pub line: Option<LineNumber>,
    pub text: &'a str,
    /// The generation in which it was last written; it came after a mark when this is greater than the mark's.
    pub generation: u64,
}

impl Screen {
    /// Returns a blank screen.
    pub fn new(options: ScreenOptions) -> Self {
        let capture = Capture::new(options.size, options.history, options.palette);
        Self {
            capture,
            scanner: Scanner::new(),
            frozen: None,
        }
    }

    /// Works on what the program wrote. `now` is when it was read.
    ///
    /// Replies to what it asked and signals wait afterwards: see [`Screen::take_replies`] and
    /// [`Screen::take_signals`].
    pub fn feed(&mut self, bytes: &[u8], now: Instant) {
        self.feed_slices(bytes, now, None);
    }

    /// Works on what the program wrote, and calls `watch` with every line that scrolls off: none is missed, however many
    /// there are, also when the program clears its history in the same batch, and also when they scroll within a region
    /// or on the alternate screen. Lines that are deleted or erased come too. Those that go to the history come in order,
    /// the others as far as their rows were there together.
    pub fn feed_watched(&mut self, bytes: &[u8], now: Instant, watch: &mut dyn FnMut(ScrolledLine<'_>)) {
        self.feed_slices(bytes, now, Some(watch));
    }

    fn feed_slices(
        &mut self,
        bytes: &[u8],
        now: Instant,
        mut watch: Option<&mut dyn FnMut(ScrolledLine<'_>)>,
    ) {
        if bytes.is_empty() {
            return;
        }
        self.thaw();
        self.capture.generation += 1;
        self.capture.now = Some(now);
        match &watch {
            Some(_) => drop(self.capture.passing.get_or_insert_default()),
            None => self.capture.passing = None,
        }
        for slice in bytes.chunks(SLICE_BYTES) {
            if watch.is_some() {
                self.capture.history.begin_watch();
            }
            self.scanner.feed(slice, &mut self.capture);
            if let Some(watch) = &mut watch {
                self.capture.history.end_watch(&mut |line, text, generation| {
                    watch(ScrolledLine {
                        line: Some(line),
                        text,
                        generation,
                    })
                });
                if let Some(passing) = &mut self.capture.passing {
                    passing.give(&mut |text, generation| {
                        watch(ScrolledLine {
                            line: None,
                            text,
                            generation,
                        })
                    });
                }
            }
            self.capture.history.trim();
        }
    }

    /// Returns what must be written to the program, in the order of its questions.
    pub fn take_replies(&mut self) -> Vec<u8> {
        self.capture.replies.take()
    }

    /// Returns what the program told, in order. The oldest are gone when more than 4,096, or 1 MiB of text, were left
    /// waiting.
    pub fn take_signals(&mut self) -> Vec<Signal> {
        self.capture.signals.take()
    }

    /// Returns a counter that grows whenever output arrives.
    pub fn generation(&self) -> u64 {
        self.capture.generation
    }

    /// Returns the size.
    pub fn size(&self) -> Size {
        self.capture.size
    }

    /// Returns the title that the program set.
    pub fn title(&self) -> Option<&str> {
        self.capture.titles.current()
    }

    /// Returns the directory that the program said it is in (OSC 7).
    pub fn working_directory(&self) -> Option<&WorkingDirectory> {
        self.scanner.directory.as_ref()
    }

    /// Returns what the program says of its state (OSC 7501), the record reported longest ago first.
    pub fn status_records(&self) -> &[StatusRecord] {
        self.scanner.records.all()
    }

    /// Sets the colours that programs are told of.
    pub fn set_palette(&mut self, palette: Palette) {
        self.capture.palette = palette;
    }

    /// Returns until when the program holds the display, if it does (mode 2026).
    ///
    /// Until then what is on the screen may be half drawn: whoever tests it for a pattern should wait. The limit is
    /// 150 ms, whatever the program does.
    pub fn held_until(&self) -> Option<Instant> {
        self.capture.held_since.map(|since| since + HOLD_LIMIT)
    }

    /// Ends a hold whose time is over at `now`; from then on DECRQM says so too.
    pub fn release_hold(&mut self, now: Instant) {
        if self.held_until().is_some_and(|until| until <= now) {
            self.capture.held_since = None;
        }
    }

    /// Returns the bytes of memory that the history holds.
    pub fn history_bytes(&self) -> usize {
        self.capture.history.bytes()
    }
}
