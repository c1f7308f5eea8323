//! What the socket refuses, and that it goes on afterwards.

use std::collections::BTreeSet;
use std::time::Instant;

use pupitre_protocol::event::SubscribeParams;
use pupitre_protocol::limits::{CONNECTIONS, REQUEST_BYTES};
use pupitre_protocol::method::system;
use pupitre_protocol::system::Empty;
use pupitre_protocol::{Event, Method as _};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};

use super::wire::{Wire, checked_frame, subscribed};
use crate::support::{Desk, PATIENCE};

fn ping(id: u64) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": system::Ping::NAME}).to_string()
}

/// Checks that the connection still answers.
#[track_caller]
fn check_goes_on(wire: &mut Wire) {
    wire.write_line(&ping(99));
    let reply = wire.reply();
    assert_eq!(reply["id"], 99, "{reply}");
    assert!(reply.get("result").is_some(), "{reply}");
}

/// Checks what a line is answered with, and that the connection goes on.
#[track_caller]
fn check(desk: &Desk, line: &[u8], code: i64, kind: &str, id: &Value) {
    let mut wire = Wire::open(desk);
    wire.write(line);
    wire.write(b"\n");
    let reply = wire.reply();
    assert_eq!(reply["error"]["code"], code, "{reply}");
    assert_eq!(reply["error"]["data"]["kind"], kind, "{reply}");
    assert_eq!(&reply["id"], id, "{reply}");
    check_goes_on(&mut wire);
}

#[test]
fn what_is_no_request_is_refused_and_the_connection_goes_on() {
    let desk = Desk::start();
    let too_long = json!({"jsonrpc": "2.0", "id": 1, "method": "chat.send",
        "params": {"agent": "demo", "text": "x".repeat(REQUEST_BYTES)}})
    .to_string();
    check(&desk, too_long.as_bytes(), -32600, "too_large", &Value::Null);
    let batch = format!("[{},{}]", ping(1), ping(2));
    check(&desk, batch.as_bytes(), -32600, "invalid_request", &Value::Null);
    check(&desk, b"{\"id\":1", -32700, "parse_error", &Value::Null);
    check(
        &desk,
        b"{\"id\":1,\"method\":\"\xff\"}",
        -32700,
        "parse_error",
        &Value::Null,
    );
    check(&desk, b"{\"id\":1}", -32600, "invalid_request", &Value::Null);
    let unknown = br#"{"jsonrpc":"2.0","id":"mine","method":"agent.dance"}"#;
    check(&desk, unknown, -32601, "unknown_method", &json!("mine"));
    let wrong = br#"{"jsonrpc":"2.0","id":7,"method":"chat.send","params":{"agent":"demo"}}"#;
    check(&desk, wrong, -32602, "invalid_params", &json!(7));
}

#[test]
fn the_longest_request_is_taken() {
    let desk = Desk::start();
    let mut wire = Wire::open(&desk);
    let empty = json!({"jsonrpc": "2.0", "id": 99, "method": system::Ping::NAME, "padding": ""}).to_string();
    let padding = "x".repeat(REQUEST_BYTES - empty.len());
    let longest = empty.replace(r#""padding":"""#, &format!(r#""padding":"{padding}""#));
    assert_eq!(longest.len(), REQUEST_BYTES);
    wire.write_line(&longest);
    let reply = wire.reply();
    assert!(reply.get("result").is_some(), "{reply}");
}

#[test]
fn a_notification_is_executed_and_not_answered() {
    let desk = Desk::start();
    let mut events = desk.events();
    let mut wire = Wire::open(&desk);
    let params = json!({"agent": "demo", "text": "hello"});
    wire.write_line(&json!({"jsonrpc": "2.0", "method": "chat.send", "params": params}).to_string());
    wire.write_line(&json!({"jsonrpc": "2.0", "method": "agent.dance"}).to_string());
    let turn = events.wait_for("the message is there", |frame| match &frame.event {
        Event::MessageUpdated(updated) => Some(updated.message.id),
        _ => None,
    });
    events.wait_for_end_of_turn(turn);
    // Had they been answered, the answers would come first.
    check_goes_on(&mut wire);
}

#[test]
fn pipelined_requests_are_all_answered() {
    const REQUESTS: u64 = 500;
    let desk = Desk::start();
    let mut wire = Wire::open(&desk);
    let methods = [
        system::Ping::NAME,
        "agent.list",
        "chat.permissions",
        "agent.dance",
    ];
    let lines: String = (0..REQUESTS)
        .zip(methods.iter().cycle())
        .map(|(id, method)| {
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}}).to_string() + "\n"
        })
        .collect();
    wire.write(lines.as_bytes());
    let answered: BTreeSet<u64> = (0..REQUESTS)
        .map(|_| {
            let reply = wire.reply();
            let id = reply["id"].as_u64().expect("a number");
            assert_eq!(reply.get("error").is_some(), id % 4 == 3, "{reply}");
            id
        })
        .collect();
    assert_eq!(answered, (0..REQUESTS).collect());
}

/// The test holds as many connections as the daemon takes.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised).expect("a process may use what it is allowed");
}

#[test]
fn a_thousand_connections_and_no_more_and_streams_take_no_room() {
    const STREAMS: usize = 20;
    raise_file_limit();
    let desk = Desk::start();
    let mut streams: Vec<Wire> = (0..STREAMS)
        .map(|_| {
            let mut stream = subscribed(&desk, &SubscribeParams::default());
            checked_frame(&stream.line().expect("subscribed"));
            stream
        })
        .collect();
    let mut calls: Vec<Wire> = (0..CONNECTIONS)
        .map(|number| {
            let mut wire = Wire::open(&desk);
            wire.write_line(&ping(99));
            let reply = wire.reply();
            assert!(reply.get("result").is_some(), "connection {number}: {reply}");
            wire
        })
        .collect();
    let mut one_too_many = Wire::open(&desk);
    let refusal = one_too_many.reply();
    assert_eq!(refusal["error"]["code"], -32000, "{refusal}");
    assert_eq!(
        refusal["error"]["data"]["kind"], "too_many_connections",
        "{refusal}"
    );
    assert!(refusal["error"]["data"]["retry_after_ms"].is_u64(), "{refusal}");
    let message = refusal["error"]["message"].as_str().expect("a sentence");
    assert!(message.contains("1000 connections are open"), "{message}");
    assert_eq!(one_too_many.line(), None, "and it is closed");

    // Those that are open go on: one of them makes something happen, and the streams tell it.
    let params = json!({"agent": "demo", "text": "hello"});
    calls[0]
        .write_line(&json!({"jsonrpc": "2.0", "id": 5, "method": "chat.send", "params": params}).to_string());
    assert_eq!(calls[0].reply()["id"], 5);
    for stream in &mut streams {
        while !matches!(
            checked_frame(&stream.line().expect("it is open")).event,
            Event::MessageUpdated(_)
        ) {}
    }

    // Who leaves makes room.
    calls.pop();
    let deadline = Instant::now() + PATIENCE;
    let mut newcomer = loop {
        let mut wire = Wire::open(&desk);
        wire.write_line(&ping(99));
        if wire.reply().get("result").is_some() {
            break wire;
        }
        assert!(
            Instant::now() < deadline,
            "the room of a connection that was closed stays taken"
        );
    };
    newcomer.call::<system::Ping>(&Empty {});
}
