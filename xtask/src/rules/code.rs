//! Source text without its comments and literals, so that a rule looks at code and not at words about code.
//! Enough of a lexer for that and no more: line breaks stay where they are, all that is blanked becomes spaces.

use std::ops::Range;

use super::Language;

/// Returns the text with comments, strings and characters replaced by spaces.
pub(super) fn code_only(text: &str, language: Language) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = match blank_length(&blanked, rest, language) {
            Some(length) => {
                let (blank, _) = rest.split_at(length);
                blanked.extend(
                    blank
                        .chars()
                        .map(|character| if character == '\n' { '\n' } else { ' ' }),
                );
                length
            }
            None => {
                blanked.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    blanked
}

/// Returns the lines (counted from 0) of each module under `#[cfg(test)]`, in a text that `code_only` made.
pub(super) fn test_modules(code: &str) -> Vec<Range<usize>> {
    let mut modules = Vec::new();
    for (start, attribute) in code.match_indices("#[cfg(test)]") {
        let after = &code[start + attribute.len()..];
        let opening = match after.find(['{', ';']) {
            Some(at) if after[at..].starts_with('{') => at,
            // A module in a file of its own, or an item without a body.
            Some(_) | None => continue,
        };
        let length = matching_brace(&after[opening..]);
        let first = code[..start].matches('\n').count();
        let lines = after[..opening + length].matches('\n').count();
        modules.push(first..first + lines + 1);
    }
    modules
}

fn matching_brace(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth <= 1 => return at,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of the comment or literal that `rest` begins with.
fn blank_length(before: &str, rest: &str, language: Language) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    match (rest.as_bytes().first()?, language) {
        (b'/', _) if rest.starts_with("/*") => Some(block_comment(rest, language)),
        (b'"', Language::Rust) => Some(match raw_string_hashes(before) {
            Some(hashes) => raw_string(rest, hashes),
            None => string(rest, '"'),
        }),
        (b'\'', Language::Rust) => character(rest),
        (b'"', Language::TypeScript) => Some(string(rest, '"')),
        (b'\'', Language::TypeScript) => Some(string(rest, '\'')),
        (b'`', Language::TypeScript) => Some(string(rest, '`')),
        _ => None,
    }
}

/// Block comments nest in Rust only.
fn block_comment(rest: &str, language: Language) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") && (depth == 0 || language == Language::Rust) {
            depth += 1;
            at += 2;
        } else if here.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn string(rest: &str, quote: char) -> usize {
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        if character == '\\' {
            characters.next();
        } else if character == quote {
            return at + quote.len_utf8();
        }
    }
    rest.len()
}

fn raw_string(rest: &str, hashes: usize) -> usize {
    let end = format!("\"{}", "#".repeat(hashes));
    rest[1..].find(&end).map_or(rest.len(), |at| 1 + at + end.len())
}

/// Returns the number of hashes when the quote after `before` opens a raw string.
fn raw_string_hashes(before: &str) -> Option<usize> {
    let prefix = before.trim_end_matches('#');
    let word = prefix.strip_suffix('r')?;
    let word = word.strip_suffix(['b', 'c']).unwrap_or(word);
    let part_of_a_word = word.ends_with(|last: char| last.is_alphanumeric() || last == '_');
    (!part_of_a_word).then_some(before.len() - prefix.len())
}

/// Returns the length of a character literal; a lifetime is code.
fn character(rest: &str) -> Option<usize> {
    let inside = &rest[1..];
    if inside.starts_with('\\') {
        return Some(string(rest, '\''));
    }
    let first = inside.chars().next()?.len_utf8();
    inside[first..].starts_with('\'').then_some(1 + first + 1)
}
