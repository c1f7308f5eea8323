//! Names of panes: which ones may be given, and how one is made up.
//!
//! Responsible for the rules of the conductor page; that a name is not taken is the caller's to know.

use std::fmt::Write as _;

use pupitre_protocol::Cause;
use pupitre_protocol::limits::SURFACE_NAME_CHARACTERS;

/// Begin selectors, so that no name may begin with them.
const RESERVED: [&str; 2] = ["cmdline:", "cwd:"];

/// The name of a pane whose program gives none.
const FALLBACK: &str = "pane";

/// Says why a text cannot be a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("a name cannot be empty")]
    Empty,
    #[error("a name may have at most {SURFACE_NAME_CHARACTERS} characters, and this one has {characters}")]
    TooLong { characters: usize },
    #[error("the name \"{name}\" may not be only digits, which would read as an id")]
    OnlyDigits { name: String },
    #[error("the name \"{name}\" may not begin with \"{prefix}\", which would read as a selector")]
    Reserved { name: String, prefix: &'static str },
    #[error("a name may not have the character U+{:04X}, which cannot be seen", u32::from(*character))]
    Unseen { character: char },
    #[error("the name \"{name}\" may not begin or end with a blank")]
    Blank { name: String },
}

impl NameError {
    /// Returns what a program is told of it: the rules are few enough to be said together.
    pub fn cause(&self) -> Cause {
        Cause::BadName {
            most: u32::try_from(SURFACE_NAME_CHARACTERS).expect("the limit is small"),
        }
    }
}

/// Says whether a person may give a pane or a workspace this name.
///
/// One to [`SURFACE_NAME_CHARACTERS`] characters that can be seen, not only digits, no `cmdline:` or `cwd:` in front,
/// whatever the case, no blank at either end.
///
/// # Errors
///
/// The first rule that is broken.
pub fn check(name: &str) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    let characters = name.chars().count();
    if characters > SURFACE_NAME_CHARACTERS {
        return Err(NameError::TooLong { characters });
    }
    if let Some(character) = name.chars().find(|character| is_unseen(*character)) {
        return Err(NameError::Unseen { character });
    }
    let owned = || name.to_owned();
    if name.trim() != name {
        return Err(NameError::Blank { name: owned() });
    }
    if name.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NameError::OnlyDigits { name: owned() });
    }
    if let Some(prefix) = RESERVED.into_iter().find(|prefix| begins_with(name, prefix)) {
        return Err(NameError::Reserved {
            name: owned(),
            prefix,
        });
    }
    Ok(())
}

/// Makes a name of the command line in the foreground: that of its program, without folders. It passes [`check`].
pub fn derived(command_line: &str) -> String {
    let program = program(command_line);
    let base = program.rsplit(['/', '\\']).next().unwrap_or(program);
    // A login shell has a dash before its name.
    let base = base.trim_start_matches('-');
    let base = match base.len().checked_sub(4).and_then(|at| base.split_at_checked(at)) {
        Some((stem, end)) if end.eq_ignore_ascii_case(".exe") => stem,
        Some(_) | None => base,
    };
    let clean: String = base
        .chars()
        .map(|character| {
            if character.is_alphanumeric() || matches!(character, '-' | '_' | '.' | '+') {
                character
            } else {
                '-'
            }
        })
        .take(SURFACE_NAME_CHARACTERS)
        .collect();
    let name = clean.trim_matches('-');
    if check(name).is_ok() {
        name.to_owned()
    } else {
        FALLBACK.to_owned()
    }
}

/// Returns the name itself, or with the first free number behind it: `claude`, `claude-2`, `claude-3`.
///
/// `wanted` passes [`check`], and so does what is returned; a long one is cut to make room for the number.
pub fn unique(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(wanted) {
        return wanted.to_owned();
    }
    let mut name = String::new();
    for number in 2_u64.. {
        let mut suffix = String::with_capacity(8);
        write!(suffix, "-{number}").expect("a String takes any text");
        name.clear();
        name.extend(wanted.chars().take(SURFACE_NAME_CHARACTERS - suffix.len()));
        name.push_str(&suffix);
        if !is_taken(&name) {
            break;
        }
    }
    name
}

/// Returns the program of a command line, without the quotes around it.
fn program(command_line: &str) -> &str {
    let line = command_line.trim_start();
    for quote in ['"', '\''] {
        if let Some((quoted, _)) = line.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return quoted;
        }
    }
    line.split_whitespace().next().unwrap_or_default()
}

fn begins_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// Says whether a character shows nothing, or turns around what stands beside it. The joiners are not meant, which
/// scripts and emoji need.
fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_keep_to_their_rules() {
        let longest = "é".repeat(SURFACE_NAME_CHARACTERS);
        for good in [
            "build",
            "7z",
            "a b",
            "Ünïcode ✳",
            "42 things",
            "cmd",
            "cwdx",
            "👩‍💻",
            "-",
            &longest,
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let reserved = |name: &str, prefix| NameError::Reserved {
            name: name.into(),
            prefix,
        };
        let blank = |name: &str| NameError::Blank { name: name.into() };
        let unseen = |character| NameError::Unseen { character };
        for (bad, why) in [
            ("", NameError::Empty),
            (&"x".repeat(65), NameError::TooLong { characters: 65 }),
            ("42", NameError::OnlyDigits { name: "42".into() }),
            ("0", NameError::OnlyDigits { name: "0".into() }),
            ("cmdline:x", reserved("cmdline:x", "cmdline:")),
            ("CmdLine:", reserved("CmdLine:", "cmdline:")),
            ("CWD:/repo", reserved("CWD:/repo", "cwd:")),
            (" a", blank(" a")),
            ("a ", blank("a ")),
            (" ", blank(" ")),
            ("a\u{3000}", blank("a\u{3000}")),
            ("a\nb", unseen('\n')),
            ("a\u{1b}[31m", unseen('\u{1b}')),
            ("a\u{85}", unseen('\u{85}')),
            ("a\u{202e}b", unseen('\u{202e}')),
            ("a\u{200b}", unseen('\u{200b}')),
            ("\u{feff}a", unseen('\u{feff}')),
        ] {
            assert_eq!(check(bad), Err(why), "{bad:?}");
        }
    }

    #[test]
    fn names_come_from_the_program() {
        for (line, name) in [
            ("vim src/main.rs", "vim"),
            ("/usr/bin/python3 -m http.server", "python3"),
            ("-bash", "bash"),
            ("  ./run.sh now", "run.sh"),
            ("\"/opt/my tools/start it\" --fast", "start-it"),
            ("'/opt/my tools/x' y", "x"),
            ("/opt/claude-code/bin/claude.exe", "claude"),
            ("C:\\tools\\Build.EXE /all", "Build"),
            ("g++ -c a.cc", "g++"),
            ("node", "node"),
            ("42", "pane"),
            ("/bin/42 x", "pane"),
            ("", "pane"),
            ("   ", "pane"),
            ("/", "pane"),
            ("---", "pane"),
            ("\u{202e}\u{200b}", "pane"),
            (".exe", "pane"),
            ("cwd:/x", "x"),
            ("cmdline:x", "cmdline-x"),
            ("\"unclosed quote", "unclosed"),
            ("été", "été"),
        ] {
            assert_eq!(derived(line), name, "{line:?}");
        }
    }

    #[test]
    fn taken_names_get_numbers() {
        let taken = ["claude", "claude-2", "claude-4"];
        let is_taken = |name: &str| taken.contains(&name);
        assert_eq!(unique("codex", is_taken), "codex");
        assert_eq!(unique("claude", is_taken), "claude-3");
        let long = "é".repeat(SURFACE_NAME_CHARACTERS);
        let second = unique(&long, |name| name == long);
        assert_eq!(second, format!("{}-2", "é".repeat(SURFACE_NAME_CHARACTERS - 2)));
    }

    proptest! {
        #[test]
        fn what_is_made_up_may_be_given(line in any::<String>(), taken in 0_usize..30) {
            let wanted = derived(&line);
            prop_assert_eq!(check(&wanted), Ok(()));
            let names = RefCell::new(BTreeSet::new());
            for _ in 0..=taken {
                let name = unique(&wanted, |name| names.borrow().contains(name));
                prop_assert_eq!(check(&name), Ok(()));
                prop_assert!(names.borrow_mut().insert(name));
            }
        }

        #[test]
        fn a_given_name_stays_one_with_a_number(wanted in "[a-z0-9 é:]{1,70}") {
            if check(&wanted).is_ok() {
                let name = unique(&wanted, |name| name == wanted);
                prop_assert_eq!(check(&name), Ok(()));
                prop_assert!(name.ends_with("-2"));
            }
        }
    }
}
