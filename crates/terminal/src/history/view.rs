//! Reading rows out of a buffer: as text, as runs of one look, as the cells they were.

use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};
use unicode_width::UnicodeWidthChar;

use super::row::{HEADER_BITS, PADDED, RowBuffer, SHAPED, STYLED, WRAPPED, as_text, shows_nothing};
use super::style::{Link, Look};
use super::varint;

/// A row of a buffer.
pub(crate) struct RowView<'a> {
    /// What a reader sees, without the blanks at the end.
    pub(crate) text: &'a str,
    /// The row goes on in the next one.
    pub(crate) wraps: bool,
    /// The generation of the last change.
    pub(crate) stamp: u64,
    pub(crate) links: &'a [Link],
    /// Blanks behind the text that have a look of their own.
    pad: usize,
    shaped: bool,
    run_count: u64,
    runs: &'a [u8],
    pub(super) text_end: usize,
    pub(super) meta_end: usize,
}

/// A cell of a row, as it is drawn.
pub(crate) struct Piece<'a> {
    /// The character and the marks on it; empty for a spacer.
    pub(crate) text: &'a str,
    pub(crate) shape: Flags,
    pub(crate) look: Look,
}

impl<'a> RowView<'a> {
    /// Returns whether wide characters of this row were cut.
    pub(crate) fn is_shaped(&self) -> bool {
        self.shaped
    }

    /// Calls `each` with every run of text of one look.
    pub(crate) fn for_each_run(&self, mut each: impl FnMut(&'a str, Look)) {
        if self.shaped {
            self.for_each_shaped_piece(|piece| {
                if !piece.text.is_empty() {
                    each(piece.text, piece.look);
                }
            });
        } else {
            self.for_each_plain_run(each);
        }
    }

    /// Calls `each` with every cell.
    pub(crate) fn for_each_piece(&self, mut each: impl FnMut(Piece<'a>)) {
        if self.shaped {
            return self.for_each_shaped_piece(each);
        }
        self.for_each_plain_run(|text, look| {
            for cluster in Clusters(text) {
                let wide = cluster.chars().next().and_then(UnicodeWidthChar::width) == Some(2);
                let shape = if wide { Flags::WIDE_CHAR } else { Flags::empty() };
                each(Piece {
                    text: cluster,
                    shape,
                    look,
                });
                if wide {
                    each(Piece {
                        text: "",
                        shape: Flags::WIDE_CHAR_SPACER,
                        look,
                    });
                }
            }
        });
    }

    fn for_each_plain_run(&self, mut each: impl FnMut(&'a str, Look)) {
        if self.run_count == 0 {
            if !self.text.is_empty() {
                each(self.text, Look::default());
            }
            each_blanks(self.pad, |blanks| each(blanks, Look::default()));
        } else {
            let (mut at, mut from) = (0, 0);
            for _ in 0..self.run_count {
                let to = from + varint::read(self.runs, &mut at) as usize;
                let look = Look::read(self.runs, &mut at);
                if from < self.text.len() {
                    each(&self.text[from..to.min(self.text.len())], look);
                }
                let blanks = to.saturating_sub(from.max(self.text.len()));
                each_blanks(blanks, |blanks| each(blanks, look));
                from = to;
            }
        }
    }

    fn for_each_shaped_piece(&self, mut each: impl FnMut(Piece<'a>)) {
        let mut clusters = Clusters(self.text);
        let mut at = 0;
        for index in 1..=self.run_count {
            let shape = shape_of(varint::read(self.runs, &mut at));
            let look = Look::read(self.runs, &mut at);
            // Blanks at the end of the text are not stored, so a cell that finds no text left is one of them.
            let text = if shows_nothing(shape, self.wraps && index == self.run_count) {
                ""
            } else {
                clusters.next().unwrap_or(" ")
            };
            each(Piece { text, shape, look });
        }
    }
}

/// Calls `each` with pieces of `count` blanks.
fn each_blanks(mut count: usize, mut each: impl FnMut(&'static str)) {
    const BLANKS: &str = "                                                                ";
    while count > 0 {
        let part = count.min(BLANKS.len());
        each(&BLANKS[..part]);
        count -= part;
    }
}

/// The parts of a text that each stand in a cell of their own: a character and the marks on it.
struct Clusters<'a>(&'a str);

impl<'a> Iterator for Clusters<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let mut ends = self.0.char_indices().skip(1);
        let end = ends
            .find(|(_, next)| next.width() != Some(0))
            .map_or(self.0.len(), |(end, _)| end);
        let (cluster, rest) = self.0.split_at(end);
        self.0 = rest;
        (!cluster.is_empty()).then_some(cluster)
    }
}

/// The rows of a buffer, oldest first.
pub(crate) struct RowViews<'a> {
    text: &'a [u8],
    meta: &'a [u8],
    links: &'a [Link],
    text_at: usize,
    meta_at: usize,
    stamp: u64,
}

impl<'a> RowViews<'a> {
    pub(super) fn new(text: &'a [u8], meta: &'a [u8], links: &'a [Link]) -> Self {
        Self {
            text,
            meta,
            links,
            text_at: 0,
            meta_at: 0,
            stamp: 0,
        }
    }

    /// Returns the rows from a place on at which a row begins, behind one that was last written in `stamp`.
    pub(super) fn from_place(buffer: &'a RowBuffer, text_at: usize, meta_at: usize, stamp: u64) -> Self {
        Self {
            text_at,
            meta_at,
            stamp,
            ..buffer.views()
        }
    }
}

impl<'a> Iterator for RowViews<'a> {
    type Item = RowView<'a>;

    fn next(&mut self) -> Option<RowView<'a>> {
        if self.meta_at >= self.meta.len() {
            return None;
        }
        let (meta, at) = (self.meta, &mut self.meta_at);
        let header = varint::read(meta, at);
        let length = (header >> HEADER_BITS) as usize;
        self.stamp = self
            .stamp
            .wrapping_add(varint::unfold(varint::read(meta, at)) as u64);
        let pad = if header & PADDED != 0 {
            varint::read(meta, at) as usize
        } else {
            0
        };
        let mut run_count = 0;
        let mut runs_start = *at;
        if header & (STYLED | SHAPED) != 0 {
            run_count = varint::read(meta, at);
            runs_start = *at;
            for _ in 0..run_count {
                varint::read(meta, at);
                Look::read(meta, at);
            }
        }
        let wraps = header & WRAPPED != 0;
        let text = as_text(&self.text[self.text_at..self.text_at + length]);
        self.text_at += length + usize::from(!wraps);
        Some(RowView {
            text,
            wraps,
            stamp: self.stamp,
            links: self.links,
            pad,
            shaped: header & SHAPED != 0,
            run_count,
            runs: &meta[runs_start..*at],
            text_end: self.text_at,
            meta_end: *at,
        })
    }
}

/// A row as cells, taken out of a buffer to be put on a screen again.
#[derive(Clone, Debug)]
pub(crate) struct LooseRow {
    /// The cells up to the last one that is no default blank.
    pub(crate) cells: Vec<Cell>,
    /// The row goes on in the next one.
    pub(crate) wraps: bool,
    /// The generation of the last change.
    pub(crate) stamp: u64,
}

impl LooseRow {
    pub(crate) fn of(view: &RowView<'_>) -> Self {
        let mut cells: Vec<Cell> = Vec::new();
        let mut base = (Look::default(), Cell::default());
        view.for_each_piece(|piece| {
            if piece.look != base.0 {
                base = (piece.look, piece.look.to_cell());
                if let Some(link) = piece
                    .look
                    .link
                    .checked_sub(1)
                    .and_then(|link| view.links.get(link as usize))
                {
                    base.1
                        .set_hyperlink(Some(Hyperlink::new(Some(&link.id), link.uri.to_string())));
                }
            }
            let mut cell = base.1.clone();
            cell.flags |= piece.shape;
            let mut characters = piece.text.chars();
            cell.c = characters.next().unwrap_or(' ');
            characters.for_each(|mark| cell.push_zerowidth(mark));
            cells.push(cell);
        });
        Self {
            cells,
            wraps: view.wraps,
            stamp: view.stamp,
        }
    }
}

fn shape_of(code: u64) -> Flags {
    let mut shape = Flags::empty();
    shape.set(Flags::WIDE_CHAR, code & 1 != 0);
    shape.set(Flags::WIDE_CHAR_SPACER, code & 2 != 0);
    shape.set(Flags::LEADING_WIDE_CHAR_SPACER, code & 4 != 0);
    shape.set(Flags::WRAPLINE, code & 8 != 0);
    shape
}
