//! `pupitre config check`: what it prints of a wrong file, and what it hides.

use std::os::unix::fs::PermissionsExt as _;

use super::text;
use crate::support::{Desk, utf8};

#[test]
fn seven_mistakes_are_told_as_a_compiler_does() {
    let desk = Desk::without_daemon(&[]);
    let file = desk.path("work/seven.toml");
    std::fs::write(
        &file,
        "theem = \"dark\"\nport = \"x\"\nagent_stall_threshold_secs = -1\n[[agents]]\nname = \"a\"\n\
         [[agents]]\nname = \"b\"\npreset = \"demmo\"\n[[agents]]\nname = \"b\"\ncommand = \"sh\"\n\
         [[channels]]\nname = \"c\"\nagents = [\"bb\"]\n",
    )
    .unwrap();
    let output = desk.run(&["config", "check", "seven.toml"]);
    output.expect_code(1);
    let expected = "\
seven.toml:1:1: error: unknown key \"theem\"; did you mean \"theme\"?
 1 | theem = \"dark\"
   | ^
seven.toml:2:8: error: \"port\" must be an integer, not a string
 2 | port = \"x\"
   |        ^
seven.toml:3:30: error: \"agent_stall_threshold_secs\" must be 0 to 604800
 3 | agent_stall_threshold_secs = -1
   |                              ^
seven.toml:4:1: error: the agent \"a\" has neither \"command\" nor \"preset\"
 4 | [[agents]]
   | ^
seven.toml:8:10: error: unknown preset \"demmo\"; did you mean \"demo\"?
 8 | preset = \"demmo\"
   |          ^
seven.toml:10:8: error: there are two agents named \"b\"
 10 | name = \"b\"
    |        ^
seven.toml:14:11: error: the channel \"c\" names the unknown agent \"bb\"
 14 | agents = [\"bb\"]
    |           ^
seven.toml has 7 problems
";
    assert_eq!(output.stdout, expected);
    assert_eq!(output.stderr, "");
    let json = desk.run(&["config", "check", "--json", utf8(&file)]);
    json.expect_code(1).expect_stdout("\"valid\":false");
    desk.run_with_input(&["config", "check", "-"], text("x").as_bytes())
        .expect_code(0)
        .expect_stdout("(stdin) is valid");
    desk.run(&["config", "check", "nothing.toml"])
        .expect_code(1)
        .expect_stderr("cannot read nothing.toml");
}

#[test]
fn a_check_of_nothing_says_what_makes_the_file() {
    let desk = Desk::without_daemon(&[]);
    std::fs::remove_file(desk.config()).unwrap();
    let missing = "does not exist yet; `pupitre config init` makes it";
    desk.run(&["config", "check"])
        .expect_code(1)
        .expect_stderr(missing);
    desk.run(&["doctor"]).expect_stdout(missing);
}

#[test]
fn a_file_with_more_mistakes_than_are_told_has_their_number() {
    let desk = Desk::without_daemon(&[]);
    let strangers: String = (0..500).map(|number| format!("k{number} = 1\n")).collect();
    let output = desk.run_with_input(&["config", "check", "-"], strangers.as_bytes());
    output
        .expect_code(1)
        .expect_stdout("there are 400 more problems from here on")
        .expect_stdout("(stdin) has 500 problems\n");
    let servers: String = (0..150)
        .map(|number| format!("[[mcp_servers]]\nname = \"m{number}\"\ncommand = \"no-such-{number}\"\n"))
        .collect();
    desk.run_with_input(&["config", "check", "-"], servers.as_bytes())
        .expect_code(0)
        .expect_stdout("(stdin) is valid, with 150 warnings\n");
}

#[test]
fn a_variable_that_agents_are_not_given_is_warned_of_in_words_that_are_true() {
    let mut desk = Desk::without_daemon(&[]);
    let text = |variable: &str| {
        format!("[[agents]]\nname = \"a\"\npreset = \"demo\"\nenv = {{ A = \"${variable}\" }}\n")
    };
    desk.set_variable("PUPITRE_CONFIG", utf8(&desk.config()));
    desk.set_variable_bytes("LATIN", b"caf\xe9");
    for variable in ["LATIN", "PUPITRE_CONFIG"] {
        let words = format!("the environment variable {variable} is set, but not handed on");
        std::fs::write(desk.config(), text(variable)).unwrap();
        desk.run(&["config", "check"])
            .expect_code(0)
            .expect_stdout(&words)
            .expect_stdout("is valid, with 1 warning\n");
    }
    std::fs::write(desk.config(), text("LATIN")).unwrap();
    desk.start_daemon();
    desk.run(&["agents", "start", "a"])
        .expect_code(1)
        .expect_stderr("is set for the daemon, but not handed on");
}

#[test]
fn who_may_write_the_file_is_told_with_what_to_do_and_not_of_stdin() {
    let desk = Desk::without_daemon(&[]);
    std::fs::set_permissions(desk.config(), std::fs::Permissions::from_mode(0o666)).unwrap();
    desk.run(&["config", "check"])
        .expect_code(0)
        .expect_stdout(&format!("`chmod go-w {}` takes that away", utf8(&desk.config())));
    let stdin = desk.run_with_input(&["config", "check", "-"], text("x").as_bytes());
    stdin.expect_code(0).expect_stdout("(stdin) is valid\n");
}

#[test]
fn a_check_shows_no_secret_of_the_lines_it_quotes() {
    let desk = Desk::without_daemon(&[]);
    let file = desk.path("work/secret.toml");
    for env in [
        "{ KEY = \"hunter22\", N = 3 }",
        "{ KEY = \"hunter22\" x }",
        "{ KEY = \"hunter22",
        "\"hunter22\"",
        "{ \"KEY=hunter22\" = \"\" }",
        "{}\nenviroment = { KEY = \"hunter22\" }",
        "{}\nAPI_KEY = \"hunter22\"",
        "{ \"KEY=hunter22\" = 1 }",
        "{ \"KEY: hunter22\" = 1 }",
        "{}\n\"KEY=hunter22\" = 1",
        "{}\ntitel = 1 # KEY = \"hunter22\"",
        "{}\nexport KEY=hunter22",
        "{}\nargs = [\"x\" # KEY = hunter22",
        "{}\nenv.SOME \"hunter22\"",
        "\n[agents.env]\nSOME \"hunter22\"",
        "{}\n[agents.more.env]\n\"hunter22\"",
        "{}\n[agents.more.env]\nhunter22",
        "{}\n[agents.more.env]\nSOME hunter22",
        "{}\n[agents.more.env]\nSOME, hunter22",
        "{}\n[agents.more.env]\n\"SOME\"\"hunter22\"",
        "{}\n[agents.more.env]\nSOME =\n\"hunter22\"",
        "{ A = 1 } # hunter22",
        "{ A = \"\u{e9}hunter22\" }",
    ] {
        let text = format!("[[agents]]\nname = \"a\"\npreset = \"demo\"\nenv = {env}\n");
        // Another encoding than the one that is asked for.
        let bytes: Vec<u8> = text.chars().map(|symbol| symbol as u8).collect();
        std::fs::write(&file, bytes).unwrap();
        let output = desk.run(&["config", "check", "secret.toml"]);
        output.expect_code(1);
        assert!(!output.stdout.contains("hunter22"), "{}", output.stdout);
    }
}
