//! The state table of an agent's process, as one pure `step`: what happened comes in, what to do goes out.
//!
//! Responsible for the states and transitions of the agents page; the limits on how many may run are not here.

use pupitre_protocol::agent::AgentState;
use pupitre_protocol::limits::HANDSHAKE_MS;

/// Where an agent's process is in its life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifecycle {
    phase: Phase,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    Stopped,
    Starting {
        deadline_ms: u64,
    },
    Running {
        usage: Usage,
    },
    /// Something of the agent still lives and is being ended.
    Ending {
        outcome: Outcome,
        after: After,
    },
    Failed {
        reason: String,
    },
}

/// Whether a turn of the agent's conversation runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    Unused,
    Used,
}

/// What an agent is once nothing of it is left.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    /// It was asked to stop; until then it is shown as it was.
    Stopped {
        before: AgentState,
    },
    Failed {
        reason: String,
    },
}

/// What follows once nothing of an agent is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    Rest,
    Start,
}

/// Something that happened to an agent. Times are milliseconds of a clock that never goes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    StartAsked,
    StopAsked,
    /// No process came to be.
    SpawnFailed {
        reason: String,
    },
    HandshakeDone,
    HandshakeFailed {
        reason: String,
    },
    TimePassed,
    Usage(Usage),
    /// The connection cannot go on although the process lives: a line over the limit, stdin that nobody reads.
    ConnectionLost {
        reason: String,
    },
    /// The agent's own process ended; what it started may live on.
    ProcessEnded {
        reason: String,
    },
    /// Nothing of the agent lives.
    TreeGone,
}

/// Something that must be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    Spawn,
    /// Close stdin and end what does not end by itself.
    End,
    /// Tell whoever asked for a start.
    AnswerStarts(Result<(), StartFailure>),
    /// Tell whoever asked for a stop.
    AnswerStops,
    /// Show the new state.
    Show,
}

/// Why a start came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartFailure {
    Failed { reason: String },
    Cancelled,
}

impl Default for Lifecycle {
    fn default() -> Self {
        Self {
            phase: Phase::Stopped,
        }
    }
}

impl Lifecycle {
    /// Returns the state that is shown.
    pub fn state(&self) -> AgentState {
        match &self.phase {
            Phase::Stopped => AgentState::Stopped,
            Phase::Starting { .. } => AgentState::Starting,
            Phase::Running { usage: Usage::Unused } => AgentState::Ready,
            Phase::Running { usage: Usage::Used } => AgentState::Busy,
            Phase::Ending {
                outcome: Outcome::Stopped { before },
                ..
            } => *before,
            Phase::Ending {
                outcome: Outcome::Failed { .. },
                ..
            }
            | Phase::Failed { .. } => AgentState::Error,
        }
    }

    /// Returns why the state is `error`.
    pub fn reason(&self) -> Option<&str> {
        match &self.phase {
            Phase::Ending {
                outcome: Outcome::Failed { reason },
                ..
            }
            | Phase::Failed { reason } => Some(reason),
            Phase::Stopped
            | Phase::Starting { .. }
            | Phase::Running { .. }
            | Phase::Ending {
                outcome: Outcome::Stopped { .. },
                ..
            } => None,
        }
    }

    /// Says whether something of the agent is being ended.
    pub fn is_ending(&self) -> bool {
        matches!(self.phase, Phase::Ending { .. })
    }

    /// Says whether the handshake is over and the agent can be spoken to.
    pub fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running { .. })
    }

    /// Says whether anything of the agent may live.
    pub fn has_process(&self) -> bool {
        match self.phase {
            Phase::Stopped | Phase::Failed { .. } => false,
            Phase::Starting { .. } | Phase::Running { .. } | Phase::Ending { .. } => true,
        }
    }

    /// Returns when [`Input::TimePassed`] must come at the latest.
    pub fn deadline_ms(&self) -> Option<u64> {
        match self.phase {
            Phase::Starting { deadline_ms } => Some(deadline_ms),
            Phase::Stopped | Phase::Running { .. } | Phase::Ending { .. } | Phase::Failed { .. } => None,
        }
    }

    /// Takes in what happened and returns what must be done, in this order.
    #[must_use]
    pub fn step(&mut self, input: Input, now_ms: u64) -> Vec<Action> {
        match input {
            Input::StartAsked => self.start(now_ms),
            Input::StopAsked => self.stop(),
            Input::SpawnFailed { reason } => match self.phase {
                Phase::Starting { .. } => {
                    self.phase = Phase::Failed {
                        reason: reason.clone(),
                    };
                    vec![
                        Action::AnswerStarts(Err(StartFailure::Failed { reason })),
                        Action::Show,
                    ]
                }
                Phase::Ending { .. } => self.gone(now_ms),
                Phase::Stopped | Phase::Running { .. } | Phase::Failed { .. } => Vec::new(),
            },
            Input::HandshakeDone => match self.phase {
                Phase::Starting { .. } => {
                    self.phase = Phase::Running { usage: Usage::Unused };
                    vec![Action::AnswerStarts(Ok(())), Action::Show]
                }
                Phase::Stopped | Phase::Running { .. } | Phase::Ending { .. } | Phase::Failed { .. } => {
                    Vec::new()
                }
            },
            Input::HandshakeFailed { reason } => match self.phase {
                Phase::Starting { .. } => self.fail(reason),
                Phase::Stopped | Phase::Running { .. } | Phase::Ending { .. } | Phase::Failed { .. } => {
                    Vec::new()
                }
            },
            Input::TimePassed => match self.phase {
                Phase::Starting { deadline_ms } if now_ms >= deadline_ms => self.fail(format!(
                    "no answer to initialize within {} s",
                    HANDSHAKE_MS / 1_000
                )),
                Phase::Stopped
                | Phase::Starting { .. }
                | Phase::Running { .. }
                | Phase::Ending { .. }
                | Phase::Failed { .. } => Vec::new(),
            },
            Input::Usage(usage) => match &mut self.phase {
                Phase::Running { usage: before } if *before != usage => {
                    *before = usage;
                    vec![Action::Show]
                }
                Phase::Stopped
                | Phase::Starting { .. }
                | Phase::Running { .. }
                | Phase::Ending { .. }
                | Phase::Failed { .. } => Vec::new(),
            },
            Input::ConnectionLost { reason } | Input::ProcessEnded { reason } => match self.phase {
                Phase::Starting { .. } | Phase::Running { .. } => self.fail(reason),
                Phase::Stopped | Phase::Ending { .. } | Phase::Failed { .. } => Vec::new(),
            },
            Input::TreeGone => self.gone(now_ms),
        }
    }

    fn start(&mut self, now_ms: u64) -> Vec<Action> {
        match &mut self.phase {
            Phase::Stopped | Phase::Failed { .. } => {
                self.phase = Phase::Starting {
                    deadline_ms: now_ms + HANDSHAKE_MS,
                };
                vec![Action::Spawn, Action::Show]
            }
            Phase::Starting { .. } => Vec::new(),
            Phase::Running { .. } => vec![Action::AnswerStarts(Ok(()))],
            Phase::Ending { after, .. } => {
                *after = After::Start;
                Vec::new()
            }
        }
    }

    fn stop(&mut self) -> Vec<Action> {
        let before = self.state();
        match &mut self.phase {
            Phase::Stopped | Phase::Failed { .. } => vec![Action::AnswerStops],
            Phase::Starting { .. } => {
                self.phase = Phase::Ending {
                    outcome: Outcome::Stopped { before },
                    after: After::Rest,
                };
                vec![
                    Action::AnswerStarts(Err(StartFailure::Cancelled)),
                    Action::End,
                    Action::Show,
                ]
            }
            Phase::Running { .. } => {
                self.phase = Phase::Ending {
                    outcome: Outcome::Stopped { before },
                    after: After::Rest,
                };
                vec![Action::End, Action::Show]
            }
            Phase::Ending { after, .. } => match std::mem::replace(after, After::Rest) {
                After::Start => vec![Action::AnswerStarts(Err(StartFailure::Cancelled))],
                After::Rest => Vec::new(),
            },
        }
    }

    fn fail(&mut self, reason: String) -> Vec<Action> {
        self.phase = Phase::Ending {
            outcome: Outcome::Failed { reason },
            after: After::Rest,
        };
        vec![Action::End, Action::Show]
    }

    fn gone(&mut self, now_ms: u64) -> Vec<Action> {
        let Phase::Ending { outcome, after } = std::mem::replace(&mut self.phase, Phase::Stopped) else {
            // Nothing is left of a process that nobody ended: its end itself was not seen.
            let reason = "ended without a word".to_owned();
            let was_starting = matches!(self.phase, Phase::Starting { .. });
            self.phase = Phase::Failed {
                reason: reason.clone(),
            };
            let answer = was_starting.then_some(Action::AnswerStarts(Err(StartFailure::Failed { reason })));
            return answer.into_iter().chain([Action::Show]).collect();
        };
        let mut actions = match outcome {
            Outcome::Stopped { .. } => Vec::new(),
            Outcome::Failed { reason } => {
                self.phase = Phase::Failed {
                    reason: reason.clone(),
                };
                match after {
                    After::Rest => vec![Action::AnswerStarts(Err(StartFailure::Failed { reason }))],
                    After::Start => Vec::new(),
                }
            }
        };
        actions.push(Action::AnswerStops);
        match after {
            After::Rest => actions.push(Action::Show),
            After::Start => actions.extend(self.start(now_ms)),
        }
        actions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays inputs one after the other and checks the state shown, and the actions of the last one.
    fn check(inputs: &[Input], state: AgentState, actions: &[Action]) {
        let mut lifecycle = Lifecycle::default();
        let mut last = Vec::new();
        for input in inputs {
            last = lifecycle.step(input.clone(), 1_000);
        }
        assert_eq!(lifecycle.state(), state, "after {inputs:?}");
        assert_eq!(last, actions, "after {inputs:?}");
    }

    fn failed(reason: &str) -> Action {
        AnswerStarts(Err(StartFailure::Failed {
            reason: reason.into(),
        }))
    }

    use Action::{AnswerStarts, AnswerStops, End, Show, Spawn};
    use AgentState::{Busy, Error, Ready, Starting, Stopped};
    use Input::{HandshakeDone, StartAsked, StopAsked, TreeGone};

    #[test]
    fn a_start_that_goes_well() {
        check(&[StartAsked], Starting, &[Spawn, Show]);
        check(&[StartAsked, StartAsked], Starting, &[]);
        check(&[StartAsked, HandshakeDone], Ready, &[AnswerStarts(Ok(())), Show]);
        check(
            &[StartAsked, HandshakeDone, StartAsked],
            Ready,
            &[AnswerStarts(Ok(()))],
        );
    }

    #[test]
    fn a_start_that_fails() {
        let no_such = Input::SpawnFailed {
            reason: "cannot run".into(),
        };
        check(&[StartAsked, no_such], Error, &[failed("cannot run"), Show]);
        let refused = Input::HandshakeFailed {
            reason: "speaks ACP version 2".into(),
        };
        check(&[StartAsked, refused.clone()], Error, &[End, Show]);
        check(
            &[StartAsked, refused.clone(), TreeGone],
            Error,
            &[failed("speaks ACP version 2"), AnswerStops, Show],
        );
        check(
            &[StartAsked, refused, TreeGone, StartAsked],
            Starting,
            &[Spawn, Show],
        );
        let died = Input::ProcessEnded {
            reason: "exited with code 3".into(),
        };
        check(&[StartAsked, died], Error, &[End, Show]);
    }

    #[test]
    fn a_handshake_has_thirty_seconds() {
        let mut lifecycle = Lifecycle::default();
        assert_eq!(lifecycle.step(StartAsked, 5), [Spawn, Show]);
        assert_eq!(lifecycle.deadline_ms(), Some(30_005));
        assert_eq!(lifecycle.step(Input::TimePassed, 30_004), []);
        assert_eq!(lifecycle.step(Input::TimePassed, 30_005), [End, Show]);
        assert_eq!(lifecycle.reason(), Some("no answer to initialize within 30 s"));
    }

    #[test]
    fn use_makes_busy() {
        let used = Input::Usage(Usage::Used);
        check(&[StartAsked, HandshakeDone, used.clone()], Busy, &[Show]);
        check(
            &[StartAsked, HandshakeDone, used.clone(), used.clone()],
            Busy,
            &[],
        );
        check(
            &[StartAsked, HandshakeDone, used, Input::Usage(Usage::Unused)],
            Ready,
            &[Show],
        );
    }

    #[test]
    fn a_stop() {
        check(&[StopAsked], Stopped, &[AnswerStops]);
        check(&[StartAsked, HandshakeDone, StopAsked], Ready, &[End, Show]);
        check(
            &[StartAsked, HandshakeDone, StopAsked, TreeGone],
            Stopped,
            &[AnswerStops, Show],
        );
        let cancelled = AnswerStarts(Err(StartFailure::Cancelled));
        check(
            &[StartAsked, StopAsked],
            Starting,
            &[cancelled.clone(), End, Show],
        );
        check(&[StartAsked, StopAsked, HandshakeDone], Starting, &[]);
        check(&[StartAsked, StopAsked, TreeGone], Stopped, &[AnswerStops, Show]);
        check(&[StartAsked, StopAsked, StartAsked], Starting, &[]);
        check(
            &[StartAsked, StopAsked, StartAsked, StopAsked],
            Starting,
            &[cancelled],
        );
        check(
            &[StartAsked, StopAsked, StartAsked, TreeGone],
            Starting,
            &[AnswerStops, Spawn, Show],
        );
    }

    #[test]
    fn a_crash_is_an_error_at_once_and_never_starts_again_by_itself() {
        let died = Input::ProcessEnded {
            reason: "killed by signal 9 (SIGKILL)".into(),
        };
        check(&[StartAsked, HandshakeDone, died.clone()], Error, &[End, Show]);
        check(
            &[StartAsked, HandshakeDone, died.clone(), TreeGone],
            Error,
            &[failed("killed by signal 9 (SIGKILL)"), AnswerStops, Show],
        );
        check(&[StartAsked, HandshakeDone, died.clone(), StartAsked], Error, &[]);
        check(
            &[StartAsked, HandshakeDone, died, StartAsked, TreeGone],
            Starting,
            &[AnswerStops, Spawn, Show],
        );
    }
}
