//! What an agent's conversation does, in the words of the fleet: folded from what is published of the agent.
//!
//! Responsible for the state and its texts; keeps nothing of the conversation but what those need.

mod told;

use pupitre_protocol::agent::{AgentState, AgentView};
use pupitre_protocol::conversation::{Message, Part, PartKind, Role, ToolCall, ToolKind, ToolStatus};
use pupitre_protocol::event::{MessageDelta, TurnChanged};
use pupitre_protocol::surface::{Evidence, Standing, SurfaceState};
use pupitre_protocol::{AgentName, ConversationId, ElicitationId, Event, MessageId, PermissionId};

use told::{Answer, told};

/// The most questions and tool calls that are followed at once; a conversation has fewer.
const FOLLOWED: usize = 64;

/// The state of an agent's conversation.
#[derive(Debug, Clone)]
pub struct AcpStanding {
    process: Process,
    conversation: Option<ConversationId>,
    turn: Turn,
    /// What it asks, oldest first.
    asked: Vec<Asked>,
    last_result: Option<String>,
    /// What is shown.
    standing: Standing,
    /// Since when it is at rest, in epoch milliseconds; `None` when it is not.
    rests_since: Option<u64>,
}

/// What something that happened changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The state, and perhaps more.
    State,
    /// Not the state, but something that stands beside it.
    Texts,
    Nothing,
}

/// The agent's process.
#[derive(Debug, Clone)]
struct Process {
    state: AgentState,
    error: Option<String>,
    pid: Option<u32>,
}

/// The turn that runs, or the last one.
#[derive(Debug, Clone, Default)]
struct Turn {
    /// The user message that it answers, where that was seen.
    id: Option<MessageId>,
    stage: Stage,
    /// What its last message says of how it failed.
    failure: Option<String>,
    /// The first message of the agent's in it; what was said before belongs to earlier turns.
    first: Option<MessageId>,
    /// The newest message of the agent's in it.
    newest: Option<MessageId>,
    answer: Answer,
    tools: Vec<RunningTool>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Stage {
    /// None ran yet, or the end of the last one has been seen.
    #[default]
    Resting,
    Running {
        stalled: bool,
        login: Option<String>,
    },
    Finished,
    Failed {
        reason: String,
    },
}

/// A question that is open.
#[derive(Debug, Clone)]
struct Asked {
    id: AskedId,
    message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AskedId {
    Permission(PermissionId),
    Elicitation(ElicitationId),
}

/// A tool call that has not ended.
#[derive(Debug, Clone)]
struct RunningTool {
    message: MessageId,
    index: u32,
    begun: bool,
    name: String,
}

impl AcpStanding {
    /// Begins with an agent that has no process.
    pub fn new(name: AgentName, now_ms: u64) -> Self {
        Self {
            process: Process {
                state: AgentState::Stopped,
                error: None,
                pid: None,
            },
            conversation: None,
            turn: Turn::default(),
            asked: Vec::new(),
            last_result: None,
            standing: Standing {
                state: SurfaceState::Idle,
                state_seq: 0,
                since: now_ms,
                evidence: Evidence::Acp,
                hooked: false,
                reason: Some("stopped".to_owned()),
                tool: Some(name.into()),
                pid: None,
                active_tool_name: None,
                message: None,
                last_result: None,
                untrusted: true,
            },
            rests_since: Some(now_ms),
        }
    }

    /// Takes in what is shown of the agent.
    pub fn agent(&mut self, view: &AgentView, now_ms: u64) -> Change {
        self.process = Process {
            state: view.state,
            error: view.error.as_deref().map(told),
            pid: view.pid,
        };
        match view.state {
            // Nobody waits for an answer, and how an earlier run's turn ended says nothing of the next run.
            AgentState::Stopped | AgentState::Error => {
                self.asked.clear();
                self.turn.forget_end();
            }
            AgentState::Starting => self.turn.forget_end(),
            AgentState::Ready | AgentState::Busy => {}
        }
        self.show(now_ms)
    }

    /// Takes in what was published of the agent. Its view is told by [`Self::agent`], not by `agent:state`.
    pub fn event(&mut self, event: &Event, now_ms: u64) -> Change {
        match event {
            Event::ConversationChanged(changed) => self.change_conversation(changed.conversation),
            Event::TurnChanged(changed) if self.is_current(changed.conversation) => {
                self.change_turn(changed);
            }
            Event::PermissionRequested(asked) if self.is_current(asked.conversation) => {
                self.ask(AskedId::Permission(asked.id), tool_name(&asked.tool_call));
            }
            Event::ElicitationRequested(asked) if self.is_current(asked.conversation) => {
                let elicitation = &asked.elicitation;
                self.ask(AskedId::Elicitation(elicitation.id), told(&elicitation.message));
            }
            Event::PermissionResolved(resolved) => self.resolve(AskedId::Permission(resolved.id)),
            Event::ElicitationResolved(resolved) => self.resolve(AskedId::Elicitation(resolved.id)),
            Event::MessageUpdated(updated) if self.is_current(updated.conversation) => {
                self.turn.take_message(&updated.message);
            }
            Event::MessageDelta(delta) if self.is_current(delta.conversation) => {
                self.turn.take_delta(delta);
                // Most that comes is text, which shows when the turn has ended.
                if delta.kind != PartKind::Tool {
                    return Change::Nothing;
                }
            }
            // Of another conversation than the agent's current one.
            Event::TurnChanged(_)
            | Event::PermissionRequested(_)
            | Event::ElicitationRequested(_)
            | Event::MessageUpdated(_)
            | Event::MessageDelta(_)
            // Of no matter for the state.
            | Event::AgentState(_)
            | Event::AgentLog(_)
            | Event::AgentTrace(_)
            | Event::ConversationDeleted(_)
            | Event::UsageChanged(_)
            | Event::CommandsChanged(_)
            | Event::SessionChanged(_)
            | Event::ConfigChanged(_)
            | Event::ChannelUpdated(_)
            | Event::SurfaceOpened(_)
            | Event::SurfaceClosed(_)
            | Event::SurfaceChanged(_)
            | Event::StateChanged(_)
            | Event::WorkspacesChanged(_)
            | Event::Subscribed(_)
            | Event::Heartbeat(_)
            | Event::Dropped(_)
            | Event::Resync(_) => return Change::Nothing,
        }
        self.show(now_ms)
    }

    /// A person has it in view: what has finished is at rest.
    pub fn seen(&mut self, now_ms: u64) -> Change {
        if self.turn.stage == Stage::Finished {
            self.turn.stage = Stage::Resting;
        }
        self.show(now_ms)
    }

    /// Returns the state with what belongs to it.
    pub fn standing(&self) -> Standing {
        self.standing.clone()
    }

    /// Returns how long it has been waiting for its person, in milliseconds; `None` when it does not.
    pub fn waiting_ms(&self, now_ms: u64) -> Option<u64> {
        (self.standing.state == SurfaceState::WaitingForInput)
            .then(|| now_ms.saturating_sub(self.standing.since))
    }

    /// Returns how long it has been at rest, seen by a person or not, in milliseconds; `None` when it is not.
    pub fn idle_ms(&self, now_ms: u64) -> Option<u64> {
        self.rests_since.map(|since| now_ms.saturating_sub(since))
    }

    /// Returns the turn that runs, or the last one.
    pub fn turn(&self) -> Option<String> {
        self.turn.id.map(|id| id.to_string())
    }

    /// Says whether the agent has a process, or failed.
    pub fn is_in_fleet(&self) -> bool {
        match self.process.state {
            AgentState::Stopped => self.process.pid.is_some(),
            AgentState::Starting | AgentState::Ready | AgentState::Busy | AgentState::Error => true,
        }
    }

    /// Says whether something of the agent's current conversation is told; the first that is told of is that one.
    fn is_current(&mut self, conversation: ConversationId) -> bool {
        *self.conversation.get_or_insert(conversation) == conversation
    }

    fn change_conversation(&mut self, conversation: ConversationId) {
        if self.conversation.replace(conversation) != Some(conversation) {
            self.turn = Turn::default();
            self.asked.clear();
        }
    }

    fn change_turn(&mut self, changed: &TurnChanged) {
        if !changed.busy {
            if let Some(result) = self.turn.end() {
                self.last_result = Some(result);
            }
            return;
        }
        if !self.turn.is_running() {
            self.turn = Turn::default();
        }
        self.turn.stage = Stage::Running {
            stalled: changed.stalled,
            login: changed.login.as_ref().map(|login| told(&login.message)),
        };
    }

    fn ask(&mut self, id: AskedId, message: String) {
        if self.asked.len() < FOLLOWED && self.asked.iter().all(|open| open.id != id) {
            self.asked.push(Asked { id, message });
        }
    }

    fn resolve(&mut self, id: AskedId) {
        self.asked.retain(|open| open.id != id);
    }

    /// Returns the state, why it is no more than that, and what it asks.
    fn now(&self) -> (SurfaceState, Option<String>, Option<String>) {
        let because = |state, reason: &str| (state, Some(reason.to_owned()), None);
        let plain = |state| (state, None, None);
        match self.process.state {
            AgentState::Error => because(
                SurfaceState::Errored,
                self.process.error.as_deref().unwrap_or("the agent failed"),
            ),
            AgentState::Stopped if !self.turn.is_running() => because(SurfaceState::Idle, "stopped"),
            // A prompt starts the agent.
            AgentState::Stopped | AgentState::Starting => because(SurfaceState::UnknownRunning, "starting"),
            AgentState::Ready | AgentState::Busy => match (self.question(), &self.turn.stage) {
                (Some(question), _) => (SurfaceState::WaitingForInput, None, Some(question.to_owned())),
                (None, Stage::Running { stalled: true, .. }) => plain(SurfaceState::Stalled),
                (None, Stage::Running { stalled: false, .. }) => plain(SurfaceState::Thinking),
                // Its turn has ended here and not there, or it runs what nothing was told of.
                (None, Stage::Resting | Stage::Finished | Stage::Failed { .. })
                    if self.process.state == AgentState::Busy =>
                {
                    plain(SurfaceState::Thinking)
                }
                (None, Stage::Resting) => plain(SurfaceState::Idle),
                (None, Stage::Finished) => plain(SurfaceState::Finished),
                (None, Stage::Failed { reason }) => because(SurfaceState::Errored, reason),
            },
        }
    }

    fn question(&self) -> Option<&str> {
        match (self.asked.first(), &self.turn.stage) {
            (Some(asked), _) => Some(&asked.message),
            (None, Stage::Running { login, .. }) => login.as_deref(),
            (None, Stage::Resting | Stage::Finished | Stage::Failed { .. }) => None,
        }
    }

    fn show(&mut self, now_ms: u64) -> Change {
        let (state, reason, message) = self.now();
        let is_changed = state != self.standing.state;
        let standing = Standing {
            state,
            state_seq: self.standing.state_seq + u64::from(is_changed),
            since: if is_changed { now_ms } else { self.standing.since },
            evidence: Evidence::Acp,
            hooked: false,
            reason,
            tool: self.standing.tool.clone(),
            pid: self.process.pid,
            active_tool_name: is_active(state).then(|| self.turn.tool()).flatten(),
            message,
            last_result: self.last_result.clone(),
            untrusted: true,
        };
        self.rests_since = is_at_rest(state).then(|| self.rests_since.unwrap_or(now_ms));
        if is_changed {
            self.standing = standing;
            return Change::State;
        }
        if standing == self.standing {
            return Change::Nothing;
        }
        self.standing = standing;
        Change::Texts
    }
}

impl Turn {
    const fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Running { .. })
    }

    /// Ends the turn, when it runs, and returns what it ended with.
    fn end(&mut self) -> Option<String> {
        if !self.is_running() {
            return None;
        }
        self.stage = match self.failure.take() {
            Some(reason) => Stage::Failed { reason },
            None => Stage::Finished,
        };
        self.tools.clear();
        std::mem::take(&mut self.answer).text()
    }

    /// Forgets how the last turn ended; one that runs goes on.
    fn forget_end(&mut self) {
        if !self.is_running() {
            self.stage = Stage::Resting;
        }
    }

    fn take_message(&mut self, message: &Message) {
        let is_prompt = message.role == Role::User && !message.queued && message.error.is_none();
        if is_prompt && message.turn == Some(message.id) && Some(message.id) != self.id {
            *self = Self {
                id: Some(message.id),
                stage: Stage::Running {
                    stalled: false,
                    login: None,
                },
                ..Self::default()
            };
            return;
        }
        let is_of_turn = message.role != Role::User && (message.turn == self.id || self.id.is_none());
        if !self.is_running() {
            return;
        }
        if is_of_turn {
            if message.stop_reason.is_some() || message.error.is_some() {
                self.failure = message.error.as_deref().map(told);
            }
            if message.role == Role::Agent {
                self.first = self.first.or(Some(message.id));
                self.newest = self.newest.max(Some(message.id));
            }
        }
        self.tools.retain(|tool| tool.message != message.id);
        for (index, part) in (0..).zip(&message.parts) {
            self.take_part(message.id, index, part);
        }
    }

    fn take_delta(&mut self, delta: &MessageDelta) {
        if !self.is_running() {
            return;
        }
        match (&delta.part, &delta.text) {
            (Some(part), _) => self.take_part(delta.message_id, delta.index, part),
            (None, Some(text)) if delta.kind == PartKind::Text && self.newest == Some(delta.message_id) => {
                self.answer.append((delta.message_id, delta.index), text);
            }
            (None, Some(_) | None) => {}
        }
    }

    fn take_part(&mut self, message: MessageId, index: u32, part: &Part) {
        match part {
            Part::Text { text } if self.newest == Some(message) => {
                self.answer.replace((message, index), text);
            }
            Part::Tool { tool } if self.first.is_some_and(|first| first <= message) => {
                self.take_tool(message, index, tool);
            }
            // Of an earlier turn or message, or of no matter for the state.
            Part::Text { .. }
            | Part::Tool { .. }
            | Part::Thought { .. }
            | Part::Plan { .. }
            | Part::Image { .. }
            | Part::Resource { .. } => {}
        }
    }

    fn take_tool(&mut self, message: MessageId, index: u32, tool: &ToolCall) {
        self.tools
            .retain(|running| (running.message, running.index) != (message, index));
        if tool.status.is_final() {
            return;
        }
        if self.tools.len() == FOLLOWED {
            self.tools.remove(0);
        }
        self.tools.push(RunningTool {
            message,
            index,
            begun: tool.status == ToolStatus::InProgress,
            name: tool_name(tool),
        });
    }

    /// Returns the tool call that runs: the last one in the conversation, and one that has begun rather than one that waits.
    fn tool(&self) -> Option<String> {
        self.tools
            .iter()
            .max_by_key(|tool| (tool.begun, tool.message, tool.index))
            .map(|tool| tool.name.clone())
    }
}

const fn is_active(state: SurfaceState) -> bool {
    match state {
        SurfaceState::Thinking | SurfaceState::WaitingForInput | SurfaceState::Stalled => true,
        SurfaceState::Finished
        | SurfaceState::Errored
        | SurfaceState::Idle
        | SurfaceState::UnknownRunning => false,
    }
}

const fn is_at_rest(state: SurfaceState) -> bool {
    match state {
        SurfaceState::Idle | SurfaceState::Finished => true,
        SurfaceState::Thinking
        | SurfaceState::WaitingForInput
        | SurfaceState::Stalled
        | SurfaceState::Errored
        | SurfaceState::UnknownRunning => false,
    }
}

/// Returns what a person is told of a tool call: its title, or of which kind it is.
fn tool_name(tool: &ToolCall) -> String {
    let title = told(&tool.title);
    if !title.is_empty() {
        return title;
    }
    match tool.kind {
        ToolKind::Read => "read",
        ToolKind::Edit => "edit",
        ToolKind::Delete => "delete",
        ToolKind::Move => "move",
        ToolKind::Search => "search",
        ToolKind::Execute => "execute",
        ToolKind::Think => "think",
        ToolKind::Fetch => "fetch",
        ToolKind::Other => "tool",
    }
    .to_owned()
}

#[cfg(test)]
mod tests;
