//! The engine beside the emulator it is built on, with a scrollback so large that nothing is ever dropped: whatever
//! the stream and however it is cut, text, looks, wrap flags, cursor and modes must be the same.

use std::fmt::Write as _;
use std::time::Instant;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Config, Term, TermMode};
use pupitre_terminal::{HistoryLimits, MouseTracking, Screen, ScreenOptions, Size};
use vte::ansi::{Handler, KeyboardModes, KeyboardModesApplyBehavior, Processor};

use crate::row::{Look, Row, lines};
use crate::stream::{Random, Step, steps};

/// The emulator alone.
pub(crate) struct Plain {
    pub(crate) term: Term<VoidListener>,
    processor: Processor,
    waiting: Vec<u8>,
}

impl Plain {
    pub(crate) fn new(size: Size) -> Self {
        let config = Config {
            scrolling_history: 1_000_000,
            kitty_keyboard: true,
            ..Config::default()
        };
        Self {
            term: Term::new(config, &size, VoidListener),
            processor: Processor::new(),
            waiting: Vec::new(),
        }
    }

    /// Feeds whole characters only: the parser loses what stands behind one that came in two pieces when the second
    /// piece ends in the middle of another (`exceptions` shows it).
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
        let rest = self
            .waiting
            .split_off(self.waiting.len() - incomplete_len(&self.waiting));
        let invalid = if rest.is_empty() {
            0
        } else {
            incomplete_len(&self.waiting)
        };
        if invalid > 0 {
            // Another beginning in front of it is invalid now.
            self.waiting.truncate(self.waiting.len() - invalid);
            self.waiting.extend_from_slice("\u{fffd}".as_bytes());
        }
        self.processor.advance(&mut self.term, &self.waiting);
        self.waiting = rest;
    }

    pub(crate) fn feed_as_it_comes(&mut self, bytes: &[u8]) {
        self.processor.advance(&mut self.term, bytes);
    }

    /// Takes away the flags of row ends that edits moved into the middle of rows (`exceptions` shows what they do).
    pub(crate) fn heal(&mut self) {
        let (first, last) = (
            -(self.term.history_size() as i32),
            self.term.screen_lines() as i32,
        );
        let columns = self.term.columns();
        for line in first..last {
            for cell in &mut self.term.grid_mut()[Line(line)][Column(0)..Column(columns - 1)] {
                cell.flags
                    .remove(Flags::WRAPLINE | Flags::LEADING_WIDE_CHAR_SPACER);
            }
            let last = &mut self.term.grid_mut()[Line(line)][Column(columns - 1)];
            if !last.flags.contains(Flags::WRAPLINE) {
                last.flags.remove(Flags::LEADING_WIDE_CHAR_SPACER);
            }
        }
    }

    /// Lets the emulator erase whole rows after a resize (`exceptions` shows what it does otherwise).
    pub(crate) fn take_rows_for_written(&mut self) {
        let (first, last) = (
            -(self.term.history_size() as i32),
            self.term.screen_lines() as i32,
        );
        for line in first..last {
            self.term.grid_mut()[Line(line)].last_mut();
        }
    }

    /// Does [`Plain::heal`] and [`Plain::take_rows_for_written`] to the primary screen behind the alternate one; returns
    /// whether it could. The way there and back overwrites the saved cursor, so that one must be where the cursor is.
    fn heal_hidden(&mut self) -> bool {
        let view = self.term.grid().clone();
        let keyboard = *self.term.mode() & TermMode::KITTY_KEYBOARD_PROTOCOL;
        self.term.swap_alt();
        let can = self.term.grid().saved_cursor == self.term.grid().cursor;
        self.heal();
        self.take_rows_for_written();
        let saved = self.term.grid().saved_cursor.clone();
        self.term.swap_alt();
        *self.term.grid_mut() = view;
        let bits = keyboard.bits() / TermMode::DISAMBIGUATE_ESC_CODES.bits();
        let modes = KeyboardModes::from_bits_truncate(bits as u8);
        Handler::set_keyboard_mode(&mut self.term, modes, KeyboardModesApplyBehavior::Replace);
        if !can {
            // Leave what the caller will leave anyway as it was.
            self.term.swap_alt();
            self.term.grid_mut().saved_cursor = saved;
        }
        can
    }

    /// Clears the alternate screen behind the primary one, as it is cleared anyway when it comes into view; a resize in
    /// between would let colours survive that.
    fn clear_hidden_alternate(&mut self) {
        if self.is_alternate() {
            return;
        }
        let (cursor, saved) = (
            self.term.grid().cursor.clone(),
            self.term.grid().saved_cursor.clone(),
        );
        let bits = (*self.term.mode() & TermMode::KITTY_KEYBOARD_PROTOCOL).bits()
            / TermMode::DISAMBIGUATE_ESC_CODES.bits();
        self.term.grid_mut().cursor.template = Cell::default();
        self.term.swap_alt();
        self.term.swap_alt();
        self.term.grid_mut().cursor = cursor;
        self.term.grid_mut().saved_cursor = saved;
        let modes = KeyboardModes::from_bits_truncate(bits as u8);
        Handler::set_keyboard_mode(&mut self.term, modes, KeyboardModesApplyBehavior::Replace);
    }

    /// Returns whether an edit left half of a wide character (`exceptions` shows what a resize does then).
    fn has_cut_character(&self) -> bool {
        let (first, last) = (
            -(self.term.history_size() as i32),
            self.term.screen_lines() as i32,
        );
        let columns = self.term.columns();
        (first..last).any(|line| {
            let row = &self.term.grid()[Line(line)][Column(0)..Column(columns)];
            let whole =
                |next: Option<&Cell>| next.is_some_and(|next| next.flags.contains(Flags::WIDE_CHAR_SPACER));
            (0..columns).any(|at| row[at].flags.contains(Flags::WIDE_CHAR) && !whole(row.get(at + 1)))
        })
    }

    fn is_alternate(&self) -> bool {
        self.term.mode().contains(TermMode::ALT_SCREEN)
    }

    /// Works on what a synchronized update holds back.
    pub(crate) fn release(&mut self) {
        self.processor.stop_sync(&mut self.term);
    }

    fn rows(&self, lines: std::ops::Range<i32>) -> Vec<Row> {
        let grid = self.term.grid();
        let columns = grid.columns();
        lines
            .map(|line| Row::of_cells(&grid[Line(line)][Column(0)..Column(columns)]))
            .collect()
    }

    pub(crate) fn history(&self) -> Vec<Row> {
        self.rows(-(self.term.history_size() as i32)..0)
    }

    pub(crate) fn screen(&self) -> Vec<Row> {
        self.rows(0..self.term.screen_lines() as i32)
    }
}

/// Returns how many bytes at the end are the beginning of a character.
fn incomplete_len(bytes: &[u8]) -> usize {
    let is_beginning = |length: &usize| {
        std::str::from_utf8(&bytes[bytes.len() - length..])
            .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    (1..=bytes.len().min(3)).find(is_beginning).unwrap_or(0)
}

/// Returns a screen that drops nothing.
pub(crate) fn unbounded(size: Size) -> Screen {
    let history = HistoryLimits {
        rows: usize::MAX >> 1,
        bytes: usize::MAX >> 1,
    };
    Screen::new(ScreenOptions {
        size,
        history,
        ..ScreenOptions::default()
    })
}

pub(crate) fn history_of(screen: &Screen) -> Vec<Row> {
    screen.history_rows().iter().map(Row::of_styled).collect()
}

pub(crate) fn screen_of(screen: &Screen) -> Vec<Row> {
    screen.screen_rows().iter().map(Row::of_styled).collect()
}

/// Whether rows of the history are compared one by one. After a resize those that stayed deep in the history are still
/// broken at the old width, and only whole lines can be compared.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Compare {
    Rows,
    Lines,
}

/// Returns what differs between the two, or nothing.
pub(crate) fn difference(plain: &Plain, screen: &Screen, compare: Compare) -> Option<String> {
    let mut text = String::new();
    let cursor = screen.cursor();
    let point = plain.term.grid().cursor.point;
    let plain_cursor = (
        point.line.0 as usize,
        point.column.0,
        plain.term.grid().cursor.input_needs_wrap,
    );
    if plain_cursor != (cursor.row, cursor.column, cursor.wraps_next) {
        let _ = writeln!(text, "cursor: {plain_cursor:?} became {cursor:?}");
    }
    rows_difference("screen", &plain.screen(), &screen_of(screen), &mut text);
    if !plain.term.mode().contains(TermMode::ALT_SCREEN) {
        match compare {
            Compare::Rows => rows_difference("history", &plain.history(), &history_of(screen), &mut text),
            Compare::Lines => {
                let all = |mut history: Vec<Row>, screen: Vec<Row>| {
                    history.extend(screen);
                    lines(&history)
                };
                let (before, now) = (
                    all(plain.history(), plain.screen()),
                    all(history_of(screen), screen_of(screen)),
                );
                rows_difference("lines", &before, &now, &mut text);
            }
        }
    }
    modes_difference(plain, screen, &mut text);
    (!text.is_empty()).then_some(text)
}

fn modes_difference(plain: &Plain, screen: &Screen, text: &mut String) {
    let mode = *plain.term.mode();
    let modes = screen.input_modes();
    let keyboard =
        (mode & TermMode::KITTY_KEYBOARD_PROTOCOL).bits() / TermMode::DISAMBIGUATE_ESC_CODES.bits();
    let mouse = match mode & TermMode::MOUSE_MODE {
        TermMode::MOUSE_MOTION => MouseTracking::Motion,
        TermMode::MOUSE_DRAG => MouseTracking::Drags,
        TermMode::MOUSE_REPORT_CLICK => MouseTracking::Clicks,
        _ => MouseTracking::Off,
    };
    for (name, before, now) in [
        (
            "paste",
            mode.contains(TermMode::BRACKETED_PASTE),
            modes.bracketed_paste,
        ),
        (
            "cursor keys",
            mode.contains(TermMode::APP_CURSOR),
            modes.application_cursor,
        ),
        (
            "keypad",
            mode.contains(TermMode::APP_KEYPAD),
            modes.application_keypad,
        ),
        ("focus", mode.contains(TermMode::FOCUS_IN_OUT), modes.focus_events),
        (
            "alternate",
            mode.contains(TermMode::ALT_SCREEN),
            modes.alternate_screen,
        ),
        (
            "cursor shown",
            mode.contains(TermMode::SHOW_CURSOR),
            screen.cursor().visible,
        ),
        ("keyboard", keyboard == u32::from(modes.keyboard_flags), true),
        ("mouse", mouse == modes.mouse, true),
    ] {
        if before != now {
            let _ = writeln!(text, "mode {name}: {before} became {now}");
        }
    }
}

fn rows_difference(what: &str, before: &[Row], now: &[Row], text: &mut String) {
    if before == now {
        return;
    }
    let at = before.iter().zip(now).position(|(before, now)| before != now);
    let at = at.unwrap_or(before.len().min(now.len()));
    let _ = writeln!(
        text,
        "{what}: {} rows became {}, first at {at}",
        before.len(),
        now.len()
    );
    for row in at.saturating_sub(1)..(at + 3) {
        for (side, rows) in [("before", before), ("now   ", now)] {
            if let Some(row) = rows.get(row) {
                let looks: Vec<_> = row
                    .characters
                    .iter()
                    .filter(|(_, look)| *look != Look::default())
                    .collect();
                let wraps = if row.wraps { " wraps" } else { "" };
                let _ = writeln!(text, "  {side} {:?}{wraps} styled {}", row.text(), looks.len());
            }
        }
    }
}

/// Runs the stream of a seed on both sides; returns what differs and the steps that led there.
pub(crate) fn run_seed(seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    let size = random.size();
    run_steps(size, &steps(&mut random, seed))
        .map_err(|difference| format!("seed {seed}, {size:?}: {difference}"))
}

/// Runs steps on both sides; returns what differs at the end.
pub(crate) fn run_steps(size: Size, steps: &[Step]) -> Result<(), String> {
    let mut plain = Plain::new(size);
    let mut screen = unbounded(size);
    let mut compare = Compare::Rows;
    let now = Instant::now();
    for step in steps {
        match step {
            Step::Bytes(bytes) => {
                plain.feed(bytes);
                screen.feed(bytes, now);
            }
            Step::Freeze => screen.freeze(),
            Step::Resize(size) => {
                // What the emulator holds back must not be drawn at another size than it is here.
                plain.release();
                if compare == Compare::Rows
                    && let Some(found) = difference(&plain, &screen, compare)
                {
                    return Err(format!("before a resize: {found}"));
                }
                heal(&mut plain, &mut screen);
                if plain.has_cut_character() {
                    continue;
                }
                plain.term.resize(*size);
                screen.resize(*size);
                heal(&mut plain, &mut screen);
                compare = Compare::Lines;
            }
        }
    }
    plain.release();
    let mut found = difference(&plain, &screen, compare);
    // Once more with the primary screen in view.
    for bytes in [b"\x18".as_slice(), b"\x1b[?2026l\x1b[?1049l"] {
        plain.feed(bytes);
        screen.feed(bytes, now);
    }
    found = found.or_else(|| difference(&plain, &screen, compare).map(|text| format!("behind: {text}")));
    found.map_or(Ok(()), Err)
}

/// Heals both screens of the emulator alone. Where that cannot be, both sides go back to the primary screen.
fn heal(plain: &mut Plain, screen: &mut Screen) {
    if plain.is_alternate() {
        // Nothing may be half read on one side only when a side leaves the alternate screen.
        plain.feed(b"\x18");
        screen.feed(b"\x18", Instant::now());
        if !plain.heal_hidden() {
            screen.feed(b"\x1b[?1049l", Instant::now());
        }
    }
    plain.clear_hidden_alternate();
    plain.heal();
    plain.take_rows_for_written();
}

/// Returns what differs between a screen and a fresh one that was fed its snapshot, or nothing.
pub(crate) fn snapshot_difference(screen: &Screen) -> Option<String> {
    let mut fresh = unbounded(screen.size());
    fresh.feed(&screen.snapshot(), Instant::now());
    screens_difference(screen, &fresh)
}

/// Returns what differs between two screens, or nothing.
pub(crate) fn screens_difference(screen: &Screen, other: &Screen) -> Option<String> {
    let mut text = String::new();
    rows_difference("screen", &screen_of(screen), &screen_of(other), &mut text);
    let history = (history_of(screen), history_of(other));
    rows_difference("history", &history.0, &history.1, &mut text);
    for (name, before, now) in [
        (
            "cursor",
            format!("{:?}", screen.cursor()),
            format!("{:?}", other.cursor()),
        ),
        (
            "modes",
            format!("{:?}", screen.input_modes()),
            format!("{:?}", other.input_modes()),
        ),
        (
            "title",
            format!("{:?}", screen.title()),
            format!("{:?}", other.title()),
        ),
    ] {
        if before != now {
            let _ = writeln!(text, "{name}: {before} became {now}");
        }
    }
    (!text.is_empty()).then_some(text)
}
