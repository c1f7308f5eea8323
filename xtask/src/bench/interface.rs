//! The page before a daemon that serves it itself, in Chromium: the first load, the first paint, a long conversation, and
//! typing while a long answer streams. `apps/web/bench/page.mjs` measures; here its figures become rows.

use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::Value as Json;

use super::process::Spread;
use super::row::{Peer, Reach, Row, Value};
use super::{Bench, Measures, Skipped, Subject};
use crate::invocation::Invocation;

/// Compressed, without editor and highlighter.
const FIRST_LOAD_BYTES: u64 = 150_000;
const FIRST_PAINT: Duration = Duration::from_secs(1);
const FIRST_SCREEN: Duration = Duration::from_millis(100);
/// Whatever a person does must be seen after 100 ms, or it feels as if the page hung.
const LETTER: Duration = Duration::from_millis(100);

pub(super) const BENCH: Bench = Bench {
    name: "interface",
    what: "the page in Chromium: first load and paint, 10,000 messages, typing while 10,000 chunks stream",
    measures: Measures::Program,
    measure,
};

fn measure(subject: &Subject) -> Result<Vec<Row>> {
    let figures = Invocation::of("node")
        .arguments(["bench/page.mjs"])
        .folder("apps/web")
        .environment("PUPITRE_BIN", &subject.binary)
        .output()
        .context("the page was not measured; `npm ci` in apps/web installs what that needs")?;
    rows(&serde_json::from_str(&figures).with_context(|| format!("these are no figures: {figures}"))?)
}

fn rows(figures: &Json) -> Result<Vec<Row>> {
    if let Some(why) = figures["skipped"].as_str() {
        return Err(Skipped(why.to_owned()).into());
    }
    let row = |what: &str, value, peer, reach| Row {
        name: BENCH.name,
        what: what.to_owned(),
        value,
        peer,
        reach,
    };
    let bytes = figures["first_load_bytes"].as_u64();
    let streaming = spread(figures, "typing_streaming_ms")?;
    Ok(vec![
        row(
            "what a first visit loads, with gzip",
            Value::Bytes(bytes.context("first_load_bytes is missing")?),
            None,
            Reach::AtMostBytes(FIRST_LOAD_BYTES),
        ),
        row(
            "first paint after the navigation, in a new profile",
            Value::Time(spread(figures, "first_paint_ms")?),
            None,
            Reach::AtMostTime(FIRST_PAINT),
        ),
        row(
            "the first screen of a conversation of 10,000 messages, after the click",
            Value::Time(spread(figures, "first_screen_ms")?),
            None,
            Reach::AtMostTime(FIRST_SCREEN),
        ),
        row(
            "one step of scrolling with 10,000 messages held, until its frame",
            Value::Time(spread(figures, "scroll_step_ms")?),
            None,
            Reach::NotSet,
        ),
        row(
            "a letter until it is drawn, while 10,000 chunks stream",
            Value::Time(streaming),
            Some(Peer {
                what: "the same with nothing to do".to_owned(),
                value: Value::Time(spread(figures, "typing_idle_ms")?),
            }),
            Reach::NotSet,
        ),
        row(
            "the letter of them that waited longest",
            Value::Time(Spread {
                least: streaming.most,
                median: streaming.most,
                most: streaming.most,
            }),
            None,
            Reach::AtMostTime(LETTER),
        ),
    ])
}

/// Returns the spread of a list of milliseconds.
fn spread(figures: &Json, name: &str) -> Result<Spread> {
    let times = figures[name]
        .as_array()
        .with_context(|| format!("{name} is missing"))?;
    let times: Option<Vec<Duration>> = times
        .iter()
        .map(|time| {
            time.as_f64()
                .map(|milliseconds| Duration::from_secs_f64(milliseconds / 1e3))
        })
        .collect();
    times
        .and_then(Spread::of)
        .with_context(|| format!("{name} is no list of times"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_become_rows() {
        let figures = json!({
            "first_load_bytes": 118_629, "first_paint_ms": [300.5, 100.0, 200.0], "first_screen_ms": [50.0], "scroll_step_ms": [16.6],
            "typing_idle_ms": [10.0], "typing_streaming_ms": [20.0, 180.0, 30.0],
        });
        let rows = rows(&figures).expect("all of them are there");
        let told: Vec<String> = rows
            .iter()
            .map(|row| format!("{} {}", row.value, row.verdict()))
            .collect();
        assert_eq!(
            told,
            [
                "118.6 kB reached",
                "200.00 ms (100.00 ms to 300.50 ms) reached",
                "50.00 ms (50.00 ms to 50.00 ms) reached",
                "16.60 ms (16.60 ms to 16.60 ms) ",
                "30.00 ms (20.00 ms to 180.00 ms) ",
                "180.00 ms (180.00 ms to 180.00 ms) MISSED",
            ]
        );
    }

    #[test]
    fn without_a_browser_the_benchmark_is_skipped_and_says_why() {
        let Err(error) = rows(&json!({"skipped": "no Chromium"})) else {
            panic!("nothing was measured")
        };
        assert_eq!(
            error.downcast_ref::<Skipped>().map(|Skipped(why)| why.as_str()),
            Some("no Chromium")
        );
        let Err(error) = rows(&json!({"first_load_bytes": 1})) else {
            panic!("the times are missing")
        };
        assert!(error.downcast_ref::<Skipped>().is_none());
    }
}
