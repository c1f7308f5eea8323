//! Panes through the daemon as its clients meet them, beside tmux in the same run: output, readers, memory, rest, and a crowd.

mod crowd;
mod held;
mod output;
mod readers;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value as Json, json};

use super::desk::{Calls, Desk};
use super::row::{Peer, Reach, Row, Value};
use super::tmux::Tmux;
use super::{Bench, Measures, Subject, terminal};
use crate::invocation::Invocation;

/// What the qualities page asks for.
const CORPUS_BYTES: usize = 96 << 20;
/// Longer than any wait here takes: it only keeps a broken daemon from holding the run.
const WAIT_LIMIT_MS: u64 = 300_000;

pub(super) const BENCH: Bench = Bench {
    name: "panes",
    what: "panes through the daemon beside tmux: output, readers, keys, memory, rest, 200 panes (15 minutes)",
    measures: Measures::Program,
    measure,
};

fn measure(subject: &Subject) -> Result<Vec<Row>> {
    // Whether there is something to stand beside is known before the first minute is spent.
    drop(Tmux::start("there")?);
    let example = terminal::example(subject)?;
    let texts = Texts::write(&example)?;
    let mut rows = Vec::new();
    rows.extend(readers::measure(subject, &example, &texts).context("readers")?);
    rows.extend(held::measure(subject, &texts).context("memory and rest")?);
    rows.extend(crowd::measure(subject, &texts).context("200 panes")?);
    rows.extend(output::measure(subject, &texts).context("output")?);
    Ok(rows)
}

fn row(what: impl Into<String>, value: Value, peer: Option<(&str, Value)>, reach: Reach) -> Row {
    Row {
        name: BENCH.name,
        what: what.into(),
        value,
        peer: peer.map(|(what, value)| Peer {
            what: what.to_owned(),
            value,
        }),
        reach,
    }
}

/// Files with output of programs. Dropping them removes them.
struct Texts {
    folder: PathBuf,
    corpora: Vec<Text>,
    sentences: Text,
    cjk: Text,
}

struct Text {
    name: String,
    path: PathBuf,
}

impl Texts {
    fn write(example: &Path) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("pupitre-bench-{}-texts", std::process::id()));
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let list = Invocation::of(example)
            .arguments(["write".into(), folder.clone().into_os_string()])
            .arguments([CORPUS_BYTES.to_string()])
            .output()?;
        let text = |line: &str| -> Result<Text> {
            let line: Json = serde_json::from_str(line)?;
            let of = |name: &str| line[name].as_str().context("the example names no file");
            Ok(Text {
                name: of("name")?.to_owned(),
                path: of("path")?.into(),
            })
        };
        let mut corpora: Vec<Text> = list.lines().map(text).collect::<Result<_>>()?;
        let cjk = corpora.pop().context("the example wrote no history")?;
        let sentences = corpora.pop().context("the example wrote one history only")?;
        Ok(Self {
            folder,
            corpora,
            sentences,
            cjk,
        })
    }
}

impl Drop for Texts {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

impl Calls {
    /// Makes a pane of 200 by 50 with a command line of the shell in it, and returns its id.
    fn make_pane(&mut self, script: &str) -> Result<String> {
        let pane = json!({"command": ["sh", "-c", script], "size": {"columns": 200, "rows": 50}});
        let made = self.call("surface.create", &pane)?;
        Ok(made["surface_id"].to_string())
    }

    /// Waits until every one of these panes has shown a line that the expression describes.
    fn wait_for(&mut self, panes: &[String], pattern: &str) -> Result<()> {
        let wait =
            json!({"surfaces": panes, "pattern": pattern, "quorum": "all", "timeout_ms": WAIT_LIMIT_MS});
        self.call("surface.wait", &wait).map(drop)
    }

    /// Lets that much time go by without any output of a pane.
    fn wait_for_quiet(&mut self, pane: &str, milliseconds: u64) -> Result<()> {
        let wait =
            json!({"surfaces": [pane], "idle": true, "for_ms": milliseconds, "timeout_ms": WAIT_LIMIT_MS});
        self.call("surface.wait", &wait).map(drop)
    }

    /// Fails unless the last line of a pane is this one.
    fn expect_last_line(&mut self, pane: &str, line: &str) -> Result<()> {
        let read = json!({"surface": pane, "lines": 1, "fence": false});
        let reply = self.call("surface.read", &read)?;
        if reply["text"] != line {
            bail!("pane {pane} ends with {} and not with {line}", reply["text"]);
        }
        Ok(())
    }

    fn close_pane(&mut self, pane: &str) -> Result<()> {
        self.call("surface.close", &json!({"surface": pane})).map(drop)
    }
}
