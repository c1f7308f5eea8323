//! The tab stops, mirrored because the emulator does not tell them.

/// Columns between the stops that a screen begins with.
const INTERVAL: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TabStops(Vec<bool>);

impl TabStops {
    pub(crate) fn new(columns: usize) -> Self {
        Self((0..columns).map(|column| column % INTERVAL == 0).collect())
    }

    pub(crate) fn set(&mut self, column: usize) {
        self.0[column] = true;
    }

    pub(crate) fn clear(&mut self, column: usize) {
        self.0[column] = false;
    }

    pub(crate) fn clear_all(&mut self) {
        self.0.fill(false);
    }

    /// Keeps the stops there are; new columns get the stops that a screen begins with.
    pub(crate) fn resize(&mut self, columns: usize) {
        let known = self.0.len();
        self.0.truncate(columns);
        self.0
            .extend((known..columns).map(|column| column % INTERVAL == 0));
    }

    /// Returns whether these are the stops that a screen begins with.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::new(self.0.len())
    }

    pub(crate) fn stops(&self) -> impl Iterator<Item = usize> {
        self.0
            .iter()
            .enumerate()
            .filter(|(_, stop)| **stop)
            .map(|(column, _)| column)
    }
}
