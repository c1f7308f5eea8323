//! docs/benchmarks.md: one section for each benchmark, so that measuring one again leaves the others as they are.

use std::time::Duration;

use super::row::Row;
use super::table;

const HEAD: &str = "\
# Benchmarks

Written by `cargo xtask bench`; `cargo xtask bench NAME` replaces one section. Each says where and of what it was
measured.

Each peer was measured in the same run, in turns with what it stands beside. Absolute times belong to the machine; the
ratios travel. Times are medians, with the least and the most in brackets; where it says so they are the least, and
ratios and verdicts go by that: what else a machine does can only add to a time.
";

const HEADING: &str = "\n## ";

/// The part of the page that belongs to one benchmark.
pub(super) struct Section {
    name: String,
    body: String,
}

impl Section {
    /// Returns the section of the benchmark `name`, `machine` being one line on where it was measured.
    pub(super) fn of(name: &str, machine: &str, took: Duration, rows: &[Row]) -> Self {
        let seconds = took.as_secs();
        let took = match seconds {
            0..120 => format!("{seconds} s"),
            _ => format!("{} min", (seconds + 30) / 60),
        };
        Self {
            name: name.to_owned(),
            body: format!(
                "\nMeasured within {took} on {machine}.\n\n{}",
                table::markdown(rows)
            ),
        }
    }

    fn read(text: &str) -> Option<Self> {
        let (name, body) = text.split_once('\n')?;
        Some(Self {
            name: name.trim().to_owned(),
            body: body.trim_end().to_owned() + "\n",
        })
    }
}

/// Returns the page with the measured sections in place of those of the same name, in the order of `names`. Sections
/// of benchmarks that are no more are left out.
pub(super) fn updated(before: &str, measured: Vec<Section>, names: &[&str]) -> String {
    let kept = before.split(HEADING).skip(1).filter_map(Section::read);
    let sections: Vec<Section> = measured.into_iter().chain(kept).collect();
    let mut page = HEAD.to_owned();
    for name in names {
        // What was measured comes first.
        if let Some(section) = sections.iter().find(|section| section.name == *name) {
            page.push_str(&format!("{HEADING}{name}\n{}", section.body));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::super::row::{Reach, Value};
    use super::*;

    fn section(name: &'static str, bytes: u64, machine: &str) -> Section {
        let row = Row::alone(name, "what", Value::Bytes(bytes), Reach::NotSet);
        Section::of(name, machine, Duration::from_secs(bytes), &[row])
    }

    #[test]
    fn a_benchmark_that_is_measured_again_leaves_the_others_as_they_are() {
        let names = ["a", "b", "c"];
        let first = vec![
            section("c", 3, "one"),
            section("a", 1, "one"),
            section("gone", 9, "one"),
        ];
        let page = updated("# Something else\n", first, &names);
        assert!(
            page.ends_with(
                "a time.\n\n## a\n\nMeasured within 1 s on one.\n\n| what | value | peer | ratio | reach | verdict |\n\
                 | --- | --- | --- | --- | --- | --- |\n| what | 0.0 kB |  |  |  |  |\n\n## c\n\nMeasured within 3 s on one.\n\n\
                 | what | value | peer | ratio | reach | verdict |\n| --- | --- | --- | --- | --- | --- |\n\
                 | what | 0.0 kB |  |  |  |  |\n"
            ),
            "{page}"
        );
        let again = updated(
            &page,
            vec![section("b", 200, "two"), section("a", 2000, "two")],
            &names,
        );
        let sections: Vec<&str> = again.split(HEADING).skip(1).collect();
        assert!(
            sections[0].starts_with("a\n\nMeasured within 33 min on two.\n"),
            "{again}"
        );
        assert!(
            sections[1].starts_with("b\n\nMeasured within 3 min on two.\n"),
            "{again}"
        );
        assert!(
            sections[2].starts_with("c\n\nMeasured within 3 s on one.\n"),
            "{again}"
        );
        assert_eq!(updated(&again, Vec::new(), &names), again);
    }
}
