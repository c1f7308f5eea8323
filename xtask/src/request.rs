//! What was asked on the command line, and the help of each verb.

use anyhow::{Result, bail};

use crate::adversary::Extent;

/// One invocation of `cargo xtask`, read but not yet carried out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Check,
    Test { arguments: Vec<String> },
    Gen,
    Bench { names: Vec<String> },
    BenchList,
    Adversary { names: Vec<String>, extent: Extent },
    AdversaryList,
    Help(Topic),
}

/// What help is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    Everything,
    Check,
    Test,
    Gen,
    Bench,
    Adversary,
}

impl Request {
    /// Returns what the words after `cargo xtask` ask for. No word at all asks for help.
    pub(crate) fn parse(arguments: &[String]) -> Result<Self> {
        let Some((verb, rest)) = arguments.split_first() else {
            return Ok(Self::Help(Topic::Everything));
        };
        if matches!(verb.as_str(), "help" | "--help" | "-h") {
            return match rest.first() {
                None => Ok(Self::Help(Topic::Everything)),
                Some(verb) => Ok(Self::Help(Topic::of(verb)?)),
            };
        }
        let topic = Topic::of(verb)?;
        if rest.iter().any(|word| word == "--help" || word == "-h") {
            return Ok(Self::Help(topic));
        }
        match topic {
            Topic::Check => without_arguments(verb, rest, Self::Check),
            Topic::Gen => without_arguments(verb, rest, Self::Gen),
            Topic::Test => Ok(Self::Test {
                arguments: rest.to_vec(),
            }),
            Topic::Bench if rest == ["--list"] => Ok(Self::BenchList),
            Topic::Bench => match rest.iter().find(|word| word.starts_with('-')) {
                Some(option) => bail!("unknown option {option} of bench (cargo xtask help bench)"),
                None => Ok(Self::Bench { names: rest.to_vec() }),
            },
            Topic::Adversary if rest == ["--list"] => Ok(Self::AdversaryList),
            Topic::Adversary => {
                let (options, names): (Vec<_>, Vec<_>) =
                    rest.iter().cloned().partition(|word| word.starts_with('-'));
                match options.iter().find(|option| *option != "--long") {
                    Some(option) => {
                        bail!("unknown option {option} of adversary (cargo xtask help adversary)")
                    }
                    None if options.is_empty() => Ok(Self::Adversary {
                        names,
                        extent: Extent::Short,
                    }),
                    None => Ok(Self::Adversary {
                        names,
                        extent: Extent::Long,
                    }),
                }
            }
            Topic::Everything => Ok(Self::Help(Topic::Everything)),
        }
    }
}

impl Topic {
    /// Returns the help text, without a last line break.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Everything => EVERYTHING,
            Self::Check => CHECK,
            Self::Test => TEST,
            Self::Gen => GEN,
            Self::Bench => BENCH,
            Self::Adversary => ADVERSARY,
        }
    }

    fn of(verb: &str) -> Result<Self> {
        match verb {
            "check" => Ok(Self::Check),
            "test" => Ok(Self::Test),
            "gen" => Ok(Self::Gen),
            "bench" => Ok(Self::Bench),
            "adversary" => Ok(Self::Adversary),
            "help" => Ok(Self::Everything),
            _ => bail!("unknown verb {verb}: check, test, gen, bench, adversary or help (cargo xtask help)"),
        }
    }
}

fn without_arguments(verb: &str, rest: &[String], request: Request) -> Result<Request> {
    match rest.first() {
        None => Ok(request),
        Some(word) => bail!("{verb} takes no argument, not {word} (cargo xtask help {verb})"),
    }
}

const EVERYTHING: &str = "\
cargo xtask VERB: the one entry for whoever works on Pupitre

  check            repository rules, format, clippy, dependencies
  test [FILTER…]   everything the tests need, then the tests
  gen              rewrites the generated files
  bench [NAME…]    measures a release build and writes into docs/benchmarks.md
  adversary [--long] [NAME…]
                   tests against what means harm, in a release build
  help [VERB]      this text, or more about one verb";

const CHECK: &str = "\
cargo xtask check: what must hold before a commit, without running a test

  rules          the repository's own rules (xtask/src/rules.rs)
  format         cargo fmt --all --check
  clippy         every target of the workspace, warnings are errors
  dependencies   cargo deny check licenses sources bans, where cargo-deny is installed

All of them run even when one fails; the end says which, and what to run again.";

const TEST: &str = "\
cargo xtask test [FILTER…]: everything the tests need, then the tests

Installs what is missing (cargo-nextest; as root on Debian also Python's venv and pip, and npm),
builds the workspace's programs, then runs documentation tests, the tests of the page and every Rust
test, real agents included.

  FILTER…   passed to `cargo nextest run`: a part of a test's name, or an option such as
            `-p pupitre-model`; with a filter only Rust tests run

  PUPITRE_REAL_AGENTS=0    leave out the tests that install other people's agents
  PUPITRE_AGENTS_CACHE     where those agents are kept between runs
                           (default: $XDG_CACHE_HOME or ~/.cache, then pupitre-tests/agents)
  NEXTEST_PROFILE=ci       do not stop at the first failure";

const GEN: &str = "\
cargo xtask gen: rewrites the generated files

Generators are tests: run plainly they fail when a file is stale, with UPDATE=1 they write it.
This runs them with UPDATE=1 and says which files changed.";

const BENCH: &str = "\
cargo xtask bench [NAME…]: measures a release build

Prints one table, and puts what each benchmark found into its section of docs/benchmarks.md. A missed
figure is shown and is no failure: times depend on the machine.

  --list   names every benchmark and what it measures";

const ADVERSARY: &str = "\
cargo xtask adversary [--long] [NAME…]: tests against what means harm, in a release build

The tests of `cargo xtask test` take a part of this; here each goes on for about a minute, with
--long for much longer.

  --list   names every adversary and what it does";

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Request, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Request::parse(&words).map_err(|error| error.to_string())
    }

    #[test]
    fn verbs_take_what_they_take() {
        assert_eq!(parse("check"), Ok(Request::Check));
        assert_eq!(parse("gen"), Ok(Request::Gen));
        assert_eq!(parse("bench --list"), Ok(Request::BenchList));
        assert_eq!(parse("adversary --list"), Ok(Request::AdversaryList));
        let names = vec!["terminal-fuzz".to_owned()];
        assert_eq!(
            parse("adversary terminal-fuzz --long"),
            Ok(Request::Adversary {
                names,
                extent: Extent::Long
            })
        );
        assert_eq!(
            parse("bench size"),
            Ok(Request::Bench {
                names: vec!["size".into()]
            })
        );
        assert_eq!(
            parse("test -p pupitre-model fold"),
            Ok(Request::Test {
                arguments: vec!["-p".into(), "pupitre-model".into(), "fold".into()]
            })
        );
    }

    #[test]
    fn help_is_reached_from_everywhere() {
        assert_eq!(parse(""), Ok(Request::Help(Topic::Everything)));
        assert_eq!(parse("help"), Ok(Request::Help(Topic::Everything)));
        assert_eq!(parse("help bench"), Ok(Request::Help(Topic::Bench)));
        assert_eq!(parse("test --help"), Ok(Request::Help(Topic::Test)));
    }

    #[test]
    fn a_mistake_names_itself_and_what_there_is() {
        assert_eq!(
            parse("chek"),
            Err("unknown verb chek: check, test, gen, bench, adversary or help (cargo xtask help)".into())
        );
        assert_eq!(
            parse("gen now"),
            Err("gen takes no argument, not now (cargo xtask help gen)".into())
        );
        assert_eq!(
            parse("adversary --lang"),
            Err("unknown option --lang of adversary (cargo xtask help adversary)".into())
        );
        assert_eq!(
            parse("bench --lst"),
            Err("unknown option --lst of bench (cargo xtask help bench)".into())
        );
    }
}
