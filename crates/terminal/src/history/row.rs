//! One row of cells as text and a few bytes beside it, and back.
//!
//! The text is what a reader wants: no spacers, no blanks at the end. What is beside it makes the row whole again:
//! whether it goes on in the next one, when it was last written, the blanks at its end that have a look, and its
//! runs of looks. A row whose wide characters were cut by an edit is *shaped*: its runs count cells, not bytes.

use std::sync::Arc;

use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};

use super::style::{DEFAULT_BACKGROUND, DEFAULT_FOREGROUND, LOOK, Link, Look, SHAPE, SPACERS};
use super::varint;
use super::view::{LooseRow, RowViews};
use super::watch::LineStart;

/// What the emulator's cells do not say of a row.
#[derive(Clone, Copy)]
pub(crate) struct RowFacts {
    /// Every cell from this column on is a default blank.
    pub(crate) used: usize,
    /// The generation of the last change.
    pub(crate) stamp: u64,
    pub(crate) content: RowContent,
}

/// What is known of the cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowContent {
    /// Nothing but ASCII that looks like nothing, and the row does not go on in the next one.
    Plain,
    Any,
}

/// Rows one after the other: texts in one piece, a line feed behind every row that does not go on in the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowBuffer {
    pub(super) text: Vec<u8>,
    pub(super) meta: Vec<u8>,
    pub(super) links: Vec<Link>,
    pub(super) link_bytes: usize,
    pub(super) rows: usize,
    /// Rows that end a line.
    pub(super) lines: usize,
    /// The last row goes on in the next one.
    pub(super) open: bool,
    pub(super) last_stamp: u64,
    pub(super) newest_stamp: u64,
    /// Behind the last row that ended a line, unless rows were taken out since.
    pub(super) line_start: LineStart,
}

pub(super) const WRAPPED: u64 = 1;
pub(super) const STYLED: u64 = 2;
pub(super) const PADDED: u64 = 4;
pub(super) const SHAPED: u64 = 8;
pub(super) const HEADER_BITS: u32 = 4;

/// Links that are compared before a link counts as new. A flood of links must not cost the square of its length.
const LINKS_COMPARED: usize = 8;

impl RowBuffer {
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Takes all rows out and keeps the room.
    pub(crate) fn clear(&mut self) {
        let mut empty = Self {
            text: std::mem::take(&mut self.text),
            meta: std::mem::take(&mut self.meta),
            ..Self::default()
        };
        empty.text.clear();
        empty.meta.clear();
        *self = empty;
    }

    /// Returns the texts of the rows in one piece.
    pub(crate) fn text(&self) -> &str {
        as_text(&self.text)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.capacity() + self.meta.capacity() + self.link_bytes
    }

    pub(crate) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.meta.shrink_to_fit();
        self.links.shrink_to_fit();
    }

    pub(crate) fn views(&self) -> RowViews<'_> {
        RowViews::new(&self.text, &self.meta, &self.links)
    }

    /// Appends a row. `runs` is scratch space.
    #[inline]
    pub(crate) fn push(&mut self, row: &[Cell], facts: RowFacts, runs: &mut Vec<u8>) {
        match facts.content {
            RowContent::Plain => self.push_plain(row, facts),
            RowContent::Any => self.push_any(row, facts, runs),
        }
        self.rows += 1;
        self.last_stamp = facts.stamp;
        self.newest_stamp = self.newest_stamp.max(facts.stamp);
        if !self.open {
            self.line_start = LineStart {
                text: self.text.len(),
                meta: self.meta.len(),
                stamp: facts.stamp,
                lines: self.lines,
            };
        }
    }

    #[inline]
    fn push_plain(&mut self, row: &[Cell], facts: RowFacts) {
        debug_assert!(
            row.iter().all(|cell| {
                let looks_like_nothing = Cell {
                    c: ' ',
                    ..cell.clone()
                } == Cell::default();
                looks_like_nothing && matches!(cell.c, '\t' | ' '..='~')
            }),
            "a row is not as plain as it was taken for"
        );
        let text_start = self.text.len();
        // A tab leaves a mark in the cell that it was written at, which shows as a blank.
        let characters = row[..facts.used.min(row.len())].iter().map(|cell| cell.c as u8);
        self.text.extend(characters.map(|character| character.max(b' ')));
        let text = &self.text[text_start..];
        let length = text
            .iter()
            .rposition(|byte| *byte != b' ')
            .map_or(0, |last| last + 1);
        self.text.truncate(text_start + length);
        self.write_header((length as u64) << HEADER_BITS, facts.stamp);
        self.text.push(b'\n');
        self.lines += 1;
        self.open = false;
    }

    #[inline]
    fn write_header(&mut self, header: u64, stamp: u64) {
        varint::write(&mut self.meta, header);
        let step = stamp.wrapping_sub(self.last_stamp) as i64;
        varint::write(&mut self.meta, varint::fold(step));
    }

    #[inline]
    fn push_any(&mut self, row: &[Cell], facts: RowFacts, runs: &mut Vec<u8>) {
        let wraps = row[row.len() - 1].flags.contains(Flags::WRAPLINE);
        let end = if wraps {
            row.len()
        } else {
            trimmed_len(row, facts.used)
        };
        let text_start = self.text.len();
        runs.clear();
        let mut writer = RunWriter {
            runs,
            count: 0,
            length: 0,
            look: Look::default(),
            styled: false,
        };
        let shapes = self.write_runs(&row[..end], row.len(), &mut writer);
        let mut flags = 0;
        if !shapes.is_empty() && !is_regular(&row[..end], row.len(), wraps) {
            self.text.truncate(text_start);
            writer.restart();
            self.write_shaped_runs(&row[..end], wraps, &mut writer);
            flags |= SHAPED;
        }
        writer.finish();
        let (count, styled) = (writer.count, writer.styled);
        let mut pad = 0;
        if wraps {
            flags |= WRAPPED;
        } else {
            let blanks = self.text[text_start..]
                .iter()
                .rev()
                .take_while(|byte| **byte == b' ')
                .count();
            self.text.truncate(self.text.len() - blanks);
            pad = blanks as u64;
            flags |= if pad > 0 { PADDED } else { 0 };
        }
        let length = (self.text.len() - text_start) as u64;
        let described = styled || flags & SHAPED != 0;
        flags |= if styled { STYLED } else { 0 };
        self.write_header(length << HEADER_BITS | flags, facts.stamp);
        if pad > 0 {
            varint::write(&mut self.meta, pad);
        }
        if described {
            varint::write(&mut self.meta, count);
            self.meta.extend_from_slice(runs);
        }
        if !wraps {
            self.text.push(b'\n');
            self.lines += 1;
        }
        self.open = wraps;
    }

    /// Appends the text of `row` and its runs, measured in bytes; returns the shapes that were met.
    #[inline]
    fn write_runs(&mut self, row: &[Cell], columns: usize, writer: &mut RunWriter<'_>) -> Flags {
        let mut shapes = Flags::empty();
        let mut at = 0;
        self.text.reserve(row.len() * 4 + 1);
        while at < row.len() {
            let head = &row[at];
            let run_start = self.text.len();
            let look = match &head.extra {
                None => {
                    if !head.flags.intersects(SHAPE) {
                        at = write_ascii(row, at, &mut self.text);
                    }
                    let look_flags = head.flags & LOOK;
                    let is_default = head.fg == DEFAULT_FOREGROUND
                        && head.bg == DEFAULT_BACKGROUND
                        && look_flags.is_empty();
                    // Colours that are known beforehand are compared at a third of the cost.
                    if is_default {
                        let same = |cell: &Cell| {
                            cell.fg == DEFAULT_FOREGROUND
                                && cell.bg == DEFAULT_BACKGROUND
                                && !cell.flags.intersects(LOOK)
                        };
                        at = self.write_cells(row, at, columns, &mut shapes, same);
                        Look::default()
                    } else {
                        let same = |cell: &Cell| {
                            cell.flags & LOOK == look_flags && cell.fg == head.fg && cell.bg == head.bg
                        };
                        at = self.write_cells(row, at, columns, &mut shapes, same);
                        Look::of(head, 0)
                    }
                }
                Some(extra) => {
                    let link = head.hyperlink().map_or(0, |link| self.intern(&link));
                    let alone = head.zerowidth().is_some_and(|marks| !marks.is_empty());
                    loop {
                        let cell = &row[at];
                        at += 1;
                        let shape = cell.flags & SHAPE;
                        shapes |= shape & shape_but_wrap(at, columns);
                        if !shape.intersects(SPACERS) {
                            push_char(&mut self.text, cell.c);
                            for mark in cell.zerowidth().into_iter().flatten() {
                                push_char(&mut self.text, *mark);
                            }
                        }
                        // Cells written under one link or underline colour share what hangs on them.
                        let same = |next: &Cell| {
                            next.extra.as_ref().is_some_and(|other| Arc::ptr_eq(other, extra))
                                && next.fg == head.fg
                                && next.bg == head.bg
                                && next.flags & LOOK == head.flags & LOOK
                        };
                        if alone || !row.get(at).is_some_and(same) {
                            break;
                        }
                    }
                    Look::of(head, link)
                }
            };
            writer.add((self.text.len() - run_start) as u64, look);
        }
        shapes
    }

    /// Appends the text of the cells from `at` on that `same` holds of and nothing hangs on; returns where it stopped.
    /// Adds to `shapes` those that may break the rules.
    #[inline]
    fn write_cells(
        &mut self,
        row: &[Cell],
        mut at: usize,
        columns: usize,
        shapes: &mut Flags,
        same: impl Fn(&Cell) -> bool,
    ) -> usize {
        let belongs = |cell: &Cell| cell.extra.is_none() && same(cell);
        while let Some(cell) = row.get(at).filter(|cell| belongs(cell)) {
            let shape = cell.flags & SHAPE;
            if shape == Flags::WIDE_CHAR
                && let Some(spacer) = row.get(at + 1)
                && spacer.flags & shape_but_wrap(at + 2, columns) == Flags::WIDE_CHAR_SPACER
                && belongs(spacer)
            {
                push_char(&mut self.text, cell.c);
                at += 2;
                continue;
            }
            at += 1;
            *shapes |= shape & shape_but_wrap(at, columns);
            if !shape.intersects(SPACERS) {
                push_char(&mut self.text, cell.c);
            }
        }
        at
    }

    /// Appends the text of `row` and its runs, measured in cells of one shape.
    #[cold]
    fn write_shaped_runs(&mut self, row: &[Cell], wraps: bool, writer: &mut RunWriter<'_>) {
        writer.styled = true;
        for (at, cell) in row.iter().enumerate() {
            let link = cell.hyperlink().map_or(0, |link| self.intern(&link));
            if !shows_nothing(cell.flags, wraps && at + 1 == row.len()) {
                push_char(&mut self.text, cell.c);
                for mark in cell.zerowidth().into_iter().flatten() {
                    push_char(&mut self.text, *mark);
                }
            }
            writer.add_shaped(Look::of(cell, link), cell.flags & SHAPE);
        }
    }

    /// Returns the number of `link` among the links of this buffer, from 1.
    fn intern(&mut self, link: &Hyperlink) -> u32 {
        let known = self.links.iter().rev().take(LINKS_COMPARED);
        let known = known
            .enumerate()
            .find(|(_, known)| *known.uri == *link.uri() && *known.id == *link.id());
        if let Some((back, _)) = known {
            return (self.links.len() - back) as u32;
        }
        self.link_bytes += link.id().len() + link.uri().len() + size_of::<Link>();
        self.links.push(Link {
            id: link.id().into(),
            uri: link.uri().into(),
        });
        self.links.len() as u32
    }

    /// Removes the rows from `keep` on and returns them, oldest first.
    pub(super) fn split_off(&mut self, keep: usize) -> Vec<LooseRow> {
        let (mut text_end, mut meta_end, mut lines, mut last_stamp, mut open) = (0, 0, 0, 0, false);
        let mut newest_stamp = 0;
        let mut loose = Vec::with_capacity(self.rows.saturating_sub(keep));
        for (index, view) in self.views().enumerate() {
            if index < keep {
                text_end = view.text_end;
                meta_end = view.meta_end;
                lines += usize::from(!view.wraps);
                last_stamp = view.stamp;
                newest_stamp = view.stamp.max(newest_stamp);
                open = view.wraps;
            } else {
                loose.push(LooseRow::of(&view));
            }
        }
        self.line_start = LineStart::default();
        self.text.truncate(text_end);
        self.meta.truncate(meta_end);
        self.rows = keep.min(self.rows);
        (self.lines, self.last_stamp, self.newest_stamp, self.open) = (lines, last_stamp, newest_stamp, open);
        loose
    }

    /// Makes a buffer that can be appended to out of the parts of a sealed one.
    pub(super) fn from_parts(text: Vec<u8>, meta: Vec<u8>, links: Vec<Link>) -> Self {
        let mut buffer = Self {
            text,
            meta,
            links,
            ..Self::default()
        };
        buffer.link_bytes = buffer.links.iter().map(Link::bytes).sum();
        let (mut rows, mut lines, mut last_stamp, mut newest_stamp, mut open) = (0, 0, 0, 0, false);
        for view in buffer.views() {
            rows += 1;
            lines += usize::from(!view.wraps);
            last_stamp = view.stamp;
            newest_stamp = view.stamp.max(newest_stamp);
            open = view.wraps;
        }
        (buffer.rows, buffer.lines, buffer.open) = (rows, lines, open);
        (buffer.last_stamp, buffer.newest_stamp) = (last_stamp, newest_stamp);
        buffer
    }
}

impl Link {
    pub(super) fn bytes(&self) -> usize {
        self.id.len() + self.uri.len() + size_of::<Self>()
    }
}

/// Returns the flags of shape that count in the cell before column `at`: on the last one the wrap flag is where it belongs
/// and kept apart.
#[inline]
fn shape_but_wrap(at: usize, columns: usize) -> Flags {
    if at == columns {
        SHAPE - Flags::WRAPLINE
    } else {
        SHAPE
    }
}

/// Returns how many cells of `row` there are up to the last one that is no default blank.
#[inline]
fn trimmed_len(row: &[Cell], used: usize) -> usize {
    let mut end = used.min(row.len());
    debug_assert!(
        row[end..].iter().all(is_default_blank),
        "a cell behind the used part of a row is not blank"
    );
    while end >= 8 && row[end - 8..end].iter().all(is_default_blank) {
        end -= 8;
    }
    while end > 0 && is_default_blank(&row[end - 1]) {
        end -= 1;
    }
    end
}

/// Returns whether a cell is what a new screen is full of. A tab leaves a mark in the cell that it was written at.
#[inline]
fn is_default_blank(cell: &Cell) -> bool {
    (cell.c == ' ' || cell.c == '\t')
        & (cell.bg == DEFAULT_BACKGROUND)
        & (cell.fg == DEFAULT_FOREGROUND)
        & cell.flags.is_empty()
        & cell.extra.is_none()
}

/// Appends the printable ASCII cells from `at` on that look like the first, eight at a time; returns where it stopped.
#[inline]
fn write_ascii(row: &[Cell], mut at: usize, text: &mut Vec<u8>) -> usize {
    let head = &row[at];
    while let Some(cells) = row.get(at..at + 8) {
        let mut fits = true;
        let mut bytes = [0; 8];
        for (cell, byte) in cells.iter().zip(&mut bytes) {
            fits &= (cell.c as u32).wrapping_sub(0x20) < 0x5f
                && cell.flags == head.flags
                && cell.fg == head.fg
                && cell.bg == head.bg
                && cell.extra.is_none();
            *byte = cell.c as u8;
        }
        if !fits {
            break;
        }
        text.extend_from_slice(&bytes);
        at += 8;
    }
    at
}

#[inline]
fn push_char(text: &mut Vec<u8>, character: char) {
    match character {
        '\t' => text.push(b' '),
        ' '..='~' => text.push(character as u8),
        // Most of what is not ASCII; a length that is known spares a call for every character.
        '\u{800}'..='\u{ffff}' => {
            let mut bytes = [0; 3];
            character.encode_utf8(&mut bytes);
            text.extend_from_slice(&bytes);
        }
        _ => text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// Returns whether the shapes of a row follow from its characters: every wide one with its spacer behind it, and a
/// spacer before the edge only where a wide one went to the next row.
fn is_regular(row: &[Cell], columns: usize, wraps: bool) -> bool {
    let mut at = 0;
    while let Some(cell) = row.get(at) {
        let last = at + 1 == columns;
        let shape = if last {
            cell.flags & (SHAPE - Flags::WRAPLINE)
        } else {
            cell.flags & SHAPE
        };
        at += 1;
        if shape == Flags::WIDE_CHAR {
            let Some(spacer) = row.get(at) else { return false };
            let spacer_shape = spacer.flags & (SHAPE - Flags::WRAPLINE);
            let wrap_is_misplaced = at + 1 != columns && spacer.flags.contains(Flags::WRAPLINE);
            let hang_on_them = cell.extra.is_some() || spacer.extra.is_some();
            if spacer_shape != Flags::WIDE_CHAR_SPACER
                || wrap_is_misplaced
                || spacer.flags & LOOK != cell.flags & LOOK
                || spacer.fg != cell.fg
                || spacer.bg != cell.bg
                || hang_on_them
                    && (spacer.underline_color() != cell.underline_color()
                        || spacer.hyperlink() != cell.hyperlink())
            {
                return false;
            }
            at += 1;
        } else if shape == Flags::LEADING_WIDE_CHAR_SPACER {
            let default = Cell {
                flags: cell.flags & SHAPE,
                ..Cell::default()
            };
            if !(last && wraps && *cell == default) {
                return false;
            }
        } else if !shape.is_empty() {
            return false;
        }
    }
    true
}

/// Writes runs, joining neighbours that look alike.
struct RunWriter<'a> {
    runs: &'a mut Vec<u8>,
    count: u64,
    length: u64,
    look: Look,
    styled: bool,
}

impl RunWriter<'_> {
    #[inline]
    fn add(&mut self, length: u64, look: Look) {
        if look != self.look {
            self.close();
            self.look = look;
            self.styled = true;
        }
        self.length += length;
    }

    /// Writes a run for one cell: rows like this are too rare to join anything.
    fn add_shaped(&mut self, look: Look, shape: Flags) {
        varint::write(self.runs, shape_code(shape));
        look.write(self.runs);
        self.count += 1;
    }

    fn close(&mut self) {
        if self.length > 0 {
            varint::write(self.runs, self.length);
            self.look.write(self.runs);
            self.count += 1;
            self.length = 0;
        }
    }

    fn finish(&mut self) {
        if self.styled {
            self.close();
        }
    }

    fn restart(&mut self) {
        self.runs.clear();
        (self.count, self.length, self.look, self.styled) = (0, 0, Look::default(), false);
    }
}

/// Returns whether a cell of this shape is no part of the text. The column that a wide character left empty is a blank
/// like any other once an edit moved it away from where the row goes on.
pub(super) fn shows_nothing(shape: Flags, is_where_row_goes_on: bool) -> bool {
    shape.contains(Flags::WIDE_CHAR_SPACER)
        || is_where_row_goes_on && shape.contains(Flags::LEADING_WIDE_CHAR_SPACER)
}

fn shape_code(shape: Flags) -> u64 {
    u64::from(shape.contains(Flags::WIDE_CHAR))
        | u64::from(shape.contains(Flags::WIDE_CHAR_SPACER)) << 1
        | u64::from(shape.contains(Flags::LEADING_WIDE_CHAR_SPACER)) << 2
        | u64::from(shape.contains(Flags::WRAPLINE)) << 3
}

/// Returns bytes of a buffer as text.
#[inline]
#[expect(
    unsafe_code,
    reason = "checking megabytes again on every read would cost more than the search in them"
)]
pub(super) fn as_text(bytes: &[u8]) -> &str {
    debug_assert!(std::str::from_utf8(bytes).is_ok());
    // SAFETY: `RowBuffer` is the only writer of these bytes. It appends whole characters, and every slice it makes
    // begins and ends where one row's text does, also after the bytes went through the compressor and back.
    unsafe { std::str::from_utf8_unchecked(bytes) }
}
