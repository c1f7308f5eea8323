//! From bytes to a verdict: the configuration, or why there is none, with what its writer should know.
//!
//! Two steps, because only the world knows whether a command or a folder exists: `Reading` asks, `verdict` is told.

use std::collections::BTreeSet;
use std::ops::Range;

use pupitre_protocol::configuration::{Problem, ProblemCause};

use super::cover::{Cover, words_in};
use super::document::Document;
use super::hidden::Surroundings;
use super::meaning::{self, Meaning};
use super::sentence::{make_presentable, sentence};
use super::shape::{self, What};
use super::{Config, FILE_BYTES, History, PROBLEMS};

/// A file that was read, before the world was asked about it.
#[derive(Debug)]
pub struct Reading {
    config: Option<Config>,
    problems: Vec<Finding>,
    warnings: Vec<Finding>,
    asked: Vec<Asked>,
    lines: Lines,
    secrets: Vec<Range<usize>>,
    /// Where the keys stand that count at the next start.
    history_at: usize,
    port_at: usize,
}

/// Something found in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// In bytes.
    pub(super) at: usize,
    pub(super) cause: ProblemCause,
}

/// A question, and what is said when the answer is no.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) question: Question,
    pub(super) warning: Finding,
}

/// What a file makes one ask the world: whether something is there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// A command that is run in this folder, found on this `PATH` where the file gives one.
    Command {
        command: String,
        cwd: Option<String>,
        path: Option<String>,
    },
    Folder(String),
    /// A variable of the environment.
    Variable(String),
    /// Whether a variable, when it is set, is handed on to what is started.
    HandedOn(String),
    /// A file, seen from the folder of the configuration.
    Icon(String),
}

/// What the world answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    pub absent: BTreeSet<Question>,
    pub writers: Writers,
    /// Nothing where no daemon asks.
    pub running: Option<Running>,
}

/// What a daemon began with, and keeps until it is started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    pub history: History,
    pub port: u16,
}

/// Who may write the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Writers {
    #[default]
    Owner,
    /// With its path, so that it can be said what to do.
    Others { path: String },
}

/// What came of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Nothing when there is a problem.
    pub config: Option<Config>,
    /// Problems and warnings, in the order of the file: the first ones of each.
    pub problems: Vec<Problem>,
    pub counts: Counts,
}

/// How much was found, told or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    pub problems: usize,
    pub warnings: usize,
}

impl Reading {
    /// Reads a file. `executable` is the path of this program, which is also the demo agent.
    pub fn of_bytes(bytes: &[u8], executable: &str) -> Self {
        if bytes.len() > FILE_BYTES {
            let cause = ProblemCause::FileTooLarge {
                bytes: bytes.len() as u64,
                most: FILE_BYTES as u64,
            };
            return Self::unreadable(&String::from_utf8_lossy(bytes), 0, cause);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::of_text(text, executable),
            Err(error) => {
                let text = String::from_utf8_lossy(bytes);
                Self::unreadable(&text, error.valid_up_to(), ProblemCause::NotUtf8)
            }
        }
    }

    /// Reads a text.
    pub fn of_text(text: &str, executable: &str) -> Self {
        let document = Document::read(text);
        let broken = !document.unreadable.is_empty();
        let misshapes = shape::check(&document);
        let Meaning {
            problems,
            mut warnings,
            mut asked,
            mut secrets,
            words: values,
        } = meaning::check(&document);
        let lines = Lines::of(text);
        let surroundings = Surroundings::of(text);
        let mut words = Vec::new();
        for (value, place) in values {
            // In another place it may stand with the same escapes.
            let written = text.get(place).unwrap_or_default();
            words.push(written.trim_matches(['"', '\'']).to_owned());
            words.push(value);
        }
        if broken {
            for (name, part) in surroundings.doubtful() {
                words.extend(words_in(name, &text[part.clone()]));
                secrets.push(part);
            }
        }
        secrets.extend(surroundings.of_comments());
        // What stands in `env` may stand in another place, too.
        let cover = Cover::over(words);
        secrets.extend(cover.places(text));
        let mut guessed_lines: BTreeSet<u32> =
            document.unreadable.iter().map(|at| lines.place(*at).0).collect();
        guessed_lines.extend(lines.below_headers(&guessed_lines));
        // Where the text could not be read, something is missing that stands there, and what was read is a guess.
        let told = |at: usize, what: What| {
            !broken
                || (what == What::Present
                    && at < document.certain_until
                    && !guessed_lines.contains(&lines.place(at).0))
        };
        let mut all: Vec<Finding> = document
            .syntax
            .iter()
            .map(|error| Finding {
                at: error.at,
                cause: error.cause.clone(),
            })
            .collect();
        all.extend(
            misshapes
                .into_iter()
                .filter(|misshape| told(misshape.at, misshape.what))
                .map(|misshape| Finding {
                    at: misshape.at,
                    cause: misshape.cause,
                }),
        );
        all.extend(
            problems
                .into_iter()
                .filter(|(what, finding)| told(finding.at, *what))
                .map(|(_, finding)| finding),
        );
        // A warning quotes what was read, and a guess may reach into lines that are shown to nobody.
        warnings.retain(|warning| told(warning.at, What::Present));
        asked.retain(|asked| told(asked.warning.at, What::Present));
        in_order(&mut all);
        // No sentence of ours quotes a value of `env`; the same text may stand in another place.
        let asked_warnings = asked.iter_mut().map(|asked| &mut asked.warning);
        for finding in all.iter_mut().chain(&mut warnings).chain(asked_warnings) {
            make_presentable(&mut finding.cause, &cover);
        }
        if let Some(error) = document.syntax.first() {
            warnings.push(Finding {
                at: error.at,
                cause: ProblemCause::RestUncertain,
            });
        }
        let key_at = |pointer: &str| {
            let place = document.place(pointer);
            place.key.as_ref().map_or(0, |key| key.start)
        };
        let (history_at, port_at) = (key_at("/history"), key_at("/port"));
        let config = if all.is_empty() {
            Some(meaning::config(&document.value, executable))
        } else {
            None
        };
        Self {
            config,
            problems: all,
            warnings,
            asked,
            lines,
            secrets,
            history_at,
            port_at,
        }
    }

    fn unreadable(text: &str, at: usize, cause: ProblemCause) -> Self {
        let surroundings = Surroundings::of(text);
        let mut secrets: Vec<Range<usize>> = surroundings.of_comments().collect();
        secrets.extend(surroundings.of_unreadable(at));
        Self {
            config: None,
            problems: vec![Finding { at, cause }],
            warnings: Vec::new(),
            asked: Vec::new(),
            lines: Lines::of(text),
            secrets,
            history_at: 0,
            port_at: 0,
        }
    }

    /// Returns what must be asked of the world.
    pub fn questions(&self) -> BTreeSet<Question> {
        self.asked.iter().map(|asked| asked.question.clone()).collect()
    }

    /// Returns where values of `env` stand in the text, in bytes: whoever shows the text may want to hide them.
    pub fn secrets(&self) -> &[Range<usize>] {
        &self.secrets
    }

    /// Returns what comes of the file in this world.
    pub fn verdict(self, facts: &Facts) -> Verdict {
        let mut warnings = self.warnings;
        warnings.extend(
            self.asked
                .into_iter()
                .filter(|asked| facts.absent.contains(&asked.question))
                .map(|asked| asked.warning),
        );
        match &facts.writers {
            Writers::Owner => {}
            Writers::Others { path } => warnings.push(Finding {
                at: 0,
                cause: ProblemCause::OthersMayWrite {
                    command: format!("chmod go-w {}", for_a_shell(path)),
                },
            }),
        }
        if let (Some(config), Some(running)) = (&self.config, facts.running) {
            let later = |at: usize, key: &str| Finding {
                at,
                cause: ProblemCause::CountsLater { key: key.to_owned() },
            };
            if config.history != running.history {
                warnings.push(later(self.history_at, "history"));
            }
            if config.port != running.port {
                warnings.push(later(self.port_at, "port"));
            }
        }
        let (mut problems, problem_count) = told(self.problems, &self.lines, Weight::Problem);
        let (warnings, warning_count) = told(warnings, &self.lines, Weight::Warning);
        problems.extend(warnings);
        problems.sort_by_key(|problem| (problem.line, problem.column));
        Verdict {
            config: self.config,
            problems,
            counts: Counts {
                problems: problem_count,
                warnings: warning_count,
            },
        }
    }
}

/// Returns a path as a shell takes it.
fn for_a_shell(path: &str) -> String {
    let is_plain = |symbol: char| symbol.is_alphanumeric() || "/._-+,@%".contains(symbol);
    if path.chars().all(is_plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

/// What a finding means for the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// It cannot be used.
    Problem,
    /// It can be used all the same.
    Warning,
}

/// Returns findings as the wire has them, in order: the first ones, and how many more there are; and the number of all.
fn told(mut findings: Vec<Finding>, lines: &Lines, weight: Weight) -> (Vec<Problem>, usize) {
    in_order(&mut findings);
    let count = findings.len();
    let more = count.saturating_sub(PROBLEMS);
    if more > 0 {
        findings.truncate(PROBLEMS + 1);
        let count = u32::try_from(more).unwrap_or(u32::MAX);
        findings[PROBLEMS].cause = match weight {
            Weight::Problem => ProblemCause::MoreProblems { count },
            Weight::Warning => ProblemCause::MoreWarnings { count },
        };
    }
    let problem = |finding: Finding| {
        let (line, column) = lines.place(finding.at);
        Problem {
            line,
            column,
            message: sentence(&finding.cause),
            cause: Some(finding.cause),
            warning: weight == Weight::Warning,
        }
    };
    (findings.into_iter().map(problem).collect(), count)
}

/// Puts findings in the order of the file, those of one place in that of their sentences, each once.
fn in_order(findings: &mut Vec<Finding>) {
    findings.sort_by_cached_key(|finding| (finding.at, sentence(&finding.cause)));
    findings.dedup();
}

/// The lines of a text, to tell places for people.
#[derive(Debug)]
struct Lines {
    text: String,
    /// Where each line begins, in bytes.
    starts: Vec<usize>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Self {
            text: text.to_owned(),
            starts,
        }
    }

    /// Returns the lines below those of these lines that name a table: which table they belong to is a guess.
    fn below_headers(&self, unreadable: &BTreeSet<u32>) -> Vec<u32> {
        let mut is_lost = false;
        let numbered = (1..).zip(self.text.lines());
        let below = numbered.filter_map(|(number, line)| {
            if line.trim_start().starts_with('[') {
                is_lost = unreadable.contains(&number);
            }
            is_lost.then_some(number)
        });
        below.collect()
    }

    /// Returns line and column, both from 1; columns are counted in characters.
    fn place(&self, at: usize) -> (u32, u32) {
        let at = self.text.floor_char_boundary(at);
        let line = self.starts.partition_point(|start| *start <= at);
        let before = &self.text[self.starts[line - 1]..at];
        // The mark at the beginning of some files is no character of the first line.
        let column = before.trim_start_matches('\u{feff}').chars().count() + 1;
        let number = |count: usize| u32::try_from(count).expect("the file's size is limited");
        (number(line), number(column))
    }
}
