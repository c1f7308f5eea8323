//! Workspaces: made, selected, laid out and closed, with what is in them.

use pupitre_model::workspace::{PlaceError, Workspaces};
use pupitre_protocol::workspace::{Layout, WorkspaceView};
use pupitre_protocol::{ErrorKind, RpcError, WorkspaceId};

use super::{Surfaces, not_named};
use crate::pane::Pane;

impl Surfaces {
    pub(crate) fn workspaces(&self) -> Vec<WorkspaceView> {
        self.lock().workspaces.views()
    }

    /// Makes an empty workspace.
    ///
    /// # Errors
    ///
    /// When the name may not be given, or there are too many.
    pub(crate) fn create_workspace(&self, name: Option<&str>) -> Result<WorkspaceView, RpcError> {
        let id = WorkspaceId(self.number()?);
        self.arrange(|workspaces| {
            workspaces.create(id, name).map_err(|error| not_named(&error))?;
            Ok(id)
        })
    }

    pub(crate) fn select_workspace(&self, workspace: &str) -> Result<WorkspaceView, RpcError> {
        self.arrange(|workspaces| {
            let id = workspaces.resolve(workspace)?;
            workspaces.select(id);
            Ok(id)
        })
    }

    /// Gives a workspace another name.
    ///
    /// # Errors
    ///
    /// When there is no such workspace, or the name may not be given or is another one's.
    pub(crate) fn rename_workspace(&self, workspace: &str, name: &str) -> Result<WorkspaceView, RpcError> {
        self.arrange(|workspaces| {
            let id = workspaces.resolve(workspace)?;
            workspaces.rename(id, name).map_err(|error| not_named(&error))?;
            Ok(id)
        })
    }

    pub(crate) fn set_layout(&self, workspace: &str, layout: Layout) -> Result<WorkspaceView, RpcError> {
        self.arrange(|workspaces| {
            let id = workspaces.resolve(workspace)?;
            workspaces
                .set_layout(id, layout)
                .map_err(|error: PlaceError| RpcError::new(ErrorKind::InvalidParams, error.to_string()))?;
            Ok(id)
        })
    }

    /// Brings a pane into view: its workspace becomes the current one.
    pub(crate) fn focus(&self, pane: &Pane) {
        let mut registry = self.lock();
        if registry.workspaces.focus(pane.id()).is_some() {
            self.tell_workspaces(&registry);
        }
    }

    /// Closes a workspace with all its panes; answers when nothing of them is left.
    ///
    /// # Errors
    ///
    /// When there is no such workspace.
    pub(crate) async fn close_workspace(&self, workspace: &str) -> Result<(), RpcError> {
        let (id, panes) = {
            let registry = self.lock();
            let id = registry.workspaces.resolve(workspace)?;
            let panes = registry
                .panes
                .values()
                .filter(|pane| registry.workspaces.of(pane.id()) == Some(id));
            (id, panes.cloned().collect())
        };
        self.close_all(panes).await;
        let left = {
            let mut registry = self.lock();
            let left = registry.workspaces.close(id).unwrap_or_default();
            self.tell_workspaces(&registry);
            left.into_iter()
                .filter_map(|surface| registry.panes.get(&surface).cloned())
                .collect()
        };
        // One that was made meanwhile goes with it.
        self.close_all(left).await;
        Ok(())
    }

    pub(super) fn arrange(
        &self,
        change: impl FnOnce(&mut Workspaces) -> Result<WorkspaceId, RpcError>,
    ) -> Result<WorkspaceView, RpcError> {
        let mut registry = self.lock();
        let id = change(&mut registry.workspaces)?;
        self.tell_workspaces(&registry);
        let views = registry.workspaces.views();
        Ok(views
            .into_iter()
            .find(|view| view.workspace == id)
            .expect("it was just changed"))
    }
}
