//! The agent's stdout and the placeholders in what it says: `${CWD}`, `${HOME}`, `${BIG:n}` and those of scripts.

use std::io::Write;

use super::report::Divergence;

/// Writes whole lines to the client.
pub(super) struct Stdout(std::io::Stdout);

impl Stdout {
    pub(super) fn new() -> Self {
        Self(std::io::stdout())
    }

    pub(super) fn line(&mut self, text: &str) -> Result<(), Divergence> {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(b'\n');
        self.bytes(&bytes)
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Divergence> {
        let mut out = self.0.lock();
        let written = out.write_all(bytes).and_then(|()| out.flush());
        written.map_err(|error| Divergence(format!("the client does not read any more: {error}")))
    }
}

/// Writes a line to stderr; that nobody reads it is no fault of the client.
pub(super) fn stderr_line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Returns `text` with every `${name}` or `${name:argument}` replaced by what `value` gives for it. What `value`
/// does not know stays as it is.
pub(super) fn expand(text: &str, mut value: impl FnMut(&str, Option<&str>) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        out.push_str(&rest[..start]);
        let after = &rest[start + 2..];
        let known = after.find('}').and_then(|end| {
            let (name, argument) = match after[..end].split_once(':') {
                Some((name, argument)) => (name, Some(argument)),
                None => (&after[..end], None),
            };
            Some((value(name, argument)?, end))
        });
        match known {
            Some((replacement, end)) => {
                out.push_str(&replacement);
                rest = &after[end + 1..];
            }
            None => {
                out.push_str("${");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Returns `text` as it stands inside a JSON string, without the quotation marks.
pub(super) fn json_inner(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
