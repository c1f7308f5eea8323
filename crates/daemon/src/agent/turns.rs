//! Turns of the current conversation: prompts out, updates in, permission requests, cancel and end.

use pupitre_model::agent::lifecycle::Input;
use pupitre_model::config::PermissionPolicy;
use pupitre_model::conversation::{Attachment, Prompt, SendError, Stall, ToolPatch, TurnEnd, Update};
use pupitre_model::reason::Reason;
use pupitre_protocol::conversation::{AnsweredBy, CancelReply, PermissionOutcome, SendReply, ToolKind};
use pupitre_protocol::limits::CANCEL_MS;
use pupitre_protocol::{ErrorKind, MessageId, PermissionId, RpcError};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::acp::{
    AgentError, AgentRequest, AgentRequestId, Incoming, PermissionAnswer, PermissionRequest, PromptBlock,
    Refusal, cancel, prompt, stop_reason,
};
use super::session::{Asked, Session};
use super::task::AgentTask;
use super::{Answer, HeldConversation, PageRequest};
use crate::clock::{SystemStamps, steady_ms};

/// How many requests that are no longer open are remembered, for those who answer late.
const ANSWERED_REMEMBERED: usize = 256;

/// What is kept of a stop reason that is not known, in bytes.
const STOP_WORDS_BYTES: usize = 256;

/// A prompt whose turn has begun and which the agent has not been told yet.
#[derive(Debug)]
pub(super) struct Unsent {
    prompt: Prompt,
    /// The agent was started for it, or ran when its turn began.
    looked_at: bool,
}

impl Unsent {
    /// A prompt that the agent was given and did not take.
    pub(super) fn again(prompt: Prompt) -> Self {
        Self {
            prompt,
            looked_at: true,
        }
    }

    fn new(prompt: Prompt) -> Self {
        Self {
            prompt,
            looked_at: false,
        }
    }
}

impl AgentTask {
    /// Does what the turn waits for: starts the agent, opens the session, sends the prompt, begins the next one.
    pub(super) fn advance(&mut self) {
        if self.unsent.is_none() {
            self.unsent = self.conversation.next_prompt().map(Unsent::new);
        }
        self.note_usage();
        let Some(unsent) = &mut self.unsent else { return };
        // Once for each message: an agent that fails is not started again by itself.
        let first_look = !std::mem::replace(&mut unsent.looked_at, true);
        if first_look && !self.lifecycle.is_running() {
            self.step(Input::StartAsked);
        }
        if self.lifecycle.is_running() && self.conversation.login().is_none() {
            self.open_session();
            self.send_prompt();
        }
    }

    fn send_prompt(&mut self) {
        let Session::Open { id } = &self.session else {
            return;
        };
        let Some(connection) = self.link.as_mut().and_then(|link| link.connection.as_mut()) else {
            return;
        };
        let Some(unsent) = self.unsent.take() else { return };
        let takes_images = self
            .last_run
            .initialized
            .as_ref()
            .is_some_and(|initialized| initialized.capabilities.image);
        connection.send_request(
            &prompt(id, blocks(unsent.prompt.clone(), takes_images)),
            Asked::Prompt {
                prompt: Box::new(unsent.prompt),
            },
        );
        self.conversation.prompt_sent();
        self.heard();
    }

    pub(super) fn send(&mut self, text: String, attachments: Vec<Attachment>) -> Answer<SendReply> {
        let sent = self.conversation.send(text, attachments, &mut SystemStamps);
        let (message_id, prompt) = sent.map_err(|error| {
            let kind = match error {
                SendError::Empty => ErrorKind::EmptyMessage,
                SendError::QueueFull => ErrorKind::QueueFull,
            };
            RpcError::new(kind, error.to_string())
        })?;
        let queued = prompt.is_none();
        if let Some(prompt) = prompt {
            self.unsent = Some(Unsent::new(prompt));
        }
        Ok(SendReply {
            message_id,
            conversation: self.conversation.id(),
            queued,
        })
    }

    pub(super) fn withdraw(&mut self, id: MessageId) -> Answer<()> {
        self.conversation
            .withdraw(id)
            .map_err(|error| RpcError::new(ErrorKind::NotQueued, error.to_string()))
    }

    pub(super) fn cancel(&mut self, message: Option<MessageId>) -> CancelReply {
        let cancelled = match message {
            Some(id) => self.conversation.cancel_message(id),
            None => self.conversation.cancel(),
        };
        let requests = cancelled.permissions.len() + cancelled.elicitations.len();
        for id in cancelled.permissions {
            self.answer_agent(id, PermissionAnswer::Cancelled);
        }
        if !cancelled.elicitations.is_empty() {
            self.cancel_questions();
        }
        if cancelled.turn.is_some() {
            self.cancel_at_agent();
        }
        CancelReply {
            cancelled: cancelled.turn.is_some(),
            dropped: cancelled.dropped,
            requests: u32::try_from(requests).expect("few may be open at once"),
        }
    }

    fn cancel_at_agent(&mut self) {
        if self.unsent.take().is_some() {
            // The agent has not heard of the turn, so nothing of it will answer.
            self.conversation
                .end_turn(TurnEnd::Failed(String::new()), &mut SystemStamps);
            return;
        }
        let Session::Open { id } = &self.session else {
            return;
        };
        if let Some(connection) = self.link.as_mut().and_then(|link| link.connection.as_mut()) {
            connection.notify(&cancel(id));
            self.cancel_deadline_ms = Some(steady_ms() + CANCEL_MS);
        }
    }

    /// Ends the running turn because the agent is being stopped.
    pub(super) fn end_turn_by_stop(&mut self) {
        // What is asked outside of a turn is withdrawn with the process.
        if self.conversation.is_busy() {
            self.cancel(None);
        }
        self.cancel_deadline_ms = None;
        self.conversation
            .end_turn(TurnEnd::Failed(String::new()), &mut SystemStamps);
    }

    /// Ends what runs because the agent could not be given the message, for this reason, which is said of the agent.
    pub(super) fn unreached(&mut self, reason: &Reason) {
        if self.unsent.take().is_some() {
            let told = reason.with_text(format!("agent {} {reason}", self.definition.name));
            self.conversation.agent_unavailable(told, &mut SystemStamps);
        }
    }

    /// Answers everything that the agent asked as cancelled, because nobody will.
    pub(super) fn cancel_asked(&mut self) {
        let open: Vec<PermissionId> = self.asked.iter().map(|(id, _)| *id).collect();
        for id in open {
            self.answer_agent(id, PermissionAnswer::Cancelled);
        }
        self.cancel_questions();
        self.conversation.withdraw_asked();
    }

    /// Forgets everything that a process asked, since that is gone: an answer would reach another one.
    pub(super) fn forget_asked(&mut self) {
        for (id, _) in std::mem::take(&mut self.asked) {
            self.remember_answered(id.0);
        }
        for id in self.take_questions() {
            self.remember_answered(id);
        }
        self.conversation.withdraw_asked();
    }

    /// Ends what runs because the connection is over.
    pub(super) fn turn_lost(&mut self, reason: &Reason) {
        self.cancel_deadline_ms = None;
        if self.conversation.login().is_some() {
            self.unsent = None;
        }
        if self.unsent.is_none() {
            self.conversation.agent_ended(reason.clone(), &mut SystemStamps);
        }
    }

    /// Takes in one line of the agent's.
    pub(super) fn take_line(&mut self, line: &[u8]) {
        let Some(connection) = self.link.as_mut().and_then(|link| link.connection.as_mut()) else {
            return;
        };
        let all = connection.accept(line);
        self.heard();
        for incoming in all {
            self.take(incoming);
        }
    }

    fn take(&mut self, incoming: Incoming<Asked>) {
        match incoming {
            Incoming::Update {
                session_id,
                update,
                skipped,
            } => {
                self.note_skipped(&skipped);
                if self.is_news(&session_id, &update) {
                    for mut update in self.veil.cover(update) {
                        if let Update::ToolCall(patch) | Update::Tool(patch) = &mut update {
                            self.keep_own_panes(patch);
                        }
                        self.conversation.update(update, &mut SystemStamps);
                    }
                }
            }
            Incoming::UserEcho => {}
            Incoming::Request { id, request } => {
                self.tell_held();
                self.take_request(id, request);
            }
            Incoming::RequestCancelled { id } => self.request_cancelled(&id),
            Incoming::ElicitationCompleted { elicitation } => self.elicitation_completed(&elicitation),
            Incoming::Reply { tag, mut outcome } => {
                // What an agent says of a failure is kept and shown.
                if let Err(error) = &mut outcome {
                    error.message = self.without_secrets(&error.message);
                }
                self.tell_held();
                self.take_reply(tag, outcome);
            }
            Incoming::Noise(noise) => {
                let noise = self.without_secrets(&noise.to_string());
                tracing::debug!(agent = %self.definition.name, noise, "ignored");
            }
            Incoming::Stray { text } => {
                if let Some(link) = &self.link {
                    self.log.add_stray(&text, &link.redactor);
                }
            }
        }
    }

    /// Leaves out panes that do not run for this agent: it may name whichever it likes.
    fn keep_own_panes(&self, patch: &mut ToolPatch) {
        if let Some(panes) = &mut patch.panes {
            panes.retain(|pane| self.context.surfaces.runs_for(*pane, &self.definition.name));
        }
    }

    /// Tells the end of the text that was held back as a possible secret.
    pub(super) fn tell_held(&mut self) {
        if let Some(update) = self.veil.release() {
            self.conversation.update(update, &mut SystemStamps);
        }
    }

    /// Returns words of the agent's for the log or an error.
    pub(super) fn without_secrets(&self, words: &str) -> String {
        match &self.link {
            Some(link) => link.redactor.redact_start(words, words.len()).into_owned(),
            None => words.to_owned(),
        }
    }

    fn note_skipped(&self, skipped: &[String]) {
        for reason in skipped {
            let reason = self.without_secrets(reason);
            tracing::debug!(agent = %self.definition.name, reason, "left out of an update");
        }
    }

    fn take_request(&mut self, id: AgentRequestId, request: AgentRequest) {
        let refusal = match request {
            AgentRequest::Permission(request) => return self.take_permission_request(id, request),
            AgentRequest::Elicitation(request) => return self.take_elicitation(id, request),
            AgentRequest::Client(call) => return self.take_client_call(id, call),
            AgentRequest::Unreadable { method, reason } => Refusal::UnreadableParams { method, reason },
            AgentRequest::Unknown { method } => Refusal::UnknownMethod { method },
        };
        if let Some(connection) = self.link.as_mut().and_then(|link| link.connection.as_mut()) {
            connection.refuse(&id, &refusal);
        }
    }

    fn take_permission_request(&mut self, request_id: AgentRequestId, mut request: PermissionRequest) {
        self.note_skipped(&request.skipped);
        self.veil.cover_request(&mut request);
        self.keep_own_panes(&mut request.tool);
        let is_ours = matches!(&self.session, Session::Open { id } if *id == request.session_id);
        let id = is_ours
            .then(|| {
                self.conversation
                    .ask(request.tool, request.options, &mut SystemStamps)
            })
            .flatten();
        match id {
            Some(id) => {
                self.asked.push((id, request_id));
                self.answer_by_rule(id);
            }
            None => {
                if let Some(connection) = self.link.as_mut().and_then(|link| link.connection.as_mut()) {
                    connection.reply(&request_id, &PermissionAnswer::Cancelled);
                }
            }
        }
    }

    /// Answers a permission request as the configuration says for this agent, when it says anything.
    fn answer_by_rule(&mut self, id: PermissionId) {
        let Some(permission) = self.conversation.permission(id) else {
            return;
        };
        let answered_by = AnsweredBy::Rule;
        let first_of = |kind: &str| {
            let mut options = permission.options.iter();
            options
                .find(|option| option.kind == kind)
                .map(|option| option.option_id.clone())
        };
        let reads = matches!(permission.tool_call.kind, ToolKind::Read | ToolKind::Search);
        let chosen = match self.definition.permissions {
            PermissionPolicy::Ask => return,
            PermissionPolicy::AllowReads if !reads => return,
            // Without such an option a person is asked: an "always" is not ours to give.
            PermissionPolicy::AllowReads => match first_of("allow_once") {
                Some(option_id) => Some(option_id),
                None => return,
            },
            PermissionPolicy::Deny => first_of("reject_once"),
        };
        let (outcome, reply) = match chosen {
            Some(option_id) => (
                PermissionOutcome::Selected {
                    option_id: option_id.clone(),
                    answered_by,
                },
                PermissionAnswer::Selected { option_id },
            ),
            None => (
                PermissionOutcome::Dismissed { answered_by },
                PermissionAnswer::Cancelled,
            ),
        };
        self.conversation.resolve(id, outcome);
        self.answer_agent(id, reply);
    }

    /// Returns when the running turn counts as stalled, unless the agent is heard before.
    pub(super) fn stall_deadline_ms(&self) -> Option<u64> {
        let after_ms = self.stall_after_ms?;
        let waits = self.conversation.owes_word() && self.unsent.is_none() && !self.stalled;
        waits.then_some(self.heard_at_ms + after_ms)
    }

    /// Notes that the agent was given something to do, or said something.
    pub(super) fn heard(&mut self) {
        self.heard_at_ms = steady_ms();
        if std::mem::take(&mut self.stalled) {
            self.conversation.set_stalled(Stall::Heard);
        }
    }

    pub(super) fn look_at_stall(&mut self, now_ms: u64) {
        if self
            .stall_deadline_ms()
            .is_some_and(|deadline| deadline <= now_ms)
        {
            if self.conversation.has_running_tool() {
                // A tool that takes its time may say nothing.
                self.heard_at_ms = now_ms;
                return;
            }
            self.stalled = true;
            self.conversation.set_stalled(Stall::Silent);
        }
    }

    fn request_cancelled(&mut self, request_id: &AgentRequestId) {
        if self.question_cancelled(request_id) {
            return;
        }
        let Some(place) = self.asked.iter().position(|(_, asked)| asked == request_id) else {
            return;
        };
        let (id, request_id) = self.asked.remove(place);
        self.remember_answered(id.0);
        self.conversation.resolve(id, PermissionOutcome::Withdrawn);
        if let Some(connection) = self.link.as_mut().and_then(|link| link.connection.as_mut()) {
            connection.refuse(&request_id, &Refusal::Cancelled);
        }
    }

    /// Answers an open permission request. `None` when this agent never asked it.
    pub(super) fn answer_permission(
        &mut self,
        id: PermissionId,
        option: Option<String>,
        answered_by: AnsweredBy,
    ) -> Answer<()> {
        let Some(permission) = self.conversation.permission(id) else {
            return Err(self.not_open(id.0, "permission request"));
        };
        let (outcome, reply) = match option {
            None => (
                PermissionOutcome::Dismissed { answered_by },
                PermissionAnswer::Cancelled,
            ),
            Some(option_id) => {
                let known: Vec<String> = permission
                    .options
                    .iter()
                    .map(|option| option.option_id.clone())
                    .collect();
                if !known.contains(&option_id) {
                    let message = format!(
                        "the request has no option \"{option_id}\"; it has: {}",
                        known.join(", ")
                    );
                    return Err(RpcError::new(ErrorKind::InvalidParams, message).with_candidates(known));
                }
                let outcome = PermissionOutcome::Selected {
                    option_id: option_id.clone(),
                    answered_by,
                };
                (outcome, PermissionAnswer::Selected { option_id })
            }
        };
        self.conversation.resolve(id, outcome);
        self.answer_agent(id, reply);
        self.heard();
        Ok(())
    }

    fn answer_agent(&mut self, id: PermissionId, mut reply: PermissionAnswer) {
        if let PermissionAnswer::Selected { option_id } = &mut reply {
            *option_id = self.veil.own(option_id).to_owned();
        }
        self.remember_answered(id.0);
        let Some(place) = self.asked.iter().position(|(asked, _)| *asked == id) else {
            return;
        };
        let (_, request_id) = self.asked.remove(place);
        if let Some(connection) = self.link.as_mut().and_then(|link| link.connection.as_mut()) {
            connection.reply(&request_id, &reply);
        }
    }

    /// Says what became of a request that is not open.
    pub(super) fn not_open(&self, id: Uuid, what: &str) -> RpcError {
        if self.answered.contains(&id) {
            let message = format!("the {what} was answered or cancelled before");
            RpcError::new(ErrorKind::AlreadyAnswered, message)
        } else {
            RpcError::new(ErrorKind::NotFound, format!("there is no {what} {id}"))
        }
    }

    pub(super) fn remember_answered(&mut self, id: Uuid) {
        self.answered.push_back(id);
        if self.answered.len() > ANSWERED_REMEMBERED {
            self.answered.pop_front();
        }
    }

    pub(super) fn take_prompt_result(&mut self, prompt: Prompt, outcome: Result<Box<RawValue>, AgentError>) {
        if self.conversation.turn() != Some(prompt.message) {
            return;
        }
        if let Err(error) = &outcome
            && error.is_auth_required()
            && !self.conversation.is_cancelling()
        {
            return self.keep_prompt_for_login(prompt, error);
        }
        self.cancel_deadline_ms = None;
        let end = match outcome {
            Ok(result) => match stop_reason(&result) {
                Ok(reason) => TurnEnd::Stopped(reason),
                Err(error) => {
                    let words = error.to_string();
                    TurnEnd::Unclear(match &self.link {
                        Some(link) => link.redactor.redact_start(&words, STOP_WORDS_BYTES).into_owned(),
                        None => words,
                    })
                }
            },
            Err(error) => TurnEnd::Failed(error.to_string()),
        };
        let open: Vec<PermissionId> = self
            .conversation
            .permissions()
            .iter()
            .map(|open| open.id)
            .collect();
        for id in open {
            // The agent ended the turn without waiting; it no longer wants the answer, but one is owed.
            self.answer_agent(id, PermissionAnswer::Cancelled);
        }
        self.cancel_questions();
        self.conversation.end_turn(end, &mut SystemStamps);
    }

    pub(super) fn held_conversation(&mut self, page: PageRequest) -> HeldConversation {
        // What storage has must be all that is no longer held, and the revision that of all that was told.
        self.flush();
        let (held, missing) = self.conversation.held_page(page.before, page.limit);
        let missing_before = held.messages.first().map(|message| message.id).or_else(|| {
            [page.before, self.conversation.oldest_held()]
                .into_iter()
                .flatten()
                .min()
        });
        HeldConversation {
            view: self.conversation.view(held),
            missing,
            missing_before,
        }
    }
}

fn blocks(prompt: Prompt, takes_images: bool) -> Vec<PromptBlock> {
    let Prompt {
        message: _,
        text,
        attachments,
    } = prompt;
    let text = (!text.is_empty()).then_some(PromptBlock::Text(text));
    let files = attachments.into_iter().map(|attachment| match attachment {
        Attachment::Image { image, .. } if takes_images => PromptBlock::Image {
            mime_type: image.mime_type,
            data: image.data,
        },
        Attachment::Image { uri, bytes, image } => {
            let name = uri.rsplit('/').next().unwrap_or(&uri).to_owned();
            PromptBlock::File {
                uri,
                name,
                mime_type: Some(image.mime_type),
                bytes,
            }
        }
        Attachment::File {
            uri,
            name,
            mime_type,
            bytes,
        } => PromptBlock::File {
            uri,
            name,
            mime_type,
            bytes,
        },
    });
    text.into_iter().chain(files).collect()
}
