//! Workspaces as the wire shows them: panes that belong together, and how they are laid out.

use serde::{Deserialize, Serialize};

use crate::surface::SurfaceCreateParams;
use crate::{SurfaceId, WorkspaceId};

/// A workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct WorkspaceView {
    pub workspace: WorkspaceId,
    pub name: String,
    /// It is the one where new panes go.
    pub current: bool,
    /// The pane that was focused last; null while there is none.
    pub focused: Option<SurfaceId>,
    /// Null while there is no pane.
    pub layout: Option<Layout>,
}

/// How the panes of a workspace share its area.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Layout {
    /// One pane has it all.
    Pane { surface: SurfaceId },
    /// Parts beside or above each other.
    Split {
        direction: Direction,
        /// At least two.
        parts: Vec<LayoutPart>,
    },
}

/// One part of a split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct LayoutPart {
    /// Its share of the area beside those of the others: a weight, more than 0.
    pub share: u16,
    pub layout: Layout,
}

/// How the parts of a split lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Beside each other, from left to right.
    Row,
    /// Above each other, from top to bottom.
    Column,
}

/// Reply of `workspace.list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct WorkspaceListReply {
    pub workspaces: Vec<WorkspaceView>,
}

/// Parameters of `workspace.create`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct WorkspaceCreateParams {
    /// Made up when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Parameters of methods about one workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct WorkspaceParams {
    /// An id, a name, or the beginning of one.
    pub workspace: String,
}

/// Parameters of `workspace.rename`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct WorkspaceRenameParams {
    /// An id, a name, or the beginning of one.
    pub workspace: String,
    pub name: String,
}

/// Parameters of `workspace.split`: a new pane takes half of the place of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct WorkspaceSplitParams {
    /// The selector of the pane whose place is split.
    pub surface: String,
    pub direction: Direction,
    /// The new pane; its `workspace` is that of the other one.
    #[serde(default)]
    pub pane: SurfaceCreateParams,
}

/// Parameters of `workspace.set_layout`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct WorkspaceSetLayoutParams {
    /// An id, a name, or the beginning of one.
    pub workspace: String,
    /// Every pane of the workspace, once.
    pub layout: Layout,
}

/// Payload of `workspace:changed`: all of them, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct WorkspacesChanged {
    pub workspaces: Vec<WorkspaceView>,
}
