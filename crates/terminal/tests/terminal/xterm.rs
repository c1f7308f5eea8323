//! Snapshots in xterm.js.

use std::time::Instant;

use pupitre_terminal::Size;

use crate::corpora::corpora;
use crate::differential::unbounded;
use crate::recording_file::{Recording, recordings};
use crate::xtermjs::{differences, screens_at_cuts};

/// Places at which each stream is cut; `cargo xtask adversary` cuts at more.
const CUTS: usize = 4;
/// Of every corpus, this much.
const CORPUS_BYTES: usize = 16 << 10;

#[test]
fn xterm_goes_on_from_every_recording() {
    let at_cuts =
        |recording: &Recording| screens_at_cuts(recording.name, recording.size, &recording.bytes(), CUTS);
    let screens: Vec<_> = recordings().iter().flat_map(at_cuts).collect();
    assert_eq!(differences(&screens).unwrap_or_default(), Vec::<String>::new());
}

#[test]
fn xterm_goes_on_from_every_corpus() {
    let at_cuts = |(name, bytes): &(&str, Vec<u8>)| screens_at_cuts(name, Size::new(200, 50), bytes, CUTS);
    let screens: Vec<_> = corpora(CORPUS_BYTES).iter().flat_map(at_cuts).collect();
    assert_eq!(differences(&screens).unwrap_or_default(), Vec::<String>::new());
}

#[test]
fn xterm_shows_looks_wraps_and_scrolled_lines() {
    let texts = [
        "one\r\ntwo and more than a row\r\n\x1b[41mred to the end and over it\x1b[m\r\nlast",
        "漢字漢字漢字漢字\r\n\x1b[2;3r\x1b[3;5Hin a region",
        "0123456789\x1b[?2004h\x1b[?1003h\x1b[?1h\x1b[?1004h",
        "primary\x1b[?1049h\x1b[1mfull screen that wraps",
    ];
    let screens: Vec<_> = texts
        .iter()
        .map(|text| {
            let mut screen = unbounded(Size::new(10, 4));
            screen.feed(text.as_bytes(), Instant::now());
            ((*text).to_owned(), screen)
        })
        .collect();
    assert_eq!(differences(&screens).unwrap_or_default(), Vec::<String>::new());
}
