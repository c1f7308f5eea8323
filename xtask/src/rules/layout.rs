//! Rules on files and modules: their length, their first line, their names.

use std::collections::BTreeSet;

use super::code::code_only;
use super::{Finding, Language, SourceFile, language};

const MOST_LINES: usize = 600;

const NAMES_THAT_SAY_NOTHING: [&str; 7] = ["util", "utils", "common", "helper", "helpers", "manager", "core"];

pub(super) fn length(source: &SourceFile) -> Option<Finding> {
    let lines = source.text.lines().count();
    (lines > MOST_LINES).then(|| Finding {
        path: source.path.clone(),
        line: MOST_LINES + 1,
        what: format!("the file has {lines} lines"),
        to_do: "split it by noun (at most 600 lines)",
    })
}

pub(super) fn head(source: &SourceFile) -> Option<Finding> {
    if language(&source.path) != Some(Language::Rust) {
        return None;
    }
    let first = source.text.lines().next().unwrap_or_default();
    let says_something = first
        .strip_prefix("//!")
        .is_some_and(|words| !words.trim().is_empty());
    (!says_something).then(|| Finding {
        path: source.path.clone(),
        line: 1,
        what: "the file does not begin with `//!`".to_owned(),
        to_do: "say in one to five lines what it is responsible for, and what not",
    })
}

/// Returns one finding for each folder or file with a name that says nothing, and for each mod.rs.
pub(super) fn names<'a>(paths: impl Iterator<Item = &'a String>) -> BTreeSet<Finding> {
    let mut findings = BTreeSet::new();
    for path in paths.filter(|path| language(path).is_some()) {
        let mut end = 0;
        for segment in path.split('/') {
            end += segment.len();
            let name = segment.split('.').next().unwrap_or_default();
            if NAMES_THAT_SAY_NOTHING.contains(&name) {
                findings.insert(says_nothing(&path[..end], 1, name));
            }
            if segment == "mod.rs" {
                findings.insert(Finding {
                    path: path.clone(),
                    line: 1,
                    what: "the file is called mod.rs".to_owned(),
                    to_do: "put `foo.rs` beside the folder `foo/`",
                });
            }
            end += 1;
        }
    }
    findings
}

pub(super) fn inline_modules(source: &SourceFile) -> Vec<Finding> {
    if language(&source.path) != Some(Language::Rust) {
        return Vec::new();
    }
    let code = code_only(&source.text, Language::Rust);
    let mut findings = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let words: Vec<&str> = line
            .split(|character: char| !(character.is_alphanumeric() || character == '_'))
            .collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            if pair[0] == "mod" && NAMES_THAT_SAY_NOTHING.contains(&pair[1]) && line.contains('{') {
                findings.push(says_nothing(&source.path, index + 1, pair[1]));
            }
        }
    }
    findings
}

fn says_nothing(path: &str, line: usize, name: &str) -> Finding {
    Finding {
        path: path.to_owned(),
        line,
        what: format!("a module is called `{name}`"),
        to_do: "name it after what it holds",
    }
}
