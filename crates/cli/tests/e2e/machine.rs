//! What the daemon does for agents on this machine: files beneath the session's folder, commands, tool servers.

use std::os::unix::fs::PermissionsExt;

use pupitre_protocol::limits::AGENT_TERMINALS_KEPT;
use serde_json::Value;

use crate::pane::pane;
use crate::support::{Desk, PROGRAM, Report, fake_script};

/// Returns a desk with an agent that plays this, and with `text` in its folder.
fn desk_with(script: &str, client: &str) -> (Desk, Report) {
    desk_with_env(script, client, &[])
}

/// Returns the same, with an agent that was given these variables.
fn desk_with_env(script: &str, client: &str, env: &[(&str, &str)]) -> (Desk, Report) {
    let mut desk = Desk::without_daemon(&[]);
    let file = desk.path("odd.script");
    let folder = desk.path("work").display().to_string();
    std::fs::write(&file, script.replace("FOLDER", &folder)).expect("the test's own file");
    std::fs::write(desk.path("work/text"), "one\ntwo\n").expect("the test's own file");
    std::fs::write(desk.path("outside"), "secret").expect("the test's own file");
    std::os::unix::fs::symlink(desk.path("outside"), desk.path("work/link")).expect("a link");
    let (mut agent, report) = fake_script(&desk, "odd", &file);
    agent.lines = vec![format!("client = {client}")];
    let agent = env
        .iter()
        .fold(agent.cwd(&folder), |agent, (name, value)| agent.env(name, value));
    desk.write_config(&[agent]);
    desk.start_daemon();
    (desk, report)
}

fn play(script: &str, client: &str) -> Desk {
    let (desk, report) = desk_with(script, client);
    desk.run(&["ask", "odd", "go"]).expect_code(0);
    desk.stop_agent("odd");
    report.expect_ok(1, &desk);
    desk
}

#[test]
fn files_are_read_and_written_beneath_the_folder_and_nowhere_else() {
    let desk = play(
        r#"handshake
expect session/prompt
send {"jsonrpc":"2.0","id":"a","method":"fs/read_text_file","params":{"sessionId":"${session}","path":"FOLDER/text","line":2}}
expect-answer "a" result
send {"jsonrpc":"2.0","id":"b","method":"fs/read_text_file","params":{"sessionId":"${session}","path":"FOLDER/link"}}
expect-answer "b" error -32602
send {"jsonrpc":"2.0","id":"c","method":"fs/write_text_file","params":{"sessionId":"${session}","path":"FOLDER/new/file","content":"made"}}
expect-answer "c" result
send {"jsonrpc":"2.0","id":"d","method":"fs/write_text_file","params":{"sessionId":"${session}","path":"FOLDER/../outside","content":"changed"}}
expect-answer "d" error -32602
send {"jsonrpc":"2.0","id":"e","method":"fs/read_text_file","params":{"sessionId":"${session}","path":"FOLDER/missing"}}
expect-answer "e" error -32002
send {"jsonrpc":"2.0","id":"f","method":"fs/read_text_file","params":{"sessionId":"another","path":"FOLDER/text"}}
expect-answer "f" error -32002
answer {"stopReason":"end_turn"}
serve
"#,
        r#"["fs"]"#,
    );
    let made = desk.path("work/new/file");
    assert_eq!(std::fs::read_to_string(&made).expect("it was made"), "made");
    let mode = std::fs::metadata(&made)
        .expect("it was made")
        .permissions()
        .mode()
        & 0o777;
    assert_ne!(mode, 0o600, "what an agent makes is not private to the daemon");
    assert_eq!(
        std::fs::read_to_string(desk.path("outside")).expect("it is there"),
        "secret"
    );
    desk.run(&["agents", "trace", "odd"]).expect_stdout(r#""two\n""#);
}

#[test]
fn an_agent_that_asks_for_more_than_it_takes_in_waits() {
    // In all far more than may wait for an agent.
    const READS: usize = 20;
    const FILE_BYTES: usize = 8 << 20;
    let mut script = String::from("handshake\nexpect session/prompt\n");
    for number in 0..READS {
        script += &format!(
            r#"send {{"jsonrpc":"2.0","id":{number},"method":"fs/read_text_file","params":{{"sessionId":"${{session}}","path":"FOLDER/large"}}}}"#
        );
        script += "\n";
    }
    for number in 0..READS {
        script += &format!("expect-answer {number} result\n");
    }
    script += "answer {\"stopReason\":\"end_turn\"}\nserve\n";
    let (desk, report) = desk_with(&script, r#"["fs"]"#);
    std::fs::write(desk.path("work/large"), "x".repeat(FILE_BYTES)).expect("the test's own file");
    desk.run(&["ask", "odd", "go"]).expect_code(0);
    desk.stop_agent("odd");
    report.expect_ok(1, &desk);
}

#[test]
fn what_is_not_offered_is_not_done() {
    let desk = play(
        r#"handshake
expect session/prompt
send {"jsonrpc":"2.0","id":"a","method":"fs/write_text_file","params":{"sessionId":"${session}","path":"FOLDER/new","content":"made"}}
expect-answer "a" error -32601
send {"jsonrpc":"2.0","id":"b","method":"terminal/create","params":{"sessionId":"${session}","command":"touch FOLDER/new"}}
expect-answer "b" error -32601
answer {"stopReason":"end_turn"}
serve
"#,
        "[]",
    );
    assert!(!desk.path("work/new").exists());
}

#[test]
fn commands_run_in_the_folder_and_end_with_their_agent() {
    let (desk, report) = desk_with(
        r#"handshake
expect session/prompt
send {"jsonrpc":"2.0","id":"a","method":"terminal/create","params":{"sessionId":"${session}","command":"echo; cat text; echo; echo $WORD >&2; exit 3","env":[{"name":"WORD","value":"oops"}]}}
expect-answer "a" result
send {"jsonrpc":"2.0","id":"b","method":"terminal/wait_for_exit","params":{"sessionId":"${session}","terminalId":"terminal-3"}}
expect-answer "b" result
send {"jsonrpc":"2.0","id":"c","method":"terminal/output","params":{"sessionId":"${session}","terminalId":"terminal-3"}}
expect-answer "c" result
send {"jsonrpc":"2.0","id":"d","method":"terminal/create","params":{"sessionId":"${session}","command":"tail","args":["-f","/dev/null","FOLDER/text"]}}
expect-answer "d" result
send {"jsonrpc":"2.0","id":"e","method":"terminal/kill","params":{"sessionId":"${session}","terminalId":"terminal-5"}}
expect-answer "e" result
send {"jsonrpc":"2.0","id":"f","method":"terminal/wait_for_exit","params":{"sessionId":"${session}","terminalId":"terminal-5"}}
expect-answer "f" result
send {"jsonrpc":"2.0","id":"g","method":"terminal/release","params":{"sessionId":"${session}","terminalId":"terminal-5"}}
expect-answer "g" result
send {"jsonrpc":"2.0","id":"h","method":"terminal/output","params":{"sessionId":"${session}","terminalId":"terminal-5"}}
expect-answer "h" error -32002
send {"jsonrpc":"2.0","id":"i","method":"terminal/create","params":{"sessionId":"${session}","command":"no-such-program","args":["x"]}}
expect-answer "i" error -32603
send {"jsonrpc":"2.0","id":"j","method":"terminal/create","params":{"sessionId":"${session}","command":"tail","args":["-f","/dev/null","FOLDER/text"]}}
expect-answer "j" result
answer {"stopReason":"end_turn"}
serve
"#,
        r#"["terminal"]"#,
    );
    desk.run(&["ask", "odd", "go"]).expect_code(0);
    desk.run(&["agents", "trace", "odd"])
        .expect_stdout(
            r#""output":"\none\ntwo\n\noops","truncated":false,"exitStatus":{"exitCode":3,"signal":null}"#,
        )
        .expect_stdout(r#""exitCode":null,"signal":"SIGTERM""#);
    desk.run(&["ls"]).expect_stdout("odd");
    desk.run(&["read", "3", "--raw"])
        .expect_stdout("one\ntwo\n\noops\n");
    desk.run(&["status", "5", "--json"])
        .expect_stdout(r#""exit_status":{"signal":"SIGTERM"}"#);
    let text = desk.path("work/text").display().to_string();
    assert_eq!(desk.commands_with(&text).len(), 1, "the last one still runs");
    desk.stop_agent("odd");
    desk.wait_for_no_command_with(&text);
    report.expect_ok(1, &desk);
}

#[test]
fn a_tool_call_names_the_panes_of_its_commands_and_of_no_others() {
    let (desk, report) = desk_with(
        r#"handshake
expect session/prompt
send {"jsonrpc":"2.0","id":"a","method":"terminal/create","params":{"sessionId":"${session}","command":"echo built"}}
expect-answer "a" result
send {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"build","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"terminal-3"},{"type":"terminal","terminalId":"terminal-5"},{"type":"terminal","terminalId":"terminal-99"}]}}}
send {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}}}
answer {"stopReason":"end_turn"}
serve
"#,
        r#"["terminal"]"#,
    );
    // A person's own pane takes the numbers before.
    assert_eq!(pane(&desk, "mine", "exec cat"), "3");
    desk.run(&["ask", "odd", "go"]).expect_code(0);
    desk.run(&["chat", "show", "odd"])
        .expect_stdout("tool: build (done) in pane 5\n");
    desk.run(&["read", "5", "--raw"]).expect_stdout("built\n");
    desk.stop_agent("odd");
    report.expect_ok(1, &desk);
}

#[test]
fn commands_are_panes_of_a_workspace_of_the_agent_and_the_last_ones_stay() {
    const COMMANDS: usize = AGENT_TERMINALS_KEPT + 4;
    let mut script = String::from("handshake\nexpect session/prompt\n");
    for number in 0..COMMANDS {
        // The first takes the number before that of the workspace.
        let terminal = 3 + number + usize::from(number > 0);
        let tell = format!("echo command-{number}; echo key $KEY; {PROGRAM} stop; tput colors");
        for (step, method, params) in [
            ("made", "create", format!(r#""command":"{tell}""#)),
            (
                "ended",
                "wait_for_exit",
                format!(r#""terminalId":"terminal-{terminal}""#),
            ),
            ("read", "output", format!(r#""terminalId":"terminal-{terminal}""#)),
            (
                "released",
                "release",
                format!(r#""terminalId":"terminal-{terminal}""#),
            ),
        ] {
            script += &format!(
                r#"send {{"jsonrpc":"2.0","id":"{step}-{number}","method":"terminal/{method}","params":{{"sessionId":"${{session}}",{params}}}}}"#
            );
            script += &format!("\nexpect-answer \"{step}-{number}\" result\n");
        }
    }
    script += "answer {\"stopReason\":\"end_turn\"}\nserve\n";
    let (desk, report) = desk_with_env(&script, r#"["terminal"]"#, &[("KEY", "sk-of-a-command")]);
    desk.run(&["ask", "odd", "go"]).expect_code(0);
    // What the agent asked for is its own.
    let last = COMMANDS - 1;
    desk.run(&["agents", "trace", "odd"])
        .expect_stdout(&format!(r#""output":"command-{last}\nkey ***\n"#));
    let list: Value = serde_json::from_str(&desk.run(&["ls", "--json"]).stdout).expect("it is JSON");
    let panes: Vec<&Value> = list["surfaces"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|surface| surface["kind"] == "pane")
        .collect();
    assert_eq!(panes.len(), AGENT_TERMINALS_KEPT, "{list}");
    let newest = panes
        .iter()
        .filter_map(|pane| pane["surface_id"].as_u64())
        .max()
        .expect("there are some");
    let workspaces = desk.run(&["workspace", "list", "--json"]);
    assert!(
        workspaces.stdout.contains(r#""name":"odd""#),
        "{}",
        workspaces.stdout
    );
    // It ran inside its agent, on a terminal with colours, and its secret is told to nobody.
    desk.run(&["read", &newest.to_string(), "--raw"])
        .expect_stdout(&format!("command-{last}\nkey ***\n"))
        .expect_stdout("only a person")
        .expect_stdout("\n256\n");
    let list = desk.run(&["ls", "--json"]).stdout + &desk.run(&["search", "key", "--all"]).stdout;
    assert!(list.contains("***") && !list.contains("sk-of-a"), "{list}");
    desk.stop_agent("odd");
    report.expect_ok(1, &desk);
}

#[test]
fn tool_servers_are_passed_on_to_the_agents_they_are_for() {
    let mut desk = Desk::without_daemon(&[]);
    let script = desk.path("odd.script");
    std::fs::write(&script, "handshake\nturn Done.\nserve\n").expect("the test's own file");
    let (agent, report) = fake_script(&desk, "odd", &script);
    let servers = r#"
[[mcp_servers]]
name = "here"
command = "sh"
args = ["-c", "exit"]
env = { TOKEN = "open sesame" }
agents = ["odd"]

[[mcp_servers]]
name = "lacking"
command = "sh"
env = { TOKEN = "$PUPITRE_TEST_IS_NOT_SET" }
agents = ["odd"]

[[mcp_servers]]
name = "elsewhere"
command = "sh"
agents = ["demo"]
"#;
    desk.write_settings(servers, &[agent]);
    desk.start_daemon();
    desk.run(&["ask", "odd", "go"]).expect_code(0);
    let trace = desk.run(&["agents", "trace", "odd"]);
    trace
        .expect_stdout(r#""mcpServers":[{"name":"here","command":"/"#)
        .expect_stdout(r#""args":["-c","exit"],"env":[{"name":"TOKEN","value":"***"}]"#);
    assert!(!trace.stdout.contains("elsewhere"), "{}", trace.stdout);
    assert!(!trace.stdout.contains("lacking"), "{}", trace.stdout);
    assert!(desk.log().contains("PUPITRE_TEST_IS_NOT_SET"), "{}", desk.log());
    desk.stop_agent("odd");
    report.expect_ok(1, &desk);
}
