//! Resuming from a cursor: everything once, `dropped` where something is gone, `resync` where it cannot be told.

use proptest::collection::vec;
use proptest::prelude::*;
use pupitre_protocol::event::{EventClass, EventKind, Resync, ResyncReason, SubscribeParams};
use pupitre_protocol::{Cursor, Epoch, Event};

use super::events::{
    Published, Seen, any_event, any_filter, cursor, delta, hub, hub_with, log, lost, read, seqs, state, turn,
};
use crate::hub::Hub;
use crate::hub::ring::Rings;

fn since(cursor: Cursor) -> SubscribeParams {
    SubscribeParams {
        since: Some(cursor),
        ..SubscribeParams::default()
    }
}

/// Resumes, and returns what there is at once.
fn resumed(hub: &mut Hub, params: &SubscribeParams) -> Vec<Seen> {
    let subscription = hub.subscribe(params).expect("there is room");
    read(&subscription, usize::MAX)
}

fn publish(hub: &mut Hub, events: Vec<Event>) -> Published {
    let mut published = Published::default();
    for event in events {
        published.publish(hub, event);
    }
    published
}

#[test]
fn a_cursor_resumes_without_loss_or_repeat() {
    let mut hub = hub();
    publish(
        &mut hub,
        vec![turn("one"), delta("one", 5), log("two", 5), state("one", 0)],
    );
    for seq in 0..=4 {
        let subscription = hub.subscribe(&since(cursor(seq))).expect("there is room");
        let seen = read(&subscription, usize::MAX);
        assert!(
            matches!(seen[0], Seen::Control(at, Event::Subscribed(_)) if at == seq),
            "{seen:?}"
        );
        assert_eq!(seqs(&seen), (seq + 1..=4).collect::<Vec<_>>());
        assert_eq!(seen.len(), 1 + 4 - usize::try_from(seq).expect("small"));
    }
}

#[test]
fn the_stream_goes_on_after_what_is_replayed() {
    let mut hub = hub();
    let mut published = publish(&mut hub, vec![turn("one"), delta("one", 5)]);
    let subscription = hub.subscribe(&since(cursor(1))).expect("there is room");
    published.publish(&mut hub, turn("two"));
    assert_eq!(seqs(&read(&subscription, usize::MAX)), [2, 3]);
}

#[test]
fn a_cursor_that_says_nothing_here_is_told_so() {
    let few = || Rings::new(3, usize::MAX, usize::MAX);
    let mut hub = hub_with(few());
    publish(&mut hub, (0..5).map(|_| turn("one")).collect());
    let other_run = Cursor {
        epoch: Epoch("yesterday".into()),
        seq: 5,
    };
    for (cursor, reason) in [
        (other_run, ResyncReason::EpochChanged),
        (cursor(6), ResyncReason::CursorUnknown),
        (cursor(1), ResyncReason::CursorTooOld),
        (cursor(0), ResyncReason::CursorTooOld),
    ] {
        let seen = resumed(&mut hub, &since(cursor.clone()));
        let [
            Seen::Control(5, Event::Subscribed(subscribed)),
            Seen::Control(5, resync),
        ] = &seen[..]
        else {
            panic!("{cursor}: {seen:?}");
        };
        assert_eq!(subscribed.cursor, super::events::cursor(5));
        assert_eq!(*resync, Event::Resync(Resync { reason }), "{cursor}");
    }
    // The oldest that is kept is number 3.
    assert_eq!(seqs(&resumed(&mut hub, &since(cursor(2)))), [3, 4, 5]);
}

#[test]
fn a_life_cycle_ring_is_bounded_in_bytes_too() {
    let mut hub = hub_with(Rings::new(usize::MAX, 5_000, usize::MAX));
    publish(&mut hub, (0..5).map(|_| state("one", 2_000)).collect());
    let seen = resumed(&mut hub, &since(cursor(1)));
    assert!(matches!(&seen[1], Seen::Control(_, Event::Resync(_))), "{seen:?}");
    assert_eq!(seqs(&resumed(&mut hub, &since(cursor(3)))), [4, 5]);
}

#[test]
fn bulk_events_that_are_gone_are_dropped_exactly_where_they_stood() {
    // Room for two of the large ones.
    let mut hub = hub_with(Rings::new(usize::MAX, usize::MAX, 3_000));
    let large = || delta("one", 1_000);
    let events = vec![
        large(),
        large(),
        turn("one"),
        log("one", 1_000),
        turn("one"),
        turn("two"),
        large(),
        large(),
    ];
    publish(&mut hub, events);
    let kinds = vec![
        EventKind::AgentLog,
        EventKind::MessageDelta,
        EventKind::SurfaceChanged,
    ];
    let check = |hub: &mut Hub, params: SubscribeParams, expected_lost: &[(u64, u64)], expected: &[u64]| {
        let seen = resumed(hub, &params);
        assert_eq!(lost(&seen), expected_lost, "{params:?}");
        assert_eq!(seqs(&seen), expected, "{params:?}");
        seen
    };
    let seen = check(&mut hub, since(cursor(0)), &[(1, 2), (4, 4)], &[3, 5, 6, 7, 8]);
    assert!(
        matches!(&seen[1], Seen::Dropped(dropped) if dropped.kinds == kinds),
        "{seen:?}"
    );
    check(&mut hub, since(cursor(1)), &[(2, 2), (4, 4)], &[3, 5, 6, 7, 8]);
    check(&mut hub, since(cursor(4)), &[], &[5, 6, 7, 8]);
    let only = |types: &[EventKind]| SubscribeParams {
        types: Some(types.to_vec()),
        ..since(cursor(0))
    };
    // One unbroken range for a reader to whom nothing else was due in between.
    check(&mut hub, only(&[EventKind::MessageDelta]), &[(1, 4)], &[7, 8]);
    // Who wanted none of them has lost none.
    check(&mut hub, only(&[EventKind::TurnChanged]), &[], &[3, 5, 6]);
}

/// Checks what a reader gets that resumes at `at`.
fn check_resumed(hub: &mut Hub, published: &Published, params: &SubscribeParams, at: u64) {
    let params = SubscribeParams {
        since: Some(cursor(at)),
        ..params.clone()
    };
    let seen = resumed(hub, &params);
    if matches!(seen.get(1), Some(Seen::Control(_, Event::Resync(_)))) {
        assert_eq!(seen.len(), 2);
        let kept = published.life_cycle().into_iter().filter(|seq| *seq > at).count();
        assert!(kept > RING_EVENTS, "all {kept} events were kept");
        return;
    }
    let mut due = published.after(at, &params).into_iter().peekable();
    let mut gap_before = false;
    for item in &seen[1..] {
        match item {
            Seen::Event(seq, kind) => {
                assert_eq!(due.next(), Some((*seq, *kind)), "in order, once: {seen:?}");
                gap_before = false;
            }
            Seen::Dropped(dropped) => {
                assert!(!gap_before, "one for each unbroken range: {seen:?}");
                gap_before = true;
                while let Some((seq, kind)) = due.next_if(|(seq, _)| *seq <= dropped.to) {
                    assert!(seq >= dropped.from, "{seq} is missing: {seen:?}");
                    assert_eq!(kind.class(), EventClass::Bulk, "{seq} is a life-cycle event");
                    assert!(dropped.kinds.contains(&kind));
                }
            }
            Seen::Control(..) => panic!("nothing else comes: {seen:?}"),
        }
    }
    assert_eq!(due.next(), None, "everything is told or dropped: {seen:?}");
}

/// How many life-cycle events the ring of the property keeps.
const RING_EVENTS: usize = 12;

proptest! {
    #[test]
    fn what_is_due_is_told_or_dropped(
        events in vec(any_event(400), 0..80),
        filter in any_filter(),
        bulk_bytes in 0_usize..6_000,
    ) {
        let mut hub = hub_with(Rings::new(RING_EVENTS, usize::MAX, bulk_bytes));
        let published = publish(&mut hub, events);
        for at in 0..=published.count() {
            check_resumed(&mut hub, &published, &filter, at);
        }
    }
}
