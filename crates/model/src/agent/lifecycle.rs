//! The state table of an agent's process, as one pure `step`: what happened comes in, what to do goes out.
//!
//! Responsible for the states and transitions of the agents page; how many may run is decided in `capacity`.

use pupitre_protocol::Cause;
use pupitre_protocol::agent::AgentState;
use pupitre_protocol::limits::{HANDSHAKE_MS, IDLE_LOOK_MS};

use crate::reason::Reason;

/// Where an agent's process is in its life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifecycle {
    phase: Phase,
    idle_stop: IdleStop,
}

/// When an agent that nobody uses is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdleStop {
    Never,
    After { ms: u64 },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    Resting(Rest),
    /// A start was asked, and whether one more agent may run is not known yet.
    Waiting(Rest),
    Starting {
        deadline_ms: u64,
    },
    Running {
        usage: Usage,
        /// Since when it is used, or unused.
        since_ms: u64,
    },
    /// Something of the agent still lives and is being ended.
    Ending {
        outcome: Outcome,
        after: After,
    },
}

/// What an agent without a process is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rest {
    Stopped,
    Failed { reason: Reason },
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
        reason: Reason,
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
    /// One more agent may run: this one.
    RoomGiven,
    /// No more agent may run now.
    RoomRefused {
        reason: Reason,
    },
    /// Another agent needs this one's place.
    EvictionAsked,
    /// No process came to be.
    SpawnFailed {
        reason: Reason,
    },
    HandshakeDone,
    HandshakeFailed {
        reason: Reason,
    },
    TimePassed,
    Usage(Usage),
    /// The connection cannot go on although the process lives: a line over the limit, stdin that nobody reads.
    ConnectionLost {
        reason: Reason,
    },
    /// The agent's own process ended; what it started may live on.
    ProcessEnded {
        reason: Reason,
    },
    /// Nothing of the agent lives.
    TreeGone,
}

/// Something that must be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Ask whether one more agent may run; [`Input::RoomGiven`] or [`Input::RoomRefused`] follows.
    AskRoom,
    /// The place among the running agents, asked for or had, is no longer needed.
    LeaveRoom,
    /// The agent is in use and goes on.
    RefuseEviction,
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
    Failed {
        reason: Reason,
    },
    Cancelled,
    /// Too many agents run.
    Refused {
        reason: Reason,
    },
}

impl Lifecycle {
    /// Returns the life of an agent that has no process.
    pub fn new(idle_stop: IdleStop) -> Self {
        Self {
            phase: Phase::Resting(Rest::Stopped),
            idle_stop,
        }
    }

    /// Changes when the agent is stopped for want of use.
    pub fn set_idle_stop(&mut self, idle_stop: IdleStop) {
        self.idle_stop = idle_stop;
    }

    /// Returns the state that is shown.
    pub fn state(&self) -> AgentState {
        match &self.phase {
            Phase::Resting(Rest::Stopped) | Phase::Waiting(Rest::Stopped) => AgentState::Stopped,
            Phase::Starting { .. } => AgentState::Starting,
            Phase::Running {
                usage: Usage::Unused, ..
            } => AgentState::Ready,
            Phase::Running {
                usage: Usage::Used, ..
            } => AgentState::Busy,
            Phase::Ending {
                outcome: Outcome::Stopped { before },
                ..
            } => *before,
            Phase::Ending {
                outcome: Outcome::Failed { .. },
                ..
            }
            | Phase::Resting(Rest::Failed { .. })
            | Phase::Waiting(Rest::Failed { .. }) => AgentState::Error,
        }
    }

    /// Returns why the state is `error`.
    pub fn reason(&self) -> Option<&Reason> {
        match &self.phase {
            Phase::Ending {
                outcome: Outcome::Failed { reason },
                ..
            }
            | Phase::Resting(Rest::Failed { reason })
            | Phase::Waiting(Rest::Failed { reason }) => Some(reason),
            Phase::Resting(Rest::Stopped)
            | Phase::Waiting(Rest::Stopped)
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

    /// Says whether the agent rests: no process, and none is asked for.
    pub fn is_resting(&self) -> bool {
        matches!(self.phase, Phase::Resting(_))
    }

    /// Returns when [`Input::TimePassed`] must come at the latest.
    pub fn deadline_ms(&self) -> Option<u64> {
        match self.phase {
            Phase::Starting { deadline_ms } => Some(deadline_ms),
            Phase::Running {
                usage: Usage::Unused,
                since_ms,
            } => match self.idle_stop {
                IdleStop::Never => None,
                // Idle agents are looked at on a beat, so that many of them cost one awakening.
                IdleStop::After { ms } => Some((since_ms + ms).next_multiple_of(IDLE_LOOK_MS)),
            },
            Phase::Resting(_)
            | Phase::Waiting(_)
            | Phase::Running {
                usage: Usage::Used, ..
            }
            | Phase::Ending { .. } => None,
        }
    }

    /// Takes in what happened and returns what must be done, in this order.
    #[must_use]
    pub fn step(&mut self, input: Input, now_ms: u64) -> Vec<Action> {
        match input {
            Input::StartAsked => self.start(),
            Input::StopAsked => self.stop(),
            Input::RoomGiven => match self.phase {
                Phase::Waiting(_) => {
                    self.phase = Phase::Starting {
                        deadline_ms: now_ms + HANDSHAKE_MS,
                    };
                    vec![Action::Spawn, Action::Show]
                }
                Phase::Resting(_) | Phase::Starting { .. } | Phase::Running { .. } | Phase::Ending { .. } => {
                    Vec::new()
                }
            },
            Input::RoomRefused { reason } => match self.stop_waiting() {
                true => vec![Action::AnswerStarts(Err(StartFailure::Refused { reason }))],
                false => Vec::new(),
            },
            Input::EvictionAsked => match self.phase {
                Phase::Running {
                    usage: Usage::Unused, ..
                } => self.end_unused(),
                Phase::Starting { .. }
                | Phase::Running {
                    usage: Usage::Used, ..
                } => vec![Action::RefuseEviction],
                // It goes already, or is gone, which is told in any case.
                Phase::Resting(_) | Phase::Waiting(_) | Phase::Ending { .. } => Vec::new(),
            },
            Input::SpawnFailed { reason } => match self.phase {
                Phase::Starting { .. } => {
                    self.phase = Phase::Resting(Rest::Failed {
                        reason: reason.clone(),
                    });
                    vec![
                        Action::LeaveRoom,
                        Action::AnswerStarts(Err(StartFailure::Failed { reason })),
                        Action::Show,
                    ]
                }
                Phase::Ending { .. } => self.gone(),
                Phase::Resting(_) | Phase::Waiting(_) | Phase::Running { .. } => Vec::new(),
            },
            Input::HandshakeDone => match self.phase {
                Phase::Starting { .. } => {
                    self.phase = Phase::Running {
                        usage: Usage::Unused,
                        since_ms: now_ms,
                    };
                    vec![Action::AnswerStarts(Ok(())), Action::Show]
                }
                Phase::Resting(_) | Phase::Waiting(_) | Phase::Running { .. } | Phase::Ending { .. } => {
                    Vec::new()
                }
            },
            Input::HandshakeFailed { reason } => match self.phase {
                Phase::Starting { .. } => self.fail(reason),
                Phase::Resting(_) | Phase::Waiting(_) | Phase::Running { .. } | Phase::Ending { .. } => {
                    Vec::new()
                }
            },
            Input::TimePassed => self.look(now_ms),
            Input::Usage(usage) => match &mut self.phase {
                Phase::Running {
                    usage: before,
                    since_ms,
                } if *before != usage => {
                    *before = usage;
                    *since_ms = now_ms;
                    vec![Action::Show]
                }
                Phase::Resting(_)
                | Phase::Waiting(_)
                | Phase::Starting { .. }
                | Phase::Running { .. }
                | Phase::Ending { .. } => Vec::new(),
            },
            Input::ConnectionLost { reason } | Input::ProcessEnded { reason } => match self.phase {
                Phase::Starting { .. } | Phase::Running { .. } => self.fail(reason),
                Phase::Resting(_) | Phase::Waiting(_) | Phase::Ending { .. } => Vec::new(),
            },
            Input::TreeGone => self.gone(),
        }
    }

    fn look(&mut self, now_ms: u64) -> Vec<Action> {
        if self.deadline_ms().is_none_or(|deadline| now_ms < deadline) {
            return Vec::new();
        }
        match self.phase {
            Phase::Starting { .. } => {
                let seconds = HANDSHAKE_MS / 1_000;
                self.fail(Reason::new(
                    format!("no answer to initialize within {seconds} s"),
                    Cause::NoHandshake { seconds },
                ))
            }
            Phase::Running { .. } => self.end_unused(),
            Phase::Resting(_) | Phase::Waiting(_) | Phase::Ending { .. } => Vec::new(),
        }
    }

    fn start(&mut self) -> Vec<Action> {
        match &mut self.phase {
            Phase::Resting(rest) => {
                self.phase = Phase::Waiting(std::mem::replace(rest, Rest::Stopped));
                vec![Action::AskRoom]
            }
            Phase::Waiting(_) | Phase::Starting { .. } => Vec::new(),
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
            // A failure stays to be seen.
            Phase::Resting(_) => vec![Action::AnswerStops],
            Phase::Waiting(_) => {
                self.stop_waiting();
                vec![
                    Action::LeaveRoom,
                    Action::AnswerStarts(Err(StartFailure::Cancelled)),
                    Action::AnswerStops,
                ]
            }
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
            Phase::Running { .. } => self.end_unused(),
            Phase::Ending { after, .. } => match std::mem::replace(after, After::Rest) {
                After::Start => vec![Action::AnswerStarts(Err(StartFailure::Cancelled))],
                After::Rest => Vec::new(),
            },
        }
    }

    /// Goes back to rest from waiting; says whether it waited.
    fn stop_waiting(&mut self) -> bool {
        let Phase::Waiting(rest) = &mut self.phase else {
            return false;
        };
        self.phase = Phase::Resting(std::mem::replace(rest, Rest::Stopped));
        true
    }

    fn end_unused(&mut self) -> Vec<Action> {
        let before = self.state();
        self.phase = Phase::Ending {
            outcome: Outcome::Stopped { before },
            after: After::Rest,
        };
        vec![Action::End, Action::Show]
    }

    fn fail(&mut self, reason: Reason) -> Vec<Action> {
        self.phase = Phase::Ending {
            outcome: Outcome::Failed { reason },
            after: After::Rest,
        };
        vec![Action::End, Action::Show]
    }

    fn gone(&mut self) -> Vec<Action> {
        let (rest, after) = match &mut self.phase {
            Phase::Ending {
                outcome: Outcome::Stopped { .. },
                after,
            } => (Rest::Stopped, *after),
            Phase::Ending {
                outcome: Outcome::Failed { reason },
                after,
            } => {
                let reason = std::mem::take(reason);
                (Rest::Failed { reason }, *after)
            }
            // Nothing is left of a process that nobody ended: its end itself was not seen.
            Phase::Starting { .. } | Phase::Running { .. } => {
                let reason = Reason::new("ended without a word", Cause::Ended);
                (Rest::Failed { reason }, After::Rest)
            }
            Phase::Resting(_) | Phase::Waiting(_) => return Vec::new(),
        };
        let mut actions = vec![Action::LeaveRoom];
        if let (After::Rest, Rest::Failed { reason }) = (after, &rest) {
            let reason = reason.clone();
            actions.push(Action::AnswerStarts(Err(StartFailure::Failed { reason })));
        }
        self.phase = Phase::Resting(rest);
        actions.extend([Action::AnswerStops, Action::Show]);
        match after {
            After::Rest => {}
            After::Start => actions.extend(self.start()),
        }
        actions
    }
}

#[cfg(test)]
mod tests;
