//! Snapshots in xterm.js, the terminal of the interface.
//!
//! Needs node and the package in `tests/xterm` (`npm ci --ignore-scripts` there); says so when it has to skip.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pupitre_terminal::{MouseTracking, Screen, Size, Wrap};
use serde_json::{Value, json};

use crate::corpora::corpora;
use crate::differential::unbounded;
use crate::recording_file::recordings;
use crate::stream::Random;

/// Returns what xterm.js makes of the snapshots, or nothing when it is not here.
#[expect(
    clippy::print_stderr,
    reason = "who runs the tests should see that one is skipped"
)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test asks another terminal, which runs in node"
)]
fn shown_by_xterm(screens: &[Screen]) -> Option<Vec<Value>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/xterm");
    if !folder.join("node_modules/@xterm/headless").is_dir() {
        eprintln!(
            "SKIPPED: no xterm.js; run `npm ci --ignore-scripts` in {}",
            folder.display()
        );
        return None;
    }
    let mut node = match Command::new("node")
        .arg("replay.mjs")
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    {
        Ok(node) => node,
        Err(error) => {
            eprintln!("SKIPPED: node cannot be started: {error}");
            return None;
        }
    };
    let cases: Vec<_> = screens
        .iter()
        .map(|screen| {
            let size = screen.size();
            json!({"columns": size.columns(), "rows": size.rows(), "snapshot": STANDARD.encode(screen.snapshot())})
        })
        .collect();
    let mut input = node.stdin.take().expect("the input is a pipe");
    input
        .write_all(json!(cases).to_string().as_bytes())
        .expect("node reads its input");
    drop(input);
    let output = node.wait_with_output().expect("node ends");
    assert!(output.status.success(), "node failed");
    Some(serde_json::from_slice(&output.stdout).expect("the script prints JSON"))
}

fn row_texts(rows: &Value) -> Vec<String> {
    let rows = rows.as_array().expect("rows are a list");
    rows.iter()
        .map(|row| {
            row["text"]
                .as_str()
                .expect("a row has text")
                .trim_end()
                .to_owned()
        })
        .collect()
}

fn check(name: &str, screen: &Screen, shown: &Value) {
    let own_rows = |rows: Vec<pupitre_terminal::StyledRow>| {
        let text = |row: &pupitre_terminal::StyledRow| {
            row.runs
                .iter()
                .map(|run| run.text.as_str())
                .collect::<String>()
                .trim_end()
                .to_owned()
        };
        rows.iter().map(text).collect::<Vec<_>>()
    };
    let modes = screen.input_modes();
    assert_eq!(shown["alternate"], modes.alternate_screen, "{name}");
    let base = shown["base"].as_u64().expect("the base is a number") as usize;
    assert_eq!(
        row_texts(&shown["rows"])[base..],
        own_rows(screen.screen_rows()),
        "{name}: screen"
    );
    let history = own_rows(screen.history_rows());
    assert_eq!(
        row_texts(&shown["normal"])[..history.len()],
        history,
        "{name}: history"
    );
    // xterm.js has the flag on the row that goes on, we on the row before it.
    let wraps: Vec<_> = screen
        .screen_rows()
        .iter()
        .map(|row| row.wrap == Wrap::Continues)
        .collect();
    let shown_wraps: Vec<_> = shown["rows"].as_array().expect("rows are a list")[base..]
        .iter()
        .skip(1)
        .map(|row| row["wrapped"] == true)
        .collect();
    assert_eq!(shown_wraps, wraps[..wraps.len() - 1], "{name}: wrap flags");
    let cursor = screen.cursor();
    let column = cursor.column + usize::from(cursor.wraps_next);
    assert_eq!(
        shown["cursor"],
        json!({"row": cursor.row, "column": column}),
        "{name}: cursor"
    );
    let mouse = match modes.mouse {
        MouseTracking::Off => "none",
        MouseTracking::Clicks => "vt200",
        MouseTracking::Drags => "drag",
        MouseTracking::Motion => "any",
    };
    let expected = json!({
        "bracketedPasteMode": modes.bracketed_paste,
        "applicationCursorKeysMode": modes.application_cursor,
        "mouseTrackingMode": mouse,
        "sendFocusMode": modes.focus_events,
    });
    assert_eq!(shown["modes"], expected, "{name}: modes");
}

/// Places at which each stream is cut.
const CUTS: usize = 4;
/// Of every corpus, this much.
const CORPUS_BYTES: usize = 16 << 10;

/// Cuts streams at random places and at their ends; at each, xterm.js must show the snapshot as the screen is.
fn check_streams(streams: impl IntoIterator<Item = (&'static str, Size, Vec<u8>)>) {
    let mut screens = Vec::new();
    for (name, size, bytes) in streams {
        let mut random = Random::new(bytes.len() as u64);
        for cut in (0..CUTS).map(|_| random.below(bytes.len())).chain([bytes.len()]) {
            let mut screen = unbounded(size);
            screen.feed(&bytes[..cut], Instant::now());
            screens.push((format!("{name}, cut at {cut}"), screen));
        }
    }
    let (names, screens): (Vec<_>, Vec<_>) = screens.into_iter().unzip();
    let Some(shown) = shown_by_xterm(&screens) else {
        return;
    };
    assert_eq!(shown.len(), screens.len());
    for ((name, screen), shown) in names.iter().zip(&screens).zip(&shown) {
        check(name, screen, shown);
    }
}

#[test]
fn xterm_goes_on_from_every_recording() {
    check_streams(
        recordings()
            .into_iter()
            .map(|recording| (recording.name, recording.size, recording.bytes())),
    );
}

#[test]
fn xterm_goes_on_from_every_corpus() {
    check_streams(
        corpora(CORPUS_BYTES)
            .into_iter()
            .map(|(name, bytes)| (name, Size::new(200, 50), bytes)),
    );
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
            screen
        })
        .collect();
    let Some(shown) = shown_by_xterm(&screens) else {
        return;
    };
    for ((text, screen), shown) in texts.iter().zip(&screens).zip(&shown) {
        check(text, screen, shown);
    }
}
