//! `config.*`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pupitre_protocol::configuration::{
    ConfigBrowseParams, ConfigBrowseReply, ConfigChooseReply, ConfigContentReply, ConfigKnownReply,
    ConfigOpenParams, ConfigRecentReply, ConfigSaveParams, ConfigSaveReply, ConfigSchemaReply,
    ConfigValidateParams, ConfigValidateReply, ConfigView,
};
use pupitre_protocol::system::Empty;
use pupitre_protocol::{Cause, ErrorKind, RpcError};

use crate::configuration::{ConfigRequest, browse as list_folder};
use crate::rpc::Daemon;

/// How long the answer waits for a look at the file and at what it names. Whoever opens another file waits for agents to
/// stop, and nobody else shall.
const LOOK: Duration = Duration::from_millis(500);

pub(super) async fn current(daemon: Arc<Daemon>, _params: Empty) -> Result<ConfigView, RpcError> {
    let look = daemon.config.ask(ConfigRequest::Look);
    if let Ok(looked) = tokio::time::timeout(LOOK, look).await {
        looked?;
    }
    Ok(daemon.config.held().view())
}

pub(super) async fn content(daemon: Arc<Daemon>, _params: Empty) -> Result<ConfigContentReply, RpcError> {
    daemon.config.ask(ConfigRequest::Content).await
}

pub(super) async fn validate(
    daemon: Arc<Daemon>,
    params: ConfigValidateParams,
) -> Result<ConfigValidateReply, RpcError> {
    daemon
        .config
        .ask(|respond| ConfigRequest::Validate(params.text, respond))
        .await
}

pub(super) async fn save(daemon: Arc<Daemon>, params: ConfigSaveParams) -> Result<ConfigSaveReply, RpcError> {
    daemon
        .config
        .ask(|respond| ConfigRequest::Save(params, respond))
        .await
}

pub(super) async fn schema(_daemon: Arc<Daemon>, _params: Empty) -> Result<ConfigSchemaReply, RpcError> {
    Ok(ConfigSchemaReply(pupitre_model::config::schema().clone()))
}

pub(super) async fn open(daemon: Arc<Daemon>, params: ConfigOpenParams) -> Result<ConfigView, RpcError> {
    daemon
        .config
        .ask(|respond| ConfigRequest::Open(PathBuf::from(params.path), respond))
        .await
}

/// The daemon has no window; one that shows this page answers before the call comes here.
pub(super) async fn choose(_daemon: Arc<Daemon>, _params: Empty) -> Result<ConfigChooseReply, RpcError> {
    Err(RpcError::new(
        ErrorKind::NoDisplay,
        "the daemon has no window in which it could show a file dialog; `config.browse` lists the files of a folder, and `config.open` opens one",
    ))
}

pub(super) async fn recent(daemon: Arc<Daemon>, _params: Empty) -> Result<ConfigRecentReply, RpcError> {
    daemon.config.ask(ConfigRequest::Recent).await
}

pub(super) async fn browse(
    daemon: Arc<Daemon>,
    params: ConfigBrowseParams,
) -> Result<ConfigBrowseReply, RpcError> {
    let folder = match params.folder {
        Some(folder) => PathBuf::from(folder),
        None => {
            let held = daemon.config.held();
            held.path.parent().unwrap_or(Path::new("/")).to_owned()
        }
    };
    if !folder.is_absolute() {
        return Err(RpcError::new(
            ErrorKind::InvalidParams,
            format!("the folder {} must be an absolute path", folder.display()),
        ));
    }
    let shown = folder.display().to_string();
    let listing = tokio::task::spawn_blocking(move || list_folder(&folder)).await;
    listing
        .map_err(|error| error.to_string())
        .and_then(|listed| listed.map_err(|error| error.to_string()))
        .map_err(|error| {
            let message = format!("the folder {shown} cannot be listed: {error}");
            RpcError::new(ErrorKind::FileError, message).with_cause(Cause::NotReadable { path: shown, error })
        })
}

pub(super) async fn known(daemon: Arc<Daemon>, _params: Empty) -> Result<ConfigKnownReply, RpcError> {
    daemon.config.ask(ConfigRequest::Known).await
}
