//! The rows of a pane with their looks, for whoever draws them.

use super::Screen;
use crate::history::{Link, RowView, Style};

/// A row with its looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyledRow {
    pub runs: Vec<StyledRun>,
    pub wrap: Wrap,
}

/// Whether a row goes on in the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    Ends,
    Continues,
}

/// Text of one look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyledRun {
    pub text: String,
    pub style: Style,
    pub link: Option<Link>,
}

impl Screen {
    /// Returns the rows of the history, oldest first. They may have been broken at another width than today's.
    pub fn history_rows(&self) -> Vec<StyledRow> {
        let mut rows = Vec::with_capacity(self.capture.history.rows());
        self.capture
            .history
            .for_each_row(|row| rows.push(StyledRow::of(row)));
        rows
    }

    /// Returns the rows in view. Blanks at the end of a row that look like nothing are left out.
    pub fn screen_rows(&self) -> Vec<StyledRow> {
        self.view_rows().views().map(|row| StyledRow::of(&row)).collect()
    }
}

impl StyledRow {
    fn of(row: &RowView<'_>) -> Self {
        let mut runs: Vec<StyledRun> = Vec::new();
        row.for_each_run(|text, look| {
            let link = (look.link as usize)
                .checked_sub(1)
                .and_then(|link| row.links.get(link));
            match runs.last_mut() {
                Some(last) if last.style == look.style && last.link.as_ref() == link => {
                    last.text.push_str(text)
                }
                _ => runs.push(StyledRun {
                    text: text.to_owned(),
                    style: look.style,
                    link: link.cloned(),
                }),
            }
        });
        Self {
            runs,
            wrap: if row.wraps { Wrap::Continues } else { Wrap::Ends },
        }
    }
}
