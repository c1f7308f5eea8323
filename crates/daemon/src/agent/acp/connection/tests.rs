//! What a connection makes of lines, and what it sends.

use proptest::prelude::*;
use pupitre_model::conversation::{Update, Voice};
use serde_json::{Value, json};

use super::*;
use crate::agent::acp::Redactor;
use crate::agent::acp::outgoing::{LineWriter, outgoing_lines};
use crate::agent::acp::write;

fn connection() -> (Connection<&'static str>, LineWriter<Vec<u8>>) {
    let (lines, writer) = outgoing_lines(Vec::new());
    (
        Connection::new(lines, Trace::new(Redactor::new(["hunter22"]), || 0, 0)),
        writer,
    )
}

fn start_in(cwd: &str) -> write::SessionStart {
    write::SessionStart {
        cwd: cwd.to_owned(),
        servers: Vec::new(),
    }
}

/// Says in short what a line is for a connection that asked `first` (id 0) and `second` (id 1).
fn check(line: &str, expected: &[&str]) {
    let (mut connection, _writer) = connection();
    connection.send_request(&write::new_session(&start_in("/")), "first");
    connection.send_request(&write::new_session(&start_in("/")), "second");
    let found: Vec<String> = connection
        .accept(line.as_bytes())
        .into_iter()
        .map(in_short)
        .collect();
    assert_eq!(found, expected, "{line}");
}

fn in_short(incoming: Incoming<&str>) -> String {
    match incoming {
        Incoming::Update {
            session_id,
            update,
            skipped,
        } => format!("{session_id} {update:?} {skipped:?}"),
        Incoming::UserEcho => "echo".to_owned(),
        Incoming::ElicitationCompleted { elicitation } => format!("completed {elicitation}"),
        Incoming::Request {
            id,
            request: AgentRequest::Elicitation(question),
        } => format!("{id} {:?}", question.wants),
        Incoming::Request {
            id,
            request: AgentRequest::Permission(permission),
        } => {
            format!("{id} permission {}", permission.tool.id)
        }
        Incoming::Request {
            id,
            request: AgentRequest::Client(call),
        } => format!("{id} {call:?}"),
        Incoming::Request {
            id,
            request: AgentRequest::Unreadable { method, reason },
        } => {
            format!("{id} unreadable {method}: {reason}")
        }
        Incoming::Request {
            id,
            request: AgentRequest::Unknown { method },
        } => format!("{id} unknown {method}"),
        Incoming::RequestCancelled { id } => format!("{id} taken back"),
        Incoming::Reply {
            tag,
            outcome: Ok(result),
        } => format!("{tag} {}", result.get()),
        Incoming::Reply {
            tag,
            outcome: Err(error),
        } => format!("{tag} failed: {error}"),
        Incoming::Noise(noise) => format!("noise: {noise}"),
        Incoming::Stray { text } => format!("stray: {text}"),
    }
}

#[test]
fn answers_find_what_was_asked() {
    check(
        r#"{"jsonrpc":"2.0","id":0,"result":{"a":1}}"#,
        &[r#"first {"a":1}"#],
    );
    check(r#"{"jsonrpc":"2.0","id":"1","result":null}"#, &["second null"]);
    check(r#"{"jsonrpc":"2.0","result":{},"id":1}"#, &["second {}"]);
    check(
        r#"{"id":1,"error":{"code":"E","message":"no"}}"#,
        &["second failed: no"],
    );
    check(
        r#"{"jsonrpc":"2.0","id":2,"result":1}"#,
        &["noise: an answer to 2, which waits for none"],
    );
    check(
        r#"{"jsonrpc":"2.0","id":"x","result":1}"#,
        &["noise: an answer to \"x\", which waits for none"],
    );
    check(
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"bad"}}"#,
        &["noise: an error without id: bad"],
    );
}

#[test]
fn a_second_answer_is_noise() {
    let (mut connection, _writer) = connection();
    connection.send_request(&write::prompt("s", Vec::new()), "turn");
    let line = br#"{"jsonrpc":"2.0","id":0,"result":{"stopReason":"cancelled"}}"#;
    assert!(matches!(
        connection.accept(line)[..],
        [Incoming::Reply {
            tag: "turn",
            outcome: Ok(_)
        }]
    ));
    assert!(matches!(
        connection.accept(line)[..],
        [Incoming::Noise(Noise::AnswerToNothing { .. })]
    ));
}

#[test]
fn what_waits_is_given_back_in_order() {
    let (mut connection, _writer) = connection();
    for tag in ["a", "b", "c"] {
        connection.send_request(&write::new_session(&start_in("/")), tag);
    }
    assert!(matches!(
        connection.accept(br#"{"id":1,"result":null}"#)[..],
        [Incoming::Reply { tag: "b", .. }]
    ));
    assert_eq!(connection.abandon().collect::<Vec<_>>(), ["a", "c"]);
    assert!(matches!(
        connection.accept(br#"{"id":0,"result":null}"#)[..],
        [Incoming::Noise(_)]
    ));
}

#[test]
fn requests_of_the_agent_are_known_unknown_or_unreadable() {
    check(
        r#"{"id":"3ca65f76-fb11","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}}"#,
        &[r#""3ca65f76-fb11" permission t"#],
    );
    check(
        r#"{"id":0,"method":"session/request_permission","params":{"sessionId":"s"}}"#,
        &["0 unreadable session/request_permission: toolCall: it is missing"],
    );
    check(
        r#"{"id":0,"method":"session/request_permission"}"#,
        &["0 unreadable session/request_permission: it is missing"],
    );
    check(
        r#"{"id":9,"method":"craft/drainMidTurnQueue","params":{}}"#,
        &["9 unknown craft/drainMidTurnQueue"],
    );
    check(
        r#"{"method":"_auth/status_update","params":{}}"#,
        &["noise: unknown notification _auth/status_update"],
    );
    check(
        r#"{"method":"$/cancel_request","params":{"requestId":"u-1"}}"#,
        &[r#""u-1" taken back"#],
    );
    check(
        r#"{"method":"$/cancel_request"}"#,
        &["noise: unknown notification $/cancel_request"],
    );
}

#[test]
fn an_update_sent_as_a_request_is_read_and_refused() {
    let line = |id: &str| {
        format!(
            r#"{{"id":{id},"method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"user_message_chunk"}}}}}}"#
        )
    };
    check(&line("null"), &["echo"]);
    check(&line("7"), &["echo", "7 unknown session/update"]);
}

#[test]
fn a_batch_and_broken_text_cost_nothing_else() {
    check(
        r#"[{"id":1,"result":1},{"id":0,"result":0},{"method":"m"}]"#,
        &["second 1", "first 0", "noise: unknown notification m"],
    );
    check(
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":0}\r",
        &["first 0"],
    );
    check(
        "Loaded cached credentials.",
        &["stray: Loaded cached credentials."],
    );
    check("  ", &[]);
}

/// Text goes a short road alone and the long one in a batch: what comes of it is the same.
#[test]
fn chunks_read_the_same_by_both_roads() {
    let chunk = |update: &str, around: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update",{around}"params":{{"sessionId":"s","update":{{{update}}}}}}}"#
        )
    };
    let said = r#""sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\n\u00e9"}"#;
    let thought =
        r#""content":{"text":"t","type":"text","annotations":null},"sessionUpdate":"agent_thought_chunk""#;
    let in_short_all = |line: &str| -> Vec<String> {
        let (mut connection, _writer) = connection();
        connection
            .accept(line.as_bytes())
            .into_iter()
            .map(in_short)
            .collect()
    };
    for (line, expected) in [
        (
            chunk(said, ""),
            r#"s Text { voice: Answer, message_id: None, text: "a\né" } []"#,
        ),
        (
            chunk(said, r#""id":null,"#),
            r#"s Text { voice: Answer, message_id: None, text: "a\né" } []"#,
        ),
        (
            chunk(&format!(r#"{thought},"messageId":"m""#), ""),
            r#"s Text { voice: Thought, message_id: Some("m"), text: "t" } []"#,
        ),
    ] {
        assert_eq!(in_short_all(&line), [expected], "{line}");
        assert_eq!(in_short_all(&format!("[{line}]")), [expected], "{line}");
    }
    let with_id = chunk(said, r#""id":4,"#);
    assert_eq!(
        in_short_all(&with_id).len(),
        2,
        "a request wants an answer, whatever it carries"
    );
    assert_eq!(in_short_all(&with_id), in_short_all(&format!("[{with_id}]")));
    let other_method = chunk(said, "").replace("session/update", "_session/update");
    assert_eq!(
        in_short_all(&other_method),
        ["noise: unknown notification _session/update"]
    );
}

#[test]
fn half_a_character_costs_that_character() {
    let (mut connection, _writer) = connection();
    let line = br#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\ud83d \xff \ud83d\ude00"}}}}"#;
    let mut line = line.to_vec();
    let bad = line.windows(4).position(|bytes| bytes == br"\xff").unwrap();
    line.splice(bad..bad + 4, [0xff]);
    let incoming = connection.accept(&line);
    let [
        Incoming::Update {
            update:
                Update::Text {
                    voice: Voice::Answer,
                    text,
                    ..
                },
            ..
        },
    ] = &incoming[..]
    else {
        panic!("{incoming:?}");
    };
    assert_eq!(text, "a\u{fffd} \u{fffd} \u{1f600}");
}

#[test]
fn messages_are_one_line_of_json_each() {
    let mut sent = Vec::new();
    let (lines, writer) = outgoing_lines(&mut sent);
    let mut connection = Connection::new(lines, Trace::new(Redactor::default(), || 0, 0));
    connection.send_request(
        &write::prompt("s", vec![write::PromptBlock::Text("two\nlines".into())]),
        "turn",
    );
    connection.notify(&write::cancel("s"));
    let requests = connection.accept(
        br#"[{"id":"u-1","method":"a"},{"id":1.5,"method":"b"},{"id":null,"method":"c"},{"id":18446744073709551615,"method":"d"}]"#,
    );
    for incoming in requests {
        let Incoming::Request {
            id,
            request: AgentRequest::Unknown { method },
        } = incoming
        else {
            panic!()
        };
        connection.refuse(&id, &Refusal::UnknownMethod { method });
        connection.reply(&id, &write::PermissionAnswer::Cancelled);
    }
    drop(connection);
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(writer.run())
        .unwrap();
    let sent = String::from_utf8(sent).unwrap();
    let sent: Vec<Value> = sent
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(sent.len(), 2 + 4 * 2);
    assert_eq!(
        sent[0],
        json!({"jsonrpc": "2.0", "id": 0, "method": "session/prompt", "params": {"sessionId": "s", "prompt": [
            {"type": "text", "text": "two\nlines"},
        ]}})
    );
    assert_eq!(
        sent[1],
        json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}})
    );
    assert_eq!(
        sent[2],
        json!({"jsonrpc": "2.0", "id": "u-1", "error": {"code": -32601, "message": "unknown method a"}})
    );
    assert_eq!(
        sent[3],
        json!({"jsonrpc": "2.0", "id": "u-1", "result": {"outcome": {"outcome": "cancelled"}}})
    );
    assert_eq!(sent[4]["id"], json!(1.5));
    assert_eq!(sent[6]["id"], Value::Null);
    assert_eq!(sent[8]["id"], json!(u64::MAX));
}

#[test]
fn the_trace_holds_both_directions_without_secrets() {
    let (mut connection, _writer) = connection();
    connection.send_request(&write::new_session(&start_in("/hunter22")), "first");
    connection.accept(b"a stray line");
    connection.accept(br#"{"id":0,"result":"hunter22"}"#);
    let trace: Vec<_> = connection
        .trace()
        .entries()
        .map(|entry| (entry.direction, entry.text.as_str()))
        .collect();
    assert_eq!(
        trace,
        [
            (
                TraceDirection::ToAgent,
                r#"{"jsonrpc":"2.0","id":0,"method":"session/new","params":{"cwd":"/***","mcpServers":[]}}"#
            ),
            (TraceDirection::FromAgent, r#"{"id":0,"result":"***"}"#),
        ]
    );
}

/// A line that is nearly a message: pieces of several, and bytes of any kind.
fn odd_line() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: [&str; 20] = [
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "\\ud800",
        "null",
        "0",
        "\u{1b}[2K",
        "\u{feff}",
        r#"{"jsonrpc":"2.0","id":0,"#,
        r#""result":{"sessionId":"s"}}"#,
        r#""error":{"code":"x"}}"#,
        r#"{"method":"session/update","params":{"sessionId":"s","update":"#,
        r#"{"sessionUpdate":"tool_call","toolCallId":"t","content":[{"type":"diff"}]}}}"#,
        r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"é"}}}}"#,
        r#""method":"session/request_permission","params":{"sessionId":1}}"#,
        " text ",
    ];
    let piece = prop_oneof![
        4 => proptest::sample::select(PIECES.as_slice()).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..5),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_line_is_taken(line in odd_line()) {
        let (mut connection, _writer) = connection();
        connection.send_request(&write::new_session(&start_in("/")), "first");
        let incoming = connection.accept(&line);
        let text = String::from_utf8_lossy(&line);
        let shows = repair::shows_something(&text);
        prop_assert!(!shows || !incoming.is_empty(), "{text} went unseen");
    }
}
