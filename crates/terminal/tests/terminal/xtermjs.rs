//! Asking xterm.js, the terminal of the interface, what it makes of snapshots.
//!
//! Needs node and the package in `tests/xterm` (`npm ci --ignore-scripts` there); says so when it has to skip.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pupitre_terminal::{MouseTracking, Screen, Size, StyledRow, Wrap};
use serde_json::{Value, json};

use crate::differential::unbounded;
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
fn shown_by_xterm(screens: &[(String, Screen)]) -> Option<Vec<Value>> {
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
            .map(|(_, screen)| {
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

fn own_rows(rows: &[StyledRow]) -> Vec<String> {
    let text = |row: &StyledRow| {
        let text: String = row.runs.iter().map(|run| run.text.as_str()).collect();
        text.trim_end().to_owned()
    };
    rows.iter().map(text).collect()
}

/// Returns what xterm.js shows otherwise than the screen has it, or nothing.
fn difference(screen: &Screen, shown: &Value) -> Option<String> {
    let modes = screen.input_modes();
    let base = shown["base"].as_u64().expect("the base is a number") as usize;
    let (rows, history) = (screen.screen_rows(), screen.history_rows());
    // xterm.js has the flag on the row that goes on, we on the row before it.
    let wraps: Vec<_> = rows.iter().map(|row| row.wrap == Wrap::Continues).collect();
    let shown_wraps: Vec<_> = shown["rows"].as_array().expect("rows are a list")[base..]
        .iter()
        .skip(1)
        .map(|row| row["wrapped"] == true)
        .collect();
    let cursor = screen.cursor();
    let column = cursor.column + usize::from(cursor.wraps_next);
    let mouse = match modes.mouse {
        MouseTracking::Off => "none",
        MouseTracking::Clicks => "vt200",
        MouseTracking::Drags => "drag",
        MouseTracking::Motion => "any",
    };
    let own_modes = json!({
        "bracketedPasteMode": modes.bracketed_paste,
        "applicationCursorKeysMode": modes.application_cursor,
        "mouseTrackingMode": mouse,
        "sendFocusMode": modes.focus_events,
    });
    let shown_history: Vec<_> = row_texts(&shown["normal"])
        .into_iter()
        .take(history.len())
        .collect();
    let parts = [
        (
            "screen in view",
            json!(modes.alternate_screen),
            shown["alternate"].clone(),
        ),
        (
            "screen",
            json!(own_rows(&rows)),
            json!(row_texts(&shown["rows"])[base..]),
        ),
        ("history", json!(own_rows(&history)), json!(shown_history)),
        ("wrap flags", json!(wraps[..wraps.len() - 1]), json!(shown_wraps)),
        (
            "cursor",
            json!({"row": cursor.row, "column": column}),
            shown["cursor"].clone(),
        ),
        ("modes", own_modes, shown["modes"].clone()),
    ];
    let (what, own, shown) = parts.into_iter().find(|(_, own, shown)| own != shown)?;
    let first = |list: &Value, other: &Value| {
        let (list, other) = (list.as_array()?, other.as_array()?);
        let at = list.iter().zip(other).position(|(one, other)| one != other)?;
        Some(format!("{at}: {}", list[at]))
    };
    let (own, shown) = (
        first(&own, &shown).unwrap_or_else(|| own.to_string()),
        first(&shown, &own).unwrap_or_else(|| shown.to_string()),
    );
    Some(format!("{what}: {own} is shown as {shown}"))
}

/// Returns what xterm.js shows of each screen's snapshot otherwise than the screen has it; nothing when it is not here.
pub(crate) fn differences(screens: &[(String, Screen)]) -> Option<Vec<String>> {
    let shown = shown_by_xterm(screens)?;
    assert_eq!(shown.len(), screens.len(), "every snapshot is shown");
    let differ = |((name, screen), shown): (&(String, Screen), &Value)| {
        difference(screen, shown).map(|difference| format!("{name}: {difference}"))
    };
    Some(screens.iter().zip(&shown).filter_map(differ).collect())
}

/// Cuts a stream at `cuts` random places and at its end; returns the screen at each.
pub(crate) fn screens_at_cuts(name: &str, size: Size, bytes: &[u8], cuts: usize) -> Vec<(String, Screen)> {
    let mut random = Random::new(bytes.len() as u64);
    let places = (0..cuts).map(|_| random.below(bytes.len())).chain([bytes.len()]);
    places
        .map(|cut| {
            let mut screen = unbounded(size);
            screen.feed(&bytes[..cut], Instant::now());
            (format!("{name}, cut at {cut}"), screen)
        })
        .collect()
}
