//! Events of every class and size, and a reader that notes what it is given.

use proptest::prelude::*;
use pupitre_protocol::agent::AgentState;
use pupitre_protocol::conversation::PartKind;
use pupitre_protocol::event::{
    AgentLogged, AgentStateChanged, Dropped, EventClass, EventKind, MessageDelta, SubscribeParams,
    TurnChanged,
};
use pupitre_protocol::{AgentName, ConversationId, Cursor, Epoch, Event, Frame, MessageId};
use uuid::Uuid;

use crate::hub::filter::Filter;
use crate::hub::ring::{Rings, agent_of};
use crate::hub::subscriber::{Entry, Subscription};
use crate::hub::{Hub, UnitEvent, channel};

pub(super) fn agent(name: &str) -> AgentName {
    name.parse().expect("a name")
}

pub(super) fn epoch() -> Epoch {
    Epoch("now".into())
}

pub(super) fn cursor(seq: u64) -> Cursor {
    Cursor { epoch: epoch(), seq }
}

/// Returns a hub without agents.
pub(super) fn hub() -> Hub {
    channel(epoch()).1.into_hub(Vec::new(), 4, None)
}

/// Returns a hub that keeps less.
pub(super) fn hub_with(rings: Rings) -> Hub {
    Hub { rings, ..hub() }
}

/// A life-cycle event of about so many bytes.
pub(super) fn state(name: &str, bytes: usize) -> Event {
    Event::AgentState(AgentStateChanged {
        agent: agent(name),
        state: AgentState::Ready,
        error: (bytes > 0).then(|| "e".repeat(bytes)),
        cause: None,
        outdated: false,
        stopping: false,
    })
}

/// A small life-cycle event.
pub(super) fn turn(name: &str) -> Event {
    Event::TurnChanged(TurnChanged {
        login: None,
        agent: agent(name),
        conversation: ConversationId(Uuid::nil()),
        rev: 1,
        busy: true,
        queued: 0,
        stalled: false,
    })
}

/// A bulk event of about so many bytes.
pub(super) fn log(name: &str, bytes: usize) -> Event {
    Event::AgentLog(AgentLogged {
        agent: agent(name),
        number: 1,
        line: "l".repeat(bytes),
        stray: false,
        missed: 0,
    })
}

/// A bulk event of about so many bytes.
pub(super) fn delta(name: &str, bytes: usize) -> Event {
    Event::MessageDelta(MessageDelta {
        agent: agent(name),
        conversation: ConversationId(Uuid::nil()),
        rev: 1,
        message_id: MessageId(Uuid::nil()),
        index: 0,
        kind: PartKind::Text,
        text: Some("t".repeat(bytes)),
        part: None,
    })
}

/// Any event of at most about so many bytes.
pub(super) fn any_event(most_bytes: usize) -> impl Strategy<Value = Event> {
    let name = prop_oneof![Just("one"), Just("two")];
    (name, 0..5_u32, 0..most_bytes).prop_map(|(name, kind, bytes)| match kind {
        0 => turn(name),
        1 => state(name, bytes),
        2 => log(name, bytes),
        _ => delta(name, bytes),
    })
}

/// The filters that a subscription may have.
pub(super) fn any_filter() -> impl Strategy<Value = SubscribeParams> {
    let types = prop_oneof![
        2 => Just(None),
        1 => Just(Some(vec![EventKind::AgentLog, EventKind::TurnChanged])),
        1 => Just(Some(vec![EventKind::AgentState, EventKind::TurnChanged])),
    ];
    let agents = prop_oneof![
        2 => Just(None),
        1 => Just(Some(vec![agent("two")])),
    ];
    (types, agents).prop_map(|(types, agents)| SubscribeParams {
        types,
        agents,
        surfaces: None,
        since: None,
    })
}

/// What every reader is measured against: the events that were published, with their numbers.
#[derive(Debug, Default)]
pub(super) struct Published(Vec<(u64, EventKind, Option<AgentName>)>);

impl Published {
    pub(super) fn publish(&mut self, hub: &mut Hub, event: Event) {
        let seq = self.0.len() as u64 + 1;
        self.0.push((seq, event.kind(), agent_of(&event).cloned()));
        hub.take(UnitEvent::Publish(event));
    }

    pub(super) fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// Returns the events after a number that pass the filter.
    pub(super) fn after(&self, since: u64, params: &SubscribeParams) -> Vec<(u64, EventKind)> {
        let filter = Filter::new(params);
        self.0
            .iter()
            .filter(|(seq, kind, agent)| *seq > since && filter.passes(*kind, agent.as_ref(), None))
            .map(|(seq, kind, _)| (*seq, *kind))
            .collect()
    }

    /// Returns the numbers of the life-cycle events.
    pub(super) fn life_cycle(&self) -> Vec<u64> {
        self.0
            .iter()
            .filter(|(_, kind, _)| kind.class() == EventClass::LifeCycle)
            .map(|(seq, _, _)| *seq)
            .collect()
    }
}

/// What a reader was given.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a control frame is rare, and a box cannot be matched through"
)]
pub(super) enum Seen {
    Event(u64, EventKind),
    Dropped(Dropped),
    Control(u64, Event),
}

/// Returns what an entry is to its reader, as its line says it.
pub(super) fn seen(subscription: &Subscription, entry: Entry) -> Seen {
    if let Entry::Event(event) = &entry {
        return Seen::Event(event.seq, event.kind);
    }
    let frame = frame(subscription, entry);
    let seq = frame.stamp.seq;
    match frame.event {
        Event::Dropped(dropped) => {
            assert_eq!(seq, dropped.to, "its cursor goes on after what was lost");
            Seen::Dropped(dropped)
        }
        event => Seen::Control(seq, event),
    }
}

/// Returns the frame of an entry, read from its line.
pub(super) fn frame(subscription: &Subscription, entry: Entry) -> Frame {
    let mut line = String::new();
    subscription.push_line(&mut line, entry);
    let line = line.strip_suffix('\n').expect("one line");
    Frame::from_line(line).expect("a frame")
}

/// Reads at most so many entries.
pub(super) fn read(subscription: &Subscription, most: usize) -> Vec<Seen> {
    std::iter::from_fn(|| subscription.try_next())
        .take(most)
        .map(|entry| seen(subscription, entry))
        .collect()
}

/// Returns the numbers of events, without anything else.
pub(super) fn seqs(seen: &[Seen]) -> Vec<u64> {
    seen.iter()
        .filter_map(|seen| match seen {
            Seen::Event(seq, _) => Some(*seq),
            Seen::Dropped(_) | Seen::Control(..) => None,
        })
        .collect()
}

/// Returns the lost ranges.
pub(super) fn lost(seen: &[Seen]) -> Vec<(u64, u64)> {
    seen.iter()
        .filter_map(|seen| match seen {
            Seen::Dropped(dropped) => Some((dropped.from, dropped.to)),
            Seen::Event(..) | Seen::Control(..) => None,
        })
        .collect()
}
