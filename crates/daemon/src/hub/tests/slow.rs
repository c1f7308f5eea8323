//! A reader that reads slowly loses exactly what it is told, and nobody else loses anything.

use proptest::collection::vec;
use proptest::prelude::*;
use pupitre_protocol::Event;
use pupitre_protocol::event::{EventKind, SubscribeParams};
use pupitre_protocol::limits::SUBSCRIBER_QUEUE_BYTES;

use super::events::{
    Published, Seen, any_event, any_filter, cursor, delta, hub, log, lost, read, seqs, state, turn,
};

/// Two readers of all: one that reads nothing until the end, and one that always reads.
fn check(events: Vec<Event>) -> Vec<Seen> {
    let mut hub = hub();
    let all = SubscribeParams::default();
    let slow = hub.subscribe(&all).expect("there is room");
    let quick = hub.subscribe(&all).expect("there is room");
    let mut published = Published::default();
    let mut seen_by_quick = Vec::new();
    for event in events {
        published.publish(&mut hub, event);
        seen_by_quick.extend(seqs(&read(&quick, usize::MAX)));
    }
    assert_eq!(
        seen_by_quick,
        (1..=published.count()).collect::<Vec<_>>(),
        "the other reader misses nothing"
    );
    let mut seen = read(&slow, usize::MAX);
    assert!(matches!(seen.remove(0), Seen::Control(0, Event::Subscribed(_))));
    let lost_count: u64 = lost(&seen).iter().map(|(from, to)| to - from + 1).sum();
    assert_eq!(hub.dropped, lost_count, "the counter says the same");
    seen
}

const QUARTER: usize = SUBSCRIBER_QUEUE_BYTES / 4;

#[test]
fn what_fits_is_kept() {
    let seen = check((0..7).map(|_| delta("one", QUARTER / 2)).collect());
    assert_eq!(seqs(&seen), (1..=7).collect::<Vec<_>>());
    assert_eq!(seen.len(), 7);
}

#[test]
fn the_oldest_bulk_events_go_first_and_a_gap_stands_in_their_place() {
    let mut events = vec![
        turn("one"),
        delta("one", QUARTER),
        log("one", QUARTER),
        turn("one"),
    ];
    events.extend([delta("one", QUARTER), turn("one"), delta("one", QUARTER)]);
    let seen = check(events);
    let Seen::Dropped(dropped) = &seen[1] else {
        panic!("{seen:?}");
    };
    assert_eq!((dropped.from, dropped.to), (2, 3));
    assert_eq!(dropped.kinds, [EventKind::AgentLog, EventKind::MessageDelta]);
    // Half of the queue is free again, so that not every further event costs one.
    assert_eq!(lost(&seen), [(2, 3), (5, 5)]);
    assert_eq!(seqs(&seen), [1, 4, 6, 7]);
}

#[test]
fn life_cycle_events_go_last() {
    let mut events: Vec<Event> = (0..50).map(|_| turn("one")).collect();
    for _ in 0..10 {
        events.push(delta("one", QUARTER));
        events.push(turn("one"));
    }
    let seen = check(events);
    let life_cycle = seen
        .iter()
        .filter(|seen| matches!(seen, Seen::Event(_, EventKind::TurnChanged)));
    assert_eq!(life_cycle.count(), 60, "each of them is there");
    assert!(!lost(&seen).is_empty());
}

#[test]
fn but_they_go_when_nothing_else_is_left() {
    let mut events = vec![delta("one", QUARTER)];
    events.extend((0..5).map(|_| state("one", QUARTER)));
    let seen = check(events);
    assert_eq!(lost(&seen), [(1, 3)]);
    assert_eq!(seqs(&seen), [4, 5, 6]);
}

#[test]
fn gaps_that_grow_together_are_one() {
    // First the deltas around a life-cycle event are lost, then, much later, that event too.
    let mut events = vec![
        delta("one", QUARTER),
        state("one", QUARTER),
        delta("one", QUARTER),
    ];
    events.extend((0..12).map(|_| state("one", QUARTER)));
    let seen = check(events);
    assert_eq!(lost(&seen).len(), 1, "{seen:?}");
    assert_eq!(lost(&seen)[0].0, 1);
}

#[test]
fn a_lagging_reader_resumes_from_its_last_frame() {
    let mut hub = hub();
    let all = SubscribeParams::default();
    let slow = hub.subscribe(&all).expect("there is room");
    let mut published = Published::default();
    for _ in 0..6 {
        published.publish(&mut hub, delta("one", QUARTER));
    }
    let seen = read(&slow, 2);
    let Seen::Dropped(dropped) = &seen[1] else {
        panic!("{seen:?}");
    };
    // The rings have more than the queue: the cursor of the gap goes on where the gap ends.
    let again = SubscribeParams {
        since: Some(cursor(dropped.to)),
        ..all
    };
    let again = hub.subscribe(&again).expect("there is room");
    let expected: Vec<u64> = (dropped.to + 1..=6).collect();
    assert_eq!(seqs(&read(&again, usize::MAX)), expected);
}

/// What happens in the property.
#[derive(Debug, Clone)]
enum Step {
    Publish(Box<Event>),
    Read(usize),
}

/// What was read, and how many events had been published then.
struct Reading {
    published: u64,
    seen: Seen,
}

/// Checks that what was due was given or dropped, in order, one gap for each unbroken range.
fn check_exact(due: Vec<(u64, EventKind)>, readings: &[Reading]) {
    let mut due = due.into_iter().peekable();
    let mut gap_read_at = None;
    for reading in readings {
        match &reading.seen {
            Seen::Event(seq, kind) => {
                assert_eq!(due.next(), Some((*seq, *kind)), "in order, once");
                gap_read_at = None;
            }
            Seen::Dropped(dropped) => {
                // What was lost after a gap had been read can only be told by a gap of its own.
                assert_ne!(
                    gap_read_at,
                    Some(reading.published),
                    "one for each unbroken range"
                );
                gap_read_at = Some(reading.published);
                let mut gone = Vec::new();
                while let Some(event) = due.next_if(|(seq, _)| *seq <= dropped.to) {
                    gone.push(event);
                }
                assert_eq!(gone.first().map(|(seq, _)| *seq), Some(dropped.from));
                assert_eq!(gone.last().map(|(seq, _)| *seq), Some(dropped.to));
                let has = |kind: &EventKind| gone.iter().any(|(_, lost)| lost == kind);
                let kinds: Vec<EventKind> = EventKind::ALL.iter().copied().filter(has).collect();
                assert_eq!(dropped.kinds, kinds);
            }
            Seen::Control(..) => panic!("nothing else comes"),
        }
    }
    assert_eq!(due.next(), None, "everything is told or dropped");
}

fn check_steps(steps: Vec<Step>, filter: &SubscribeParams) {
    let mut hub = hub();
    let mut published = Published::default();
    let slow = hub.subscribe(filter).expect("there is room");
    let quick = hub.subscribe(filter).expect("there is room");
    read(&slow, 1);
    read(&quick, 1);
    let mut readings = Vec::new();
    let mut seen_by_quick = Vec::new();
    let read_slow = |most: usize, published: u64, readings: &mut Vec<Reading>| {
        readings.extend(
            read(&slow, most)
                .into_iter()
                .map(|seen| Reading { published, seen }),
        );
    };
    for step in steps {
        match step {
            Step::Publish(event) => published.publish(&mut hub, *event),
            Step::Read(most) => read_slow(most, published.count(), &mut readings),
        }
        seen_by_quick.extend(read(&quick, usize::MAX));
    }
    read_slow(usize::MAX, published.count(), &mut readings);
    let due = published.after(0, filter);
    let expected: Vec<Seen> = due.iter().map(|(seq, kind)| Seen::Event(*seq, *kind)).collect();
    assert_eq!(seen_by_quick, expected, "the other reader misses nothing");
    check_exact(due, &readings);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn what_is_due_is_given_or_dropped_exactly(
        steps in vec(
            prop_oneof![
                8 => any_event(QUARTER).prop_map(|event| Step::Publish(Box::new(event))),
                1 => (0_usize..12).prop_map(Step::Read),
            ],
            0..60,
        ),
        filter in any_filter(),
    ) {
        check_steps(steps, &filter);
    }
}
