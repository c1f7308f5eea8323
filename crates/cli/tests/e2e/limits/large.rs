//! A tool output of 13 MB, an image of 5 MB and 10,000 messages on every way that content takes.

use pupitre_protocol::Event;
use pupitre_protocol::conversation::{Message, Part, Role, StopReason};
use pupitre_protocol::event::SubscribeParams;
use pupitre_protocol::limits::FIELD_BYTES;
use pupitre_testkit::replica::Replica;

use super::wire::{Frames, Wire};
use crate::support::{Desk, fake_script};

const OUTPUT_BYTES: usize = 13_000_000;
const IMAGE_BYTES: usize = 5_000_000;
const MESSAGES: usize = 10_000;

fn script() -> String {
    format!(
        r#"handshake
expect session/prompt
update {{"sessionUpdate":"tool_call","toolCallId":"big","title":"Print very much","kind":"execute","status":"in_progress"}}
update {{"sessionUpdate":"tool_call_update","toolCallId":"big","status":"completed","content":[{{"type":"content","content":{{"type":"text","text":"${{big:{OUTPUT_BYTES}}}"}}}}]}}
update {{"sessionUpdate":"agent_message_chunk","messageId":"m0","content":{{"type":"image","mimeType":"image/png","data":"${{base64:{IMAGE_BYTES}}}"}}}}
repeat {MESSAGES}
update {{"sessionUpdate":"agent_message_chunk","messageId":"m${{n}}","content":{{"type":"text","text":"Message ${{n}}."}}}}
end
answer {{"stopReason":"end_turn"}}
serve
"#
    )
}

/// Where the two large parts are.
struct Large<'messages> {
    message: &'messages Message,
    tool: u32,
    image: u32,
}

fn find_large(messages: &[Message]) -> Large<'_> {
    let position = |message: &Message, wanted: fn(&Part) -> bool| {
        let index = message.parts.iter().position(wanted)?;
        u32::try_from(index).ok()
    };
    messages
        .iter()
        .find_map(|message| {
            Some(Large {
                message,
                tool: position(message, |part| matches!(part, Part::Tool { .. }))?,
                image: position(message, |part| matches!(part, Part::Image { .. }))?,
            })
        })
        .expect("one message has both")
}

/// Checks all that the conversation has, and returns its messages.
fn check_content(wire: &mut Wire) -> Vec<Message> {
    let messages = wire.messages("fake");
    // The question, the message with the large parts, and the many.
    assert_eq!(messages.len(), MESSAGES + 2);
    assert_eq!(wire.conversation("fake", None, 1).total, messages.len() as u64);
    for (number, message) in messages[2..].iter().enumerate() {
        let text = format!("Message {}.", number + 1);
        assert_eq!(message.parts, [Part::Text { text }]);
        assert!(message.done && message.role == Role::Agent);
    }
    assert_eq!(
        messages.last().and_then(|message| message.stop_reason),
        Some(StopReason::EndTurn)
    );
    let large = find_large(&messages);
    let Part::Tool { tool } = &large.message.parts[large.tool as usize] else {
        unreachable!("it was found as one")
    };
    assert!(tool.truncated);
    assert_eq!(tool.output.as_ref().map(String::len), Some(FIELD_BYTES));
    let Part::Tool { tool: whole } = wire.part(large.message.id, large.tool) else {
        panic!("a tool call stays one");
    };
    let output = whole.output.expect("it has printed");
    assert_eq!(output.len(), OUTPUT_BYTES);
    assert!(output.starts_with(tool.output.as_deref().expect("it is cut, not gone")));
    let Part::Image { image } = wire.part(large.message.id, large.image) else {
        panic!("an image stays one");
    };
    assert_eq!(image.data.len(), IMAGE_BYTES);
    messages
}

/// Checks what the command line shows.
fn check_shown(desk: &Desk, messages: &[Message]) {
    let limit = messages.len().to_string();
    let shown = desk.run(&["chat", "show", "fake", "--limit", &limit, "--json"]);
    let shown = shown.expect_code(0).json();
    let shown: Vec<Message> = serde_json::from_value(shown["messages"].clone()).expect("messages");
    assert!(shown == messages, "chat show has other messages");
    let text = desk.run(&["chat", "show", "fake", "--limit", "3"]);
    text.expect_code(0).expect_stdout(&format!("Message {MESSAGES}."));
    let large = find_large(messages);
    let part = desk.run(&[
        "chat",
        "part",
        &large.message.id.to_string(),
        &large.tool.to_string(),
        "--json",
    ]);
    let part: Part = serde_json::from_value(part.expect_code(0).json()).expect("a part");
    let Part::Tool { tool } = part else {
        panic!("a tool call stays one");
    };
    assert_eq!(tool.output.map(|output| output.len()), Some(OUTPUT_BYTES));
}

#[test]
fn large_and_many_go_every_way_inside_the_limits() {
    let mut desk = Desk::without_daemon(&[]);
    let file = desk.path("large.script");
    std::fs::write(&file, script()).expect("the test's own folder");
    let (agent, report) = fake_script(&desk, "fake", &file);
    desk.write_config(&[agent]);
    desk.start_daemon();

    let mut wire = Wire::open(&desk);
    let mut frames = Frames::open(&desk, &SubscribeParams::default());
    let mut from_the_beginning = Replica::new(wire.conversation("fake", None, 200));
    let sent = desk.send("fake", "everything, please");
    let mut from_the_middle = None;
    loop {
        let frame = frames.next();
        assert!(
            !matches!(frame.event, Event::Dropped(_)),
            "this reader is quick: {frame:?}"
        );
        from_the_beginning.apply(&frame.event);
        if from_the_beginning.messages().len() == MESSAGES / 2 && from_the_middle.is_none() {
            from_the_middle = Some(Replica::new(wire.conversation("fake", None, 200)));
        }
        if let Some(replica) = &mut from_the_middle {
            replica.apply(&frame.event);
        }
        if matches!(&frame.event, Event::TurnChanged(turn) if !turn.busy) {
            break;
        }
    }
    let now = wire.conversation("fake", None, 1_000);
    let mut from_the_middle = from_the_middle.expect("half of the messages have come");
    // The snapshot may be newer than the end of the turn; what it holds beyond comes through the stream as well.
    while from_the_beginning.rev() < now.rev {
        let frame = frames.next();
        from_the_beginning.apply(&frame.event);
        from_the_middle.apply(&frame.event);
    }
    from_the_beginning.assert_same(&now);
    from_the_middle.assert_same(&now);

    let messages = check_content(&mut wire);
    assert_eq!(messages[0].id, sent.message_id);
    assert!(
        from_the_beginning.messages() == messages,
        "the events told all messages"
    );
    check_shown(&desk, &messages);

    drop((wire, frames));
    desk.stop_daemon();
    report.expect_ok(1, &desk);
    desk.start_daemon();
    let again = check_content(&mut Wire::open(&desk));
    assert!(again == messages, "the same after a restart");
    check_shown(&desk, &messages);
}
