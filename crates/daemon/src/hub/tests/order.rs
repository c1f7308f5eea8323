//! The one order of events, and who gets which of them.

use pupitre_protocol::event::{EventKind, SubscribeParams};
use pupitre_protocol::{ErrorKind, Event, limits};

use super::events::{Seen, agent, cursor, delta, epoch, frame, hub, log, read, seqs, state, turn};
use crate::hub::{HubHandle, UnitEvent, channel};

fn all() -> SubscribeParams {
    SubscribeParams::default()
}

/// Runs a hub without agents.
fn running() -> HubHandle {
    let (handle, inbox) = channel(epoch());
    #[expect(clippy::disallowed_methods, reason = "the test's runtime ends with the test")]
    tokio::spawn(inbox.into_hub(Vec::new(), 4, None).run());
    handle
}

#[tokio::test]
async fn everybody_sees_one_order() {
    let hub = running();
    let early = hub.subscribe(all()).await.expect("there is room");
    let events = hub.events();
    let publish = async |event| {
        events
            .send(UnitEvent::Publish(event))
            .await
            .expect("the hub runs");
    };
    publish(turn("one")).await;
    // Who asks after it was told finds it told.
    let late = hub.subscribe(all()).await.expect("there is room");
    publish(delta("two", 3)).await;
    publish(log("one", 3)).await;
    for (subscription, from) in [(early, 1), (late, 2)] {
        let first = subscription.next().await.expect("a frame");
        let first = frame(&subscription, first);
        assert!(
            matches!(&first.event, Event::Subscribed(subscribed) if subscribed.cursor == cursor(from - 1))
        );
        assert_eq!(first.cursor(), cursor(from - 1));
        for seq in from..=3 {
            let entry = subscription.next().await.expect("a frame");
            assert_eq!(frame(&subscription, entry).cursor(), cursor(seq));
        }
        assert!(subscription.try_next().is_none());
    }
    let counters = hub.counters().await.expect("the hub runs");
    assert_eq!(
        (counters.events, counters.dropped, counters.subscriptions),
        (3, 0, 0)
    );
}

#[tokio::test]
async fn a_stream_ends_with_its_hub_after_the_last_event() {
    let hub = running();
    let stream = hub.subscribe(all()).await.expect("there is room");
    let events = hub.events();
    events
        .send(UnitEvent::Publish(turn("one")))
        .await
        .expect("the hub runs");
    drop((hub, events));
    let mut count = 0;
    while stream.next().await.is_some() {
        count += 1;
    }
    assert_eq!(count, 2, "subscribed, and the event");
}

#[test]
fn filters_leave_holes_that_are_no_loss() {
    let mut hub = hub();
    let narrow = |types: Option<Vec<EventKind>>, agents: &[&str]| SubscribeParams {
        types,
        agents: (!agents.is_empty()).then(|| agents.iter().map(|name| agent(name)).collect()),
        surfaces: None,
        since: None,
    };
    let by_type = hub.subscribe(&narrow(Some(vec![EventKind::AgentLog]), &[]));
    let by_agent = hub.subscribe(&narrow(None, &["two"]));
    let by_both = hub.subscribe(&narrow(Some(vec![EventKind::MessageDelta]), &["one"]));
    let of_nobody = hub.subscribe(&narrow(None, &["three"]));
    for event in [
        log("one", 1),
        log("two", 1),
        delta("one", 1),
        turn("two"),
        state("one", 0),
    ] {
        hub.take(UnitEvent::Publish(event));
    }
    for (subscription, expected) in [
        (by_type, &[1, 2][..]),
        (by_agent, &[2, 4]),
        (by_both, &[3]),
        (of_nobody, &[]),
    ] {
        let seen = read(&subscription.expect("there is room"), 100);
        assert!(
            matches!(seen[0], Seen::Control(0, Event::Subscribed(_))),
            "{seen:?}"
        );
        assert_eq!(seqs(&seen), expected);
        assert_eq!(seen.len(), 1 + expected.len(), "and nothing else: {seen:?}");
    }
}

#[test]
fn a_heartbeat_stands_where_the_stream_is() {
    let mut hub = hub();
    let of_nobody = SubscribeParams {
        agents: Some(Vec::new()),
        ..all()
    };
    let subscription = hub.subscribe(&of_nobody).expect("there is room");
    hub.take(UnitEvent::Publish(turn("one")));
    hub.take(UnitEvent::Publish(turn("one")));
    let heartbeat = frame(&subscription, subscription.heartbeat());
    assert!(matches!(heartbeat.event, Event::Heartbeat(_)));
    assert_eq!(heartbeat.cursor(), cursor(2));
}

#[test]
fn a_thousand_subscriptions_and_one_that_ends_makes_room() {
    let mut hub = hub();
    let mut open: Vec<_> = (0..limits::SUBSCRIPTIONS)
        .map(|_| hub.subscribe(&all()).expect("there is room"))
        .collect();
    let refused = hub.subscribe(&all()).expect_err("it is one too many");
    assert_eq!(refused.kind(), Some(ErrorKind::TooManyConnections));
    open.pop();
    hub.subscribe(&all()).expect("there is room again");
}

#[tokio::test]
async fn an_agent_that_is_not_there_is_told_so() {
    let hub = running();
    let error = hub.agent(agent("nobody")).await.expect_err("there is none");
    assert_eq!(error.kind(), Some(ErrorKind::NotFound));
    assert!(error.message.contains("\"nobody\""), "{}", error.message);
    hub.drain().await.expect("the hub runs");
    let error = hub.agent(agent("nobody")).await.expect_err("no new work");
    assert_eq!(error.kind(), Some(ErrorKind::ShuttingDown));
}
