//! What a file says, and every way in which it can be wrong.

mod mutation;
mod secrets;
mod sentences;

use pupitre_protocol::limits;

use super::*;

pub(super) const EXECUTABLE: &str = "/bin/pupitre";

/// A file with something of everything.
pub(super) const EVERYTHING: &str = r##"
theme = "dark"
language = "fr"
history = false
scripting = true
ai_injection_fence = false
agent_stall_threshold_secs = 60
port = 8080

[limits]
maxRunningAgents = 2
stopIdleAgentsAfter = "90s"

[[agents]]
name = "gemini"
title = "Gemini CLI"
icon = "gemini"
description = "Google's agent"
preset = "gemini"
command = "gemini"
args = ["--acp", "--debug"]
cwd = "~/src/app"
env = { GEMINI_API_KEY = "$GEMINI_API_KEY", PLAIN = "a$b", DOLLAR = "$", PRICE = "$5" }
permissions = "allow_reads"
client = ["fs"]

[[agents]]
name = "demo"
preset = "demo"

[[channels]]
name = "review"
title = "Review"
agents = ["gemini", "demo"]

[[mcp_servers]]
name = "docs"
command = "docs-mcp"
args = ["--quiet"]
env = { TOKEN = "abc" }
agents = ["gemini"]

[[mcp_servers]]
name = "all"
command = "./mcp"
"##;

fn verdict(text: &str) -> Verdict {
    Reading::of_text(text, EXECUTABLE).verdict(&Facts::default())
}

/// Checks the places and a part of the words of everything that is wrong, in order.
#[track_caller]
fn check(text: &str, expected: &[(u32, u32, &str)]) {
    let verdict = verdict(text);
    let found: Vec<_> = verdict
        .problems
        .iter()
        .map(|problem| (problem.line, problem.column, problem.message.as_str()))
        .collect();
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!((found.0, found.1), (expected.0, expected.1), "{found:?}");
        assert!(found.2.contains(expected.2), "{found:?} says {:?}", expected.2);
    }
    assert_eq!(
        verdict.config.is_none(),
        verdict.problems.iter().any(|problem| !problem.warning)
    );
}

#[test]
fn nothing_is_a_file_with_the_defaults() {
    let config = Config::default();
    assert_eq!(config.history, History::OnDisk);
    assert!(config.ai_injection_fence && !config.scripting && config.free_access == FreeAccess::Off);
    assert_eq!(config.port, 0);
    assert_eq!(
        config.limits,
        Limits {
            running_agents: limits::RUNNING_AGENTS,
            idle_stop: IdleStop::After {
                ms: limits::IDLE_STOP_MS
            },
            stall_after_ms: Some(180_000),
        }
    );
    assert!(config.agents.is_empty() && config.channels.is_empty());
}

#[test]
fn everything_is_read() {
    let config = verdict(EVERYTHING).config.expect("it is valid");
    assert_eq!((config.theme, config.language), (Theme::Dark, Language::Fr));
    assert_eq!(config.history, History::InMemory);
    assert_eq!(
        config.limits,
        Limits {
            running_agents: 2,
            idle_stop: IdleStop::After { ms: 90_000 },
            stall_after_ms: Some(60_000),
        }
    );
    let [gemini, demo] = config.agents.as_slice() else {
        panic!("two agents: {config:?}")
    };
    assert_eq!((gemini.title.as_str(), gemini.args.len()), ("Gemini CLI", 2));
    assert_eq!(
        gemini.env["GEMINI_API_KEY"],
        EnvValue::Inherited("GEMINI_API_KEY".into())
    );
    for (key, literal) in [("PLAIN", "a$b"), ("DOLLAR", "$"), ("PRICE", "$5")] {
        assert_eq!(gemini.env[key], EnvValue::Literal(literal.into()));
    }
    assert_eq!(gemini.permissions, PermissionPolicy::AllowReads);
    assert_eq!(
        gemini.client,
        ClientOffer {
            fs: true,
            terminal: false
        }
    );
    let servers = |agent: &AgentDefinition| -> Vec<String> {
        agent
            .mcp_servers
            .iter()
            .map(|server| server.name.clone())
            .collect()
    };
    assert_eq!(servers(gemini), ["docs", "all"]);
    assert_eq!(servers(demo), ["all"]);
    assert_eq!((demo.title.as_str(), demo.command.as_str()), ("Demo", EXECUTABLE));
    assert_eq!(demo.args, ["demo-agent"]);
    assert_eq!(config.channels[0].agents.len(), 2);
}

#[test]
fn a_preset_can_be_written_over() {
    let text = "[[agents]]\nname = \"g\"\npreset = \"gemini\"\ntitle = \"Mine\"\ncommand = \"/opt/gemini\"\n";
    let config = verdict(text).config.expect("it is valid");
    let agent = &config.agents[0];
    assert_eq!(
        (agent.title.as_str(), agent.command.as_str()),
        ("Mine", "/opt/gemini")
    );
    assert_eq!(agent.args, ["--acp"]);
    assert_eq!(agent.icon.as_deref(), Some("gemini"));
}

#[test]
fn all_mistakes_are_told_at_once() {
    let text = r#"themee = "dark"
history = "yes"
port = 70000

[[agents]]
name = "Big"
command = "x"

[[agents]]
name = "a"

[[agents]]
name = "b"
preset = "gemni"
titel = "B"

[[agents]]
name = "b"
command = "x"

[[channels]]
name = "review"
agents = ["b", "aa"]
"#;
    check(
        text,
        &[
            (1, 1, r#"unknown key "themee"; did you mean "theme"?"#),
            (2, 11, r#""history" must be true or false, not a string"#),
            (3, 8, r#""port" must be 0 to 65535"#),
            (6, 8, "a name has a-z"),
            (9, 1, r#"the agent "a" has neither "command" nor "preset""#),
            (14, 10, r#"unknown preset "gemni"; did you mean "gemini"?"#),
            (15, 1, r#"unknown key "titel"; did you mean "title"?"#),
            (18, 8, r#"there are two agents named "b""#),
            (23, 16, r#"the channel "review" names the unknown agent "aa""#),
        ],
    );
}

#[test]
fn each_mistake_has_its_words() {
    check(
        "theme = \"drak\"",
        &[(1, 9, r#""theme" cannot be "drak"; did you mean "dark"?"#)],
    );
    check("theme = \"pink\"", &[(1, 9, "there are: light, dark, system")]);
    check("port = -1", &[(1, 8, "0 to 65535")]);
    check("port = 99999999999999999999", &[(1, 8, "0 to 65535")]);
    check("port = 1.5", &[(1, 8, "an integer, not a float")]);
    check(
        "history = 2020-01-01",
        &[(1, 11, "true or false, not a date or time")],
    );
    check("[limits]\nmaxRunningAgents = 0", &[(2, 20, "1 to 64")]);
    check("[limits]\nmaxRunningAgents = 65", &[(2, 20, "1 to 64")]);
    for wrong in ["29s", "25h", "15", "m", "15 m", "0s", "99999999m", "forever", ""] {
        check(
            &format!("[limits]\nstopIdleAgentsAfter = \"{wrong}\""),
            &[(2, 23, "\"30s\" to \"24h\", or \"never\"")],
        );
    }
    for right in ["30s", "24h", "1440m", "never"] {
        check(&format!("[limits]\nstopIdleAgentsAfter = \"{right}\""), &[]);
    }
    check(
        "agents = 3",
        &[(1, 10, "\"agents\" must be an array, not an integer")],
    );
    check("[agents]\nname = \"a\"", &[(1, 1, "write [[agents]]")]);
    check(
        "agents = [1]",
        &[(1, 11, "an element of \"agents\" must be a table")],
    );
    check(
        "[[agents]]\ncommand = \"x\"",
        &[(1, 1, "an agent has no \"name\"")],
    );
    check(
        "[[agents]]\nname = \"a\"\ncommand = \"\"",
        &[(3, 11, "\"command\" must not be empty")],
    );
    check(
        "[[agents]]\nname = \"12\"\ncommand = \"x\"",
        &[(2, 8, "not only digits")],
    );
    check(
        &format!("[[agents]]\nname = \"{}\"\ncommand = \"x\"", "a".repeat(33)),
        &[(2, 8, "at most 32")],
    );
    check(
        "[[agents]]\nname = \"a\"\ncommand = \"x\\u0000\"",
        &[(3, 11, "NUL")],
    );
    check(
        "[[agents]]\nname = \"a\"\ncommand = \"x\"\nenv = { \"A=B\" = \"c\" }",
        &[(4, 9, "a variable has a name without \"=\"")],
    );
    check(
        "[[agents]]\nname = \"a\"\ncommand = \"x\"\nclient = [\"fs\", \"net\"]",
        &[(4, 17, "an element of \"client\" cannot be \"net\"")],
    );
    check(
        "[[channels]]\nname = \"c\"\nagents = []",
        &[(3, 10, "at least one agent")],
    );
    check(
        "[[agents]]\nname = \"a\"\ncommand = \"x\"\n[[channels]]\nname = \"c\"\nagents = [\"a\", \"a\"]",
        &[(6, 16, "names \"a\" twice")],
    );
    check(
        "[[mcp_servers]]\nname = \"m\"\ncommand = \"x\"\nagents = [\"nobody\"]",
        &[(4, 11, "the MCP server \"m\" names the unknown agent \"nobody\"")],
    );
    check(
        "[[mcp_servers]]\nname = \"m\"",
        &[(1, 1, "an MCP server has no \"command\": \"m\"")],
    );
}

#[test]
fn keys_in_the_wrong_table_are_sent_where_they_belong() {
    check(
        "[[agents]]\nname = \"a\"\ncommand = \"x\"\n\nhistory = false",
        &[(
            5,
            1,
            "unknown key \"history\" in an agent: it is a key of the whole file; write it above the first table",
        )],
    );
    check("maxRunningAgents = 3", &[(1, 1, "it belongs below [limits]")]);
    check("command = \"x\"", &[(1, 1, "it belongs below [[agents]]")]);
    check("[limits]\nport = 3", &[(2, 1, "a key of the whole file")]);
    check("nonsense = 1", &[(1, 1, "there are: theme, language, history")]);
    check(
        "[[agents]]\nname = \"a\"\ncommand = \"x\"\nAPI_KEY = \"k\"",
        &[(
            4,
            1,
            "unknown key \"API_KEY\" in an agent: variables stand in \"env\"",
        )],
    );
}

#[test]
fn what_is_no_toml_is_told_with_the_rest_that_is_certain() {
    const MORE: &str = "more may be wrong";
    check("[[agents", &[(1, 9, ""), (1, 9, MORE)]);
    let text = "history = \nthemee = 1\n[[agents]]\nname = \nport = 1\ncommand = \"x\"\n";
    let problems = verdict(text).problems;
    let places: Vec<_> = problems
        .iter()
        .filter(|problem| !problem.warning)
        .map(|problem| (problem.line, problem.column))
        .collect();
    // The agent's name is missing only because it could not be read.
    assert_eq!(places, [(1, 11), (2, 1), (4, 8), (5, 1)], "{problems:#?}");
    check(
        "a = 1\na = 2",
        &[(1, 1, "unknown key"), (2, 1, "duplicate"), (2, 1, MORE)],
    );
}

#[test]
fn what_is_not_closed_is_told_where_it_was_opened() {
    const MORE: &str = "more may be wrong";
    let agents = "[[agents]]\nname = \"b\"\npreset = \"demo\"\ntitel = 1\n";
    for (line, sentence) in [
        ("args = [\"--acp\"", "this array is not closed"),
        ("args = [\n\"--acp\",", "this array is not closed"),
        ("args = {", "this table is not closed"),
        ("icon = \"\"\"x", "this text is not closed"),
    ] {
        let text = format!("histori = true\n[[agents]]\nname = \"a\"\n{line}\ncwd = \"~\"\n\n{agents}");
        check(
            &text,
            &[(1, 1, "did you mean \"history\""), (4, 8, sentence), (4, 8, MORE)],
        );
    }
}

#[test]
fn columns_are_counted_in_characters() {
    check("\"é漢\" = 1; x", &[(1, 8, ""), (1, 8, "")]);
    check("\u{feff}tehme = 1", &[(1, 1, "theme")]);
    check("\r\n\r\ntehme = 1\r\n", &[(3, 1, "theme")]);
}

#[test]
fn what_cannot_be_read_at_all_is_a_problem_with_a_place() {
    let verdict = |bytes: &[u8]| Reading::of_bytes(bytes, EXECUTABLE).verdict(&Facts::default());
    let broken = verdict(b"theme = \"dark\"\nlanguage = \"\xff\"\n");
    assert_eq!((broken.problems[0].line, broken.problems[0].column), (2, 13));
    assert!(broken.config.is_none());
    let bytes = b"[agents.env]\nKEY = \"sk-\xff-51c7\"\n";
    let text = String::from_utf8_lossy(bytes);
    let reading = Reading::of_bytes(bytes, EXECUTABLE);
    let hidden: Vec<&str> = reading.secrets().iter().map(|part| &text[part.clone()]).collect();
    assert_eq!(hidden, [" \"sk-\u{fffd}-51c7\""]);
    let large = verdict(&vec![b'#'; FILE_BYTES + 1]);
    assert!(
        large.problems[0].message.contains("524288 are the most"),
        "{large:?}"
    );
}

#[test]
fn the_world_gives_warnings_at_their_place() {
    let reading = Reading::of_text(EVERYTHING, EXECUTABLE);
    let mut absent = reading.questions();
    assert_eq!(absent.len(), 6, "{absent:#?}");
    assert!(absent.remove(&Question::HandedOn("GEMINI_API_KEY".to_owned())));
    let facts = Facts {
        absent,
        writers: Writers::Others {
            path: "/home/ada/my file's.toml".to_owned(),
        },
        ..Facts::default()
    };
    let verdict = reading.verdict(&facts);
    assert!(verdict.config.is_some());
    let found: Vec<_> = verdict
        .problems
        .iter()
        .map(|problem| (problem.line, problem.column, problem.message.as_str()))
        .collect();
    assert!(verdict.problems.iter().all(|problem| problem.warning));
    assert_eq!(
        found,
        [
            (
                1,
                1,
                r"other users may write this file, and so run what they like as you; `chmod go-w '/home/ada/my file'\''s.toml'` takes that away"
            ),
            (20, 11, "the command \"gemini\" is not found on PATH"),
            (22, 7, "the working directory \"~/src/app\" does not exist"),
            (23, 26, "the environment variable GEMINI_API_KEY is not set"),
            (38, 11, "the command \"docs-mcp\" is not found on PATH"),
            (45, 11, "\"./mcp\" is no program that can be run"),
        ]
    );
}

#[test]
fn free_access_is_warned_of_and_an_icon_is_looked_for() {
    check(
        "ai_unrestricted = true",
        &[(1, 1, "agents may type into every terminal")],
    );
    let text = "[[agents]]\nname = \"a\"\npreset = \"demo\"\nicon = \"a.png\"";
    let questions = Reading::of_text(text, EXECUTABLE).questions();
    assert_eq!(
        questions.into_iter().collect::<Vec<_>>(),
        [Question::Icon("a.png".into())]
    );
}

#[test]
fn values_of_env_are_known_as_secrets_and_never_quoted() {
    let secret = "sk-0123456789";
    let text = format!(
        "[[agents]]\nname = \"a\"\npreset = \"demo\"\nenv = {{ KEY = \"{secret}\", N = [\"{secret}\"] }}"
    );
    let reading = Reading::of_text(&text, EXECUTABLE);
    let hidden: Vec<&str> = reading
        .secrets()
        .iter()
        .map(|place| &text[place.clone()])
        .collect();
    // What follows are the same ones without their quotes, found as words.
    assert_eq!(hidden[..2], [format!("\"{secret}\""), format!("[\"{secret}\"]")]);
    let verdict = reading.verdict(&Facts::default());
    assert!(!format!("{verdict:?}").contains(secret), "{verdict:?}");
    let valid = format!("[[agents]]\nname = \"a\"\npreset = \"demo\"\nenv = {{ KEY = \"{secret}\" }}");
    let config = Reading::of_text(&valid, EXECUTABLE)
        .verdict(&Facts::default())
        .config
        .expect("it is valid");
    assert!(!format!("{config:?}").contains(secret));
}

#[test]
fn every_first_file_is_valid() {
    let text = first_file(PRESETS);
    let config = verdict(&text).config.expect("it is valid");
    assert_eq!(config.agents.len(), PRESETS.len());
    // What it shows as comments is right, too.
    let shown: String = text
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(shown) if shown.contains(" = ") || shown.starts_with('[') => format!("{shown}\n"),
            Some(_) | None => format!("{line}\n"),
        })
        .collect();
    let config = verdict(&shown)
        .config
        .unwrap_or_else(|| panic!("{:#?}", verdict(&shown).problems));
    let defaults = Config::default();
    assert_eq!(config.limits, defaults.limits);
    assert_eq!(
        (config.theme, config.language, config.history, config.port),
        (defaults.theme, defaults.language, defaults.history, defaults.port)
    );
    assert_eq!(config.limits.stall_after_ms, defaults.limits.stall_after_ms);
    assert_eq!(config.channels.len(), 1);
}

#[test]
fn a_built_in_icon_is_known_and_an_emoji_needs_no_name() {
    let icon = |icon: &str| format!("[[agents]]\nname = \"a\"\npreset = \"demo\"\nicon = \"{icon}\"");
    check(&icon("hamer"), &[(4, 8, "did you mean \"hammer\"?")]);
    check(&icon("zzzzzz"), &[(4, 8, "there are: book, ")]);
    for right in ["hammer", "✨", "👩‍💻", ""] {
        check(&icon(right), &[]);
    }
}

#[test]
fn what_counts_at_the_next_start_is_said() {
    let facts = Facts {
        running: Some(Running {
            history: History::OnDisk,
            port: 0,
        }),
        ..Facts::default()
    };
    let told = |text: &str| -> Vec<(u32, u32, bool)> {
        let problems = Reading::of_text(text, EXECUTABLE).verdict(&facts).problems;
        problems
            .iter()
            .map(|problem| (problem.line, problem.column, problem.warning))
            .collect()
    };
    assert_eq!(told("history = true\nport = 0"), []);
    assert_eq!(told("\nhistory = false\nport = 80"), [(2, 1, true), (3, 1, true)]);
    let began_in_memory = Facts {
        running: Some(Running {
            history: History::InMemory,
            port: 80,
        }),
        ..Facts::default()
    };
    let verdict = Reading::of_text("theme = \"dark\"", EXECUTABLE).verdict(&began_in_memory);
    let words: Vec<&str> = verdict
        .problems
        .iter()
        .map(|problem| problem.message.as_str())
        .collect();
    assert!(
        words.len() == 2
            && words
                .iter()
                .all(|words| words.contains("the next start of the daemon")),
        "{words:?}"
    );
}

#[test]
fn a_file_of_nonsense_is_told_in_short() {
    let nonsense: String = (0..20_000)
        .map(|number| format!("k{number} = {number}\n"))
        .collect();
    let long = format!("{} = 1\nai_unrestricted = true\n", "x".repeat(200_000));
    for text in [
        nonsense,
        long,
        "x".repeat(500_000),
        "[[agents]]\n".repeat(40_000),
        "= \n".repeat(100_000),
    ] {
        let verdict = verdict(&text);
        let bytes: usize = verdict.problems.iter().map(|problem| problem.message.len()).sum();
        assert!(
            verdict.config.is_none() && verdict.problems.len() <= 2 * (PROBLEMS + 1),
            "{bytes}"
        );
        assert!(bytes < 64 << 10, "{bytes}");
    }
    let many = "a = 1\n".to_owned()
        + &(0..150)
            .map(|number| format!("k{number} = 1\n"))
            .collect::<String>();
    let Verdict { problems, counts, .. } = verdict(&many);
    assert_eq!((counts.problems, counts.warnings), (151, 0));
    let last = problems.last().expect("there are some");
    assert_eq!((problems.len(), last.line), (PROBLEMS + 1, 101));
    assert_eq!(last.message, "there are 51 more problems from here on");
    let agents: String = (0..=ENTRIES)
        .map(|number| format!("[[agents]]\nname = \"a{number}\"\npreset = \"demo\"\n"))
        .collect();
    check(&agents, &[(1, 1, "\"agents\" has more than 256 entries")]);
}

#[test]
fn what_was_meant_for_env_is_hidden_and_not_quoted() {
    let secret = "sk-0123456789";
    for lines in [
        format!("env = \"{secret}\""),
        format!("env = [\"KEY={secret}\"]"),
        format!("env = {{ \"KEY={secret}\" = \"\" }}"),
        format!("env = {{ \"KEY={secret}\" = 1 }}"),
        format!("env.\"KEY={secret}\" = true"),
        format!("env = {{ \"KEY: {secret}\" = 1 }}"),
        format!("env = {{ \"{secret}\" = [] }}"),
        format!("env = {{ \"KEY: {secret}\" = {{ A = 1 }} }}"),
        format!("\"KEY={secret}\" = 1"),
        format!("\"KEY: {secret}\" = []"),
        format!("titel = 1 # KEY = \"{secret}\""),
        format!("titel = 1 # my token is {secret}"),
        format!("export KEY={secret}"),
        format!("HUNT: {secret}"),
        format!("args = [ \"x\" # API_KEY={secret}"),
        format!("enviroment = {{ KEY = \"{secret}\" }}"),
        format!("API_KEY = \"{secret}\""),
        format!("env = {{ KEY = \"{secret}\" }}\npermissions = \"{secret}\""),
    ] {
        let text = format!("[[agents]]\nname = \"a\"\npreset = \"demo\"\n{lines}\n");
        let reading = Reading::of_text(&text, EXECUTABLE);
        let at = text.find(secret).expect("it is there");
        let place = reading.secrets().iter().find(|place| place.contains(&at));
        assert!(
            place.is_some_and(|place| place.end >= at + secret.len()),
            "{lines}"
        );
        let problems = reading.verdict(&Facts::default()).problems;
        assert!(!problems.is_empty(), "{lines}");
        assert!(!format!("{problems:?}").contains(secret), "{problems:#?}");
    }
}
