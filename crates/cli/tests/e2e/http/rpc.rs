//! The WebSocket beside the socket: the same answers, and the same events.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;

use pupitre_protocol::event::SubscribeParams;
use pupitre_protocol::limits::{REQUEST_BYTES, WEB_SOCKET_BYTES};
use pupitre_protocol::method::{events, system};
use pupitre_protocol::system::Empty;
use serde_json::{Value, json};

use super::browser::{Browser, Socket};
use crate::support::{Desk, PATIENCE};

/// The socket, as a program without our library uses it.
struct PlainSocket(BufReader<UnixStream>);

impl PlainSocket {
    fn open(desk: &Desk) -> Self {
        let stream = UnixStream::connect(desk.socket()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(BufReader::new(stream))
    }

    fn send(&mut self, text: &str) {
        self.0
            .get_mut()
            .write_all(format!("{text}\n").as_bytes())
            .unwrap();
    }

    fn message(&mut self) -> Value {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }
}

/// Requests of every kind, right and wrong.
fn requests() -> Vec<String> {
    let mut requests: Vec<String> = [
        r#"{"jsonrpc":"2.0","id":1,"method":"system.identify"}"#,
        r#"{"jsonrpc":"2.0","id":"two","method":"agent.list","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"agent.list","params":null}"#,
        r#"{"id":3,"method":"chat.permissions"}"#,
        r#"{"id":4,"method":"chat.conversation","params":{"agent":"demo"}}"#,
        r#"{"id":5,"method":"chat.conversation","params":{"agent":"nobody"}}"#,
        r#"{"id":6,"method":"chat.conversation","params":{"agent":"Not A Name"}}"#,
        r#"{"id":7,"method":"chat.conversation","params":[]}"#,
        r#"{"id":8,"method":"chat.send","params":{"agent":"demo","text":""}}"#,
        r#"{"id":9,"method":"no.such_method"}"#,
        r#"{"id":10,"method":"events.unsubscribe"}"#,
        r#"{"id":11,"method":"events.subscribe","params":{"since":"nonsense"}}"#,
        r#"{"id":12,"method":"agent.stop","params":{"agent":"demo"}}"#,
        r#"{"id":13}"#,
        r#"[{"id":14,"method":"system.ping"}]"#,
        r#""text""#,
        "{",
        "no JSON",
    ]
    .map(str::to_owned)
    .to_vec();
    let text = "x".repeat(REQUEST_BYTES);
    requests.push(
        json!({ "id": 15, "method": "chat.send", "params": { "agent": "demo", "text": text } }).to_string(),
    );
    requests
}

#[test]
fn a_web_socket_answers_what_the_socket_answers() {
    let desk = Desk::start();
    let browser = Browser::inside(&desk);
    let (mut web, mut plain) = (browser.socket(), PlainSocket::open(&desk));
    for request in requests() {
        web.send(&request);
        plain.send(&request);
        let shown = &request[..request.len().min(100)];
        let (web, plain) = (web.message(), plain.message());
        assert_eq!(web, plain, "{shown}");
        assert!(
            web["result"].is_object() || web["error"]["data"]["kind"].is_string(),
            "{shown}: {web}"
        );
    }
    // A notification is executed and not answered, and neither is an empty message.
    web.send(r#"{"method":"chat.new","params":{"agent":"demo"}}"#);
    web.send("");
    web.call::<system::Ping>(&Empty {});
    web.send_binary(b"{}");
    assert_eq!(web.message()["error"]["data"]["kind"], "invalid_request");
    web.call::<system::Ping>(&Empty {});
}

#[test]
fn many_requests_are_answered_and_none_is_lost() {
    let desk = Desk::start();
    let mut web = Browser::inside(&desk).socket();
    let mut asked: Vec<u64> = (0..500)
        .map(|_| web.begin::<system::Identify>(&Empty {}))
        .collect();
    let mut answered: Vec<u64> = asked
        .iter()
        .map(|_| web.message()["id"].as_u64().unwrap())
        .collect();
    answered.sort_unstable();
    asked.sort_unstable();
    assert_eq!(answered, asked);
}

#[test]
fn a_message_over_the_hard_limit_closes_the_web_socket() {
    let desk = Desk::start();
    let browser = Browser::inside(&desk);
    let mut web = browser.socket();
    web.send(&"x".repeat(WEB_SOCKET_BYTES));
    assert_eq!(web.message()["error"]["data"]["kind"], "too_large");
    let last_word = web.send_too_much(&"x".repeat(WEB_SOCKET_BYTES + 1));
    assert!(matches!(last_word, None | Some(1008)), "{last_word:?}");
    browser.socket().call::<system::Ping>(&Empty {});
}

/// Reads frames up to the end of a turn.
fn frames_of_a_turn(mut next: impl FnMut() -> Value) -> Vec<Value> {
    let mut frames = Vec::new();
    loop {
        let frame = next();
        let is_end = frame["type"] == "turn:changed" && frame["busy"] == false;
        frames.push(frame);
        if is_end {
            return frames;
        }
    }
}

fn subscribe(web: &mut Socket, since: Option<&Value>) -> Vec<Value> {
    let params: SubscribeParams = match since {
        Some(frame) => {
            let cursor = format!("{}:{}", frame["epoch"].as_str().unwrap(), frame["seq"]);
            serde_json::from_value(json!({ "since": cursor })).unwrap()
        }
        None => SubscribeParams::default(),
    };
    let reply = web.call::<events::Subscribe>(&params);
    let first = web.frame();
    assert_eq!(
        (&first["type"], &first["cursor"]),
        (&json!("subscribed"), &json!(reply.cursor))
    );
    vec![first]
}

#[test]
fn a_web_socket_has_the_events_of_the_socket_and_resumes_at_each_of_them() {
    let desk = Desk::start();
    let browser = Browser::inside(&desk);
    let mut plain = PlainSocket::open(&desk);
    plain.send(r#"{"id":1,"method":"events.subscribe"}"#);
    assert_eq!(plain.message()["type"], "subscribed");
    let mut web = browser.socket();
    let first = subscribe(&mut web, None).remove(0);
    desk.send("demo", "hello");
    let expected = frames_of_a_turn(|| plain.message());
    assert!(expected.len() > 5, "{expected:#?}");
    assert_eq!(frames_of_a_turn(|| web.frame()), expected);
    // A page that was cut off after any frame gets the rest of them, each once.
    for known in 0..expected.len() - 1 {
        let last = known.checked_sub(1).map_or(&first, |last| &expected[last]);
        let mut again = browser.socket();
        subscribe(&mut again, Some(last));
        assert_eq!(
            frames_of_a_turn(|| again.frame()),
            expected[known..],
            "after {last}"
        );
    }
}

#[test]
fn a_cursor_of_another_daemon_is_told() {
    let mut desk = Desk::start();
    let browser = Browser::inside(&desk);
    let mut web = browser.socket();
    let first = subscribe(&mut web, None).remove(0);
    desk.kill_daemon();
    desk.start_daemon();
    let mut web = browser.socket();
    subscribe(&mut web, Some(&first));
    let resync = web.frame();
    assert_eq!(
        (&resync["type"], &resync["reason"]),
        (&json!("resync"), &json!("epoch_changed"))
    );
}

#[test]
fn a_subscription_is_replaced_by_the_next_and_ended_by_its_word() {
    let desk = Desk::start();
    let mut web = Browser::inside(&desk).socket();
    subscribe(&mut web, None);
    let params = serde_json::from_value(json!({ "types": ["turn:changed"] })).unwrap();
    web.call::<events::Subscribe>(&params);
    assert_eq!(web.frame()["type"], "subscribed");
    desk.send("demo", "hello");
    let frames = frames_of_a_turn(|| web.frame());
    assert_eq!(frames.len(), 2, "only those that were asked for: {frames:#?}");
    // Nothing comes after the answer.
    web.call::<events::Unsubscribe>(&Empty {});
    let mut events = desk.events();
    let sent = desk.send("demo", "hello again");
    events.wait_for_end_of_turn(sent.message_id);
    let id = web.begin::<system::Ping>(&Empty {});
    assert_eq!(web.message()["id"], json!(id), "no frame in between");
}
