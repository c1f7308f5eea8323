//! What is remembered of an agent's protocol messages, without its secrets.
//!
//! Responsible for the ring of the last messages and for blotting secrets out of everything that is kept or logged.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use memchr::memmem::Finder;
use pupitre_protocol::agent::{TraceDirection, TraceEntry};
use pupitre_protocol::limits;

use super::envelope::cut;

/// Shorter values are no secrets, and blotting them out would make everything unreadable. In bytes.
const SECRET_BYTES: usize = 4;

/// Values that JSON itself is made of: no secrets either.
const JSON_WORDS: [&str; 3] = ["true", "false", "null"];

const BLOT: &str = "***";

/// Blots out the values of an agent's environment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Redactor {
    /// Each secret, and the ways in which JSON may write it.
    secrets: Vec<Finder<'static>>,
    longest_bytes: usize,
}

impl Redactor {
    /// Returns a redactor of these values, of which those below 4 bytes count as no secrets.
    pub(crate) fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut forms = Vec::new();
        for value in values {
            if value.len() < SECRET_BYTES || JSON_WORDS.contains(&value) {
                continue;
            }
            forms.push(value.to_owned());
            let escaped = serde_json::to_string(value).expect("text is JSON");
            let escaped = &escaped[1..escaped.len() - 1];
            forms.push(escaped.to_owned());
            forms.push(ascii_only(escaped));
        }
        forms.sort_unstable();
        forms.dedup();
        Self {
            longest_bytes: forms.iter().map(String::len).max().unwrap_or(0),
            secrets: forms
                .iter()
                .map(|form| Finder::new(form.as_bytes()).into_owned())
                .collect(),
        }
    }

    /// Returns what the first `limit_bytes` of a text become, cut between two characters, with each secret replaced by
    /// `***`. A secret that lies across the cut is blotted out too.
    pub(crate) fn redact_start<'a>(&self, text: &'a str, limit_bytes: usize) -> Cow<'a, str> {
        let kept = cut(text, limit_bytes);
        let looked_at = &text.as_bytes()[..text.len().min(kept.len() + self.longest_bytes)];
        let secrets = self.places(looked_at);
        if secrets.is_empty() {
            return Cow::Borrowed(kept);
        }
        let mut out = String::with_capacity(kept.len());
        let mut copied = 0;
        for secret in secrets.into_iter().take_while(|secret| secret.start < kept.len()) {
            out.push_str(&kept[copied..secret.start]);
            out.push_str(BLOT);
            copied = secret.end.min(kept.len());
        }
        out.push_str(&kept[copied..]);
        Cow::Owned(out)
    }

    /// Returns where secrets stand, in order, those that touch or overlap as one.
    fn places(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for secret in &self.secrets {
            let mut at = 0;
            while let Some(start) = secret.find(&text[at..]).map(|start| at + start) {
                found.push(start..start + secret.needle().len());
                at = start + 1;
            }
        }
        found.sort_unstable_by_key(|place| place.start);
        found.dedup_by(|next, before| {
            let joined = next.start <= before.end;
            if joined {
                before.end = before.end.max(next.end);
            }
            joined
        });
        found
    }
}

/// Returns JSON text as programs write it that escape everything beyond ASCII.
fn ascii_only(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for symbol in json.chars() {
        if symbol.is_ascii() {
            out.push(symbol);
        } else {
            out.extend(
                symbol
                    .encode_utf16(&mut [0; 2])
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}")),
            );
        }
    }
    out
}

/// The last protocol messages of one agent, in both directions.
///
/// Bounded by `limits::TRACE_MESSAGES`, `TRACE_MESSAGE_BYTES` each and `TRACE_BYTES` together.
#[derive(Debug)]
pub(crate) struct Trace {
    redactor: Redactor,
    /// Tells the time in epoch milliseconds.
    clock: fn() -> u64,
    entries: VecDeque<TraceEntry>,
    kept_bytes: usize,
    /// How many messages were recorded before this run, and up to now.
    before: u64,
    recorded: u64,
}

impl Trace {
    /// Returns the trace of a run, before which so many messages were recorded.
    pub(crate) fn new(redactor: Redactor, clock: fn() -> u64, before: u64) -> Self {
        Self {
            redactor,
            clock,
            entries: VecDeque::new(),
            kept_bytes: 0,
            before,
            recorded: before,
        }
    }

    pub(super) fn record(&mut self, direction: TraceDirection, line: &str) {
        let text = self
            .redactor
            .redact_start(line, limits::TRACE_MESSAGE_BYTES)
            .into_owned();
        self.kept_bytes += text.len();
        self.recorded += 1;
        let bytes = u64::try_from(line.len()).expect("a length fits in 64 bits");
        self.entries.push_back(TraceEntry {
            number: self.recorded,
            ts: (self.clock)(),
            direction,
            text,
            bytes,
        });
        while self.entries.len() > limits::TRACE_MESSAGES || self.kept_bytes > limits::TRACE_BYTES {
            let oldest = self
                .entries
                .pop_front()
                .expect("one message alone is inside the limits");
            self.kept_bytes -= oldest.text.len();
        }
    }

    /// Returns the messages that are kept, oldest first.
    pub(crate) fn entries(&self) -> impl DoubleEndedIterator<Item = &TraceEntry> + ExactSizeIterator {
        self.entries.iter()
    }

    /// Returns the number of the last message.
    pub(crate) fn recorded(&self) -> u64 {
        self.recorded
    }

    /// Returns how many messages were recorded in this run, kept or not.
    pub(crate) fn recorded_in_run(&self) -> u64 {
        self.recorded - self.before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(secrets: &[&str], text: &str, expected: &str) {
        assert_eq!(
            Redactor::new(secrets.iter().copied()).redact_start(text, text.len()),
            expected
        );
    }

    #[test]
    fn secrets_are_blotted_out() {
        check(&["s3cret"], "a s3cret, s3crets3cret", "a ***, ***");
        check(&["s3cret", "abc"], "abc", "abc");
        check(
            &["true", "info"],
            r#"{"a":true,"b":"info"}"#,
            r#"{"a":true,"b":"***"}"#,
        );
        check(&[], "nothing", "nothing");
        check(&[""], "nothing", "nothing");
    }

    #[test]
    fn secrets_that_overlap_leave_nothing_of_either() {
        check(&["abcdef", "defghi", "abcd"], "x abcdefghi y", "x *** y");
        check(&["aaaa"], "aaaaaa", "***");
    }

    #[test]
    fn secrets_are_found_as_json_writes_them() {
        let secret = "pass\"wörd\\";
        check(&[secret], &serde_json::to_string(secret).unwrap(), "\"***\"");
        check(&[secret], r#""pass\"w\u00f6rd\\""#, "\"***\"");
        check(&[secret], secret, "***");
    }

    #[test]
    fn the_cut_shows_no_half_of_a_secret() {
        let redactor = Redactor::new(["0123456789", "early secret"]);
        assert_eq!(redactor.redact_start("abcdef0123456789xyz", 10), "abcdef***");
        assert_eq!(redactor.redact_start("abcdef0123456789xyz", 6), "abcdef");
        assert_eq!(redactor.redact_start("early secret 0123456789", 16), "*** ***");
        assert_eq!(redactor.redact_start("éé", 3), "é");
    }

    fn trace(secrets: &[&str]) -> Trace {
        Trace::new(Redactor::new(secrets.iter().copied()), || 7, 3)
    }

    #[test]
    fn the_last_thousand_messages_are_kept() {
        let mut trace = trace(&["hunter22"]);
        for number in 0..1_005 {
            trace.record(TraceDirection::FromAgent, &format!("{number} hunter22"));
        }
        assert_eq!(trace.entries().len(), limits::TRACE_MESSAGES);
        let first = trace.entries().next().unwrap();
        assert_eq!((first.text.as_str(), first.bytes, first.ts), ("5 ***", 10, 7));
        assert_eq!((first.number, trace.recorded()), (9, 1_008));
        assert_eq!(trace.recorded_in_run(), 1_005);
    }

    #[test]
    fn large_messages_are_cut_and_push_old_ones_out() {
        let mut trace = trace(&[]);
        let line = "é".repeat(limits::TRACE_MESSAGE_BYTES);
        for _ in 0..300 {
            trace.record(TraceDirection::ToAgent, &line);
        }
        let kept: usize = trace.entries().map(|entry| entry.text.len()).sum();
        assert!(kept <= limits::TRACE_BYTES && kept > limits::TRACE_BYTES - 2 * limits::TRACE_MESSAGE_BYTES);
        let last = trace.entries().next_back().unwrap();
        assert_eq!(last.text.len(), limits::TRACE_MESSAGE_BYTES);
        assert_eq!(last.bytes, 2 * 65_536);
    }
}
