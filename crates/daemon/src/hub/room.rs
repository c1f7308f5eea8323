//! Room for one more agent: what the capacity decides, carried out.

use std::collections::VecDeque;

use pupitre_model::agent::capacity::{Decision, too_many_agents};
use pupitre_model::reason::Reason;
use pupitre_protocol::agent::{AgentState, AgentView};
use pupitre_protocol::{AgentName, Cause};

use super::Hub;

/// Whether an agent may start.
pub(crate) type RoomAnswer = Result<(), RoomRefused>;

/// Why an agent may not start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RoomRefused {
    pub(crate) reason: Reason,
}

impl RoomRefused {
    pub(crate) fn shutting_down() -> Self {
        Self {
            reason: Reason::new("the daemon is shutting down", Cause::DaemonEnded),
        }
    }
}

impl Hub {
    pub(super) fn carry_out(&mut self, decisions: Vec<Decision>) {
        let mut decisions = VecDeque::from(decisions);
        while let Some(decision) = decisions.pop_front() {
            match decision {
                Decision::Give(agent) => self.answer_asking(&agent, Ok(())),
                Decision::Refuse { agent, busy } => {
                    let in_order = self.agents.iter().map(|agent| &agent.view.name);
                    let busy: Vec<AgentName> = in_order.filter(|name| busy.contains(name)).cloned().collect();
                    let most = self.capacity.most();
                    let words = too_many_agents(&busy, most);
                    let limit = u32::try_from(most).unwrap_or(u32::MAX);
                    let reason = Reason::new(words, Cause::TooManyAgents { busy, limit });
                    self.answer_asking(&agent, Err(RoomRefused { reason }));
                }
                Decision::Evict(name) => {
                    tracing::info!(agent = %name, "stopped to make room for another agent");
                    let agent = self.agents.iter().find(|agent| agent.view.name == name);
                    // A task that has failed has nothing to stop; its guard ends what is left.
                    if !agent.is_some_and(|agent| agent.handle.make_room()) {
                        decisions.extend(self.capacity.left(&name));
                    }
                }
            }
        }
    }

    fn answer_asking(&mut self, agent: &AgentName, answer: RoomAnswer) {
        if let Some(place) = self.asking.iter().position(|(asking, _)| asking == agent) {
            let (_, reply) = self.asking.remove(place);
            // A task that no longer waits says so with `LeaveRoom`.
            reply.send(answer).ok();
        }
    }

    /// Tells the capacity whether an agent is used, from what is shown of it.
    pub(super) fn note_usage(&mut self, view: &AgentView) {
        match view.state {
            AgentState::Ready if !view.stopping => {
                let decisions = self.capacity.idle(&view.name);
                self.carry_out(decisions);
            }
            AgentState::Stopped
            | AgentState::Starting
            | AgentState::Ready
            | AgentState::Busy
            | AgentState::Error => self.capacity.busy(&view.name),
        }
    }
}
