//! What only the source text says: the doc comments of constants and of exit codes.

use super::one_line;

/// A constant of `limits.rs`.
pub(super) struct Limit {
    pub(super) name: &'static str,
    pub(super) value: u64,
    pub(super) doc: String,
}

/// An exit code of the command line.
pub(super) struct ExitCodeEntry {
    pub(super) number: u8,
    pub(super) doc: String,
}

impl Limit {
    /// Returns every limit, in the order of the file.
    pub(super) fn all() -> Vec<Self> {
        let source = include_str!("../limits.rs");
        let limits: Vec<Self> = items(source, "pub const ")
            .map(|(doc, item)| {
                let read = || {
                    let (name, rest) = item.split_once(':')?;
                    let (_, value) = rest.strip_suffix(';')?.split_once(" = ")?;
                    Some(Self {
                        name,
                        value: number(value)?,
                        doc,
                    })
                };
                read().unwrap_or_else(|| panic!("a limit that the reference cannot read: {item}"))
            })
            .collect();
        assert_eq!(
            limits.len(),
            source.matches("const ").count(),
            "a limit was missed"
        );
        limits
    }

    /// Returns the value with the unit of the name, in the largest unit that it is whole in.
    pub(super) fn with_unit(&self) -> String {
        const KIBIBYTE: u64 = 1 << 10;
        const MEBIBYTE: u64 = 1 << 20;
        let Self { name, value, doc: _ } = self;
        if name.ends_with("_BYTES") {
            match value {
                value if value.is_multiple_of(MEBIBYTE) => format!("{} MiB", grouped(value / MEBIBYTE)),
                value if value.is_multiple_of(KIBIBYTE) => format!("{} KiB", grouped(value / KIBIBYTE)),
                value => format!("{} bytes", grouped(*value)),
            }
        } else if name.ends_with("_MS") {
            match value {
                value if value.is_multiple_of(1000) => format!("{} s", grouped(value / 1000)),
                value => format!("{} ms", grouped(*value)),
            }
        } else {
            grouped(*value)
        }
    }

    /// Returns the doc comment without the unit that stands beside the value.
    pub(super) fn doc_without_unit(&self) -> String {
        let mut doc = self.doc.clone();
        for unit in [", in bytes", ", in milliseconds"] {
            for after in [".", ";", ":", " ("] {
                doc = doc.replace(&format!("{unit}{after}"), after);
            }
        }
        doc
    }
}

impl ExitCodeEntry {
    /// Returns every exit code, in the order of the enum.
    pub(super) fn all() -> Vec<Self> {
        let (_, source) = include_str!("../error.rs")
            .split_once("pub enum ExitCode {")
            .expect("error.rs has the exit codes");
        let (body, _) = source.split_once("\n}").expect("an enum ends");
        let codes = items(body, "").map(|(doc, item)| {
            let read = || {
                let (name, number) = item.strip_suffix(',')?.split_once(" = ")?;
                let doc = if doc.is_empty() { format!("{name}.") } else { doc };
                Some(Self {
                    number: number.parse().ok()?,
                    doc,
                })
            };
            read().unwrap_or_else(|| panic!("an exit code that the reference cannot read: {item}"))
        });
        codes.collect()
    }
}

/// Returns the lines that begin like this, each with the doc comment above it.
fn items<'source>(source: &'source str, start: &str) -> impl Iterator<Item = (String, &'source str)> {
    let mut doc = String::new();
    source.lines().map(str::trim).filter_map(move |line| {
        if let Some(comment) = line.strip_prefix("///") {
            doc.push_str(comment);
            return None;
        }
        let doc = std::mem::take(&mut doc);
        let item = line
            .strip_prefix(start)
            .filter(|item| !item.is_empty() && !item.starts_with("//"))?;
        Some((one_line(&doc), item))
    })
}

/// Reads `12`, `1_000` or `1 << 20`.
fn number(text: &str) -> Option<u64> {
    let plain = |text: &str| text.trim().replace('_', "").parse::<u64>().ok();
    match text.split_once("<<") {
        Some((base, shift)) => Some(plain(base)? << plain(shift)?),
        None => plain(text),
    }
}

/// Writes a number with commas between the thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[test]
fn limits_are_read_as_the_compiler_reads_them() {
    use crate::limits;

    let limits = Limit::all();
    let check = |name: &str, value: u64, with_unit: &str| {
        let limit = limits
            .iter()
            .find(|limit| limit.name == name)
            .expect("the limit is in the file");
        assert_eq!(
            (limit.value, limit.with_unit().as_str()),
            (value, with_unit),
            "{name}"
        );
        assert!(!limit.doc.is_empty(), "{name} has no doc comment");
    };
    check("REQUEST_BYTES", limits::REQUEST_BYTES as u64, "1 MiB");
    check("LOG_LINE_BYTES", limits::LOG_LINE_BYTES as u64, "8 KiB");
    check(
        "LIFE_CYCLE_RING_EVENTS",
        limits::LIFE_CYCLE_RING_EVENTS as u64,
        "65,536",
    );
    check("HEARTBEAT_MS", limits::HEARTBEAT_MS, "30 s");
    check("DRAIN_MS", limits::DRAIN_MS, "250 ms");
}

#[test]
fn every_limit_says_what_it_limits() {
    for limit in Limit::all() {
        assert!(!limit.doc.is_empty(), "{} has no doc comment", limit.name);
    }
}

#[test]
fn exit_codes_are_read_as_the_compiler_reads_them() {
    use crate::ExitCode;

    let read: Vec<u8> = ExitCodeEntry::all().iter().map(|code| code.number).collect();
    let known = [
        ExitCode::Success,
        ExitCode::Failure,
        ExitCode::Usage,
        ExitCode::Target,
        ExitCode::Timeout,
        ExitCode::Interrupted,
    ];
    assert_eq!(read, known.map(|code| code as u8));
}
