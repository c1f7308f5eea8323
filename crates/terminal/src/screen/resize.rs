//! Another size: lines are broken anew, with as much of the history as the new screen may show.
//!
//! The emulator breaks lines anew only in its own scrollback, which is empty here. So the newest rows of the history
//! are put there first and taken out again afterwards. Older rows stay as they are: they belong to whole lines, and a
//! line's text does not depend on where it was broken.

use std::collections::VecDeque;

use alacritty_terminal::grid::{Dimensions, Grid, Row};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};

use super::Screen;
use super::freeze::{fits_exactly, rebuilt_row};
use crate::capture::rows::RowTracker;
use crate::history::{LooseRow, RowContent, RowFacts};
use crate::size::Size;

/// Rows of history that a resize looks at. A line that is longer keeps its older part as it was broken before.
const MOST_ROWS: usize = 4096;

impl Screen {
    /// Gives the screen another size.
    pub fn resize(&mut self, size: Size) {
        let old = self.capture.size;
        if size == old {
            return;
        }
        self.thaw();
        // The emulator resizes its placeholders, its tab stops and its region; not when it sees no change, so that the
        // placeholder must have another width.
        let other_columns = if size.columns() == 2 { 3 } else { 2 };
        let view = std::mem::replace(
            self.capture.term.grid_mut(),
            Grid::new(size.rows(), other_columns, 0),
        );
        self.capture.term.resize(size);
        self.capture.drop_other_grid();
        self.capture.size = size;
        let view = match self.capture.primary.take() {
            None => {
                let (grid, rows) = self.reflow(view, old, size, |screen| &screen.capture.rows);
                self.capture.rows = rows;
                grid
            }
            Some(primary) => {
                let (primary, rows) = self.reflow(primary, old, size, |screen| &screen.capture.primary_rows);
                self.capture.primary = Some(primary);
                self.capture.primary_rows = rows;
                let mut alternate = view;
                (0..old.rows()).for_each(|line| heal(&mut alternate[Line(line as i32)]));
                alternate = with_rows_above(alternate, Vec::new(), size.rows());
                alternate.resize(false, size.rows(), size.columns());
                alternate.truncate();
                (0..size.rows()).for_each(|line| heal(&mut alternate[Line(line as i32)]));
                self.capture.rows = RowTracker::new(size);
                self.capture.rows.touch_all(self.capture.generation);
                alternate
            }
        };
        *self.capture.term.grid_mut() = view;
        self.capture.after_resize();
        self.capture.history.trim();
    }

    /// Breaks the primary screen's lines anew; what no longer fits above goes to the history.
    fn reflow(
        &mut self,
        mut grid: Grid<Cell>,
        old: Size,
        size: Size,
        tracker: impl Fn(&Self) -> &RowTracker,
    ) -> (Grid<Cell>, RowTracker) {
        let mut stamps = LineStamps::default();
        let split = self.take_rows_for(old, size, &mut stamps);
        let above = split.len();
        grid = with_rows_above(grid, split, old.rows() + size.rows());
        for index in 0..old.rows() {
            heal(&mut grid[Line(index as i32)]);
            let wraps = grid[Line(index as i32)][Column(old.columns() - 1)]
                .flags
                .contains(Flags::WRAPLINE);
            stamps.add(tracker(self).stamp(index), wraps);
        }
        // Room for every row that the lines may need at the new width.
        let rows_per_row = (old.columns() * 2).div_ceil(size.columns()) + 1;
        grid.update_history((above + old.rows()) * rows_per_row + old.rows() + size.rows());
        grid.resize(true, size.rows(), size.columns());
        let mut rows = RowTracker::new(size);
        let harvested = grid.history_size() as i32;
        let mut stamps_left = stamps.0;
        let mut next_stamp = |row: &Row<Cell>| {
            let stamp = stamps_left.front().copied().unwrap_or(0);
            if !row[Column(size.columns() - 1)].flags.contains(Flags::WRAPLINE) {
                stamps_left.pop_front();
            }
            stamp
        };
        for line in -harvested..0 {
            let row = &grid[Line(line)];
            let facts = RowFacts {
                used: size.columns(),
                stamp: next_stamp(row),
                content: RowContent::Any,
            };
            self.capture
                .history
                .push(&row[Column(0)..Column(size.columns())], facts);
        }
        (0..size.rows()).for_each(|line| heal(&mut grid[Line(line as i32)]));
        let screen_stamps: Vec<u64> = (0..size.rows())
            .map(|line| next_stamp(&grid[Line(line as i32)]))
            .collect();
        rows.forget_used();
        rows.set_stamps(screen_stamps.into_iter());
        grid.update_history(0);
        // The spare rows have done what they were for.
        grid.truncate();
        (grid, rows)
    }

    /// Takes the rows out of the history that the screen may show at the new size, broken at the old width.
    fn take_rows_for(&mut self, old: Size, size: Size, stamps: &mut LineStamps) -> Vec<Row<Cell>> {
        let grown = size.rows().saturating_sub(old.rows());
        let wanted = if size.columns() > old.columns() {
            // Every row of the new screen may be made of this many old ones.
            size.rows() * (size.columns() / (old.columns() - 1) + 1) + grown
        } else {
            grown
        };
        let wanted = wanted.min(MOST_ROWS);
        let history = &mut self.capture.history;
        let (mut taken, mut split) = (VecDeque::new(), Vec::new());
        let mut missing = wanted;
        loop {
            let count = history.rows_to_take(missing, MOST_ROWS - taken.len());
            if count == 0 {
                break;
            }
            for row in history.pop_newest(count).into_iter().rev() {
                taken.push_front(row);
            }
            // Rows that were stored at a smaller width become fewer.
            split = resplit(taken.iter().cloned().collect(), old.columns());
            missing = wanted.saturating_sub(split.len());
            if missing == 0 || taken.len() >= MOST_ROWS {
                break;
            }
        }
        taken.iter().for_each(|row| stamps.add(row.stamp, row.wraps));
        split
    }
}

/// Returns the grid with these rows in its history, and room for `spare` rows more.
///
/// Where the emulator finds no room it makes a thousand rows at once: most of the time of a resize, at 200 columns. It
/// finds room in rows that were taken off the screen.
fn with_rows_above(mut grid: Grid<Cell>, mut above: Vec<Row<Cell>>, spare: usize) -> Grid<Cell> {
    above.iter_mut().for_each(heal);
    let (rows, columns, above_rows) = (grid.screen_lines(), grid.columns(), above.len());
    let mut roomy = Grid::new(2 * above_rows + rows + spare, columns, 0);
    roomy.resize(false, above_rows + rows, columns);
    for (line, row) in above.into_iter().enumerate() {
        roomy[Line(line as i32)] = row;
    }
    for line in 0..rows {
        std::mem::swap(
            &mut roomy[Line((above_rows + line) as i32)],
            &mut grid[Line(line as i32)],
        );
    }
    // With the cursor in the last row, what is too much goes to the history.
    roomy.update_history(above_rows);
    roomy.cursor.point.line = Line((above_rows + rows) as i32 - 1);
    roomy.resize(false, rows, columns);
    roomy.cursor = grid.cursor;
    roomy.saved_cursor = grid.saved_cursor;
    roomy
}

/// Takes away flags of the end of a row that edits moved into its middle, and takes all of the row for written.
///
/// The emulator would take wrap flags, and the marks of a column that a wide character left empty, for ends of rows when
/// it breaks lines anew, and join lines that have nothing to do with each other. And a row that was erased in a colour
/// and then widened ends in cells of another, by which the emulator decides that nothing is left to erase.
fn heal(row: &mut Row<Cell>) {
    let last = row.len() - 1;
    for cell in &mut row[Column(0)..Column(last)] {
        cell.flags
            .remove(Flags::WRAPLINE | Flags::LEADING_WIDE_CHAR_SPACER);
    }
    if let Some(cell) = row.last_mut()
        && !cell.flags.contains(Flags::WRAPLINE)
    {
        cell.flags.remove(Flags::LEADING_WIDE_CHAR_SPACER);
    }
}

/// The last change of each line, oldest first. Breaking lines anew changes the rows, but not the lines.
#[derive(Default)]
struct LineStamps(VecDeque<u64>, LineEnd);

#[derive(Default, PartialEq)]
enum LineEnd {
    #[default]
    Ended,
    Open,
}

impl LineStamps {
    fn add(&mut self, stamp: u64, wraps: bool) {
        match self.0.back_mut() {
            Some(last) if self.1 == LineEnd::Open => *last = (*last).max(stamp),
            _ => self.0.push_back(stamp),
        }
        self.1 = if wraps { LineEnd::Open } else { LineEnd::Ended };
    }
}

/// Returns the rows as the emulator would have them at this width. Rows may have been stored at another.
fn resplit(rows: Vec<LooseRow>, columns: usize) -> Vec<Row<Cell>> {
    let mut split = Vec::with_capacity(rows.len());
    let mut line: Vec<LooseRow> = Vec::new();
    for row in rows {
        let ends = !row.wraps;
        line.push(row);
        if ends {
            split_line(std::mem::take(&mut line), columns, &mut split);
        }
    }
    split_line(line, columns, &mut split);
    split
}

fn split_line(line: Vec<LooseRow>, columns: usize, split: &mut Vec<Row<Cell>>) {
    let Some(last) = line.last() else { return };
    if line.iter().all(|row| fits_exactly(row, columns)) {
        split.extend(line.into_iter().map(|row| rebuilt_row(row, columns)));
        return;
    }
    let (goes_on, stamp) = (last.wraps, last.stamp);
    let mut cells = VecDeque::new();
    for mut row in line {
        if row.wraps {
            // The column that a wide character left empty is none of the line.
            row.cells
                .pop_if(|last| last.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER));
        }
        cells.extend(row.cells);
    }
    cells.iter_mut().for_each(|cell: &mut Cell| {
        cell.flags
            .remove(Flags::WRAPLINE | Flags::LEADING_WIDE_CHAR_SPACER)
    });
    loop {
        let mut taken = columns.min(cells.len());
        // A wide character does not stand in the last column.
        if taken > 0 && taken < cells.len() && cells[taken].flags.contains(Flags::WIDE_CHAR_SPACER) {
            taken -= 1;
        }
        let part: Vec<Cell> = cells.drain(..taken).collect();
        let wraps = !cells.is_empty() || goes_on;
        let mut row = LooseRow {
            cells: part,
            wraps,
            stamp,
        };
        if wraps && !fits_exactly(&row, columns) {
            row.cells.resize(columns, Cell::default());
        }
        split.push(rebuilt_row(row, columns));
        if cells.is_empty() {
            break;
        }
    }
}
