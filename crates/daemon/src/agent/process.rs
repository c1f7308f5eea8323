//! Starting and ending an agent's process: does what the lifecycle decides, and tells it what happened.

use pupitre_guard::wire::GuardReport;
use pupitre_model::agent::lifecycle::{Action, Input, StartFailure, Usage};
use pupitre_model::config::AgentDefinition;
use pupitre_model::reason::Reason;
use pupitre_protocol::agent::{AgentLogsReply, AgentTraceReply, AgentView, TraceEntry};
use pupitre_protocol::event::AgentTraced;
use pupitre_protocol::limits::REPLY_BYTES;
use pupitre_protocol::{Cause, ErrorKind, Event, RpcError};
use tokio::sync::mpsc;

use super::acp::{Connection, Initialized, LineReader, Redactor, Trace, initialize, outgoing_lines};
use super::connection::{Link, LinkInput, LinkParts, Tree};
use super::reason;
use super::session::{Asked, Session};
use super::task::AgentTask;
use super::veil::Veil;
use super::{Answer, Respond};
use crate::clock::{epoch_ms, steady_ms};
use crate::hub::UnitEvent;
use crate::process::Program;

/// Who waits for the end of a transition.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    starts: Vec<Respond<AgentView>>,
    stops: Vec<Respond<AgentView>>,
}

/// What the last process told and left to look at.
#[derive(Debug, Default)]
pub(super) struct LastRun {
    /// What it was started with.
    definition: Option<AgentDefinition>,
    pub(super) initialized: Option<Initialized>,
    /// When the process was started, in epoch milliseconds.
    started_at: Option<u64>,
    /// Why it did not start, with what it wrote to stderr.
    failed_start: Option<String>,
    trace: Option<Trace>,
    /// How many messages the followers of the trace have been told, or need not be told.
    trace_told: u64,
}

/// How many of the last stderr lines stand below the reason of a failed start.
const REASON_STDERR_LINES: usize = 10;

impl AgentTask {
    pub(super) fn ask_start(&mut self, respond: Respond<AgentView>) {
        self.waiters.starts.push(respond);
        self.step(Input::StartAsked);
    }

    pub(super) fn ask_stop(&mut self, respond: Respond<AgentView>) {
        self.waiters.stops.push(respond);
        self.stop();
    }

    pub(super) fn ask_restart(&mut self, respond: Respond<AgentView>) {
        if !self.lifecycle.is_resting() {
            self.stop();
        }
        self.ask_start(respond);
    }

    fn stop(&mut self) {
        self.end_turn_by_stop();
        self.step(Input::StopAsked);
    }

    /// Tells the lifecycle what happened and does what it decides.
    pub(super) fn step(&mut self, input: Input) {
        for action in self.lifecycle.step(input, steady_ms()) {
            match action {
                Action::AskRoom => self.ask_room(),
                Action::LeaveRoom => self.leave_room(),
                Action::RefuseEviction => self.stay(),
                Action::Spawn => self.spawn(),
                Action::End => {
                    self.end_process();
                    if let Some(reason) = self.lifecycle.reason().cloned() {
                        self.turn_lost(&reason);
                    }
                }
                Action::AnswerStarts(outcome) => self.answer_starts(outcome),
                Action::AnswerStops => {
                    for respond in std::mem::take(&mut self.waiters.stops) {
                        let view = self.view();
                        self.answer(respond, Ok(view));
                    }
                }
                Action::Show => self.show(),
            }
        }
    }

    fn answer_starts(&mut self, outcome: Result<(), StartFailure>) {
        let error = match outcome {
            Ok(()) => None,
            Err(StartFailure::Failed { reason }) => {
                let reason = self.reason_with_stderr(&reason);
                let what = if self.last_run.initialized.is_none() {
                    self.last_run.failed_start = Some(reason.text.clone());
                    self.view_changed = true;
                    "could not be started"
                } else {
                    // It ran, and ended while it opened the session.
                    "ended before it was given the message"
                };
                self.unreached(&reason.with_text(format!("{what}: {reason}")));
                Some(
                    RpcError::new(
                        ErrorKind::StartFailed,
                        format!("agent {} did not start: {reason}", self.definition.name),
                    )
                    .with_cause(reason.cause),
                )
            }
            Err(StartFailure::Cancelled) => {
                self.unreached(&Reason::new(
                    "could not be started: it was stopped while it started",
                    Cause::Stopped,
                ));
                let message = format!("agent {} was stopped while it started", self.definition.name);
                Some(RpcError::new(ErrorKind::StartCancelled, message))
            }
            Err(StartFailure::Refused { reason }) => {
                self.unreached(&reason.with_text(format!("could not be started: {reason}")));
                Some(RpcError::new(ErrorKind::TooManyAgents, reason.text).with_cause(reason.cause))
            }
        };
        for respond in std::mem::take(&mut self.waiters.starts) {
            let reply: Answer<AgentView> = match &error {
                None => Ok(self.view()),
                Some(error) => Err(error.clone()),
            };
            self.answer(respond, reply);
        }
    }

    fn spawn(&mut self) {
        self.last_run.initialized = None;
        self.last_run.started_at = None;
        self.last_run.failed_start = None;
        self.last_run.definition = Some(self.definition.clone());
        match self.launch() {
            Ok(link) => {
                self.last_run.started_at = Some(link.started_at);
                self.link = Some(link);
            }
            Err(reason) => self.step(Input::SpawnFailed { reason }),
        }
    }

    fn launch(&mut self) -> Result<Link, Reason> {
        let program = Program::of_agent(&self.definition, &self.context.home)
            .map_err(|error| reason::of_launch(&error))?;
        let redactor = Redactor::new(program.secrets.iter().map(|(value, _)| value.as_str()));
        self.veil = Veil::over(&program.secrets);
        let (news, news_in) = mpsc::unbounded_channel();
        let tasks = &self.context.world.tasks;
        let guarded = crate::process::start(&self.context.world, &self.definition.name, program, news)
            .map_err(|error| {
                let words = format!("its guard cannot be started: {error}");
                let error = error.to_string();
                Reason::new(words, Cause::NotStarted { error })
            })?;
        let stderr = tasks.spawn(self.log.clone().follow(guarded.stderr, redactor.clone()));
        let (outgoing, writer) = outgoing_lines(guarded.stdin);
        let congestion = outgoing.congestion();
        let (failed, written) = mpsc::unbounded_channel();
        tasks.spawn(async move {
            if let Err(error) = writer.run().await {
                // Nobody hears it when the process was let go of already.
                drop(failed.send(error));
            }
        });
        let recorded = self.last_run.trace.as_ref().map_or(0, Trace::recorded);
        let trace = Trace::new(redactor.clone(), epoch_ms, recorded);
        let mut connection = Connection::new(outgoing, trace);
        connection.send_request(
            &initialize(self.definition.client, self.context.version),
            Asked::Initialize,
        );
        let parts = LinkParts {
            lines: LineReader::new(guarded.stdout),
            connection,
            redactor,
            guard: guarded.requests,
            news: news_in,
            written,
            stderr,
            congestion,
            started_at: epoch_ms(),
        };
        Ok(Link::new(parts, tasks))
    }

    fn end_process(&mut self) {
        self.tell_held();
        let Some(link) = &mut self.link else { return };
        let (connection, logins) = link.end();
        let mut unanswered: Vec<Asked> = logins
            .into_iter()
            .map(|respond| Asked::Authenticate { respond })
            .collect();
        if let Some(mut connection) = connection {
            unanswered.extend(connection.abandon());
            self.last_run.trace = Some(connection.into_trace());
        }
        for asked in unanswered {
            self.unanswered(asked);
        }
        self.connection_ended();
    }

    /// Takes in what came of the process.
    pub(super) fn take_input(&mut self, input: LinkInput) {
        match input {
            LinkInput::Line(line) => self.take_line(&line),
            LinkInput::OutputEnded(error) => {
                if let Some(link) = &mut self.link {
                    link.output_ended();
                }
                if let Some(error) = error {
                    self.step(Input::ConnectionLost {
                        reason: reason::of_connection(&error),
                    });
                }
            }
            LinkInput::WriteFailed(error) => self.write_failed(&error),
            LinkInput::Guard(report) => self.take_report(report),
            LinkInput::GuardKilled => self.guard_killed(),
            LinkInput::GuardLost => self.guard_lost(),
            LinkInput::FileDone(id, done) => self.file_done(&id, done),
            LinkInput::Terminal(news) => self.take_terminal_news(news),
            LinkInput::Relieved => {}
        }
    }

    fn write_failed(&mut self, error: &super::acp::WriteError) {
        match error {
            super::acp::WriteError::Overflow { .. } => {
                self.step(Input::ConnectionLost {
                    reason: reason::of_connection(error),
                });
            }
            // The agent closed its stdin, most likely by ending, which is reported with its reason.
            super::acp::WriteError::Write(_) => {
                tracing::debug!(agent = %self.definition.name, %error, "the agent's stdin is closed");
            }
        }
    }

    fn take_report(&mut self, report: GuardReport) {
        match report {
            GuardReport::Started { pid } => {
                if let Some(link) = &mut self.link {
                    link.pid = Some(pid);
                    self.view_changed = true;
                }
            }
            GuardReport::SpawnFailed { error } => {
                if let Some(link) = &mut self.link {
                    link.exited(Reason::new(error.clone(), Cause::NotStarted { error }));
                }
            }
            GuardReport::Exited { code, signal } => {
                let reason = reason::of_exit(code, signal);
                tracing::info!(agent = %self.definition.name, %reason, "the agent's process ended");
                if let Some(link) = &mut self.link {
                    link.exited(reason);
                }
                self.look_at_process_time(steady_ms());
            }
            // An agent has pipes.
            GuardReport::Terminal => {}
            GuardReport::Reaped { pid, .. } => {
                tracing::debug!(agent = %self.definition.name, pid, "a process of the agent ended");
            }
            GuardReport::Signalled { signal, pids } => {
                tracing::info!(agent = %self.definition.name, signal, ?pids, "what is left of the agent was signalled");
            }
            GuardReport::Warning { message } => {
                tracing::warn!(agent = %self.definition.name, message, "the agent's guard");
            }
            GuardReport::Gone => {
                if let Some(link) = &mut self.link {
                    link.tree = Tree::Gone;
                }
                self.look_at_tree();
            }
        }
    }

    /// Says why the agent ends, before anything else that its end brings is taken for the reason.
    fn guard_killed(&mut self) {
        if let Some(link) = &mut self.link
            && link.tree == Tree::Alive
            && link.exit.is_none()
        {
            tracing::error!(agent = %self.definition.name, "the agent's guard ended before the agent");
            link.exited(Reason::new(
                "its guard was ended from outside, and the agent with it",
                Cause::GuardEnded,
            ));
        }
    }

    fn guard_lost(&mut self) {
        // A guard whose tree is gone has nothing more to do.
        if self.link.as_ref().is_some_and(|link| link.tree == Tree::Alive) {
            self.guard_killed();
            if let Some(link) = &mut self.link {
                link.output_ended();
                link.tree = Tree::Gone;
            }
            self.look_at_tree();
        }
    }

    /// Tells the lifecycle when nothing of the agent is left: neither of its own tree nor of the commands run for it.
    pub(super) fn look_at_tree(&mut self) {
        // An agent may answer and leave at once: its last words come before its end.
        let is_over = |link: &Link| link.tree == Tree::Gone && !link.is_draining();
        if !self.link.as_ref().is_some_and(is_over) {
            return;
        }
        self.tell_exit();
        self.end_process();
        if self.link.as_ref().is_some_and(|link| link.terminals.are_gone()) {
            self.link = None;
            self.step(Input::TreeGone);
        }
    }

    pub(super) fn process_deadline_ms(&self) -> Option<u64> {
        self.link.as_ref().and_then(Link::deadline_ms)
    }

    pub(super) fn look_at_process_time(&mut self, now_ms: u64) {
        self.step(Input::TimePassed);
        let drained = self
            .link
            .as_ref()
            .and_then(|link| link.exit.as_ref())
            .is_some_and(|exit| !exit.told && exit.drained_by_ms <= now_ms);
        if drained {
            self.tell_exit();
            self.look_at_tree();
        } else if self.link.as_ref().is_some_and(|link| link.is_mute(now_ms)) {
            self.step(Input::ConnectionLost {
                reason: Reason::new("closed its output and said nothing more", Cause::OutputClosed),
            });
        }
    }

    /// Tells the lifecycle and the conversation that the process has ended, once.
    fn tell_exit(&mut self) {
        let Some(exit) = self.link.as_mut().and_then(|link| link.exit.as_mut()) else {
            return;
        };
        if exit.told {
            return;
        }
        exit.told = true;
        let reason = exit.reason.clone();
        self.step(Input::ProcessEnded { reason });
    }

    fn reason_with_stderr(&self, reason: &Reason) -> Reason {
        let since = self.last_run.started_at.unwrap_or(u64::MAX);
        let lines = self.log.last_stderr(since, REASON_STDERR_LINES);
        if lines.is_empty() {
            reason.clone()
        } else {
            reason.with_text(format!("{reason}\n{}", lines.join("\n")))
        }
    }

    /// Tells the lifecycle whether the agent is used: a turn runs, or it waits for its user, who logs in or answers a question.
    pub(super) fn note_usage(&mut self) {
        let logs_in = self.link.as_ref().is_some_and(|link| {
            let awaits = |connection: &Connection<Asked>| {
                connection.awaits(|asked| matches!(asked, Asked::Authenticate { .. }))
            };
            link.connection.as_ref().is_some_and(awaits) || link.terminals.has_login()
        });
        let asks =
            !self.conversation.permissions().is_empty() || !self.conversation.elicitations().is_empty();
        let usage = if self.conversation.is_busy() || logs_in || asks {
            Usage::Used
        } else {
            Usage::Unused
        };
        self.step(Input::Usage(usage));
    }

    /// Returns what is shown of the agent.
    pub(super) fn view(&self) -> AgentView {
        let definition = &self.definition;
        let link = self.link.as_ref();
        let initialized = self.last_run.initialized.as_ref().filter(|_| link.is_some());
        AgentView {
            name: definition.name.clone(),
            title: definition.title.clone(),
            icon: definition.icon.clone(),
            description: definition.description.clone(),
            state: self.lifecycle.state(),
            error: self.lifecycle.reason().map(|reason| {
                self.last_run
                    .failed_start
                    .as_deref()
                    .unwrap_or(&reason.text)
                    .to_owned()
            }),
            cause: self.lifecycle.reason().and_then(|reason| reason.cause.clone()),
            outdated: link.is_some() && self.last_run.definition.as_ref() != Some(definition),
            stopping: self.lifecycle.is_ending(),
            pid: link.and_then(|link| link.pid),
            version: initialized.and_then(|initialized| initialized.version.clone()),
            started_at: link.map(|link| link.started_at),
            capabilities: initialized.map(|initialized| initialized.capabilities),
            auth_methods: initialized
                .map(|initialized| initialized.auth_methods.clone())
                .unwrap_or_default(),
        }
    }

    pub(super) fn logs(&self) -> AgentLogsReply {
        let all = self.log.lines();
        let mut bytes = 0;
        let fitting = all.iter().rev().take_while(|line| {
            // A control character becomes six when JSON writes it.
            bytes += 6 * line.line.len() + 100;
            bytes < REPLY_BYTES
        });
        let left_out = all.len() - fitting.count();
        AgentLogsReply {
            truncated: left_out > 0,
            lines: all.into_iter().skip(left_out).collect(),
        }
    }

    /// The messages of this run, or of the last one.
    fn kept_trace(&self) -> Option<&Trace> {
        let current = self
            .link
            .as_ref()
            .and_then(|link| link.connection.as_ref())
            .map(Connection::trace);
        current.or(self.last_run.trace.as_ref())
    }

    /// Tells those who follow the trace what is new in it.
    pub(super) fn tell_trace(&mut self) {
        let Some(trace) = self.kept_trace() else { return };
        let (told, recorded) = (self.last_run.trace_told, trace.recorded());
        if self.context.trace_followers.are_any() {
            let new = trace.entries().filter(|entry| entry.number > told);
            let events = new.map(|entry| {
                UnitEvent::Publish(Event::AgentTrace(AgentTraced {
                    agent: self.definition.name.clone(),
                    entry: entry.clone(),
                }))
            });
            let events: Vec<UnitEvent> = events.collect();
            self.outbox.extend(events);
        }
        self.last_run.trace_told = recorded;
    }

    pub(super) fn trace(&self) -> AgentTraceReply {
        let Some(trace) = self.kept_trace() else {
            return AgentTraceReply {
                entries: Vec::new(),
                truncated: false,
            };
        };
        let mut bytes = 0;
        let mut entries: Vec<TraceEntry> = trace
            .entries()
            .rev()
            .take_while(|entry| {
                // Quotes and backslashes double when JSON travels as a text in JSON.
                bytes += 2 * entry.text.len() + 100;
                bytes < REPLY_BYTES
            })
            .cloned()
            .collect();
        entries.reverse();
        AgentTraceReply {
            truncated: entries.len() as u64 != trace.recorded_in_run(),
            entries,
        }
    }

    fn connection_ended(&mut self) {
        self.forget_asked();
        let known = match std::mem::replace(&mut self.session, Session::Closed { known: None }) {
            Session::Closed { known } | Session::Opening { known, .. } => known,
            Session::Open { id } => Some(id),
        };
        self.session = Session::Closed { known };
        self.past_sessions.clear();
    }
}
