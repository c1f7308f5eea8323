//! `agent.*`.

use std::sync::Arc;

use pupitre_protocol::RpcError;
use pupitre_protocol::agent::{
    AgentListReply, AgentLogsReply, AgentParams, AgentTraceReply, AgentView, AuthenticateParams,
};
use pupitre_protocol::system::Empty;

use crate::agent::AgentRequest;
use crate::rpc::Daemon;

pub(super) async fn list(daemon: Arc<Daemon>, _params: Empty) -> Result<AgentListReply, RpcError> {
    Ok(AgentListReply {
        agents: daemon.hub.agents().await?,
    })
}

pub(super) async fn start(daemon: Arc<Daemon>, params: AgentParams) -> Result<AgentView, RpcError> {
    daemon
        .hub
        .agent(params.agent)
        .await?
        .ask(AgentRequest::Start)
        .await
}

pub(super) async fn stop(daemon: Arc<Daemon>, params: AgentParams) -> Result<AgentView, RpcError> {
    daemon
        .hub
        .agent(params.agent)
        .await?
        .ask(AgentRequest::Stop)
        .await
}

pub(super) async fn restart(daemon: Arc<Daemon>, params: AgentParams) -> Result<AgentView, RpcError> {
    daemon
        .hub
        .agent(params.agent)
        .await?
        .ask(AgentRequest::Restart)
        .await
}

pub(super) async fn logs(daemon: Arc<Daemon>, params: AgentParams) -> Result<AgentLogsReply, RpcError> {
    daemon
        .hub
        .agent(params.agent)
        .await?
        .ask(AgentRequest::Logs)
        .await
}

pub(super) async fn trace(daemon: Arc<Daemon>, params: AgentParams) -> Result<AgentTraceReply, RpcError> {
    daemon
        .hub
        .agent(params.agent)
        .await?
        .ask(AgentRequest::Trace)
        .await
}

pub(super) async fn authenticate(daemon: Arc<Daemon>, params: AuthenticateParams) -> Result<Empty, RpcError> {
    let AuthenticateParams { agent, method_id } = params;
    let agent = daemon.hub.agent(agent).await?;
    agent
        .ask(|respond| AgentRequest::Authenticate { method_id, respond })
        .await
}
