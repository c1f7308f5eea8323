//! `workspace.*`.

use std::sync::Arc;

use pupitre_protocol::surface::SurfaceView;
use pupitre_protocol::system::Empty;
use pupitre_protocol::workspace::{
    WorkspaceCreateParams, WorkspaceListReply, WorkspaceParams, WorkspaceRenameParams,
    WorkspaceSetLayoutParams, WorkspaceSplitParams, WorkspaceView,
};
use pupitre_protocol::{ErrorKind, RpcError};

use crate::rpc::Daemon;
use crate::surface::PanePlace;

pub(super) async fn list(daemon: Arc<Daemon>, _params: Empty) -> Result<WorkspaceListReply, RpcError> {
    Ok(WorkspaceListReply {
        workspaces: daemon.surfaces.workspaces(),
    })
}

pub(super) async fn current(daemon: Arc<Daemon>, _params: Empty) -> Result<WorkspaceView, RpcError> {
    let current = daemon.surfaces.workspaces().into_iter().find(|view| view.current);
    current.ok_or_else(|| {
        RpcError::new(
            ErrorKind::NotFound,
            "there is no workspace yet: the first pane makes one",
        )
    })
}

pub(super) async fn create(
    daemon: Arc<Daemon>,
    params: WorkspaceCreateParams,
) -> Result<WorkspaceView, RpcError> {
    daemon.surfaces.create_workspace(params.name.as_deref())
}

pub(super) async fn select(daemon: Arc<Daemon>, params: WorkspaceParams) -> Result<WorkspaceView, RpcError> {
    daemon.surfaces.select_workspace(&params.workspace)
}

pub(super) async fn rename(
    daemon: Arc<Daemon>,
    params: WorkspaceRenameParams,
) -> Result<WorkspaceView, RpcError> {
    daemon.surfaces.rename_workspace(&params.workspace, &params.name)
}

pub(super) async fn close(daemon: Arc<Daemon>, params: WorkspaceParams) -> Result<Empty, RpcError> {
    daemon.surfaces.close_workspace(&params.workspace).await?;
    Ok(Empty {})
}

pub(super) async fn split(
    daemon: Arc<Daemon>,
    params: WorkspaceSplitParams,
) -> Result<SurfaceView, RpcError> {
    let WorkspaceSplitParams {
        surface,
        direction,
        pane,
    } = params;
    let beside = daemon.surfaces.resolve(&surface).await?.pane("split")?;
    let place = PanePlace::Beside {
        surface: beside.id(),
        direction,
    };
    daemon.surfaces.create(pane, place).await
}

pub(super) async fn set_layout(
    daemon: Arc<Daemon>,
    params: WorkspaceSetLayoutParams,
) -> Result<WorkspaceView, RpcError> {
    daemon.surfaces.set_layout(&params.workspace, params.layout)
}
