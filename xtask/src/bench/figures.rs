//! Figures that an example of a crate prints, one line of JSON each, as rows.

use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::Value as Json;

use super::process::Spread;
use super::row::{Peer, Percentile, Reach, Row, Value};

/// Returns the rows of all lines.
pub(super) fn rows(name: &'static str, lines: &str) -> Result<Vec<Row>> {
    lines
        .lines()
        .map(|line| row(name, line).with_context(|| format!("the example does not print figures: {line}")))
        .collect()
}

fn row(name: &'static str, line: &str) -> Result<Row> {
    let figure: Json = serde_json::from_str(line)?;
    let what = |figure: &Json| {
        figure["what"]
            .as_str()
            .map(str::to_owned)
            .context("it has no name")
    };
    let peer = match &figure["peer"] {
        Json::Null => None,
        peer => Some(Peer {
            what: what(peer)?,
            value: measured(&peer["measured"])?,
        }),
    };
    Ok(Row {
        name,
        what: what(&figure)?,
        value: measured(&figure["measured"])?,
        peer,
        reach: reach(&figure["at_most"])?,
    })
}

fn measured(measured: &Json) -> Result<Value> {
    if let Some(bytes) = measured["bytes"].as_u64() {
        return Ok(Value::Bytes(bytes));
    }
    let seconds = measured["seconds"]
        .as_array()
        .context("neither bytes nor seconds")?;
    let times = seconds.iter().map(duration).collect::<Result<_>>()?;
    if let Some(percent) = measured["percentile"].as_u64() {
        return Percentile::of(u8::try_from(percent)?, times)
            .map(Value::Percentile)
            .context("no time was taken");
    }
    Spread::of(times)
        .map(Value::LeastTime)
        .context("no time was taken")
}

fn reach(at_most: &Json) -> Result<Reach> {
    if at_most.is_null() {
        Ok(Reach::NotSet)
    } else if let Some(times) = at_most["times_peer"].as_f64() {
        Ok(Reach::AtMostTimesPeer(times))
    } else if let Some(bytes) = at_most["bytes"].as_u64() {
        Ok(Reach::AtMostBytes(bytes))
    } else {
        duration(&at_most["seconds"]).map(Reach::AtMostTime)
    }
}

fn duration(seconds: &Json) -> Result<Duration> {
    let seconds = seconds.as_f64().context("a time is no number")?;
    Ok(Duration::try_from_secs_f64(seconds)?)
}

#[cfg(test)]
mod tests {
    use super::super::row::Verdict;
    use super::*;

    fn shown(line: &str) -> (String, Verdict) {
        let row = row("x", line).expect("the line is a figure");
        (
            format!("{}: {}, {}", row.what, row.value, row.reach),
            row.verdict(),
        )
    }

    #[test]
    fn figures_become_rows() {
        let peer = r#"{"what":"p","measured":{"seconds":[2.0]}}"#;
        let line = format!(
            r#"{{"what":"a","measured":{{"seconds":[1.5,0.5,1.0]}},"peer":{peer},"at_most":{{"times_peer":0.2}}}}"#
        );
        let expected = "a: 500.00 ms least, 1.00 s median, 1.50 s most, at most 0.2 × the peer";
        assert_eq!(shown(&line), (expected.to_owned(), Verdict::Missed));
        assert_eq!(
            shown(r#"{"what":"b","measured":{"bytes":2000},"peer":null,"at_most":{"bytes":2000}}"#),
            ("b: 2.0 kB, at most 2.0 kB".to_owned(), Verdict::Reached)
        );
        assert_eq!(
            shown(
                r#"{"what":"c","measured":{"seconds":[0.00002]},"peer":null,"at_most":{"seconds":0.0001}}"#
            ),
            (
                "c: 20.0 µs least, 20.0 µs median, 20.0 µs most, at most 0.10 ms".to_owned(),
                Verdict::Reached
            )
        );
        assert_eq!(
            shown(r#"{"what":"d","measured":{"bytes":1},"peer":null,"at_most":null}"#),
            ("d: 1 B, ".replace("1 B", "0.0 kB"), Verdict::None)
        );
        let percentile = r#"{"what":"e","measured":{"seconds":[0.001,0.002],"percentile":99},"at_most":{"seconds":0.001}}"#;
        assert_eq!(
            shown(percentile),
            ("e: 2.00 ms p99 of 2, at most 1.00 ms".to_owned(), Verdict::Missed)
        );
        assert!(row("x", "{}").is_err());
    }
}
