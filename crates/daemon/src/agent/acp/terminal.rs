//! By which id an agent knows a pane that runs a command for it (ACP: `terminalId`).

use pupitre_protocol::SurfaceId;

const PREFIX: &str = "terminal-";

/// Returns the id that an agent is given for a pane.
pub(crate) fn terminal_id(pane: SurfaceId) -> String {
    format!("{PREFIX}{pane}")
}

/// Returns the pane that an id was given for; `None` when it was given for none. Whether the pane runs for the agent that
/// names it, and is still there, is another question.
pub(super) fn pane_of(terminal_id: &str) -> Option<SurfaceId> {
    terminal_id.strip_prefix(PREFIX)?.parse().ok().map(SurfaceId)
}
