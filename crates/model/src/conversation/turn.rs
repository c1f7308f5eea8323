//! Turns: sending, queueing, cancelling, ending.

use pupitre_protocol::conversation::{
    ElicitationOutcome, Media, Part, PermissionOutcome, Resource, Role, StopReason, SystemCode,
};
use pupitre_protocol::limits::{FIELD_BYTES, QUEUED_MESSAGES};
use pupitre_protocol::{Cause, ElicitationId, MessageId, PermissionId};

use super::fold::ToolEnd;
use super::held::position;
use super::{Change, Conversation, Stage, Stamps, Turn, WholeField, clip};
use crate::reason::Reason;

/// What a turn begins with.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub message: MessageId,
    pub text: String,
    pub attachments: Vec<Attachment>,
}

/// A file sent along with a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Attachment {
    /// An image that travels inside the message, for agents that take images.
    Image { uri: String, bytes: u64, image: Media },
    /// A file that the agent is pointed at.
    File {
        uri: String,
        bytes: u64,
        name: String,
        mime_type: Option<String>,
    },
}

/// How a turn ended, as the agent's side tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    Stopped(StopReason),
    /// Without a reason that is known; the text says what came.
    Unclear(String),
    /// With an error, in the agent's words.
    Failed(String),
    /// By the end of the agent's process.
    Lost(Reason),
}

/// Whether an agent that answers says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stall {
    Silent,
    Heard,
}

/// Says why a message was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    #[error("the message is empty: give a text or an attachment")]
    Empty,
    #[error("{QUEUED_MESSAGES} messages already wait for the current answer")]
    QueueFull,
}

/// Says why a message was not taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the message is not queued (any longer), so it cannot be taken back")]
pub struct WithdrawError;

/// What a cancel did, and what the agent must be told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cancelled {
    /// The turn that was asked to end.
    pub turn: Option<MessageId>,
    /// Queued messages that were dropped.
    pub dropped: Vec<MessageId>,
    /// Requests that must be answered as cancelled.
    pub permissions: Vec<PermissionId>,
    pub elicitations: Vec<ElicitationId>,
}

/// What stands in `error` of a queued message that Stop dropped.
const DROPPED: &str = "cancelled";

impl Conversation {
    /// Adds a user message. Returns its id, and the prompt when its turn begins at once; else it is queued.
    ///
    /// # Errors
    ///
    /// When there is nothing to send, or too many messages wait.
    pub fn send(
        &mut self,
        text: String,
        attachments: Vec<Attachment>,
        stamps: &mut dyn Stamps,
    ) -> Result<(MessageId, Option<Prompt>), SendError> {
        if text.trim().is_empty() && attachments.is_empty() {
            return Err(SendError::Empty);
        }
        if self.queue.len() >= QUEUED_MESSAGES {
            return Err(SendError::QueueFull);
        }
        let mut message = self.draft(Role::User, stamps);
        let mut wholes = Vec::new();
        if !text.is_empty() {
            message.parts.push(Part::Text { text: text.clone() });
        }
        for attachment in &attachments {
            let (part, whole) = attached(attachment);
            wholes.extend(whole.map(|whole| (message.parts.len(), whole)));
            message.parts.push(part);
        }
        message.turn = Some(message.id);
        message.queued = self.is_busy();
        let queued = message.queued;
        let id = self.add(message);
        for (index, whole) in wholes {
            let field = WholeField::MediaData;
            self.record(Change::Whole {
                message: id,
                index: position(index),
                field,
                text: Some(whole),
            });
        }
        let prompt = Prompt {
            message: id,
            text,
            attachments,
        };
        if queued {
            self.queue.push_back(prompt);
            self.record_turn();
            return Ok((id, None));
        }
        self.begin(id);
        Ok((id, Some(prompt)))
    }

    /// Begins the turn of the next queued message, when no turn runs.
    pub fn next_prompt(&mut self) -> Option<Prompt> {
        if self.is_busy() {
            return None;
        }
        let prompt = self.queue.pop_front()?;
        self.amend(prompt.message, |message| message.queued = false);
        self.begin(prompt.message);
        Some(prompt)
    }

    fn begin(&mut self, message: MessageId) {
        self.turn = Some(Turn {
            message,
            stage: Stage::Answering,
        });
        self.rejections = 0;
        self.refusal_told = false;
        self.stalled = false;
        self.record_turn();
    }

    /// Says whether the agent owes a word: a turn runs and does not wait for its user.
    pub fn owes_word(&self) -> bool {
        self.turn.is_some() && !self.waits_for_person()
    }

    /// Shows that the running turn has been silent for too long, or that it no longer is.
    pub fn set_stalled(&mut self, stalled: Stall) {
        let stalled = stalled == Stall::Silent && self.turn.is_some();
        if self.stalled != stalled {
            self.stalled = stalled;
            self.record_turn();
        }
    }

    /// The agent was given the prompt of the running turn: what it says from now on answers that.
    pub fn prompt_sent(&mut self) {
        if let Some(turn) = self.turn {
            self.target_turn(Some(turn.message));
        }
    }

    /// A new session is being opened: what the agent says before it is given a prompt answers nothing.
    pub fn session_opens(&mut self) {
        self.target_turn(None);
    }

    fn target_turn(&mut self, turn: Option<MessageId>) {
        if self.turn_of_target == turn && turn.is_some() {
            return;
        }
        self.close_target();
        self.turn_of_target = turn;
        self.plan = None;
    }

    /// Takes back a queued message; it stays in the conversation, marked.
    ///
    /// # Errors
    ///
    /// When it is not queued.
    pub fn withdraw(&mut self, id: MessageId) -> Result<(), WithdrawError> {
        let place = self
            .queue
            .iter()
            .position(|prompt| prompt.message == id)
            .ok_or(WithdrawError)?;
        self.queue.remove(place);
        self.unqueue(id, &Reason::new("withdrawn", Cause::Withdrawn));
        self.record_turn();
        Ok(())
    }

    /// Asks the running turn to end and drops what is queued. Without a turn, ends what the agent asks of its user.
    pub fn cancel(&mut self) -> Cancelled {
        let dropped = self.drop_queue(&Reason::new(DROPPED, Cause::Dropped));
        let cancelled = if self.turn.is_some() {
            self.cancel_turn()
        } else {
            Cancelled {
                permissions: self.resolve_all(&PermissionOutcome::Cancelled),
                elicitations: self.resolve_elicitations(ElicitationOutcome::Cancelled),
                ..Cancelled::default()
            }
        };
        Cancelled { dropped, ..cancelled }
    }

    /// Takes back one message when it is queued, or asks its turn to end when that runs; leaves all others alone.
    pub fn cancel_message(&mut self, id: MessageId) -> Cancelled {
        if self.withdraw(id).is_ok() {
            return Cancelled {
                dropped: vec![id],
                ..Cancelled::default()
            };
        }
        if self.turn.is_some_and(|turn| turn.message == id) {
            return self.cancel_turn();
        }
        Cancelled::default()
    }

    fn cancel_turn(&mut self) -> Cancelled {
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.stage == Stage::Answering) else {
            return Cancelled::default();
        };
        turn.stage = Stage::Cancelling;
        let message = turn.message;
        let permissions = self.resolve_all(&PermissionOutcome::Cancelled);
        let elicitations = self.resolve_elicitations(ElicitationOutcome::Cancelled);
        self.fail_tools(ToolEnd::Cancelled);
        Cancelled {
            turn: Some(message),
            dropped: Vec::new(),
            permissions,
            elicitations,
        }
    }

    /// Says whether the running turn was asked to end and the agent has not answered yet.
    pub fn is_cancelling(&self) -> bool {
        self.turn.is_some_and(|turn| turn.stage == Stage::Cancelling)
    }

    /// Returns the user message of the running turn.
    pub fn turn(&self) -> Option<MessageId> {
        self.turn.map(|turn| turn.message)
    }

    /// Ends the message of a turn whose cancel the agent does not answer; the agent stays busy until it does.
    pub fn abandon_turn(&mut self, stamps: &mut dyn Stamps) {
        if !self.is_cancelling() {
            return;
        }
        let id = self.closing_message(stamps);
        self.fail_tools(ToolEnd::Cancelled);
        self.finish(id, Ok(Some(StopReason::Cancelled)));
        if let Some(turn) = &mut self.turn {
            turn.stage = Stage::Abandoned;
        }
    }

    /// Ends the running turn. After a cancel it ends as cancelled whatever the agent says; a late end only frees the agent.
    pub fn end_turn(&mut self, end: TurnEnd, stamps: &mut dyn Stamps) {
        let Some(turn) = self.turn else { return };
        self.withdraw_asked();
        match turn.stage {
            Stage::Answering => {
                let id = self.closing_message(stamps);
                self.finish(
                    id,
                    match end {
                        TurnEnd::Stopped(reason) => Ok(Some(reason)),
                        TurnEnd::Unclear(text) => Err(clipped(&Reason::new(text, Cause::UnclearEnd))),
                        TurnEnd::Failed(text) => Err(clipped(&text.into())),
                        TurnEnd::Lost(reason) => Err(clipped(&reason)),
                    },
                );
            }
            Stage::Cancelling => {
                let id = self.closing_message(stamps);
                self.fail_tools(ToolEnd::Cancelled);
                self.finish(id, Ok(Some(StopReason::Cancelled)));
            }
            Stage::Abandoned => self.fail_tools(ToolEnd::Cancelled),
        }
        self.turn = None;
        self.stalled = false;
        self.login = None;
        self.record_turn();
    }

    /// Ends the running turn because the agent could not be started or reached; what waits is not sent.
    pub fn agent_unavailable(&mut self, reason: impl Into<Reason>, stamps: &mut dyn Stamps) {
        let reason = clipped(&reason.into());
        self.withdraw_asked();
        if let Some(turn) = self.turn {
            if turn.stage == Stage::Answering {
                self.close_target();
                let mut message = self.draft(Role::System, stamps);
                message.turn = Some(turn.message);
                message.code = Some(SystemCode::AgentUnavailable);
                message.error = Some(reason.text.clone());
                message.cause.clone_from(&reason.cause);
                self.add(message);
                self.turn = None;
                self.stalled = false;
                self.login = None;
                self.record_turn();
            } else {
                self.end_turn(TurnEnd::Lost(reason.clone()), stamps);
            }
        }
        self.drop_queue(&reason.with_text("not sent: the agent is not available"));
    }

    /// Ends what runs because the agent's process is gone; what waits is not sent, since nothing restarts an agent by itself.
    pub fn agent_ended(&mut self, reason: impl Into<Reason>, stamps: &mut dyn Stamps) {
        let reason = clipped(&reason.into());
        if self.turn.is_some() {
            // Nobody will tell how they ended; that they run would be false.
            self.fail_tools(ToolEnd::AgentGone);
        }
        let told = reason.with_text(format!("the agent ended: {reason}"));
        self.end_turn(TurnEnd::Lost(told), stamps);
        self.withdraw_asked();
        self.drop_queue(&reason.with_text(format!("not sent: the agent ended: {reason}")));
    }

    /// Says that a new session began and the agent forgot what was before.
    pub fn agent_restarted(&mut self, stamps: &mut dyn Stamps) {
        let mut message = self.draft(Role::System, stamps);
        message.turn = self.turn();
        message.code = Some(SystemCode::AgentRestarted);
        self.add(message);
    }

    /// Forgets what only the ended session knew.
    pub fn session_began(&mut self) {
        self.tools.clear();
    }

    /// Drops every queued message with this error, and returns them.
    fn drop_queue(&mut self, reason: &Reason) -> Vec<MessageId> {
        let dropped: Vec<MessageId> = self.queue.drain(..).map(|prompt| prompt.message).collect();
        for id in &dropped {
            self.unqueue(*id, reason);
        }
        if !dropped.is_empty() {
            self.record_turn();
        }
        dropped
    }

    fn unqueue(&mut self, id: MessageId, reason: &Reason) {
        self.amend(id, |message| {
            message.queued = false;
            message.error = Some(reason.text.clone());
            message.cause.clone_from(&reason.cause);
        });
    }
}

/// Returns a reason that is not longer than it may be in a message.
fn clipped(reason: &Reason) -> Reason {
    reason.with_text(clip::label(&reason.text, clip::REASON_BYTES))
}

/// Returns the part that shows an attachment, and the data that is too long for it.
fn attached(attachment: &Attachment) -> (Part, Option<String>) {
    match attachment {
        Attachment::Image { uri, bytes: _, image } => {
            let mut image = Media {
                uri: Some(uri.clone()),
                ..image.clone()
            };
            let whole = (image.data.len() > FIELD_BYTES / 8).then(|| std::mem::take(&mut image.data));
            image.truncated = whole.is_some();
            (Part::Image { image }, whole)
        }
        Attachment::File {
            uri,
            bytes: _,
            name,
            mime_type,
        } => {
            let resource = Resource {
                uri: uri.clone(),
                name: Some(name.clone()),
                mime_type: mime_type.clone(),
                text: None,
                truncated: false,
            };
            (Part::Resource { resource }, None)
        }
    }
}
