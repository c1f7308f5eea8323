//! From what an agent says to messages and parts, rule by rule.

use pupitre_protocol::conversation::{Media, Part, PlanEntry, ToolKind, ToolStatus};
use pupitre_protocol::limits::{MESSAGE_BYTES, MESSAGE_PARTS};

use super::{Scene, check, told};
use crate::conversation::{Change, ToolPatch, TurnEnd, Update};

fn plan(contents: &[&str]) -> Update {
    let entry = |content: &&str| PlanEntry {
        content: (*content).to_owned(),
        priority: "medium".into(),
        status: "pending".into(),
    };
    Update::Plan(contents.iter().map(entry).collect())
}

#[test]
fn parts_keep_the_order_in_which_they_came() {
    let mut scene = Scene::in_turn();
    scene.think("hm");
    scene.say("one");
    scene.announce("t", "a tool");
    scene.say("two");
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | thought \"hm\" | \"one\" | tool t Pending | \"two\" | open",
        ],
    );
}

#[test]
fn chunks_of_one_kind_join() {
    let mut scene = Scene::in_turn();
    for chunk in ["a ", "", "b ", "c"] {
        scene.say(chunk);
    }
    scene.think("d ");
    scene.think("e");
    scene.say("f");
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"a b c\" | thought \"d e\" | \"f\" | open",
        ],
    );
}

#[test]
fn chunks_that_are_not_taken_between_are_one_event() {
    let mut scene = Scene::in_turn();
    scene.say("a ");
    scene.take();
    scene.say("b ");
    scene.say("c");
    let revisions = scene.take();
    let [revision] = &revisions[..] else {
        panic!("one revision: {revisions:?}");
    };
    assert!(matches!(&revision.change, Change::Appended { text, .. } if text == "b c"));
    assert_eq!(revision.rev, scene.conversation.rev());
}

#[test]
fn another_message_id_starts_another_message() {
    let mut scene = Scene::in_turn();
    scene.say("without, ");
    scene.say_in(Some("1"), "first, ");
    scene.say("still first");
    scene.say_in(Some("2"), "second");
    scene.end_well();
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"without, first, still first\"",
            "agent | \"second\" | EndTurn",
        ],
    );
}

#[test]
fn a_plan_is_replaced_in_its_place() {
    let mut scene = Scene::in_turn();
    scene.say("before");
    scene.update(plan(&["one"]));
    scene.say("after");
    scene.update(plan(&["one", "two"]));
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"before\" | plan of 2 | \"after\" | open",
        ],
    );
}

#[test]
fn a_tool_call_changes_in_its_place() {
    let mut scene = Scene::in_turn();
    scene.announce("t", "first");
    scene.say("text");
    scene.update(Update::Tool(ToolPatch {
        id: "t".into(),
        kind: Some(ToolKind::Execute),
        status: Some(ToolStatus::Completed),
        output: Some("done".into()),
        ..ToolPatch::default()
    }));
    let tool = scene.tool("t");
    assert_eq!((tool.title.as_str(), tool.kind), ("first", ToolKind::Execute));
    assert_eq!(tool.output.as_deref(), Some("done"));
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | tool t Completed | \"text\" | open",
        ],
    );
}

#[test]
fn an_update_of_an_unknown_tool_call_creates_it() {
    let mut scene = Scene::in_turn();
    scene.set_status("never announced", ToolStatus::InProgress);
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | tool never announced InProgress | open",
        ],
    );
}

#[test]
fn a_tool_id_of_an_earlier_turn_is_another_call() {
    let mut scene = Scene::in_turn();
    scene.announce("1", "in the first turn");
    scene.set_status("1", ToolStatus::Completed);
    scene.end_well();
    scene.send("again");
    scene.announce("1", "in the second turn");
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | tool 1 Completed | EndTurn",
            "user | \"again\"",
            "agent | tool 1 Pending | open",
        ],
    );
    // Within a turn it is the same call.
    scene.announce("1", "renamed");
    assert_eq!(scene.tool("1").title, "renamed");
    assert_eq!(scene.messages().len(), 4);
}

#[test]
fn a_request_about_a_tool_id_of_an_earlier_turn_is_about_another_call() {
    let mut scene = Scene::in_turn();
    scene.announce("1", "in the first turn");
    scene.set_status("1", ToolStatus::Completed);
    scene.end_well();
    scene.send("again");
    let id = scene.ask("1").expect("it can be asked");
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | tool 1 Completed | EndTurn",
            "user | \"again\"",
            "agent | tool 1 Pending | open",
        ],
    );
    let asked = scene.conversation.permission(id).map(|asked| asked.message_id);
    assert_eq!(asked, Some(scene.last().id));
}

#[test]
fn a_new_session_knows_no_tool_call_of_the_old_one() {
    let mut scene = Scene::in_turn();
    scene.announce("1", "of the old session");
    scene.conversation.session_began();
    scene.set_status("1", ToolStatus::Completed);
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | tool 1 Pending | tool 1 Completed | open",
        ],
    );
}

#[test]
fn what_comes_late_belongs_to_the_message_that_has_ended() {
    let mut scene = Scene::in_turn();
    scene.say("answer");
    scene.announce("t", "a tool");
    scene.end_well();
    scene.set_status("t", ToolStatus::Completed);
    scene.say(", and more");
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"answer\" | tool t Completed | \", and more\" | EndTurn",
        ],
    );
    // The next question has an answer of its own.
    scene.send("next");
    scene.say("another");
    assert_eq!(scene.messages().len(), 4);
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"answer\" | tool t Completed | \", and more\" | EndTurn",
            "user | \"next\"",
            "agent | \"another\" | open",
        ],
    );
}

#[test]
fn a_late_message_of_its_own_is_done_at_once() {
    let mut scene = Scene::in_turn();
    scene.say_in(Some("1"), "answer");
    scene.end_well();
    scene.say_in(Some("2"), "late");
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"answer\" | EndTurn",
            "agent | \"late\"",
        ],
    );
}

#[test]
fn a_greeting_is_a_message_of_its_own() {
    let mut scene = Scene::new();
    scene.say("Welcome, ");
    scene.say("friend.");
    scene.send("hello");
    scene.say("Yes?");
    check(
        &scene,
        &[
            "agent | \"Welcome, friend.\"",
            "user | \"hello\"",
            "agent | \"Yes?\" | open",
        ],
    );
    assert_eq!(scene.messages()[0].turn, None);
}

#[test]
fn what_is_said_before_the_prompt_is_given_answers_nothing() {
    let mut scene = Scene::in_turn();
    scene.say("answer");
    scene.end_well();
    // The agent was restarted for the next question, and greets.
    scene.send_later("next");
    scene.conversation.session_opens();
    scene.say("Welcome back.");
    scene.conversation.prompt_sent();
    scene.say("another");
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"answer\" | EndTurn",
            "user | \"next\"",
            "agent | \"Welcome back.\"",
            "agent | \"another\" | open",
        ],
    );
    assert_eq!(scene.messages()[3].turn, None);
}

#[test]
fn a_turn_that_ends_before_its_prompt_is_given_has_an_answer_of_its_own() {
    let mut scene = Scene::new();
    scene.send_later("a question");
    scene.conversation.session_opens();
    scene.say("Welcome.");
    scene.conversation.cancel();
    scene.end(TurnEnd::Failed(String::new()));
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"Welcome.\"",
            "agent | Cancelled",
        ],
    );
}

#[test]
fn what_comes_late_belongs_to_its_message_until_the_next_prompt_is_given() {
    let mut scene = Scene::in_turn();
    scene.say("answer");
    scene.end_well();
    scene.send_later("next");
    scene.say(", late");
    scene.conversation.prompt_sent();
    scene.say("another");
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"answer, late\" | EndTurn",
            "user | \"next\"",
            "agent | \"another\" | open",
        ],
    );
}

#[test]
fn a_plan_stays_where_it_stands_in_its_turn() {
    let mut scene = Scene::in_turn();
    scene.say_in(Some("1"), "first");
    scene.update(plan(&["a", "b"]));
    scene.say_in(Some("2"), "second");
    scene.update(plan(&["a", "b", "c"]));
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"first\" | plan of 3",
            "agent | \"second\" | open",
        ],
    );
    scene.end_well();
    scene.send("next");
    scene.update(plan(&["a"]));
    assert_eq!(told(&scene.last()), "agent | plan of 1 | open");
}

#[test]
fn no_tool_runs_on_when_its_agent_has_ended() {
    let mut scene = Scene::in_turn();
    scene.announce("t", "a tool");
    scene.set_status("t", ToolStatus::InProgress);
    scene
        .conversation
        .agent_ended("exited with code 3", &mut scene.stamps);
    let tool = scene.tool("t");
    assert_eq!((tool.status, tool.cancelled), (ToolStatus::Failed, false));
}

#[test]
fn a_long_answer_goes_on_in_a_next_message() {
    let mut scene = Scene::in_turn();
    let text = "word ".repeat(MESSAGE_BYTES / 4);
    scene.say(&text);
    scene.end_well();
    let messages = scene.messages();
    assert_eq!(messages.len(), 3);
    let joined: String = messages[1..]
        .iter()
        .flat_map(|message| &message.parts)
        .map(|part| match part {
            Part::Text { text } => text.as_str(),
            _ => panic!("only text came"),
        })
        .collect();
    assert_eq!(joined, text);
    assert!(messages.iter().all(|message| message.done));
    assert_eq!(messages[1].stop_reason, None);
    assert!(messages[2].stop_reason.is_some());
}

#[test]
fn an_answer_of_many_parts_goes_on_in_a_next_message() {
    let mut scene = Scene::in_turn();
    for number in 0..=MESSAGE_PARTS {
        scene.announce(&format!("t{number}"), "");
    }
    let counts: Vec<usize> = scene
        .messages()
        .iter()
        .map(|message| message.parts.len())
        .collect();
    assert_eq!(counts, [1, MESSAGE_PARTS, 1]);
}

#[test]
fn a_picture_is_a_part() {
    let mut scene = Scene::in_turn();
    scene.say("look:");
    scene.update(Update::Image {
        message_id: None,
        image: Media {
            mime_type: "image/png".into(),
            data: "QUJD".into(),
            uri: None,
            truncated: false,
        },
    });
    check(
        &scene,
        &["user | \"a question\"", "agent | \"look:\" | image | open"],
    );
    assert!(matches!(&scene.last().parts[1], Part::Image { image } if image.data == "QUJD"));
}

#[test]
fn what_says_nothing_new_changes_nothing() {
    let mut scene = Scene::in_turn();
    scene.announce("t", "a tool");
    scene.set_status("t", ToolStatus::InProgress);
    scene.take();
    scene.set_status("t", ToolStatus::InProgress);
    scene.say("");
    assert_eq!(scene.take(), []);
}
