//! The ACP session of the current conversation: opened when a prompt needs it, taken up again when the agent can.

use pupitre_model::agent::lifecycle::Input;
use pupitre_model::conversation::{Conversation, Prompt, Update};
use pupitre_model::reason::Reason;
use pupitre_protocol::conversation::CurrentConversationReply;
use pupitre_protocol::system::Empty;
use pupitre_protocol::{Cause, ConversationId, ErrorKind, RpcError};
use serde_json::Value;
use serde_json::value::RawValue;

use super::acp::{
    AgentError, OptionValue, SessionSettings, initialized, load_session, new_session, new_session_result,
    resume_session, session_settings, set_mode, set_option,
};
use super::task::AgentTask;
use super::{Answer, OpenedConversation, Respond};
use crate::clock::SystemStamps;

/// What we asked the agent, given back with its answer.
#[derive(Debug)]
pub(super) enum Asked {
    Initialize,
    NewSession {
        conversation: ConversationId,
    },
    /// To take up a session that the agent knows.
    OldSession {
        conversation: ConversationId,
        id: String,
    },
    /// The prompt is kept for an agent that wants a login first.
    Prompt {
        prompt: Box<Prompt>,
    },
    Authenticate {
        respond: Respond<Empty>,
    },
    SetMode {
        mode: String,
        respond: Respond<()>,
    },
    SetOption {
        respond: Respond<()>,
    },
}

/// How many sessions of other conversations are remembered, so that what comes late for them is not taken for news.
const PAST_SESSIONS: usize = 64;

/// How many deleted conversations are remembered, so that one that was read just before is not opened.
const DELETED: usize = 64;

/// The session of the current conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Session {
    /// None is open; `known` is the agent's id of the conversation's last one.
    Closed {
        known: Option<String>,
    },
    Opening {
        known: Option<String>,
        replay: Replay,
    },
    Open {
        id: String,
    },
}

/// Whether what comes while a session opens is new, or repeats what is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replay {
    Nothing,
    /// `session/load` repeats the conversation, which is not folded a second time.
    Past,
}

impl AgentTask {
    /// Opens the session that the current conversation needs, as well as the agent can.
    pub(super) fn open_session(&mut self) {
        let Session::Closed { known } = &self.session else {
            return;
        };
        let known = known.clone();
        let capabilities = self
            .last_run
            .initialized
            .as_ref()
            .map(|initialized| initialized.capabilities);
        let start = self.session_start();
        let conversation = self.conversation.id();
        let asked = |id: &str| Asked::OldSession {
            conversation,
            id: id.to_owned(),
        };
        let Some(connection) = self.link.as_mut().and_then(|link| link.connection.as_mut()) else {
            return;
        };
        let replay = match (&known, capabilities) {
            (Some(id), Some(capabilities)) if capabilities.resume_session => {
                connection.send_request(&resume_session(id, &start), asked(id));
                Replay::Past
            }
            (Some(id), Some(capabilities)) if capabilities.load_session => {
                connection.send_request(&load_session(id, &start), asked(id));
                Replay::Past
            }
            (_, _) => {
                connection.send_request(&new_session(&start), Asked::NewSession { conversation });
                Replay::Nothing
            }
        };
        if replay == Replay::Nothing {
            self.conversation.session_opens();
        }
        self.session = Session::Opening { known, replay };
    }

    /// Takes in the answer to a request of ours.
    pub(super) fn take_reply(&mut self, asked: Asked, outcome: Result<Box<RawValue>, AgentError>) {
        match asked {
            Asked::Initialize => self.take_handshake(outcome),
            Asked::NewSession { conversation } if conversation != self.conversation.id() => {
                if let Ok((id, _)) = outcome
                    .as_deref()
                    .map_or_else(|_| Err(()), |result| new_session_result(result).map_err(drop))
                {
                    self.session_of_another(conversation, id);
                }
            }
            Asked::OldSession { conversation, id } if conversation != self.conversation.id() => {
                self.session_of_another(conversation, id);
            }
            Asked::NewSession { .. } => self.take_new_session(outcome),
            Asked::OldSession { id, .. } => self.take_old_session(id, outcome),
            Asked::Prompt { prompt } => self.take_prompt_result(*prompt, outcome),
            Asked::Authenticate { respond } => {
                if outcome.is_ok() {
                    self.conversation.login_done();
                }
                let reply = outcome
                    .map(|_| Empty {})
                    .map_err(|error| self.agent_error(&error));
                self.answer(respond, reply);
            }
            Asked::SetMode { mode, respond } => {
                if outcome.is_ok() {
                    self.conversation
                        .update(Update::CurrentMode(mode), &mut SystemStamps);
                }
                let reply = outcome.map(drop).map_err(|error| self.agent_error(&error));
                self.answer(respond, reply);
            }
            Asked::SetOption { respond } => {
                if let Ok(result) = &outcome {
                    self.take_settings(session_settings(result));
                }
                let reply = outcome.map(drop).map_err(|error| self.agent_error(&error));
                self.answer(respond, reply);
            }
        }
    }

    /// Ends what waits for an answer that will not come: the process is being ended.
    pub(super) fn unanswered(&mut self, asked: Asked) {
        match asked {
            Asked::SetMode { respond, .. } | Asked::SetOption { respond } => {
                let error = self.ended_before("it answered");
                self.answer(respond, Err(error));
            }
            Asked::Authenticate { respond } => {
                let error = self.ended_before("the login was done");
                self.answer(respond, Err(error));
            }
            // These are told through the lifecycle and the turn.
            Asked::Initialize
            | Asked::NewSession { .. }
            | Asked::OldSession { .. }
            | Asked::Prompt { .. } => {}
        }
    }

    fn take_handshake(&mut self, outcome: Result<Box<RawValue>, AgentError>) {
        let failed = |words: String, said: String| Input::HandshakeFailed {
            reason: Reason::new(words, Cause::HandshakeFailed { said }),
        };
        let input = match outcome {
            Ok(result) => match initialized(&result) {
                Ok(mut initialized) => {
                    self.veil.cover_introduction(&mut initialized);
                    self.last_run.initialized = Some(initialized);
                    Input::HandshakeDone
                }
                // It may quote the agent.
                Err(error) => {
                    let said = self.without_secrets(&error.to_string());
                    failed(said.clone(), said)
                }
            },
            Err(error) => failed(format!("refused initialize: {error}"), error.to_string()),
        };
        self.step(input);
    }

    fn take_new_session(&mut self, outcome: Result<Box<RawValue>, AgentError>) {
        let forgot = matches!(&self.session, Session::Opening { known: Some(_), .. });
        if let Err(error) = &outcome
            && error.is_auth_required()
            && self.unsent.is_some()
        {
            let known = self.known_session();
            self.session = Session::Closed { known };
            return self.login_wanted(error);
        }
        let opened = outcome.map_err(|error| error.to_string()).and_then(|result| {
            new_session_result(&result).map_err(|error| self.without_secrets(&error.to_string()))
        });
        match opened {
            Ok((id, settings)) => {
                self.session_opened(id);
                if forgot {
                    self.conversation.agent_restarted(&mut SystemStamps);
                }
                self.take_settings(settings);
            }
            Err(said) => self.session_failed(said),
        }
    }

    fn take_old_session(&mut self, id: String, outcome: Result<Box<RawValue>, AgentError>) {
        match outcome {
            Ok(result) => {
                self.session_opened(id);
                self.take_settings(session_settings(&result));
            }
            Err(error) => {
                tracing::info!(agent = %self.definition.name, %error, "the agent cannot take up its session; a new one begins");
                let start = self.session_start();
                let conversation = self.conversation.id();
                let Some(connection) = self.link.as_mut().and_then(|link| link.connection.as_mut()) else {
                    return;
                };
                connection.send_request(&new_session(&start), Asked::NewSession { conversation });
                self.conversation.session_opens();
                self.session = Session::Opening {
                    known: Some(id),
                    replay: Replay::Nothing,
                };
            }
        }
    }

    /// A session was opened for a conversation that is no longer the current one.
    fn session_of_another(&mut self, conversation: ConversationId, id: String) {
        self.context.history.set_session(conversation, Some(id.clone()));
        self.remember_past_session(id);
    }

    /// Remembers a session that belongs to another conversation.
    pub(super) fn remember_past_session(&mut self, id: String) {
        if self.past_sessions.len() == PAST_SESSIONS {
            self.past_sessions.pop_front();
        }
        self.past_sessions.push_back(id);
    }

    fn session_opened(&mut self, id: String) {
        self.past_sessions.retain(|past| *past != id);
        self.conversation.session_began();
        self.flush();
        self.context
            .history
            .set_session(self.conversation.id(), Some(id.clone()));
        self.session = Session::Open { id };
    }

    /// Returns the agent's id of the session that is open, or was.
    fn known_session(&self) -> Option<String> {
        match &self.session {
            Session::Opening { known, .. } | Session::Closed { known } => known.clone(),
            Session::Open { id } => Some(id.clone()),
        }
    }

    /// Takes note that the agent opened no session; `said` is why.
    fn session_failed(&mut self, said: String) {
        let known = self.known_session();
        self.session = Session::Closed { known };
        if self.unsent.take().is_some() {
            let message = format!("agent {} opened no session: {said}", self.definition.name);
            let reason = Reason::new(message, Cause::NoSession { said });
            self.conversation.agent_unavailable(reason, &mut SystemStamps);
        }
    }

    fn take_settings(&mut self, settings: SessionSettings) {
        let SessionSettings {
            modes,
            config_options,
            ..
        } = settings;
        let told = [
            modes.map(Update::Modes),
            config_options.map(Update::ConfigOptions),
        ];
        for update in told.into_iter().flatten() {
            self.conversation
                .update(self.veil.cover_choices(update), &mut SystemStamps);
        }
    }

    /// Says whether an update belongs to the session of the current conversation, and is new.
    pub(super) fn is_news(&self, session_id: &str, update: &Update) -> bool {
        match &self.session {
            Session::Closed { .. } => false,
            Session::Open { id } => id == session_id,
            // An agent may greet, and tell its commands, before it has answered `session/new`.
            Session::Opening {
                replay: Replay::Nothing,
                ..
            } => !self.past_sessions.iter().any(|past| past == session_id),
            Session::Opening {
                replay: Replay::Past, ..
            } => match update {
                Update::Usage(_)
                | Update::Commands(_)
                | Update::Modes(_)
                | Update::CurrentMode(_)
                | Update::ConfigOptions(_)
                | Update::Title(_) => true,
                Update::Text { .. }
                | Update::Image { .. }
                | Update::Resource { .. }
                | Update::ToolCall(_)
                | Update::Tool(_)
                | Update::Plan(_) => false,
            },
        }
    }

    pub(super) fn set_mode(&mut self, mode: &str, respond: Respond<()>) {
        let known = self
            .conversation
            .modes()
            .is_some_and(|modes| modes.available.iter().any(|known| known.id == mode));
        let Some(session) = self.open_session_id() else {
            let error = self.no_session();
            return self.answer(respond, Err(error));
        };
        if !known {
            let ids = self
                .conversation
                .modes()
                .map(|modes| modes.available.iter().map(|mode| mode.id.clone()).collect());
            let error = self.no_such("mode", mode, ids.unwrap_or_default());
            return self.answer(respond, Err(error));
        }
        let asked = Asked::SetMode {
            mode: mode.to_owned(),
            respond,
        };
        if let Some(connection) = self.link.as_mut().and_then(|link| link.connection.as_mut()) {
            connection.send_request(&set_mode(&session, self.veil.own(mode)), asked);
        }
    }

    pub(super) fn set_option(&mut self, id: &str, value: &Value, respond: Respond<()>) {
        let Some(session) = self.open_session_id() else {
            let error = self.no_session();
            return self.answer(respond, Err(error));
        };
        let value = match self.option_value(id, value) {
            Ok(value) => value,
            Err(error) => return self.answer(respond, Err(error)),
        };
        if let Some(connection) = self.link.as_mut().and_then(|link| link.connection.as_mut()) {
            let id = self.veil.own(id);
            connection.send_request(&set_option(&session, id, value), Asked::SetOption { respond });
        }
    }

    fn option_value(&self, id: &str, value: &Value) -> Answer<OptionValue> {
        let options = self.conversation.config_options();
        let Some(option) = options.iter().find(|option| option.id == id) else {
            return Err(self.no_such(
                "option",
                id,
                options.iter().map(|option| option.id.clone()).collect(),
            ));
        };
        match value {
            Value::Bool(on) if option.choices.is_empty() => Ok(OptionValue::Switch(*on)),
            Value::String(choice) if option.choices.iter().any(|known| known.value == *choice) => {
                Ok(OptionValue::Choice(self.veil.own(choice).to_owned()))
            }
            other => {
                let choices = if option.choices.is_empty() {
                    vec!["true".to_owned(), "false".to_owned()]
                } else {
                    option.choices.iter().map(|choice| choice.value.clone()).collect()
                };
                Err(self.no_such(&format!("value of option {id}"), &other.to_string(), choices))
            }
        }
    }

    fn open_session_id(&self) -> Option<String> {
        match &self.session {
            Session::Open { id } => Some(id.clone()),
            Session::Closed { .. } | Session::Opening { .. } => None,
        }
    }

    fn no_session(&self) -> RpcError {
        let message = format!(
            "agent {} has no open session; a message opens one",
            self.definition.name
        );
        RpcError::new(ErrorKind::NoSession, message)
    }

    pub(super) fn not_running(&self) -> RpcError {
        RpcError::new(
            ErrorKind::NotRunning,
            format!("agent {} is not running", self.definition.name),
        )
    }

    /// Says that the process that was asked is no more.
    fn ended_before(&self, what: &str) -> RpcError {
        let agent = &self.definition.name;
        let message = match self.lifecycle.reason() {
            Some(reason) => format!("agent {agent} ended before {what}: {reason}"),
            None => format!("agent {agent} was stopped before {what}"),
        };
        let cause = self.lifecycle.reason().and_then(|reason| reason.cause.clone());
        RpcError::new(ErrorKind::NotRunning, message).with_cause(cause)
    }

    pub(super) fn no_such(&self, what: &str, given: &str, known: Vec<String>) -> RpcError {
        let there = if known.is_empty() {
            "it offers none".to_owned()
        } else {
            format!("it offers: {}", known.join(", "))
        };
        let message = format!("agent {} has no {what} {given}; {there}", self.definition.name);
        RpcError::new(ErrorKind::NotFound, message).with_candidates(known)
    }

    fn agent_error(&self, error: &AgentError) -> RpcError {
        let value = serde_json::json!({ "code": error.code, "message": error.message });
        RpcError::new(
            ErrorKind::AgentError,
            format!("agent {}: {error}", self.definition.name),
        )
        .with_agent_error(value)
    }

    /// Puts the current conversation away and begins another.
    pub(super) fn begin_conversation(&mut self, cwd: Option<String>) -> Answer<CurrentConversationReply> {
        self.refuse_while_busy()?;
        let conversation = self.fresh_conversation(cwd);
        self.replace_conversation(conversation, None);
        Ok(self.current())
    }

    /// Makes an earlier conversation, as storage has it, the current one.
    pub(super) fn open_conversation(
        &mut self,
        opened: OpenedConversation,
    ) -> Answer<CurrentConversationReply> {
        let OpenedConversation { stored, session } = opened;
        if self.deleted.contains(&stored.id) {
            let message = format!("there is no conversation {}", stored.id);
            return Err(RpcError::new(ErrorKind::NotFound, message));
        }
        if stored.id != self.conversation.id() {
            self.refuse_while_busy()?;
            let conversation = Conversation::restore(stored, &mut SystemStamps);
            self.replace_conversation(conversation, session);
        }
        Ok(self.current())
    }

    /// Begins another conversation when this one is the current one, since it is about to be deleted.
    pub(super) fn leave_conversation(&mut self, id: ConversationId) -> Answer<()> {
        if id == self.conversation.id() {
            self.refuse_while_busy()?;
            let conversation = self.fresh_conversation(None);
            self.replace_conversation(conversation, None);
        }
        if self.deleted.len() == DELETED {
            self.deleted.pop_front();
        }
        self.deleted.push_back(id);
        Ok(())
    }

    fn refuse_while_busy(&self) -> Answer<()> {
        if self.conversation.is_busy() {
            let message = format!(
                "agent {} is answering: wait for the end of the turn, or cancel it",
                self.definition.name
            );
            return Err(RpcError::new(ErrorKind::TurnRunning, message));
        }
        Ok(())
    }

    fn current(&self) -> CurrentConversationReply {
        CurrentConversationReply {
            agent: self.definition.name.clone(),
            conversation: self.conversation.id(),
        }
    }
}
