//! What is wrong with a configuration file, as compilers tell it: the place, the line, and a caret below it.

use std::io;

use anstyle::Style;
use pupitre_model::config::Counts;
use pupitre_protocol::configuration::Problem;
use unicode_width::UnicodeWidthStr as _;

use super::neutral::{neutral, one_line};
use super::{Output, style};

/// The most of a line that is shown, in characters; a longer one is shown around the place.
const LINE_CHARACTERS: usize = 160;

impl Output {
    /// Writes problems and warnings of a text, and how many there are, also of those that are not told.
    pub(crate) fn problems(
        &mut self,
        name: &str,
        text: &str,
        problems: &[Problem],
        counts: Counts,
    ) -> io::Result<()> {
        let lines: Vec<&str> = text.lines().collect();
        for problem in problems {
            let Problem {
                line,
                column,
                message,
                cause: _,
                warning,
            } = problem;
            let (word, style) = kind(*warning);
            let place = one_line(&format!("{name}:{line}:{column}:"));
            let said = self.out.paint.text(style, word);
            self.line(&format!("{place} {said}: {}", one_line(message)))?;
            let source = lines.get(*line as usize - 1).copied().unwrap_or_default();
            let (shown, caret) = window(source, *column as usize - 1);
            let number = line.to_string();
            let margin = " ".repeat(number.len());
            self.line(&format!(" {number} | {shown}"))?;
            let caret = format!("{}{}", " ".repeat(caret), self.out.paint.text(style, "^"));
            self.line(&format!(" {margin} | {caret}"))?;
        }
        let summary = match (counts.problems, counts.warnings) {
            (0, 0) => format!("{name} is valid"),
            (0, warnings) => format!("{name} is valid, with {}", counted(warnings, "warning")),
            (errors, 0) => format!("{name} has {}", counted(errors, "problem")),
            (errors, warnings) => {
                format!(
                    "{name} has {} and {}",
                    counted(errors, "problem"),
                    counted(warnings, "warning")
                )
            }
        };
        self.line(&one_line(&summary))
    }
}

fn kind(warning: bool) -> (&'static str, Style) {
    if warning {
        ("warning", style::BUSY)
    } else {
        ("error", style::BAD)
    }
}

fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// Returns what is shown of a line, and how many cells of the terminal stand before the place.
fn window(line: &str, place: usize) -> (String, usize) {
    let line = line.trim_start_matches('\u{feff}');
    let from = place.saturating_sub(LINE_CHARACTERS / 2);
    let from = if line.chars().count() <= LINE_CHARACTERS {
        0
    } else {
        from
    };
    let part = |from: usize, to: usize| -> String {
        let symbols: String = line.chars().skip(from).take(to - from).collect();
        // One cell for each, so that the caret stands right.
        neutral(&symbols).replace('\t', " ")
    };
    let shown = part(from, from + LINE_CHARACTERS);
    (shown, part(from, place).width())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_below_the_place() {
        let check = |line: &str, place: usize, expected: (&str, usize)| {
            assert_eq!(
                window(line, place),
                (expected.0.to_owned(), expected.1),
                "{line:?}"
            );
        };
        check("titel = 1", 0, ("titel = 1", 0));
        check("\ta = 1", 1, (" a = 1", 1));
        check("名 = x", 4, ("名 = x", 5));
        check("", 0, ("", 0));
        let (shown, caret) = window(&"x".repeat(10_000), 9_000);
        assert_eq!((shown.len(), caret), (LINE_CHARACTERS, LINE_CHARACTERS / 2));
    }
}
