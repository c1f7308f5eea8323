//! The hub: the registry of agents, the one order of events, subscriptions, and the phase of the daemon.
//!
//! Its `handle` is synchronous and never waits for a unit; units and connections only send to it. So nothing can
//! deadlock, and a slow reader slows nobody.

mod conversations;
mod filter;
mod ring;
mod room;
mod roster;
mod subscriber;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use pupitre_model::agent::capacity::Capacity;
use pupitre_model::config::AgentDefinition;
use pupitre_protocol::agent::{AgentState, AgentView};
use pupitre_protocol::event::{AgentStateChanged, Resync, ResyncReason, SubscribeParams, Subscribed};
use pupitre_protocol::{AgentName, Cursor, Epoch, ErrorKind, Event, RpcError, limits};
use tokio::sync::{mpsc, oneshot};

use crate::agent::AgentHandle;
use crate::clock::epoch_ms;

use conversations::Conversing;
use filter::Filter;
use ring::{Published, Rings};
use subscriber::Subscriber;

pub(crate) use conversations::ConversationSurface;
pub(crate) use room::{RoomAnswer, RoomRefused};
pub(crate) use roster::{BegunAgent, Roster};
pub(crate) use subscriber::{Entry, Subscription, TraceFollowers};

/// What units tell the hub. Bounded: a unit waits when the hub has not caught up.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all are events, and a box each would cost more than it saves"
)]
pub(crate) enum UnitEvent {
    /// The view of an agent changed.
    Agent(Box<AgentView>),
    Publish(Event),
    /// An agent wants to start.
    AskRoom {
        agent: AgentName,
        reply: oneshot::Sender<RoomAnswer>,
    },
    /// Nothing of an agent lives, or it no longer wants to start.
    LeaveRoom(AgentName),
    /// An agent that was asked to make room is used.
    Stay(AgentName),
}

/// What connections ask the hub.
enum HubRequest {
    Agents(oneshot::Sender<Vec<AgentView>>),
    Agent(AgentName, oneshot::Sender<Result<AgentHandle, RpcError>>),
    Handles(oneshot::Sender<Vec<AgentHandle>>),
    Conversations(oneshot::Sender<Vec<ConversationSurface>>),
    /// A person has an agent's conversation in view.
    Seen(AgentName, oneshot::Sender<()>),
    Subscribe(SubscribeParams, oneshot::Sender<Result<Subscription, RpcError>>),
    Counters(oneshot::Sender<HubCounters>),
    Configure(Roster, oneshot::Sender<Result<(), RpcError>>),
    Drain(oneshot::Sender<Vec<AgentHandle>>),
}

/// Numbers that the hub knows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HubCounters {
    pub(crate) events: u64,
    pub(crate) dropped: u64,
    pub(crate) subscriptions: u64,
    pub(crate) ring_bytes: u64,
}

/// How far the daemon is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    /// No new work; every unit is being stopped.
    Draining,
}

/// How many events of units may wait for the hub.
const UNIT_EVENTS: usize = 1_024;

/// Reaches the hub.
#[derive(Debug, Clone)]
pub(crate) struct HubHandle {
    requests: mpsc::UnboundedSender<HubRequest>,
    events: mpsc::Sender<UnitEvent>,
    epoch: Epoch,
    trace_followers: TraceFollowers,
}

impl std::fmt::Debug for HubRequest {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("HubRequest")
    }
}

impl HubHandle {
    pub(crate) fn epoch(&self) -> &Epoch {
        &self.epoch
    }

    /// Returns the count of those who follow what goes between the daemon and its agents.
    pub(crate) fn trace_followers(&self) -> TraceFollowers {
        self.trace_followers.clone()
    }

    /// Returns where units send what happened.
    pub(crate) fn events(&self) -> mpsc::Sender<UnitEvent> {
        self.events.clone()
    }

    /// Returns the view of every agent, in the order of the configuration.
    pub(crate) async fn agents(&self) -> Result<Vec<AgentView>, RpcError> {
        self.ask(HubRequest::Agents).await
    }

    /// Returns the handle of an agent.
    pub(crate) async fn agent(&self, name: AgentName) -> Result<AgentHandle, RpcError> {
        self.ask(|reply| HubRequest::Agent(name, reply)).await?
    }

    /// Returns the handle of every agent.
    pub(crate) async fn handles(&self) -> Result<Vec<AgentHandle>, RpcError> {
        self.ask(HubRequest::Handles).await
    }

    /// Returns the conversations of the agents of the configuration, in its order.
    pub(crate) async fn conversations(&self) -> Result<Vec<ConversationSurface>, RpcError> {
        self.ask(HubRequest::Conversations).await
    }

    /// Takes note that a person has an agent's conversation in view.
    pub(crate) async fn seen(&self, agent: AgentName) -> Result<(), RpcError> {
        self.ask(|reply| HubRequest::Seen(agent, reply)).await
    }

    /// Begins a subscription: replays and registers in one turn of the hub, so that nothing falls in between.
    pub(crate) async fn subscribe(&self, params: SubscribeParams) -> Result<Subscription, RpcError> {
        self.ask(|reply| HubRequest::Subscribe(params, reply)).await?
    }

    pub(crate) async fn counters(&self) -> Result<HubCounters, RpcError> {
        self.ask(HubRequest::Counters).await
    }

    /// Changes who is there. Refused once the daemon is shutting down.
    pub(crate) async fn configure(&self, roster: Roster) -> Result<(), RpcError> {
        self.ask(|reply| HubRequest::Configure(roster, reply)).await?
    }

    /// Refuses new work from now on and returns the agents, which the caller stops.
    pub(crate) async fn drain(&self) -> Result<Vec<AgentHandle>, RpcError> {
        self.ask(HubRequest::Drain).await
    }

    async fn ask<Reply>(
        &self,
        request: impl FnOnce(oneshot::Sender<Reply>) -> HubRequest,
    ) -> Result<Reply, RpcError> {
        let gone = || RpcError::new(ErrorKind::ShuttingDown, "the daemon is shutting down");
        let (reply, answer) = oneshot::channel();
        self.requests.send(request(reply)).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())
    }
}

/// The hub's own state.
pub(crate) struct Hub {
    requests: mpsc::UnboundedReceiver<HubRequest>,
    events: mpsc::Receiver<UnitEvent>,
    epoch: Epoch,
    trace_followers: TraceFollowers,
    seq: u64,
    agents: Vec<Registered>,
    capacity: Capacity,
    /// Who waits for the word that it may start.
    asking: Vec<(AgentName, oneshot::Sender<RoomAnswer>)>,
    rings: Rings,
    subscribers: Vec<Subscriber>,
    dropped: u64,
    phase: Phase,
    /// What keeps the configuration file from being used as it is now.
    config_error: Option<String>,
}

struct Registered {
    view: AgentView,
    handle: AgentHandle,
    place: Place,
    conversing: Conversing,
}

/// Whether the configuration has an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Configured,
    /// It is being stopped.
    Leaving,
}

/// Makes the hub's handle, and what becomes the hub once the agents are there.
pub(crate) fn channel(epoch: Epoch) -> (HubHandle, HubInbox) {
    let (requests, requests_in) = mpsc::unbounded_channel();
    let (events, events_in) = mpsc::channel(UNIT_EVENTS);
    let trace_followers = TraceFollowers::default();
    let handle = HubHandle {
        requests,
        events,
        epoch: epoch.clone(),
        trace_followers: trace_followers.clone(),
    };
    (
        handle,
        HubInbox {
            requests: requests_in,
            events: events_in,
            epoch,
            trace_followers,
        },
    )
}

/// The receiving ends of the hub, before it runs.
pub(crate) struct HubInbox {
    requests: mpsc::UnboundedReceiver<HubRequest>,
    events: mpsc::Receiver<UnitEvent>,
    epoch: Epoch,
    trace_followers: TraceFollowers,
}

impl HubInbox {
    /// Returns the hub of these agents.
    pub(crate) fn into_hub(
        self,
        agents: Vec<BegunAgent>,
        most_running: usize,
        config_error: Option<String>,
    ) -> Hub {
        let Self {
            requests,
            events,
            epoch,
            trace_followers,
        } = self;
        let agents = agents.into_iter().map(Registered::from).collect();
        Hub {
            requests,
            events,
            epoch,
            trace_followers,
            seq: 0,
            agents,
            capacity: Capacity::new(most_running),
            asking: Vec::new(),
            rings: Rings::default(),
            subscribers: Vec::new(),
            dropped: 0,
            phase: Phase::Running,
            config_error,
        }
    }
}

impl Hub {
    /// Runs until nobody can reach it any more.
    pub(crate) async fn run(mut self) {
        loop {
            // What units said comes first, so that whoever got an answer from a unit finds its effect here.
            tokio::select! {
                biased;
                event = self.events.recv() => match event {
                    Some(event) => self.take(event),
                    None => return,
                },
                request = self.requests.recv() => match request {
                    Some(request) => self.answer(request),
                    None => return,
                },
            }
        }
    }

    fn take(&mut self, event: UnitEvent) {
        match event {
            UnitEvent::Agent(view) => self.take_view(*view),
            UnitEvent::Publish(event) => self.publish(event),
            UnitEvent::AskRoom { agent, reply } => {
                self.asking.push((agent.clone(), reply));
                let decisions = self.capacity.ask(agent);
                self.carry_out(decisions);
            }
            UnitEvent::LeaveRoom(agent) => {
                self.asking.retain(|(asking, _)| *asking != agent);
                let decisions = self.capacity.left(&agent);
                self.carry_out(decisions);
            }
            UnitEvent::Stay(agent) => {
                let decisions = self.capacity.stays(&agent);
                self.carry_out(decisions);
            }
        }
    }

    fn take_view(&mut self, view: AgentView) {
        self.note_usage(&view);
        let Some(agent) = self.agents.iter_mut().find(|agent| agent.view.name == view.name) else {
            return;
        };
        let shown = |view: &AgentView| AgentStateChanged {
            agent: view.name.clone(),
            state: view.state,
            error: view.error.clone(),
            cause: view.cause.clone(),
            outdated: view.outdated,
            stopping: view.stopping,
        };
        let (before, after) = (shown(&agent.view), shown(&view));
        let described = |view: &AgentView| (view.title.clone(), view.icon.clone(), view.description.clone());
        let redefined = described(&agent.view) != described(&view);
        agent.view = view.clone();
        if before != after || redefined {
            tracing::info!(agent = %after.agent, state = after.state.as_str(), error = after.error, "agent state");
            self.publish(Event::AgentState(after));
        }
        self.follow_view(&view);
    }

    fn publish(&mut self, event: Event) {
        self.seq += 1;
        let agent = ring::agent_of(&event).cloned();
        let surface = ring::surface_of(&event).or_else(|| self.surface_of(agent.as_ref()?));
        let kind = event.kind();
        let line = frame_line(&self.epoch, self.seq, &event).into_boxed_str();
        let published = Arc::new(Published {
            seq: self.seq,
            kind,
            agent: agent.clone(),
            surface,
            line,
        });
        let dropped: u64 = self
            .subscribers
            .iter()
            .map(|subscriber| subscriber.push(&published))
            .sum();
        self.dropped += dropped;
        self.rings.keep(published);
        if let Some(agent) = agent {
            self.follow(&agent, &event);
        }
    }

    fn answer(&mut self, request: HubRequest) {
        // Whoever no longer waits for an answer needs none.
        match request {
            HubRequest::Agents(reply) => {
                reply
                    .send(self.configured().map(|agent| agent.view.clone()).collect())
                    .ok();
            }
            HubRequest::Agent(name, reply) => {
                reply.send(self.find(&name)).ok();
            }
            HubRequest::Handles(reply) => {
                let asked = self.configured().filter(|agent| agent.handle.is_living());
                reply.send(asked.map(|agent| agent.handle.clone()).collect()).ok();
            }
            HubRequest::Conversations(reply) => {
                reply.send(self.conversations()).ok();
            }
            HubRequest::Seen(agent, reply) => {
                self.seen(&agent);
                reply.send(()).ok();
            }
            HubRequest::Configure(roster, reply) => {
                reply.send(self.configure(roster)).ok();
            }
            HubRequest::Subscribe(params, reply) => {
                reply.send(self.subscribe(&params)).ok();
            }
            HubRequest::Counters(reply) => {
                self.subscribers.retain(|subscriber| !subscriber.is_closed());
                let counters = HubCounters {
                    events: self.seq,
                    dropped: self.dropped,
                    subscriptions: self.subscribers.len() as u64,
                    ring_bytes: self.rings.bytes() as u64,
                };
                reply.send(counters).ok();
            }
            HubRequest::Drain(reply) => {
                self.phase = Phase::Draining;
                reply.send(self.all()).ok();
            }
        }
    }

    /// The agents of the configuration, in its order.
    fn configured(&self) -> impl Iterator<Item = &Registered> {
        self.agents
            .iter()
            .filter(|agent| agent.place == Place::Configured)
    }

    /// Every agent, also those that left the configuration and still have to be stopped.
    fn all(&self) -> Vec<AgentHandle> {
        // One whose task has failed can be asked nothing, which is no reason not to ask the others.
        let living = self.agents.iter().filter(|agent| agent.handle.is_living());
        living.map(|agent| agent.handle.clone()).collect()
    }

    fn find(&self, name: &AgentName) -> Result<AgentHandle, RpcError> {
        if self.phase == Phase::Draining {
            return Err(shutting_down());
        }
        if let Some(agent) = self.configured().find(|agent| agent.view.name == *name) {
            return Ok(agent.handle.clone());
        }
        let names: Vec<String> = self
            .configured()
            .map(|agent| agent.view.name.to_string())
            .collect();
        let there = match (&self.config_error, names.as_slice()) {
            (Some(error), []) => format!("the configuration cannot be used: {error}"),
            (Some(error), names) => {
                format!(
                    "there are: {}; the configuration file cannot be used as it is now: {error}",
                    names.join(", ")
                )
            }
            (None, []) => "there is none in the configuration".to_owned(),
            (None, names) => format!("there are: {}", names.join(", ")),
        };
        let message = format!("there is no agent \"{name}\"; {there}");
        Err(RpcError::new(ErrorKind::NotFound, message).with_candidates(names))
    }

    fn subscribe(&mut self, params: &SubscribeParams) -> Result<Subscription, RpcError> {
        self.subscribers.retain(|subscriber| !subscriber.is_closed());
        if self.subscribers.len() >= limits::SUBSCRIPTIONS {
            let message = format!(
                "{} subscriptions are open, which is the limit",
                limits::SUBSCRIPTIONS
            );
            return Err(RpcError::new(ErrorKind::TooManyConnections, message).with_retry_after_ms(1_000));
        }
        let filter = Filter::new(params);
        let (cursor_seq, rest) = self.beginning(params.since.as_ref(), &filter);
        let cursor = Cursor {
            epoch: self.epoch.clone(),
            seq: cursor_seq,
        };
        let mut entries = vec![Entry::Control {
            seq: cursor_seq,
            event: Box::new(Event::Subscribed(Subscribed {
                cursor: cursor.clone(),
            })),
        }];
        entries.extend(rest);
        let (subscriber, subscription) =
            subscriber::pair(cursor, self.seq, filter, entries, &self.trace_followers);
        self.subscribers.push(subscriber);
        Ok(subscription)
    }

    /// Returns where a new stream stands at its first frame, and what follows that at once.
    fn beginning(&self, since: Option<&Cursor>, filter: &Filter) -> (u64, Vec<Entry>) {
        let now = self.seq;
        let resync = |reason| (now, vec![Entry::resync(now, Resync { reason })]);
        match since {
            None => (now, Vec::new()),
            Some(cursor) if cursor.epoch != self.epoch => resync(ResyncReason::EpochChanged),
            Some(cursor) if cursor.seq > now => resync(ResyncReason::CursorUnknown),
            Some(cursor) => match self.rings.replay(cursor.seq, filter) {
                Ok(entries) => (cursor.seq, entries),
                Err(ring::TooOld) => resync(ResyncReason::CursorTooOld),
            },
        }
    }
}

fn shutting_down() -> RpcError {
    RpcError::new(ErrorKind::ShuttingDown, "the daemon is shutting down")
}

/// Returns the line of a frame that stands at `seq` now.
fn frame_line(epoch: &Epoch, seq: u64, event: &Event) -> String {
    let stamp = pupitre_protocol::event::Stamp {
        epoch: epoch.clone(),
        seq,
        ts: epoch_ms(),
    };
    stamp.line_of(event)
}

/// Returns the view of an agent that has not been started.
pub(crate) fn resting_view(definition: &AgentDefinition) -> AgentView {
    AgentView {
        name: definition.name.clone(),
        title: definition.title.clone(),
        icon: definition.icon.clone(),
        description: definition.description.clone(),
        state: AgentState::Stopped,
        error: None,
        cause: None,
        outdated: false,
        stopping: false,
        pid: None,
        version: None,
        started_at: None,
        capabilities: None,
        auth_methods: Vec::new(),
    }
}
