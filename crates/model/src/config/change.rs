//! What a new configuration changes, so that whoever applies it does only that.

use pupitre_protocol::AgentName;

use super::{AgentDefinition, Config, Limits};

/// The difference between two configurations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigChange {
    pub agents: AgentsChange,
    /// The new limits, when they are others.
    pub limits: Option<Limits>,
}

/// What becomes of the agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentsChange {
    /// Stopped, then gone.
    pub removed: Vec<AgentName>,
    pub added: Vec<AgentDefinition>,
    /// Used at the next start; one that runs is outdated until then.
    pub changed: Vec<AgentDefinition>,
    /// All agents, in their new order.
    pub order: Vec<AgentName>,
}

impl ConfigChange {
    /// Returns what leads from one configuration to the other.
    pub fn between(old: &Config, new: &Config) -> Self {
        let find = |config: &Config, name: &AgentName| -> Option<AgentDefinition> {
            config.agents.iter().find(|agent| agent.name == *name).cloned()
        };
        let mut agents = AgentsChange {
            removed: old
                .agents
                .iter()
                .map(|agent| &agent.name)
                .filter(|name| find(new, name).is_none())
                .cloned()
                .collect(),
            order: new.agents.iter().map(|agent| agent.name.clone()).collect(),
            ..AgentsChange::default()
        };
        for agent in &new.agents {
            match find(old, &agent.name) {
                None => agents.added.push(agent.clone()),
                Some(before) if before != *agent => agents.changed.push(agent.clone()),
                Some(_) => {}
            }
        }
        Self {
            agents,
            limits: (old.limits != new.limits).then_some(new.limits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(agents: &[(&str, &str)]) -> Config {
        let agents = agents
            .iter()
            .map(|(name, command)| AgentDefinition::new(name.parse().expect("a name"), *command));
        Config {
            agents: agents.collect(),
            ..Config::default()
        }
    }

    #[test]
    fn a_change_names_what_is_new_gone_and_different() {
        let old = config(&[("a", "x"), ("b", "x"), ("c", "x")]);
        let new = config(&[("c", "x"), ("d", "x"), ("b", "y")]);
        let change = ConfigChange::between(&old, &new);
        let names = |agents: &[AgentDefinition]| -> Vec<String> {
            agents.iter().map(|agent| agent.name.to_string()).collect()
        };
        assert_eq!(change.agents.removed, ["a".parse().expect("a name")]);
        assert_eq!(names(&change.agents.added), ["d"]);
        assert_eq!(names(&change.agents.changed), ["b"]);
        assert_eq!(change.agents.order.len(), 3);
        assert_eq!(change.agents.order[0].as_str(), "c");
        assert_eq!(change.limits, None);
        let nothing = ConfigChange::between(&new, &new).agents;
        assert!(nothing.added.is_empty() && nothing.removed.is_empty() && nothing.changed.is_empty());
    }
}
