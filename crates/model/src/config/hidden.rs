//! What is not shown of lines that are quoted: values of `env` that cannot be told from the rest for certain.

use std::ops::Range;

use super::secrecy::is_named_secret;
use super::shape;

/// Returns whether a key of `env` is the name of a variable; another one may be a value, or hold one.
pub(super) fn is_variable_name(key: &str) -> bool {
    let is_first = |symbol: char| symbol.is_ascii_alphabetic() || symbol == '_';
    key.starts_with(is_first)
        && key
            .chars()
            .all(|symbol| is_first(symbol) || symbol.is_ascii_digit())
}

/// Returns where the sign stands in a key behind which there may be a value.
pub(super) fn sign_in_key(key: &str) -> Option<usize> {
    key.find(['=', ':'])
}

/// Returns the part of a line that could not be read and may be a value of `env`: what stands behind a name that no key
/// has, or behind any name near `env`. `at` is where it could not be read.
pub(super) fn of_unreadable(text: &str, at: usize) -> Option<Range<usize>> {
    let at = text.floor_char_boundary(at);
    let begin = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[begin..].lines().next().unwrap_or_default();
    let table = text[..begin].rfind("\n[").unwrap_or(0);
    let is_near_env = text[table..begin].contains("env") || line.contains("env");
    let mut signs = line.match_indices(['=', ':']).map(|(at, _)| at);
    let by_sign = signs.find(|sign| {
        let before = line[..*sign].trim();
        let name = before
            .rsplit(|symbol: char| !symbol.is_ascii_alphanumeric() && symbol != '_')
            .next()
            .unwrap_or_default();
        let is_first = !line[..*sign].contains(['=', ':']);
        is_near_env || !shape::is_key_of_some_table(if is_first { before } else { name })
    });
    let by_sign = by_sign.map(|sign| sign + 1);
    let from = match (by_sign, behind_secret_name(line)) {
        (Some(sign), Some(name)) => sign.min(name),
        (sign, name) => sign.or(name)?,
    };
    Some(begin + from..begin + line.len())
}

/// Returns the parts of comments that stand behind the name of a secret.
pub(super) fn of_comments(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut begin = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = begin;
        begin += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        let comment = line.find('#')?;
        let from = comment + behind_secret_name(&line[comment..])?;
        (from < line.len()).then(|| start + from..start + line.len())
    })
}

/// Returns where the first word ends that names a secret.
fn behind_secret_name(line: &str) -> Option<usize> {
    let mut begin = 0;
    for word in line.split_inclusive(|symbol: char| !symbol.is_ascii_alphanumeric() && symbol != '_') {
        let name = word.trim_end_matches(|symbol: char| !symbol.is_ascii_alphanumeric() && symbol != '_');
        if is_named_secret(name) {
            return Some(begin + name.len());
        }
        begin += word.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<&str>) {
        let text = format!("[[agents]]\n{line}\n");
        let hidden = of_unreadable(&text, text.len() - 2).map(|part| text[part].to_owned());
        assert_eq!(hidden.as_deref(), expected, "{line}");
    }

    #[test]
    fn of_a_line_that_could_not_be_read_the_value_of_a_stranger_is_hidden() {
        check("export KEY=hunter22", Some("=hunter22"));
        check("export HUNT=hunter22", Some("hunter22"));
        check("HUNT: hunter22", Some(" hunter22"));
        check("title = \"x\" HUNT=hunter22", Some("hunter22"));
        check("set token hunter22", Some(" hunter22"));
        check("env = { A = nice }", Some(" { A = nice }"));
        check("title = nice", None);
        check("args = [\"--acp\"", None);
        check("nice", None);
    }

    #[test]
    fn of_a_comment_what_stands_behind_the_name_of_a_secret_is_hidden() {
        let text =
            "a = 1 # KEY = \"hunter22\"\r\nb = 2 # my é token hunter22\nc = \"KEY\" # nothing\nd = 4 # key";
        let hidden: Vec<&str> = of_comments(text).map(|part| &text[part]).collect();
        assert_eq!(hidden, [" = \"hunter22\"", " hunter22"]);
    }

    #[test]
    fn a_key_is_the_name_of_a_variable_or_may_be_a_value() {
        for name in ["KEY", "_x", "A1"] {
            assert!(is_variable_name(name), "{name}");
        }
        for value in ["", "KEY=hunter22", "KEY: hunter22", "sk-1234", "1A", "a b", "é"] {
            assert!(!is_variable_name(value), "{value}");
        }
    }
}
