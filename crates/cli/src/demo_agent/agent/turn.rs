//! The turns of the demo agent: how one begins, does its steps, waits for a permission, and ends.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Agent, Effect, Login};
use crate::demo_agent::prose;
use crate::demo_agent::script::{self, Counter, CounterKind, Decision, End, Pause, Prompt, Question, Step};
use crate::demo_agent::session::{Mode, PastTurn};
use crate::demo_agent::tool::{ALLOW_ALWAYS, ALLOW_ONCE, ToolCall};
use crate::demo_agent::wire::{self, Outcome, RpcError};
use crate::demo_agent::word::wants_login;

/// How many steps a turn may do before the agent looks for messages of the client again.
const MAX_STEPS_AT_ONCE: usize = 256;

/// How much of an answer is remembered for `session/load`, in bytes.
const MAX_REMEMBERED_BYTES: usize = 64 * 1024;

/// A prompt that is being answered.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) request_id: Value,
    pub(super) session_id: String,
    pub(super) state: TurnState,
    prompt: String,
    /// The beginning of the answer, and the length of all of it.
    answer: String,
    answer_bytes: usize,
    steps: VecDeque<Step>,
}

#[derive(Debug)]
pub(super) enum TurnState {
    Due(Instant),
    Asking {
        request_id: u64,
        asked: Asked,
    },
    /// Nothing but a cancel ends it.
    Waiting,
}

/// What the client is asked.
#[derive(Debug)]
pub(super) enum Asked {
    Permission(ToolCall),
    Question(Question),
}

/// Whether a turn goes on after a step.
enum Progress {
    GoesOn,
    Ends(End),
    Crashes,
}

impl Agent {
    pub(super) fn begin_turn(&mut self, id: &Value, params: Value, now: Instant) -> Result<(), RpcError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            session_id: String,
            prompt: Vec<Value>,
        }
        let params: Params = wire::read_params(params)?;
        let prompt = Prompt::read(&params.prompt);
        if self.login == Login::Wanted && wants_login(&prompt.text) {
            return Err(RpcError::auth_required());
        }
        if self.turns.iter().any(|turn| turn.session_id == params.session_id) {
            return Err(RpcError::invalid_request(
                "this session is still answering the prompt before",
            ));
        }
        let session = self.find_open_session(&params.session_id)?;
        let number = session.count_prompt();
        session.count_text(prompt.text.len());
        let steps = script::steps(&prompt, session, number);
        self.turns.push(Turn {
            request_id: id.clone(),
            session_id: params.session_id,
            prompt: prompt.text,
            answer: String::new(),
            answer_bytes: 0,
            steps,
            state: TurnState::Due(now),
        });
        Ok(())
    }

    /// Takes the client's answer to what it was asked. One that came too late changes nothing.
    pub(super) fn answer(&mut self, id: &Value, outcome: &Outcome, now: Instant) {
        let Some(turn) = self.turns.iter_mut().find(|turn| match &turn.state {
            TurnState::Asking { request_id, .. } => id.as_u64() == Some(*request_id),
            TurnState::Due(_) | TurnState::Waiting => false,
        }) else {
            return;
        };
        let TurnState::Asking { asked, .. } = std::mem::replace(&mut turn.state, TurnState::Due(now)) else {
            return;
        };
        let tool_call = match asked {
            Asked::Permission(tool_call) => tool_call,
            Asked::Question(question) => {
                let answer = match outcome {
                    Outcome::Result(answer) => answer,
                    Outcome::Error => &Value::Null,
                };
                return prepend(&mut turn.steps, script::steps_after_question(question, answer));
            }
        };
        let decision = decision_of(outcome);
        if decision == Decision::AllowedAlways {
            let session = self
                .sessions
                .get_mut(&turn.session_id)
                .expect("sessions are never removed");
            session.allow_always(tool_call.asking());
        }
        prepend(&mut turn.steps, script::steps_after(&tool_call, decision));
    }

    /// Does what is due of a turn, and keeps the turn unless it ended.
    pub(super) fn advance_turn(&mut self, mut turn: Turn, now: Instant) {
        for _ in 0..MAX_STEPS_AT_ONCE {
            match turn.state {
                TurnState::Due(due) if due <= now => {}
                TurnState::Due(_) | TurnState::Asking { .. } | TurnState::Waiting => break,
            }
            let step = turn.steps.pop_front().expect("the last step ends the turn");
            match self.do_step(&mut turn, step, now) {
                Progress::GoesOn => {}
                Progress::Ends(end) => return self.end_turn(turn, end),
                Progress::Crashes => return self.effects.push(Effect::Crash),
            }
        }
        self.turns.push(turn);
    }

    fn do_step(&mut self, turn: &mut Turn, step: Step, now: Instant) -> Progress {
        let session = self
            .sessions
            .get_mut(&turn.session_id)
            .expect("sessions are never removed");
        let update = match step {
            Step::Say(text) => {
                turn.remember(&text);
                json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
            }
            Step::Update(update) => update,
            Step::ReportUsage => session.usage_update(),
            Step::SetTitle(title) => {
                session.title = Some(title);
                session.title_update()
            }
            Step::SetMode(mode) => {
                session.mode = mode.unwrap_or_else(|| session.mode.other());
                prepend(&mut turn.steps, script::steps_in_mode(session.mode));
                session.mode_update()
            }
            Step::SetModel(model) => {
                session.model = model.unwrap_or_else(|| session.model.other());
                prepend(&mut turn.steps, script::steps_with_model(session.model));
                session.config_options_update(self.boolean_options)
            }
            Step::Pause(pause) => {
                turn.state = TurnState::Due(now + length_of(pause, self.pace));
                return Progress::GoesOn;
            }
            Step::Count(counter) => {
                self.count(turn, counter, now);
                return Progress::GoesOn;
            }
            Step::Ask(tool_call) => {
                let decision = if session.mode == Mode::Auto {
                    Decision::AllowedByMode
                } else if session.is_always_allowed(tool_call.asking()) {
                    Decision::AllowedEarlier
                } else {
                    self.ask(turn, tool_call);
                    return Progress::GoesOn;
                };
                prepend(&mut turn.steps, script::steps_after(&tool_call, decision));
                return Progress::GoesOn;
            }
            Step::Elicit(question) => {
                let request_id = self.next_request();
                let params = question.params(&turn.session_id);
                self.send(wire::request_line(request_id, "elicitation/create", &params));
                let asked = Asked::Question(question);
                turn.state = TurnState::Asking { request_id, asked };
                return Progress::GoesOn;
            }
            Step::WaitForCancel => {
                turn.state = TurnState::Waiting;
                return Progress::GoesOn;
            }
            Step::End(end) => return Progress::Ends(end),
            Step::Crash => return Progress::Crashes,
        };
        self.send(wire::update_line(&turn.session_id, &update));
        Progress::GoesOn
    }

    fn ask(&mut self, turn: &mut Turn, tool_call: ToolCall) {
        let request_id = self.next_request();
        let params = tool_call.permission_request(&turn.session_id);
        self.send(wire::request_line(
            request_id,
            "session/request_permission",
            &params,
        ));
        let asked = Asked::Permission(tool_call);
        turn.state = TurnState::Asking { request_id, asked };
    }

    fn next_request(&mut self) -> u64 {
        let request_id = self.requests;
        self.requests += 1;
        request_id
    }

    /// Makes the next of a row of small things, and puts the rest back.
    fn count(&mut self, turn: &mut Turn, mut counter: Counter, now: Instant) {
        if counter.next > counter.last {
            return;
        }
        let text = counter.text();
        let effect = match counter.kind {
            CounterKind::TinyChunks | CounterKind::SlowChunks => {
                turn.remember(&text);
                Effect::Send(wire::plain_chunk_line(&turn.session_id, &text))
            }
            CounterKind::StderrLines => Effect::Log(text),
        };
        self.effects.push(effect);
        counter.next += 1;
        turn.state = TurnState::Due(now + length_of(counter.pause(), self.pace));
        turn.steps.push_front(Step::Count(counter));
    }

    /// Answers the prompt, after the title and the usage when the turn came to its own end.
    pub(super) fn end_turn(&mut self, turn: Turn, end: End) {
        let session = self
            .sessions
            .get_mut(&turn.session_id)
            .expect("sessions are never removed");
        session.count_text(turn.answer_bytes);
        let mut updates = Vec::new();
        match end {
            End::Complete | End::MaxTokens | End::Refusal => {
                if session.title.is_none() {
                    session.title = Some(prose::title_of(&turn.prompt));
                    updates.push(session.title_update());
                }
                updates.push(session.usage_update());
            }
            End::Cancelled | End::Error => {}
        }
        session.past.push(PastTurn {
            prompt: turn.prompt,
            answer: turn.answer,
        });
        for update in &updates {
            self.send(wire::update_line(&turn.session_id, update));
        }
        self.send(match end.stop_reason() {
            Some(stop_reason) => wire::result_line(&turn.request_id, &json!({ "stopReason": stop_reason })),
            None => wire::error_line(&turn.request_id, &RpcError::internal(prose::FAIL)),
        });
    }
}

impl Turn {
    fn remember(&mut self, text: &str) {
        self.answer_bytes += text.len();
        let room = MAX_REMEMBERED_BYTES.saturating_sub(self.answer.len());
        self.answer.push_str(&text[..text.floor_char_boundary(room)]);
    }
}

/// Returns what an answer to a permission request means. An option that was not offered is no permission.
fn decision_of(outcome: &Outcome) -> Decision {
    let Outcome::Result(result) = outcome else {
        return Decision::Unanswered;
    };
    let outcome = &result["outcome"];
    match (outcome["outcome"].as_str(), outcome["optionId"].as_str()) {
        (Some("selected"), Some(ALLOW_ONCE)) => Decision::AllowedOnce,
        (Some("selected"), Some(ALLOW_ALWAYS)) => Decision::AllowedAlways,
        (Some("selected"), _) => Decision::Rejected,
        _ => Decision::Unanswered,
    }
}

fn prepend(steps: &mut VecDeque<Step>, first: VecDeque<Step>) {
    for step in first.into_iter().rev() {
        steps.push_front(step);
    }
}

fn length_of(pause: Pause, pace: Duration) -> Duration {
    match pause {
        Pause::Beats(beats) => pace * beats,
        Pause::Fixed(length) => length,
    }
}
