//! What an agent asks of its user besides permission: questions (ACP: elicitation), and to log in.

use std::sync::Arc;

use pupitre_model::conversation::{Prompt, check_form};
use pupitre_protocol::conversation::{AnsweredBy, ElicitationAction, ElicitationOutcome, Login, Wanted};
use pupitre_protocol::system::Empty;
use pupitre_protocol::{Cause, ElicitationId, ErrorKind, RpcError};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::acp::{
    AgentError, AgentRequestId, ElicitationAnswer, ElicitationRequest, Refusal, TerminalExit, TerminalLogin,
    authenticate,
};
use super::session::{Asked, Session};
use super::task::AgentTask;
use super::turns::Unsent;
use super::{Answer, Respond};
use crate::clock::SystemStamps;
use crate::process::Program;

/// An open question, as the agent knows it.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    id: ElicitationId,
    request: AgentRequestId,
    /// The agent's own id of a visit.
    visit: Option<String>,
}

impl AgentTask {
    pub(super) fn take_elicitation(&mut self, request_id: AgentRequestId, mut request: ElicitationRequest) {
        self.veil.cover_question(&mut request);
        let visit = request
            .elicitation
            .take_if(|_| matches!(request.wants, Wanted::Url { .. }));
        let is_ours = match (&request.session, &self.session) {
            (Some(given), Session::Open { id }) => given == id,
            // The answer that names the session is still on its way.
            (Some(_), Session::Opening { .. }) => true,
            (Some(_), Session::Closed { .. }) => false,
            // It belongs to a request of ours, a login for example.
            (None, _) => true,
        };
        let id = is_ours
            .then(|| {
                self.conversation
                    .elicit(&request.message, request.wants, &mut SystemStamps)
            })
            .flatten();
        match id {
            Some(id) => self.questions.push(OpenQuestion {
                id,
                request: request_id,
                visit,
            }),
            None => self.reply(&request_id, &ElicitationAnswer::cancelled()),
        }
    }

    /// Answers an open question. The error is `not_found` when this agent never asked it.
    pub(super) fn answer_elicitation(
        &mut self,
        id: ElicitationId,
        action: ElicitationAction,
        content: Map<String, Value>,
        answered_by: AnsweredBy,
    ) -> Answer<()> {
        let Some(open) = self.conversation.elicitation(id) else {
            return Err(self.not_open(id.0, "question"));
        };
        let answer = match (action, &open.wants) {
            (ElicitationAction::Accept, Wanted::Form { fields }) => {
                check_form(fields, &content)
                    .map_err(|error| RpcError::new(ErrorKind::InvalidParams, error.to_string()))?;
                ElicitationAnswer::accepted(Some(self.veil.uncover_form(fields, content)))
            }
            (ElicitationAction::Accept, Wanted::Url { .. }) => ElicitationAnswer::accepted(None),
            (ElicitationAction::Decline, _) => ElicitationAnswer::declined(),
            (ElicitationAction::Cancel, _) => ElicitationAnswer::cancelled(),
        };
        let outcome = ElicitationOutcome::Answered { action, answered_by };
        self.conversation.resolve_elicitation(id, outcome);
        self.reply_to_question(id, &answer);
        self.heard();
        Ok(())
    }

    /// What the user went to an address for is done: whoever has not said so need not.
    pub(super) fn elicitation_completed(&mut self, visit: &str) {
        let is_it = |open: &&OpenQuestion| open.visit.as_deref() == Some(visit);
        if let Some(id) = self.questions.iter().find(is_it).map(|open| open.id) {
            self.conversation
                .resolve_elicitation(id, ElicitationOutcome::Withdrawn);
            self.reply_to_question(id, &ElicitationAnswer::accepted(None));
        }
    }

    /// The agent took its question back. Says whether it was one.
    pub(super) fn question_cancelled(&mut self, request_id: &AgentRequestId) -> bool {
        let Some(place) = self.questions.iter().position(|open| open.request == *request_id) else {
            return false;
        };
        let OpenQuestion { id, request, .. } = self.questions.remove(place);
        self.remember_answered(id.0);
        self.conversation
            .resolve_elicitation(id, ElicitationOutcome::Withdrawn);
        self.refuse(&request, Refusal::Cancelled);
        true
    }

    /// Gives the agent the answers that it is owed, since nobody will give others.
    pub(super) fn cancel_questions(&mut self) {
        let open: Vec<ElicitationId> = self.questions.iter().map(|open| open.id).collect();
        for id in open {
            self.reply_to_question(id, &ElicitationAnswer::cancelled());
        }
    }

    pub(super) fn take_questions(&mut self) -> impl Iterator<Item = Uuid> + use<> {
        std::mem::take(&mut self.questions)
            .into_iter()
            .map(|open| open.id.0)
    }

    fn reply_to_question(&mut self, id: ElicitationId, answer: &ElicitationAnswer) {
        self.remember_answered(id.0);
        if let Some(place) = self.questions.iter().position(|open| open.id == id) {
            let open = self.questions.remove(place);
            self.reply(&open.request, answer);
        }
    }

    /// Has the message wait until the user has logged in.
    pub(super) fn login_wanted(&mut self, error: &AgentError) {
        let initialized = self.last_run.initialized.as_ref();
        self.conversation.want_login(Login {
            message: error.message.clone(),
            methods: initialized
                .map(|initialized| initialized.auth_methods.clone())
                .unwrap_or_default(),
        });
    }

    /// Keeps a prompt that the agent did not take without a login.
    pub(super) fn keep_prompt_for_login(&mut self, prompt: Prompt, error: &AgentError) {
        // What it asked belongs to the turn that it has just ended.
        self.cancel_asked();
        self.unsent = Some(Unsent::again(prompt));
        self.login_wanted(error);
    }

    /// Runs the agent's program on a terminal, for its user to log in there. Its end is the answer.
    fn log_in_on_terminal(&mut self, login: TerminalLogin, respond: Respond<Empty>) {
        let name = self.definition.name.clone();
        let mut program = match Program::of_agent(&self.definition, &self.context.home) {
            Ok(program) => program,
            Err(error) => {
                let cause = error.cause();
                let error = RpcError::new(ErrorKind::StartFailed, error.to_string()).with_cause(cause);
                return self.answer(respond, Err(error));
            }
        };
        program.argv.extend(login.args);
        program.env.retain(|(name, _)| !login.env.contains_key(name));
        program.env.extend(login.env);
        let context = Arc::clone(&self.context);
        let places = (&context.world.tasks, &context.surfaces);
        let begun = match &mut self.link {
            Some(link) => {
                let news = link.terminal_news.clone();
                link.terminals.log_in(places, &name, program, respond, news)
            }
            None => Err((respond, self.not_running())),
        };
        if let Err((respond, error)) = begun {
            self.answer(respond, Err(error));
        }
    }

    /// Takes note of how a login on a terminal ended.
    pub(super) fn logged_in_on_terminal(
        &mut self,
        outcome: Result<TerminalExit, String>,
        respond: Respond<Empty>,
    ) {
        let cause = outcome.as_ref().ok().map(|exit| Cause::LoginEnded {
            code: exit.exit_code,
            signal: exit.signal.clone(),
        });
        let failed = match outcome {
            Ok(TerminalExit {
                exit_code: Some(0), ..
            }) => {
                self.conversation.login_done();
                return self.answer(respond, Ok(Empty {}));
            }
            Ok(TerminalExit {
                exit_code: Some(code),
                ..
            }) => format!("the login on the terminal exited with code {code}"),
            Ok(TerminalExit {
                exit_code: None,
                signal,
            }) => format!(
                "the login on the terminal was ended ({})",
                signal.as_deref().unwrap_or("it is not known how")
            ),
            Err(reason) => reason,
        };
        let error = RpcError::new(
            ErrorKind::AgentError,
            format!("agent {}: {failed}", self.definition.name),
        )
        .with_cause(cause);
        self.answer(respond, Err(error));
    }

    /// Runs one of the logins that the agent offers.
    pub(super) fn authenticate(&mut self, method_id: &str, respond: Respond<Empty>) {
        let initialized = self.last_run.initialized.as_ref();
        let (Some(initialized), true) = (initialized, self.lifecycle.is_running()) else {
            let error = self.not_running();
            return self.answer(respond, Err(error));
        };
        let known: Vec<String> = initialized
            .auth_methods
            .iter()
            .map(|method| method.id.clone())
            .collect();
        if !known.iter().any(|known| known == method_id) {
            let error = self.no_such("login", method_id, known);
            return self.answer(respond, Err(error));
        }
        let own = self.veil.own(method_id);
        let on_terminal = initialized
            .terminal_logins
            .iter()
            .find(|login| login.method_id == own);
        if let Some(login) = on_terminal.cloned() {
            return self.log_in_on_terminal(login, respond);
        }
        match self.link.as_mut().and_then(|link| link.connection.as_mut()) {
            Some(connection) => {
                connection.send_request(
                    &authenticate(self.veil.own(method_id)),
                    Asked::Authenticate { respond },
                );
            }
            None => {
                let error = self.not_running();
                self.answer(respond, Err(error));
            }
        }
    }
}
