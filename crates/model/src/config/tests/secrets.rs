//! No problem, and no line that is shown with one, says what stands in `env`, however wrong the file is.

use proptest::prelude::*;

use super::super::{Facts, Reading};
use super::EXECUTABLE;

const SECRET: &str = "sk-QUOTE34-9f3c7a";
/// The part that stays whole when one of its ends is damaged.
const CORE: &str = "QUOTE34";

/// What a person is shown of a file where everything that is asked for is missing.
struct Shown {
    messages: Vec<String>,
    /// What programs are told.
    causes: Vec<String>,
    /// Of each problem, with stars in the place of secrets.
    lines: Vec<String>,
}

impl Shown {
    fn all(&self) -> impl Iterator<Item = &String> {
        self.messages.iter().chain(&self.causes).chain(&self.lines)
    }
}

fn shown(text: &str) -> Shown {
    let reading = Reading::of_text(text, EXECUTABLE);
    let mut bytes = text.as_bytes().to_vec();
    for place in reading.secrets() {
        for byte in &mut bytes[place.clone()] {
            if *byte != b'\n' {
                *byte = b'*';
            }
        }
    }
    let absent = reading.questions();
    let facts = Facts {
        absent,
        ..Facts::default()
    };
    let blotted: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let problems = reading.verdict(&facts).problems;
    let line = |number: u32| {
        let line = blotted[usize::try_from(number).unwrap() - 1];
        String::from_utf8_lossy(line).into_owned()
    };
    Shown {
        lines: problems.iter().map(|problem| line(problem.line)).collect(),
        causes: problems
            .iter()
            .map(|problem| format!("{:?}", problem.cause))
            .collect(),
        messages: problems.into_iter().map(|problem| problem.message).collect(),
    }
}

#[track_caller]
fn check(text: &str) -> Shown {
    let shown = shown(text);
    assert!(!shown.messages.is_empty(), "{text}");
    for told in shown.all() {
        assert!(!told.contains(CORE), "{told}\nis told of\n{text}");
    }
    shown
}

#[test]
fn a_header_that_cannot_be_read_uncovers_nothing() {
    for header in [
        "[[agents]",
        "[[mcp_servers]",
        "[[age}nts]]",
        "[}[mcp_servers]]",
        "[agents",
    ] {
        for env in [
            format!("env = {{ K = \"{SECRET}\" }}"),
            format!("env= {{ K = \"\"\"{SECRET}\"\"\" }}"),
            format!("env.K = '{SECRET}'"),
            format!("[agents.env]\nK = \"{SECRET}\""),
            format!("env = {{ K = \"{SECRET}\nL = 1"),
        ] {
            let told = check(&format!("{header}\nname = \"m\"\ncommand = \"sh\"\n{env}\n"));
            // Which table the rest belongs to is not guessed.
            assert!(
                !told.messages.iter().any(|told| told.contains("unknown key")),
                "{:#?}",
                told.messages
            );
        }
    }
}

#[test]
fn a_text_that_does_not_end_where_it_should_is_not_quoted_beyond_its_line() {
    let told = check(&format!(
        "[[agents]]\nname = \"a\"\ncommand = \"\"\"sh\"\nenv = {{ K = \"{SECRET}\", L = \"\"\"x\"\"\" }}\n"
    ));
    assert!(
        told.messages
            .contains(&"the command \"sh\\\"…\" is not found on PATH".to_owned()),
        "{:#?}",
        told.messages
    );
    for line in [
        format!("command = \"\"\"env = {{ K = \"{SECRET}\", L = \"\"\"x\"\"\" }}"),
        format!("env = {{ A\"K = \"{SECRET}\", L = \"\"\"x\"\"\" }}\npermissions = \"{SECRET}\""),
        format!("cwd = '/{SECRET}\nenv = {{ K = '{SECRET}' }}"),
    ] {
        check(&format!("[[agents]]\nname = \"a\"\n{line}\n"));
    }
}

#[test]
fn what_stands_in_env_is_covered_in_other_places_too() {
    let env = format!("env = {{ API_KEY = \"{SECRET}\" }}");
    for (above, below, message) in [
        (
            format!("theme = \"{SECRET}\"\n"),
            String::new(),
            "\"theme\" cannot be \"***\"; there are: ",
        ),
        (
            String::new(),
            format!("preset = \"{SECRET}\""),
            "unknown preset \"***\"; there are: ",
        ),
        (
            String::new(),
            format!("command = \"{SECRET}\""),
            "the command \"***\" is not found on PATH",
        ),
        (
            String::new(),
            format!("cwd = \"/{SECRET}\""),
            "the working directory \"/***\" does not exist",
        ),
        (
            String::new(),
            format!("icon = \"{SECRET}\""),
            "there is no built-in icon \"***\"",
        ),
        (
            String::new(),
            format!("command = \"{}{SECRET}\"", "x".repeat(50)),
            &format!("the command \"{}***\" is not found on PATH", "x".repeat(50)),
        ),
        (
            String::new(),
            format!("[[agents]]\nname = \"{SECRET}\"\npreset = \"demo\""),
            "a name has a-z, 0-9",
        ),
    ] {
        let told = check(&format!("{above}[[agents]]\nname = \"a\"\n{env}\n{below}\n"));
        assert!(
            told.messages.iter().any(|told| told.starts_with(message)),
            "{message}: {:#?}",
            told.messages
        );
        assert!(told.lines.iter().any(|line| line.contains("***")), "{message}");
    }
    let escaped =
        "[[agents]]\nname = \"a\"\ncommand = \"a\\\"QUOTE34\\\\\"\nenv = { API_KEY = 'a\"QUOTE34\\' }\n";
    let told = check(escaped);
    assert!(
        told.messages
            .contains(&"the command \"***\" is not found on PATH".to_owned())
    );
}

#[test]
fn a_header_that_cannot_be_read_is_shown() {
    let told = check(&format!(
        "[[agents]\nname = \"m\"\ncommand = \"sh\"\nenv = {{ K = \"{SECRET}\" }}\n[[agents]]\nname = \"b\"\ncommand = 1\n"
    ));
    assert_eq!(told.lines, ["[[agents]", "[[agents]", "command = 1"]);
}

#[test]
fn a_mistake_elsewhere_leaves_the_other_lines_to_be_read() {
    let told = check(&format!(
        "theme = dark\ntitel = 1\n[[agents]]\nname = \"A B\"\ncommand = \"sh\"\nenv = {{ K = \"{SECRET}\" }}\n"
    ));
    assert!(
        told.lines.contains(&"name = \"A B\"".to_owned()),
        "{:?}",
        told.lines
    );
}

/// One of each way to write values of `env`.
fn whole() -> String {
    format!(
        "theme = \"dark\"\n\n[[agents]]\nname = \"a\"\ncommand = \"sh\"\nargs = [\"-c\", \"x\"]\nenv = {{ API_KEY = \"{SECRET}\", B = \"$HOME\" }}\n\n\
         [[agents]]\nname = \"b\"\ncommand = \"sh\"\n[agents.env]\nTOKEN = \"{SECRET}\"\nOther = '{SECRET}'\n\n\
         [[mcp_servers]]\nname = \"m\"\ncommand = \"sh\"\nenv = {{ K = \"\"\"{SECRET}\"\"\" }}\n"
    )
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\"\"\"".to_owned()),
        Just("'''".to_owned()),
        Just("[[".to_owned()),
        Just("\n=\n".to_owned()),
        "[\"'=\\[\\]{}#,.\n\r q\\\\]{0,2}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_damage_uncovers_a_secret(
        damages in prop::collection::vec((any::<prop::sample::Index>(), 0..5_usize, piece()), 1..4),
    ) {
        let mut text = whole();
        for (at, length, piece) in damages {
            let start = at.index(text.len());
            let end = (start + length).min(text.len());
            text.replace_range(start..end, &piece);
        }
        let shown = shown(&text);
        for told in shown.all() {
            prop_assert!(!told.contains(CORE), "{told}\nis told of\n{text}");
        }
    }
}
