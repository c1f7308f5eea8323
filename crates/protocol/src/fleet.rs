//! The fleet as the wire shows it: every agent at work, in panes and in conversations.

use serde::{Deserialize, Serialize};

use crate::surface::{Standing, SurfaceKind};
use crate::{SurfaceId, WorkspaceId};

/// Reply of `fleet.list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct FleetListReply {
    /// Panes with an agent's process, and agents of the configuration that have a process or failed.
    pub agents: Vec<FleetAgent>,
}

/// An agent at work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct FleetAgent {
    pub surface_id: SurfaceId,
    pub surface_name: String,
    pub kind: SurfaceKind,
    /// Null for a conversation that is in none.
    pub workspace: Option<WorkspaceId>,
    #[serde(flatten)]
    pub standing: Standing,
    /// How long it has been waiting for its person, in milliseconds; null when it does not.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub waiting_ms: Option<u64>,
    /// How long it has been at rest, in milliseconds; null when it is not.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub idle_ms: Option<u64>,
}
