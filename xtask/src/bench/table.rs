//! The table of rows, for the terminal and as Markdown.

use super::row::Row;

const HEAD: [&str; 7] = ["name", "what", "value", "peer", "ratio", "reach", "verdict"];

/// Returns the table with columns lined up.
pub(super) fn text(rows: &[Row]) -> String {
    let lines: Vec<[String; 7]> = std::iter::once(HEAD.map(str::to_owned))
        .chain(rows.iter().map(cells))
        .collect();
    let widths: Vec<usize> = (0..HEAD.len())
        .map(|column| {
            lines
                .iter()
                .map(|line| line[column].chars().count())
                .max()
                .unwrap_or_default()
        })
        .collect();
    let mut text = String::new();
    for line in &lines {
        let padded: Vec<String> = line
            .iter()
            .zip(&widths)
            .map(|(cell, &width)| format!("{cell:width$}"))
            .collect();
        text.push_str(padded.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Returns the rows of one benchmark as a table of Markdown, without its name.
pub(super) fn markdown(rows: &[Row]) -> String {
    let mut table = String::new();
    let mut push = |[_, cells @ ..]: [String; 7]| {
        table.push_str(&format!(
            "| {} |\n",
            cells.map(|cell| cell.replace('|', "\\|")).join(" | ")
        ));
    };
    push(HEAD.map(str::to_owned));
    push(HEAD.map(|_| "---".to_owned()));
    for row in rows {
        push(cells(row));
    }
    table
}

fn cells(row: &Row) -> [String; 7] {
    [
        row.name.to_owned(),
        row.what.clone(),
        row.value.to_string(),
        row.peer
            .as_ref()
            .map(|peer| format!("{}: {}", peer.what, peer.value))
            .unwrap_or_default(),
        row.ratio().map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
        row.reach.to_string(),
        row.verdict().to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::bench::process::Spread;
    use crate::bench::row::{Peer, Reach, Value};

    fn milliseconds(median: u64) -> Value {
        let around = |distance: i64| Duration::from_millis(median.saturating_add_signed(distance));
        Value::Time(Spread {
            least: around(-1),
            median: around(0),
            most: around(1),
        })
    }

    fn rows() -> Vec<Row> {
        let peer = || {
            Some(Peer {
                what: "cat | wc".to_owned(),
                value: milliseconds(4),
            })
        };
        let row = |what: &str, value, peer, reach| Row {
            name: "x",
            what: what.to_owned(),
            value,
            peer,
            reach,
        };
        vec![
            row(
                "small",
                Value::Bytes(2_000_000),
                None,
                Reach::AtMostBytes(2_000_000),
            ),
            row(
                "big",
                Value::Bytes(2_000_001),
                None,
                Reach::AtMostBytes(2_000_000),
            ),
            row("quick", milliseconds(8), peer(), Reach::AtMostTimesPeer(2.0)),
            row("slow", milliseconds(2000), peer(), Reach::AtMostTimesPeer(2.0)),
            row("alone", milliseconds(8), None, Reach::AtMostTimesPeer(2.0)),
            row("shown", Value::Bytes(1), None, Reach::NotSet),
        ]
    }

    #[test]
    fn the_table_lines_up_and_judges() {
        let expected = "\
name  what   value                        peer                              ratio   reach                 verdict
x     small  2.00 MB                                                                at most 2.00 MB       reached
x     big    2.00 MB                                                                at most 2.00 MB       MISSED
x     quick  8.00 ms (7.00 ms to 9.00 ms)  cat | wc: 4.00 ms (3.00 ms to 5.00 ms)  2.00    at most 2 × the peer  reached
";
        let squeeze = |text: &str| -> Vec<String> {
            text.lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect()
        };
        let text = text(&rows());
        assert_eq!(squeeze(&text)[..4], squeeze(expected)[..]);
        assert!(
            squeeze(&text)[4].ends_with("500.00 at most 2 × the peer MISSED"),
            "{text}"
        );
        assert!(squeeze(&text)[5].ends_with("at most 2 × the peer"), "{text}");
        assert!(squeeze(&text)[6].ends_with("0.0 kB"), "{text}");
        let verdicts: Vec<usize> = text
            .lines()
            .filter_map(|line| {
                line.find("verdict")
                    .or(line.find("reached"))
                    .or(line.find("MISSED"))
            })
            .collect();
        // Bytes before a column differ with the `×`; characters do not.
        assert_eq!(verdicts.len(), 5, "{text}");
        let column = |line: &str, word: &str| line.find(word).map(|at| line[..at].chars().count());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(column(lines[1], "reached"), column(lines[0], "verdict"), "{text}");
        assert_eq!(column(lines[3], "reached"), column(lines[0], "verdict"), "{text}");
    }

    #[test]
    fn the_markdown_is_a_table_whatever_the_cells_hold() {
        let table = markdown(&rows());
        assert!(
            table.contains("\n| quick | 8.00 ms (7.00 ms to 9.00 ms) | cat \\| wc: 4.00 ms"),
            "the bar inside a cell is escaped: {table}"
        );
        assert!(table.ends_with("| shown | 0.0 kB |  |  |  |  |\n"), "{table}");
    }
}
