//! What each event makes of the state. That the whole agrees with a conversation is tested beside the conversation.

mod sample;

use proptest::collection::vec;
use proptest::prelude::*;
use pupitre_protocol::conversation::{StopReason, SystemCode};
use pupitre_protocol::limits::TOLD_TEXT_BYTES;

use super::*;
use sample::{
    agent, answered, appended, asked, current, delta, elicited, message, message_id, prompt, resolved, text,
    tool, turn, turn_in, updated, view,
};

/// A standing with a clock that goes on by ten with each step.
struct Followed {
    standing: AcpStanding,
    now_ms: u64,
}

impl Followed {
    fn new() -> Self {
        Self {
            standing: AcpStanding::new(agent(), 1_000),
            now_ms: 1_000,
        }
    }

    fn ready() -> Self {
        let mut followed = Self::new();
        followed.agent(AgentState::Ready);
        followed
    }

    fn in_turn() -> Self {
        let mut followed = Self::ready();
        followed.event(&prompt(10));
        followed.event(&turn(true));
        followed.event(&updated(message(11, Role::Agent, 10, Vec::new())));
        followed
    }

    fn agent(&mut self, state: AgentState) -> Change {
        self.now_ms += 10;
        self.standing.agent(&view(state), self.now_ms)
    }

    fn event(&mut self, event: &Event) -> Change {
        self.now_ms += 10;
        self.standing.event(event, self.now_ms)
    }

    fn seen(&mut self) -> Change {
        self.now_ms += 10;
        self.standing.seen(self.now_ms)
    }

    #[track_caller]
    fn check(&self, state: SurfaceState, reason: Option<&str>, message: Option<&str>) {
        let standing = self.standing.standing();
        assert_eq!(
            (
                standing.state,
                standing.reason.as_deref(),
                standing.message.as_deref()
            ),
            (state, reason, message)
        );
    }

    fn result(&self) -> Option<String> {
        self.standing.standing().last_result
    }
}

#[test]
fn an_agent_is_stopped_at_first() {
    let followed = Followed::new();
    followed.check(SurfaceState::Idle, Some("stopped"), None);
    let standing = followed.standing.standing();
    assert_eq!(standing.tool.as_deref(), Some("demo"));
    assert_eq!((standing.evidence, standing.hooked), (Evidence::Acp, false));
    assert_eq!((standing.since, standing.pid), (1_000, None));
    assert!(!followed.standing.is_in_fleet());
    assert_eq!(followed.standing.turn(), None);
    assert_eq!(followed.standing.idle_ms(1_500), Some(500));
}

#[test]
fn the_process_comes_and_goes() {
    let mut followed = Followed::new();
    assert_eq!(followed.agent(AgentState::Starting), Change::State);
    followed.check(SurfaceState::UnknownRunning, Some("starting"), None);
    assert!(followed.standing.is_in_fleet());
    assert_eq!(followed.standing.standing().pid, Some(7));
    assert_eq!(followed.agent(AgentState::Ready), Change::State);
    followed.check(SurfaceState::Idle, None, None);
    assert_eq!(followed.agent(AgentState::Ready), Change::Nothing);
    assert_eq!(followed.agent(AgentState::Error), Change::State);
    followed.check(SurfaceState::Errored, Some("no such file"), None);
    assert!(followed.standing.is_in_fleet());
    assert_eq!(followed.standing.idle_ms(9_000), None);
    assert_eq!(followed.agent(AgentState::Stopped), Change::State);
    followed.check(SurfaceState::Idle, Some("stopped"), None);
    assert!(!followed.standing.is_in_fleet());
    assert_eq!(followed.standing.standing().state_seq, 4);
}

#[test]
fn a_prompt_to_a_stopped_agent_is_no_rest() {
    let mut followed = Followed::new();
    assert_eq!(followed.event(&prompt(10)), Change::State);
    followed.check(SurfaceState::UnknownRunning, Some("starting"), None);
    assert_eq!(followed.event(&turn(true)), Change::Nothing);
    assert_eq!(followed.agent(AgentState::Starting), Change::Texts);
    assert_eq!(followed.agent(AgentState::Ready), Change::State);
    followed.check(SurfaceState::Thinking, None, None);
    assert_eq!(followed.agent(AgentState::Busy), Change::Nothing);
}

#[test]
fn a_turn_finishes_and_is_seen() {
    let mut followed = Followed::in_turn();
    followed.check(SurfaceState::Thinking, None, None);
    assert_eq!(followed.standing.turn(), Some(message_id(10).to_string()));
    assert_eq!(followed.event(&appended(11, 0, "All ")), Change::Nothing);
    assert_eq!(followed.event(&appended(11, 0, "is well.\n")), Change::Nothing);
    assert_eq!(followed.result(), None, "the turn has not ended");
    followed.agent(AgentState::Busy);
    assert_eq!(followed.event(&turn(false)), Change::Texts);
    followed.check(SurfaceState::Thinking, None, None);
    assert_eq!(followed.result().as_deref(), Some("All is well."));
    assert_eq!(followed.agent(AgentState::Ready), Change::State);
    followed.check(SurfaceState::Finished, None, None);
    let rests_since = followed.now_ms;
    assert_eq!(followed.seen(), Change::State);
    followed.check(SurfaceState::Idle, None, None);
    assert_eq!(followed.seen(), Change::Nothing);
    assert_eq!(
        followed.standing.idle_ms(followed.now_ms),
        Some(followed.now_ms - rests_since),
        "it rests since the turn ended"
    );
    assert_eq!(followed.result().as_deref(), Some("All is well."));
    assert_eq!(followed.standing.turn(), Some(message_id(10).to_string()));
}

#[test]
fn the_next_prompt_ends_finished_and_keeps_the_result() {
    let mut followed = Followed::in_turn();
    followed.event(&appended(11, 0, "one"));
    followed.event(&turn(false));
    followed.check(SurfaceState::Finished, None, None);
    followed.event(&updated(Message {
        queued: true,
        ..message(12, Role::User, 12, Vec::new())
    }));
    followed.check(SurfaceState::Finished, None, None);
    assert_eq!(followed.event(&prompt(12)), Change::State);
    followed.check(SurfaceState::Thinking, None, None);
    followed.event(&turn(true));
    followed.event(&updated(message(13, Role::Agent, 12, vec![text(" ")])));
    assert_eq!(followed.result().as_deref(), Some("one"));
    followed.event(&turn(false));
    assert_eq!(
        followed.result().as_deref(),
        Some("one"),
        "the turn had none of its own"
    );
    followed.event(&prompt(14));
    followed.event(&updated(message(15, Role::Agent, 14, vec![text("two")])));
    followed.event(&turn(false));
    assert_eq!(followed.result().as_deref(), Some("two"));
    assert_eq!(followed.standing.turn(), Some(message_id(14).to_string()));
}

#[test]
fn what_was_said_last_is_the_result() {
    let mut followed = Followed::in_turn();
    followed.event(&delta(11, 0, text("I look.")));
    followed.event(&delta(11, 1, tool("look", ToolStatus::InProgress)));
    followed.event(&appended(11, 2, "It is "));
    followed.event(&delta(11, 1, tool("look", ToolStatus::Completed)));
    followed.event(&updated(message(12, Role::Agent, 10, vec![text("It goes ")])));
    followed.event(&appended(11, 2, "late"));
    followed.event(&appended(12, 0, "on."));
    followed.event(&turn(false));
    assert_eq!(followed.result().as_deref(), Some("It goes on."));
    assert_eq!(followed.event(&appended(12, 0, " Too late.")), Change::Nothing);
    assert_eq!(followed.result().as_deref(), Some("It goes on."));
}

#[test]
fn the_tool_call_that_runs_is_named() {
    let mut followed = Followed::in_turn();
    let name = |followed: &Followed| followed.standing.standing().active_tool_name;
    assert_eq!(
        followed.event(&delta(11, 0, tool("read", ToolStatus::Pending))),
        Change::Texts
    );
    assert_eq!(name(&followed).as_deref(), Some("read"));
    followed.event(&delta(11, 0, tool("read", ToolStatus::InProgress)));
    followed.event(&delta(11, 1, tool("write", ToolStatus::Pending)));
    assert_eq!(
        name(&followed).as_deref(),
        Some("read"),
        "the other one has not begun"
    );
    followed.event(&delta(11, 1, tool("write", ToolStatus::InProgress)));
    assert_eq!(name(&followed).as_deref(), Some("write"));
    followed.event(&delta(11, 1, tool("write", ToolStatus::Completed)));
    assert_eq!(name(&followed).as_deref(), Some("read"));
    followed.event(&delta(11, 0, tool("  ", ToolStatus::InProgress)));
    assert_eq!(
        name(&followed).as_deref(),
        Some("execute"),
        "its kind, where it has no title"
    );
    followed.event(&delta(9, 0, tool("old", ToolStatus::InProgress)));
    assert_eq!(name(&followed).as_deref(), Some("execute"), "of an earlier turn");
    followed.event(&updated(message(11, Role::Agent, 10, vec![text("x")])));
    assert_eq!(name(&followed), None, "the message as a whole has none");
    followed.event(&delta(11, 1, tool("write", ToolStatus::InProgress)));
    followed.event(&turn(false));
    assert_eq!(name(&followed), None);
    followed.event(&prompt(12));
    assert_eq!(name(&followed), None);
}

#[test]
fn it_waits_as_long_as_it_asks() {
    let mut followed = Followed::in_turn();
    assert_eq!(followed.event(&asked(1, "Run cargo test")), Change::State);
    followed.check(SurfaceState::WaitingForInput, None, Some("Run cargo test"));
    let since = followed.now_ms;
    assert_eq!(followed.event(&elicited(1, "Which one?")), Change::Nothing);
    assert_eq!(followed.standing.waiting_ms(since + 300), Some(300));
    assert_eq!(
        followed.standing.waiting_ms(since - 300),
        Some(0),
        "clocks go back"
    );
    assert_eq!(followed.event(&resolved(1)), Change::Texts);
    followed.check(SurfaceState::WaitingForInput, None, Some("Which one?"));
    assert_eq!(followed.event(&resolved(2)), Change::Nothing);
    assert_eq!(followed.event(&answered(1)), Change::State);
    followed.check(SurfaceState::Thinking, None, None);
    assert_eq!(followed.standing.waiting_ms(since + 300), None);
    assert_eq!(
        followed.event(&turn_in(1, true, false, Some("Log in first"))),
        Change::State
    );
    followed.check(SurfaceState::WaitingForInput, None, Some("Log in first"));
    assert_eq!(followed.event(&turn(true)), Change::State);
}

#[test]
fn asking_comes_before_stalled() {
    let mut followed = Followed::in_turn();
    assert_eq!(followed.event(&turn_in(1, true, true, None)), Change::State);
    followed.check(SurfaceState::Stalled, None, None);
    followed.event(&asked(1, "Run"));
    followed.check(SurfaceState::WaitingForInput, None, Some("Run"));
    followed.event(&resolved(1));
    followed.check(SurfaceState::Stalled, None, None);
    followed.event(&turn(true));
    followed.check(SurfaceState::Thinking, None, None);
    followed.event(&turn_in(1, true, true, None));
    followed.event(&turn(false));
    followed.check(SurfaceState::Finished, None, None);
}

#[test]
fn it_asks_outside_of_a_turn_too() {
    let mut followed = Followed::ready();
    followed.event(&asked(1, "Run"));
    followed.check(SurfaceState::WaitingForInput, None, Some("Run"));
    followed.agent(AgentState::Stopped);
    followed.check(SurfaceState::Idle, Some("stopped"), None);
    followed.agent(AgentState::Ready);
    followed.check(SurfaceState::Idle, None, None);
}

#[test]
fn a_turn_fails_until_the_next_one() {
    let failed = |error: &str| Message {
        error: Some(error.into()),
        done: true,
        ..message(11, Role::Agent, 10, vec![text("half")])
    };
    let mut followed = Followed::in_turn();
    followed.event(&updated(failed("out of tokens")));
    followed.check(SurfaceState::Thinking, None, None);
    followed.event(&turn(false));
    followed.check(SurfaceState::Errored, Some("out of tokens"), None);
    assert_eq!(followed.result().as_deref(), Some("half"));
    followed.seen();
    followed.check(SurfaceState::Errored, Some("out of tokens"), None);
    followed.event(&prompt(12));
    followed.check(SurfaceState::Thinking, None, None);
    followed.event(&updated(Message {
        stop_reason: Some(StopReason::Cancelled),
        ..message(13, Role::Agent, 12, Vec::new())
    }));
    followed.event(&turn(false));
    followed.check(SurfaceState::Finished, None, None);
    followed.event(&prompt(14));
    followed.event(&updated(Message {
        code: Some(SystemCode::AgentUnavailable),
        error: Some("no program".into()),
        ..message(15, Role::System, 14, Vec::new())
    }));
    followed.event(&turn(false));
    followed.check(SurfaceState::Errored, Some("no program"), None);
    followed.agent(AgentState::Starting);
    followed.agent(AgentState::Ready);
    followed.check(SurfaceState::Idle, None, None);
}

#[test]
fn a_withdrawn_message_is_no_prompt() {
    let mut followed = Followed::in_turn();
    followed.event(&turn(false));
    followed.event(&updated(Message {
        error: Some("withdrawn".into()),
        ..message(12, Role::User, 12, Vec::new())
    }));
    followed.check(SurfaceState::Finished, None, None);
    followed.event(&prompt(10));
    followed.check(SurfaceState::Finished, None, None);
    assert_eq!(followed.standing.turn(), Some(message_id(10).to_string()));
}

#[test]
fn only_the_current_conversation_counts() {
    let mut followed = Followed::in_turn();
    followed.event(&appended(11, 0, "one"));
    followed.event(&turn(false));
    assert_eq!(followed.event(&turn_in(2, true, false, None)), Change::Nothing);
    followed.check(SurfaceState::Finished, None, None);
    assert_eq!(followed.event(&current(1)), Change::Nothing);
    assert_eq!(followed.event(&current(2)), Change::State);
    followed.check(SurfaceState::Idle, None, None);
    assert_eq!(followed.standing.turn(), None);
    assert_eq!(
        followed.result().as_deref(),
        Some("one"),
        "it survives until the next turn"
    );
    assert_eq!(followed.event(&asked(1, "old")), Change::Nothing);
    assert_eq!(
        followed.event(&prompt(20)),
        Change::Nothing,
        "of the first conversation"
    );
    assert_eq!(followed.event(&turn_in(2, true, false, None)), Change::State);
    followed.check(SurfaceState::Thinking, None, None);
}

#[test]
fn a_turn_that_is_met_half_way_is_followed() {
    let mut followed = Followed::ready();
    followed.event(&turn(true));
    followed.event(&updated(message(11, Role::Agent, 10, vec![text("said")])));
    followed.event(&turn(false));
    followed.check(SurfaceState::Finished, None, None);
    assert_eq!(followed.result().as_deref(), Some("said"));
    assert_eq!(followed.standing.turn(), None, "its prompt was not seen");
}

#[test]
fn long_texts_are_cut() {
    let long = "€".repeat(TOLD_TEXT_BYTES);
    let mut followed = Followed::in_turn();
    followed.event(&asked(1, &long));
    followed.event(&delta(11, 0, tool(&long, ToolStatus::InProgress)));
    followed.event(&appended(11, 1, &long));
    let standing = followed.standing.standing();
    for text in [standing.message, standing.active_tool_name] {
        let text = text.expect("a text");
        assert!(text.len() <= TOLD_TEXT_BYTES && text.ends_with("€…"), "{text}");
    }
    followed.event(&turn(false));
    let result = followed.result().expect("a result");
    assert!(
        result.len() <= TOLD_TEXT_BYTES && result.ends_with("€…"),
        "{result}"
    );
}

#[test]
fn little_is_kept_of_much() {
    let mut followed = Followed::in_turn();
    for number in 0..10_000 {
        followed.event(&delta(11, number, tool("x", ToolStatus::InProgress)));
        followed.event(&asked(u128::from(number), "x"));
    }
    assert_eq!(followed.standing.turn.tools.len(), FOLLOWED);
    assert_eq!(followed.standing.asked.len(), FOLLOWED);
    followed.event(&turn(false));
    assert_eq!(followed.standing.turn.tools.len(), 0);
}

/// Any event, of a few ids, in no order that makes sense.
fn any_event() -> impl Strategy<Value = Event> {
    let status = prop_oneof![
        Just(ToolStatus::Pending),
        Just(ToolStatus::InProgress),
        Just(ToolStatus::Completed),
        Just(ToolStatus::Failed),
    ];
    let id = 0_u128..4;
    let end = prop_oneof![
        3 => Just((None, None)),
        1 => Just((Some(StopReason::EndTurn), None)),
        1 => Just((None, Some("failed".to_owned()))),
    ];
    let role = prop_oneof![Just(Role::User), Just(Role::Agent), Just(Role::System)];
    let login = prop_oneof![4 => Just(None), 1 => Just(Some("log in"))];
    prop_oneof![
        2 => (0..20_u128).prop_map(prompt),
        3 => (1..3_u128, any::<bool>(), any::<bool>(), login)
            .prop_map(|(id, busy, stalled, login)| turn_in(id, busy, stalled, login)),
        1 => (id.clone(), "[a ]{0,3}").prop_map(|(id, title)| asked(id, &title)),
        1 => id.clone().prop_map(resolved),
        1 => (id.clone(), "[a ]{0,3}").prop_map(|(id, question)| elicited(id, &question)),
        1 => id.prop_map(answered),
        3 => (0..20_u128, role, 0..20_u128, any::<bool>(), end, "[a ]{0,9}").prop_map(
            |(id, role, turn, queued, (stop_reason, error), said)| updated(Message {
                queued,
                stop_reason,
                error,
                ..message(id, role, turn, vec![text(&said), tool(&said, ToolStatus::InProgress)])
            })
        ),
        2 => (0..20_u128, 0..3_u32, "[a ]{0,5}").prop_map(|(id, index, text)| appended(id, index, &text)),
        2 => (0..20_u128, 0..3_u32, status).prop_map(|(id, index, status)| delta(id, index, tool("t", status))),
        1 => (1..3_u128).prop_map(current),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Event(Box<Event>),
    Agent(AgentState),
    Seen,
}

fn step() -> impl Strategy<Value = Step> {
    let state = prop_oneof![
        1 => Just(AgentState::Stopped),
        1 => Just(AgentState::Starting),
        4 => Just(AgentState::Ready),
        4 => Just(AgentState::Busy),
        1 => Just(AgentState::Error),
    ];
    prop_oneof![
        12 => any_event().prop_map(|event| Step::Event(Box::new(event))),
        3 => state.prop_map(Step::Agent),
        1 => Just(Step::Seen),
    ]
}

proptest! {
    #[test]
    fn whatever_comes_the_state_is_true(steps in vec(step(), 1..80)) {
        let mut followed = Followed::new();
        let mut process = AgentState::Stopped;
        let mut before = followed.standing.standing();
        for step in steps {
            let change = match &step {
                Step::Event(event) => followed.event(event),
                Step::Agent(state) => {
                    process = *state;
                    followed.agent(*state)
                }
                Step::Seen => followed.seen(),
            };
            let now = followed.standing.standing();
            let is_changed = now.state != before.state;
            prop_assert_eq!(change == Change::State, is_changed);
            prop_assert_eq!(change == Change::Nothing, now == before);
            prop_assert_eq!(now.state_seq, before.state_seq + u64::from(is_changed));
            prop_assert_eq!(now.since, if is_changed { followed.now_ms } else { before.since });

            let has_process = matches!(process, AgentState::Ready | AgentState::Busy);
            let is_asking = !followed.standing.asked.is_empty();
            prop_assert_eq!(now.message.is_some(), now.state == SurfaceState::WaitingForInput);
            if is_asking && has_process {
                prop_assert_eq!(now.state, SurfaceState::WaitingForInput);
            }
            if process == AgentState::Busy || followed.standing.turn.is_running() {
                prop_assert!(!is_at_rest(now.state), "{:?}", now);
            }
            prop_assert!(now.state != SurfaceState::Errored || now.reason.is_some());
            prop_assert_eq!(followed.standing.waiting_ms(0).is_some(), now.state == SurfaceState::WaitingForInput);
            prop_assert_eq!(followed.standing.idle_ms(0).is_some(), is_at_rest(now.state));
            prop_assert!(now.last_result.is_some() || before.last_result.is_none(), "a result is never lost");
            before = now;
        }
    }
}
