//! `pupitre chat search`, `chat delete` and `chat export`: kept conversations.

use pupitre_protocol::conversation::{DeleteParams, HistoryParams, OpenParams};
use pupitre_protocol::method::chat;
use pupitre_protocol::{ErrorKind, Event};
use serde_json::json;

use crate::support::{Desk, files_below};

const UNKNOWN: &str = "01933a8c-0d2f-7c1e-9b1a-5f0e2d3c4b5a";

fn is_in_a_file(desk: &Desk, word: &str) -> bool {
    files_below(&desk.path("state"))
        .iter()
        .filter(|file| file.to_string_lossy().contains("history.db"))
        .any(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap()).contains(word))
}

#[test]
fn what_was_said_is_found_exported_and_deleted() {
    let desk = Desk::start();
    desk.run(&["ask", "demo", "hello Wombat, in the first"])
        .expect_code(0);
    let first = desk.conversation("demo").conversation.to_string();
    desk.run(&["chat", "new", "demo"]).expect_code(0);
    desk.run(&["ask", "demo", "hello, the wömbats of the second"])
        .expect_code(0);
    let second = desk.conversation("demo").conversation.to_string();

    desk.run(&["chat", "search", "wombat"])
        .expect_code(0)
        .expect_stdout(&first)
        .expect_stdout("hello Wombat, in the first")
        .expect_stdout(&second)
        .expect_stdout("wömbats");
    let found = desk
        .run(&["chat", "search", "--json", "wombat", "first"])
        .expect_code(0)
        .json();
    let matches = found["matches"].as_array().unwrap();
    assert!(!matches.is_empty(), "{found}");
    assert!(
        matches.iter().all(|found| found["conversation"] == json!(first)),
        "{found}"
    );
    assert_eq!(found["matches"][0]["current"], json!(false));
    let nothing = desk
        .run(&["chat", "search", "quokka", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(nothing, json!({"matches": [], "truncated": false}));
    desk.run(&["chat", "search", "wombat", "--limit", "1"])
        .expect_code(0)
        .expect_stderr("there are more");
    desk.run(&["chat", "search", "--agent", "nobody", "wombat"])
        .expect_code(3);
    for wrong in [&["chat", "search"][..], &["chat", "search", "--", "--"]] {
        desk.run(wrong).expect_code(2);
    }

    let markdown = desk
        .run(&["chat", "export", &first])
        .expect_code(0)
        .stdout
        .clone();
    assert!(markdown.starts_with("# "), "{markdown}");
    for part in [
        "* Agent: demo",
        "## You, ",
        "hello Wombat",
        "## demo, ",
        "I am the **demo agent**",
    ] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    // The current one by its agent's name.
    let document = desk
        .run(&["chat", "export", "demo", "--json"])
        .expect_code(0)
        .json();
    assert_eq!(document["conversation"]["id"], json!(second));
    assert_eq!(
        document["messages"][0]["parts"][0]["text"],
        json!("hello, the wömbats of the second")
    );
    desk.run(&["chat", "export", UNKNOWN]).expect_code(3);
    desk.run(&["chat", "export", "nobody"]).expect_code(3);

    let mut events = desk.events();
    assert!(is_in_a_file(&desk, "Wombat"));
    desk.run(&["chat", "delete", &first])
        .expect_code(0)
        .expect_stdout("the conversation was deleted");
    events.wait_until("the conversation is gone", |frame| {
        matches!(&frame.event, Event::ConversationDeleted(deleted) if deleted.conversation.to_string() == first)
    });
    assert!(!is_in_a_file(&desk, "Wombat"));
    let (kind, _) = desk.call_refused::<chat::Open>(OpenParams {
        id: first.parse().unwrap(),
    });
    assert_eq!(kind, ErrorKind::NotFound);
    desk.run(&["chat", "delete", &first]).expect_code(3);
    desk.run(&["chat", "delete", "this-one"]).expect_code(2);
    let history = desk.call::<chat::History>(HistoryParams { agent: None });
    let ids: Vec<String> = history
        .conversations
        .iter()
        .map(|conversation| conversation.id.to_string())
        .collect();
    assert_eq!(ids, [second]);
}

#[test]
fn the_current_conversation_is_deleted_when_its_agent_rests_and_makes_place() {
    let mut desk = Desk::start();
    let mut events = desk.events();
    let turn = desk.send("demo", "edit").message_id;
    events.wait_for_permission();
    let id = desk.conversation("demo").conversation;
    let (kind, _) = desk.call_refused::<chat::Delete>(DeleteParams { id });
    assert_eq!(kind, ErrorKind::TurnRunning);
    desk.run(&["chat", "delete", &id.to_string()])
        .expect_code(1)
        .expect_stderr("`pupitre chat cancel NAME`");
    desk.run(&["chat", "cancel", "demo"]).expect_code(0);
    events.wait_for_end_of_turn(turn);
    events.wait_until(
        "the agent is free",
        |frame| matches!(&frame.event, Event::TurnChanged(changed) if !changed.busy),
    );

    desk.run(&["chat", "delete", &id.to_string()]).expect_code(0);
    let now = events.wait_for("another one is the current one", |frame| match &frame.event {
        Event::ConversationChanged(changed) => Some(changed.conversation),
        _ => None,
    });
    assert_ne!(now, id);
    let view = desk.conversation("demo");
    assert_eq!((view.conversation, view.messages.len()), (now, 0));
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    // It does not come back with the next daemon.
    desk.stop_daemon();
    desk.start_daemon();
    assert_eq!(desk.conversation("demo").conversation, now);
    desk.run(&["chat", "delete", &id.to_string()]).expect_code(3);
}
