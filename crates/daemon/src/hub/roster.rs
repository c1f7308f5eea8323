//! Who is there: the agents of the configuration, as they come and go.

use pupitre_protocol::agent::AgentView;
use pupitre_protocol::{AgentName, Event, RpcError, SurfaceId};

use super::conversations::Conversing;
use super::{Hub, Phase, Place, Registered, shutting_down};
use crate::agent::AgentHandle;

/// Who is there from now on. Whoever is in neither list is gone.
pub(crate) struct Roster {
    /// The agents of the configuration, in its order.
    pub(crate) configured: Vec<AgentName>,
    /// Agents that left the configuration and are being stopped: they are shown no more.
    pub(crate) leaving: Vec<AgentName>,
    /// Those of the agents that were not there before.
    pub(crate) new: Vec<BegunAgent>,
    /// How many agents may have a process at once.
    pub(crate) most_running: usize,
    /// What keeps the file from being used as it is now.
    pub(crate) config_error: Option<String>,
}

/// An agent whose task has begun.
pub(crate) struct BegunAgent {
    pub(crate) view: AgentView,
    pub(crate) handle: AgentHandle,
    /// The surface of its conversations.
    pub(crate) surface: SurfaceId,
}

impl From<BegunAgent> for Registered {
    fn from(begun: BegunAgent) -> Self {
        let BegunAgent {
            view,
            handle,
            surface,
        } = begun;
        Self {
            conversing: Conversing::new(surface, &view),
            view,
            handle,
            place: Place::Configured,
        }
    }
}

impl Hub {
    pub(super) fn configure(&mut self, roster: Roster) -> Result<(), RpcError> {
        let Roster {
            configured,
            leaving,
            new,
            most_running,
            config_error,
        } = roster;
        if self.phase == Phase::Draining {
            return Err(shutting_down());
        }
        self.config_error = config_error;
        let opened: Vec<Registered> = new.into_iter().map(Registered::from).collect();
        let mut news: Vec<Event> = opened
            .iter()
            .map(|agent| Event::SurfaceOpened(agent.surface_view()))
            .collect();
        self.agents.extend(opened);
        let place = |name: &AgentName| configured.iter().position(|other| other == name);
        self.agents
            .retain(|agent| place(&agent.view.name).is_some() || leaving.contains(&agent.view.name));
        for agent in &mut self.agents {
            let before = agent.place;
            agent.place = match place(&agent.view.name) {
                Some(_) => Place::Configured,
                None => Place::Leaving,
            };
            match (before, agent.place) {
                (Place::Configured, Place::Leaving) => news.push(agent.closed()),
                (Place::Leaving, Place::Configured) => {
                    news.push(Event::SurfaceOpened(agent.surface_view()));
                }
                (Place::Configured, Place::Configured) | (Place::Leaving, Place::Leaving) => {}
            }
        }
        self.agents
            .sort_by_key(|agent| place(&agent.view.name).unwrap_or(usize::MAX));
        for event in news {
            self.publish(event);
        }
        let decisions = self.capacity.set_most(most_running);
        self.carry_out(decisions);
        Ok(())
    }
}
