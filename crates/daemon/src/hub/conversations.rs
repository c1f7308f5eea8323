//! Agents' conversations as surfaces: what the hub knows of each from what it publishes.

use pupitre_protocol::surface::{StateChanged, SurfaceClosed, SurfaceKind, SurfaceView};
use pupitre_protocol::{AgentName, Event, SurfaceId};

use pupitre_model::fleet::acp::{AcpStanding, Change};
use pupitre_protocol::agent::AgentView;

use super::{Hub, Registered};
use crate::agent::AgentHandle;
use crate::clock::epoch_ms;

/// A conversation as a surface, with its agent.
#[derive(Debug, Clone)]
pub(crate) struct ConversationSurface {
    pub(crate) view: SurfaceView,
    pub(crate) handle: AgentHandle,
    /// The turn that runs, or the last one.
    pub(crate) turn: Option<String>,
    pub(crate) waiting_ms: Option<u64>,
    pub(crate) idle_ms: Option<u64>,
    /// The agent has a process, or failed.
    pub(crate) is_at_work: bool,
}

/// What of an agent makes its conversation a surface.
#[derive(Debug)]
pub(super) struct Conversing {
    pub(super) surface: SurfaceId,
    standing: AcpStanding,
    /// Grows with everything that is published of the conversation.
    generation: u64,
    begun_at: u64,
}

impl Conversing {
    pub(super) fn new(surface: SurfaceId, view: &AgentView) -> Self {
        let now = epoch_ms();
        let mut standing = AcpStanding::new(view.name.clone(), now);
        // It is told as a whole when the surface is.
        let _: Change = standing.agent(view, now);
        Self {
            surface,
            standing,
            generation: 0,
            begun_at: now,
        }
    }
}

impl Registered {
    pub(super) fn surface_view(&self) -> SurfaceView {
        SurfaceView {
            surface_id: self.conversing.surface,
            surface_name: self.view.name.to_string(),
            kind: SurfaceKind::Acp,
            workspace: None,
            title: Some(self.view.title.clone()),
            command: None,
            cwd: None,
            columns: 0,
            rows: 0,
            output_generation: self.conversing.generation,
            created_at: self.conversing.begun_at,
            exit_status: None,
            standing: self.conversing.standing.standing(),
        }
    }

    fn state_changed(&self) -> Event {
        Event::StateChanged(StateChanged {
            surface_id: self.conversing.surface,
            surface_name: self.view.name.to_string(),
            kind: SurfaceKind::Acp,
            workspace: None,
            standing: self.conversing.standing.standing(),
        })
    }

    pub(super) fn closed(&self) -> Event {
        Event::SurfaceClosed(SurfaceClosed {
            surface_id: self.conversing.surface,
            surface_name: self.view.name.to_string(),
            workspace: None,
        })
    }
}

impl Hub {
    /// Returns the conversations of the agents of the configuration, in its order.
    pub(super) fn conversations(&self) -> Vec<ConversationSurface> {
        let now = epoch_ms();
        self.configured()
            .map(|agent| {
                let standing = &agent.conversing.standing;
                ConversationSurface {
                    view: agent.surface_view(),
                    handle: agent.handle.clone(),
                    turn: standing.turn(),
                    waiting_ms: standing.waiting_ms(now),
                    idle_ms: standing.idle_ms(now),
                    is_at_work: standing.is_in_fleet(),
                }
            })
            .collect()
    }

    /// Returns the surface of an agent.
    pub(super) fn surface_of(&self, agent: &AgentName) -> Option<SurfaceId> {
        let agent = self.agents.iter().find(|known| known.view.name == *agent)?;
        Some(agent.conversing.surface)
    }

    /// Follows what is published of an agent; tells when that changes its conversation's state.
    pub(super) fn follow(&mut self, agent: &AgentName, event: &Event) {
        self.stand(agent, |conversing, now| {
            match event {
                Event::MessageUpdated(_) | Event::MessageDelta(_) | Event::ConversationChanged(_) => {
                    conversing.generation += 1;
                }
                _ => {}
            }
            conversing.standing.event(event, now)
        });
    }

    /// Takes an agent's view for its conversation's state.
    pub(super) fn follow_view(&mut self, view: &AgentView) {
        self.stand(&view.name, |conversing, now| conversing.standing.agent(view, now));
    }

    /// A person has the conversation in view.
    pub(super) fn seen(&mut self, agent: &AgentName) {
        self.stand(agent, |conversing, now| conversing.standing.seen(now));
    }

    fn stand(&mut self, agent: &AgentName, change: impl FnOnce(&mut Conversing, u64) -> Change) {
        let Some(agent) = self.agents.iter_mut().find(|known| known.view.name == *agent) else {
            return;
        };
        match change(&mut agent.conversing, epoch_ms()) {
            Change::State => {
                let event = agent.state_changed();
                self.publish(event);
            }
            Change::Texts => {
                let event = Event::SurfaceChanged(agent.surface_view());
                self.publish(event);
            }
            Change::Nothing => {}
        }
    }
}
