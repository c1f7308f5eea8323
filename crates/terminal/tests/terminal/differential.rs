//! The engine beside the emulator it is built on, with a scrollback so large that nothing is ever dropped: whatever
//! the stream and however it is cut, text, looks, wrap flags, cursor and modes must be the same.

use std::fmt::Write as _;
use std::time::Instant;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Config, Term, TermMode};
use pupitre_terminal::{
    Attributes, Color, HistoryLimits, MouseTracking, Screen, ScreenOptions, Size, Style, StyledRow, Wrap,
};
use vte::ansi::{
    Color as CellColor, Handler, KeyboardModes, KeyboardModesApplyBehavior, NamedColor, Processor,
};

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
        let longest = self.waiting.len().min(3);
        let begins = |length: &usize| {
            let end = &self.waiting[self.waiting.len() - length..];
            std::str::from_utf8(end)
                .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        };
        let incomplete = (1..=longest).find(begins).unwrap_or(0);
        let rest = self.waiting.split_off(self.waiting.len() - incomplete);
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

/// A row in a form that both sides can be brought to: every character that shows, with its look.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) characters: Vec<(char, Look)>,
    pub(crate) wraps: bool,
}

/// Marks that the engine keeps on one character.
pub(crate) const MARKS_PER_CELL: usize = 32;

/// The look of a character.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Look {
    style: Style,
    attributes: Vec<&'static str>,
    link: Option<String>,
}

impl Row {
    fn of_cells(cells: &[Cell]) -> Self {
        let wraps = cells
            .last()
            .expect("a row has cells")
            .flags
            .contains(Flags::WRAPLINE);
        let mut end = cells.len();
        // Tabs leave a mark, and edits may have moved a wrap flag here.
        let blank = |cell: &Cell| {
            let seen = Cell {
                c: if cell.c == '\t' { ' ' } else { cell.c },
                flags: cell.flags - Flags::WRAPLINE,
                ..cell.clone()
            };
            seen == Cell::default()
        };
        while !wraps && end > 0 && blank(&cells[end - 1]) {
            end -= 1;
        }
        let mut characters = Vec::new();
        for (at, cell) in cells[..end].iter().enumerate() {
            let leads = cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER);
            let is_where_row_goes_on = wraps && at + 1 == end;
            if cell.flags.contains(Flags::WIDE_CHAR_SPACER) || leads && is_where_row_goes_on {
                continue;
            }
            let look = Look::of_cell(cell);
            characters.push((if cell.c == '\t' { ' ' } else { cell.c }, look.clone()));
            // The engine keeps this many marks on a character; `hostile` shows why.
            let marks = cell.zerowidth().into_iter().flatten().take(MARKS_PER_CELL);
            characters.extend(marks.map(|mark| (*mark, look.clone())));
        }
        Self { characters, wraps }.trimmed()
    }

    /// Takes away blanks at the end that look like nothing, whatever part of a broken character they were.
    fn trimmed(mut self) -> Self {
        while !self.wraps
            && self
                .characters
                .last()
                .is_some_and(|last| *last == (' ', Look::default()))
        {
            self.characters.pop();
        }
        self
    }

    pub(crate) fn of_styled(row: &StyledRow) -> Self {
        let mut characters = Vec::new();
        for run in &row.runs {
            let look = Look {
                style: Style {
                    attributes: Attributes::NONE,
                    ..run.style
                },
                attributes: ATTRIBUTES
                    .iter()
                    .filter(|(_, attribute, _)| run.style.attributes.contains(*attribute))
                    .map(|(name, _, _)| *name)
                    .collect(),
                link: run.link.as_ref().and_then(|link| link_name(&link.id, &link.uri)),
            };
            characters.extend(run.text.chars().map(|character| (character, look.clone())));
        }
        Self {
            characters,
            wraps: row.wrap == Wrap::Continues,
        }
        .trimmed()
    }

    pub(crate) fn text(&self) -> String {
        self.characters.iter().map(|(character, _)| *character).collect()
    }
}

const ATTRIBUTES: [(&str, Attributes, Flags); 11] = [
    ("inverse", Attributes::INVERSE, Flags::INVERSE),
    ("bold", Attributes::BOLD, Flags::BOLD),
    ("italic", Attributes::ITALIC, Flags::ITALIC),
    ("dim", Attributes::DIM, Flags::DIM),
    ("hidden", Attributes::HIDDEN, Flags::HIDDEN),
    ("strikeout", Attributes::STRIKEOUT, Flags::STRIKEOUT),
    ("underline", Attributes::UNDERLINE, Flags::UNDERLINE),
    ("double", Attributes::DOUBLE_UNDERLINE, Flags::DOUBLE_UNDERLINE),
    ("curly", Attributes::CURLY_UNDERLINE, Flags::UNDERCURL),
    ("dotted", Attributes::DOTTED_UNDERLINE, Flags::DOTTED_UNDERLINE),
    ("dashed", Attributes::DASHED_UNDERLINE, Flags::DASHED_UNDERLINE),
];

impl Look {
    fn of_cell(cell: &Cell) -> Self {
        let style = Style {
            foreground: color(cell.fg),
            background: color(cell.bg),
            underline: cell.underline_color().map_or(Color::Default, color),
            attributes: Attributes::NONE,
        };
        let has = ATTRIBUTES
            .iter()
            .filter(|(_, _, flag)| cell.flags.contains(*flag));
        let link = cell.hyperlink().and_then(|link| link_name(link.id(), link.uri()));
        Self {
            style,
            attributes: has.map(|(name, _, _)| *name).collect(),
            link,
        }
    }
}

/// Links without an id get one from a counter, which differs from one emulator to the next.
fn link_name(id: &str, uri: &str) -> Option<String> {
    let name = if id.ends_with("_alacritty") {
        uri.to_owned()
    } else {
        format!("{id} {uri}")
    };
    (name.len() < LINK_BYTES).then_some(name)
}

/// Links whose sequence is longer than this are left out (`hostile` shows why).
const LINK_BYTES: usize = 2000;

fn color(color: CellColor) -> Color {
    match color {
        CellColor::Named(NamedColor::Foreground | NamedColor::Background) => Color::Default,
        CellColor::Named(name) => Color::Named(name as u8),
        CellColor::Indexed(index) => Color::Indexed(index),
        CellColor::Spec(rgb) => Color::Rgb(rgb.r, rgb.g, rgb.b),
    }
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

/// Joins rows where they wrap, without blanks at the end of lines and blank lines at the end.
pub(crate) fn lines(rows: &[Row]) -> Vec<Row> {
    let mut lines: Vec<Row> = Vec::new();
    let mut open = false;
    for row in rows {
        match lines.last_mut() {
            Some(line) if open => line.characters.extend(row.characters.iter().cloned()),
            _ => lines.push(Row {
                characters: row.characters.clone(),
                wraps: false,
            }),
        }
        open = row.wraps;
    }
    for line in &mut lines {
        // The emulator drops blanks of these looks when it breaks lines anew.
        let blank = |(character, look): &(char, Look)| {
            let unseen = ["bold", "italic", "dim", "hidden"];
            *character == ' '
                && look.style.foreground == Color::Default
                && look.style.background == Color::Default
                && look.attributes.iter().all(|attribute| unseen.contains(attribute))
        };
        while line.characters.last().is_some_and(blank) {
            line.characters.pop();
        }
    }
    while lines.last().is_some_and(|line| line.characters.is_empty()) {
        lines.pop();
    }
    lines
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
