//! Workspaces: which panes belong together, how they share the area, which one has the focus, which workspace is current.
//!
//! Responsible for layouts that are always sound; knows nothing of what runs in a pane.

pub mod layout;

use pupitre_protocol::limits::WORKSPACES;
use pupitre_protocol::workspace::{Direction, Layout, WorkspaceView};
use pupitre_protocol::{Cause, ErrorKind, RpcError, SurfaceId, WorkspaceId};

use crate::pane::name::{self, NameError};
use crate::pane::select::{listed, quoted};
use layout::LayoutError;

/// Every workspace, in the order in which they were made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Workspaces {
    list: Vec<Workspace>,
    current: Option<WorkspaceId>,
}

/// One workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    id: WorkspaceId,
    name: String,
    focused: Option<SurfaceId>,
    layout: Option<Layout>,
}

/// Says why there is no new workspace, or no new name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NamingError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("there is a workspace called \"{name}\" already")]
    Taken { name: String },
    #[error("there are {WORKSPACES} workspaces already: close one first")]
    TooMany,
    #[error("there is no workspace {id}")]
    NoSuchWorkspace { id: WorkspaceId },
}

impl NamingError {
    /// Returns the same for a program, where it has words for it.
    pub fn cause(&self) -> Option<Cause> {
        match self {
            Self::Name(error) => Some(error.cause()),
            Self::Taken { name } => Some(Cause::NameTaken { name: name.clone() }),
            Self::TooMany => Some(Cause::TooManyWorkspaces {
                most: u32::try_from(WORKSPACES).expect("the limit is small"),
            }),
            Self::NoSuchWorkspace { .. } => None,
        }
    }
}

/// Says why a pane was not placed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    #[error("there is no workspace yet: make one first")]
    NoWorkspace,
    #[error("there is no workspace {id}")]
    NoSuchWorkspace { id: WorkspaceId },
    #[error("pane {surface} is in no workspace")]
    NoSuchPane { surface: SurfaceId },
    #[error("pane {surface} is in workspace {workspace} already")]
    Placed {
        surface: SurfaceId,
        workspace: WorkspaceId,
    },
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

impl Workspace {
    pub const fn id(&self) -> WorkspaceId {
        self.id
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the pane that was focused last; `None` while there is no pane.
    pub const fn focused(&self) -> Option<SurfaceId> {
        self.focused
    }

    pub const fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    /// Returns its panes in reading order: from left to right, from top to bottom.
    pub fn panes(&self) -> Vec<SurfaceId> {
        self.layout.as_ref().map(layout::panes).unwrap_or_default()
    }
}

impl Workspaces {
    /// Makes an empty workspace, which becomes the current one. Without a name it is `main`, `workspace-2`, ….
    ///
    /// # Errors
    ///
    /// When the name may not be given or is taken, whatever its case, or there are too many.
    pub fn create(&mut self, id: WorkspaceId, name: Option<&str>) -> Result<&Workspace, NamingError> {
        if self.list.len() >= WORKSPACES {
            return Err(NamingError::TooMany);
        }
        let name = match name {
            Some(name) => {
                self.check_name(name, None)?;
                name.to_owned()
            }
            None if !self.is_taken("main", None) => "main".to_owned(),
            None => name::unique("workspace", |name| {
                name == "workspace" || self.is_taken(name, None)
            }),
        };
        self.list.push(Workspace {
            id,
            name,
            focused: None,
            layout: None,
        });
        self.current = Some(id);
        Ok(self.list.last().expect("it was just added"))
    }

    /// Gives a workspace another name.
    ///
    /// # Errors
    ///
    /// When the name may not be given or is another one's, or there is no such workspace.
    pub fn rename(&mut self, id: WorkspaceId, name: &str) -> Result<(), NamingError> {
        self.check_name(name, Some(id))?;
        let workspace = self.get_mut(id).ok_or(NamingError::NoSuchWorkspace { id })?;
        name.clone_into(&mut workspace.name);
        Ok(())
    }

    /// Puts a pane into a workspace, the current one when none is named, and says into which.
    ///
    /// The first pane gets it all and the focus; a later one gets half of the focused pane's place, beside it or below it
    /// by turns, the deeper the layout is there.
    ///
    /// # Errors
    ///
    /// When there is no such workspace, none at all, or the pane has a place already.
    pub fn add(
        &mut self,
        workspace: Option<WorkspaceId>,
        surface: SurfaceId,
    ) -> Result<WorkspaceId, PlaceError> {
        let id = workspace.or(self.current).ok_or(PlaceError::NoWorkspace)?;
        self.check_free(surface)?;
        let place = self.get_mut(id).ok_or(PlaceError::NoSuchWorkspace { id })?;
        match (&mut place.layout, place.focused) {
            (Some(layout), Some(focused)) => layout::add(layout, focused, surface),
            (layout, focused) => {
                debug_assert!(
                    layout.is_none() && focused.is_none(),
                    "focus and layout come together"
                );
                *layout = Some(Layout::Pane { surface });
                place.focused = Some(surface);
            }
        }
        Ok(id)
    }

    /// Gives a new pane half of the place of another one, beside it or below it, and says in which workspace.
    ///
    /// In a split of the same direction it becomes one more part. The focus stays where it is.
    ///
    /// # Errors
    ///
    /// When the other one has no place, the new one has one already, or the layout would be too deep.
    pub fn split(
        &mut self,
        beside: SurfaceId,
        direction: Direction,
        new: SurfaceId,
    ) -> Result<WorkspaceId, PlaceError> {
        self.check_free(new)?;
        let no_such_pane = PlaceError::NoSuchPane { surface: beside };
        let id = self.of(beside).ok_or(no_such_pane.clone())?;
        let layout = self.get_mut(id).and_then(|workspace| workspace.layout.as_mut());
        layout::split(layout.ok_or(no_such_pane)?, beside, direction, new)?;
        Ok(id)
    }

    /// Takes a pane out; the others keep their shares of what is there. Says from which workspace; `None` when it was in none.
    ///
    /// The focus goes to the pane that comes to stand in its place in reading order, or to the last one.
    pub fn remove(&mut self, surface: SurfaceId) -> Option<WorkspaceId> {
        let id = self.of(surface)?;
        let workspace = self.get_mut(id)?;
        let before = workspace.panes();
        workspace.layout = layout::without(workspace.layout.take()?, surface);
        if workspace.focused == Some(surface) {
            let panes = workspace.panes();
            let place = before.iter().position(|pane| *pane == surface)?;
            workspace.focused = panes.get(place).or(panes.last()).copied();
        }
        Some(id)
    }

    /// Lays out the panes of a workspace anew. A split directly inside one of the same direction is made one with it.
    ///
    /// # Errors
    ///
    /// When a pane is missing, stands twice or does not belong there, or the layout is not sound; then nothing changes.
    pub fn set_layout(&mut self, id: WorkspaceId, wanted: Layout) -> Result<(), PlaceError> {
        let workspace = self.get_mut(id).ok_or(PlaceError::NoSuchWorkspace { id })?;
        let wanted = layout::sound(wanted)?;
        let (there, given) = (workspace.panes(), layout::panes(&wanted));
        if let Some(pane) = given.iter().find(|pane| !there.contains(pane)) {
            return Err(LayoutError::Foreign { surface: *pane }.into());
        }
        if let Some(pane) = there.iter().find(|pane| !given.contains(pane)) {
            return Err(LayoutError::Missing { surface: *pane }.into());
        }
        workspace.layout = Some(wanted);
        Ok(())
    }

    /// Gives a pane the focus; its workspace becomes the current one. Says which that is; `None` when the pane is in none.
    pub fn focus(&mut self, surface: SurfaceId) -> Option<WorkspaceId> {
        let id = self.of(surface)?;
        self.get_mut(id)?.focused = Some(surface);
        self.current = Some(id);
        Some(id)
    }

    /// Makes a workspace the current one; `None` when there is no such workspace.
    pub fn select(&mut self, id: WorkspaceId) -> Option<&Workspace> {
        self.get(id)?;
        self.current = Some(id);
        self.get(id)
    }

    /// Takes a workspace away and returns the panes that were in it; `None` when there is no such workspace.
    ///
    /// The one after it becomes current, or the last one. When it was the last, there is none until the next `create`.
    pub fn close(&mut self, id: WorkspaceId) -> Option<Vec<SurfaceId>> {
        let place = self.list.iter().position(|workspace| workspace.id == id)?;
        let closed = self.list.remove(place);
        if self.current == Some(id) {
            self.current = self.list.get(place).or(self.list.last()).map(Workspace::id);
        }
        Some(closed.panes())
    }

    /// Returns the workspace that an id, a name or the only beginning of one means. The case of names does not count.
    ///
    /// # Errors
    ///
    /// `not_found` with every workspace, `ambiguous` with those that match.
    pub fn resolve(&self, text: &str) -> Result<WorkspaceId, RpcError> {
        let meant = self.meant(text);
        let labels = |workspaces: &[&Workspace]| -> Vec<String> {
            workspaces
                .iter()
                .map(|workspace| format!("{} {}", workspace.id, workspace.name))
                .collect()
        };
        match meant[..] {
            [one] => Ok(one.id),
            [] => {
                let candidates = labels(&self.list.iter().collect::<Vec<_>>());
                let there = if candidates.is_empty() {
                    "there is none yet".to_owned()
                } else {
                    format!("use one of these: {}", listed(&candidates))
                };
                let message = format!("no workspace matches {}; {there}", quoted(text));
                Err(RpcError::new(ErrorKind::NotFound, message).with_candidates(candidates))
            }
            ref many => {
                let candidates = labels(many);
                let message = format!(
                    "{} means {} workspaces: {}; use the id of one",
                    quoted(text),
                    candidates.len(),
                    listed(&candidates)
                );
                Err(RpcError::new(ErrorKind::Ambiguous, message).with_candidates(candidates))
            }
        }
    }

    fn meant(&self, text: &str) -> Vec<&Workspace> {
        let matching = |is_meant: &dyn Fn(&Workspace) -> bool| -> Vec<&Workspace> {
            self.list.iter().filter(|workspace| is_meant(workspace)).collect()
        };
        if text.trim().is_empty() {
            return Vec::new();
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            let id = text.parse().ok().map(WorkspaceId);
            return matching(&|workspace| Some(workspace.id) == id);
        }
        let folded = text.to_lowercase();
        let whole = matching(&|workspace| workspace.name.to_lowercase() == folded);
        if whole.is_empty() {
            matching(&|workspace| workspace.name.to_lowercase().starts_with(&folded))
        } else {
            whole
        }
    }

    /// Returns the workspace in which a pane is.
    pub fn of(&self, surface: SurfaceId) -> Option<WorkspaceId> {
        self.list
            .iter()
            .find(|workspace| {
                workspace
                    .layout
                    .as_ref()
                    .is_some_and(|layout| layout::has(layout, surface))
            })
            .map(Workspace::id)
    }

    /// Returns every pane: workspace by workspace, and in each in reading order.
    pub fn order(&self) -> Vec<SurfaceId> {
        self.list.iter().flat_map(Workspace::panes).collect()
    }

    /// Returns the workspace where new panes go.
    pub fn current(&self) -> Option<&Workspace> {
        self.get(self.current?)
    }

    pub fn get(&self, id: WorkspaceId) -> Option<&Workspace> {
        self.list.iter().find(|workspace| workspace.id == id)
    }

    /// Returns them as the wire shows them, in their order.
    pub fn views(&self) -> Vec<WorkspaceView> {
        self.list.iter().map(|workspace| self.shown(workspace)).collect()
    }

    /// Returns one of them as the wire shows it.
    pub fn view(&self, id: WorkspaceId) -> Option<WorkspaceView> {
        self.get(id).map(|workspace| self.shown(workspace))
    }

    fn shown(&self, workspace: &Workspace) -> WorkspaceView {
        WorkspaceView {
            workspace: workspace.id,
            name: workspace.name.clone(),
            current: self.current == Some(workspace.id),
            focused: workspace.focused,
            layout: workspace.layout.clone(),
        }
    }

    fn get_mut(&mut self, id: WorkspaceId) -> Option<&mut Workspace> {
        self.list.iter_mut().find(|workspace| workspace.id == id)
    }

    fn check_free(&self, surface: SurfaceId) -> Result<(), PlaceError> {
        match self.of(surface) {
            None => Ok(()),
            Some(workspace) => Err(PlaceError::Placed { surface, workspace }),
        }
    }

    fn check_name(&self, name: &str, own: Option<WorkspaceId>) -> Result<(), NamingError> {
        name::check(name)?;
        if self.is_taken(name, own) {
            let name = name.to_owned();
            return Err(NamingError::Taken { name });
        }
        Ok(())
    }

    /// Says whether another workspace than `own` is called so.
    fn is_taken(&self, name: &str, own: Option<WorkspaceId>) -> bool {
        let folded = name.to_lowercase();
        self.list
            .iter()
            .any(|workspace| Some(workspace.id) != own && workspace.name.to_lowercase() == folded)
    }
}

impl From<NamingError> for RpcError {
    fn from(error: NamingError) -> Self {
        let kind = match &error {
            NamingError::Name(_) | NamingError::Taken { .. } => ErrorKind::InvalidParams,
            NamingError::TooMany => ErrorKind::TooManySurfaces,
            NamingError::NoSuchWorkspace { .. } => ErrorKind::NotFound,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<PlaceError> for RpcError {
    fn from(error: PlaceError) -> Self {
        let kind = match &error {
            PlaceError::NoWorkspace | PlaceError::NoSuchWorkspace { .. } | PlaceError::NoSuchPane { .. } => {
                ErrorKind::NotFound
            }
            PlaceError::Placed { .. } | PlaceError::Layout(_) => ErrorKind::InvalidParams,
        };
        Self::new(kind, error.to_string())
    }
}

#[cfg(test)]
mod tests;
