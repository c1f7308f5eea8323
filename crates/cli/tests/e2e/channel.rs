//! Channels: a message to a room goes to the agents that it mentions, and their answers are shown together.

use pupitre_protocol::channel::{ChannelMessagesParams, ChannelSendParams};
use pupitre_protocol::event::Event;
use pupitre_protocol::method::channel;
use pupitre_protocol::system::Empty;
use pupitre_protocol::{ErrorKind, MessageId};

use crate::support::{Desk, Events, PROGRAM, TestAgent};

fn desk() -> Desk {
    let demo = |name: &str| TestAgent::new(name, PROGRAM, &["demo-agent"]);
    let settings = "[limits]\nmaxRunningAgents = 8\n[[channels]]\nname = \"review\"\ntitle = \"Review\"\nagents = [\"a\", \"b\"]\n";
    Desk::with_settings(settings, &[demo("a"), demo("b")])
}

fn send(desk: &Desk, text: &str) -> Vec<MessageId> {
    desk.call::<channel::Send>(ChannelSendParams {
        channel: "review".to_owned(),
        text: text.to_owned(),
    })
    .message_ids
}

fn wait_for_all(events: &mut Events, turns: &[MessageId]) {
    // The turns of several agents end in any order.
    let mut open = turns.to_vec();
    while !open.is_empty() {
        let ended = events.wait_for("the end of a turn", |frame| {
            open.iter()
                .copied()
                .find(|turn| crate::support::EndedTurn::of(frame, *turn).is_some())
        });
        open.retain(|turn| *turn != ended);
    }
}

#[test]
fn a_message_goes_to_all_or_to_whom_it_mentions() {
    let mut desk = desk();
    let listed = desk.call::<channel::List>(Empty {}).channels;
    assert_eq!(
        (listed[0].name.as_str(), listed[0].title.as_str()),
        ("review", "Review")
    );
    desk.run(&["channel", "list"])
        .expect_code(0)
        .expect_stdout("a, b");
    let mut events = desk.events();
    let all = send(&desk, "hello");
    assert_eq!(all.len(), 2);
    let updated = events.wait_for("the channel has an entry", |frame| match &frame.event {
        Event::ChannelUpdated(updated) => Some(updated.clone()),
        _ => None,
    });
    assert_eq!(updated.channel, "review");
    let named: Vec<_> = updated
        .entry
        .answers
        .iter()
        .map(|answer| answer.message_id)
        .collect();
    assert_eq!(named, all.iter().copied().map(Some).collect::<Vec<_>>());
    let mut events = desk.events();
    let one = send(&desk, "@b hello again");
    assert_eq!(one.len(), 1);
    wait_for_all(&mut events, &one);
    let shown = desk.run(&["channel", "show", "review"]);
    shown
        .expect_code(0)
        .expect_stdout("@b hello again")
        .expect_stdout("  a\n")
        .expect_stdout("  b\n");
    // Kept, also over a restart.
    desk.stop_daemon();
    desk.start_daemon();
    let entries = desk
        .call::<channel::Messages>(ChannelMessagesParams {
            channel: "review".to_owned(),
        })
        .entries;
    let texts: Vec<&str> = entries.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(texts, ["hello", "@b hello again"]);
    assert_eq!(entries[0].id, updated.entry.id);
}

#[test]
fn what_cannot_be_sent_says_why() {
    let desk = desk();
    let refused = |channel: &str, text: &str| {
        desk.call_refused::<channel::Send>(ChannelSendParams {
            channel: channel.to_owned(),
            text: text.to_owned(),
        })
    };
    let (kind, message) = refused("nowhere", "hello");
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(message.contains("there are: review"), "{message}");
    assert_eq!(refused("review", "  ").0, ErrorKind::EmptyMessage);
    desk.run(&["channel", "send", "nowhere", "hello"])
        .expect_code(3)
        .expect_stderr("there is no channel \"nowhere\"");
}
