//! Panes of commands that agents have run for them (ACP: terminals): in a workspace of the agent's name, and the last
//! ones readable after their end.

use pupitre_model::pane::name;
use pupitre_model::workspace::Workspace;
use pupitre_protocol::limits::{AGENT_TERMINALS_KEPT, PANES};
use pupitre_protocol::surface::PaneSize;
use pupitre_protocol::{AgentName, ErrorKind, RpcError, SurfaceId, WorkspaceId};

use super::{PanePlace, Surfaces};
use crate::clock::epoch_ms;
use crate::pane::{NewPane, Pane, PaneName, PaneProgram, PlaceOf};
use crate::process::Program;

/// Wide, because what programs cut or break to a width is lost to the agent.
const COMMAND_SIZE: PaneSize = PaneSize {
    columns: 200,
    rows: 50,
};

/// What the pane of a command is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandName {
    /// After its program.
    Derived,
    /// After the agent, since its user is told where to go.
    Login,
}

impl Surfaces {
    /// Makes a pane with a command of an agent. The oldest ended ones of that agent are closed for it.
    ///
    /// # Errors
    ///
    /// When the limit is reached or the command cannot be started; then nothing is made.
    pub(crate) async fn create_for_agent(
        &self,
        agent: &AgentName,
        program: Program,
        name: CommandName,
    ) -> Result<Pane, RpcError> {
        self.close_all(self.superseded_by(agent)).await;
        let mut starting = self.begin_start()?;
        let id = SurfaceId(self.number()?);
        let workspace = self.workspace_of_agent(agent)?;
        let place = PlaceOf {
            surface: id,
            workspace,
            socket: &self.inner.socket,
        };
        let program = PaneProgram::of_agent(program, &place);
        let agents = self.agent_names().await?;
        let name = match name {
            CommandName::Derived => self.derive_name(&program, &mut starting, &agents),
            CommandName::Login => {
                let mut registry = self.lock();
                let name = registry.unique_name(&format!("{agent}-login"), None, &agents);
                starting.reserve(&mut registry, &name);
                PaneName::Given(name)
            }
        };
        let new = NewPane {
            id,
            workspace,
            name,
            program,
            agent: Some(agent.clone()),
            size: COMMAND_SIZE,
            created_at: epoch_ms(),
        };
        let pane = self.start(new).await?;
        self.admit(pane.clone(), workspace, PanePlace::InWorkspace)
            .await?;
        Ok(pane)
    }

    /// Says whether there is such a pane, and it runs a command for this agent.
    pub(crate) fn runs_for(&self, pane: SurfaceId, agent: &AgentName) -> bool {
        self.lock()
            .panes
            .get(&pane)
            .is_some_and(|pane| pane.agent() == Some(agent))
    }

    /// Returns the ended panes that make room for another one of an agent, those of others too when nothing else is left.
    fn superseded_by(&self, agent: &AgentName) -> Vec<Pane> {
        let registry = self.lock();
        let ended = || {
            let all = registry.panes.values();
            all.filter(|pane| pane.agent().is_some() && pane.inspect(|state| state.exit_status().is_some()))
        };
        // Their ids grow, so the oldest come first.
        let own: Vec<Pane> = ended()
            .filter(|pane| pane.agent() == Some(agent))
            .cloned()
            .collect();
        let too_many = (own.len() + 1).saturating_sub(AGENT_TERMINALS_KEPT);
        let mut superseded: Vec<Pane> = own.into_iter().take(too_many).collect();
        let is_full = registry.panes.len() + registry.starting >= PANES;
        if is_full && superseded.is_empty() {
            superseded.extend(ended().next().cloned());
        }
        superseded
    }

    /// Returns the workspace of an agent's commands, made if there is none. It does not become the current one.
    fn workspace_of_agent(&self, agent: &AgentName) -> Result<WorkspaceId, RpcError> {
        let known = |registry: &super::Registry| {
            let id = registry.of_agents.get(agent)?;
            registry.workspaces.get(*id).map(Workspace::id)
        };
        if let Some(known) = known(&self.lock()) {
            return Ok(known);
        }
        let id = WorkspaceId(self.number()?);
        let mut registry = self.lock();
        // Another command may have made it meanwhile.
        if let Some(known) = known(&registry) {
            return Ok(known);
        }
        let before = registry.workspaces.current().map(Workspace::id);
        let views = registry.workspaces.views();
        let wanted = name::unique(agent.as_str(), |name| {
            views
                .iter()
                .any(|view| view.name.to_lowercase() == name.to_lowercase())
        });
        registry
            .workspaces
            .create(id, Some(&wanted))
            .map_err(|error| RpcError::new(ErrorKind::StartFailed, error.to_string()))?;
        if let Some(before) = before {
            registry.workspaces.select(before);
        }
        registry.of_agents.insert(agent.clone(), id);
        self.tell_workspaces(&registry);
        Ok(id)
    }
}
