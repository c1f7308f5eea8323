//! Finding lines: a substring whatever its case, or a regular expression, line by line.

use std::collections::VecDeque;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::Look;

use super::Screen;
use crate::history::LineNumber;

/// Bytes that a compiled pattern may take.
const PATTERN_BYTES: usize = 1 << 20;

/// What to look for.
#[derive(Clone, Debug)]
pub struct SearchPattern {
    /// For one line.
    line: Regex,
    /// For many lines at once, to find candidates; none when the pattern says where the whole text begins or ends.
    text: Option<Regex>,
}

/// Why a pattern cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    #[error("the pattern is no valid regular expression: {}", in_one_line(.0))]
    Invalid(#[from] Box<regex::Error>),
}

/// Returns what is wrong without the drawing of where, which takes several lines.
fn in_one_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// A line that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchMatch {
    pub line: LineNumber,
    /// Lines between it and the newest one: what [`Screen::read`] takes to show it last.
    pub offset: usize,
    pub text: String,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// The newest lines that match, oldest first.
    pub matches: Vec<SearchMatch>,
    /// How many lines match in all.
    pub total: usize,
}

impl SearchPattern {
    /// Returns a pattern for a substring, whatever its case.
    ///
    /// # Errors
    ///
    /// When the text is too long to be compiled.
    pub fn substring(text: &str) -> Result<Self, PatternError> {
        Self::compile(&format!("(?i:{})", regex::escape(text)))
    }

    /// Returns a pattern for a regular expression, which is tested line by line: `^` and `$` are the ends of a line.
    ///
    /// # Errors
    ///
    /// When it is not valid or too large.
    pub fn regex(pattern: &str) -> Result<Self, PatternError> {
        Self::compile(pattern)
    }

    /// Returns whether a line matches.
    pub fn matches(&self, line: &str) -> bool {
        self.line.is_match(line)
    }

    fn compile(pattern: &str) -> Result<Self, PatternError> {
        let builder = |multi_line: bool| {
            let mut builder = RegexBuilder::new(pattern);
            builder
                .size_limit(PATTERN_BYTES)
                .multi_line(multi_line)
                .build()
                .map_err(Box::new)
        };
        let line = builder(false)?;
        let anchored = regex_syntax::ParserBuilder::new()
            .multi_line(true)
            .build()
            .parse(pattern)
            .map_or(true, |hir| {
                let looks = hir.properties().look_set();
                looks.contains(Look::Start) || looks.contains(Look::End)
            });
        let text = if anchored { None } else { Some(builder(true)?) };
        Ok(Self { line, text })
    }

    /// Calls `each` with the index and text of every line of `text` that matches.
    fn find_lines<'t>(&self, text: &'t str, mut each: impl FnMut(u64, &'t str)) {
        let Some(many) = &self.text else {
            for (index, line) in text.split('\n').enumerate() {
                if self.line.is_match(line) {
                    each(index as u64, line);
                }
            }
            return;
        };
        // A match may reach over several lines and then be none, but no line that matches is passed over: a search
        // that begins at or before it finds something there at the latest.
        let (mut at, mut counted, mut index) = (0, 0, 0);
        while let Some(found) = many.find_at(text, at) {
            let start = memchr::memrchr(b'\n', &text.as_bytes()[..found.start()]).map_or(0, |feed| feed + 1);
            let end = memchr::memchr(b'\n', &text.as_bytes()[found.start()..]);
            let end = end.map_or(text.len(), |end| found.start() + end);
            let line = &text[start..end];
            index += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..start]).count() as u64;
            counted = start;
            if self.line.is_match(line) {
                each(index, line);
            }
            at = end + 1;
            if at > text.len() {
                break;
            }
        }
    }
}

impl Screen {
    /// Returns the newest `most` lines that match, and how many match in all.
    pub fn search(&self, pattern: &SearchPattern, most: usize) -> SearchResult {
        let view = self.view_rows();
        let extent = self.extent(&view);
        let lines = extent.end.0 - extent.first.0;
        if lines == 0 {
            return SearchResult::default();
        }
        let mut text = String::new();
        self.write_text_from(&view, extent.first, &mut text);
        let mut total = 0;
        let mut newest: VecDeque<(u64, &str)> = VecDeque::new();
        pattern.find_lines(&text, |index, line| {
            if index < lines {
                total += 1;
                newest.push_back((index, line));
                if newest.len() > most {
                    newest.pop_front();
                }
            }
        });
        let matches = newest.into_iter().map(|(index, line)| SearchMatch {
            line: LineNumber(extent.first.0 + index),
            offset: (lines - 1 - index) as usize,
            text: line.to_owned(),
        });
        SearchResult {
            matches: matches.collect(),
            total,
        }
    }
}
