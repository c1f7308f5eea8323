//! Asking: sends the message, follows its turn, answers what it asks, and stops it at Ctrl-C.
//!
//! Threads bring events, keys and Ctrl-C into one queue; everything is done here, one after the other.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use pupitre_client::{CallError, Client, Received, StreamError, Subscription};
use pupitre_protocol::agent::AuthenticateParams;
use pupitre_protocol::conversation::{
    AnswerElicitationParams, AnswerPermissionParams, CancelParams, CancelReply, ConversationParams,
    ConversationView, Elicitation, ElicitationAction, Login, Permission, SendParams, SendReply, StopReason,
    Usage,
};
use pupitre_protocol::event::{EventKind, SubscribeParams};
use pupitre_protocol::limits::CONVERSATION_MESSAGES_MOST;
use pupitre_protocol::method::{agent, chat};
use pupitre_protocol::{AgentName, Cause, ElicitationId, ErrorKind, MessageId, PermissionId};
use serde::Serialize;
use serde_json::{Map, Value};

use super::permission::{self, Decision, Rule};
use super::printer::{Printer, Style};
use super::question::{Answered, DECLINE, Question};
use super::turn::{End, Step, Turn};
use crate::desk::Desk;
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::output::{Output, asked_words, style, unusual_end};

/// How many events may wait here; more wait in the socket.
const WAITING_EVENTS: usize = 1_024;

/// The error of a message that Stop took out of the queue (conversations page, Messages).
const CANCELLED: &str = "cancelled";
/// The error of a message that was taken back.
const WITHDRAWN: &str = "withdrawn";

/// What is asked, and how its answer is treated.
pub(super) struct Asking {
    pub(super) agent: AgentName,
    pub(super) text: String,
    pub(super) rule: Rule,
    pub(super) style: Style,
}

/// Something that happened while the turn ran.
pub(super) enum AskEvent {
    Received(Box<Result<Received, StreamError>>),
    /// The daemon closed the stream.
    StreamEnded,
    /// A line at the terminal; `None` when there will be no more.
    Typed(Option<String>),
    /// The login that was chosen is over.
    LoggedIn(Result<(), CallError>),
    /// Ctrl-C.
    Interrupted,
}

/// The one object that `--json` prints.
#[derive(Debug, Serialize)]
struct Report<'turn> {
    message_id: MessageId,
    stop_reason: Option<StopReason>,
    error: Option<&'turn str>,
    text: String,
    usage: Option<Usage>,
}

/// Sends the message and follows it to the end of its turn.
pub(super) fn ask(
    desk: &Desk,
    mut client: Client,
    output: &mut Output,
    interrupts: &Interrupts,
    asking: Asking,
) -> Result<(), Failure> {
    // Before the message is sent, so that nothing of its turn can be missed.
    let stream = desk.connect_again()?.subscribe(&subscription(&asking.agent))?;
    let (events_in, events) = mpsc::sync_channel(WAITING_EVENTS);
    let interrupted = events_in.clone();
    // A turn that has ended hears no Ctrl-C.
    interrupts
        .catch_next(move || drop(interrupted.send(AskEvent::Interrupted)))
        .map_err(Failure::Signals)?;
    let Asking {
        agent,
        text,
        rule,
        style,
    } = asking;
    let params = SendParams {
        agent: agent.clone(),
        text,
        attachments: Vec::new(),
        uploads: Vec::new(),
    };
    let sent = client
        .call::<chat::Send>(&params)
        .map_err(Failure::about(&agent))?;
    if sent.queued {
        output.progress("the agent is answering; the message waits")?;
    }
    follow(stream, events_in.clone());
    let mut session = Session {
        desk,
        client,
        output,
        turn: Turn::new(sent.message_id, sent.conversation),
        printer: Printer::new(style),
        agent,
        sent,
        rule,
        questions: VecDeque::new(),
        keys: Keys::NotRead,
        events: events_in,
        interruption: Interruption::None,
    };
    let outcome = session.run(&events);
    session.finish(style, outcome)
}

fn subscription(agent: &AgentName) -> SubscribeParams {
    SubscribeParams {
        types: Some(vec![
            EventKind::MessageUpdated,
            EventKind::MessageDelta,
            EventKind::PermissionRequested,
            EventKind::PermissionResolved,
            EventKind::ElicitationRequested,
            EventKind::ElicitationResolved,
            EventKind::TurnChanged,
            EventKind::UsageChanged,
        ]),
        agents: Some(vec![agent.clone()]),
        surfaces: None,
        since: None,
    }
}

/// Brings what the daemon sends into the queue, on a thread of its own.
fn follow(stream: Subscription, events: SyncSender<AskEvent>) {
    thread::spawn(move || {
        for received in stream {
            if events.send(AskEvent::Received(Box::new(received))).is_err() {
                return;
            }
        }
        // Nobody listens any more when the turn has ended.
        events.send(AskEvent::StreamEnded).ok();
    });
}

struct Session<'output> {
    desk: &'output Desk,
    client: Client,
    output: &'output mut Output,
    turn: Turn,
    printer: Printer,
    agent: AgentName,
    sent: SendReply,
    rule: Rule,
    /// What the person at the terminal is asked: the first of them now, the others then.
    questions: VecDeque<Question>,
    keys: Keys,
    /// Where threads bring what happens.
    events: SyncSender<AskEvent>,
    interruption: Interruption,
}

/// Whether lines are read from the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keys {
    NotRead,
    Read,
    Ended,
}

/// Whether Ctrl-C was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interruption {
    None,
    /// The turn was asked to end.
    Cancelling,
}

/// What stops the loop.
enum Outcome {
    Ended(End),
    /// Ctrl-C took the message back, or found nothing to cancel.
    Interrupted,
}

impl Session<'_> {
    fn run(&mut self, events: &Receiver<AskEvent>) -> Result<Outcome, Failure> {
        loop {
            let event = events
                .recv()
                .expect("the thread that follows the stream says when it ends");
            let outcome = match event {
                AskEvent::Received(received) => match (*received)?.frame {
                    Some(frame) => {
                        let steps = self.turn.apply(frame);
                        self.take(steps)?
                    }
                    None => None,
                },
                AskEvent::StreamEnded => {
                    return Err(Failure::DaemonGoneInTurn {
                        agent: self.agent.to_string(),
                    });
                }
                AskEvent::Typed(line) => {
                    self.typed(line)?;
                    None
                }
                AskEvent::LoggedIn(outcome) => {
                    self.logged_in(outcome)?;
                    None
                }
                AskEvent::Interrupted => self.cancel()?,
            };
            if let Some(outcome) = outcome {
                return Ok(outcome);
            }
        }
    }

    /// Does what is to do, and returns the end when it is among it.
    fn take(&mut self, steps: Vec<Step>) -> Result<Option<Outcome>, Failure> {
        let mut steps = VecDeque::from(steps);
        while let Some(step) = steps.pop_front() {
            self.printer.print(self.output, &step)?;
            match step {
                Step::Asks(permission) => self.asked(permission)?,
                Step::Answered(id) => self.answered_elsewhere(|question| question.is_permission(id))?,
                Step::Elicits(elicitation) => self.elicited(elicitation)?,
                Step::ElicitationOver(id) => {
                    self.answered_elsewhere(|question| question.is_elicitation(id))?;
                }
                Step::WantsLogin(login) => self.login_wanted(login)?,
                Step::LoginOver => self.answered_elsewhere(Question::is_login)?,
                Step::Lost => steps.extend(self.fetch()?),
                Step::Ended(end) => return Ok(Some(Outcome::Ended(end))),
                // Only printed.
                Step::Text { .. }
                | Step::Thought { .. }
                | Step::Tool(_)
                | Step::Plan(_)
                | Step::Attachment(_)
                | Step::Remark(_)
                | Step::Stalled => {}
            }
        }
        Ok(None)
    }

    /// Reads the conversation back to our message, and joins what was missed.
    fn fetch(&mut self) -> Result<Vec<Step>, Failure> {
        let most = u32::try_from(CONVERSATION_MESSAGES_MOST).expect("the limit of a page is small");
        let mut view = self.page(None, most)?;
        while let Some(oldest) = view.messages.first().map(|message| message.id) {
            if oldest <= self.sent.message_id {
                break;
            }
            let mut messages = self.page(Some(oldest), most)?.messages;
            if messages.is_empty() {
                break;
            }
            messages.append(&mut view.messages);
            view.messages = messages;
        }
        Ok(self.turn.join(view))
    }

    fn page(&mut self, before: Option<MessageId>, limit: u32) -> Result<ConversationView, CallError> {
        self.client.call::<chat::Conversation>(&ConversationParams {
            agent: self.agent.clone(),
            conversation: Some(self.sent.conversation),
            before,
            limit: Some(limit),
        })
    }

    fn asked(&mut self, permission: Permission) -> Result<(), Failure> {
        match self.rule.decide(&permission) {
            Decision::Choose { option_id, note } => {
                self.printer.aside(self.output, &note)?;
                self.answer(permission.id, Some(option_id))
            }
            Decision::Dismiss { note } => {
                self.printer.aside(self.output, &note)?;
                self.answer(permission.id, None)
            }
            Decision::Ask => self.put(Question::Permission(permission)),
        }
    }

    fn elicited(&mut self, elicitation: Elicitation) -> Result<(), Failure> {
        if self.rule == Rule::AskPerson {
            return self.put(Question::of_elicitation(elicitation));
        }
        let note = format!(
            "left without an answer, for nobody is here to ask: {}",
            asked_words(&elicitation)
        );
        self.printer.aside(self.output, &note)?;
        self.answer_elicitation(elicitation.id, ElicitationAction::Cancel, Map::new())
    }

    fn login_wanted(&mut self, login: Login) -> Result<(), Failure> {
        if self.rule == Rule::AskPerson && !login.methods.is_empty() {
            return self.put(Question::Login(login));
        }
        let agent = self.agent.clone();
        self.give_up()?;
        let way = if login.methods.is_empty() {
            "log in with its own program".to_owned()
        } else {
            format!("`pupitre agents login {agent}` lists the ways")
        };
        Err(Failure::Turn {
            reason: format!("{agent} wants you to log in first: {}; {way}", login.message),
        })
    }

    /// Takes our message back, and nobody else's.
    fn give_up(&mut self) -> Result<CancelReply, CallError> {
        self.client.call::<chat::Cancel>(&CancelParams {
            agent: self.agent.clone(),
            message_id: Some(self.sent.message_id),
        })
    }

    fn put(&mut self, question: Question) -> Result<(), Failure> {
        self.questions.push_back(question);
        if self.questions.len() == 1 {
            self.put_question()
        } else {
            Ok(())
        }
    }

    /// Puts the first question to the person.
    fn put_question(&mut self) -> Result<(), Failure> {
        let Some(question) = self.questions.front() else {
            return Ok(());
        };
        match self.keys {
            Keys::NotRead => {
                self.keys = Keys::Read;
                permission::listen(self.events.clone());
            }
            Keys::Read => {}
            // Nobody will type an answer.
            Keys::Ended => return self.typed(None),
        }
        permission::forget_typed_ahead();
        self.printer.make_room(self.output)?;
        match question {
            Question::Permission(permission) => self.output.ask_permission(permission)?,
            Question::Form(form) => {
                if form.begins() {
                    self.output.introduce_form(&form.elicitation, DECLINE)?;
                }
                match form.field() {
                    Some(field) => self.output.ask_field(field)?,
                    None => self.output.prompt("do you agree (yes or no; empty is yes):")?,
                }
            }
            Question::Visit { elicitation, url } => self.output.ask_visit(elicitation, url)?,
            Question::Login(login) => self.output.ask_login(&self.agent, login)?,
        }
        Ok(())
    }

    fn typed(&mut self, line: Option<String>) -> Result<(), Failure> {
        if line.is_none() {
            self.keys = Keys::Ended;
        }
        // A line that answers no question means nothing.
        let Some(question) = self.questions.pop_front() else {
            return Ok(());
        };
        match question.typed(line.as_deref()) {
            Answered::Permission { id, option_id } => self.answer(id, option_id)?,
            Answered::Elicitation { id, action, content } => self.answer_elicitation(id, action, content)?,
            Answered::Login { method_id: None } => drop(self.give_up()?),
            Answered::Login {
                method_id: Some(method_id),
            } => self.log_in(method_id)?,
            Answered::Refused { reason, question } => {
                self.printer.aside(self.output, &reason)?;
                self.questions.push_front(*question);
            }
            Answered::Again(question) => self.questions.push_front(*question),
        }
        self.put_question()
    }

    /// Runs a login on a thread of its own: it takes as long as the person takes.
    fn log_in(&mut self, method_id: String) -> Result<(), Failure> {
        let mut client = self.desk.connect_again()?;
        let params = AuthenticateParams {
            agent: self.agent.clone(),
            method_id,
        };
        let events = self.events.clone();
        thread::spawn(move || {
            let outcome = client.call::<agent::Authenticate>(&params).map(drop);
            // Nobody listens any more when the turn has ended.
            events.send(AskEvent::LoggedIn(outcome)).ok();
        });
        self.output.progress("logging in")?;
        Ok(())
    }

    fn logged_in(&mut self, outcome: Result<(), CallError>) -> Result<(), Failure> {
        match outcome {
            Ok(()) => Ok(()),
            // It still waits: another way may do.
            Err(CallError::Rpc(error)) => {
                self.printer.aside(self.output, &error.message)?;
                match self.page(None, 1)?.login {
                    Some(login) => self.login_wanted(login),
                    None => Ok(()),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Answers a request; that somebody else was faster is no failure of ours.
    fn answer(&mut self, id: PermissionId, option_id: Option<String>) -> Result<(), Failure> {
        let params = AnswerPermissionParams { id, option_id };
        let outcome = self.client.call::<chat::AnswerPermission>(&params);
        self.given(outcome.map(drop))
    }

    fn answer_elicitation(
        &mut self,
        id: ElicitationId,
        action: ElicitationAction,
        content: Map<String, Value>,
    ) -> Result<(), Failure> {
        let params = AnswerElicitationParams { id, action, content };
        match self.client.call::<chat::AnswerElicitation>(&params) {
            // The form does not allow it: it is asked again from the beginning.
            Err(CallError::Rpc(error)) if error.kind() == Some(ErrorKind::InvalidParams) => {
                self.printer.aside(self.output, &error.message)?;
                let open = self.page(None, 1)?.elicitations;
                // Whoever answered puts the next question.
                if let Some(open) = open.into_iter().find(|open| open.id == id) {
                    self.questions.push_front(Question::of_elicitation(open));
                }
                Ok(())
            }
            outcome => self.given(outcome.map(drop)),
        }
    }

    fn given(&mut self, outcome: Result<(), CallError>) -> Result<(), Failure> {
        match outcome {
            Ok(()) => Ok(()),
            Err(CallError::Rpc(error)) if error.kind() == Some(ErrorKind::AlreadyAnswered) => {
                self.printer.aside(self.output, "it was answered before")?;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    fn answered_elsewhere(&mut self, is_it: impl Fn(&Question) -> bool) -> Result<(), Failure> {
        let Some(at) = self.questions.iter().position(is_it) else {
            return Ok(());
        };
        self.questions.remove(at);
        if at == 0 {
            // Behind the prompt.
            self.output.question(style::PLAIN, "")?;
            self.printer
                .aside(self.output, "the request was answered elsewhere, or cancelled")?;
            self.put_question()?;
        }
        Ok(())
    }

    /// Takes our message back or cancels its turn, and nobody else's.
    fn cancel(&mut self) -> Result<Option<Outcome>, Failure> {
        self.interruption = Interruption::Cancelling;
        self.printer.make_room(self.output)?;
        if !self.questions.is_empty() {
            // Behind the prompt. The cancel answers what was asked.
            self.output.question(style::PLAIN, "")?;
            self.questions.clear();
        }
        self.output
            .progress("cancelling; Ctrl-C once more leaves at once")?;
        let reply = self.give_up()?;
        // When its turn was asked to end, the end comes as an event.
        Ok(if reply.cancelled {
            None
        } else {
            Some(Outcome::Interrupted)
        })
    }

    fn finish(mut self, style: Style, outcome: Result<Outcome, Failure>) -> Result<(), Failure> {
        self.printer.finish(self.output)?;
        let end = match &outcome {
            Ok(Outcome::Ended(end)) => end.clone(),
            Ok(Outcome::Interrupted) => End {
                stop_reason: None,
                error: Some(CANCELLED.to_owned()),
                cause: None,
            },
            Err(failure) => End {
                stop_reason: None,
                error: failure.sentence(),
                cause: None,
            },
        };
        if style == Style::Json {
            self.report(&end)?;
        }
        match (outcome, self.interruption) {
            (Err(failure), _) => Err(failure),
            (Ok(_), Interruption::Cancelling) | (Ok(Outcome::Interrupted), _) => Err(Failure::Interrupted),
            (Ok(Outcome::Ended(end)), Interruption::None) => judge(&self.agent, end),
        }
    }

    fn report(&mut self, end: &End) -> Result<(), Failure> {
        // Some agents tell their usage behind the end of the turn. A daemon that is gone has said its last.
        let usage = match self.page(None, 1) {
            Ok(view) => view.usage,
            Err(_) => self.turn.usage().cloned(),
        };
        let report = Report {
            message_id: self.sent.message_id,
            stop_reason: end.stop_reason,
            error: end.error.as_deref(),
            text: self.turn.text(),
            usage,
        };
        self.output.json(&report)?;
        Ok(())
    }
}

/// Returns why a turn did not end well.
fn judge(agent: &AgentName, end: End) -> Result<(), Failure> {
    let reason = match (end.error, end.stop_reason) {
        // What was not run has written nothing.
        (Some(error), _)
            if matches!(
                end.cause,
                Some(Cause::NoCommand { .. } | Cause::NoFolder { .. } | Cause::TooManyAgents { .. })
            ) =>
        {
            error
        }
        // Somebody took it out of the queue: there is no more to know.
        (Some(error), _) if error == CANCELLED || error == WITHDRAWN => error,
        (Some(error), _) => format!("{error}; `pupitre agents logs {agent}` may tell more"),
        (None, Some(reason)) => match unusual_end(reason) {
            Some(words) => words.to_owned(),
            None => return Ok(()),
        },
        (None, None) => "it ended without a reason".to_owned(),
    };
    Err(Failure::Turn { reason })
}
