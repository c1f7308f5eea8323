//! `pupitre agents`: the list with all its fields, start, stop, restart, logs and trace.

use pupitre_protocol::agent::{AgentParams, AgentState};
use pupitre_protocol::method::agent;
use pupitre_protocol::{ErrorKind, agent::TraceDirection};
use serde_json::{Value, json};

use crate::support::{Desk, TestAgent, agent_name};

#[test]
fn the_list_has_every_field_and_the_order_of_the_configuration() {
    let desk = Desk::with_agents(&[TestAgent::new("other", "no-such-program", &[])]);
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    let list = desk.run(&["agents", "--json"]).expect_code(0).json();
    let agents = list["agents"].as_array().unwrap();
    let names: Vec<&Value> = agents.iter().map(|agent| &agent["name"]).collect();
    assert_eq!(names, [&json!("demo"), &json!("other")]);
    let demo = agents[0].as_object().unwrap();
    for field in [
        "name",
        "title",
        "icon",
        "description",
        "state",
        "error",
        "outdated",
        "pid",
        "version",
        "started_at",
        "capabilities",
        "auth_methods",
    ] {
        assert!(demo.contains_key(field), "{field} in {demo:#?}");
        assert!(
            agents[1].as_object().unwrap().contains_key(field),
            "{field} in {agents:#?}"
        );
    }
    assert_eq!(demo["state"], json!("ready"));
    assert_eq!(demo["title"], json!("Demo"));
    assert_eq!(demo["error"], json!(null));
    assert_eq!(demo["outdated"], json!(false));
    assert!(demo["pid"].as_u64().unwrap() > 0);
    assert!(demo["started_at"].as_u64().unwrap() > 1_600_000_000_000);
    assert!(
        demo["version"]
            .as_str()
            .unwrap()
            .contains(env!("CARGO_PKG_VERSION")),
        "{demo:#?}"
    );
    assert_eq!(demo["capabilities"]["load_session"], json!(true));
    assert_eq!(demo["auth_methods"][0]["id"], json!("demo"));
    assert_eq!(agents[1]["state"], json!("stopped"));
    assert_eq!(agents[1]["pid"], json!(null));
    let table = desk.run(&["agents"]);
    table
        .expect_code(0)
        .expect_stdout("demo")
        .expect_stdout("ready")
        .expect_stdout("stopped");
}

#[test]
fn start_stop_and_restart_answer_when_it_is_done() {
    let desk = Desk::start();
    desk.run(&["agents", "start", "demo"])
        .expect_code(0)
        .expect_stdout("demo is ready");
    let first = desk.agent("demo");
    assert_eq!(first.state, AgentState::Ready);
    // An agent that runs is left alone.
    desk.run(&["agents", "start", "demo"])
        .expect_code(0)
        .expect_stdout("demo is ready");
    assert_eq!(desk.agent("demo").pid, first.pid);
    desk.run(&["agents", "restart", "demo"])
        .expect_code(0)
        .expect_stdout("demo is ready");
    let second = desk.agent("demo");
    assert_ne!(second.pid, first.pid);
    desk.run(&["agents", "stop", "demo"])
        .expect_code(0)
        .expect_stdout("demo is stopped");
    let stopped = desk.agent("demo");
    assert_eq!(
        (stopped.state, stopped.pid, stopped.stopping),
        (AgentState::Stopped, None, false)
    );
    if cfg!(target_os = "linux") {
        let alive = desk.processes();
        assert_eq!(alive.len(), 1, "the daemon and nothing of the agent: {alive:#?}");
    }
    desk.run(&["agents", "stop", "demo"]).expect_code(0);
    desk.run(&["agents", "restart", "demo"])
        .expect_code(0)
        .expect_stdout("demo is ready");
}

#[test]
fn states_are_told_in_their_order() {
    let desk = Desk::start();
    let mut events = desk.events();
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    for state in [
        AgentState::Starting,
        AgentState::Ready,
        AgentState::Busy,
        AgentState::Ready,
    ] {
        events.wait_for_state("demo", state);
    }
    desk.stop_agent("demo");
    events.wait_for_state("demo", AgentState::Stopped);
}

#[test]
fn a_stop_in_a_turn_cancels_it_and_the_next_message_starts_the_agent() {
    let desk = Desk::start();
    let ask = desk.spawn(&["ask", "demo", "wait"]);
    ask.wait_for_stdout("I am waiting");
    desk.run(&["agents", "stop", "demo"]).expect_code(0);
    ask.finish().expect_code(1).expect_stderr("cancelled");
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    assert_eq!(desk.agent("demo").state, AgentState::Ready);
}

#[test]
fn the_log_has_the_last_two_hundred_lines_and_outlives_the_process() {
    let desk = Desk::start();
    desk.run(&["ask", "demo", "stderr 250"]).expect_code(0);
    let logs = || {
        desk.run(&["agents", "logs", "demo"])
            .expect_code(0)
            .stdout
            .clone()
    };
    // The turn may end before the last line was read: the log is another pipe.
    let mut events = desk.events();
    let lines = |text: &str| text.lines().count();
    if !logs().contains("line 250 of 250") {
        events.wait_until("the last line on stderr", |frame| {
            matches!(&frame.event, pupitre_protocol::event::Event::AgentLog(logged)
                if logged.line.contains("line 250 of 250"))
        });
    }
    let before = logs();
    assert_eq!(lines(&before), 200, "{before}");
    assert!(
        before.contains("line 51 of 250") && !before.contains("line 50 of 250"),
        "{before}"
    );
    desk.run(&["agents", "restart", "demo"]).expect_code(0);
    assert_eq!(logs(), before, "they are kept across a restart");
}

#[test]
fn the_log_can_be_followed() {
    let desk = Desk::start();
    desk.run(&["ask", "demo", "stderr 2"]).expect_code(0);
    let follow = desk.spawn(&["agents", "logs", "demo", "--follow"]);
    follow.wait_for_stdout("line 2 of 2");
    desk.run(&["ask", "demo", "stderr 5"]).expect_code(0);
    follow.wait_for_stdout("line 5 of 5");
    follow.interrupt();
    let output = follow.finish();
    output.expect_code(130);
    let all: Vec<&str> = output
        .stdout
        .lines()
        .filter_map(|line| line.split("demo agent: ").nth(1))
        .collect();
    let expected: Vec<String> = [2, 5]
        .into_iter()
        .flat_map(|last| (1..=last).map(move |line| format!("line {line} of {last} on stderr")))
        .collect();
    assert_eq!(all, expected, "each line once");
}

#[test]
fn the_trace_can_be_followed() {
    let desk = Desk::start();
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    let follow = desk.spawn(&["agents", "trace", "demo", "--follow"]);
    follow.wait_for_stdout("end_turn");
    desk.run(&["agents", "restart", "demo"]).expect_code(0);
    desk.run(&["ask", "demo", "think"]).expect_code(0);
    follow.wait_for_stdout("agent_thought_chunk");
    follow.interrupt();
    let output = follow.finish();
    output.expect_code(130);
    let prompts = output.stdout.matches("\"session/prompt\"").count();
    let handshakes = output.stdout.matches("\"initialize\"").count();
    assert_eq!(
        (prompts, handshakes),
        (2, 2),
        "each message once:\n{}",
        output.stdout
    );
}

#[test]
fn the_trace_has_both_directions() {
    let desk = Desk::start();
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    desk.run(&["agents", "trace", "demo"])
        .expect_code(0)
        .expect_stdout("-> {\"")
        .expect_stdout("<- {\"")
        .expect_stdout("\"initialize\"")
        .expect_stdout("\"session/prompt\"");
    let trace = desk.call::<agent::Trace>(AgentParams {
        agent: agent_name("demo"),
    });
    assert!(!trace.truncated);
    let first = &trace.entries[0];
    assert_eq!(first.direction, TraceDirection::ToAgent);
    assert!(first.text.contains("initialize"), "{first:?}");
    assert_eq!(first.bytes, first.text.len() as u64);
    // After a stop there is still something to look at.
    desk.stop_agent("demo");
    let after = desk.call::<agent::Trace>(AgentParams {
        agent: agent_name("demo"),
    });
    assert!(after.entries.starts_with(&trace.entries));
}

#[test]
fn a_long_conversation_keeps_the_last_thousand_messages_of_the_trace() {
    let desk = Desk::start();
    desk.run(&["ask", "demo", "chunks 1500"]).expect_code(0);
    let trace = desk.call::<agent::Trace>(AgentParams {
        agent: agent_name("demo"),
    });
    assert!(trace.truncated);
    assert_eq!(trace.entries.len(), 1000);
    assert!(
        trace.entries.last().unwrap().text.contains("end_turn"),
        "{:?}",
        trace.entries.last()
    );
}

#[test]
fn an_agent_that_is_not_there_has_its_kind_of_error() {
    let desk = Desk::start();
    let (kind, message) = desk.call_refused::<agent::Start>(AgentParams {
        agent: agent_name("nobody"),
    });
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(message.contains("nobody"), "{message}");
}
