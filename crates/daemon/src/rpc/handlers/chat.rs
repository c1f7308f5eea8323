//! `chat.*`.

use std::path::Path;
use std::sync::Arc;

use pupitre_model::conversation::Page;
use pupitre_model::gate::Asker;
use pupitre_protocol::conversation::{
    AnswerElicitationParams, AnswerPermissionParams, AnsweredBy, CancelParams, CancelReply,
    ConversationParams, ConversationView, CurrentConversationReply, HistoryParams, HistoryReply,
    MessageParams, NewParams, OpenParams, PartParams, PartReply, PermissionsParams, PermissionsReply,
    SendParams, SendReply, SetModeParams, SetOptionParams,
};
use pupitre_protocol::limits::{CONVERSATION_MESSAGES, CONVERSATION_MESSAGES_MOST, PROMPT_BYTES};
use pupitre_protocol::method::Access;
use pupitre_protocol::system::Empty;
use pupitre_protocol::{ConversationId, ErrorKind, RpcError};

use tokio::sync::oneshot;

use super::attachment;
use crate::agent::{AgentHandle, AgentRequest, OpenedConversation, PageRequest};
use crate::history::{HistoryError, TakenUp};
use crate::rpc::{Call, Daemon};

pub(super) async fn permissions(
    daemon: Arc<Daemon>,
    params: PermissionsParams,
) -> Result<PermissionsReply, RpcError> {
    let agents = match params.agent {
        Some(agent) => vec![daemon.hub.agent(agent).await?],
        None => daemon.hub.handles().await?,
    };
    let mut reply = PermissionsReply {
        permissions: Vec::new(),
        elicitations: Vec::new(),
        logins: Vec::new(),
    };
    for agent in agents {
        let open = agent.ask(AgentRequest::OpenRequests).await?;
        reply.permissions.extend(open.permissions);
        reply.elicitations.extend(open.elicitations);
        reply.logins.extend(open.login);
    }
    reply.permissions.sort_by_key(|permission| permission.id);
    reply.elicitations.sort_by_key(|elicitation| elicitation.id);
    Ok(reply)
}

pub(super) async fn send(daemon: Arc<Daemon>, params: SendParams) -> Result<SendReply, RpcError> {
    let SendParams {
        agent,
        text,
        attachments,
        uploads,
    } = params;
    let agent = daemon.hub.agent(agent).await?;
    if text.len() > PROMPT_BYTES {
        let message = format!(
            "the text has {} bytes; a message may have {PROMPT_BYTES}",
            text.len()
        );
        return Err(RpcError::new(ErrorKind::TooLarge, message));
    }
    let attachments = attachment::read_all(attachments, uploads, daemon.page.uploads()).await?;
    agent
        .ask(|respond| AgentRequest::Send {
            text,
            attachments,
            respond,
        })
        .await
}

pub(super) async fn withdraw(daemon: Arc<Daemon>, params: MessageParams) -> Result<Empty, RpcError> {
    let id = params.message_id;
    for agent in daemon.hub.handles().await? {
        match agent.ask(|respond| AgentRequest::Withdraw(id, respond)).await {
            Err(error) if error.kind() == Some(ErrorKind::NotQueued) => {}
            outcome => return outcome.map(|()| Empty {}),
        }
    }
    hand_over(&daemon).await?;
    let known = daemon.history.conversation_of(id).await;
    Err(if known.map_err(|error| history_error(&error))?.is_some() {
        RpcError::new(ErrorKind::NotQueued, "the message is not queued (any longer)")
    } else {
        RpcError::new(ErrorKind::NotFound, format!("there is no message {id}"))
    })
}

/// Has every agent hand to storage what changed in its conversation, which it does when it shows that. Returns these
/// conversations, the current ones.
pub(super) async fn hand_over(daemon: &Daemon) -> Result<Vec<ConversationId>, RpcError> {
    let page = PageRequest {
        before: None,
        limit: 1,
    };
    let mut current = Vec::new();
    for agent in daemon.hub.handles().await? {
        let held = agent
            .ask(|respond| AgentRequest::Conversation(page, respond))
            .await?;
        current.push(held.view.conversation);
    }
    Ok(current)
}

pub(super) async fn cancel(daemon: Arc<Daemon>, params: CancelParams) -> Result<CancelReply, RpcError> {
    let agent = daemon.hub.agent(params.agent).await?;
    agent
        .ask(|respond| AgentRequest::Cancel(params.message_id, respond))
        .await
}

pub(super) async fn answer_permission(call: Call, params: AnswerPermissionParams) -> Result<Empty, RpcError> {
    let AnswerPermissionParams { id, option_id } = params;
    let answered_by = answerer(&call);
    let what = format!("permission request {id}");
    ask_the_one(&call.daemon, &what, |respond| AgentRequest::AnswerPermission {
        id,
        option: option_id.clone(),
        answered_by,
        respond,
    })
    .await
}

pub(super) async fn answer_elicitation(
    call: Call,
    params: AnswerElicitationParams,
) -> Result<Empty, RpcError> {
    let AnswerElicitationParams { id, action, content } = params;
    let answered_by = answerer(&call);
    ask_the_one(&call.daemon, &format!("question {id}"), |respond| {
        AgentRequest::AnswerElicitation {
            id,
            action,
            content: content.clone(),
            answered_by,
            respond,
        }
    })
    .await
}

fn answerer(call: &Call) -> AnsweredBy {
    match call.asker {
        Asker::Page => AnsweredBy::Page,
        Asker::Outside
        | Asker::Detached
        | Asker::Inside { .. }
        | Asker::InsidePane { .. }
        | Asker::Unknown => AnsweredBy::Program,
    }
}

/// Asks every agent, until it is the one that knows what is meant.
async fn ask_the_one(
    daemon: &Daemon,
    what: &str,
    request: impl Fn(oneshot::Sender<Result<(), RpcError>>) -> AgentRequest,
) -> Result<Empty, RpcError> {
    for agent in daemon.hub.handles().await? {
        match agent.ask(&request).await {
            Err(error) if error.kind() == Some(ErrorKind::NotFound) => {}
            outcome => return outcome.map(|()| Empty {}),
        }
    }
    Err(RpcError::new(ErrorKind::NotFound, format!("there is no {what}")))
}

pub(super) async fn conversation(
    call: Call,
    params: ConversationParams,
) -> Result<ConversationView, RpcError> {
    let daemon = &call.daemon;
    let limit = params.limit.map_or(CONVERSATION_MESSAGES, |limit| limit as usize);
    if !(1..=CONVERSATION_MESSAGES_MOST).contains(&limit) {
        let message = format!("limit must be 1 to {CONVERSATION_MESSAGES_MOST}, not {limit}");
        return Err(RpcError::new(ErrorKind::InvalidParams, message));
    }
    let agent = daemon.hub.agent(params.agent).await?;
    let page = PageRequest {
        before: params.before,
        limit,
    };
    let held = agent
        .ask(|respond| AgentRequest::Conversation(page, respond))
        .await?;
    match params.conversation {
        Some(id) if id != held.view.conversation => {
            call.check("an earlier conversation", Access::Private)?;
            earlier(daemon, &agent, id, page).await
        }
        Some(_) | None => {
            let mut view = held.view;
            if held.missing > 0 {
                let older = daemon
                    .history
                    .page(view.conversation, held.missing_before, held.missing)
                    .await;
                let newer = Page {
                    messages: view.messages,
                    truncated: view.truncated,
                };
                let page = newer.with_older(older.map_err(|error| history_error(&error))?);
                (view.messages, view.truncated) = (page.messages, page.truncated);
            }
            Ok(view)
        }
    }
}

async fn earlier(
    daemon: &Daemon,
    agent: &AgentHandle,
    id: ConversationId,
    page: PageRequest,
) -> Result<ConversationView, RpcError> {
    let view = daemon
        .history
        .view(id, page.before, page.limit)
        .await
        .map_err(|error| history_error(&error))?;
    view.filter(|view| view.agent == *agent.name()).ok_or_else(|| {
        RpcError::new(
            ErrorKind::NotFound,
            format!(
                "agent {} has no conversation {id}; see chat history",
                agent.name()
            ),
        )
    })
}

pub(super) async fn part(call: Call, params: PartParams) -> Result<PartReply, RpcError> {
    let PartParams {
        message_id,
        index,
        offset,
    } = params;
    let daemon = &call.daemon;
    let current = hand_over(daemon).await?;
    if let Err(refusal) = call.check("a part of an earlier conversation", Access::Private) {
        let of = daemon.history.conversation_of(message_id).await;
        let of = of.map_err(|error| history_error(&error))?;
        if of.is_some_and(|of| !current.contains(&of)) {
            return Err(refusal);
        }
    }
    let part = daemon
        .history
        .part(message_id, index, offset)
        .await
        .map_err(|error| history_error(&error))?;
    part.ok_or_else(|| {
        RpcError::new(
            ErrorKind::NotFound,
            format!("there is no part {index} of message {message_id}"),
        )
    })
}

pub(super) async fn set_option(daemon: Arc<Daemon>, params: SetOptionParams) -> Result<Empty, RpcError> {
    let SetOptionParams { agent, id, value } = params;
    let agent = daemon.hub.agent(agent).await?;
    agent
        .ask(|respond| AgentRequest::SetOption { id, value, respond })
        .await?;
    Ok(Empty {})
}

pub(super) async fn set_mode(daemon: Arc<Daemon>, params: SetModeParams) -> Result<Empty, RpcError> {
    let SetModeParams { agent, mode } = params;
    let agent = daemon.hub.agent(agent).await?;
    agent
        .ask(|respond| AgentRequest::SetMode { mode, respond })
        .await?;
    Ok(Empty {})
}

pub(super) async fn new(
    daemon: Arc<Daemon>,
    params: NewParams,
) -> Result<CurrentConversationReply, RpcError> {
    let NewParams { agent, cwd } = params;
    let agent = daemon.hub.agent(agent).await?;
    if let Some(cwd) = &cwd {
        let path = Path::new(cwd);
        if !path.is_absolute() {
            return Err(RpcError::new(
                ErrorKind::InvalidParams,
                format!("the working directory {cwd} must be an absolute path"),
            ));
        }
        if !tokio::fs::metadata(path)
            .await
            .is_ok_and(|metadata| metadata.is_dir())
        {
            return Err(RpcError::new(
                ErrorKind::InvalidParams,
                format!("the working directory {cwd} does not exist"),
            ));
        }
    }
    agent.ask(|respond| AgentRequest::New { cwd, respond }).await
}

pub(super) async fn history(daemon: Arc<Daemon>, params: HistoryParams) -> Result<HistoryReply, RpcError> {
    if let Some(agent) = &params.agent {
        daemon.hub.agent(agent.clone()).await?;
    }
    let config = daemon.config.held().canonical.display().to_string();
    daemon
        .history
        .list(params.agent, config)
        .await
        .map_err(|error| history_error(&error))
}

pub(super) async fn open(
    daemon: Arc<Daemon>,
    params: OpenParams,
) -> Result<CurrentConversationReply, RpcError> {
    let not_found = || {
        RpcError::new(
            ErrorKind::NotFound,
            format!("there is no conversation {}", params.id),
        )
    };
    let loaded = daemon
        .history
        .load(params.id)
        .await
        .map_err(|error| history_error(&error))?;
    let TakenUp {
        stored,
        session,
        config,
    } = loaded.ok_or_else(not_found)?;
    if Path::new(&config) != daemon.config.held().canonical {
        let message = format!(
            "conversation {} belongs to the configuration {config}: it can be read here and goes on there",
            params.id
        );
        return Err(RpcError::new(ErrorKind::ReadOnly, message));
    }
    let agent = daemon.hub.agent(stored.agent.clone()).await?;
    let opened = Box::new(OpenedConversation { stored, session });
    agent.ask(|respond| AgentRequest::Open(opened, respond)).await
}

pub(super) fn history_error(error: &HistoryError) -> RpcError {
    RpcError::new(
        ErrorKind::HistoryUnavailable,
        format!("the history cannot be read: {error}"),
    )
}
