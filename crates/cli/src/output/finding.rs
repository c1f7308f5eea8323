//! What `pupitre doctor` found, as people read it.

use std::io;

use super::table::{Cell, Table};
use super::{Output, style};
use crate::commands::doctor::{Finding, FindingState};

impl Output {
    /// Writes one line for each thing that was looked at.
    pub(crate) fn findings(&mut self, findings: &[Finding]) -> io::Result<()> {
        let mut table = Table::new(&["", "what", "how it is"]);
        for finding in findings {
            let (word, style) = match finding.state {
                FindingState::Good => ("good", style::GOOD),
                FindingState::Note => ("note", style::BUSY),
                FindingState::Bad => ("bad", style::BAD),
            };
            table.row(vec![
                Cell::styled(word, style),
                Cell::styled(finding.what, style::HEADING),
                Cell::new(&finding.words),
            ]);
        }
        self.table(&table)
    }
}
