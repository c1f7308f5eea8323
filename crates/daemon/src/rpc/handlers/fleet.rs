//! `fleet.*`.

use std::sync::Arc;

use pupitre_protocol::RpcError;
use pupitre_protocol::fleet::{FleetAgent, FleetListReply};
use pupitre_protocol::surface::{Standing, SurfaceState};
use pupitre_protocol::system::Empty;

use crate::clock::epoch_ms;
use crate::rpc::Daemon;

pub(super) async fn list(daemon: Arc<Daemon>, _params: Empty) -> Result<FleetListReply, RpcError> {
    let now = epoch_ms();
    let panes = daemon.surfaces.panes().into_iter().map(|pane| pane.fresh_view());
    let in_panes = panes
        .filter(|view| view.standing.pid.is_some())
        .map(|view| FleetAgent {
            surface_id: view.surface_id,
            surface_name: view.surface_name,
            kind: view.kind,
            workspace: view.workspace,
            waiting_ms: None,
            idle_ms: idle_ms(&view.standing, now),
            standing: view.standing,
        });
    let conversations = daemon.hub.conversations().await?;
    let at_work = conversations
        .into_iter()
        .filter(|conversation| conversation.is_at_work)
        .map(|conversation| FleetAgent {
            surface_id: conversation.view.surface_id,
            surface_name: conversation.view.surface_name,
            kind: conversation.view.kind,
            workspace: conversation.view.workspace,
            standing: conversation.view.standing,
            waiting_ms: conversation.waiting_ms,
            idle_ms: conversation.idle_ms,
        });
    Ok(FleetListReply {
        agents: in_panes.chain(at_work).collect(),
    })
}

/// Returns how long a pane has been at rest.
pub(super) fn idle_ms(standing: &Standing, now: u64) -> Option<u64> {
    match standing.state {
        SurfaceState::Idle | SurfaceState::Finished => Some(now.saturating_sub(standing.since)),
        SurfaceState::Thinking
        | SurfaceState::WaitingForInput
        | SurfaceState::Errored
        | SurfaceState::Stalled
        | SurfaceState::UnknownRunning => None,
    }
}
