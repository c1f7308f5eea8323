//! The size of a screen, within what the engine is willing to allocate.

use alacritty_terminal::grid::Dimensions;

/// Columns and rows of a screen.
///
/// Both are brought within limits when built: a program or a client that asks for a 65,535 × 65,535 screen would
/// otherwise cost 100 GB. A screen has at least two columns, because a wide character needs both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    columns: u16,
    rows: u16,
}

impl Size {
    /// The widest and the tallest screen.
    pub const MAXIMUM: Self = Self {
        columns: 1000,
        rows: 1000,
    };
    /// The smallest screen.
    pub const MINIMUM: Self = Self { columns: 2, rows: 1 };

    /// Returns the size, each side brought between [`Size::MINIMUM`] and [`Size::MAXIMUM`].
    pub fn new(columns: u16, rows: u16) -> Self {
        Self {
            columns: columns.clamp(Self::MINIMUM.columns, Self::MAXIMUM.columns),
            rows: rows.clamp(Self::MINIMUM.rows, Self::MAXIMUM.rows),
        }
    }

    /// Returns the number of columns.
    pub fn columns(self) -> usize {
        usize::from(self.columns)
    }

    /// Returns the number of rows.
    pub fn rows(self) -> usize {
        usize::from(self.rows)
    }
}

impl Default for Size {
    fn default() -> Self {
        Self {
            columns: 80,
            rows: 24,
        }
    }
}

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        self.rows()
    }

    fn screen_lines(&self) -> usize {
        self.rows()
    }

    fn columns(&self) -> usize {
        Size::columns(*self)
    }
}
