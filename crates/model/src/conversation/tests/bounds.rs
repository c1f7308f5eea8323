//! Whatever comes: messages, frames, snapshots and permission requests stay inside the limits of the protocol.

use proptest::collection::vec;
use proptest::prelude::*;
use pupitre_protocol::Epoch;
use pupitre_protocol::conversation::{Location, PermissionOption, StopReason};
use pupitre_protocol::event::{Event, Frame, Stamp};
use pupitre_protocol::limits::{FRAME_BYTES, MESSAGE_BYTES, MESSAGE_PARTS, REPLY_BYTES};
use serde::Serialize;

use super::Scene;
use super::operation::{Lengths, operation};
use crate::conversation::{Conversation, ToolPatch, Update};

/// What a message may weigh: a full one in which every part has grown by what each is always given.
/// Half a reply has room for it.
const MOST_MESSAGE_BYTES: usize = 2 * MESSAGE_BYTES;
/// What all open permission requests of a conversation may weigh together.
const MOST_PERMISSIONS_BYTES: usize = REPLY_BYTES / 2;

fn encoded(value: &impl Serialize) -> usize {
    serde_json::to_string(value).expect("it is JSON").len()
}

fn check_bounds(scene: &mut Scene) {
    let agent = scene.conversation.agent().clone();
    let id = scene.conversation.id();
    for revision in scene.take() {
        let Some(event) = revision.into_event(&agent, id) else {
            continue;
        };
        if let Event::MessageUpdated(payload) = &event {
            let bytes = encoded(&payload.message);
            assert!(bytes <= MOST_MESSAGE_BYTES, "a message of {bytes} bytes");
            assert!(payload.message.parts.len() <= MESSAGE_PARTS, "too many parts");
        }
        let kind = event.kind();
        let stamp = Stamp {
            epoch: Epoch("epoch".into()),
            seq: 1,
            ts: 1,
        };
        let bytes = Frame { stamp, event }.to_line().len();
        assert!(
            bytes <= FRAME_BYTES,
            "a frame of {bytes} bytes: {}",
            kind.as_str()
        );
    }
    let (page, _) = scene.conversation.held_page(None, 1_000);
    assert_eq!(
        page.messages.is_empty(),
        scene.conversation.is_empty(),
        "a page shows something"
    );
    let bytes = encoded(&scene.conversation.view(page));
    assert!(bytes <= REPLY_BYTES, "a snapshot of {bytes} bytes");
    let bytes = encoded(&scene.conversation.permissions());
    assert!(
        bytes <= MOST_PERMISSIONS_BYTES,
        "permission requests of {bytes} bytes"
    );
}

/// Every message as it stands now, also those that no event has told as a whole.
fn check_messages(scene: &Scene) {
    for message in scene.messages() {
        let bytes = encoded(&message);
        assert!(bytes <= MOST_MESSAGE_BYTES, "a message of {bytes} bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn limits_hold_whatever_comes(
        operations in vec(operation(Lengths { longest: 600_000, long_percent: 25 }), 1..40)
    ) {
        let mut scene = Scene::new();
        for operation in operations {
            scene.perform(operation);
            check_bounds(&mut scene);
        }
        check_messages(&scene);
    }
}

#[test]
fn a_message_full_of_tool_calls_that_all_grow_stays_inside() {
    let mut scene = Scene::in_turn();
    let name = |number: usize| format!("{number:\u{1}>150}");
    for number in 0..MESSAGE_PARTS {
        scene.announce(&name(number), "small");
    }
    for number in 0..MESSAGE_PARTS {
        let location = Location {
            path: "\u{1}".repeat(4_000),
            line: Some(1),
        };
        scene.update(Update::Tool(ToolPatch {
            id: name(number),
            title: Some("\u{1}".repeat(4_000)),
            input: Some("\u{1}".repeat(100_000)),
            output: Some("\u{1}".repeat(100_000)),
            locations: Some(vec![location; 300]),
            ..ToolPatch::default()
        }));
    }
    check_messages(&scene);
    scene.end_well();
    check_bounds(&mut scene);
}

#[test]
fn as_many_permission_requests_as_may_be_open_fit_into_a_snapshot() {
    let mut scene = Scene::in_turn();
    for number in 0..40 {
        let option = PermissionOption {
            option_id: format!("{number}"),
            name: "\u{1}".repeat(4_000),
            kind: "\u{1}".repeat(4_000),
        };
        let patch = ToolPatch {
            id: format!("tool-{number}"),
            title: Some("\u{1}".repeat(4_000)),
            input: Some("\u{1}".repeat(100_000)),
            output: Some("\u{1}".repeat(100_000)),
            locations: Some(vec![
                Location {
                    path: "\u{1}".repeat(4_000),
                    line: None
                };
                300
            ]),
            ..ToolPatch::default()
        };
        scene.conversation.ask(patch, vec![option; 40], &mut scene.stamps);
    }
    assert!(scene.conversation.permissions().len() > 20);
    check_bounds(&mut scene);
}

#[test]
fn an_answer_without_end_is_let_go_of_as_it_grows() {
    let mut scene = Scene::in_turn();
    let megabyte = "word ".repeat(200_000);
    for _ in 0..Conversation::HELD_BYTES / megabyte.len() + 5 {
        scene.say(&megabyte);
        scene.take();
    }
    for number in 0..Conversation::HELD_MESSAGES + 50 {
        scene.say_in(Some(&format!("m-{number}")), "short");
        scene.take();
    }
    let held = scene.messages();
    let held_bytes: usize = scene.conversation.held.iter().map(|held| held.bytes()).sum();
    assert!(
        held_bytes <= Conversation::HELD_BYTES + MOST_MESSAGE_BYTES,
        "{held_bytes} bytes held"
    );
    assert!(
        held.len() <= Conversation::HELD_MESSAGES + 1,
        "{} messages held",
        held.len()
    );
    scene.end_well();
    assert_eq!(scene.last().stop_reason, Some(StopReason::EndTurn));
}

#[test]
fn what_still_changes_is_held_and_pages_have_no_hole() {
    let mut scene = Scene::in_turn();
    scene.announce("first", "a tool call that runs on");
    let (queued, _) = scene.send("second");
    for number in 0..=Conversation::HELD_MESSAGES {
        scene.say_in(Some(&format!("m-{number}")), "short");
    }
    let held = scene.messages();
    let first_answer = &held[0];
    assert_eq!(
        super::told(first_answer),
        "agent | tool first Pending | \"short\""
    );
    assert_eq!(held[1].id, queued);
    // The pages begin after the holes; storage has what is before.
    let (page, missing) = scene.conversation.held_page(None, 1_000);
    let newest: Vec<_> = held[2..].iter().map(|message| message.id).collect();
    assert_eq!(
        page.messages.iter().map(|message| message.id).collect::<Vec<_>>(),
        newest
    );
    assert_eq!(missing, 1_000 - newest.len());
    assert_eq!(scene.conversation.oldest_held(), newest.first().copied());
    let (page, missing) = scene.conversation.held_page(newest.first().copied(), 5);
    assert_eq!((page.messages.len(), missing), (0, 5));
    // A cancel reaches what is held.
    scene.conversation.cancel();
    assert!(scene.tool("first").cancelled);
    assert_eq!(scene.message(queued).error.as_deref(), Some("cancelled"));
}
