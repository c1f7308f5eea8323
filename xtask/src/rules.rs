//! The rules of the repository that no lint holds. Each finding says where and what to do.
//! Pure: the tree comes in as values, so that a test can make one.

mod code;
mod layout;
mod pages;
mod sleeps;

use std::collections::BTreeSet;
use std::fmt;

/// What the rules look at: every path (relative, with `/`), and the text of those that are source.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) paths: BTreeSet<String>,
    pub(crate) sources: Vec<SourceFile>,
}

#[derive(Debug)]
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) path: String,
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) what: String,
    pub(crate) to_do: &'static str,
}

/// Returns every place that breaks a rule, in the order of paths and lines.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree
        .sources
        .iter()
        .filter(|source| !is_recorded_or_generated(&source.path))
    {
        findings.extend(layout::length(source));
        findings.extend(layout::head(source));
        findings.extend(layout::inline_modules(source));
        findings.extend(sleeps::in_tests(source));
    }
    findings.extend(layout::names(
        tree.paths.iter().filter(|path| !is_recorded_or_generated(path)),
    ));
    findings.extend(pages::both_languages(&tree.paths));
    findings.extend(pages::front_pages(&tree.paths));
    findings.sort();
    findings
}

/// Returns whether the rules want the text of this file.
pub(crate) fn is_source(path: &str) -> bool {
    language(path).is_some()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Rust,
    TypeScript,
}

fn language(path: &str) -> Option<Language> {
    match path.rsplit_once('.')?.1 {
        "rs" => Some(Language::Rust),
        "ts" | "tsx" => Some(Language::TypeScript),
        _ => None,
    }
}

/// Fixtures and generated files are as they come.
fn is_recorded_or_generated(path: &str) -> bool {
    path.split('/')
        .any(|segment| matches!(segment, "fixtures" | "gen" | "generated" | "snapshots"))
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}:{}: {}; {}",
            self.path, self.line, self.what, self.to_do
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a tree of these files beside what every tree must have; returns the findings as lines.
    fn check(files: &[(&str, &str)]) -> Vec<String> {
        let mut tree = Tree::default();
        for path in ["README.md", "README.fr.md"] {
            tree.paths.insert(path.to_owned());
        }
        for (path, text) in files {
            tree.paths.insert((*path).to_owned());
            if is_source(path) {
                tree.sources.push(SourceFile {
                    path: (*path).to_owned(),
                    text: (*text).to_owned(),
                });
            }
        }
        super::check(&tree).iter().map(Finding::to_string).collect()
    }

    fn starts(lines: &[String]) -> Vec<&str> {
        lines
            .iter()
            .map(|line| line.split_once(';').map_or(line.as_str(), |(what, _)| what))
            .collect()
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn a_file_has_six_hundred_lines_at_most() {
        let at_most = format!("//! Head.\n{}", "const A: u8 = 1;\n".repeat(599));
        let over = format!("{at_most}const B: u8 = 1;\n");
        assert_eq!(check(&[("crates/a/src/lib.rs", &at_most)]), NONE);
        assert_eq!(
            check(&[("crates/a/src/lib.rs", &over)]),
            ["crates/a/src/lib.rs:601: the file has 601 lines; split it by noun (at most 600 lines)"]
        );
        assert_eq!(
            starts(&check(&[("apps/web/src/a.ts", &over)])),
            ["apps/web/src/a.ts:601: the file has 601 lines"]
        );
        assert_eq!(
            check(&[
                ("apps/web/src/gen/a.ts", &over),
                ("crates/a/tests/fixtures/b.rs", &over)
            ]),
            NONE
        );
    }

    #[test]
    fn a_rust_file_begins_with_what_it_is_responsible_for() {
        let missing = ["crates/a/src/lib.rs:1: the file does not begin with `//!`"];
        assert_eq!(
            starts(&check(&[("crates/a/src/lib.rs", "fn a() {}\n//! Late.\n")])),
            missing
        );
        assert_eq!(
            starts(&check(&[("crates/a/src/lib.rs", "//!\nfn a() {}\n")])),
            missing
        );
        assert_eq!(starts(&check(&[("crates/a/src/lib.rs", "")])), missing);
        assert_eq!(
            check(&[("crates/a/src/lib.rs", "//! The wire.\n"), ("apps/web/a.ts", "")]),
            NONE
        );
    }

    #[test]
    fn modules_are_named_after_what_they_hold() {
        let found = check(&[
            ("crates/a/src/util.rs", "//! A.\n"),
            (
                "crates/a/src/lib.rs",
                "//! Declared here, but found at its own file.\nmod util;\n",
            ),
            ("crates/a/src/helpers/a.rs", "//! A.\n"),
            ("crates/a/src/helpers/b.rs", "//! B.\n"),
            (
                "crates/core/src/lib.rs",
                "//! A.\n\npub(crate) mod manager {\n}\n// mod common {\n",
            ),
            ("apps/web/src/common.ts", ""),
            (
                "crates/a/src/commonplace.rs",
                "//! A.\nmod utility {}\nmod outer { mod common {} }\n",
            ),
        ]);
        assert_eq!(
            starts(&found),
            [
                "apps/web/src/common.ts:1: a module is called `common`",
                "crates/a/src/commonplace.rs:3: a module is called `common`",
                "crates/a/src/helpers:1: a module is called `helpers`",
                "crates/a/src/util.rs:1: a module is called `util`",
                "crates/core:1: a module is called `core`",
                "crates/core/src/lib.rs:3: a module is called `manager`",
            ]
        );
        assert!(found[0].ends_with("; name it after what it holds"), "{found:?}");
    }

    #[test]
    fn no_module_file_is_called_mod() {
        assert_eq!(
            check(&[("crates/a/src/pane/mod.rs", "//! A.\n")]),
            ["crates/a/src/pane/mod.rs:1: the file is called mod.rs; put `foo.rs` beside the folder `foo/`"]
        );
    }

    #[test]
    fn every_page_is_in_both_languages() {
        let found = check(&[
            ("docs/en/start.md", ""),
            ("docs/en/agents/limits.md", ""),
            ("docs/fr/start.md", ""),
            ("docs/fr/panes.md", ""),
            ("docs/design/hub.md", ""),
            ("docs/en/shot.png", ""),
        ]);
        assert_eq!(
            found,
            [
                "docs/en/agents/limits.md:1: docs/fr/agents/limits.md is missing; write the page in both languages",
                "docs/fr/panes.md:1: docs/en/panes.md is missing; write the page in both languages",
            ]
        );
    }

    #[test]
    fn both_front_pages_are_there() {
        assert_eq!(
            super::check(&Tree::default())
                .iter()
                .map(Finding::to_string)
                .collect::<Vec<_>>(),
            [
                "README.fr.md:1: the page is missing; the project presents itself in English and in French",
                "README.md:1: the page is missing; the project presents itself in English and in French",
            ]
        );
    }

    #[test]
    fn tests_do_not_sleep() {
        let sleeping = "//! A.\nuse std::thread;\nfn a() { thread::sleep(SHORT); }\n";
        assert_eq!(check(&[("crates/a/src/lib.rs", sleeping)]), NONE, "not a test");
        let found = check(&[
            ("crates/a/tests/e2e/agent.rs", sleeping),
            (
                "crates/a/src/pane/tests.rs",
                "//! A.\nasync fn a() {\n    sleep_until(then).await;\n}\n",
            ),
            (
                "crates/a/src/lib.rs",
                "//! A.\nfn a() { sleep(LONG); }\n#[cfg(test)]\nmod tests {\n    fn b() { sleep(LONG); }\n}\nfn c() { sleep(LONG); }\n",
            ),
            (
                "apps/web/src/pane.test.ts",
                "it('x', async () => {\n  await page.waitForTimeout(500)\n})\n",
            ),
        ]);
        assert_eq!(
            starts(&found),
            [
                "apps/web/src/pane.test.ts:2: a test waits for a time",
                "crates/a/src/lib.rs:5: a test waits for a time",
                "crates/a/src/pane/tests.rs:3: a test waits for a time",
                "crates/a/tests/e2e/agent.rs:3: a test waits for a time",
            ]
        );
    }

    #[test]
    fn what_only_looks_like_a_sleep_is_none() {
        let text = r##"//! A.
// thread::sleep(LONG) in a comment
/* and /* nested */ sleep(1) */
fn sleep(script: &Script) -> &'static str { script.sleep(LONG); "sleep(1)" }
const RAW: &str = r#"a " sleep(1)
sleep(2)"#;
const QUOTE: char = '"'; const ESCAPED: char = '\''; const B: &[u8] = b"\" sleep(3)";
fn asleep(x: u8) { asleep(x) }
// sleep: nothing announces that another process's name is free again
fn excused() { std::thread::sleep(SHORT); }
"##;
        assert_eq!(check(&[("crates/a/tests/e2e/agent.rs", text)]), NONE);
        let after = format!("{text}fn real<'a>() {{ if x == '\"' {{ std::thread::sleep(SHORT); }} }}\n");
        assert_eq!(
            starts(&check(&[("crates/a/tests/e2e/agent.rs", &after)])),
            ["crates/a/tests/e2e/agent.rs:11: a test waits for a time"]
        );
    }
}
