//! Selectors: what a person or a program writes to mean a surface, and which surfaces it means.
//!
//! Responsible for the table of the conductor page and for what is said when a selector means none, or several.

use std::path::Path;

use pupitre_protocol::{ErrorKind, RpcError, SurfaceId};

/// How many surfaces a sentence names; `data.candidates` has all of them.
const NAMED: usize = 20;
/// How much of a selector a sentence repeats, in characters.
const REPEATED_CHARACTERS: usize = 80;

/// What is written to mean a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// Only digits: the id, exactly.
    Id(SurfaceId),
    /// A whole name, else the beginning of one.
    Name(String),
    /// `cmdline:`: the foreground command line contains it, whatever its case.
    CommandLine(String),
    /// `cwd:`: the working directory is that path or below it.
    Folder(String),
}

/// What is known of a surface that may be meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate<'a> {
    pub id: SurfaceId,
    pub name: &'a str,
    /// The command line in the foreground; only asked for when [`Selector::needs_processes`].
    pub command: Option<&'a str>,
    /// The working directory of what is in the foreground; only asked for when [`Selector::needs_processes`].
    pub cwd: Option<&'a str>,
}

impl Selector {
    /// Reads a selector. Every text is one; what no surface can be called matches nothing.
    pub fn parse(text: &str) -> Self {
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            // Digits beyond all ids are no id; nothing is called so either.
            return match text.parse() {
                Ok(id) => Self::Id(SurfaceId(id)),
                Err(_) => Self::Name(text.to_owned()),
            };
        }
        if let Some(operand) = after(text, "cmdline:") {
            return Self::CommandLine(operand.to_owned());
        }
        if let Some(operand) = after(text, "cwd:") {
            return Self::Folder(operand.to_owned());
        }
        Self::Name(text.to_owned())
    }

    /// Says whether the foreground processes of panes have to be looked at.
    pub const fn needs_processes(&self) -> bool {
        match self {
            Self::Id(_) | Self::Name(_) => false,
            Self::CommandLine(_) | Self::Folder(_) => true,
        }
    }

    /// Returns the places of the candidates that are meant, in their order. An empty or blank operand means none.
    ///
    /// A whole name comes before the beginning of one, and the very same letters before those of another case. Of the
    /// names that begin with the text, all are returned.
    pub fn matching(&self, candidates: &[Candidate<'_>]) -> Vec<usize> {
        match self {
            Self::Id(id) => places(candidates, |candidate| candidate.id == *id),
            Self::Name(name) if name.trim().is_empty() => Vec::new(),
            Self::Name(name) => named(name, candidates),
            Self::CommandLine(part) if part.trim().is_empty() => Vec::new(),
            Self::CommandLine(part) => {
                let part = part.to_lowercase();
                places(candidates, |candidate| {
                    candidate
                        .command
                        .is_some_and(|command| command.to_lowercase().contains(&part))
                })
            }
            Self::Folder(folder) if folder.trim().is_empty() => Vec::new(),
            Self::Folder(folder) => places(candidates, |candidate| {
                candidate
                    .cwd
                    .is_some_and(|cwd| Path::new(cwd).starts_with(folder))
            }),
        }
    }
}

/// Returns the place of the one candidate that a selector means.
///
/// # Errors
///
/// `not_found` with every candidate, `ambiguous` with those that match.
pub fn one(selector_text: &str, candidates: &[Candidate<'_>]) -> Result<usize, RpcError> {
    match Selector::parse(selector_text).matching(candidates)[..] {
        [place] => Ok(place),
        [] => Err(not_found(selector_text, candidates)),
        ref places => {
            let matching: Vec<Candidate<'_>> = places.iter().map(|place| candidates[*place]).collect();
            let message = format!(
                "{} means {} surfaces: {}; use the id of one",
                quoted(selector_text),
                matching.len(),
                listed(&labels(&matching)),
            );
            Err(RpcError::new(ErrorKind::Ambiguous, message).with_candidates(labels(&matching)))
        }
    }
}

/// Returns the places of all candidates that the selectors mean, each once, in the candidates' order.
///
/// # Errors
///
/// `not_found` for the first selector that means none, `invalid_params` when there is no selector.
pub fn several(selector_texts: &[String], candidates: &[Candidate<'_>]) -> Result<Vec<usize>, RpcError> {
    if selector_texts.is_empty() {
        let message = "no surface is named: give at least one selector";
        return Err(RpcError::new(ErrorKind::InvalidParams, message));
    }
    let mut places = Vec::new();
    for text in selector_texts {
        let matching = Selector::parse(text).matching(candidates);
        if matching.is_empty() {
            return Err(not_found(text, candidates));
        }
        places.extend(matching);
    }
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

fn named(name: &str, candidates: &[Candidate<'_>]) -> Vec<usize> {
    let same = places(candidates, |candidate| candidate.name == name);
    if !same.is_empty() {
        return same;
    }
    let folded = name.to_lowercase();
    let names: Vec<String> = candidates
        .iter()
        .map(|candidate| candidate.name.to_lowercase())
        .collect();
    let with = |is_meant: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..names.len())
            .filter(|place| is_meant(&names[*place]))
            .collect()
    };
    let whole = with(&|candidate| candidate == folded);
    if whole.is_empty() {
        with(&|candidate| candidate.starts_with(&folded))
    } else {
        whole
    }
}

fn places(candidates: &[Candidate<'_>], is_meant: impl Fn(&Candidate<'_>) -> bool) -> Vec<usize> {
    candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| is_meant(candidate))
        .map(|(place, _)| place)
        .collect()
}

fn not_found(selector_text: &str, candidates: &[Candidate<'_>]) -> RpcError {
    let there = if candidates.is_empty() {
        "there is none yet".to_owned()
    } else {
        format!("use one of these: {}", listed(&labels(candidates)))
    };
    let what = match Selector::parse(selector_text) {
        Selector::Id(_) => "no surface has the id",
        Selector::Name(_) => "no surface is called",
        Selector::CommandLine(_) | Selector::Folder(_) => "no surface matches",
    };
    let message = format!("{what} {}; {there}", quoted(selector_text));
    RpcError::new(ErrorKind::NotFound, message).with_candidates(labels(candidates))
}

fn labels(candidates: &[Candidate<'_>]) -> Vec<String> {
    candidates
        .iter()
        .map(|candidate| format!("{} {}", candidate.id, candidate.name))
        .collect()
}

/// Names candidates in a sentence: the first of them, and how many more there are.
pub(crate) fn listed(labels: &[String]) -> String {
    match labels.split_at_checked(NAMED) {
        Some((shown, more @ [_, ..])) => format!("{} and {} more", shown.join(", "), more.len()),
        Some((_, [])) | None => labels.join(", "),
    }
}

/// Repeats what was written to mean something: on one line, cut when it is long.
pub(crate) fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(REPEATED_CHARACTERS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

/// Returns what stands behind the prefix, whatever its case.
fn after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const DESK: &[Candidate<'static>] = &[
        of(7, "build", Some("cargo build --release"), Some("/repo")),
        of(42, "Claude", Some("claude --resume"), Some("/repo/crates")),
        of(43, "claude-2", Some("node /usr/bin/claude"), Some("/repo2")),
        of(100, "builder", None, None),
        of(101, "été", Some("ÉTÉ --x"), Some("/")),
    ];

    const fn of<'a>(id: u64, name: &'a str, command: Option<&'a str>, cwd: Option<&'a str>) -> Candidate<'a> {
        Candidate {
            id: SurfaceId(id),
            name,
            command,
            cwd,
        }
    }

    #[test]
    fn selectors_are_read() {
        let name = |text: &str| Selector::Name(text.into());
        for (text, selector) in [
            ("42", Selector::Id(SurfaceId(42))),
            ("0042", Selector::Id(SurfaceId(42))),
            ("18446744073709551615", Selector::Id(SurfaceId(u64::MAX))),
            ("18446744073709551616", name("18446744073709551616")),
            ("backend", name("backend")),
            ("42x", name("42x")),
            ("-1", name("-1")),
            ("", name("")),
            ("cmdline", name("cmdline")),
            ("é:x", name("é:x")),
            ("cmdline:cargo b", Selector::CommandLine("cargo b".into())),
            ("CmdLine:x", Selector::CommandLine("x".into())),
            ("cwd:/repo", Selector::Folder("/repo".into())),
            ("cwd:", Selector::Folder(String::new())),
            ("cmdline:cwd:/x", Selector::CommandLine("cwd:/x".into())),
        ] {
            assert_eq!(Selector::parse(text), selector, "{text}");
        }
    }

    #[test]
    fn only_command_lines_and_folders_need_processes() {
        for (text, needs) in [
            ("42", false),
            ("build", false),
            ("cmdline:x", true),
            ("cwd:/", true),
        ] {
            assert_eq!(Selector::parse(text).needs_processes(), needs, "{text}");
        }
    }

    #[test]
    fn selectors_mean_what_the_table_says() {
        let check = |text: &str, ids: &[u64]| {
            let meant: Vec<u64> = Selector::parse(text)
                .matching(DESK)
                .into_iter()
                .map(|place| DESK[place].id.0)
                .collect();
            assert_eq!(meant, ids, "{text:?}");
        };
        check("42", &[42]);
        check("4", &[]);
        check("build", &[7]);
        check("BUILD", &[7]);
        check("builde", &[100]);
        check("buil", &[7, 100]);
        check("claude", &[42]);
        check("claude-", &[43]);
        check("cl", &[42, 43]);
        check("aude", &[]);
        check("ÉT", &[101]);
        check("", &[]);
        check("  ", &[]);
        check("cmdline:CLAUDE", &[42, 43]);
        check("cmdline:été", &[101]);
        check("cmdline:cargo build", &[7]);
        check("cmdline:", &[]);
        check("cmdline: ", &[]);
        check("cwd:/repo", &[7, 42]);
        check("cwd:/repo/", &[7, 42]);
        check("cwd:/repo//", &[7, 42]);
        check("cwd://repo/./crates/", &[42]);
        check("cwd:/rep", &[]);
        check("cwd:/repo2", &[43]);
        check("cwd:/", &[7, 42, 43, 101]);
        check("cwd:repo", &[]);
        check("cwd:/REPO", &[]);
        check("cwd:", &[]);
    }

    #[test]
    fn the_same_letters_come_before_another_case() {
        let two = [of(1, "Build", None, None), of(2, "build", None, None)];
        assert_eq!(one("build", &two), Ok(1));
        assert_eq!(one("Build", &two), Ok(0));
        assert_eq!(
            one("BUILD", &two).expect_err("both").kind(),
            Some(ErrorKind::Ambiguous)
        );
    }

    #[test]
    fn one_says_what_to_do() {
        assert_eq!(one("42", DESK), Ok(1));
        let check = |text: &str, desk: &[Candidate<'_>], kind, message: &str, candidates: &[&str]| {
            let error = one(text, desk).expect_err(text);
            assert_eq!(error.kind(), Some(kind), "{text}");
            assert_eq!(error.message, message);
            let data = error.data.expect("data");
            assert_eq!(data.candidates.expect("candidates"), candidates, "{text}");
        };
        let all = ["7 build", "42 Claude", "43 claude-2", "100 builder", "101 été"];
        let these = "use one of these: 7 build, 42 Claude, 43 claude-2, 100 builder, 101 été";
        check(
            "9",
            DESK,
            ErrorKind::NotFound,
            &format!("no surface has the id \"9\"; {these}"),
            &all,
        );
        check(
            "x\u{1b}\n",
            DESK,
            ErrorKind::NotFound,
            &format!("no surface is called \"x\\u{{1b}}\\n\"; {these}"),
            &all,
        );
        check(
            "cwd:",
            DESK,
            ErrorKind::NotFound,
            &format!("no surface matches \"cwd:\"; {these}"),
            &all,
        );
        check(
            "x",
            &[],
            ErrorKind::NotFound,
            "no surface is called \"x\"; there is none yet",
            &[],
        );
        check(
            "cl",
            DESK,
            ErrorKind::Ambiguous,
            "\"cl\" means 2 surfaces: 42 Claude, 43 claude-2; use the id of one",
            &["42 Claude", "43 claude-2"],
        );
    }

    #[test]
    fn sentences_stay_short() {
        let names: Vec<String> = (0..500).map(|number| format!("p{number}")).collect();
        let desk: Vec<Candidate<'_>> = names
            .iter()
            .zip(0..)
            .map(|(name, id)| of(id, name, None, None))
            .collect();
        let error = one("p", &desk).expect_err("many");
        assert!(
            error.message.contains("19 p19 and 480 more;"),
            "{}",
            error.message
        );
        assert_eq!(error.data.expect("data").candidates.expect("all").len(), 500);
        let error = one(&"é".repeat(1 << 20), &desk).expect_err("none");
        assert!(error.message.len() < 1_000, "{}", error.message);
    }

    #[test]
    fn several_means_each_surface_once() {
        let texts = |texts: &[&str]| -> Vec<String> { texts.iter().map(|text| (*text).to_owned()).collect() };
        assert_eq!(several(&texts(&["cl", "42", "buil"]), DESK), Ok(vec![0, 1, 2, 3]));
        let error = several(&texts(&["cl", "nothing"]), DESK).expect_err("one means none");
        assert_eq!(error.kind(), Some(ErrorKind::NotFound));
        assert!(error.message.contains("\"nothing\""), "{}", error.message);
        let error = several(&[], DESK).expect_err("none is named");
        assert_eq!(error.kind(), Some(ErrorKind::InvalidParams));
    }

    proptest! {
        #[test]
        fn an_id_means_one_and_a_whole_name_its_own(
            names in vec("[a-cA-C]{1,3}", 1..12),
            chosen in any::<prop::sample::Index>(),
        ) {
            let desk: Vec<Candidate<'_>> = names
                .iter()
                .zip(0..)
                .map(|(name, id)| of(id, name, None, None))
                .collect();
            let place = chosen.index(names.len());
            prop_assert_eq!(one(&place.to_string(), &desk), Ok(place));
            let meant = Selector::parse(&names[place]).matching(&desk);
            prop_assert!(meant.contains(&place));
            prop_assert!(meant.iter().all(|other| names[*other] == names[place]));
        }

        #[test]
        fn any_text_is_answered(text in any::<String>()) {
            if let Ok(place) = one(&text, DESK) {
                prop_assert_eq!(Selector::parse(&text).matching(DESK), vec![place]);
            }
        }
    }
}
