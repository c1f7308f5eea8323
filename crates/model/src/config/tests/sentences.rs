//! Each cause makes its sentence, word for word: what `config check` has always printed.

use std::collections::BTreeSet;

use pupitre_protocol::configuration::{ProblemCause, ProblemSubject};

use super::super::{ENTRIES, FILE_BYTES, Facts, History, PROBLEMS, Reading, Running, Writers, sentence};
use super::EXECUTABLE;

/// A kind of cause, a file that has it, and its sentence.
const SENTENCES: &[(&str, &str, &str)] = &[
    ("not_utf8", "theme = \"é\"", "what follows is no UTF-8"),
    ("not_toml", "a = 01", "unexpected leading zero, expected nothing"),
    (
        "bad_key",
        "a: 1",
        "invalid unquoted key, expected letters, numbers, `-`, `_`",
    ),
    (
        "more_behind_value",
        "a = \"x\" \"y\"",
        "unexpected key or value, expected newline, `#`",
    ),
    (
        "duplicate_key",
        "theme = \"dark\"\ntheme = \"dark\"",
        "duplicate key",
    ),
    ("key_without_value", "theme", "key with no value, expected `=`"),
    ("missing_value", "theme = ", "the value is missing"),
    ("unquoted_text", "theme = dark", "string values must be quoted"),
    (
        "switch_spelling",
        "history = True",
        "true and false are written in small letters, without quotes",
    ),
    (
        "quote_missing",
        "theme = \"dark\n",
        "invalid basic string, expected `\"`",
    ),
    (
        "quote_missing",
        "theme = 'dark\n",
        "invalid literal string, expected `'`",
    ),
    ("header_not_closed", "[limits\n", "unclosed table, expected `]`"),
    (
        "header_not_closed",
        "[[agents\n",
        "unclosed array table, expected `]]`",
    ),
    (
        "array_not_closed",
        "agents = [",
        "this array is not closed: its \"]\" is missing",
    ),
    (
        "table_not_closed",
        "limits = {",
        "this table is not closed: its \"}\" is missing",
    ),
    (
        "text_not_closed",
        "theme = \"\"\"dark",
        "this text is not closed: its three quotes at the end are missing",
    ),
    (
        "rest_uncertain",
        "theme = ",
        "until this can be read, more may be wrong in the file than is told here",
    ),
    (
        "unknown_key",
        "titel = 1\nthemee = 1",
        "unknown key \"themee\"; did you mean \"theme\"?",
    ),
    (
        "unknown_key",
        "[limits]\nnonsense = 1",
        "unknown key \"nonsense\" in [limits]; there are: maxRunningAgents, stopIdleAgentsAfter",
    ),
    (
        "sign_in_key",
        "[[agents]]\n\"A=b\" = 1",
        "unknown key in an agent: it has a \"=\" between its quotes",
    ),
    (
        "key_of_file",
        "[[channels]]\nhistory = true",
        "unknown key \"history\" in a channel: it is a key of the whole file; write it above the first table, such as [[agents]]",
    ),
    (
        "key_of_table",
        "maxRunningAgents = 3",
        "unknown key \"maxRunningAgents\" in the file: it belongs below [limits]",
    ),
    (
        "key_of_table",
        "command = \"x\"",
        "unknown key \"command\" in the file: it belongs below [[agents]]",
    ),
    (
        "key_of_env",
        "[[mcp_servers]]\nAPI_KEY = 1",
        "unknown key \"API_KEY\" in an MCP server: variables stand in \"env\"",
    ),
    (
        "bad_variable",
        "[[agents]]\nenv = { \"A=B\" = \"c\" }",
        "a variable has a name without \"=\" and NUL characters; write NAME = \"value\"",
    ),
    (
        "missing_key",
        "[[agents]]\ncommand = \"x\"",
        "an agent has no \"name\"",
    ),
    (
        "missing_key",
        "[[mcp_servers]]\nname = \"m\"",
        "an MCP server has no \"command\": \"m\"",
    ),
    (
        "wrong_type",
        "history = \"yes\"",
        "\"history\" must be true or false, not a string",
    ),
    (
        "wrong_type",
        "port = 1.5",
        "\"port\" must be an integer, not a float",
    ),
    (
        "wrong_type",
        "theme = 2020-01-01",
        "\"theme\" must be a string, not a date or time",
    ),
    (
        "wrong_type",
        "limits = [true]",
        "\"limits\" must be a table, not an array",
    ),
    (
        "wrong_type",
        "agents = [true]",
        "an element of \"agents\" must be a table, not a boolean",
    ),
    (
        "wrong_type",
        "[agents]\nname = \"a\"",
        "\"agents\" must be an array, not a table; write [[agents]]",
    ),
    (
        "wrong_type",
        "[[agents]]\nenv = { \"sk-1\" = 1 }",
        "a value of \"env\" must be a string, not an integer",
    ),
    ("out_of_range", "port = 70000", "\"port\" must be 0 to 65535"),
    (
        "out_of_range",
        "agent_stall_threshold_secs = -1",
        "\"agent_stall_threshold_secs\" must be 0 to 604800",
    ),
    (
        "unknown_value",
        "theme = \"drak\"",
        "\"theme\" cannot be \"drak\"; did you mean \"dark\"?",
    ),
    (
        "unknown_value",
        "theme = \"pink\"",
        "\"theme\" cannot be \"pink\"; there are: light, dark, system",
    ),
    (
        "unknown_value",
        "[[agents]]\nclient = [\"net\"]",
        "an element of \"client\" cannot be \"net\"; there are: fs, terminal",
    ),
    (
        "unknown_preset",
        "[[agents]]\npreset = \"gemni\"",
        "unknown preset \"gemni\"; did you mean \"gemini\"?",
    ),
    (
        "bad_duration",
        "[limits]\nstopIdleAgentsAfter = \"1s\"",
        "\"stopIdleAgentsAfter\" must be \"30s\" to \"24h\", or \"never\"",
    ),
    (
        "bad_duration",
        "[limits]\nstopIdleAgentsAfter = \"soon\"",
        "\"stopIdleAgentsAfter\" must be \"30s\" to \"24h\", or \"never\"",
    ),
    (
        "bad_name",
        "[[agents]]\nname = \"Big\"",
        "a name has a-z, 0-9, \"-\" and \"_\", at most 32 of them, and not only digits",
    ),
    (
        "empty",
        "[[agents]]\ncommand = \"\"",
        "\"command\" must not be empty",
    ),
    (
        "no_agents",
        "[[channels]]\nagents = []",
        "a channel needs at least one agent",
    ),
    (
        "nul_character",
        "theme = \"\\u0000\"",
        "a NUL character cannot stand in a text here",
    ),
    (
        "duplicate_name",
        "[[agents]]\nname = \"a\"\n[[agents]]\nname = \"a\"",
        "there are two agents named \"a\"",
    ),
    (
        "duplicate_name",
        "[[mcp_servers]]\nname = \"a\"\n[[mcp_servers]]\nname = \"a\"",
        "there are two MCP servers named \"a\"",
    ),
    (
        "agent_twice",
        "[[channels]]\nname = \"c\"\nagents = [\"a\", \"a\"]",
        "the channel \"c\" names \"a\" twice",
    ),
    (
        "unknown_agent",
        "[[agents]]\nname = \"demo\"\n[[channels]]\nagents = [\"dmeo\"]",
        "the channel names the unknown agent \"dmeo\"; did you mean \"demo\"?",
    ),
    (
        "unknown_agent",
        "[[mcp_servers]]\nname = \"m\"\nagents = [\"nobody\"]",
        "the MCP server \"m\" names the unknown agent \"nobody\"",
    ),
    (
        "nothing_to_run",
        "[[agents]]\nname = \"a\"",
        "the agent \"a\" has neither \"command\" nor \"preset\"",
    ),
    (
        "nothing_to_run",
        "[[agents]]\ntitle = \"A\"",
        "the agent has neither \"command\" nor \"preset\"",
    ),
    (
        "command_not_found",
        "[[agents]]\ncommand = \"x\"",
        "the command \"x\" is not found on PATH",
    ),
    (
        "not_executable",
        "[[agents]]\ncommand = \"./x\"",
        "\"./x\" is no program that can be run",
    ),
    (
        "folder_missing",
        "[[agents]]\ncwd = \"~/x\"",
        "the working directory \"~/x\" does not exist",
    ),
    (
        "image_missing",
        "[[agents]]\nicon = \"x.png\"",
        "the image \"x.png\" does not exist",
    ),
    (
        "unknown_icon",
        "[[agents]]\nicon = \"hamer\"",
        "there is no built-in icon \"hamer\"; did you mean \"hammer\"?",
    ),
    (
        "variable_not_set",
        "[[agents]]\nenv = { A = \"$NOT_SET\" }",
        "the environment variable NOT_SET is not set",
    ),
    (
        "variable_not_handed_on",
        "[[agents]]\nenv = { A = \"$NOT_SET\" }",
        "the environment variable NOT_SET is set, but not handed on: its value is no UTF-8, or it is one of Pupitre's own",
    ),
    (
        "free_access",
        "ai_unrestricted = true",
        "agents may type into every terminal, other agents' included",
    ),
    (
        "others_may_write",
        "",
        "other users may write this file, and so run what they like as you; `chmod go-w '/home/ada/my file.toml'` takes that away",
    ),
    (
        "counts_later",
        "port = 80",
        "\"port\" counts from the next start of the daemon; `pupitre stop` ends this one",
    ),
];

fn kind_of(cause: &ProblemCause) -> String {
    let cause = serde_json::to_value(cause).expect("it is JSON");
    cause["kind"].as_str().expect("it has a kind").to_owned()
}

/// Checks that a file has a problem or warning of this kind, and that it is said in these words.
#[track_caller]
fn check(kind: &str, bytes: &[u8], expected: &str) {
    let reading = Reading::of_bytes(bytes, EXECUTABLE);
    let facts = Facts {
        absent: reading.questions(),
        writers: Writers::Others {
            path: "/home/ada/my file.toml".to_owned(),
        },
        running: Some(Running {
            history: History::OnDisk,
            port: 0,
        }),
    };
    let problems = reading.verdict(&facts).problems;
    let told = problems.iter().any(|problem| {
        problem.message == expected && problem.cause.as_ref().is_some_and(|cause| kind_of(cause) == kind)
    });
    assert!(told, "{kind}: {problems:#?}");
    for problem in &problems {
        let made = problem.cause.as_ref().map(sentence);
        assert_eq!(made.as_ref(), Some(&problem.message));
    }
}

#[test]
fn each_cause_makes_its_sentence() {
    let mut seen = BTreeSet::new();
    for (kind, text, expected) in SENTENCES {
        let bytes = match *kind {
            "not_utf8" => text
                .bytes()
                .map(|byte| if byte.is_ascii() { byte } else { 0xff })
                .collect(),
            _ => text.as_bytes().to_vec(),
        };
        check(kind, &bytes, expected);
        seen.insert((*kind).to_owned());
    }
    let lines = |line: &str, count: usize| line.repeat(count).into_bytes();
    let large = format!("the file has {} bytes; {FILE_BYTES} are the most", FILE_BYTES + 1);
    check("file_too_large", &lines("#", FILE_BYTES + 1), &large);
    let agents = lines("[[agents]]\n", ENTRIES + 1);
    check(
        "too_many_entries",
        &agents,
        "\"agents\" has more than 256 entries",
    );
    let two_each = lines("[[agents]]\n", PROBLEMS);
    check(
        "more_problems",
        &two_each,
        "there are 100 more problems from here on",
    );
    let missing = lines("[[agents]]\ncommand = \"x\"\n", PROBLEMS + 1);
    check(
        "more_warnings",
        &missing,
        "there are 2 more warnings from here on",
    );
    seen.extend(
        [
            "file_too_large",
            "too_many_entries",
            "more_problems",
            "more_warnings",
        ]
        .map(str::to_owned),
    );
    // Nothing in a file makes these.
    let others = [
        (ProblemCause::FileGone, "the file is not there any more"),
        (
            ProblemCause::FileUnreadable {
                error: "Permission denied (os error 13)".to_owned(),
            },
            "the file cannot be read: Permission denied (os error 13)",
        ),
        (
            ProblemCause::AgainstSchema {
                subject: ProblemSubject::File,
                keyword: "not".to_owned(),
            },
            "the file does not obey \"not\" of the schema",
        ),
    ];
    for (cause, expected) in others {
        assert_eq!(sentence(&cause), expected);
        seen.insert(kind_of(&cause));
    }
    assert_eq!(seen, every_kind());
}

/// Returns the kinds that there are, as the error for one that is not lists them.
fn every_kind() -> BTreeSet<String> {
    let error = serde_json::from_str::<ProblemCause>(r#"{"kind":""}"#).expect_err("there is no such kind");
    let words = error.to_string();
    let (_, kinds) = words.split_once("expected one of ").expect("it lists them");
    kinds.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn a_cause_shows_no_more_of_a_secret_than_its_sentence() {
    let long = "s3cret-".repeat(20);
    for secret in ["hunter22", "hunt\"er22", &long] {
        let value = serde_json::to_string(secret).expect("it is JSON");
        let text = format!(
            "theme = {value}\n[[agents]]\nname = \"a\"\ncommand = {value}\npreset = {value}\nenv = {{ KEY = {value} }}\n\
             [[channels]]\nname = \"c\"\nagents = [{value}]\n"
        );
        let reading = Reading::of_text(&text, EXECUTABLE);
        let facts = Facts {
            absent: reading.questions(),
            ..Facts::default()
        };
        let problems = reading.verdict(&facts).problems;
        assert_eq!(problems.len(), 4, "{problems:#?}");
        let told = serde_json::to_string(&problems).expect("it is JSON");
        for part in ["hunt", "s3cret"] {
            assert!(!told.contains(part), "{told}");
        }
    }
}
