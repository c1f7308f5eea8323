//! Who asks: what an agent runs may do less than its user's own programs.

use pupitre_protocol::ErrorKind;
use pupitre_protocol::agent::AgentParams;
use pupitre_protocol::method::{agent, system};
use pupitre_protocol::system::{CallerKind, Empty};

use crate::support::{Desk, PROGRAM, TestAgent, agent_name, shell_agent};

/// What the agent's own shell tries, each with a word of the refusal, or of the success.
const TRIES: &[(&str, &str)] = &[
    ("agents", "demo"),
    ("chat show demo", "hello"),
    ("ask demo more", "AI free access"),
    ("agents start demo", "AI free access"),
    ("agents stop demo", "AI free access"),
    ("agents logs demo", "AI free access"),
    ("agents trace demo", "AI free access"),
    ("agents logs demo --follow", "AI free access"),
    ("chat new demo", "AI free access"),
    ("chat history", "AI free access"),
    ("chat cancel demo", "AI free access"),
    ("chat search hello", "AI free access"),
    ("chat export demo", "hello"),
    (
        "chat export 00000000-0000-7000-8000-000000000000",
        "AI free access",
    ),
    (
        "chat delete 00000000-0000-7000-8000-000000000000",
        "only a person",
    ),
    ("chat mode demo", "ask"),
    ("chat mode demo auto", "AI free access"),
    ("chat option demo", "reasoning"),
    ("chat option demo reasoning on", "AI free access"),
    (
        "chat answer 00000000-0000-7000-8000-000000000000 once",
        "only a person",
    ),
    (
        "chat fill 00000000-0000-7000-8000-000000000000 --decline",
        "only a person",
    ),
    ("agents login demo demo", "AI free access"),
    ("config open ../config/pupitre/pupitre.toml", "only a person"),
    ("app --print-url", "only a person"),
    ("stop", "only a person"),
];

/// Returns an agent that runs each of these commands before it begins to speak, some of them broken away from it with
/// an empty environment, and the file in which they say how they ended.
fn curious(desk: &Desk, tries: &[(&str, &str)], break_away: &str) -> TestAgent {
    let log = desk.path("work/tries");
    let mut script = String::new();
    for (number, (command, _)) in tries.iter().enumerate() {
        let log = log.display();
        script += &format!(
            "{break_away} {PROGRAM} {command} > {log}.{number} 2>&1; echo \"exit $?\" >> {log}.{number}\n"
        );
    }
    script += &format!("exec {PROGRAM} demo-agent");
    shell_agent("curious", &script)
}

fn said(desk: &Desk, number: usize) -> String {
    std::fs::read_to_string(desk.path(&format!("work/tries.{number}"))).expect("the try was made")
}

#[test]
fn what_an_agent_runs_may_look_and_not_act() {
    for break_away in ["", "setsid -w"] {
        let mut desk = Desk::without_daemon(&[]);
        let agent = curious(&desk, TRIES, break_away);
        desk.write_config(&[agent]);
        desk.start_daemon();
        desk.run(&["ask", "demo", "hello"]).expect_code(0);
        desk.run(&["agents", "start", "curious"]).expect_code(0);
        for (number, (command, expected)) in TRIES.iter().enumerate() {
            let said = said(&desk, number);
            assert!(said.contains(expected), "{command}: {said}");
            let is_refused = expected.contains("AI free") || expected.contains("person");
            assert_eq!(said.ends_with("exit 1\n"), is_refused, "{command}: {said}");
            assert!(
                !is_refused || said.contains("inside agent curious"),
                "{command}: {said}"
            );
        }
        // The same from outside works.
        for outside in ["agents", "chat show demo", "agents logs demo", "chat history"] {
            let arguments: Vec<&str> = outside.split(' ').collect();
            desk.run(&arguments).expect_code(0);
        }
        let capabilities = desk.call::<system::Capabilities>(Empty {});
        assert_eq!(
            (capabilities.caller, capabilities.inside, capabilities.gate_open),
            (CallerKind::Outside, None, true)
        );
        desk.stop_daemon();
    }
}

#[test]
fn from_inside_parts_of_current_conversations_only_are_shown() {
    let mut desk = Desk::start();
    let ask = |desk: &Desk| -> String {
        desk.run(&["ask", "demo", "hello"]).expect_code(0);
        let view: serde_json::Value =
            serde_json::from_str(&desk.run(&["chat", "show", "demo", "--json"]).stdout).expect("it is JSON");
        let id = view["messages"][0]["id"].as_str().expect("a message");
        id.to_owned()
    };
    let earlier = ask(&desk);
    desk.run(&["chat", "new", "demo"]).expect_code(0);
    let current = ask(&desk);
    assert_ne!(earlier, current);
    let tries = [format!("chat part {earlier} 0"), format!("chat part {current} 0")];
    let tries = [
        (tries[0].as_str(), "AI free access"),
        (tries[1].as_str(), "hello"),
    ];
    let agent = curious(&desk, &tries, "");
    desk.stop_daemon();
    desk.write_config(&[agent]);
    desk.start_daemon();
    desk.run(&["agents", "start", "curious"]).expect_code(0);
    for (number, (command, expected)) in tries.iter().enumerate() {
        let said = said(&desk, number);
        assert!(said.contains(expected), "{command}: {said}");
        desk.run(&command.split(' ').collect::<Vec<_>>()).expect_code(0);
    }
    desk.stop_daemon();
}

#[test]
fn with_free_access_an_agent_may_conduct_others_but_not_decide() {
    let mut desk = Desk::without_daemon(&[]);
    // With the gate open, following goes on for ever.
    let tries: Vec<(&str, &str)> = TRIES
        .iter()
        .copied()
        .filter(|(command, _)| !command.contains("--follow"))
        .collect();
    let agent = curious(&desk, &tries, "");
    desk.write_settings("ai_unrestricted = true\n", &[agent]);
    desk.start_daemon();
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    desk.run(&["agents", "start", "curious"]).expect_code(0);
    for (number, (command, expected)) in tries.iter().enumerate() {
        let said = said(&desk, number);
        if expected.contains("person") {
            assert!(
                said.contains(expected) && said.ends_with("exit 1\n"),
                "{command}: {said}"
            );
        } else {
            assert!(!said.contains("AI free access"), "{command}: {said}");
        }
    }
}

#[test]
fn an_orphan_of_a_killed_guard_is_not_outside() {
    let mut desk = Desk::without_daemon(&[]);
    let (log, go) = (desk.path("work/tried"), desk.path("work/go"));
    // Waits until its guard is gone, ignores SIGTERM, and then tries.
    let late = format!(
        "trap '' TERM; while kill -0 $1 2>/dev/null; do sleep 0.05; done; {PROGRAM} ask demo more > {log} 2>&1; mv {log} {log}.done",
        log = log.display()
    );
    let script = format!(
        "setsid sh -c '{}' late $PPID & echo $PPID > {go}; exec {PROGRAM} demo-agent",
        late.replace('\'', "'\\''"),
        go = go.display()
    );
    desk.write_config(&[shell_agent("late", &script)]);
    desk.start_daemon();
    desk.run(&["agents", "start", "late"]).expect_code(0);
    let guard = std::fs::read_to_string(&go).expect("the guard's process id");
    let mut events = desk.events();
    let pid = rustix::process::Pid::from_raw(guard.trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    events.wait_until("the failure is told when nothing is left", |frame| {
        matches!(&frame.event, pupitre_protocol::Event::AgentState(changed)
            if changed.error.is_some() && !changed.stopping)
    });
    assert!(desk.commands_with(log.to_str().unwrap()).is_empty());
    let said = std::fs::read_to_string(format!("{}.done", log.display())).expect("it had time to try");
    assert!(said.contains("AI free access"), "{said}");
    let (kind, _) = desk.call_refused::<agent::Start>(AgentParams {
        agent: agent_name("nobody"),
    });
    assert_eq!(kind, ErrorKind::NotFound);
}
