//! Every row of the two tables of the agents page: transitions, and the rules that stand below them.

use super::*;

use Action::{AnswerStarts, AnswerStops, AskRoom, End, LeaveRoom, RefuseEviction, Show, Spawn};
use AgentState::{Busy, Error, Ready, Starting, Stopped};
use Input::{EvictionAsked, HandshakeDone, RoomGiven, StartAsked, StopAsked, TimePassed, TreeGone};

const USED: Input = Input::Usage(Usage::Used);
const UNUSED: Input = Input::Usage(Usage::Unused);

/// Plays inputs one after the other and checks the state shown, and the actions of the last one.
fn check(inputs: &[Input], state: AgentState, actions: &[Action]) {
    let mut lifecycle = Lifecycle::new(IdleStop::Never);
    let mut last = Vec::new();
    for input in inputs {
        last = lifecycle.step(input.clone(), 1_000);
    }
    assert_eq!(lifecycle.state(), state, "after {inputs:?}");
    assert_eq!(last, actions, "after {inputs:?}");
}

/// Returns a life that has taken in these inputs at time 0.
fn after(idle_stop: IdleStop, inputs: &[Input]) -> Lifecycle {
    let mut lifecycle = Lifecycle::new(idle_stop);
    for input in inputs {
        drop(lifecycle.step(input.clone(), 0));
    }
    lifecycle
}

fn failed(reason: &str) -> Action {
    AnswerStarts(Err(StartFailure::Failed {
        reason: reason.into(),
    }))
}

fn cancelled() -> Action {
    AnswerStarts(Err(StartFailure::Cancelled))
}

fn died(reason: &str) -> Input {
    Input::ProcessEnded {
        reason: reason.into(),
    }
}

#[test]
fn a_start_that_goes_well() {
    check(&[StartAsked], Stopped, &[AskRoom]);
    check(&[StartAsked, RoomGiven], Starting, &[Spawn, Show]);
    check(
        &[StartAsked, RoomGiven, HandshakeDone],
        Ready,
        &[AnswerStarts(Ok(())), Show],
    );
    check(
        &[StartAsked, RoomGiven, HandshakeDone, StartAsked],
        Ready,
        &[AnswerStarts(Ok(()))],
    );
}

#[test]
fn two_starts_at_once_are_one() {
    check(&[StartAsked, StartAsked], Stopped, &[]);
    check(&[StartAsked, RoomGiven, StartAsked], Starting, &[]);
}

#[test]
fn a_start_that_is_refused_changes_nothing() {
    let refused = Input::RoomRefused {
        reason: "too many".into(),
    };
    let answer = AnswerStarts(Err(StartFailure::Refused {
        reason: "too many".into(),
    }));
    check(
        &[StartAsked, refused.clone()],
        Stopped,
        std::slice::from_ref(&answer),
    );
    let no_such = Input::SpawnFailed {
        reason: "cannot run".into(),
    };
    check(
        &[StartAsked, RoomGiven, no_such, StartAsked, refused.clone()],
        Error,
        &[answer],
    );
    check(&[StartAsked, refused, StartAsked], Stopped, &[AskRoom]);
}

#[test]
fn a_start_that_fails() {
    let no_such = Input::SpawnFailed {
        reason: "cannot run".into(),
    };
    check(
        &[StartAsked, RoomGiven, no_such.clone()],
        Error,
        &[LeaveRoom, failed("cannot run"), Show],
    );
    check(
        &[StartAsked, RoomGiven, no_such.clone(), StartAsked],
        Error,
        &[AskRoom],
    );
    check(
        &[StartAsked, RoomGiven, no_such, StartAsked, RoomGiven],
        Starting,
        &[Spawn, Show],
    );
    let refused = Input::HandshakeFailed {
        reason: "speaks ACP version 2".into(),
    };
    check(&[StartAsked, RoomGiven, refused.clone()], Error, &[End, Show]);
    check(
        &[StartAsked, RoomGiven, refused, TreeGone],
        Error,
        &[LeaveRoom, failed("speaks ACP version 2"), AnswerStops, Show],
    );
    check(
        &[StartAsked, RoomGiven, died("exited with code 3")],
        Error,
        &[End, Show],
    );
}

#[test]
fn a_handshake_has_thirty_seconds() {
    let mut lifecycle = after(IdleStop::Never, &[StartAsked]);
    assert_eq!(lifecycle.step(RoomGiven, 5), [Spawn, Show]);
    assert_eq!(lifecycle.deadline_ms(), Some(30_005));
    assert_eq!(lifecycle.step(TimePassed, 30_004), []);
    assert_eq!(lifecycle.step(TimePassed, 30_005), [End, Show]);
    let reason = lifecycle.reason().expect("it failed");
    assert_eq!(reason.text, "no answer to initialize within 30 s");
    assert_eq!(reason.cause, Some(Cause::NoHandshake { seconds: 30 }));
}

#[test]
fn use_makes_busy() {
    let ready = [StartAsked, RoomGiven, HandshakeDone];
    let with = |more: &[Input]| [&ready[..], more].concat();
    check(&with(&[USED]), Busy, &[Show]);
    check(&with(&[USED, USED]), Busy, &[]);
    check(&with(&[USED, UNUSED]), Ready, &[Show]);
}

#[test]
fn a_stop() {
    check(&[StopAsked], Stopped, &[AnswerStops]);
    let ready = [StartAsked, RoomGiven, HandshakeDone];
    let with = |more: &[Input]| [&ready[..], more].concat();
    check(&with(&[StopAsked]), Ready, &[End, Show]);
    check(&with(&[USED, StopAsked]), Busy, &[End, Show]);
    let gone = [LeaveRoom, AnswerStops, Show];
    check(&with(&[StopAsked, TreeGone]), Stopped, &gone);
    check(&with(&[USED, StopAsked, TreeGone]), Stopped, &gone);
    check(&with(&[StopAsked, StopAsked]), Ready, &[]);
    check(
        &with(&[StopAsked, died("exited with code 0"), TreeGone]),
        Stopped,
        &gone,
    );
}

#[test]
fn a_stop_during_the_start_wins() {
    check(
        &[StartAsked, StopAsked],
        Stopped,
        &[LeaveRoom, cancelled(), AnswerStops],
    );
    check(&[StartAsked, StopAsked, StartAsked], Stopped, &[AskRoom]);
    check(
        &[StartAsked, RoomGiven, StopAsked],
        Starting,
        &[cancelled(), End, Show],
    );
    check(&[StartAsked, RoomGiven, StopAsked, HandshakeDone], Starting, &[]);
    check(
        &[StartAsked, RoomGiven, StopAsked, TreeGone],
        Stopped,
        &[LeaveRoom, AnswerStops, Show],
    );
}

#[test]
fn a_start_waits_for_the_end_of_a_stop() {
    let stopping = [StartAsked, RoomGiven, HandshakeDone, StopAsked, StartAsked];
    let with = |more: &[Input]| [&stopping[..], more].concat();
    check(&stopping, Ready, &[]);
    check(
        &with(&[TreeGone]),
        Stopped,
        &[LeaveRoom, AnswerStops, Show, AskRoom],
    );
    check(&with(&[TreeGone, RoomGiven]), Starting, &[Spawn, Show]);
    check(&with(&[StopAsked]), Ready, &[cancelled()]);
    check(
        &with(&[StopAsked, TreeGone]),
        Stopped,
        &[LeaveRoom, AnswerStops, Show],
    );
}

#[test]
fn an_unused_agent_is_stopped_after_a_while() {
    let quarter = IdleStop::After { ms: 900_000 };
    let mut lifecycle = after(quarter, &[StartAsked, RoomGiven]);
    drop(lifecycle.step(HandshakeDone, 40_000));
    // Looked at every 30 s: 940 s are over at 960 s.
    assert_eq!(lifecycle.deadline_ms(), Some(960_000));
    assert_eq!(lifecycle.step(TimePassed, 959_999), []);
    // What is used is left alone, and its time begins anew.
    assert_eq!(lifecycle.step(USED, 959_999), [Show]);
    assert_eq!(lifecycle.deadline_ms(), None);
    assert_eq!(lifecycle.step(TimePassed, 5_000_000), []);
    assert_eq!(lifecycle.step(UNUSED, 5_000_000), [Show]);
    assert_eq!(lifecycle.deadline_ms(), Some(5_910_000));
    assert_eq!(lifecycle.step(TimePassed, 5_910_000), [End, Show]);
    assert_eq!(
        lifecycle.step(TreeGone, 5_910_001),
        [LeaveRoom, AnswerStops, Show]
    );
    assert_eq!(lifecycle.state(), Stopped);
}

#[test]
fn never_is_never_and_may_change() {
    let mut lifecycle = after(IdleStop::Never, &[StartAsked, RoomGiven, HandshakeDone]);
    assert_eq!(lifecycle.deadline_ms(), None);
    assert_eq!(lifecycle.step(TimePassed, u64::MAX / 2), []);
    lifecycle.set_idle_stop(IdleStop::After { ms: 30_000 });
    assert_eq!(lifecycle.deadline_ms(), Some(30_000));
    assert_eq!(lifecycle.step(TimePassed, 30_000), [End, Show]);
}

#[test]
fn only_an_idle_agent_makes_room() {
    let ready = [StartAsked, RoomGiven, HandshakeDone];
    let with = |more: &[Input]| [&ready[..], more].concat();
    check(&with(&[EvictionAsked]), Ready, &[End, Show]);
    check(
        &with(&[EvictionAsked, TreeGone]),
        Stopped,
        &[LeaveRoom, AnswerStops, Show],
    );
    check(&with(&[USED, EvictionAsked]), Busy, &[RefuseEviction]);
    check(
        &[StartAsked, RoomGiven, EvictionAsked],
        Starting,
        &[RefuseEviction],
    );
    check(&with(&[StopAsked, EvictionAsked]), Ready, &[]);
    check(&[EvictionAsked], Stopped, &[]);
}

#[test]
fn a_crash_is_an_error_at_once_and_never_starts_again_by_itself() {
    let killed = died("killed by signal 9 (SIGKILL)");
    let ready = [StartAsked, RoomGiven, HandshakeDone];
    let with = |more: &[Input]| [&ready[..], more].concat();
    check(&with(std::slice::from_ref(&killed)), Error, &[End, Show]);
    check(&with(&[USED, killed.clone()]), Error, &[End, Show]);
    check(
        &with(&[killed.clone(), TreeGone]),
        Error,
        &[
            LeaveRoom,
            failed("killed by signal 9 (SIGKILL)"),
            AnswerStops,
            Show,
        ],
    );
    check(&with(&[killed.clone(), StartAsked]), Error, &[]);
    check(
        &with(&[killed, StartAsked, TreeGone]),
        Error,
        &[LeaveRoom, AnswerStops, Show, AskRoom],
    );
}
