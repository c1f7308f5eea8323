//! `pupitre chat`: send, show, permissions, answer, cancel, withdraw, new, history, open, part.

use pupitre_protocol::ErrorKind;
use pupitre_protocol::conversation::{AnswerPermissionParams, MessageParams, Role, StopReason, ToolStatus};
use pupitre_protocol::method::chat;
use serde_json::json;

use crate::support::{Desk, text_of};

#[test]
fn send_prints_the_id_and_show_shows_the_conversation() {
    let desk = Desk::start();
    let mut events = desk.events();
    let output = desk.run(&["chat", "send", "demo", "hello"]);
    let id = output.expect_code(0).stdout.trim().to_owned();
    let ended = events.wait_for_end_of_turn(id.parse().unwrap());
    assert_eq!(ended.stop_reason, Some(StopReason::EndTurn));
    desk.run(&["chat", "show", "demo"])
        .expect_code(0)
        .expect_stdout(&id)
        .expect_stdout("hello")
        .expect_stdout("I am the **demo agent**");
    let view = desk
        .run(&["chat", "show", "demo", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(view["messages"][0]["id"], json!(id));
    assert_eq!(view["messages"][1]["turn"], json!(id));
    assert_eq!(view["total"], json!(2));
    let last = desk
        .run(&["chat", "show", "demo", "--limit", "1", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(last["messages"].as_array().unwrap().len(), 1);
    assert_eq!(last["messages"][0]["role"], json!("agent"));
    let before = desk.run(&[
        "chat",
        "show",
        "demo",
        "--before",
        last["messages"][0]["id"].as_str().unwrap(),
        "--json",
    ]);
    assert_eq!(before.expect_code(0).json()["messages"][0]["id"], json!(id));
}

#[test]
fn send_takes_stdin_and_files() {
    let desk = Desk::start();
    let file = desk.path("work/notes.txt");
    std::fs::write(&file, "some notes").unwrap();
    let mut events = desk.events();
    let output = desk.run_with_input(
        &["chat", "send", "demo", "-", "--attach", "notes.txt"],
        b"look at this",
    );
    let id = output.expect_code(0).stdout.trim().parse().unwrap();
    let ended = events.wait_for_end_of_turn(id);
    let answer = text_of(&ended.message);
    assert!(answer.contains("notes.txt"), "{answer}");
    desk.run(&["chat", "send", "demo", "hello", "--attach", "not-there.txt"])
        .expect_code(1)
        .expect_stderr("not-there.txt");
}

#[test]
fn permission_requests_wait_and_are_answered_once() {
    let desk = Desk::start();
    let mut events = desk.events();
    let sent = desk.send("demo", "edit");
    let permission = events.wait_for_permission();
    let id = permission.id.to_string();
    desk.run(&["chat", "permissions"])
        .expect_code(0)
        .expect_stdout(&id)
        .expect_stdout("allow-once");
    let list = desk
        .run(&["chat", "permissions", "demo", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(list["permissions"][0]["id"], json!(id));
    assert_eq!(
        list["permissions"][0]["options"][0]["optionId"],
        json!("allow-once")
    );
    // What it does not offer changes nothing.
    desk.run(&["chat", "answer", &id, "allow-forever"])
        .expect_code(1)
        .expect_stderr("allow-once");
    desk.run(&["chat", "answer", &id, "allow-once"]).expect_code(0);
    let ended = events.wait_for_end_of_turn(sent.message_id);
    assert_eq!(ended.stop_reason, Some(StopReason::EndTurn));
    desk.run(&["chat", "answer", &id, "allow-once"])
        .expect_code(1)
        .expect_stderr("answered or cancelled before");
    let (kind, _) = desk.call_refused::<chat::AnswerPermission>(AnswerPermissionParams {
        id: permission.id,
        option_id: Some("reject-once".to_owned()),
    });
    assert_eq!(kind, ErrorKind::AlreadyAnswered);
    let nothing = desk.run(&["chat", "permissions", "--json"]).expect_code(0).json();
    assert_eq!(nothing["permissions"], json!([]));
    desk.run(&["chat", "answer", "01933a8c-0d2f-7c1e-9b1a-5f0e2d3c4b5a", "yes"])
        .expect_code(3);
}

#[test]
fn a_request_may_be_dismissed() {
    let desk = Desk::start();
    let mut events = desk.events();
    let sent = desk.send("demo", "run");
    let permission = events.wait_for_permission();
    desk.run(&["chat", "answer", &permission.id.to_string(), "--dismiss"])
        .expect_code(0);
    let ended = events.wait_for_end_of_turn(sent.message_id);
    assert!(
        text_of(&ended.message).contains("Nobody answered"),
        "{:#?}",
        ended.message
    );
}

#[test]
fn cancel_answers_what_was_asked_and_drops_what_waits() {
    let desk = Desk::start();
    let mut events = desk.events();
    let sent = desk.send("demo", "edit");
    let permission = events.wait_for_permission();
    let waiting = desk.send("demo", "hello");
    desk.run(&["chat", "cancel", "demo"])
        .expect_code(0)
        .expect_stdout("the turn was cancelled, 1 waiting message was dropped");
    let dropped = events.wait_for_end_of_turn(waiting.message_id);
    assert_eq!(dropped.error.as_deref(), Some("cancelled"));
    let ended = match desk.conversation("demo").messages.into_iter().find(|message| {
        message.role == Role::Agent && message.turn == Some(sent.message_id) && message.stop_reason.is_some()
    }) {
        Some(message) => message,
        None => events.wait_for_end_of_turn(sent.message_id).message,
    };
    assert_eq!(ended.stop_reason, Some(StopReason::Cancelled));
    let tools = ended.parts.iter().filter_map(|part| match part {
        pupitre_protocol::conversation::Part::Tool { tool } => Some((tool.status, tool.cancelled)),
        _ => None,
    });
    assert_eq!(tools.collect::<Vec<_>>(), [(ToolStatus::Failed, true)]);
    let (kind, _) = desk.call_refused::<chat::AnswerPermission>(AnswerPermissionParams {
        id: permission.id,
        option_id: Some("allow-once".to_owned()),
    });
    assert_eq!(kind, ErrorKind::AlreadyAnswered);
    desk.run(&["chat", "cancel", "demo"])
        .expect_code(0)
        .expect_stdout("there was nothing to cancel");
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
}

#[test]
fn a_message_that_waits_can_be_taken_back_once() {
    let desk = Desk::start();
    let mut events = desk.events();
    desk.send("demo", "wait");
    events.wait_for_text("I am waiting");
    let waiting = desk.send("demo", "hello");
    let id = waiting.message_id.to_string();
    desk.run(&["chat", "withdraw", &id]).expect_code(0);
    desk.run(&["chat", "withdraw", &id])
        .expect_code(1)
        .expect_stderr("not queued");
    desk.run(&["chat", "withdraw", "01933a8c-0d2f-7c1e-9b1a-5f0e2d3c4b5a"])
        .expect_code(3)
        .expect_stderr("there is no message 01933a8c");
    let (kind, _) = desk.call_refused::<chat::Withdraw>(MessageParams {
        message_id: waiting.message_id,
    });
    assert_eq!(kind, ErrorKind::NotQueued);
    assert_eq!(desk.conversation("demo").queued, 0);
    desk.run(&["chat", "cancel", "demo"]).expect_code(0);
}

#[test]
fn earlier_conversations_are_listed_and_opened_again() {
    let desk = Desk::start();
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    let first = desk.conversation("demo").conversation.to_string();
    let output = desk.run(&["chat", "new", "demo"]);
    let second = output.expect_code(0).stdout.trim().to_owned();
    assert_ne!(first, second);
    desk.run(&["ask", "demo", "markdown"]).expect_code(0);
    let history = desk
        .run(&["chat", "history", "demo", "--json"])
        .expect_code(0)
        .json();
    let list: Vec<(&str, bool, u64)> = history["conversations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|summary| {
            (
                summary["id"].as_str().unwrap(),
                summary["current"].as_bool().unwrap(),
                summary["messages"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(list, [(second.as_str(), true, 2), (first.as_str(), false, 2)]);
    desk.run(&["chat", "history"])
        .expect_code(0)
        .expect_stdout(&first)
        .expect_stdout(&second);
    let shown = desk
        .run(&["chat", "show", "demo", "--conversation", &first, "--json"])
        .expect_code(0)
        .json();
    assert_eq!(shown["read_only"], json!(true));
    assert_eq!(shown["messages"][0]["parts"][0]["text"], json!("hello"));
    desk.run(&["chat", "open", &first]).expect_code(0);
    let view = desk.conversation("demo");
    assert_eq!((view.conversation.to_string(), view.total), (first, 2));
    // The agent takes its session up again, and remembers.
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    let view = desk.conversation("demo");
    assert_eq!(view.total, 4, "{:#?}", view.messages);
    desk.run(&["chat", "open", "01933a8c-0d2f-7c1e-9b1a-5f0e2d3c4b5a"])
        .expect_code(3);
}

#[test]
fn a_turn_keeps_its_conversation() {
    let desk = Desk::start();
    let mut events = desk.events();
    desk.send("demo", "wait");
    events.wait_for_text("I am waiting");
    desk.run(&["chat", "new", "demo"])
        .expect_code(1)
        .expect_stderr("is answering");
    desk.run(&["chat", "cancel", "demo"]).expect_code(0);
}

#[test]
fn conversations_outlive_the_daemon() {
    let mut desk = Desk::start();
    desk.run(&["ask", "demo", "think plan edit", "--allow"])
        .expect_code(0);
    let before = desk.conversation("demo");
    desk.stop_daemon();
    desk.start_daemon();
    let after = desk.conversation("demo");
    assert_eq!(after.messages, before.messages);
    assert_eq!(after.conversation, before.conversation);
    // The demo agent of another process knows nothing of its session.
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    let view = desk.conversation("demo");
    let system: Vec<_> = view.messages.iter().filter_map(|message| message.code).collect();
    assert_eq!(
        system,
        [pupitre_protocol::conversation::SystemCode::AgentRestarted]
    );
}

#[test]
fn the_whole_of_a_cut_part_can_be_read() {
    let desk = Desk::start();
    desk.run(&["ask", "demo", "run 20000", "--allow"]).expect_code(0);
    let view = desk.conversation("demo");
    let message = view.messages.last().unwrap();
    let index = message
        .parts
        .iter()
        .position(
            |part| matches!(part, pupitre_protocol::conversation::Part::Tool { tool } if tool.truncated),
        )
        .expect("a cut tool call");
    let (id, index) = (message.id.to_string(), index.to_string());
    desk.run(&["chat", "show", "demo"])
        .expect_code(0)
        .expect_stdout(&format!("pupitre chat part {id} {index}"));
    let whole = desk
        .run(&["chat", "part", &id, &index, "--json"])
        .expect_code(0)
        .json();
    let output = whole["tool"]["output"].as_str().unwrap();
    assert!(
        output.lines().count() >= 20_000,
        "{} lines",
        output.lines().count()
    );
    desk.run(&["chat", "part", &id, &index]).expect_code(0);
}
