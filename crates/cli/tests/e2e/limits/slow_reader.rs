//! A reader that stops reading while an agent floods: it is told exactly what it lost, nobody else notices, and the
//! daemon stays small.

use pupitre_protocol::event::{EventKind, SubscribeParams};
use pupitre_protocol::{Event, Frame};
use pupitre_testkit::replica::Replica;

use super::wire::{Frames, Wire, checked_frame, subscribed};
use crate::support::{Desk, fake_script, text_of};

const CHUNKS: usize = 100_000;
/// Long enough that all of them are more than the queue of a reader and the buffers of its socket hold.
const CHUNK: &str = "a chunk of an answer that never seems to come to any end at all, however long one reads on in it, \
                     and then goes on a little more: number";

#[cfg(target_os = "linux")]
const MOST_MEMORY_KB: u64 = 100_000;

/// Returns the daemon's own share of memory.
#[cfg(target_os = "linux")]
fn memory_kb(desk: &Desk) -> u64 {
    let path = format!("/proc/{}/smaps_rollup", desk.daemon().pid());
    let text = std::fs::read_to_string(path).expect("the daemon runs");
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    let words = line.and_then(|line| line.split_whitespace().next());
    words
        .and_then(|number| number.parse().ok())
        .expect("a number of kilobytes")
}

/// Reads frames up to and including the one with this number.
fn read_to(seq: u64, mut next: impl FnMut() -> Frame) -> Vec<Frame> {
    let mut frames = Vec::new();
    loop {
        let frame = next();
        let is_last = frame.stamp.seq >= seq;
        if !matches!(frame.event, Event::Heartbeat(_) | Event::Subscribed(_)) {
            frames.push(frame);
        }
        if is_last {
            return frames;
        }
    }
}

/// Checks that every frame was given or said to be dropped, each once and in its place. Returns how many were dropped.
fn check_exact(all: &[Frame], given: &[Frame]) -> usize {
    let mut due = all.iter().peekable();
    let mut dropped_count = 0;
    for frame in given {
        let Event::Dropped(dropped) = &frame.event else {
            assert_eq!(due.next(), Some(frame), "in order, once");
            continue;
        };
        assert_eq!(frame.stamp.seq, dropped.to);
        assert_eq!(
            due.peek().map(|frame| frame.stamp.seq),
            Some(dropped.from),
            "the first that was lost"
        );
        let mut kinds: Vec<EventKind> = Vec::new();
        while let Some(lost) = due.next_if(|frame| frame.stamp.seq <= dropped.to) {
            dropped_count += 1;
            kinds.push(lost.event.kind());
        }
        for kind in EventKind::ALL {
            assert_eq!(
                kinds.contains(kind),
                dropped.kinds.contains(kind),
                "{kind:?} in {dropped:?}"
            );
        }
    }
    assert_eq!(due.next(), None, "everything is given or dropped");
    dropped_count
}

#[test]
fn a_reader_that_stops_costs_only_itself() {
    let mut desk = Desk::without_daemon(&[]);
    let file = desk.path("flood.script");
    let script = format!(
        "handshake\nexpect session/prompt\nflood {CHUNKS} {CHUNK} ${{n}}. \nanswer {{\"stopReason\":\"end_turn\"}}\nserve\n"
    );
    std::fs::write(&file, script).expect("the test's own folder");
    let (agent, _) = fake_script(&desk, "fake", &file);
    desk.write_config(&[agent]);
    desk.start_daemon();

    let mut wire = Wire::open(&desk);
    let mut quick = subscribed(&desk, &SubscribeParams::default());
    let first = checked_frame(&quick.line().expect("subscribed"));
    let mut slow = subscribed(&desk, &SubscribeParams::default());
    // It is registered when it has read its first frame, and then stops.
    checked_frame(&slow.line().expect("subscribed"));
    let mut replica = Replica::new(wire.conversation("fake", None, 200));
    desk.send("fake", "go on");
    // Read first, looked at after: a reader that looks at each frame at once may itself be too slow for a flood.
    let mut lines = Vec::new();
    loop {
        let line = quick.line().expect("the stream is open");
        let is_end = line.contains(r#""type":"turn:changed""#) && line.contains(r#""busy":false"#);
        lines.push(line);
        if is_end {
            break;
        }
    }
    let all: Vec<Frame> = lines.iter().map(|line| checked_frame(line)).collect();
    for frame in &all {
        replica.apply(&frame.event);
    }
    #[cfg(target_os = "linux")]
    {
        let memory_kb = memory_kb(&desk);
        assert!(memory_kb < MOST_MEMORY_KB, "the daemon takes {memory_kb} kB");
    }

    // The other reader missed nothing.
    let seqs: Vec<u64> = all.iter().map(|frame| frame.stamp.seq).collect();
    let from = first.stamp.seq + 1;
    assert_eq!(seqs, (from..from + seqs.len() as u64).collect::<Vec<_>>());
    replica.assert_same(&wire.conversation("fake", None, 200));
    let messages = wire.messages("fake");
    assert!(replica.messages() == messages, "the events told all messages");
    let text: String = messages[1..].iter().map(text_of).collect();
    let expected: String = (1..=CHUNKS).map(|number| format!("{CHUNK} {number}. ")).collect();
    assert!(
        text == expected,
        "{} bytes came of {}",
        text.len(),
        expected.len()
    );

    // The one that stopped reads on, and is told exactly what it lost.
    let last = *seqs.last().expect("there were events");
    let given = read_to(last, || checked_frame(&slow.line().expect("the stream is open")));
    let dropped_count = check_exact(&all, &given);
    assert!(
        dropped_count > 0,
        "the chunks fitted into the queue: nothing was shown"
    );
    let life_cycle_lost = given.iter().any(
        |frame| matches!(&frame.event, Event::Dropped(lost) if lost.kinds.contains(&EventKind::TurnChanged)),
    );
    assert!(!life_cycle_lost, "life-cycle events go last");

    // The cursor before the gap resumes without loss or repeat, since the rings reach back so far.
    let gap = given
        .iter()
        .position(|frame| matches!(frame.event, Event::Dropped(_)))
        .expect("something was dropped");
    let before_gap = gap
        .checked_sub(1)
        .map_or(first.cursor(), |index| given[index].cursor());
    let rest: Vec<Frame> = all
        .iter()
        .filter(|frame| frame.stamp.seq > before_gap.seq)
        .cloned()
        .collect();
    let mut resumed = Frames::open(
        &desk,
        &SubscribeParams {
            since: Some(before_gap),
            ..SubscribeParams::default()
        },
    );
    let again = read_to(last, || resumed.next());
    assert!(again == rest, "{} frames came of {}", again.len(), rest.len());
}
