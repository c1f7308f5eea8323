//! The names of panes: given and kept, or after their program; each one surface's alone. Looked for and taken under one
//! lock.

use pupitre_model::pane::name;
use pupitre_protocol::{AgentName, Cause, ErrorKind, RpcError, SurfaceId};

use super::{NameWish, Registry, Surfaces};
use crate::pane::{Pane, PaneName};

impl Surfaces {
    pub(super) async fn agent_names(&self) -> Result<Vec<AgentName>, RpcError> {
        let agents = self.inner.hub.agents().await?;
        Ok(agents.into_iter().map(|agent| agent.name).collect())
    }

    /// Calls a pane after its program, unless a person has named it meanwhile.
    pub(super) async fn grant(&self, wish: NameWish) {
        let Ok(agents) = self.agent_names().await else {
            return;
        };
        let registry = self.lock();
        let Some(pane) = registry.panes.get(&wish.surface) else {
            return;
        };
        let name = registry.unique_name(&wish.name, Some(wish.surface), &agents);
        let current = pane.inspect(|state| state.name().clone());
        if matches!(&current, PaneName::Derived(current) if *current != name) {
            pane.rename(PaneName::Derived(name));
        }
    }

    /// Has panes that are only called after their programs leave their names to agents that came since. A name that a
    /// person gave stays: whoever means it is asked which of the two.
    pub(crate) async fn make_way(&self) {
        let Ok(agents) = self.agent_names().await else {
            return;
        };
        let registry = self.lock();
        for pane in registry.panes.values() {
            if let PaneName::Derived(name) = pane.inspect(|state| state.name().clone()) {
                let free = registry.unique_name(&name, Some(pane.id()), &agents);
                if free != name {
                    pane.rename(PaneName::Derived(free));
                }
            }
        }
    }

    /// Gives a pane a name, which it keeps.
    ///
    /// # Errors
    ///
    /// When the name may not be given, or somebody else has it.
    pub(crate) async fn rename(&self, pane: &Pane, name: &str) -> Result<(), RpcError> {
        name::check(name).map_err(|error| {
            RpcError::new(ErrorKind::InvalidParams, error.to_string()).with_cause(error.cause())
        })?;
        let agents = self.agent_names().await?;
        let registry = self.lock();
        registry.free_name(name, Some(pane.id()), &agents)?;
        pane.rename(PaneName::Given(name.to_owned()));
        Ok(())
    }
}

impl Registry {
    /// Makes a name free for whoever was given it: a pane that is only called so after its program is called otherwise.
    pub(super) fn free_name(
        &self,
        wanted: &str,
        of: Option<SurfaceId>,
        agents: &[AgentName],
    ) -> Result<(), RpcError> {
        let is_same = |name: &str| name.to_lowercase() == wanted.to_lowercase();
        let taken = |by: String| {
            let message = format!("the name \"{wanted}\" is taken by {by}: choose another");
            RpcError::new(ErrorKind::InvalidParams, message).with_cause(Cause::NameTaken {
                name: wanted.to_owned(),
            })
        };
        if let Some(agent) = agents.iter().find(|agent| is_same(agent.as_str())) {
            return Err(taken(format!("the agent {agent}")));
        }
        if self.reserved.iter().any(|reserved| is_same(reserved)) {
            return Err(taken("a pane that is being made".to_owned()));
        }
        let others = || self.panes.values().filter(|pane| Some(pane.id()) != of);
        let holder = others().find(|pane| pane.inspect(|state| is_same(state.name().as_str())));
        match holder.map(|pane| (pane, pane.inspect(|state| state.name().clone()))) {
            None => Ok(()),
            Some((pane, PaneName::Given(_))) => Err(taken(format!("pane {}", pane.id()))),
            Some((pane, PaneName::Derived(name))) => {
                let taken = self.taken(Some(pane.id()), agents);
                let other = name::unique(&name, |name| {
                    is_same(name) || taken.contains(&name.to_lowercase())
                });
                pane.rename(PaneName::Derived(other));
                Ok(())
            }
        }
    }

    /// Returns a name that nobody has, made from this one.
    pub(super) fn unique_name(&self, wanted: &str, of: Option<SurfaceId>, agents: &[AgentName]) -> String {
        let taken = self.taken(of, agents);
        name::unique(wanted, |name| taken.contains(&name.to_lowercase()))
    }

    /// Returns the names of everybody but this one, in lower case.
    fn taken(&self, of: Option<SurfaceId>, agents: &[AgentName]) -> Vec<String> {
        let others = self.panes.values().filter(|pane| Some(pane.id()) != of);
        let of_panes = others.map(|pane| pane.inspect(|state| state.name().as_str().to_lowercase()));
        let of_agents = agents.iter().map(|agent| agent.as_str().to_lowercase());
        let reserved = self.reserved.iter().map(|name| name.to_lowercase());
        of_panes.chain(of_agents).chain(reserved).collect()
    }
}
