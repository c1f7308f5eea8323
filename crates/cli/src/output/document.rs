//! A document of an agent's words that comes in windows, made harmless on its way to a terminal or a file.

use std::io::{self, Write as _};

use super::Output;
use super::neutral::{Neutraliser, neutral_json};

/// What is known of a document between two windows.
#[derive(Debug)]
pub(crate) struct Document(Kind);

#[derive(Debug)]
enum Kind {
    Text(Neutraliser),
    Json,
}

impl Document {
    pub(crate) fn text() -> Self {
        Self(Kind::Text(Neutraliser::default()))
    }

    pub(crate) const fn json() -> Self {
        Self(Kind::Json)
    }
}

impl Output {
    /// Writes the next window to stdout, at the next flush.
    pub(crate) fn document(&mut self, document: &mut Document, window: &str) -> io::Result<()> {
        match &mut document.0 {
            Kind::Text(neutraliser) => self.out.writer.write_all(neutraliser.piece(window).as_bytes()),
            Kind::Json => self.out.writer.write_all(neutral_json(window).as_bytes()),
        }
    }
}
