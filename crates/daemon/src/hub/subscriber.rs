//! The bounded queue between the hub and one subscriber, which never makes the hub wait.
//!
//! What does not fit is dropped where it stands, oldest first, replaceable kinds before life-cycle events; a gap
//! takes the place of each unbroken range of what was lost.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use pupitre_protocol::event::{Dropped, EventClass, EventKind, Heartbeat, Resync};
use pupitre_protocol::limits::SUBSCRIBER_QUEUE_BYTES;
use pupitre_protocol::{Cursor, Event};
use tokio::sync::Notify;

use super::filter::{Filter, KindSet};
use super::frame_line;
use super::ring::Published;

/// One thing that a subscriber gets.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    Event(Arc<Published>),
    /// Events that were lost.
    Gap {
        from: u64,
        to: u64,
        kinds: KindSet,
    },
    Control {
        seq: u64,
        event: Box<Event>,
    },
}

/// What the connection holds of a subscription. Dropping it ends the subscription.
#[derive(Debug)]
pub(crate) struct Subscription {
    queue: Arc<Queue>,
    begins_at: Cursor,
    _following: Option<TraceFollower>,
}

/// Counts the subscriptions that follow what goes between the daemon and its agents, which is told to nobody else.
#[derive(Debug, Clone, Default)]
pub(crate) struct TraceFollowers(Arc<AtomicUsize>);

/// One such subscription, as long as it lives.
#[derive(Debug)]
struct TraceFollower(Arc<AtomicUsize>);

impl TraceFollowers {
    pub(crate) fn are_any(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    fn add(&self) -> TraceFollower {
        self.0.fetch_add(1, Ordering::Relaxed);
        TraceFollower(Arc::clone(&self.0))
    }
}

impl Drop for TraceFollower {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What the hub holds of a subscription.
#[derive(Debug)]
pub(super) struct Subscriber {
    queue: Arc<Queue>,
    filter: Filter,
}

#[derive(Debug)]
struct Queue {
    state: Mutex<State>,
    ready: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// What was there before the subscription began; shared with the rings and not counted.
    replay: VecDeque<Entry>,
    live: VecDeque<Entry>,
    bytes: usize,
    /// The number of the last event that the hub published, whether or not it passed the filter.
    stands_at: u64,
    /// The hub let go of the subscription, or the reader did.
    closed: bool,
}

pub(super) fn pair(
    begins_at: Cursor,
    stands_at: u64,
    filter: Filter,
    beginning: Vec<Entry>,
    trace_followers: &TraceFollowers,
) -> (Subscriber, Subscription) {
    let following = filter
        .kinds
        .contains(EventKind::AgentTrace)
        .then(|| trace_followers.add());
    let state = State {
        replay: beginning.into(),
        stands_at,
        ..State::default()
    };
    let queue = Arc::new(Queue {
        state: Mutex::new(state),
        ready: Notify::new(),
    });
    (
        Subscriber {
            queue: Arc::clone(&queue),
            filter,
        },
        Subscription {
            queue,
            begins_at,
            _following: following,
        },
    )
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nothing panics while it holds the queue")
    }
}

impl Subscriber {
    /// Hands over an event that was published. Returns how many events were lost to make room.
    pub(super) fn push(&self, event: &Arc<Published>) -> u64 {
        let mut state = self.queue.lock();
        if state.closed {
            return 0;
        }
        state.stands_at = event.seq;
        if !self
            .filter
            .passes(event.kind, event.agent.as_ref(), event.surface)
        {
            return 0;
        }
        state.bytes += event.bytes();
        state.live.push_back(Entry::Event(Arc::clone(event)));
        let lost = if state.bytes > SUBSCRIBER_QUEUE_BYTES {
            state.make_room()
        } else {
            0
        };
        drop(state);
        self.queue.ready.notify_one();
        lost
    }

    pub(super) fn is_closed(&self) -> bool {
        self.queue.lock().closed
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.queue.lock().closed = true;
        self.queue.ready.notify_one();
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.closed = true;
        state.replay.clear();
        state.live.clear();
    }
}

impl Subscription {
    /// Returns where the stream stands at its first frame.
    pub(crate) fn begins_at(&self) -> &Cursor {
        &self.begins_at
    }

    /// Returns the next entry; `None` once the hub is gone and everything was taken.
    pub(crate) async fn next(&self) -> Option<Entry> {
        loop {
            {
                let mut state = self.queue.lock();
                if let Some(entry) = state.pop() {
                    return Some(entry);
                }
                if state.closed {
                    return None;
                }
            }
            self.queue.ready.notified().await;
        }
    }

    /// Returns the next entry when there is one already.
    pub(crate) fn try_next(&self) -> Option<Entry> {
        self.queue.lock().pop()
    }

    /// Writes the line of an entry. A gap stands where the lost events would have stood.
    pub(crate) fn push_line(&self, buffer: &mut String, entry: Entry) {
        match entry {
            Entry::Event(event) => buffer.push_str(&event.line),
            Entry::Gap { from, to, kinds } => {
                let dropped = Event::Dropped(Dropped {
                    from,
                    to,
                    kinds: kinds.to_vec(),
                });
                buffer.push_str(&frame_line(&self.begins_at.epoch, to, &dropped));
            }
            Entry::Control { seq, event } => {
                buffer.push_str(&frame_line(&self.begins_at.epoch, seq, &event));
            }
        }
        buffer.push('\n');
    }

    /// Returns the heartbeat of a stream in which nothing happened.
    pub(crate) fn heartbeat(&self) -> Entry {
        Entry::Control {
            seq: self.queue.lock().stands_at,
            event: Box::new(Event::Heartbeat(Heartbeat {})),
        }
    }
}

impl Entry {
    pub(super) fn resync(seq: u64, resync: Resync) -> Self {
        Self::Control {
            seq,
            event: Box::new(Event::Resync(resync)),
        }
    }
}

impl State {
    fn pop(&mut self) -> Option<Entry> {
        if let Some(entry) = self.replay.pop_front() {
            return Some(entry);
        }
        let entry = self.live.pop_front()?;
        if let Entry::Event(event) = &entry {
            self.bytes -= event.bytes();
        }
        Some(entry)
    }

    /// Drops the oldest events, and returns how many were lost. Those that a snapshot replaces go until half of the room
    /// is free; life-cycle events only while there is too much, and then an eighth, so that not each event looks anew.
    fn make_room(&mut self) -> u64 {
        let mut lost = self.drop_oldest(EventClass::Bulk, SUBSCRIBER_QUEUE_BYTES / 2);
        if self.bytes > SUBSCRIBER_QUEUE_BYTES {
            lost += self.drop_oldest(EventClass::LifeCycle, SUBSCRIBER_QUEUE_BYTES / 8 * 7);
        }
        lost
    }

    fn drop_oldest(&mut self, class: EventClass, target: usize) -> u64 {
        let mut lost = 0;
        let mut kept: VecDeque<Entry> = VecDeque::with_capacity(self.live.len());
        for entry in std::mem::take(&mut self.live) {
            let entry = match entry {
                Entry::Event(event) if event.kind.class() == class && self.bytes > target => {
                    self.bytes -= event.bytes();
                    lost += 1;
                    Entry::Gap {
                        from: event.seq,
                        to: event.seq,
                        kinds: [event.kind].into_iter().collect(),
                    }
                }
                kept @ (Entry::Event(_) | Entry::Gap { .. } | Entry::Control { .. }) => kept,
            };
            match (kept.back_mut(), entry) {
                (
                    Some(Entry::Gap { to, kinds, .. }),
                    Entry::Gap {
                        to: end, kinds: more, ..
                    },
                ) => {
                    *to = end;
                    *kinds = kinds.union(more);
                }
                (_, entry) => kept.push_back(entry),
            }
        }
        self.live = kept;
        lost
    }
}
