//! The daemon is killed in the middle of an answer: what had come is there at its next start, and what was cut off says so.

use std::time::{Duration, Instant};

use pupitre_protocol::conversation::{ConversationView, Message, Role};
use pupitre_protocol::{Event, MessageId};

use crate::support::{Desk, Events, files_below, text_of, text_of_turn};

/// What may be missing after a crash is younger than this.
const LAST: Duration = Duration::from_secs(1);

/// A subscriber that saw the beginning of an answer, and what waited behind it.
struct Seen {
    question: MessageId,
    queued: MessageId,
    /// Each piece of the answer and when it came.
    pieces: Vec<(Instant, String)>,
}

/// Returns the text that a frame adds to the answer.
fn piece(event: &Event, question: MessageId) -> Option<String> {
    match event {
        Event::MessageDelta(delta) => delta.text.clone(),
        Event::MessageUpdated(updated) if updated.message.turn == Some(question) => {
            (updated.message.role == Role::Agent).then(|| text_of(&updated.message))
        }
        _ => None,
    }
}

/// Asks for a slow answer, queues a message behind it, and watches until the answer has gone on for more than a second.
fn watch_slow_answer(desk: &Desk, events: &mut Events) -> Seen {
    let question = desk.send("demo", "slow 1000").message_id;
    let mut pieces = Vec::new();
    let go_on = |events: &mut Events, pieces: &mut Vec<(Instant, String)>| {
        let text = events.wait_for("the answer goes on", |frame| piece(&frame.event, question));
        pieces.push((Instant::now(), text));
    };
    go_on(events, &mut pieces);
    let queued = desk.send("demo", "and then this").message_id;
    while pieces[0].0.elapsed() < 2 * LAST {
        go_on(events, &mut pieces);
    }
    Seen {
        question,
        queued,
        pieces,
    }
}

fn message(view: &ConversationView, wanted: impl Fn(&Message) -> bool) -> &Message {
    let found = view.messages.iter().find(|message| wanted(message));
    found.unwrap_or_else(|| panic!("no such message in {view:#?}"))
}

#[test]
fn a_killed_daemon_has_kept_what_had_come() {
    let mut desk = Desk::start();
    let mut events = desk.events();
    let seen = watch_slow_answer(&desk, &mut events);
    let due: String = {
        let killed_at = Instant::now();
        desk.kill_daemon();
        let old = seen.pieces.iter().filter(|(at, _)| killed_at - *at >= LAST);
        old.map(|(_, text)| text.as_str()).collect()
    };
    assert!(due.len() > "Chunk 1 of 1000. ".len(), "enough was due: {due:?}");
    // The guard ends the agent.
    desk.expect_nothing_left();

    desk.start_daemon();
    let view = desk.conversation("demo");
    assert!(!view.busy && view.queued == 0, "{view:#?}");
    let kept = text_of_turn(&view, seen.question);
    assert!(kept.starts_with(&due), "kept {kept:?}, due was {due:?}");
    let whole: String = seen.pieces.iter().map(|(_, text)| text.as_str()).collect();
    assert!(
        kept.starts_with(&whole) || whole.starts_with(&kept),
        "kept {kept:?}, seen was {whole:?}"
    );
    let answer = message(&view, |message| {
        message.role == Role::Agent && message.turn == Some(seen.question)
    });
    assert!(answer.done);
    let error = answer.error.as_deref().expect("it says what happened");
    assert!(
        error.contains("the daemon ended while this answer was coming in"),
        "{error}"
    );
    let queued = message(&view, |message| message.id == seen.queued);
    assert!(!queued.queued);
    let error = queued.error.as_deref().expect("it says what happened");
    assert!(error.contains("not sent"), "{error}");

    let shown = desk.run(&["chat", "show", "demo"]);
    shown
        .expect_code(0)
        .expect_stdout(due.trim_end())
        .expect_stdout("the daemon ended while this answer was coming in")
        .expect_stdout("not sent: the daemon ended before its turn came");
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
}

#[test]
fn without_history_nothing_is_kept() {
    let mut desk = Desk::without_daemon(&[]);
    let agents = std::fs::read_to_string(desk.config()).expect("the test's own file");
    std::fs::write(desk.config(), format!("history = false\n{agents}")).expect("the test's own file");
    desk.start_daemon();
    let mut events = desk.events();
    let seen = watch_slow_answer(&desk, &mut events);
    desk.kill_daemon();
    desk.expect_nothing_left();
    let first = seen.pieces[0].1.trim_end().as_bytes();
    for file in files_below(&desk.path("state")) {
        let bytes = std::fs::read(&file).expect("the test's own file");
        let is_in = bytes.windows(first.len()).any(|window| window == first);
        assert!(!is_in, "{} has kept something", file.display());
    }

    desk.start_daemon();
    let view = desk.conversation("demo");
    assert_eq!((view.total, view.messages.len()), (0, 0));
    desk.run(&["chat", "history"]).expect_code(0);
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
}
