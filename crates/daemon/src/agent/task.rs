//! One agent's task: waits for whatever comes next and handles it, synchronously, in one place.
//!
//! Theory of operation: `run` turns requests, lines of the agent, news of its guard and the passing of time into calls
//! of `handle_…`, which never wait. Each is followed by `settle`, which does what the new state asks for (start the
//! agent, open the session, send the next prompt) and gathers what changed. Only then the events are sent, and after them
//! the answers, so that whoever got an answer finds its effect at the hub. Lines are read here and not by a task of their
//! own, so that an agent that floods waits for us and nobody else does.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pupitre_guard::wire::GuardReport;
use pupitre_model::agent::lifecycle::{IdleStop, Input, Lifecycle};
use pupitre_model::config::AgentDefinition;
use pupitre_model::conversation::Conversation;
use pupitre_protocol::conversation::OpenLogin;
use pupitre_protocol::event::ConversationChanged;
use pupitre_protocol::limits::DELTA_JOIN_MS;
use pupitre_protocol::{ConversationId, Event, PermissionId};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use super::acp::AgentRequestId;
use super::connection::{Link, LinkInput};
use super::log::Log;
use super::process::{LastRun, Waiters};
use super::questions::OpenQuestion;
use super::session::Session;
use super::turns::Unsent;
use super::veil::Veil;
use super::{AgentHandle, AgentRequest, Answer, OpenRequests, Respond};
use crate::clock::{SystemStamps, steady_ms};
use crate::history::{Header, History};
use crate::hub::{RoomAnswer, RoomRefused, TraceFollowers, UnitEvent};
use crate::process::World;
use crate::surface::{Numbers, Surfaces};

/// What every agent's task needs of the daemon.
#[derive(Debug, Clone)]
pub(crate) struct AgentContext {
    pub(crate) world: World,
    pub(crate) history: History,
    pub(crate) events: mpsc::Sender<UnitEvent>,
    /// How many subscribers follow what goes between the daemon and its agents.
    pub(crate) trace_followers: TraceFollowers,
    pub(crate) home: PathBuf,
    /// The path of the configuration, to which conversations belong.
    pub(crate) config: String,
    pub(crate) version: &'static str,
    /// When agents that nobody uses are stopped.
    pub(crate) idle_stop: IdleStop,
    /// After how long a silent turn counts as stalled.
    pub(crate) stall_after_ms: Option<u64>,
    /// Gives each agent the surface of its conversations.
    pub(crate) numbers: Arc<Mutex<Numbers>>,
    /// Where the commands run that agents want to have run.
    pub(crate) surfaces: Surfaces,
}

/// The task of one agent.
pub(crate) struct AgentTask {
    pub(super) context: Arc<AgentContext>,
    pub(super) definition: AgentDefinition,
    requests: mpsc::UnboundedReceiver<AgentRequest>,
    pub(super) lifecycle: Lifecycle,
    pub(super) waiters: Waiters,
    /// Where the hub says whether one more agent may run.
    room: Option<oneshot::Receiver<RoomAnswer>>,
    pub(super) log: Log,
    /// The process that runs, or is being ended.
    pub(super) link: Option<Link>,
    /// What the last process left to look at.
    pub(super) last_run: LastRun,
    /// Covers the secrets of the run in what the agent says.
    pub(super) veil: Veil,
    pub(super) conversation: Conversation,
    /// Whether the conversation is in storage: one that is empty is not.
    stored: bool,
    pub(super) session: Session,
    /// Sessions of this process that belong to other conversations.
    pub(super) past_sessions: VecDeque<String>,
    /// The last conversations that were deleted.
    pub(super) deleted: VecDeque<ConversationId>,
    pub(super) unsent: Option<Unsent>,
    pub(super) cancel_deadline_ms: Option<u64>,
    /// After how long a silent turn counts as stalled.
    pub(super) stall_after_ms: Option<u64>,
    /// When the agent was last heard, or given something to do.
    pub(super) heard_at_ms: u64,
    /// It was not heard for too long since.
    pub(super) stalled: bool,
    /// Open permission requests: the agent's own ids.
    pub(super) asked: Vec<(PermissionId, AgentRequestId)>,
    /// Open questions: the agent's own ids.
    pub(super) questions: Vec<OpenQuestion>,
    /// The last requests that are no longer open, so that a late answer is told so.
    pub(super) answered: VecDeque<Uuid>,
    /// The hub has not got the view as it is now.
    pub(super) view_changed: bool,
    /// When gathered text must be sent.
    flush_at_ms: Option<u64>,
    pub(super) outbox: Vec<UnitEvent>,
    /// Answers, given once the outbox is sent.
    replies: Vec<Reply>,
}

/// Gives an answer to whoever waits for it.
type Reply = Box<dyn FnOnce() + Send>;

/// How far a turn of the loop got.
enum Next {
    GoOn,
    End,
}

impl AgentTask {
    /// Returns the task of an agent with its current conversation, and its handle.
    pub(crate) fn new(
        context: Arc<AgentContext>,
        definition: AgentDefinition,
        conversation: Option<(Conversation, Option<String>)>,
    ) -> (AgentHandle, Self) {
        let (requests, requests_in) = mpsc::unbounded_channel();
        let handle = AgentHandle {
            name: definition.name.clone(),
            requests,
        };
        let log = Log::new(definition.name.clone(), context.events.clone());
        let stored = conversation.is_some();
        let (idle_stop, stall_after_ms) = (context.idle_stop, context.stall_after_ms);
        let (conversation, session) =
            conversation.unwrap_or_else(|| (fresh(&context, &definition, None), None));
        let task = Self {
            context,
            definition,
            requests: requests_in,
            lifecycle: Lifecycle::new(idle_stop),
            waiters: Waiters::default(),
            room: None,
            log,
            link: None,
            last_run: LastRun::default(),
            veil: Veil::default(),
            conversation,
            stored,
            session: Session::Closed { known: session },
            past_sessions: VecDeque::new(),
            deleted: VecDeque::new(),
            unsent: None,
            cancel_deadline_ms: None,
            stall_after_ms,
            heard_at_ms: 0,
            stalled: false,
            asked: Vec::new(),
            questions: Vec::new(),
            answered: VecDeque::new(),
            view_changed: true,
            flush_at_ms: None,
            outbox: Vec::new(),
            replies: Vec::new(),
        };
        (handle, task)
    }

    /// Runs until the daemon closes.
    pub(crate) async fn run(mut self) {
        let closing = self.context.world.tasks.closing.clone();
        let history = self.context.history.clone();
        loop {
            self.settle();
            for event in std::mem::take(&mut self.outbox) {
                if self.context.events.send(event).await.is_err() {
                    return;
                }
            }
            for reply in self.replies.drain(..) {
                reply();
            }
            let deadline_ms = self.deadline_ms();
            let congested = history.is_congested();
            let next = tokio::select! {
                biased;
                () = closing.cancelled() => Next::End,
                request = self.requests.recv() => match request {
                    Some(request) => self.handle_request(request),
                    None => Next::End,
                },
                answer = next_room_answer(&mut self.room) => self.handle_room(answer),
                () = sleep_until(deadline_ms) => self.handle_time(),
                input = next_input(&mut self.link), if !congested => {
                    self.read_last_words(&input).await;
                    // Lines that were read together are no reason to keep others from their turn.
                    tokio::task::consume_budget().await;
                    self.handle_input(input)
                }
                () = history.relieved(), if congested => Next::GoOn,
            };
            if matches!(next, Next::End) {
                self.flush();
                return;
            }
        }
    }

    fn handle_request(&mut self, request: AgentRequest) -> Next {
        match request {
            AgentRequest::Start(respond) => self.ask_start(respond),
            AgentRequest::Stop(respond) => self.ask_stop(respond),
            AgentRequest::Restart(respond) => self.ask_restart(respond),
            AgentRequest::Logs(respond) => {
                let reply = Ok(self.logs());
                self.answer(respond, reply);
            }
            AgentRequest::Trace(respond) => {
                let reply = Ok(self.trace());
                self.answer(respond, reply);
            }
            AgentRequest::Send {
                text,
                attachments,
                respond,
            } => {
                let reply = self.send(text, attachments);
                self.answer(respond, reply);
            }
            AgentRequest::Withdraw(id, respond) => {
                let reply = self.withdraw(id);
                self.answer(respond, reply);
            }
            AgentRequest::Cancel(message, respond) => {
                let reply = Ok(self.cancel(message));
                self.answer(respond, reply);
            }
            AgentRequest::OpenRequests(respond) => {
                let reply = OpenRequests {
                    permissions: self.conversation.permissions().to_vec(),
                    elicitations: self.conversation.elicitations().to_vec(),
                    login: self.conversation.login().map(|login| OpenLogin {
                        agent: self.definition.name.clone(),
                        conversation: self.conversation.id(),
                        login: login.clone(),
                    }),
                };
                self.answer(respond, Ok(reply));
            }
            AgentRequest::AnswerPermission {
                id,
                option,
                answered_by,
                respond,
            } => {
                let reply = self.answer_permission(id, option, answered_by);
                self.answer(respond, reply);
            }
            AgentRequest::AnswerElicitation {
                id,
                action,
                content,
                answered_by,
                respond,
            } => {
                let reply = self.answer_elicitation(id, action, content, answered_by);
                self.answer(respond, reply);
            }
            AgentRequest::Authenticate { method_id, respond } => self.authenticate(&method_id, respond),
            AgentRequest::Conversation(page, respond) => {
                let reply = Ok(self.held_conversation(page));
                self.answer(respond, reply);
            }
            AgentRequest::SetOption { id, value, respond } => self.set_option(&id, &value, respond),
            AgentRequest::SetMode { mode, respond } => self.set_mode(&mode, respond),
            AgentRequest::New { cwd, respond } => {
                let reply = self.begin_conversation(cwd);
                self.answer(respond, reply);
            }
            AgentRequest::Define(definition) => {
                self.definition = *definition;
                self.view_changed = true;
            }
            AgentRequest::SetLimits(limits) => {
                self.lifecycle.set_idle_stop(limits.idle_stop);
                self.stall_after_ms = limits.stall_after_ms;
            }
            AgentRequest::MakeRoom => self.step(Input::EvictionAsked),
            AgentRequest::Leave(id, respond) => {
                let reply = self.leave_conversation(id);
                self.answer(respond, reply);
            }
            AgentRequest::Keep(id) => self.deleted.retain(|deleted| *deleted != id),
            AgentRequest::Open(opened, respond) => {
                let reply = self.open_conversation(*opened);
                self.answer(respond, reply);
            }
        }
        Next::GoOn
    }

    fn handle_room(&mut self, answer: RoomAnswer) -> Next {
        self.room = None;
        self.step(match answer {
            Ok(()) => Input::RoomGiven,
            Err(refused) => Input::RoomRefused {
                reason: refused.reason,
            },
        });
        Next::GoOn
    }

    fn handle_input(&mut self, input: LinkInput) -> Next {
        self.take_input(input);
        Next::GoOn
    }

    /// The reason of a failed start quotes the last lines of stderr, which another task reads.
    async fn read_last_words(&mut self, input: &LinkInput) {
        if let (LinkInput::Guard(GuardReport::Gone), Some(link)) = (input, &mut self.link) {
            link.read_stderr_to_end().await;
        }
    }

    fn handle_time(&mut self) -> Next {
        let now_ms = steady_ms();
        if self.cancel_deadline_ms.is_some_and(|deadline| deadline <= now_ms) {
            self.cancel_deadline_ms = None;
            self.conversation.abandon_turn(&mut SystemStamps);
        }
        self.look_at_stall(now_ms);
        self.look_at_process_time(now_ms);
        Next::GoOn
    }

    fn deadline_ms(&self) -> Option<u64> {
        [
            self.cancel_deadline_ms,
            self.stall_deadline_ms(),
            self.flush_at_ms,
            self.lifecycle.deadline_ms(),
            self.process_deadline_ms(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Does what the state asks for, and gathers what must be told.
    fn settle(&mut self) {
        self.advance();
        self.tell_trace();
        if self.view_changed {
            self.show();
        }
        if !self.conversation.has_revisions() {
            self.flush_at_ms = None;
        } else if self.conversation.has_only_text_waiting() {
            let now_ms = steady_ms();
            match self.flush_at_ms {
                None => self.flush_at_ms = Some(now_ms + DELTA_JOIN_MS),
                Some(at) if at <= now_ms => self.flush(),
                Some(_) => {}
            }
        } else {
            self.flush();
        }
    }

    /// Hands what changed in the conversation to storage and to the hub.
    pub(super) fn flush(&mut self) {
        self.flush_at_ms = None;
        let revisions = self.conversation.take_revisions();
        if revisions.is_empty() {
            return;
        }
        let id = self.conversation.id();
        if !self.stored {
            self.stored = true;
            self.context
                .history
                .make_current(self.context.config.clone(), self.header());
        }
        for revision in &revisions {
            if let Some(event) = revision.clone().into_event(&self.definition.name, id) {
                self.outbox.push(UnitEvent::Publish(event));
            }
        }
        self.context.history.record(self.header(), revisions);
    }

    /// Answers a request, once what it did has been told; whoever no longer waits needs no answer.
    pub(super) fn answer<Reply: Send + 'static>(&mut self, respond: Respond<Reply>, reply: Answer<Reply>) {
        self.replies.push(Box::new(move || drop(respond.send(reply))));
    }

    /// Asks the hub whether one more agent may run.
    pub(super) fn ask_room(&mut self) {
        let (reply, answer) = oneshot::channel();
        self.room = Some(answer);
        let agent = self.definition.name.clone();
        self.outbox.push(UnitEvent::AskRoom { agent, reply });
    }

    /// Tells the hub that the place among the running agents is free.
    pub(super) fn leave_room(&mut self) {
        self.room = None;
        self.outbox
            .push(UnitEvent::LeaveRoom(self.definition.name.clone()));
    }

    /// Tells the hub that this agent is in use and does not make room.
    pub(super) fn stay(&mut self) {
        self.outbox.push(UnitEvent::Stay(self.definition.name.clone()));
    }

    /// Tells the hub what is to be shown of the agent now.
    pub(super) fn show(&mut self) {
        self.view_changed = false;
        self.outbox.push(UnitEvent::Agent(Box::new(self.view())));
    }

    fn header(&self) -> Header {
        Header::of(&self.conversation)
    }

    /// Puts another conversation in the place of the current one, which stays in storage.
    pub(super) fn replace_conversation(&mut self, conversation: Conversation, session: Option<String>) {
        self.cancel_asked();
        self.flush();
        self.conversation = conversation;
        let before = std::mem::replace(&mut self.session, Session::Closed { known: session });
        if let Session::Open { id } | Session::Opening { known: Some(id), .. } = before {
            self.remember_past_session(id);
        }
        // An empty one too: it is the current one from now on, also after a restart of the daemon.
        self.stored = true;
        self.context
            .history
            .make_current(self.context.config.clone(), self.header());
        let changed = ConversationChanged {
            agent: self.definition.name.clone(),
            conversation: self.conversation.id(),
        };
        self.outbox
            .push(UnitEvent::Publish(Event::ConversationChanged(changed)));
    }

    /// Returns an empty conversation in a folder, or in the agent's own.
    pub(super) fn fresh_conversation(&self, cwd: Option<String>) -> Conversation {
        fresh(&self.context, &self.definition, cwd)
    }
}

fn fresh(context: &AgentContext, definition: &AgentDefinition, cwd: Option<String>) -> Conversation {
    let cwd = cwd.unwrap_or_else(|| {
        crate::process::working_folder(definition.cwd.as_deref(), &context.home)
            .display()
            .to_string()
    });
    Conversation::new(definition.name.clone(), cwd, &mut SystemStamps)
}

async fn sleep_until(deadline_ms: Option<u64>) {
    match deadline_ms {
        Some(deadline) => {
            tokio::time::sleep(Duration::from_millis(deadline.saturating_sub(steady_ms()))).await
        }
        None => std::future::pending().await,
    }
}

async fn next_input(link: &mut Option<Link>) -> LinkInput {
    match link {
        Some(link) => link.next().await,
        None => std::future::pending().await,
    }
}

async fn next_room_answer(room: &mut Option<oneshot::Receiver<RoomAnswer>>) -> RoomAnswer {
    match room {
        // The hub ends after the agents: without it there is nothing to run for.
        Some(room) => room.await.unwrap_or_else(|_| Err(RoomRefused::shutting_down())),
        None => std::future::pending().await,
    }
}
