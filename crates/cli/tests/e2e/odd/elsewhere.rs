//! The odd agents that want more than two turns from their test.

use pupitre_protocol::agent::{AgentParams, AgentState};
use pupitre_protocol::conversation::{CancelParams, StopReason, SystemCode};
use pupitre_protocol::event::{Event, EventKind, SubscribeParams};
use pupitre_protocol::method::{agent, chat};
use pupitre_testkit::fixtures::odd_script;

use crate::support::{Desk, Follower, Report, agent_name, fake_script, text_of};

/// The scripts with a test here.
pub(super) const TESTED: &[&str] = &[
    "exits-between-turns",
    "ignores-cancel",
    "late-session",
    "permission-alike",
    "silent-start",
];

fn desk_with(script: &str) -> (Desk, Report) {
    let mut desk = Desk::without_daemon(&[]);
    let (agent, report) = fake_script(&desk, "odd", &odd_script(script));
    desk.write_config(&[agent]);
    desk.start_daemon();
    (desk, report)
}

#[test]
fn a_cancel_that_is_not_answered_ends_the_message_and_not_the_turn() {
    let (desk, report) = desk_with("ignores-cancel");
    let mut follower = Follower::new(&desk, "odd");
    let first = desk.send("odd", "Think.").message_id;
    follower.wait_for_text(first, "Let me think");
    desk.call::<chat::Cancel>(CancelParams {
        agent: agent_name("odd"),
        message_id: None,
    });
    let ended = follower.wait_for_end_of_turn(first);
    assert_eq!(ended.stop_reason, Some(StopReason::Cancelled));
    // The agent may still be at it: what comes now waits until it was restarted.
    let second = desk.send("odd", "Think again.");
    assert!(second.queued);
    assert_eq!(desk.agent("odd").state, AgentState::Busy);
    desk.call::<agent::Restart>(AgentParams {
        agent: agent_name("odd"),
    });
    let third = desk.send("odd", "And again.").message_id;
    follower.wait_for_text(third, "Let me think");
    desk.stop_agent("odd");
    assert_eq!(
        follower.wait_for_end_of_turn(third).stop_reason,
        Some(StopReason::Cancelled)
    );
    report.expect_ok(2, &desk);
}

#[test]
fn allow_takes_the_first_option_of_its_kind() {
    let (desk, report) = desk_with("permission-alike");
    desk.run(&["ask", "odd", "Water them.", "--allow"])
        .expect_code(0)
        .expect_stdout("Watered.")
        .expect_stderr("Gently");
    desk.run(&["ask", "odd", "And now?"])
        .expect_code(0)
        .expect_stdout("All is well.");
    desk.stop_agent("odd");
    report.expect_ok(1, &desk);
}

#[test]
fn a_session_that_comes_late_is_not_taken_for_that_of_another_conversation() {
    let (desk, report) = desk_with("late-session");
    let mut events = desk.events();
    let mut traced = desk.events_with(&SubscribeParams {
        types: Some(vec![EventKind::AgentTrace]),
        agents: None,
        surfaces: None,
        since: None,
    });
    desk.send("odd", "In the first.");
    // It answers only once it was asked for two.
    traced.wait_until("the first session is asked for", |frame| {
        matches!(&frame.event, Event::AgentTrace(traced) if traced.entry.text.contains("session/new"))
    });
    desk.call::<chat::Cancel>(CancelParams {
        agent: agent_name("odd"),
        message_id: None,
    });
    desk.run(&["chat", "new", "odd"]).expect_code(0);
    let turn = desk.send("odd", "In the second.").message_id;
    let ended = events.wait_for_end_of_turn(turn);
    assert_eq!(ended.stop_reason, Some(StopReason::EndTurn));
    let view = desk.conversation("odd");
    let said: String = view.messages.iter().map(text_of).collect();
    assert_eq!(said, "In the second.of the second", "{view:#?}");
    desk.run(&["ask", "odd", "And now?"])
        .expect_code(0)
        .expect_stdout("All is well.");
    desk.stop_agent("odd");
    report.expect_ok(1, &desk);
}

#[test]
fn an_agent_that_never_answers_initialize_is_given_up() {
    let (desk, report) = desk_with("silent-start");
    desk.run(&["ask", "odd", "Hello?"])
        .expect_code(1)
        .expect_stderr("no answer to initialize within 30 s");
    assert_eq!(desk.agent("odd").state, AgentState::Error);
    report.expect_ok(1, &desk);
}

#[test]
fn an_agent_that_leaves_between_turns_is_started_again() {
    let (desk, report) = desk_with("exits-between-turns");
    let mut events = desk.events();
    // Its answer and its end come together: the answer counts.
    desk.run(&["ask", "odd", "one"])
        .expect_code(0)
        .expect_stdout("First turn.");
    let reason = events
        .wait_for_state("odd", AgentState::Error)
        .unwrap_or_default();
    assert!(reason.contains("exited with code 0"), "{reason}");
    desk.run(&["ask", "odd", "two"])
        .expect_code(0)
        .expect_stdout("First turn.");
    let view = desk.conversation("odd");
    let codes: Vec<SystemCode> = view.messages.iter().filter_map(|message| message.code).collect();
    assert_eq!(codes, [SystemCode::AgentRestarted]);
    events.wait_for_state("odd", AgentState::Error);
    report.expect_ok(2, &desk);
}
