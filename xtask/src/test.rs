//! `cargo xtask test`: everything the tests need, then the tests.
//! The Rust tests come last, so that the run ends with their summary.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::checkout::Checkout;
use crate::invocation::Invocation;
use crate::report::{self, PhaseEnd, Phases};
use crate::tools::{self, Presence, Runner};
use crate::web;

/// The switch of the tests that install and drive other people's agents.
const REAL_AGENTS: &str = "PUPITRE_REAL_AGENTS";
/// Where those agents are kept: outside the target folder, so that a clean build downloads nothing again.
const AGENTS_CACHE: &str = "PUPITRE_AGENTS_CACHE";

/// `arguments` go to the test runner; with any of them only Rust tests run.
pub(crate) fn run(checkout: &Checkout, arguments: &[String]) -> Result<()> {
    let mut phases = Phases::of("test");
    let runner = Runner::installed_or_installable(&mut phases);
    let agents = RealAgents::prepare(&mut phases)?;
    terminal_of_the_page(&mut phases, checkout);

    let build = Invocation::cargo().arguments(["build", "--workspace", "--lib", "--bins", "--tests"]);
    if phases.command("build", &build) == PhaseEnd::Failed {
        return phases.finish();
    }
    if arguments.is_empty() {
        if runner == Runner::Nextest {
            documentation_tests(&mut phases, checkout)?;
        }
        web::test(&mut phases, checkout, &agents);
    }
    let rust_tests = agents.told_to(runner.invocation(runner_arguments(arguments)));
    phases.command("rust tests", &rust_tests);
    phases.finish()
}

/// Installs the terminal of the page, xterm.js, in which the terminal engine's snapshots are tested.
fn terminal_of_the_page(phases: &mut Phases, checkout: &Checkout) {
    const FOLDER: &str = "crates/terminal/tests/xterm";
    let folder = checkout.root().join(FOLDER);
    let changed = |file: &str| std::fs::metadata(folder.join(file)).and_then(|file| file.modified());
    let installed = changed("node_modules/.package-lock.json");
    let is_there = installed.is_ok_and(|then| changed("package-lock.json").is_ok_and(|asked| asked <= then));
    let npm = || Invocation::of("npm").folder(FOLDER);
    if is_there {
        return;
    }
    if npm().arguments(["--version"]).succeeds() {
        let install = npm().arguments(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
        phases.command("xterm.js", &install);
    } else {
        phases.skip(
            "xterm.js",
            "npm is missing; the tests of snapshots in xterm.js test nothing",
        );
    }
}

/// Adds the whole workspace, unless the person named packages.
fn runner_arguments(arguments: &[String]) -> Vec<&str> {
    let names_packages = arguments.iter().any(|argument| {
        matches!(argument.as_str(), "-p" | "--package") || argument.starts_with("--package=")
    });
    let workspace = (!names_packages).then_some("--workspace");
    workspace
        .into_iter()
        .chain(arguments.iter().map(String::as_str))
        .collect()
}

/// Whether the agents of others are tried, and where they are kept.
pub(crate) enum RealAgents {
    Run { cache: PathBuf },
    LeftOut,
}

impl RealAgents {
    fn prepare(phases: &mut Phases) -> Result<Self> {
        if std::env::var_os(REAL_AGENTS).is_some_and(|value| value == "0") {
            phases.skip("real agents", "PUPITRE_REAL_AGENTS=0");
            return Ok(Self::LeftOut);
        }
        match tools::agent_tools(phases) {
            Presence::Present => {
                let cache = agents_cache(|name| std::env::var_os(name))
                    .context("neither XDG_CACHE_HOME nor HOME says where to keep real agents; set one")?;
                report::line(format_args!("== real agents: kept in {}", cache.display()));
                Ok(Self::Run { cache })
            }
            Presence::Missing => Ok(Self::LeftOut),
        }
    }

    /// Returns an invocation that knows it.
    pub(crate) fn told_to(&self, invocation: Invocation) -> Invocation {
        match self {
            Self::Run { cache } => invocation
                .environment(REAL_AGENTS, "1")
                .environment(AGENTS_CACHE, cache),
            Self::LeftOut => invocation.environment(REAL_AGENTS, "0"),
        }
    }
}

fn agents_cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| {
        variable(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    set(AGENTS_CACHE).or_else(|| {
        let caches = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
        Some(caches.join("pupitre-tests").join("agents"))
    })
}

/// nextest runs no documentation tests; cargo is asked only when a page of ours has one, since looking takes it
/// several seconds a crate.
fn documentation_tests(phases: &mut Phases, checkout: &Checkout) -> Result<()> {
    let tree = checkout.tree()?;
    let any = tree
        .sources
        .iter()
        .any(|source| source.path.starts_with("crates/") && has_documentation_test(&source.text));
    if any {
        phases.command(
            "documentation tests",
            &Invocation::cargo().arguments(["test", "--workspace", "--doc"]),
        );
    }
    Ok(())
}

fn has_documentation_test(text: &str) -> bool {
    let mut inside = false;
    for line in text.lines().map(str::trim_start) {
        let Some(words) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            inside = false;
            continue;
        };
        let Some(tags) = words.trim().strip_prefix("```") else {
            continue;
        };
        inside = !inside;
        let compiled = tags.split(',').all(|tag| {
            matches!(
                tag.trim(),
                "" | "rust" | "no_run" | "should_panic" | "compile_fail"
            ) || tag.trim().starts_with("edition")
        });
        if inside && compiled {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_tested_unless_packages_are_named() {
        let with = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            runner_arguments(&words).join(" ")
        };
        assert_eq!(with(&[]), "--workspace");
        assert_eq!(with(&["fold"]), "--workspace fold");
        assert_eq!(with(&["-p", "pupitre-model"]), "-p pupitre-model");
        assert_eq!(with(&["--package=xtask", "rules"]), "--package=xtask rules");
    }

    #[test]
    fn real_agents_are_kept_where_caches_are() {
        let with = |set: &[(&str, &str)]| {
            agents_cache(|name| {
                set.iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| value.into())
            })
        };
        assert_eq!(
            with(&[("HOME", "/h")]),
            Some("/h/.cache/pupitre-tests/agents".into())
        );
        assert_eq!(
            with(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]),
            Some("/c/pupitre-tests/agents".into())
        );
        assert_eq!(
            with(&[("HOME", "/h"), ("XDG_CACHE_HOME", "")]),
            Some("/h/.cache/pupitre-tests/agents".into())
        );
        assert_eq!(
            with(&[("HOME", "/h"), (AGENTS_CACHE, "/kept")]),
            Some("/kept".into())
        );
        assert_eq!(with(&[]), None);
    }

    #[test]
    fn documentation_tests_are_found_by_their_fences() {
        assert!(has_documentation_test(
            "/// A.\n/// ```\n/// a();\n/// ```\nfn a() {}\n"
        ));
        assert!(has_documentation_test("//! ```rust,no_run\n//! a();\n//! ```\n"));
        assert!(has_documentation_test(
            "/// ```text\n/// a\n/// ```\n    /// ```\n    /// a();\n    /// ```\n"
        ));
        assert!(!has_documentation_test(
            "/// ```text\n/// a\n/// ```\nfn a() {}\n"
        ));
        assert!(!has_documentation_test(
            "/// ```json\n/// {}\n/// ```\n/// ```ignore\n/// ```\n"
        ));
        assert!(has_documentation_test(
            "/// ```text\n/// never closed\nfn a() {}\n/// ```\n/// a();\n"
        ));
        assert!(!has_documentation_test("// ```\nlet a = \"```\";\n"));
    }
}
