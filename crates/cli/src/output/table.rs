//! Tables for people: aligned by what a terminal shows, coloured only there.

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use super::neutral::one_line;
use super::{Paint, style};

const GAP: &str = "  ";

/// One field of a row.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// Returns a cell with this text, made harmless and put on one line.
    pub(crate) fn new(text: &str) -> Self {
        Self::styled(text, style::PLAIN)
    }

    pub(crate) fn styled(text: &str, style: Style) -> Self {
        Self {
            text: one_line(text),
            style,
        }
    }
}

/// Rows under headers.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    headers: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(crate) fn new(headers: &[&str]) -> Self {
        Self {
            headers: headers
                .iter()
                .map(|header| Cell::styled(header, style::DIM))
                .collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row with one cell for each header.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(
            cells.len(),
            self.headers.len(),
            "a row has one cell for each header"
        );
        self.rows.push(cells);
    }

    /// Returns the lines. Columns in which no row has anything are left out.
    pub(super) fn lines(&self, paint: Paint) -> Vec<String> {
        let columns: Vec<(usize, usize)> = (0..self.headers.len())
            .filter_map(|at| Some((at, self.width(at)?)))
            .collect();
        let all = std::iter::once(&self.headers).chain(&self.rows);
        all.map(|cells| line(cells, &columns, paint)).collect()
    }

    /// Returns the width of a column, `None` when it is empty.
    fn width(&self, at: usize) -> Option<usize> {
        let widest = self.rows.iter().map(|cells| cells[at].text.width()).max()?;
        (widest > 0).then_some(widest.max(self.headers[at].text.width()))
    }
}

fn line(cells: &[Cell], columns: &[(usize, usize)], paint: Paint) -> String {
    let mut line = String::new();
    let mut owed = 0;
    for &(at, width) in columns {
        let Cell { text, style } = &cells[at];
        // Spaces are written before the next cell only, so that no line ends with them.
        if !text.is_empty() {
            line.push_str(&" ".repeat(owed));
            line.push_str(&paint.text(*style, text));
            owed = 0;
        }
        owed += width - text.width() + GAP.len();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["name", "note", "nothing", "title"]);
        table.row(vec![
            Cell::new("a"),
            Cell::new(""),
            Cell::new(""),
            Cell::new("日本 \u{1b}[31mred\n!"),
        ]);
        table.row(vec![
            Cell::styled("longer", style::GOOD),
            Cell::new("x"),
            Cell::new(""),
            Cell::new(""),
        ]);
        table
    }

    #[test]
    fn columns_are_aligned_and_empty_ones_left_out() {
        let expected = ["name    note  title", "a             日本 red !", "longer  x"];
        assert_eq!(table().lines(Paint::Plain), expected);
    }

    #[test]
    fn colour_does_not_move_columns() {
        let plain = table().lines(Paint::Plain);
        let coloured: Vec<String> = table()
            .lines(Paint::Colour)
            .iter()
            .map(|line| anstream::adapter::strip_str(line).to_string())
            .collect();
        assert_ne!(table().lines(Paint::Colour), plain);
        assert_eq!(coloured, plain);
    }
}
