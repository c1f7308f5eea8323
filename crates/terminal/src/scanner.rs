//! The second parser: follows the stream beside the emulator's parser, takes out what that one drops, and gives plain
//! text the short way.
//!
//! It mirrors the transitions of the emulator's parser just far enough to know two things: when that parser is in its
//! ground state, so that printable ASCII may go around it, and where an OSC begins and ends. OSC sequences are
//! collected here, bounded, and only those that the emulator understands are handed on; its own parser would let one
//! that never ends grow without limit. A sequence is worked on when it is complete, after all that came before it, so
//! that answers keep the order of the questions.

mod parser;

use vte::ansi::Handler;

use crate::capture::Capture;
use crate::capture::control::Controlled;
use crate::signal::Signal;
use crate::signal::directory::WorkingDirectory;
use crate::signal::notification::{self, Osc9, Osc99, Osc99Parts};
use crate::signal::prompt::{PromptMark, PromptStep};
use crate::signal::status::{self, StatusMessage, StatusRecords};
use parser::LentParser;

/// Bytes of an OSC that are collected. Longer ones are dropped as a whole.
const OSC_BYTES: usize = 16 << 10;
/// Bytes of a link (OSC 8). Every cell of a screen may hang on a link of its own.
const LINK_BYTES: usize = 2048;
/// Runs of ASCII shorter than this stay with what waits to go through the parser: stopping it costs a little too.
pub(crate) const SHORT_RUN: usize = 8;
/// The same for text in other scripts, in bytes.
const SHORT_TEXT: usize = 12;
/// What a screen on which nothing was printed yet tells the parser that it printed last: REP then does nothing.
const PRINTS_NOTHING: char = '\x7f';
/// Bytes of a private control sequence (`ESC[>…`, `ESC[?…`) that are looked at.
const PRIVATE_BYTES: usize = 8;

pub(crate) struct Scanner {
    parser: LentParser,
    state: State,
    osc: Vec<u8>,
    osc_is_too_long: bool,
    private: Vec<u8>,
    /// The beginning of a character whose end has not come. The parser has a place for it too, but loses what stands
    /// behind such a character when the next bytes end in the middle of another.
    incomplete: Vec<u8>,
    /// The sequence that has begun and not ended, for a snapshot.
    unfinished: Vec<u8>,
    /// The last character that went around the parser, which must know it for REP.
    unseen: Option<char>,
    /// What is in the bytes that wait to go through the parser.
    waiting: Waiting,
    notification: Osc99Parts,
    pub(crate) directory: Option<WorkingDirectory>,
    pub(crate) records: StatusRecords,
}

/// What is known of bytes that wait to go through the parser.
#[derive(Clone, Copy, Default)]
struct Waiting {
    /// They print a character for sure.
    prints: bool,
    /// They may print one, or not: an invalid byte can be a control character.
    may_print: bool,
    /// They repeat the character that was printed last.
    repeats: bool,
}

/// Where the emulator's parser is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ground,
    /// Behind a byte of a character that may not be complete.
    Utf8,
    Escape,
    EscapeIntermediate,
    /// Behind `ESC[`.
    Csi,
    /// In a control sequence with a private marker, which is collected.
    PrivateCsi,
    Osc,
    /// In a string that is ignored (SOS, PM, APC).
    IgnoredString,
    Dcs,
}

impl Scanner {
    pub(crate) fn new() -> Self {
        Self {
            parser: LentParser::default(),
            state: State::Ground,
            osc: Vec::new(),
            osc_is_too_long: false,
            private: Vec::new(),
            incomplete: Vec::new(),
            unfinished: Vec::new(),
            unseen: Some(PRINTS_NOTHING),
            waiting: Waiting::default(),
            notification: Osc99Parts::default(),
            directory: None,
            records: StatusRecords::default(),
        }
    }

    /// Works on the next bytes of the stream.
    pub(crate) fn feed(&mut self, bytes: &[u8], capture: &mut Capture) {
        if self.incomplete.is_empty() {
            self.scan(bytes, capture);
        } else {
            let mut joined = std::mem::take(&mut self.incomplete);
            joined.extend_from_slice(bytes);
            self.scan(&joined, capture);
        }
        if self.state == State::Ground {
            // The next one has not seen what this one printed.
            self.unseen = self.unseen.or(capture.last_input);
            self.parser.give_back();
        }
    }

    /// Gives back the room that is only there to grow into.
    pub(crate) fn shrink(&mut self) {
        for bytes in [
            &mut self.osc,
            &mut self.private,
            &mut self.incomplete,
            &mut self.unfinished,
        ] {
            bytes.shrink_to_fit();
        }
    }

    fn scan(&mut self, bytes: &[u8], capture: &mut Capture) {
        // `bytes[from..at]` has been looked at and waits to go through the parser together.
        let (mut from, mut at) = (0, 0);
        while at < bytes.len() {
            match self.state {
                State::Ground => {
                    if from == at {
                        at += end_lines(&bytes[at..], capture);
                        from = at;
                        if at == bytes.len() {
                            break;
                        }
                    }
                    let run = ascii_run(&bytes[at..]);
                    if run >= SHORT_RUN || run > 0 && from == at {
                        self.parse(&bytes[from..at], capture);
                        capture.print_ascii(&bytes[at..at + run]);
                        at += run;
                        self.unseen = Some(char::from(bytes[at - 1]));
                        at += end_lines(&bytes[at..], capture);
                        from = at;
                        continue;
                    }
                    if run == 0 && from == at && bytes[at] >= 0x80 || is_text(&bytes[at..], SHORT_TEXT) {
                        self.parse(&bytes[from..at], capture);
                        let (length, last) = capture.print_text(&bytes[at..]);
                        at += length;
                        from = at;
                        self.unseen = last.or(self.unseen);
                        if length > 0 {
                            continue;
                        }
                    }
                    at += run;
                    self.waiting.prints |= run > 0;
                    let Some(byte) = bytes.get(at) else { continue };
                    if matches!(byte, b'\r' | b'\n') {
                        // What waits would keep the lines behind it waiting too.
                        self.parse(&bytes[from..at], capture);
                        from = at;
                        continue;
                    }
                    if *byte == ESC
                        && let Some(sequence) = control_sequence(&bytes[at..])
                    {
                        let (parameters, last) =
                            (&sequence[2..sequence.len() - 1], sequence[sequence.len() - 1]);
                        if Capture::can_control(last) {
                            self.parse(&bytes[from..at], capture);
                            from = at;
                            if capture.control(parameters, last) == Controlled::Done {
                                at += sequence.len();
                                from = at;
                                continue;
                            }
                        }
                        at += sequence.len();
                        self.waiting.repeats |= last == b'b';
                        continue;
                    }
                    self.waiting.may_print |= *byte >= 0x7f;
                    let high = bytes[at..].iter().take_while(|byte| **byte >= 0x80).count();
                    // A valid character is complete. Behind another, the next byte may still belong to it as far as the
                    // parser is concerned.
                    if high == 0 {
                        self.state = after(State::Ground, *byte);
                    } else if std::str::from_utf8(&bytes[at..at + high]).is_err() {
                        self.state = State::Utf8;
                    }
                    at += high.max(1);
                }
                State::Osc => {
                    let end = bytes[at..].iter().position(|byte| ends_osc(*byte));
                    let body = &bytes[at..end.map_or(bytes.len(), |end| at + end)];
                    self.collect_osc(body);
                    at += body.len();
                    if end.is_some() {
                        self.finish_osc(bytes[at], capture);
                        at += 1;
                    }
                    from = at;
                }
                State::PrivateCsi => {
                    let byte = bytes[at];
                    at += 1;
                    self.state = after(State::PrivateCsi, byte);
                    if self.state == State::PrivateCsi {
                        if byte >= 0x20 && self.private.len() < PRIVATE_BYTES {
                            self.private.push(byte);
                        }
                    } else if let Some(answer) = self.private_query(byte) {
                        self.parse(&bytes[from..at], capture);
                        from = at;
                        answer(capture);
                    }
                }
                state => {
                    let byte = bytes[at];
                    self.state = after(state, byte);
                    self.waiting.repeats |= state == State::Csi && byte == b'b';
                    // The parser leaves a DCS on 0x9c, and prints again without this one knowing.
                    self.waiting.may_print |= state == State::Dcs && byte >= 0x80;
                    if self.state == State::Osc {
                        self.parse(&bytes[from..at], capture);
                        self.osc.clear();
                        self.osc_is_too_long = false;
                    } else if state == State::Csi && matches!(byte, b'>' | b'?') {
                        self.state = State::PrivateCsi;
                        self.private.clear();
                        self.private.push(byte);
                    }
                    at += 1;
                    if self.state == State::Utf8 {
                        at += bytes[at..].iter().take_while(|byte| **byte >= 0x80).count();
                    }
                    if self.state == State::Csi {
                        at += bytes[at..]
                            .iter()
                            .take_while(|byte| (0x30..0x3c).contains(*byte))
                            .count();
                    }
                }
            }
        }
        let incomplete = match self.state {
            // In a DCS the parser may be back in its ground state already.
            State::Utf8 | State::Dcs => incomplete_len(&bytes[from..]),
            State::Ground
            | State::Escape
            | State::EscapeIntermediate
            | State::Csi
            | State::PrivateCsi
            | State::Osc
            | State::IgnoredString => 0,
        };
        let (complete, incomplete) = bytes.split_at(bytes.len() - incomplete);
        self.incomplete.extend_from_slice(incomplete);
        if self.state == State::Utf8 {
            self.state = State::Ground;
        }
        self.note_unfinished(complete);
        if self.state == State::Osc {
            return;
        }
        let rest = &complete[from..];
        // Another beginning in front of the one that is held back is invalid now. The parser, which does not see what
        // follows, would wait for its end.
        let invalid = if incomplete.is_empty() {
            0
        } else {
            incomplete_len(rest)
        };
        self.parse(&rest[..rest.len() - invalid], capture);
        if invalid > 0 {
            self.waiting.may_print = true;
            self.parse("\u{fffd}".as_bytes(), capture);
        }
    }

    /// Appends the bytes after which a parser is where this one is.
    pub(crate) fn write_unfinished(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.unfinished);
        out.extend_from_slice(&self.incomplete);
    }

    /// Remembers what a sequence consists of that goes on behind `bytes`.
    fn note_unfinished(&mut self, bytes: &[u8]) {
        if self.state == State::Ground {
            self.unfinished.clear();
            return;
        }
        let begin = memchr::memrchr(ESC, bytes);
        if begin.is_some() {
            self.unfinished.clear();
        }
        // Control characters inside a sequence were worked on already. Of a string without end the beginning will do.
        let rest = bytes[begin.unwrap_or(0)..]
            .iter()
            .copied()
            .filter(|byte| *byte >= 0x20 || *byte == ESC);
        self.unfinished
            .extend(rest.take((OSC_BYTES + 8).saturating_sub(self.unfinished.len())));
    }

    /// Gives bytes to the emulator's parser.
    fn parse(&mut self, bytes: &[u8], capture: &mut Capture) {
        if bytes.is_empty() {
            return;
        }
        let Waiting {
            prints,
            may_print,
            repeats,
        } = std::mem::take(&mut self.waiting);
        // REP repeats the last character that the parser saw printed. Before that can matter, the one that went
        // around it is printed once more, with the screen looking away. It can only be done between sequences.
        let must_know = repeats || may_print || !prints && self.state != State::Ground;
        let parser = self.parser.get();
        if let Some(character) = self.unseen.filter(|_| must_know) {
            capture.muted = true;
            parser.advance(capture, character.encode_utf8(&mut [0; 4]).as_bytes());
            capture.muted = false;
        }
        if must_know || prints {
            self.unseen = None;
        }
        parser.advance(capture, bytes);
    }

    /// Returns how to answer the private control sequence that ends with `last`, when the emulator does not know it.
    fn private_query(&self, last: u8) -> Option<fn(&mut Capture)> {
        match (self.private.as_slice(), last) {
            (b">" | b">0", b'q') => Some(Capture::reply_version),
            (b"?996", b'n') => Some(Capture::reply_color_scheme),
            _ => None,
        }
    }

    fn collect_osc(&mut self, body: &[u8]) {
        if self.osc_is_too_long || self.osc.len() + body.len() > OSC_BYTES {
            self.osc_is_too_long = true;
            self.osc = Vec::new();
        } else {
            // The emulator ignores control characters inside.
            self.osc.extend(body.iter().filter(|byte| **byte >= 0x20));
        }
    }

    /// Works on the collected OSC. The parser still stands behind the ESC that began it.
    fn finish_osc(&mut self, terminator: u8, capture: &mut Capture) {
        let osc = std::mem::take(&mut self.osc);
        let is_for_emulator = !self.osc_is_too_long && self.take_osc(&osc, capture);
        if is_for_emulator {
            let parser = self.parser.get();
            parser.advance(capture, b"]");
            parser.advance(capture, &osc);
            parser.advance(capture, &[terminator]);
        } else if terminator != ESC {
            self.parser.get().advance(capture, &[CAN]);
        }
        self.state = if terminator == ESC {
            State::Escape
        } else {
            State::Ground
        };
        self.osc = osc;
        self.osc.clear();
    }

    /// Takes what is told or asked in an OSC; returns whether it is one that the emulator works on.
    fn take_osc(&mut self, osc: &[u8], capture: &mut Capture) -> bool {
        let split = osc.iter().position(|byte| *byte == b';').unwrap_or(osc.len());
        let (number, text) = (&osc[..split], osc.get(split + 1..).unwrap_or_default());
        match number {
            b"0" | b"2" | b"4" | b"10" | b"11" | b"12" | b"50" | b"104" | b"110" | b"111" | b"112" => {
                return true;
            }
            b"8" => return osc.len() <= LINK_BYTES,
            b"7" => {
                if let Some(directory) = WorkingDirectory::parse(text) {
                    self.directory = Some(directory.clone());
                    capture.signals.push(Signal::WorkingDirectory(directory));
                }
            }
            b"9" => match notification::parse_osc_9(text) {
                Some(Osc9::Notification(shown)) => capture.signals.push(Signal::Notification(shown)),
                Some(Osc9::Progress(progress)) => capture.signals.push(Signal::Progress(progress)),
                None => {}
            },
            b"99" => match self.notification.take(text) {
                Some(Osc99::Notification(shown)) => capture.signals.push(Signal::Notification(shown)),
                Some(Osc99::Query { reply }) => capture.reply_bytes(&reply),
                None => {}
            },
            b"133" => {
                if let Some(step) = PromptStep::parse(text) {
                    let line = capture.cursor_line();
                    capture.signals.push(Signal::Prompt(PromptMark { step, line }));
                }
            }
            b"777" => {
                if let Some(shown) = notification::parse_osc_777(text) {
                    capture.signals.push(Signal::Notification(shown));
                }
            }
            b"7501" if osc.len() + INTRODUCER_AND_TERMINATOR <= status::SEQUENCE_BYTES => {
                match status::parse(text) {
                    Some(StatusMessage::Query) => capture.reply_status_support(),
                    Some(StatusMessage::Change(change)) => {
                        self.records.apply(&change);
                        capture.signals.push(Signal::Status(change));
                    }
                    None => {}
                }
            }
            _ => {}
        }
        false
    }
}

const ESC: u8 = 0x1b;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const BEL: u8 = 0x07;
/// `ESC ]` and `ESC \`.
const INTRODUCER_AND_TERMINATOR: usize = 4;

fn ends_osc(byte: u8) -> bool {
    matches!(byte, BEL | CAN | SUB | ESC)
}

/// Works on the carriage returns and line feeds at the beginning; returns how many they are. A pseudo-terminal puts a
/// return before every line feed, so that a program that ends its lines with both has two there.
#[inline]
fn end_lines(bytes: &[u8], capture: &mut Capture) -> usize {
    let mut at = 0;
    while let Some(byte @ (b'\r' | b'\n')) = bytes.get(at) {
        if *byte == b'\r' {
            capture.carriage_return();
        } else {
            capture.linefeed();
        }
        at += 1;
    }
    at
}

/// Returns how many bytes at the end are the beginning of a character.
fn incomplete_len(bytes: &[u8]) -> usize {
    let longest = bytes.len().min(3);
    let is_beginning = |length: &usize| {
        std::str::from_utf8(&bytes[bytes.len() - length..])
            .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    (1..=longest).find(is_beginning).unwrap_or(0)
}

/// Returns how many printable ASCII bytes there are at the beginning.
#[inline]
fn ascii_run(bytes: &[u8]) -> usize {
    let is_printable = |byte: &u8| (0x20..0x7f).contains(byte);
    // Sixteen at a time, without a branch for each.
    let whole = |part: &&[u8; 16]| part.iter().fold(true, |all, byte| all & is_printable(byte));
    let begin = 16 * bytes.as_chunks().0.iter().take_while(whole).count();
    begin
        + bytes[begin..]
            .iter()
            .take_while(|byte| is_printable(byte))
            .count()
}

/// Returns whether at least the first `length` bytes are no control characters, and not all of them ASCII.
#[inline]
fn is_text(bytes: &[u8], length: usize) -> bool {
    let Some(begin) = bytes.get(..length) else {
        return false;
    };
    let is_printable = begin.iter().all(|byte| *byte >= 0x20 && *byte != 0x7f);
    is_printable && begin.iter().any(|byte| *byte >= 0x80)
}

/// Returns the control sequence without a private marker that `bytes` begin with, when it is there whole.
#[inline]
fn control_sequence(bytes: &[u8]) -> Option<&[u8]> {
    let parameters = bytes.strip_prefix(b"\x1b[")?;
    let end = parameters.iter().position(|byte| !(b'0'..=b';').contains(byte))?;
    matches!(parameters[end], 0x40..=0x7e).then(|| &bytes[..end + 3])
}

/// Returns where the emulator's parser is after one more byte.
#[inline]
fn after(state: State, byte: u8) -> State {
    match (state, byte) {
        (_, ESC) => State::Escape,
        (State::Ground | State::Utf8, 0x80..) => State::Utf8,
        // The byte behind an incomplete character may still belong to it as far as the parser is concerned.
        (State::Ground | State::Utf8, _) => State::Ground,
        (_, CAN | SUB) => State::Ground,
        (State::Escape, 0x20..=0x2f) => State::EscapeIntermediate,
        (State::Escape, b'P') => State::Dcs,
        (State::Escape, b'X' | b'^' | b'_') => State::IgnoredString,
        (State::Escape, b'[') => State::Csi,
        (State::Escape, b']') => State::Osc,
        (State::Escape | State::EscapeIntermediate, 0x30..=0x7e) => State::Ground,
        (State::Csi | State::PrivateCsi, 0x40..=0x7e) => State::Ground,
        // DCS: the parser leaves on 0x9c too. Staying costs nothing but the short way for plain text.
        (state, _) => state,
    }
}
