//! `pupitre ask`: the answer, permissions, Ctrl-C, stdin, new conversations, the object of `--json`.

use pupitre_protocol::conversation::{CancelParams, Message, Part, Role, StopReason, ToolCall, ToolStatus};
use pupitre_protocol::method::chat;
use serde_json::json;

use crate::support::{Desk, agent_name, text_of, utf8};

/// What the demo agent says before it waits to be cancelled.
const WAITING: &str = "I am waiting until you cancel.";

#[test]
fn it_prints_the_answer_and_ends_well() {
    let desk = Desk::start();
    let output = desk.run(&["ask", "demo", "hello"]);
    output.expect_code(0).expect_stdout("I am the **demo agent**");
    let view = desk.conversation("demo");
    let answer = view.messages.last().unwrap();
    assert_eq!(
        (answer.role, answer.stop_reason),
        (Role::Agent, Some(StopReason::EndTurn))
    );
    assert_eq!(
        output.stdout.trim_end(),
        text_of(answer).trim_end(),
        "all of it, and nothing else"
    );
}

#[test]
fn it_prints_while_the_agent_is_still_talking() {
    let desk = Desk::start();
    let ask = desk.spawn(&["ask", "demo", "wait"]);
    ask.wait_for_stdout(WAITING);
    assert!(desk.conversation("demo").busy);
    ask.interrupt();
    ask.finish().expect_code(130);
}

#[test]
fn what_is_no_agent_is_told_with_what_there_is() {
    let desk = Desk::start();
    for name in ["nobody", "Nobody At All", "42"] {
        desk.run(&["ask", name, "x"])
            .expect_code(3)
            .expect_stderr(name)
            .expect_stderr("demo");
    }
    for verb in [
        &["chat", "show", "nobody"][..],
        &["chat", "send", "nobody", "x"],
        &["chat", "new", "nobody"],
        &["agents", "start", "nobody"],
        &["agents", "stop", "nobody"],
        &["agents", "logs", "nobody"],
        &["agents", "trace", "nobody"],
    ] {
        desk.run(verb).expect_code(3).expect_stderr("demo");
    }
}

#[test]
fn an_empty_text_is_refused() {
    let desk = Desk::start();
    desk.run(&["ask", "demo", ""]).expect_code(1);
    assert_eq!(desk.conversation("demo").total, 0);
}

/// The only tool call of the last message.
fn last_tool(desk: &Desk) -> ToolCall {
    let view = desk.conversation("demo");
    let message: &Message = view.messages.last().unwrap();
    let tools: Vec<&ToolCall> = message
        .parts
        .iter()
        .filter_map(|part| {
            if let Part::Tool { tool } = part {
                Some(tool)
            } else {
                None
            }
        })
        .collect();
    let [tool] = tools[..] else {
        panic!("one tool call: {message:#?}")
    };
    tool.clone()
}

#[test]
fn permissions_are_answered_as_the_flags_say() {
    let desk = Desk::start();
    // The first option that allows once, so that the agent asks again the next time.
    for _ in 0..2 {
        desk.run(&["ask", "demo", "edit", "--allow"])
            .expect_code(0)
            .expect_stderr("allowed (--allow)");
        assert_eq!(last_tool(&desk).status, ToolStatus::Completed);
    }
    desk.run(&["ask", "demo", "edit", "--deny"])
        .expect_code(0)
        .expect_stdout("You said no")
        .expect_stderr("rejected (--deny)");
    assert_eq!(last_tool(&desk).status, ToolStatus::Failed);
    desk.run(&["ask", "demo", "edit"])
        .expect_code(0)
        .expect_stdout("Nobody answered")
        .expect_stderr("answered without choosing")
        .expect_stderr("--allow or --deny");
    assert_eq!(last_tool(&desk).status, ToolStatus::Failed);
}

#[test]
fn a_turn_that_does_not_end_well_is_an_error() {
    let desk = Desk::start();
    desk.run(&["ask", "demo", "max"])
        .expect_code(1)
        .expect_stderr("max_tokens");
    desk.run(&["ask", "demo", "refuse"])
        .expect_code(1)
        .expect_stderr("refusal");
    desk.run(&["ask", "demo", "fail"])
        .expect_code(1)
        .expect_stderr("the demo agent was asked to fail, and it did");
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
}

#[test]
fn json_is_one_object_at_the_end() {
    let desk = Desk::start();
    let output = desk.run(&["ask", "demo", "usage", "--json"]);
    let object = output.expect_code(0).json();
    let keys: Vec<&String> = object.as_object().unwrap().keys().collect();
    let mut expected = ["message_id", "stop_reason", "error", "text", "usage"];
    expected.sort_unstable();
    let mut keys: Vec<&str> = keys.into_iter().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(object["stop_reason"], json!("end_turn"));
    assert_eq!(object["error"], json!(null));
    assert!(
        object["text"]
            .as_str()
            .unwrap()
            .contains("I have reported my usage"),
        "{object}"
    );
    assert!(object["usage"]["used"].as_u64().unwrap() > 0, "{object}");
    let id = desk.conversation("demo").messages[0].id.to_string();
    assert_eq!(object["message_id"], json!(id));

    let failed = desk.run(&["ask", "demo", "fail", "--json"]);
    let object = failed.expect_code(1).json();
    assert_eq!(object["stop_reason"], json!(null));
    assert!(
        object["error"].as_str().unwrap().contains("asked to fail"),
        "{object}"
    );
}

#[test]
fn ctrl_c_cancels_this_turn_and_nobody_elses() {
    let desk = Desk::start();
    let mut events = desk.events();
    let ask = desk.spawn(&["ask", "demo", "wait"]);
    ask.wait_for_stdout(WAITING);
    let others = desk.send("demo", "hello");
    assert!(others.queued);
    ask.interrupt();
    ask.finish().expect_code(130);
    // The other's message is not dropped: it gets its turn.
    let ended = events.wait_for_end_of_turn(others.message_id);
    assert_eq!(ended.stop_reason, Some(StopReason::EndTurn));
    let view = desk.conversation("demo");
    let cancelled = &view
        .messages
        .iter()
        .find(|message| message.role == Role::Agent)
        .unwrap();
    assert_eq!(cancelled.stop_reason, Some(StopReason::Cancelled));
}

#[test]
fn ctrl_c_takes_back_a_message_that_waits_and_no_other() {
    let desk = Desk::start();
    let mut events = desk.events();
    let first = desk.send("demo", "wait");
    events.wait_for_text(WAITING);
    let ask = desk.spawn(&["ask", "demo", "markdown"]);
    events.wait_for_queue("demo", 1);
    let others = desk.send("demo", "hello");
    ask.interrupt();
    ask.finish().expect_code(130);
    let view = desk.conversation("demo");
    assert!(view.busy, "the turn that ran goes on");
    assert_eq!(view.queued, 1, "the other's message still waits");
    let taken_back = view
        .messages
        .iter()
        .find(|message| text_of(message) == "markdown")
        .unwrap();
    assert!(
        !taken_back.queued && taken_back.error.is_some(),
        "{taken_back:#?}"
    );
    desk.call::<chat::Cancel>(CancelParams {
        agent: agent_name("demo"),
        message_id: Some(first.message_id),
    });
    assert_eq!(
        events.wait_for_end_of_turn(first.message_id).stop_reason,
        Some(StopReason::Cancelled)
    );
    assert_eq!(
        events.wait_for_end_of_turn(others.message_id).stop_reason,
        Some(StopReason::EndTurn)
    );
}

#[test]
fn a_message_that_stop_dropped_ends_the_one_who_asked() {
    let desk = Desk::start();
    let mut events = desk.events();
    desk.send("demo", "wait");
    events.wait_for_text(WAITING);
    let ask = desk.spawn(&["ask", "demo", "hello"]);
    events.wait_for_queue("demo", 1);
    desk.run(&["chat", "cancel", "demo"])
        .expect_code(0)
        .expect_stdout("1 waiting message was dropped");
    ask.finish().expect_code(1).expect_stderr("cancelled");
}

#[test]
fn a_text_may_come_from_stdin() {
    let desk = Desk::start();
    let text = "Bonjour à tous,\n\n  deux lignes.\n";
    desk.run_with_input(&["ask", "demo", "-"], text.as_bytes())
        .expect_code(0);
    assert_eq!(text_of(&desk.conversation("demo").messages[0]), text);
    desk.run_with_input(&["ask", "demo", "-"], b"\xff\xfe")
        .expect_code(1)
        .expect_stderr("UTF-8");
}

#[test]
fn a_new_conversation_begins_when_it_is_asked_for_or_works_elsewhere() {
    let desk = Desk::start();
    let current = || desk.conversation("demo");
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    let first = current();
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    assert_eq!(current().conversation, first.conversation);
    assert_eq!(current().total, 4);
    desk.run(&["ask", "demo", "hello", "--new"]).expect_code(0);
    let second = current();
    assert_ne!(second.conversation, first.conversation);
    assert_eq!((second.total, &second.cwd), (2, &first.cwd));

    let folder = desk.path("elsewhere");
    std::fs::create_dir(&folder).unwrap();
    let folder = folder.canonicalize().unwrap();
    desk.run(&["ask", "demo", "hello", "--cwd", utf8(&folder)])
        .expect_code(0);
    let third = current();
    assert_ne!(third.conversation, second.conversation);
    assert_eq!(third.cwd, utf8(&folder));
    // The same folder by another name goes on with it.
    desk.run(&["ask", "demo", "hello", "--cwd", "../elsewhere"])
        .expect_code(0);
    assert_eq!((current().conversation, current().total), (third.conversation, 4));
    desk.run(&["ask", "demo", "hello", "--cwd", "nowhere"])
        .expect_code(1)
        .expect_stderr("nowhere");
    assert_eq!(current().total, 4);
}

#[test]
fn escape_sequences_of_an_agent_do_no_harm() {
    let desk = Desk::start();
    let output = desk.run_with_input(&["ask", "demo", "-"], b"echo \x1b]0;owned\x07 and \x1b[2J this");
    output.expect_code(0).expect_stdout("this");
    assert!(!output.stdout.contains('\u{1b}'), "{output:#?}");
    let shown = desk.run(&["chat", "show", "demo"]);
    assert!(!shown.expect_code(0).stdout.contains('\u{1b}'), "{shown:#?}");
}
