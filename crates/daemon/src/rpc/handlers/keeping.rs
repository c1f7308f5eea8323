//! `chat.search`, `chat.delete` and `chat.export`: kept conversations.

use std::sync::Arc;

use pupitre_protocol::conversation::{DeleteParams, ExportParams, ExportReply, SearchParams, SearchReply};
use pupitre_protocol::event::ConversationDeleted;
use pupitre_protocol::limits::{SEARCH_MATCHES, SEARCH_MATCHES_MOST, SEARCH_QUERY_BYTES};
use pupitre_protocol::method::Access;
use pupitre_protocol::system::Empty;
use pupitre_protocol::{ConversationId, ErrorKind, Event, RpcError};

use super::chat::{hand_over, history_error};
use crate::agent::{AgentRequest, PageRequest};
use crate::history::Search;
use crate::hub::UnitEvent;
use crate::rpc::{Call, Daemon};

pub(super) async fn search(daemon: Arc<Daemon>, params: SearchParams) -> Result<SearchReply, RpcError> {
    let SearchParams { query, agent, limit } = params;
    let limit = limit.map_or(SEARCH_MATCHES, |limit| limit as usize);
    let wrong = |message: String| Err(RpcError::new(ErrorKind::InvalidParams, message));
    if !(1..=SEARCH_MATCHES_MOST).contains(&limit) {
        return wrong(format!("limit must be 1 to {SEARCH_MATCHES_MOST}, not {limit}"));
    }
    if query.len() > SEARCH_QUERY_BYTES {
        return wrong(format!(
            "the query has {} bytes; it may have {SEARCH_QUERY_BYTES}",
            query.len()
        ));
    }
    if !query.chars().any(char::is_alphanumeric) {
        return wrong("the query has no word to search for".to_owned());
    }
    if let Some(agent) = &agent {
        daemon.hub.agent(agent.clone()).await?;
    }
    hand_over(&daemon).await?;
    let search = Search {
        query,
        agent,
        config: daemon.config.held().canonical.display().to_string(),
        limit,
    };
    let found = daemon.history.search(search).await;
    found.map_err(|error| history_error(&error))
}

pub(super) async fn delete(daemon: Arc<Daemon>, params: DeleteParams) -> Result<Empty, RpcError> {
    let DeleteParams { id } = params;
    // Whose it is is not known yet, and its agent may be in the configuration no more.
    for agent in daemon.hub.handles().await? {
        agent.ask(|respond| AgentRequest::Leave(id, respond)).await?;
    }
    let agent = match daemon.history.delete(id).await {
        Ok(Some(agent)) => agent,
        Ok(None) => return Err(not_found(id)),
        Err(error) => {
            for agent in daemon.hub.handles().await? {
                agent.tell(AgentRequest::Keep(id));
            }
            return Err(history_error(&error));
        }
    };
    let event = Event::ConversationDeleted(ConversationDeleted {
        agent,
        conversation: id,
    });
    // The hub is gone only when the daemon ends.
    daemon.hub.events().send(UnitEvent::Publish(event)).await.ok();
    Ok(Empty {})
}

pub(super) async fn export(call: Call, params: ExportParams) -> Result<ExportReply, RpcError> {
    let ExportParams { id, format, from } = params;
    let daemon = &call.daemon;
    // What is current may be read by everybody, as `chat.conversation` shows it.
    let mut is_current = false;
    let page = PageRequest {
        before: None,
        limit: 1,
    };
    for agent in daemon.hub.handles().await? {
        let held = agent
            .ask(|respond| AgentRequest::Conversation(page, respond))
            .await?;
        is_current |= held.view.conversation == id;
    }
    if !is_current {
        call.check("an earlier conversation", Access::Private)?;
    }
    let window = daemon.history.export(id, format, from).await;
    window
        .map_err(|error| history_error(&error))?
        .ok_or_else(|| not_found(id))
}

fn not_found(id: ConversationId) -> RpcError {
    RpcError::new(
        ErrorKind::NotFound,
        format!("there is no conversation {id}; see chat history"),
    )
}
