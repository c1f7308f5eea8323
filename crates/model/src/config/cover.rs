//! Covers what values of `env` say wherever it would be shown again: in sentences about the file, and in its lines.
//!
//! Of a file that cannot be read as it was meant, nobody knows where its values begin and end; what may be one counts as
//! one there.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::hidden::is_variable_name;
use super::{EnvValue, SECRET_BYTES, Secrecy};

/// What is told in the place of a secret.
const STARS: &str = "***";

/// Secrets of a file, as words that must not be shown.
#[derive(Debug)]
pub(super) struct Cover {
    search: AhoCorasick,
}

impl Cover {
    /// Returns what covers these words; shorter ones than a secret can be are left out.
    pub(super) fn over(words: impl IntoIterator<Item = String>) -> Self {
        let mut all: Vec<String> = Vec::new();
        for word in words.into_iter().filter(|word| word.len() >= SECRET_BYTES) {
            // With escapes, as it may stand in the file.
            let quoted = format!("{word:?}");
            let quoted = &quoted[1..quoted.len() - 1];
            if quoted != word {
                all.push(quoted.to_owned());
            }
            all.push(word);
        }
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            // What is built must grow with the file alone: a line of 40 kB without a space is one word, whose automaton with
            // a table for each state takes seconds.
            .kind(Some(AhoCorasickKind::NoncontiguousNFA))
            .build(&all)
            .expect("a file is far too short for more words than a search can have");
        Self { search }
    }

    /// Returns where a text has one of the words.
    pub(super) fn places(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        self.search.find_iter(text).map(|found| found.range())
    }

    /// Returns a text with stars in the place of the words.
    pub(super) fn hide(&self, text: &str) -> String {
        let mut covered = String::with_capacity(text.len());
        let mut shown_from = 0;
        for place in self.places(text) {
            covered.push_str(&text[shown_from..place.start]);
            covered.push_str(STARS);
            shown_from = place.end;
        }
        covered.push_str(&text[shown_from..]);
        covered
    }
}

/// Returns what may be a secret in a part of a file that cannot be read: between two quotes, wherever they belong, and
/// between two spaces. `name` is what stands before the part.
pub(super) fn words_in(name: &str, part: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut name = name;
    let mut rest = part;
    while !rest.is_empty() {
        let end = rest.find(is_quote).unwrap_or(rest.len());
        let piece = &rest[..end];
        if !is_between_values(piece) {
            words.extend(secret(name, piece));
        }
        let mut ahead = piece;
        while let Some(begin) = ahead.find(|symbol| !is_space(symbol)) {
            let length = ahead[begin..].find(is_space).unwrap_or(ahead.len() - begin);
            let word = &ahead[begin..begin + length];
            ahead = &ahead[begin + length..];
            if is_variable_name(word) && ahead.trim_start().starts_with('=') {
                name = word;
                continue;
            }
            words.extend(secret(name, word));
            if let Some((own, value)) = word.split_once(['=', ':']) {
                if is_variable_name(own) {
                    name = own;
                }
                words.extend(secret(name, value));
            }
        }
        rest = rest[end..].strip_prefix(is_quote).unwrap_or_default();
    }
    words.dedup();
    words
}

fn is_quote(symbol: char) -> bool {
    matches!(symbol, '"' | '\'')
}

fn is_space(symbol: char) -> bool {
    symbol.is_whitespace() || ",{}[]".contains(symbol)
}

/// Returns whether a text between two quotes is what stands between two values.
fn is_between_values(text: &str) -> bool {
    let text = text.trim();
    let ends_with_name = text.strip_suffix('=').map(str::trim_end).is_some_and(|before| {
        let name = before.rsplit(is_space).next().unwrap_or_default();
        is_variable_name(name)
    });
    text.is_empty() || text.starts_with(['=', ',', '{', '}', '[', ']', '#']) || ends_with_name
}

fn secret(name: &str, text: &str) -> Option<String> {
    let value = EnvValue::of(text);
    let is_secret =
        matches!(value, EnvValue::Literal(_)) && Secrecy::of(name, &value, text) == Secrecy::Secret;
    is_secret.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &[&str], text: &str, expected: &str) {
        let cover = Cover::over(words.iter().map(|word| (*word).to_owned()));
        assert_eq!(cover.hide(text), expected);
    }

    #[test]
    fn a_word_is_covered_as_it_is_and_with_escapes() {
        check(&[], "sh", "sh");
        check(&["sk-hunter2"], "sk-hunter2 and /sk-hunter2", "*** and /***");
        check(&["sk-hunter2", "sk-hunter23"], "x sk-hunter23", "x ***");
        check(&["a\"b\\c"], "a\"b\\c a\\\"b\\\\c", "*** ***");
        check(&["abc"], "abc", "abc");
    }

    #[test]
    fn between_quotes_and_spaces_there_may_be_secrets() {
        for (name, part, expected) in [
            ("env", " { K = \"sk-hunter2\" }", vec!["sk-hunter2"]),
            (
                "env",
                " { K = \"sk-hunter2\", API_KEY = \"lowercase\"",
                vec!["sk-hunter2", "lowercase"],
            ),
            (
                "env",
                " { K = \"\"\"sk-hunter2\"\"\", L = '$HUNTER_KEY' }",
                vec!["sk-hunter2"],
            ),
            ("env", "{ MODE = \"production\", API_KEY = \"$HOME\" }", vec![]),
            ("K", " Correct1 Horse", vec![" Correct1 Horse", "Correct1"]),
            ("", "KEY=hunter22", vec!["KEY=hunter22", "hunter22"]),
            ("TOKEN", " \"hunter", vec!["hunter"]),
        ] {
            assert_eq!(words_in(name, part), expected, "{part}");
        }
    }
}
