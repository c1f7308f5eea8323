//! Agents: how the rest of the daemon reaches them.
//!
//! Each agent is one task ([`task`]) that owns its process, its ACP connection, its lifecycle and its current
//! conversation; everything is asked of it by message, and everything it says goes to the hub.

mod acp;
mod client;
mod connection;
mod files;
mod log;
mod process;
mod questions;
mod reason;
mod session;
mod task;
mod terminals;
mod turns;
mod veil;

use pupitre_model::config::{AgentDefinition, Limits};
use pupitre_model::conversation::{Attachment, Stored};
use pupitre_protocol::agent::{AgentLogsReply, AgentTraceReply, AgentView};
use pupitre_protocol::conversation::{
    AnsweredBy, CancelReply, ConversationView, CurrentConversationReply, Elicitation, ElicitationAction,
    OpenLogin, Permission, SendReply,
};
use pupitre_protocol::system::Empty;
use pupitre_protocol::{
    AgentName, ConversationId, ElicitationId, ErrorKind, MessageId, PermissionId, RpcError,
};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

pub(crate) use acp::{Redactor, file_uri};
pub(crate) use task::{AgentContext, AgentTask};

/// The answer to a request, or why not.
type Answer<Reply> = Result<Reply, RpcError>;
/// Where the answer goes.
type Respond<Reply> = oneshot::Sender<Answer<Reply>>;

/// What is asked of an agent's task.
#[derive(Debug)]
pub(crate) enum AgentRequest {
    Start(Respond<AgentView>),
    Stop(Respond<AgentView>),
    Restart(Respond<AgentView>),
    Logs(Respond<AgentLogsReply>),
    Trace(Respond<AgentTraceReply>),
    Send {
        text: String,
        attachments: Vec<Attachment>,
        respond: Respond<SendReply>,
    },
    Withdraw(MessageId, Respond<()>),
    Cancel(Option<MessageId>, Respond<CancelReply>),
    /// Logs in by one of the ways that the agent offers.
    Authenticate {
        method_id: String,
        respond: Respond<Empty>,
    },
    /// What waits for an answer of the user.
    OpenRequests(Respond<OpenRequests>),
    AnswerElicitation {
        id: ElicitationId,
        action: ElicitationAction,
        content: Map<String, Value>,
        answered_by: AnsweredBy,
        respond: Respond<()>,
    },
    AnswerPermission {
        id: PermissionId,
        option: Option<String>,
        answered_by: AnsweredBy,
        respond: Respond<()>,
    },
    Conversation(PageRequest, Respond<HeldConversation>),
    SetOption {
        id: String,
        value: Value,
        respond: Respond<()>,
    },
    SetMode {
        mode: String,
        respond: Respond<()>,
    },
    New {
        cwd: Option<String>,
        respond: Respond<CurrentConversationReply>,
    },
    Open(Box<OpenedConversation>, Respond<CurrentConversationReply>),
    /// The conversation is about to be deleted: leave it for a new one when it is the current one, and open it no more.
    Leave(ConversationId, Respond<()>),
    /// It was not deleted after all.
    Keep(ConversationId),
    /// The configuration defines the agent like this from now on; used at its next start.
    Define(Box<AgentDefinition>),
    /// Other times of silence and of disuse count from now on.
    SetLimits(Limits),
    /// Another agent needs the place; the answer is that it is left, or [`crate::hub::UnitEvent::Stay`].
    MakeRoom,
}

/// What an agent asks of its user.
#[derive(Debug)]
pub(crate) struct OpenRequests {
    pub(crate) permissions: Vec<Permission>,
    pub(crate) elicitations: Vec<Elicitation>,
    pub(crate) login: Option<OpenLogin>,
}

/// Which messages of the current conversation are asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageRequest {
    pub(crate) before: Option<MessageId>,
    pub(crate) limit: usize,
}

/// The current conversation with the messages that are held; older ones are in storage.
#[derive(Debug)]
pub(crate) struct HeldConversation {
    pub(crate) view: ConversationView,
    /// How many messages that were asked for only storage has.
    pub(crate) missing: usize,
    /// The message before which those are.
    pub(crate) missing_before: Option<MessageId>,
}

/// An earlier conversation, as storage has it.
#[derive(Debug)]
pub(crate) struct OpenedConversation {
    pub(crate) stored: Stored,
    /// The agent's own id of its last session.
    pub(crate) session: Option<String>,
}

/// Reaches one agent's task.
#[derive(Debug, Clone)]
pub(crate) struct AgentHandle {
    name: AgentName,
    requests: mpsc::UnboundedSender<AgentRequest>,
}

impl AgentHandle {
    pub(crate) fn name(&self) -> &AgentName {
        &self.name
    }

    /// Asks the agent's task, and waits for its answer.
    pub(crate) async fn ask<Reply>(
        &self,
        request: impl FnOnce(Respond<Reply>) -> AgentRequest,
    ) -> Answer<Reply> {
        let gone = || {
            RpcError::new(
                ErrorKind::Internal,
                format!("the task of agent {} has ended; see the daemon's log", self.name),
            )
        };
        let (respond, answer) = oneshot::channel();
        self.requests.send(request(respond)).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// Says whether there is a task to ask.
    pub(crate) fn is_living(&self) -> bool {
        !self.requests.is_closed()
    }

    /// Tells the agent's task something that needs no answer; one that has ended needs to know nothing.
    pub(crate) fn tell(&self, request: AgentRequest) {
        self.requests.send(request).ok();
    }

    /// Asks the agent to make room for another one, unless it is used. Says whether there is somebody to ask.
    pub(crate) fn make_room(&self) -> bool {
        self.requests.send(AgentRequest::MakeRoom).is_ok()
    }
}
