//! What the configuration says about turns: who answers permission requests, and when silence counts as a stall.

use pupitre_protocol::Event;
use pupitre_protocol::conversation::{AnsweredBy, PermissionOutcome, StopReason};
use pupitre_protocol::event::TurnChanged;

use crate::support::{Desk, Events, PROGRAM, TestAgent};

fn demo(permissions: &str) -> TestAgent {
    TestAgent::new("ruled", PROGRAM, &["demo-agent"]).line(&format!("permissions = \"{permissions}\""))
}

fn resolution(events: &mut Events) -> PermissionOutcome {
    events.wait_for("a permission request is resolved", |frame| match &frame.event {
        Event::PermissionResolved(resolved) => Some(resolved.resolution.clone()),
        _ => None,
    })
}

#[test]
fn a_rule_that_denies_answers_and_says_that_it_was_the_rule() {
    let desk = Desk::with_agents(&[demo("deny")]);
    let mut events = desk.events();
    let turn = desk.send("ruled", "run").message_id;
    match resolution(&mut events) {
        PermissionOutcome::Selected {
            option_id,
            answered_by,
        } => {
            assert!(option_id.contains("reject"), "{option_id}");
            assert_eq!(answered_by, AnsweredBy::Rule);
        }
        other => panic!("the first option that rejects is chosen, not {other:?}"),
    }
    let ended = events.wait_for_end_of_turn(turn);
    assert_eq!(ended.stop_reason, Some(StopReason::EndTurn));
}

#[test]
fn a_rule_that_allows_reading_asks_about_all_else() {
    let desk = Desk::with_agents(&[demo("allow_reads")]);
    let mut events = desk.events();
    desk.send("ruled", "run");
    let asked = events.wait_for_permission();
    desk.run(&[
        "chat",
        "answer",
        &asked.id.to_string(),
        &asked.options[0].option_id,
    ])
    .expect_code(0);
    match resolution(&mut events) {
        PermissionOutcome::Selected { answered_by, .. } => assert_eq!(answered_by, AnsweredBy::Program),
        other => panic!("it was answered, not {other:?}"),
    }
}

fn wait_for_stall(events: &mut Events, wanted: bool) {
    let name = format!("the turn counts as stalled: {wanted}");
    events.wait_until(
        &name,
        |frame| matches!(&frame.event, Event::TurnChanged(TurnChanged { stalled, .. }) if *stalled == wanted),
    );
}

#[test]
fn a_silent_turn_is_shown_as_stalled_and_goes_on() {
    let desk = Desk::with_settings("agent_stall_threshold_secs = 1\n", &[]);
    let mut events = desk.events();
    let turn = desk.send("demo", "wait").message_id;
    events.wait_for_text("I am waiting");
    wait_for_stall(&mut events, true);
    assert!(desk.conversation("demo").stalled);
    desk.run(&["chat", "cancel", "demo"]).expect_code(0);
    let ended = events.wait_for_end_of_turn(turn);
    assert_eq!(ended.stop_reason, Some(StopReason::Cancelled));
    assert!(!desk.conversation("demo").stalled);
}

#[test]
fn whoever_waits_for_a_silent_turn_is_told_what_can_be_done() {
    let desk = Desk::with_settings("agent_stall_threshold_secs = 1\n", &[]);
    let mut events = desk.events();
    let ask = desk.spawn(&["ask", "demo", "wait"]);
    wait_for_stall(&mut events, true);
    desk.run(&["chat", "show", "demo"])
        .expect_code(0)
        .expect_stderr("may be stuck");
    desk.run(&["chat", "cancel", "demo"]).expect_code(0);
    ask.finish()
        .expect_code(1)
        .expect_stderr("may be stuck: wait, cancel it with Ctrl-C");
}

#[test]
fn a_question_is_no_silence() {
    let desk = Desk::with_settings("agent_stall_threshold_secs = 1\n", &[]);
    let mut events = desk.events();
    desk.send("demo", "run");
    let asked = events.wait_for_permission();
    // Longer than the threshold: by the word of another agent, which does stall.
    let other = Desk::with_settings("agent_stall_threshold_secs = 1\n", &[]);
    let mut others = other.events();
    other.send("demo", "wait");
    wait_for_stall(&mut others, true);
    assert!(!desk.conversation("demo").stalled);
    desk.run(&[
        "chat",
        "answer",
        &asked.id.to_string(),
        &asked.options[0].option_id,
    ])
    .expect_code(0);
    other.run(&["chat", "cancel", "demo"]).expect_code(0);
}
