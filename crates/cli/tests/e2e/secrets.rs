//! Values of an agent's `env` never appear: not in the trace, the logs, errors, events or what is stored.

use pupitre_protocol::agent::AgentParams;
use pupitre_protocol::method::agent;

use crate::support::{Desk, agent_name, files_below, shell_agent};

const SECRET: &str = "sk-test-51c7d0e2a94f4b1e";
const INHERITED: &str = "inherited-9d3f\"quoted\"0b7c";
/// Secrets by their names or their origin; their form says nothing.
const PASSWORD: &str = "correct-horse";
const TOKEN: &str = "zq9x";
const FROM_OUTSIDE: &str = "/run/inherited/place";
/// No secret.
const MODE: &str = "production";

/// Says its secrets wherever an agent can: stderr, a stray line, an unknown notification, an answer to `initialize`, its
/// reasoning, the text of its answer cut into pieces, a tool call with its paths, commands, modes, options, a plan, a file that
/// it is refused, the error of a prompt; and cut in two, over two lines of stderr and two messages.
const TALKATIVE: &str = r#"
next() { read -r line; id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); }
printf 'the key is %s and %s\n' "$KEY" "$PASSED_ON" >&2
printf 'wrapped %s\n%s\n' "${KEY%????????????}" "${KEY#????????????}" >&2
printf 'stray %s\n' "$KEY"
printf '{"jsonrpc":"2.0","method":"_odd/delta","params":{"data":"%s"}}\n' "$PASSWORD and ${KEY%????????????}" "${KEY#????????????}"
next
printf '{"jsonrpc":"2.0","method":"_odd/key","params":{"key":"%s"}}\n' "$KEY"
printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"leaky","version":"1 %s"},"authMethods":[{"id":"m-%s","name":"with %s","description":"%s"}]}}\n' "$id" "$KEY" "$KEY" "$KEY" "$KEY"
next
printf '{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s1","modes":{"currentModeId":"m-%s","availableModes":[{"id":"m-%s","name":"as %s","description":"%s"}]},"configOptions":[{"id":"o-%s","name":"of %s","type":"select","currentValue":"v-%s","options":[{"value":"v-%s","name":"%s"}]}]}}\n' "$id" "$KEY" "$KEY" "$KEY" "$KEY" "$KEY" "$KEY" "$KEY" "$KEY" "$KEY"
next
say() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":%s}}\n' "$1"; }
piece() { say "{\"sessionUpdate\":\"$1\",\"content\":{\"type\":\"text\",\"text\":\"$2\"}}"; }
piece agent_thought_chunk "the person uses $KEY here"
piece agent_message_chunk "my key is ${KEY%????????????}"
piece agent_message_chunk "${KEY#????????????} indeed"
piece agent_message_chunk "the password $PASSWORD, the token $TOKEN, the place $PLACE, the mode $MODE"
printf '{"jsonrpc":"2.0","id":"f","method":"fs/read_text_file","params":{"sessionId":"s1","path":"/outside/%s"}}\n' "$KEY"
prompt=$id; next; id=$prompt
say "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t-$KEY\",\"title\":\"echo $KEY\",\"rawInput\":{\"key\":\"$KEY\"},\"rawOutput\":\"$KEY\",\"locations\":[{\"path\":\"/tmp/$KEY\"}],\"content\":[{\"type\":\"diff\",\"path\":\"/tmp/$KEY\",\"newText\":\"$KEY\"}]}"
say "{\"sessionUpdate\":\"available_commands_update\",\"availableCommands\":[{\"name\":\"c-$KEY\",\"description\":\"$KEY\"}]}"
say "{\"sessionUpdate\":\"plan\",\"entries\":[{\"content\":\"use $KEY\",\"priority\":\"high\",\"status\":\"pending\"}]}"
printf '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"sessionId":"s1","mode":"form","message":"for %s","requestedSchema":{"type":"object","properties":{"f-%s":{"type":"string","enum":["e-%s"]}}}}}\n' "$KEY" "$KEY" "$KEY"
prompt=$id; next; id=$prompt
piece agent_message_chunk "the end: $KEY"
printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"the key %s was refused"}}\n' "$id" "$KEY"
printf 'last words: %s\n' "$KEY" >&2
next
"#;

#[test]
fn secrets_appear_nowhere() {
    let mut desk = Desk::without_daemon(&[shell_agent("leaky", TALKATIVE)
        .env("KEY", SECRET)
        .env("PASSED_ON", "$OUTSIDE")
        .env("PASSWORD", PASSWORD)
        .env("TOKEN", TOKEN)
        .env("PLACE", "$WHERE")
        .env("MODE", MODE)]);
    desk.set_variable("OUTSIDE", INHERITED);
    desk.set_variable("WHERE", FROM_OUTSIDE);
    desk.set_variable("PUPITRE_LOG", "debug");
    desk.start_daemon();
    let watch = desk.spawn(&["watch"]);
    watch.wait_for_stdout("subscribed");
    let ask = desk.run(&["ask", "leaky", "hello"]);
    ask.expect_code(1)
        .expect_stderr("was refused")
        .expect_stdout("my key is *** indeed")
        .expect_stdout("the password ***, the token ***, the place ***, the mode production")
        .expect_stdout("the end: ***");
    watch.wait_for_stdout("last words");
    let mut seen = vec![("ask", ask.stdout + &ask.stderr)];
    for (what, verb) in [
        ("trace", &["agents", "trace", "leaky"][..]),
        ("log", &["agents", "logs", "leaky"]),
        ("agents", &["agents", "--json"]),
        ("show", &["chat", "show", "leaky", "--json"]),
        ("the check", &["config", "check"]),
        ("doctor", &["doctor"]),
    ] {
        seen.push((what, desk.run(verb).expect_code(0).stdout.clone()));
    }
    let trace = desk.call::<agent::Trace>(AgentParams {
        agent: agent_name("leaky"),
    });
    assert!(
        trace.entries.iter().any(|entry| entry.text.contains("_odd/key")),
        "{trace:#?}"
    );
    assert!(
        seen[2].1.contains("the key is") && seen[2].1.contains("stray"),
        "{}",
        seen[2].1
    );
    seen.push(("trace by RPC", format!("{trace:?}")));
    watch.interrupt();
    seen.push(("events", watch.finish().stdout));
    seen.push(("the daemon's words", desk.story()));
    desk.stop_daemon();
    for file in files_below(&desk.path("state")) {
        let bytes = std::fs::read(&file).unwrap();
        seen.push((
            "a file",
            format!("{}: {}", file.display(), String::from_utf8_lossy(&bytes)),
        ));
    }
    for word in [
        "1 ***", "with ***", "as ***", "of ***", "/tmp/***", "m-***", "o-***", "v-***", "c-***", "t-***",
        "f-***", "e-***",
    ] {
        assert!(
            seen.iter().any(|(_, text)| text.contains(word)),
            "{word} was read and shown"
        );
    }
    for (what, text) in seen {
        let halves = SECRET.split_at(12);
        for secret in [
            SECRET,
            halves.0,
            halves.1,
            INHERITED,
            "inherited-9d3f",
            "0b7c",
            PASSWORD,
            TOKEN,
            FROM_OUTSIDE,
        ] {
            assert!(!text.contains(secret), "{secret} stands in {what}: {text}");
        }
    }
}

#[test]
fn a_failed_start_tells_no_secret() {
    let desk =
        Desk::with_agents(&[shell_agent("leaky", "echo \"bad key $KEY\" >&2; exit 1").env("KEY", SECRET)]);
    let output = desk.run(&["agents", "start", "leaky"]);
    output.expect_code(1).expect_stderr("exited with code 1");
    let (_, message) = desk.call_refused::<agent::Start>(AgentParams {
        agent: agent_name("leaky"),
    });
    assert!(message.contains("bad key"), "{message}");
    for text in [
        output.stderr.clone(),
        message,
        format!("{:?}", desk.agent("leaky")),
        desk.log(),
    ] {
        assert!(!text.contains(SECRET), "{text}");
    }
}
