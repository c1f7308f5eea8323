//! The seams between an agent's lines: where what it says piece by piece goes on.
//!
//! A message of ACP says what kind of update it is and has its text under some key. The texts of the same key in the same
//! kind of message are taken for one text, whatever comes between two of them.

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memmem;

use super::redactor::{OpenEnd, Redactor};

/// The most texts of which the end is remembered, and the longest name of one, in bytes.
const STREAMS: usize = 64;
const NAME_BYTES: usize = 128;

/// The ends of texts that may go on as a secret, by the kind of their message and their key.
#[derive(Debug, Default)]
pub(super) struct Seams {
    open: BTreeMap<(String, String), OpenEnd>,
}

impl Seams {
    /// Returns what in a line of an agent's belongs to secrets that go over its beginning or its end.
    pub(super) fn places(&mut self, line: &str, redactor: &Redactor) -> Vec<Range<usize>> {
        if redactor.is_empty() {
            return Vec::new();
        }
        let kind = kind(line);
        let mut places = Vec::new();
        let mut key = "";
        for token in strings(line) {
            let text = &line[token.clone()];
            if line[token.end + 1..].trim_start().starts_with(':') {
                key = text;
                continue;
            }
            // Nearly always there is nothing to remember.
            if text.is_empty() || self.open.is_empty() && redactor.open_end(text) == text.len() {
                continue;
            }
            if kind.len() + key.len() > NAME_BYTES {
                continue;
            }
            let stream = (kind.to_owned(), key.to_owned());
            let mut open = self.open.remove(&stream).unwrap_or_default();
            let found = redactor.seam_places(text, &mut open);
            places.extend(
                found
                    .into_iter()
                    .map(|place| token.start + place.start..token.start + place.end),
            );
            if open != OpenEnd::default() {
                if self.open.len() >= STREAMS {
                    self.open.pop_first();
                }
                self.open.insert(stream, open);
            }
        }
        places
    }
}

/// Returns what tells one kind of message from another.
fn kind(line: &str) -> &str {
    let value = |key: &str| {
        let at = memmem::find(line.as_bytes(), key.as_bytes())? + key.len();
        let token = strings(&line[at..]).next()?;
        Some(&line[at + token.start..at + token.end])
    };
    value("\"sessionUpdate\"")
        .or_else(|| value("\"method\""))
        .unwrap_or_default()
}

/// Returns where the strings of a line of JSON stand, without their quotes.
fn strings(line: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + memchr::memchr(b'"', &bytes[at..])? + 1;
        let mut end = start;
        loop {
            end += memchr::memchr2(b'"', b'\\', &bytes[end..])?;
            if bytes[end] == b'"' {
                break;
            }
            // The sign behind a backslash ends nothing.
            end = (end + 2).min(bytes.len());
        }
        at = end + 1;
        Some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "sk-51c7\"d0e2";

    fn chunk(kind: &str, text: &str) -> String {
        let text = serde_json::to_string(text).expect("a text is JSON");
        format!(r#"{{"update":{{"content":{{"type":"text","text":{text}}},"sessionUpdate":"{kind}"}}}}"#)
    }

    /// Checks what lines become, without what is the same in all of them.
    #[track_caller]
    fn check(lines: &[(&str, &str)], expected: &[&str]) {
        let redactor = Redactor::new([SECRET]);
        let mut seams = Seams::default();
        let shown = lines.iter().map(|(kind, text)| {
            let line = chunk(kind, text);
            let places = seams.places(&line, &redactor);
            let shown = redactor.redact_with(&line, line.len(), places).into_owned();
            let begin = shown.find("\"text\":\"").expect("it has a text") + 8;
            let end = shown.find("\"},\"session").expect("it ends");
            shown[begin..end].to_owned()
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_secret_over_two_lines_stands_in_neither() {
        check(
            &[("m", "it is sk-51c7"), ("m", "\"d0e2!")],
            &["it is ***", "***!"],
        );
        check(
            &[
                ("m", "it is sk-51c7"),
                ("t", "what else"),
                ("m", ""),
                ("m", "\"d0e2!"),
            ],
            &["it is ***", "what else", "", "***!"],
        );
        // Another text is not what goes on.
        check(
            &[("m", "it is sk"), ("t", "-51c7\"d0e2")],
            &["it is sk", "-51c7\\\"d0e2"],
        );
        check(&[("m", "it is sk-51"), ("m", "00")], &["it is ***", "00"]);
    }

    #[test]
    fn a_line_that_is_cut_or_no_json_is_read_as_far_as_it_goes() {
        let redactor = Redactor::new([SECRET]);
        for line in [
            "",
            "\"",
            "{\"a\":\"b",
            "\"\\",
            "\\\"\"sk-51",
            "{\"method\"",
            "\"é\\\"\"sk-5\"",
        ] {
            Seams::default().places(line, &redactor);
        }
    }

    #[test]
    fn not_more_than_a_few_texts_are_remembered() {
        let redactor = Redactor::new([SECRET]);
        let mut seams = Seams::default();
        for number in 0..1_000 {
            seams.places(&chunk(&number.to_string(), "sk-51"), &redactor);
        }
        assert_eq!(seams.open.len(), STREAMS);
    }
}
