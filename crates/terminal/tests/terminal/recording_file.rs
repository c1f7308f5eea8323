//! Reading a recording: a first line with the size, then `[seconds, kind, base64]`, where kind `o` is output.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pupitre_terminal::Size;
use serde_json::Value;

pub(crate) struct Recording {
    pub(crate) name: &'static str,
    pub(crate) size: Size,
    pub(crate) output: Vec<Vec<u8>>,
}

impl Recording {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.output.concat()
    }
}

macro_rules! recordings {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../fixtures/streams/", $name, ".jsonl")))),*]
    };
}

/// Recordings of real agents, one screen each.
pub(crate) fn recordings() -> Vec<Recording> {
    recordings![
        "claude-allow",
        "claude-main",
        "codex-main",
        "codex-unfocused",
        "gemini-main",
        "opencode-main",
        "pi-main"
    ]
    .into_iter()
    .map(|(name, text)| read(name, text))
    .collect()
}

pub(crate) fn recording(name: &str) -> Recording {
    recordings()
        .into_iter()
        .find(|recording| recording.name == name)
        .expect("the recording is in the list")
}

fn read(name: &'static str, text: &str) -> Recording {
    let mut lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
    let head = lines.next().expect("a recording has a first line");
    let side = |key: &str| head[key].as_u64().expect("the first line tells the size") as u16;
    let output = lines.filter(|event| event[1] == "o").map(|event| {
        STANDARD
            .decode(event[2].as_str().expect("output is text"))
            .expect("output is base64")
    });
    Recording {
        name,
        size: Size::new(side("cols"), side("rows")),
        output: output.collect(),
    }
}
