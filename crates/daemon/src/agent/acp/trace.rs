//! What is remembered of an agent's protocol messages, without its secrets.
//!
//! Responsible for the ring of the last messages; what is a secret in them, the redactor and the seams know.

use std::collections::VecDeque;

use pupitre_protocol::agent::{TraceDirection, TraceEntry};
use pupitre_protocol::limits;

use super::redactor::Redactor;
use super::seams::Seams;

/// The last protocol messages of one agent, in both directions.
///
/// Bounded by `limits::TRACE_MESSAGES`, `TRACE_MESSAGE_BYTES` each and `TRACE_BYTES` together.
#[derive(Debug)]
pub(crate) struct Trace {
    redactor: Redactor,
    /// Of what the agent says piece by piece.
    seams: Seams,
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
            seams: Seams::default(),
            clock,
            entries: VecDeque::new(),
            kept_bytes: 0,
            before,
            recorded: before,
        }
    }

    pub(super) fn record(&mut self, direction: TraceDirection, line: &str) {
        let beyond_seams = match direction {
            TraceDirection::FromAgent => self.seams.places(line, &self.redactor),
            // What is sent to an agent is sent whole.
            TraceDirection::ToAgent => Vec::new(),
        };
        let text = self
            .redactor
            .redact_with(line, limits::TRACE_MESSAGE_BYTES, beyond_seams)
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
