//! Taking up a conversation from storage.

use pupitre_protocol::Cause;
use pupitre_protocol::conversation::{Message, ToolStatus, Usage};

use super::{Scene, check};
use crate::conversation::{Conversation, Stored, Update};

/// Returns the conversation as a daemon finds it that starts after this moment.
fn restored(scene: Scene) -> Scene {
    let Scene {
        conversation,
        mut stamps,
    } = scene;
    let newest: Vec<Message> = conversation.held_page(None, usize::MAX).0.messages;
    let stored = Stored {
        id: conversation.id(),
        agent: conversation.agent().clone(),
        cwd: conversation.cwd().to_owned(),
        title: conversation.title().map(str::to_owned),
        created_at: conversation.created_at(),
        rev: conversation.rev(),
        total: conversation.total(),
        usage: conversation.usage().cloned(),
        newest,
    };
    let conversation = Conversation::restore(stored, &mut stamps);
    Scene { conversation, stamps }
}

const CUT_OFF: &str = "error: the daemon ended while this answer was coming in; what had come is above";

#[test]
fn an_open_answer_says_that_it_was_cut_off() {
    let mut scene = Scene::in_turn();
    scene.say("half an ans");
    let before = scene.conversation.rev();
    let mut scene = restored(scene);
    check(
        &scene,
        &[
            "user | \"a question\"",
            &format!("agent | \"half an ans\" | {CUT_OFF}"),
        ],
    );
    assert!(!scene.conversation.is_busy());
    assert!(scene.last().rev > before, "the change has a revision of its own");
    assert!(!scene.take().is_empty(), "and is told");
}

#[test]
fn an_answer_that_had_not_begun_says_so_too() {
    let scene = restored(Scene::in_turn());
    check(&scene, &["user | \"a question\"", &format!("agent | {CUT_OFF}")]);
    assert_eq!(scene.last().turn, Some(scene.messages()[0].id));
}

#[test]
fn what_was_queued_was_not_sent() {
    let mut scene = Scene::in_turn();
    scene.say("half");
    scene.send("second");
    let mut scene = restored(scene);
    check(
        &scene,
        &[
            "user | \"a question\"",
            &format!("agent | \"half\" | {CUT_OFF}"),
            "user | \"second\" | error: not sent: the daemon ended before its turn came",
        ],
    );
    let (page, _) = scene.conversation.held_page(None, 2);
    let causes: Vec<_> = page
        .messages
        .into_iter()
        .filter_map(|message| message.cause)
        .collect();
    assert_eq!(causes, [Cause::DaemonEnded, Cause::DaemonEnded]);
    assert_eq!(scene.conversation.next_prompt(), None);
}

#[test]
fn what_was_queued_before_the_answer_began_was_not_sent_either() {
    let mut scene = Scene::in_turn();
    scene.send("second");
    let scene = restored(scene);
    check(
        &scene,
        &[
            "user | \"a question\"",
            "user | \"second\" | error: not sent: the daemon ended before its turn came",
            &format!("agent | {CUT_OFF}"),
        ],
    );
    assert_eq!(scene.last().turn, Some(scene.messages()[0].id));
}

#[test]
fn what_had_ended_stays_as_it_was() {
    let mut scene = Scene::in_turn();
    scene.announce("t", "a tool");
    scene.set_status("t", ToolStatus::Completed);
    scene.update(Update::Title(Some("A title".into())));
    scene.update(Update::Usage(Usage {
        used: 1,
        size: 2,
        cost: None,
    }));
    scene.end_well();
    scene.send("second");
    scene.conversation.agent_unavailable("gone", &mut scene.stamps);
    let before = scene.messages();
    let (rev, total) = (scene.conversation.rev(), scene.conversation.total());
    let mut scene = restored(scene);
    assert_eq!(scene.messages(), before);
    assert_eq!(
        (scene.conversation.rev(), scene.conversation.total()),
        (rev, total)
    );
    assert_eq!(scene.conversation.title(), Some("A title"));
    assert_eq!(scene.conversation.usage().map(|usage| usage.used), Some(1));
    assert_eq!(scene.take(), []);
}

#[test]
fn an_answer_that_was_taken_back_before_it_began_has_no_end_to_miss() {
    let mut scene = Scene::in_turn();
    scene.send("second");
    scene.conversation.cancel();
    scene.end_well();
    let before = scene.messages();
    assert_eq!(restored(scene).messages(), before);
}

#[test]
fn the_next_turn_begins_as_ever() {
    let mut scene = Scene::in_turn();
    scene.say("half");
    let mut scene = restored(scene);
    let (id, prompt) = scene.send("again");
    assert_eq!(prompt.map(|prompt| prompt.message), Some(id));
    scene.say("whole");
    scene.end_well();
    let messages = scene.messages();
    assert!(messages.is_sorted_by(|left, right| left.id < right.id));
    assert_eq!(messages.len(), 4);
    assert_eq!(scene.last().turn, Some(id));
}
