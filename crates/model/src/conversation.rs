//! One conversation with one agent: messages, the running turn, the queue, and what the agent asks.
//!
//! Theory of operation: everything that happens is a method here; each records what changed as [`Revision`]s, which
//! the owner takes with [`Conversation::take_revisions`] and turns into events and rows. Only the newest messages are
//! held; older ones are in storage. A message is cut to the limits of the protocol as it grows, and the whole of
//! what was cut goes out as a change of its own, so that memory, frames and replies stay bounded whatever comes.

mod asking;
mod change;
mod clip;
mod fold;
mod form;
mod held;
mod restore;
mod turn;
mod update;
mod view;

use std::collections::{HashMap, VecDeque};

use pupitre_protocol::conversation::{Command, ConfigOption, Elicitation, Login, Modes, Permission, Usage};
use pupitre_protocol::{AgentName, ConversationId, MessageId, PermissionId};
use uuid::Uuid;

pub use change::{Change, Revision, WholeField};
pub use form::{FormError, check_field, check_form};
pub use restore::{Stored, compose};
pub use turn::{Attachment, Cancelled, Prompt, SendError, Stall, TurnEnd, WithdrawError};
pub use update::{ToolPatch, Update, Voice};
pub use view::Page;

use fold::ToolPlace;
use held::Held;

/// Where time and new ids come from.
pub trait Stamps {
    /// Returns the time in epoch milliseconds.
    fn now_ms(&mut self) -> u64;
    /// Returns a new UUIDv7, greater than those before.
    fn new_id(&mut self) -> Uuid;
}

/// One conversation.
#[derive(Debug, Clone)]
pub struct Conversation {
    agent: AgentName,
    id: ConversationId,
    cwd: String,
    title: Option<String>,
    created_at: u64,
    rev: u64,
    /// The newest messages, oldest first, and before them older ones that still change.
    held: VecDeque<Held>,
    /// From this message on all are held; all that there are when it is `None` and nothing is in storage alone.
    whole_from: Option<MessageId>,
    /// How many messages there are, those in storage included.
    total: u64,
    turn: Option<Turn>,
    /// The running turn has been silent for so long that the agent may be stuck.
    stalled: bool,
    queue: VecDeque<Prompt>,
    /// The agent message that updates go to.
    target: Option<Target>,
    tools: HashMap<String, ToolPlace>,
    /// The turn that the target belongs to; outlives the turn itself, since updates may come late.
    turn_of_target: Option<MessageId>,
    /// Where the plan of that turn stands.
    plan: Option<(MessageId, usize)>,
    usage: Option<Usage>,
    commands: Vec<Command>,
    modes: Option<Modes>,
    config_options: Vec<ConfigOption>,
    permissions: Vec<Permission>,
    elicitations: Vec<Elicitation>,
    /// The running turn waits until its user has logged in.
    login: Option<Login>,
    rejections: u32,
    /// That more was asked at once than may be open has been said in this turn.
    refusal_told: bool,
    revisions: Vec<Revision>,
}

/// The turn that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn {
    message: MessageId,
    stage: Stage,
}

/// How far the running turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Answering,
    /// The agent was told to cancel and has not yet answered.
    Cancelling,
    /// The message was ended without the agent's answer, which may still come; until then the agent is busy.
    Abandoned,
}

/// The agent message that updates go to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    message: MessageId,
    /// The agent's own id for it, when it gave one.
    agent_id: Option<String>,
}

impl Conversation {
    /// How many messages are held, besides those that still change.
    pub const HELD_MESSAGES: usize = 400;
    /// How many bytes of messages are held, besides those that still change.
    pub const HELD_BYTES: usize = 16 << 20;

    /// Returns an empty conversation.
    pub fn new(agent: AgentName, cwd: String, stamps: &mut dyn Stamps) -> Self {
        let id = ConversationId(stamps.new_id());
        Self::empty(agent, id, cwd, stamps.now_ms())
    }

    fn empty(agent: AgentName, id: ConversationId, cwd: String, created_at: u64) -> Self {
        Self {
            agent,
            id,
            cwd,
            title: None,
            created_at,
            rev: 0,
            held: VecDeque::new(),
            whole_from: None,
            total: 0,
            turn: None,
            stalled: false,
            queue: VecDeque::new(),
            target: None,
            tools: HashMap::new(),
            turn_of_target: None,
            plan: None,
            usage: None,
            commands: Vec::new(),
            modes: None,
            config_options: Vec::new(),
            permissions: Vec::new(),
            elicitations: Vec::new(),
            login: None,
            rejections: 0,
            refusal_told: false,
            revisions: Vec::new(),
        }
    }

    pub fn id(&self) -> ConversationId {
        self.id
    }

    pub fn agent(&self) -> &AgentName {
        &self.agent
    }

    /// Returns the working directory of its sessions.
    pub fn cwd(&self) -> &str {
        &self.cwd
    }

    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    pub fn created_at(&self) -> u64 {
        self.created_at
    }

    pub fn rev(&self) -> u64 {
        self.rev
    }

    /// Returns how many messages there are, those in storage included.
    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn usage(&self) -> Option<&Usage> {
        self.usage.as_ref()
    }

    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Says whether the agent is answering, or still owes the answer to a cancelled turn.
    pub fn is_busy(&self) -> bool {
        self.turn.is_some()
    }

    /// Says whether revisions wait to be taken.
    pub fn has_revisions(&self) -> bool {
        !self.revisions.is_empty()
    }

    /// Says whether only appended text waits to be taken, which may be gathered for a moment.
    pub fn has_only_text_waiting(&self) -> bool {
        self.revisions
            .iter()
            .all(|revision| matches!(revision.change, Change::Appended { .. }))
    }

    /// Takes what changed since the last call, in order.
    pub fn take_revisions(&mut self) -> Vec<Revision> {
        std::mem::take(&mut self.revisions)
    }

    /// Returns the open permission requests, oldest first.
    pub fn permissions(&self) -> &[Permission] {
        &self.permissions
    }

    /// Returns an open permission request.
    pub fn permission(&self, id: PermissionId) -> Option<&Permission> {
        self.permissions.iter().find(|permission| permission.id == id)
    }

    pub fn modes(&self) -> Option<&Modes> {
        self.modes.as_ref()
    }

    pub fn config_options(&self) -> &[ConfigOption] {
        &self.config_options
    }

    fn queued(&self) -> u32 {
        u32::try_from(self.queue.len()).expect("the queue is limited to a hundred")
    }

    /// Records a change under a new revision. Text that goes on where the last change ended joins it.
    fn record(&mut self, change: Change) {
        self.rev += 1;
        if let Change::Appended {
            message, index, text, ..
        } = &change
            && let Some(Revision {
                rev,
                change:
                    Change::Appended {
                        message: before,
                        index: at,
                        text: joined,
                        ..
                    },
            }) = self.revisions.last_mut()
            && (&*before, &*at) == (message, index)
            && joined.len() + text.len() <= JOINED_BYTES
        {
            joined.push_str(text);
            *rev = self.rev;
            return;
        }
        self.revisions.push(Revision {
            rev: self.rev,
            change,
        });
    }

    fn record_turn(&mut self) {
        let change = Change::Turn {
            busy: self.is_busy(),
            queued: self.queued(),
            stalled: self.stalled,
            login: self.login.clone(),
        };
        self.record(change);
    }
}

/// Deltas of one part are joined up to this size.
const JOINED_BYTES: usize = 64 << 10;

#[cfg(test)]
mod tests;
