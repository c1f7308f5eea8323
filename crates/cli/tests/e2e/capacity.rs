//! How many agents may run at once, who makes room, and the end of those that nobody uses.

use pupitre_protocol::agent::{AgentParams, AgentState};
use pupitre_protocol::method::agent;
use pupitre_protocol::{ErrorKind, Event};

use crate::support::{Desk, PROGRAM, TestAgent, agent_name};

fn demo(name: &str) -> TestAgent {
    TestAgent::new(name, PROGRAM, &["demo-agent"])
}

fn start(name: &str) -> AgentParams {
    AgentParams {
        agent: agent_name(name),
    }
}

#[test]
fn a_start_above_the_limit_is_refused_while_all_are_busy() {
    let desk = Desk::with_settings("[limits]\nmaxRunningAgents = 1\n", &[demo("a"), demo("b")]);
    let ask = desk.spawn(&["ask", "a", "wait"]);
    ask.wait_for_stdout("I am waiting");
    let words = "too many agents running: 1 agent(s) busy (a), the limit is 1";
    let (kind, message) = desk.call_refused::<agent::Start>(start("b"));
    assert_eq!((kind, message.as_str()), (ErrorKind::TooManyAgents, words));
    assert_eq!(desk.agent("b").state, AgentState::Stopped);
    assert_eq!(desk.agent("b").error, None);
    desk.run(&["agents", "start", "b"])
        .expect_code(1)
        .expect_stderr(words);
    // A message says it in the conversation, and is not lost.
    desk.run(&["ask", "b", "hello"])
        .expect_code(1)
        .expect_stderr(words);
    assert_eq!(desk.agent("a").state, AgentState::Busy);
    desk.run(&["chat", "cancel", "a"]).expect_code(0);
    ask.finish().expect_code(1);
}

#[test]
fn the_least_recently_used_makes_room_and_is_gone_before_the_other_starts() {
    let agents = [demo("a"), demo("b"), demo("c")];
    let desk = Desk::with_settings("[limits]\nmaxRunningAgents = 2\n", &agents);
    for name in ["a", "b", "a"] {
        desk.run(&["ask", name, "hello"]).expect_code(0);
    }
    let mut events = desk.events();
    let evicted = desk.agent("b").pid.expect("it runs");
    desk.run(&["ask", "c", "hello"]).expect_code(0);
    let mut states = Vec::new();
    while !states.contains(&("c".to_owned(), AgentState::Ready)) {
        states.push(events.wait_for("a state", |frame| match &frame.event {
            Event::AgentState(changed) if !changed.stopping => {
                Some((changed.agent.to_string(), changed.state))
            }
            _ => None,
        }));
    }
    assert_eq!(
        states[..2],
        [
            ("b".to_owned(), AgentState::Stopped),
            ("c".to_owned(), AgentState::Starting)
        ]
    );
    assert!(!std::path::Path::new(&format!("/proc/{evicted}")).exists());
    let names = |state| {
        let all = ["a", "b", "c"];
        all.into_iter()
            .filter(|name| desk.agent(name).state == state)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(AgentState::Ready), ["a", "c"]);
    assert_eq!(names(AgentState::Stopped), ["b"]);
}

#[test]
fn a_place_is_free_as_soon_as_a_stop_has_answered() {
    let desk = Desk::with_settings("[limits]\nmaxRunningAgents = 1\n", &[demo("a"), demo("b")]);
    for _ in 0..5 {
        for (name, other) in [("a", "b"), ("b", "a")] {
            desk.call::<agent::Start>(start(name));
            desk.call::<agent::Stop>(start(name));
            assert_eq!(desk.agent(name).state, AgentState::Stopped);
            desk.call::<agent::Start>(start(other));
            desk.call::<agent::Restart>(start(other));
            desk.call::<agent::Stop>(start(other));
        }
    }
}

/// For once with the real clock; the rows of the table are tests of the model.
#[test]
fn an_agent_that_nobody_uses_is_stopped() {
    let desk = Desk::with_settings("[limits]\nstopIdleAgentsAfter = \"30s\"\n", &[]);
    let mut events = desk.events().with_patience(std::time::Duration::from_secs(100));
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    events.wait_for_state("demo", AgentState::Starting);
    events.wait_for_state("demo", AgentState::Stopped);
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
}
