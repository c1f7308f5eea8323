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

/// Headers behind which no value of `env` is near; behind one that nobody knows there may be.
const PLAIN_TABLES: [&str; 4] = ["limits", "agents", "channels", "mcp_servers"];

/// The lines of a text, to find what is hidden of them.
pub(super) struct Surroundings<'a> {
    lines: Vec<Line<'a>>,
}

/// A line without its end.
struct Line<'a> {
    /// In bytes.
    start: usize,
    text: &'a str,
    /// Whether it stands in or behind an `env`, or below a header that may have been meant for one.
    is_near_env: bool,
}

impl<'a> Surroundings<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut start = 0;
        let mut is_near_env = false;
        let lines = text.split('\n').map(|text| {
            match table_of_header(text) {
                Some(table) => is_near_env = !PLAIN_TABLES.contains(&table),
                // What only begins as a header may be a value that stands on a line of its own.
                None => is_near_env |= text.trim_start().starts_with('['),
            }
            is_near_env |= text.contains("env");
            let line = Line {
                start,
                text: text.trim_end_matches('\r'),
                is_near_env,
            };
            start += text.len() + 1;
            line
        });
        Self {
            lines: lines.collect(),
        }
    }

    /// Returns the part of a line that could not be read and may be a value of `env`: what stands behind a name that no
    /// key has, and near `env` whatever is not the name of a variable or a key. `at` is where it could not be read.
    pub(super) fn of_unreadable(&self, at: usize) -> Option<Range<usize>> {
        self.lines[self.lines.partition_point(|line| line.start <= at) - 1].doubtful()
    }

    /// Returns these parts of all lines, each with the last name before it: where some line cannot be read, what was read
    /// of the other ones is a guess, too.
    pub(super) fn doubtful(&self) -> impl Iterator<Item = (&'a str, Range<usize>)> {
        self.lines.iter().filter_map(|line| {
            let part = line.doubtful()?;
            let before = line.text[..part.start - line.start].trim_end_matches(['=', ':', ' ', '\t']);
            Some((last_word(before), part))
        })
    }

    /// Returns the comments near `env`, and the parts of others that stand behind the name of a secret.
    pub(super) fn of_comments(&self) -> impl Iterator<Item = Range<usize>> {
        self.lines.iter().filter_map(|line| {
            let comment = line.text.find('#')?;
            let from = if line.is_near_env {
                comment + 1
            } else {
                comment + behind_secret_name(&line.text[comment..])?
            };
            (from < line.text.len()).then(|| line.start + from..line.start + line.text.len())
        })
    }
}

impl Line<'_> {
    /// Returns the part that may be a value of `env`, in bytes of the text.
    fn doubtful(&self) -> Option<Range<usize>> {
        let text = self.text;
        let mut signs = text.match_indices(['=', ':']).map(|(at, _)| at);
        let from = if self.is_near_env {
            match signs.next() {
                Some(sign) if is_path_of_names(&text[..sign]) => sign + 1,
                None if has_only_keys(text) => return None,
                Some(_) | None => 0,
            }
        } else {
            let by_sign = signs.find(|sign| {
                let before = text[..*sign].trim();
                let is_first = !text[..*sign].contains(['=', ':']);
                !shape::is_key_of_some_table(if is_first { before } else { last_word(before) })
            });
            // What stands before the first sign may be more than a name, and a line without a sign, the end of a value.
            let names = &text[..text.find(['=', ':']).unwrap_or(0)];
            let by_sign = match by_sign {
                Some(sign) if sign == names.len() => Some(names.find(is_in_no_name).unwrap_or(sign + 1)),
                Some(sign) => Some(sign + 1),
                None if names.is_empty() => text.find(['"', '\'']),
                None => None,
            };
            match (by_sign, behind_secret_name(text)) {
                (Some(sign), Some(name)) => sign.min(name),
                (sign, name) => sign.or(name)?,
            }
        };
        (from < text.len()).then(|| self.start + from..self.start + text.len())
    }
}

/// Returns the name of the table that begins with this line, when nothing but a comment stands behind it.
fn table_of_header(line: &str) -> Option<&str> {
    let (name, behind) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let behind = behind.trim_start_matches(']').trim_start();
    (behind.is_empty() || behind.starts_with('#')).then(|| name.trim_start_matches('[').trim())
}

/// Returns whether a text is a key without quotes, or several with dots between them.
fn is_path_of_names(text: &str) -> bool {
    text.split('.').all(|name| is_variable_name(name.trim()))
}

/// Returns whether every word of a line is the name of a key, so that there is no value in it.
fn has_only_keys(line: &str) -> bool {
    let mut words = line
        .split(|symbol: char| !symbol.is_alphanumeric() && symbol != '_')
        .filter(|word| !word.is_empty());
    words.all(shape::is_key_of_some_table)
}

fn is_in_no_name(symbol: char) -> bool {
    !symbol.is_alphanumeric() && !matches!(symbol, '_' | '.' | ' ' | '\t')
}

fn last_word(text: &str) -> &str {
    text.rsplit(|symbol: char| !symbol.is_ascii_alphanumeric() && symbol != '_')
        .next()
        .unwrap_or_default()
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
    fn check_below(head: &str, line: &str, expected: Option<&str>) {
        let text = format!("{head}\n{line}\n");
        let surroundings = Surroundings::of(&text);
        for at in [head.len() + 1, text.len() - 1] {
            let hidden = surroundings.of_unreadable(at).map(|part| &text[part]);
            assert_eq!(hidden, expected, "{line}");
        }
    }

    #[track_caller]
    fn check(line: &str, expected: Option<&str>) {
        check_below("[[agents]]", line, expected);
    }

    #[test]
    fn of_a_line_that_could_not_be_read_the_value_of_a_stranger_is_hidden() {
        check("export KEY=hunter22", Some("=hunter22"));
        check("export HUNT=hunter22", Some("hunter22"));
        check("HUNT: hunter22", Some(" hunter22"));
        check("title = \"x\" HUNT=hunter22", Some("hunter22"));
        check("set token hunter22", Some(" hunter22"));
        check("en KE\"hunter22\", B = 1", Some("\"hunter22\", B = 1"));
        check("en hunter-22, B = 1", Some("-22, B = 1"));
        check("en \"hunter22\" }", Some("\"hunter22\" }"));
        check("env = { A = nice }", Some(" { A = nice }"));
        check("title = nice", None);
        check("args = [\"--acp\"", None);
        check("nice", None);
    }

    #[test]
    fn near_env_all_is_hidden_that_is_no_name_for_certain() {
        for head in [
            "[[agents]]\n[agents.env]",
            "[[agents]]\n[agents.env]\nB =\n[\"x\"] y",
            "[[agents]]\nenv = {",
            "[agents.enviroment]",
            "[agents.variables]",
            "[[agents]]\n  [agents.env]\n\n",
        ] {
            for line in [
                "SOME \"hunter22\"",
                "\"hunter22\"",
                "hunter22",
                "SOME hunter22",
                "SOME, hunter22",
                "\"SOME\"\"hunter22\"",
                "\"SOME\" \"hunter22\" = 1",
                "SOME hunter22: 1",
                "[hunter22",
            ] {
                check_below(head, line, Some(line));
            }
            check_below(head, "SOME = hunter22 x", Some(" hunter22 x"));
            check_below(head, "SOME =", None);
            check_below(head, "[agents.env", None);
            check_below(head, "}", None);
        }
        check("env.SOME \"hunter22\"", Some("env.SOME \"hunter22\""));
        check("env.SOME = hunter22", Some(" hunter22"));
        check_below("[agents.env]\n[limits] # \"x\"", "nice", None);
        check_below(
            "[agents.env]\n[limits] \"x\"",
            "\"hunter22\"",
            Some("\"hunter22\""),
        );
    }

    #[test]
    fn of_a_comment_what_stands_near_env_or_behind_the_name_of_a_secret_is_hidden() {
        let text = "a = 1 # KEY = \"hunter22\"\r\nb = 2 # my é token hunter22\nc = \"KEY\" # nothing\nd = 4 # key\n\
                    [agents.env]\nA = 1 # hunter22\nB = 2 #\n# hunter22\n[limits] # nothing\n";
        let surroundings = Surroundings::of(text);
        let hidden: Vec<&str> = surroundings.of_comments().map(|part| &text[part]).collect();
        assert_eq!(hidden, [" = \"hunter22\"", " hunter22", " hunter22", " hunter22"]);
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
