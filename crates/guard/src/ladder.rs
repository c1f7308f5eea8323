//! The ladder: when a tree is left in peace, asked to end, and made to end. Pure: inputs and the time come in,
//! actions go out. It knows no process and no clock.
//!
//! Step 1, closing the agent's stdin, belongs to the daemon; the ladder begins when that is done. An empty tree
//! ends it at any step.

use std::time::{Duration, Instant};

/// How long a tree has, after its stdin was closed or its leader ended, before it gets SIGTERM.
pub const TERMINATE_AFTER: Duration = Duration::from_secs(5);
/// How long it has after SIGTERM before it gets SIGKILL.
pub const KILL_AFTER: Duration = Duration::from_secs(3);

/// The first pause between two looks for survivors of SIGKILL: a fork that a look missed lives this long at most.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// The longest: a process in an uninterruptible wait cannot die yet, and looking harder does not help it.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The waits of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grace {
    /// From the beginning of the ladder to SIGTERM.
    pub before_terminate: Duration,
    /// From SIGTERM to SIGKILL.
    pub before_kill: Duration,
}

impl Default for Grace {
    fn default() -> Self {
        Self {
            before_terminate: TERMINATE_AFTER,
            before_kill: KILL_AFTER,
        }
    }
}

/// What happened to the tree or was asked of the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    /// The program runs.
    Spawned { grace: Grace },
    /// The program could not be started; there is no tree.
    SpawnFailed,
    /// The daemon asks for the end and has closed the agent's stdin.
    StopAsked,
    /// The daemon closed the control socket or died, and the agent's stdin was closed with it.
    ControlClosed,
    /// The daemon asks for the end at once, or somebody sent SIGTERM to the guard itself.
    TerminateAsked,
    /// The leader ended; others may live on.
    LeaderEnded,
    /// Some other process of the tree ended, and there are more.
    TreeShrank,
    /// Nothing of the tree lives.
    TreeEmpty,
    /// The deadline may have come.
    TimePassed,
}

/// What the guard has to do, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// A terminal is gone for whoever has one; the daemon closed the pipes of the others.
    HangUp,
    /// SIGTERM to every process of the tree.
    Terminate,
    /// SIGKILL to whatever is left.
    Kill,
    /// Report that the tree is gone, and exit.
    Leave,
}

/// Where on the ladder a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ladder {
    /// No program yet.
    Waiting,
    /// The program runs and nobody asked it to end.
    Guarding { grace: Grace },
    /// Its stdin is closed, or its leader has ended.
    Asked { grace: Grace, terminate_at: Instant },
    /// It got SIGTERM.
    Terminated { kill_at: Instant },
    /// It got SIGKILL, and what a look missed gets it at the next one.
    Killed { look_at: Instant, pause: Duration },
    /// It is gone.
    Left,
}

impl Ladder {
    /// Takes one input at one time; returns what to do about it.
    #[must_use]
    pub(crate) fn step(&mut self, input: Input, now: Instant) -> Option<Action> {
        match input {
            Input::Spawned { grace } => {
                if *self == Self::Waiting {
                    *self = Self::Guarding { grace };
                }
                None
            }
            Input::SpawnFailed | Input::TreeEmpty => self.leave(),
            Input::StopAsked | Input::ControlClosed => match *self {
                Self::Waiting => self.leave(),
                Self::Guarding { grace } => self.ask(grace, now),
                Self::Asked { .. } | Self::Terminated { .. } | Self::Killed { .. } | Self::Left => None,
            },
            Input::LeaderEnded => match *self {
                Self::Guarding { grace } => self.ask(grace, now),
                // The survivors of a stop have been waited for since the stop, not since the leader's end.
                Self::Asked { .. } => None,
                Self::Killed { .. } => self.kill(FIRST_PAUSE, now),
                Self::Waiting | Self::Terminated { .. } | Self::Left => None,
            },
            // The guard holds no end of the agent's stdin, so waiting for the agent to notice its closing would be
            // waiting for nothing: whoever sends SIGTERM gets step 2 at once.
            Input::TerminateAsked => match *self {
                Self::Waiting => self.leave(),
                Self::Guarding { grace } | Self::Asked { grace, .. } => self.terminate(grace, now),
                Self::Terminated { .. } | Self::Killed { .. } | Self::Left => None,
            },
            // Whoever a dying process left behind is the guard's child now, and found by a new look at once.
            Input::TreeShrank => match *self {
                Self::Killed { .. } => self.kill(FIRST_PAUSE, now),
                Self::Waiting
                | Self::Guarding { .. }
                | Self::Asked { .. }
                | Self::Terminated { .. }
                | Self::Left => None,
            },
            Input::TimePassed => match *self {
                Self::Asked { grace, terminate_at } if now >= terminate_at => self.terminate(grace, now),
                Self::Terminated { kill_at } if now >= kill_at => self.kill(FIRST_PAUSE, now),
                Self::Killed { look_at, pause } if now >= look_at => {
                    self.kill((pause * 2).min(LONGEST_PAUSE), now)
                }
                Self::Waiting
                | Self::Guarding { .. }
                | Self::Asked { .. }
                | Self::Terminated { .. }
                | Self::Killed { .. }
                | Self::Left => None,
            },
        }
    }

    /// Returns when [`Input::TimePassed`] is due, if it is.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        match *self {
            Self::Asked { terminate_at, .. } => Some(terminate_at),
            Self::Terminated { kill_at } => Some(kill_at),
            Self::Killed { look_at, .. } => Some(look_at),
            Self::Waiting | Self::Guarding { .. } | Self::Left => None,
        }
    }

    fn ask(&mut self, grace: Grace, now: Instant) -> Option<Action> {
        *self = Self::Asked {
            grace,
            terminate_at: now + grace.before_terminate,
        };
        Some(Action::HangUp)
    }

    fn terminate(&mut self, grace: Grace, now: Instant) -> Option<Action> {
        *self = Self::Terminated {
            kill_at: now + grace.before_kill,
        };
        Some(Action::Terminate)
    }

    fn kill(&mut self, pause: Duration, now: Instant) -> Option<Action> {
        *self = Self::Killed {
            look_at: now + pause,
            pause,
        };
        Some(Action::Kill)
    }

    fn leave(&mut self) -> Option<Action> {
        match *self {
            Self::Left => None,
            Self::Waiting
            | Self::Guarding { .. }
            | Self::Asked { .. }
            | Self::Terminated { .. }
            | Self::Killed { .. } => {
                *self = Self::Left;
                Some(Action::Leave)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAWNED: Input = Input::Spawned {
        grace: Grace {
            before_terminate: TERMINATE_AFTER,
            before_kill: KILL_AFTER,
        },
    };

    /// Feeds inputs at milliseconds since the start, and compares the action each one gave.
    fn check(script: &[(u64, Input, Option<Action>)]) -> Ladder {
        let start = Instant::now();
        let mut ladder = Ladder::Waiting;
        for (index, (at_ms, input, expected)) in script.iter().enumerate() {
            let action = ladder.step(*input, start + Duration::from_millis(*at_ms));
            assert_eq!(
                action, *expected,
                "input {index}: {input:?} at {at_ms} ms, now {ladder:?}"
            );
        }
        ladder
    }

    #[test]
    fn the_waits_are_those_of_the_specification() {
        assert_eq!(TERMINATE_AFTER, Duration::from_secs(5));
        assert_eq!(KILL_AFTER, Duration::from_secs(3));
        assert_eq!(
            Grace::default(),
            Grace {
                before_terminate: TERMINATE_AFTER,
                before_kill: KILL_AFTER
            }
        );
    }

    #[test]
    fn a_stop_climbs_from_peace_to_sigterm_to_sigkill() {
        check(&[
            (0, SPAWNED, None),
            (60_000, Input::TimePassed, None),
            (60_000, Input::StopAsked, Some(Action::HangUp)),
            (64_999, Input::TimePassed, None),
            (65_000, Input::TimePassed, Some(Action::Terminate)),
            (67_999, Input::TimePassed, None),
            (68_000, Input::TimePassed, Some(Action::Kill)),
            (68_001, Input::TreeEmpty, Some(Action::Leave)),
        ]);
    }

    #[test]
    fn an_empty_tree_ends_the_ladder_at_every_step() {
        check(&[
            (0, SPAWNED, None),
            (1, Input::LeaderEnded, Some(Action::HangUp)),
            (1, Input::TreeEmpty, Some(Action::Leave)),
        ]);
        check(&[
            (0, SPAWNED, None),
            (1, Input::StopAsked, Some(Action::HangUp)),
            (2, Input::TreeEmpty, Some(Action::Leave)),
        ]);
        check(&[
            (0, SPAWNED, None),
            (1, Input::StopAsked, Some(Action::HangUp)),
            (5_001, Input::TimePassed, Some(Action::Terminate)),
            (5_002, Input::TreeEmpty, Some(Action::Leave)),
        ]);
    }

    #[test]
    fn what_a_leader_leaves_behind_gets_its_own_grace() {
        check(&[
            (0, SPAWNED, None),
            (9_000, Input::LeaderEnded, Some(Action::HangUp)),
            (13_999, Input::TimePassed, None),
            (14_000, Input::TimePassed, Some(Action::Terminate)),
        ]);
    }

    #[test]
    fn neither_a_second_stop_nor_the_leaders_end_begins_the_grace_anew() {
        check(&[
            (0, SPAWNED, None),
            (0, Input::StopAsked, Some(Action::HangUp)),
            (4_000, Input::StopAsked, None),
            (4_500, Input::LeaderEnded, None),
            (4_900, Input::ControlClosed, None),
            (5_000, Input::TimePassed, Some(Action::Terminate)),
            (6_000, Input::StopAsked, None),
            (6_000, Input::TreeShrank, None),
            (8_000, Input::TimePassed, Some(Action::Kill)),
        ]);
    }

    #[test]
    fn a_lost_daemon_is_a_stop() {
        check(&[
            (0, SPAWNED, None),
            (1_000, Input::ControlClosed, Some(Action::HangUp)),
            (5_999, Input::TimePassed, None),
            (6_000, Input::TimePassed, Some(Action::Terminate)),
        ]);
    }

    #[test]
    fn sigterm_to_the_guard_is_step_two_at_once_and_only_once() {
        check(&[
            (0, SPAWNED, None),
            (10, Input::TerminateAsked, Some(Action::Terminate)),
            (11, Input::TerminateAsked, None),
            (3_010, Input::TimePassed, Some(Action::Kill)),
            (3_011, Input::TerminateAsked, None),
        ]);
        check(&[
            (0, SPAWNED, None),
            (10, Input::StopAsked, Some(Action::HangUp)),
            (20, Input::TerminateAsked, Some(Action::Terminate)),
        ]);
    }

    #[test]
    fn survivors_of_sigkill_are_looked_for_again_at_each_end_and_ever_more_slowly_without_one() {
        let ladder = check(&[
            (0, SPAWNED, None),
            (0, Input::TerminateAsked, Some(Action::Terminate)),
            (3_000, Input::TimePassed, Some(Action::Kill)),
            (3_019, Input::TimePassed, None),
            (3_020, Input::TimePassed, Some(Action::Kill)),
            (3_059, Input::TimePassed, None),
            (3_060, Input::TimePassed, Some(Action::Kill)),
            (3_061, Input::TreeShrank, Some(Action::Kill)),
            (3_081, Input::TimePassed, Some(Action::Kill)),
            (3_082, Input::LeaderEnded, Some(Action::Kill)),
            (4_000, Input::TimePassed, Some(Action::Kill)),
            (5_000, Input::TimePassed, Some(Action::Kill)),
            (6_000, Input::TimePassed, Some(Action::Kill)),
            (7_000, Input::TimePassed, Some(Action::Kill)),
            (8_000, Input::TimePassed, Some(Action::Kill)),
            (9_000, Input::TimePassed, Some(Action::Kill)),
            (10_000, Input::TimePassed, Some(Action::Kill)),
            (11_000, Input::TimePassed, Some(Action::Kill)),
        ]);
        assert!(
            matches!(
                ladder,
                Ladder::Killed {
                    pause: LONGEST_PAUSE,
                    ..
                }
            ),
            "{ladder:?}"
        );
    }

    #[test]
    fn without_a_program_there_is_nothing_to_wait_for() {
        check(&[
            (0, Input::StopAsked, Some(Action::Leave)),
            (1, Input::TreeEmpty, None),
        ]);
        check(&[(0, Input::ControlClosed, Some(Action::Leave))]);
        check(&[(0, Input::TerminateAsked, Some(Action::Leave))]);
        check(&[
            (0, Input::SpawnFailed, Some(Action::Leave)),
            (1, Input::ControlClosed, None),
        ]);
    }

    #[test]
    fn the_deadline_is_that_of_the_step() {
        let start = Instant::now();
        let mut ladder = Ladder::Waiting;
        assert_eq!(ladder.deadline(), None);
        assert_eq!(ladder.step(SPAWNED, start), None);
        assert_eq!(ladder.deadline(), None);
        assert_eq!(ladder.step(Input::StopAsked, start), Some(Action::HangUp));
        assert_eq!(ladder.deadline(), Some(start + TERMINATE_AFTER));
        let terminated = start + TERMINATE_AFTER;
        assert_eq!(
            ladder.step(Input::TimePassed, terminated),
            Some(Action::Terminate)
        );
        assert_eq!(ladder.deadline(), Some(terminated + KILL_AFTER));
        let killed = terminated + KILL_AFTER;
        assert_eq!(ladder.step(Input::TimePassed, killed), Some(Action::Kill));
        assert_eq!(ladder.deadline(), Some(killed + FIRST_PAUSE));
        assert_eq!(ladder.step(Input::TreeEmpty, killed), Some(Action::Leave));
        assert_eq!(ladder.deadline(), None);
    }
}
