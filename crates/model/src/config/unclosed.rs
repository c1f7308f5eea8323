//! Where something was opened that is never closed: what a parser says of that stands on lines that are right.

use pupitre_protocol::configuration::ProblemCause;

/// Something that was opened and not closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unclosed {
    /// Where it was opened, in bytes.
    pub(super) at: usize,
    pub(super) what: Opened,
}

/// What may be opened on one line and closed on another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opened {
    Array,
    Table,
    /// A text between three signs.
    Text,
}

impl Opened {
    /// Returns what is wrong.
    pub(super) const fn cause(self) -> ProblemCause {
        match self {
            Self::Array => ProblemCause::ArrayNotClosed,
            Self::Table => ProblemCause::TableNotClosed,
            Self::Text => ProblemCause::TextNotClosed,
        }
    }
}

/// Returns the first thing that is not closed.
pub(super) fn unclosed(text: &str) -> Option<Unclosed> {
    let mut open: Vec<Unclosed> = Vec::new();
    // What a line begins with names a table, where nothing is open.
    let mut header = false;
    let mut blank = true;
    let mut at = 0;
    while let Some(sign) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut next = at + sign.len_utf8();
        match sign {
            '\n' => (header, blank) = (false, true),
            '#' => next = at + rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => {
                let three = if sign == '"' { "\"\"\"" } else { "'''" };
                next = match rest.strip_prefix(three) {
                    Some(inner) => match end_of_text(inner, three) {
                        Some(end) => at + 3 + end,
                        None => {
                            let text = Unclosed {
                                at,
                                what: Opened::Text,
                            };
                            return Some(open.first().copied().unwrap_or(text));
                        }
                    },
                    None => at + 1 + end_of_line_text(&rest[1..], sign),
                };
            }
            '[' if open.is_empty() && (blank || header) => header = true,
            '[' | '{' => open.push(Unclosed {
                at,
                what: if sign == '[' { Opened::Array } else { Opened::Table },
            }),
            ']' | '}' if header || open.is_empty() => {}
            ']' | '}' => {
                let what = if sign == ']' { Opened::Array } else { Opened::Table };
                match open.pop() {
                    Some(last) if last.what == what => {}
                    // Another one ends here, unless nothing of its kind is open.
                    Some(last) => return open.iter().any(|open| open.what == what).then_some(last),
                    None => {}
                }
            }
            _ => {}
        }
        if !sign.is_whitespace() {
            blank = false;
        }
        at = next;
    }
    open.first().copied()
}

/// Returns where a text between three signs ends, behind them, in bytes.
fn end_of_text(inner: &str, three: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let end = from + inner[from..].find(three)?;
        let backslashes = inner[..end]
            .bytes()
            .rev()
            .take_while(|byte| *byte == b'\\')
            .count();
        if three.starts_with('\'') || backslashes % 2 == 0 {
            return Some(end + 3);
        }
        from = end + 1;
    }
}

/// Returns where a text of one line ends, behind its sign or before the end of the line, in bytes.
fn end_of_line_text(inner: &str, sign: char) -> usize {
    let mut escaped = false;
    for (at, symbol) in inner.char_indices() {
        match symbol {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' if sign == '"' => escaped = true,
            _ if symbol == sign => return at + 1,
            _ => {}
        }
    }
    inner.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, Opened)>) {
        let found = unclosed(text).map(|found| (&text[found.at..], found.what));
        let found = found.map(|(from, what)| (from.lines().next().unwrap_or_default(), what));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn what_is_closed_is_nothing() {
        for text in [
            "",
            "[[agents]]\nargs = [\"]\", '[', [1, 2]] # [\nenv = { A = \"{\", B = '}' }\n[a.\"b]\"]\n",
            "a = \"\"\"\n[ { \\\"\"\" \"\"\"\nb = '''[ \\'''\nc = \"\\\"[\"\nd = \"\"\n",
            "args = [\n  \"x\", # ]\n]\n[limits]\n",
            // A line's text that does not end, and signs that nothing opened.
            "a = \"[\nb = ]\nc = 1 }\n",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn what_is_not_closed_is_found_where_it_begins() {
        check(
            "[[agents]]\nargs = [\"--acp\"\ncwd = \"~\"\n[[agents]]\nargs = [\"x\"]\n",
            Some(("[\"--acp\"", Opened::Array)),
        );
        check(
            "env = { A = \"b\"\n[limits]\nx = 1\n",
            Some(("{ A = \"b\"", Opened::Table)),
        );
        check("env = { A = [1 }\n", Some(("[1 }", Opened::Array)));
        check("a = 1\nb = \"\"\"x\n[c]\n", Some(("\"\"\"x", Opened::Text)));
        check("a = [[1, 2], [3]\n", Some(("[[1, 2], [3]", Opened::Array)));
    }
}
