//! Folding the grid of an idle screen into rows of text: 13 KiB instead of 240, and a tenth of a millisecond to unfold.

use alacritty_terminal::grid::{Cursor, Dimensions, Grid, Row};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};

use super::Screen;
use crate::capture::no_grid;
use crate::capture::rows::RowTracker;
use crate::history::{LooseRow, RowBuffer, RowContent, RowFacts};
use crate::size::Size;

/// The grids of a frozen screen.
pub(super) struct Frozen {
    pub(super) view: FrozenGrid,
    /// The primary screen, when the alternate one is in view.
    pub(super) primary: Option<FrozenGrid>,
}

/// A grid as rows of text.
pub(super) struct FrozenGrid {
    pub(super) rows: RowBuffer,
    pub(super) cursor: Cursor<Cell>,
    pub(super) saved_cursor: Cursor<Cell>,
}

impl Screen {
    /// Folds the screen into as little memory as it needs. Output and resizing unfold it by themselves; reading does
    /// not need to.
    pub fn freeze(&mut self) {
        if self.frozen.is_some() {
            return;
        }
        let capture = &mut self.capture;
        let view = FrozenGrid::of(
            &std::mem::replace(capture.term.grid_mut(), no_grid()),
            &capture.rows,
        );
        let primary = capture.primary.as_mut();
        let primary =
            primary.map(|grid| FrozenGrid::of(&std::mem::replace(grid, no_grid()), &capture.primary_rows));
        self.capture.history.shrink();
        self.scanner.shrink();
        self.frozen = Some(Frozen { view, primary });
    }

    /// Returns whether the screen is folded.
    pub fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    /// Unfolds the screen.
    pub(super) fn thaw(&mut self) {
        let Some(Frozen { view, primary }) = self.frozen.take() else {
            return;
        };
        let size = self.capture.size;
        *self.capture.term.grid_mut() = view.into_grid(size);
        self.capture.primary = primary.map(|primary| primary.into_grid(size));
        self.capture.rows.forget_used();
        self.capture.primary_rows.forget_used();
    }
}

impl FrozenGrid {
    fn of(grid: &Grid<Cell>, tracker: &RowTracker) -> Self {
        let mut rows = grid_rows(grid, |row| tracker.stamp(row));
        rows.shrink();
        Self {
            rows,
            cursor: grid.cursor.clone(),
            saved_cursor: grid.saved_cursor.clone(),
        }
    }

    fn into_grid(self, size: Size) -> Grid<Cell> {
        let mut grid = Grid::new(size.rows(), size.columns(), 0);
        for (index, view) in self.rows.views().enumerate() {
            grid[Line(index as i32)] = rebuilt_row(LooseRow::of(&view), size.columns());
        }
        grid.cursor = self.cursor;
        grid.saved_cursor = self.saved_cursor;
        grid
    }
}

/// Returns the rows of a grid as text; `stamp` gives the last change of each.
pub(super) fn grid_rows(grid: &Grid<Cell>, stamp: impl Fn(usize) -> u64) -> RowBuffer {
    let mut rows = RowBuffer::default();
    let mut runs = Vec::new();
    for index in 0..grid.screen_lines() {
        let facts = RowFacts {
            used: grid.columns(),
            stamp: stamp(index),
            content: RowContent::Any,
        };
        rows.push(
            &grid[Line(index as i32)][Column(0)..Column(grid.columns())],
            facts,
            &mut runs,
        );
    }
    rows
}

/// Returns whether the cells of a row are those of a row of `columns`, as [`rebuilt_row`] needs it.
pub(super) fn fits_exactly(row: &LooseRow, columns: usize) -> bool {
    let cells = row.cells.len();
    if row.wraps {
        cells == columns || cells + 1 == columns
    } else {
        cells <= columns
    }
}

/// Returns the row as the emulator had it.
pub(super) fn rebuilt_row(row: LooseRow, columns: usize) -> Row<Cell> {
    debug_assert!(fits_exactly(&row, columns));
    let mut cells = row.cells;
    if row.wraps && cells.len() + 1 == columns {
        // The column before a wide character that went to the next row.
        cells.push(Cell {
            flags: Flags::LEADING_WIDE_CHAR_SPACER,
            ..Cell::default()
        });
    }
    cells.resize(columns, Cell::default());
    cells.shrink_to_fit();
    if row.wraps
        && let Some(last) = cells.last_mut()
    {
        last.flags.insert(Flags::WRAPLINE);
    }
    Row::from_vec(cells, columns)
}
