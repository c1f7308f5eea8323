//! The agents of the configuration that is in force: begun, given new definitions, let go.
//!
//! The one place where a change of the file reaches the agents' tasks and the hub's registry.

use std::path::Path;
use std::sync::Arc;

use pupitre_model::config::{AgentDefinition, AgentsChange, Config, ConfigChange, Limits};
use pupitre_protocol::{AgentName, RpcError};
use tokio::sync::mpsc;

use crate::agent::{AgentContext, AgentHandle, AgentRequest};
use crate::hub::{BegunAgent, HubHandle, Roster};
use crate::serve::{BeginError, begin_agent};

/// The agents that there are, also those that are being stopped for good.
pub(crate) struct Agents {
    hub: HubHandle,
    context: Arc<AgentContext>,
    limits: Limits,
    /// What keeps the file from being used as it is now.
    error: Option<String>,
    known: Vec<Known>,
    stopped: mpsc::UnboundedSender<AgentName>,
    stops: mpsc::UnboundedReceiver<AgentName>,
}

struct Known {
    handle: AgentHandle,
    place: Place,
}

/// Whether the configuration has an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Configured,
    /// It left the configuration, and is being stopped.
    Leaving,
}

/// Why a change did not reach the agents.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApplyError {
    #[error(transparent)]
    Begin(#[from] BeginError),
    #[error(transparent)]
    Hub(#[from] RpcError),
}

impl Agents {
    /// Returns the agents that were begun with the daemon.
    pub(crate) fn new(
        hub: HubHandle,
        context: Arc<AgentContext>,
        handles: Vec<AgentHandle>,
        limits: Limits,
    ) -> Self {
        let (stopped, stops) = mpsc::unbounded_channel();
        let known = handles.into_iter().map(|handle| Known {
            handle,
            place: Place::Configured,
        });
        Self {
            hub,
            context,
            limits,
            error: None,
            known: known.collect(),
            stopped,
            stops,
        }
    }

    /// Waits until an agent that left the configuration has stopped.
    pub(super) async fn next_stop(&mut self) -> AgentName {
        let name = self.stops.recv().await;
        name.expect("we hold a sender ourselves, so that the channel never ends")
    }

    /// Lets an agent go that has stopped, unless it has come back meanwhile.
    pub(super) async fn let_go(&mut self, name: &AgentName) {
        self.known
            .retain(|known| known.place == Place::Configured || known.handle.name() != name);
        if let Err(error) = self.show(Vec::new()).await {
            tracing::debug!(%error, "an agent that left the configuration stays in the registry");
        }
    }

    /// Does what a change of the configuration asks for. `error` is what keeps the file from being used.
    pub(super) async fn apply(
        &mut self,
        change: ConfigChange,
        error: Option<String>,
    ) -> Result<(), ApplyError> {
        self.error = error;
        if let Some(limits) = change.limits {
            self.set_limits(limits);
        }
        self.change(change.agents).await
    }

    async fn change(&mut self, change: AgentsChange) -> Result<(), ApplyError> {
        let AgentsChange {
            removed,
            added,
            changed,
            order,
        } = change;
        for name in removed {
            self.leave(&name);
        }
        let mut new = Vec::new();
        for definition in added {
            // One that is still being stopped comes back as it is.
            if self.define(&definition) {
                continue;
            }
            let begun = begin_agent(&self.context, &definition).await?;
            self.known.push(Known {
                handle: begun.handle.clone(),
                place: Place::Configured,
            });
            new.push(begun);
        }
        for definition in changed {
            self.define(&definition);
        }
        let place = |known: &Known| order.iter().position(|name| name == known.handle.name());
        self.known.sort_by_key(|known| place(known).unwrap_or(usize::MAX));
        self.show(new).await
    }

    /// Stops every agent, waits for that, and begins these, whose conversations belong to another file.
    pub(super) async fn replace(
        &mut self,
        file: &Path,
        config: &Config,
        error: Option<String>,
    ) -> Result<(), ApplyError> {
        self.error = error;
        // Nobody finds them any more, but what becomes of them is told.
        for known in &mut self.known {
            known.place = Place::Leaving;
        }
        self.show(Vec::new()).await?;
        let handles = self.known.drain(..).map(|known| known.handle);
        let stops: Vec<_> = handles
            .map(|handle| self.context.world.tasks.spawn(stop(handle)))
            .collect();
        for stop in stops {
            if let Err(error) = stop.await {
                tracing::error!(%error, "an agent could not be stopped");
            }
        }
        self.show(Vec::new()).await?;
        self.context = Arc::new(AgentContext {
            config: file.display().to_string(),
            ..AgentContext::clone(&self.context)
        });
        self.set_limits(config.limits);
        let begun = AgentsChange {
            added: config.agents.clone(),
            order: config
                .agents
                .iter()
                .map(|definition| definition.name.clone())
                .collect(),
            ..AgentsChange::default()
        };
        self.change(begun).await
    }

    /// Takes new limits; how many agents may run, the hub is told when it is shown who is there.
    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.context = Arc::new(AgentContext {
            idle_stop: limits.idle_stop,
            stall_after_ms: limits.stall_after_ms,
            ..AgentContext::clone(&self.context)
        });
        for known in &self.known {
            known.handle.tell(AgentRequest::SetLimits(limits));
        }
    }

    fn leave(&mut self, name: &AgentName) {
        let Some(known) = self.known.iter_mut().find(|known| known.handle.name() == name) else {
            return;
        };
        known.place = Place::Leaving;
        let handle = known.handle.clone();
        let stopped = self.stopped.clone();
        self.context.world.tasks.spawn(async move {
            let name = handle.name().clone();
            stop(handle).await;
            // Nobody waits for it when the daemon ends.
            stopped.send(name).ok();
        });
    }

    /// Gives an agent that is known its new definition; returns whether it is known.
    fn define(&mut self, definition: &AgentDefinition) -> bool {
        let known = self
            .known
            .iter_mut()
            .find(|known| *known.handle.name() == definition.name);
        let Some(known) = known else { return false };
        known.place = Place::Configured;
        known
            .handle
            .tell(AgentRequest::Define(Box::new(definition.clone())));
        true
    }

    /// Shows the hub who is there now, and in which order.
    async fn show(&self, new: Vec<BegunAgent>) -> Result<(), ApplyError> {
        let names = |place: Place| -> Vec<AgentName> {
            let known = self.known.iter().filter(|known| known.place == place);
            known.map(|known| known.handle.name().clone()).collect()
        };
        self.hub
            .configure(Roster {
                configured: names(Place::Configured),
                leaving: names(Place::Leaving),
                new,
                most_running: self.limits.running_agents,
                config_error: self.error.clone(),
            })
            .await?;
        self.context.surfaces.make_way().await;
        Ok(())
    }
}

async fn stop(agent: AgentHandle) {
    if let Err(error) = agent.ask(AgentRequest::Stop).await {
        tracing::error!(agent = %agent.name(), %error, "the agent could not be stopped");
    }
}
