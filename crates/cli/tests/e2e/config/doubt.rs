//! What is seen of the file while it is being written, and what the world makes of a file that stays as it is.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use pupitre_protocol::agent::AgentState;
use pupitre_protocol::method::{agent, config};
use pupitre_protocol::system::Empty;

use super::{changes, expect_silence, next_change, text};
use crate::support::{Desk, TestAgent, utf8};

fn demo(name: &str) -> TestAgent {
    TestAgent::new(name, crate::support::PROGRAM, &["demo-agent"])
}

/// Lets some time pass, as an editor or a script does between two steps of a save.
fn between_two_steps() {
    std::thread::park_timeout(Duration::from_millis(400));
}

#[test]
fn a_save_in_two_steps_stops_no_agent() {
    let desk = Desk::with_agents(&[demo("a"), demo("b")]);
    for name in ["a", "b"] {
        desk.run(&["ask", name, "hello"]).expect_code(0);
    }
    let pids = || ["a", "b"].map(|name| desk.agent(name).pid);
    let before = pids();
    let whole = std::fs::read_to_string(desk.config()).unwrap();
    // Valid, and without the second agent.
    let half = whole.rfind("[[agents]]").unwrap();
    let mut events = changes(&desk);
    for first_step in ["", &whole[..half]] {
        std::fs::write(desk.config(), first_step).unwrap();
        between_two_steps();
        std::fs::write(desk.config(), format!("{whole}# {}\n", first_step.len())).unwrap();
        assert_eq!(next_change(&mut events).problems, []);
        assert_eq!(pids(), before);
    }
    // The steps themselves were told to nobody.
    assert!(desk.agent("b").state == AgentState::Ready && desk.agent("a").state == AgentState::Ready);
    let mut states = desk.events();
    std::fs::write(desk.config(), &whole[..half]).unwrap();
    assert!(next_change(&mut events).valid);
    states.wait_for_state("b", AgentState::Stopped);
    assert_eq!(desk.call::<agent::List>(Empty {}).agents.len(), 2);
}

#[test]
fn an_empty_file_counts_in_the_end() {
    let desk = Desk::start();
    let mut events = changes(&desk);
    std::fs::write(desk.config(), "").unwrap();
    assert!(next_change(&mut events).valid);
    assert!(desk.call::<agent::List>(Empty {}).agents.is_empty());
}

#[test]
fn warnings_follow_the_world() {
    let mut desk = Desk::without_daemon(&[]);
    let commands = desk.path("commands");
    std::fs::create_dir(&commands).unwrap();
    desk.set_variable("PATH", &format!("{}:/usr/bin:/bin", commands.display()));
    let folder = desk.path("work/later");
    std::fs::write(
        desk.config(),
        format!(
            "[[agents]]\nname = \"demo\"\ncommand = \"later-agent\"\ncwd = \"{}\"\n",
            utf8(&folder)
        ),
    )
    .unwrap();
    desk.start_daemon();
    let warnings = || -> Vec<u32> {
        let current = desk.call::<config::Current>(Empty {});
        assert!(current.valid, "{current:?}");
        current.warnings.iter().map(|warning| warning.line).collect()
    };
    let mut events = changes(&desk);
    assert_eq!(warnings(), [3, 4]);
    std::fs::create_dir(&folder).unwrap();
    assert_eq!(warnings(), [3]);
    assert_eq!(next_change(&mut events).problems.len(), 1);
    // Nobody asks: it is noticed all the same.
    let command = commands.join("later-agent");
    std::fs::write(&command, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&command, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(next_change(&mut events).problems, []);
    std::fs::set_permissions(desk.config(), std::fs::Permissions::from_mode(0o666)).unwrap();
    let told = next_change(&mut events).problems;
    assert!(
        told.len() == 1 && told[0].message.contains("other users"),
        "{told:?}"
    );
    std::fs::set_permissions(desk.config(), std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(next_change(&mut events).problems, []);
    assert!(warnings().is_empty());
    std::fs::write(desk.config(), text("before")).unwrap();
    assert!(next_change(&mut events).valid);
    expect_silence(&desk, &mut events, "each was one event");
}

#[test]
fn what_counts_at_the_next_start_is_told_until_then() {
    let mut desk = Desk::start();
    let mut events = changes(&desk);
    desk.write_settings("history = false\nport = 4123\n", &[]);
    let told = next_change(&mut events);
    let places: Vec<_> = told
        .problems
        .iter()
        .map(|problem| (problem.line, problem.warning))
        .collect();
    assert!(told.valid);
    assert_eq!(places, [(1, true), (2, true)], "{told:?}");
    // A check from outside knows of no daemon's beginning.
    desk.run(&["config", "check"])
        .expect_code(0)
        .expect_stdout("is valid");
    desk.stop_daemon();
    desk.start_daemon();
    assert_eq!(desk.call::<config::Current>(Empty {}).warnings, []);
}

#[test]
fn a_file_of_nonsense_is_told_in_one_frame() {
    let desk = Desk::start();
    let mut events = changes(&desk);
    let nonsense: String = (0..40_000).map(|number| format!("k{number} = 1\n")).collect();
    std::fs::write(desk.config(), nonsense).unwrap();
    let told = next_change(&mut events);
    assert_eq!(told.problems.len(), 101);
    let last = &told.problems[100];
    assert!(last.message.contains("39900 more problems"), "{last:?}");
    let current = desk.call::<config::Current>(Empty {});
    assert_eq!(current.problems, told.problems);
}
