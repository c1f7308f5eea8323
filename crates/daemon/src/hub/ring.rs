//! What is kept of events for readers that resume: one ring for life-cycle events, one for the others.

use std::collections::VecDeque;
use std::sync::Arc;

use pupitre_protocol::event::{EventClass, EventKind};
use pupitre_protocol::limits::{BULK_RING_BYTES, LIFE_CYCLE_RING_BYTES, LIFE_CYCLE_RING_EVENTS};
use pupitre_protocol::{AgentName, Event, SurfaceId};

use super::filter::{Filter, KindSet};
use super::subscriber::Entry;

/// An event as it was sent.
#[derive(Debug)]
pub(crate) struct Published {
    pub(super) seq: u64,
    pub(super) kind: EventKind,
    pub(super) agent: Option<AgentName>,
    pub(super) surface: Option<SurfaceId>,
    pub(super) line: Box<str>,
}

impl Published {
    /// Returns about how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        const OVERHEAD: usize = 128;
        self.line.len() + OVERHEAD
    }
}

/// Both rings.
#[derive(Debug)]
pub(super) struct Rings {
    life_cycle: Ring,
    bulk: Ring,
}

/// Says that a cursor is older than the life-cycle events that are kept.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooOld;

impl Default for Rings {
    fn default() -> Self {
        Self::new(LIFE_CYCLE_RING_EVENTS, LIFE_CYCLE_RING_BYTES, BULK_RING_BYTES)
    }
}

impl Rings {
    pub(super) fn new(life_cycle_events: usize, life_cycle_bytes: usize, bulk_bytes: usize) -> Self {
        Self {
            life_cycle: Ring::new(life_cycle_events, life_cycle_bytes),
            bulk: Ring::new(usize::MAX, bulk_bytes),
        }
    }

    pub(super) fn keep(&mut self, event: Arc<Published>) {
        match event.kind.class() {
            EventClass::LifeCycle => self.life_cycle.push(event),
            EventClass::Bulk => self.bulk.push(event),
            EventClass::Control => unreachable!("control frames are not published"),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.life_cycle.bytes + self.bulk.bytes
    }

    /// Returns what a reader with this filter that saw everything up to `since` must still get, gaps included.
    pub(super) fn replay(&self, since: u64, filter: &Filter) -> Result<Vec<Entry>, TooOld> {
        if self.life_cycle.gone_to > since {
            return Err(TooOld);
        }
        let bulk_kinds: KindSet = EventKind::ALL
            .iter()
            .copied()
            .filter(|kind| kind.class() == EventClass::Bulk)
            .collect();
        let lost_kinds = bulk_kinds.intersection(filter.kinds);
        let mut replay = Replay {
            entries: Vec::new(),
            lost_kinds,
            seen_to: since,
            gone_to: self.bulk.gone_to,
        };
        let mut life_cycle = self.life_cycle.after(since).peekable();
        let mut bulk = self.bulk.after(since).peekable();
        loop {
            let next = match (life_cycle.peek(), bulk.peek()) {
                (Some(left), Some(right)) if left.seq < right.seq => life_cycle.next(),
                (_, Some(_)) => bulk.next(),
                (Some(_), None) => life_cycle.next(),
                (None, None) => break,
            };
            if let Some(event) = next {
                replay.pass(event, filter);
            }
        }
        replay.note_lost(u64::MAX);
        Ok(replay.entries)
    }
}

/// Builds a replay, with a gap exactly where events of the bulk ring are gone.
///
/// Every number up to `gone_to` that is not a kept life-cycle event was one of the bulk ring.
struct Replay {
    entries: Vec<Entry>,
    lost_kinds: KindSet,
    seen_to: u64,
    gone_to: u64,
}

impl Replay {
    fn pass(&mut self, event: &Arc<Published>, filter: &Filter) {
        self.note_lost(event.seq - 1);
        self.seen_to = event.seq;
        if filter.passes(event.kind, event.agent.as_ref(), event.surface) {
            self.entries.push(Entry::Event(Arc::clone(event)));
        }
    }

    fn note_lost(&mut self, up_to: u64) {
        let (from, to) = (self.seen_to + 1, up_to.min(self.gone_to));
        if from > to || self.lost_kinds.is_empty() {
            return;
        }
        // A life-cycle event that the filter leaves out does not break the range for this reader.
        if let Some(Entry::Gap { to: end, .. }) = self.entries.last_mut() {
            *end = to;
        } else {
            self.entries.push(Entry::Gap {
                from,
                to,
                kinds: self.lost_kinds,
            });
        }
    }
}

#[derive(Debug)]
struct Ring {
    events: VecDeque<Arc<Published>>,
    bytes: usize,
    most_events: usize,
    most_bytes: usize,
    /// The number of the newest event that is gone; 0 when none is.
    gone_to: u64,
}

impl Ring {
    fn new(most_events: usize, most_bytes: usize) -> Self {
        Self {
            events: VecDeque::new(),
            bytes: 0,
            most_events,
            most_bytes,
            gone_to: 0,
        }
    }

    fn push(&mut self, event: Arc<Published>) {
        self.bytes += event.bytes();
        self.events.push_back(event);
        while self.events.len() > self.most_events || self.bytes > self.most_bytes {
            let Some(gone) = self.events.pop_front() else {
                return;
            };
            self.bytes -= gone.bytes();
            self.gone_to = gone.seq;
        }
    }

    fn after(&self, since: u64) -> impl Iterator<Item = &Arc<Published>> {
        let start = self.events.partition_point(|event| event.seq <= since);
        self.events.iter().skip(start)
    }
}

/// Returns the surface that an event is about, where the event says it.
pub(super) fn surface_of(event: &Event) -> Option<SurfaceId> {
    match event {
        Event::SurfaceOpened(view) | Event::SurfaceChanged(view) => Some(view.surface_id),
        Event::SurfaceClosed(payload) => Some(payload.surface_id),
        Event::StateChanged(payload) => Some(payload.surface_id),
        Event::AgentState(_)
        | Event::AgentLog(_)
        | Event::AgentTrace(_)
        | Event::ConversationChanged(_)
        | Event::MessageUpdated(_)
        | Event::MessageDelta(_)
        | Event::TurnChanged(_)
        | Event::PermissionRequested(_)
        | Event::PermissionResolved(_)
        | Event::ElicitationRequested(_)
        | Event::ElicitationResolved(_)
        | Event::ConversationDeleted(_)
        | Event::UsageChanged(_)
        | Event::CommandsChanged(_)
        | Event::SessionChanged(_)
        | Event::ConfigChanged(_)
        | Event::WorkspacesChanged(_)
        | Event::ChannelUpdated(_)
        | Event::Subscribed(_)
        | Event::Heartbeat(_)
        | Event::Dropped(_)
        | Event::Resync(_) => None,
    }
}

/// Returns the agent that an event is about.
pub(super) fn agent_of(event: &Event) -> Option<&AgentName> {
    match event {
        Event::AgentState(payload) => Some(&payload.agent),
        Event::AgentLog(payload) => Some(&payload.agent),
        Event::AgentTrace(payload) => Some(&payload.agent),
        Event::ConversationChanged(payload) => Some(&payload.agent),
        Event::ConversationDeleted(payload) => Some(&payload.agent),
        Event::MessageUpdated(payload) => Some(&payload.agent),
        Event::MessageDelta(payload) => Some(&payload.agent),
        Event::TurnChanged(payload) => Some(&payload.agent),
        Event::PermissionRequested(payload) => Some(&payload.agent),
        Event::PermissionResolved(payload) => Some(&payload.agent),
        Event::ElicitationRequested(payload) => Some(&payload.agent),
        Event::ElicitationResolved(payload) => Some(&payload.agent),
        Event::UsageChanged(payload) => Some(&payload.agent),
        Event::CommandsChanged(payload) => Some(&payload.agent),
        Event::SessionChanged(payload) => Some(&payload.agent),
        Event::ConfigChanged(_)
        | Event::SurfaceOpened(_)
        | Event::SurfaceClosed(_)
        | Event::SurfaceChanged(_)
        | Event::StateChanged(_)
        | Event::WorkspacesChanged(_)
        | Event::ChannelUpdated(_)
        | Event::Subscribed(_)
        | Event::Heartbeat(_)
        | Event::Dropped(_)
        | Event::Resync(_) => None,
    }
}
