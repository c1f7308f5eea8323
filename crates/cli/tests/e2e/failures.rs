//! Agents that die, that cannot be started, or that speak something else: what is said, and that the next message works.

use pupitre_protocol::agent::{AgentParams, AgentState};
use pupitre_protocol::conversation::{ConversationView, Role, SystemCode};
use pupitre_protocol::method::agent;
use pupitre_protocol::{Cause, ErrorKind};
use pupitre_testkit::fixtures::odd_script;

use crate::support::{Desk, TestAgent, agent_name, fake_script, shell_agent, text_of};

fn codes(view: &ConversationView) -> Vec<SystemCode> {
    view.messages.iter().filter_map(|message| message.code).collect()
}

#[test]
fn a_crash_in_a_turn_is_told_and_the_next_turn_works() {
    let desk = Desk::start();
    desk.run(&["ask", "demo", "crash"])
        .expect_code(1)
        .expect_stdout("I am about to crash, in the middle of a sen")
        .expect_stderr("exited with code 3");
    let view = desk.conversation("demo");
    let broken = view.messages.last().unwrap();
    assert_eq!(text_of(broken), "I am about to crash, in the middle of a sen");
    assert!(broken.done && broken.stop_reason.is_none(), "{broken:#?}");
    assert!(
        broken.error.as_deref().unwrap().contains("exited with code 3"),
        "{broken:#?}"
    );
    assert_eq!(broken.cause, Some(Cause::Exited { code: 3 }));
    let agent = desk.agent("demo");
    assert_eq!(agent.state, AgentState::Error);
    assert_eq!(agent.cause, Some(Cause::Exited { code: 3 }));
    assert!(
        agent.error.as_deref().unwrap().contains("exited with code 3"),
        "{agent:#?}"
    );
    desk.run(&["agents"])
        .expect_code(0)
        .expect_stdout("exited with code 3");

    desk.run(&["ask", "demo", "hello"])
        .expect_code(0)
        .expect_stdout("I am the **demo agent**");
    let view = desk.conversation("demo");
    // The new process knows nothing of the session, and says so when it is asked to resume it.
    assert_eq!(codes(&view), [SystemCode::AgentRestarted]);
    let roles: Vec<Role> = view.messages.iter().map(|message| message.role).collect();
    assert_eq!(
        roles,
        [Role::User, Role::Agent, Role::User, Role::System, Role::Agent],
        "{:#?}",
        view.messages
    );
    assert_eq!(desk.agent("demo").state, AgentState::Ready);
}

#[test]
fn an_agent_that_ran_and_ends_as_it_opens_another_session_has_ended() {
    let mut desk = Desk::without_daemon(&[]);
    let script = desk.path("odd.script");
    std::fs::write(&script, "handshake\nturn One.\nexpect session/new\nexit 4\n")
        .expect("the test's own file");
    let (agent, _) = fake_script(&desk, "odd", &script);
    desk.write_config(&[agent]);
    desk.start_daemon();
    desk.run(&["ask", "odd", "one"]).expect_code(0);
    desk.run(&["ask", "odd", "two", "--new"])
        .expect_code(1)
        .expect_stderr("agent odd ended before it was given the message: exited with code 4");
    assert_eq!(codes(&desk.conversation("odd")), [SystemCode::AgentUnavailable]);
}

#[test]
fn what_waits_behind_a_crash_is_not_sent() {
    let desk = Desk::without_daemon(&[]);
    let (agent, _) = fake_script(&desk, "odd", &odd_script("dies-in-turn"));
    desk.write_config(&[agent]);
    let desk = started(desk);
    let mut events = desk.events();
    let first = desk.send("odd", "one");
    let second = desk.send("odd", "two");
    let ended = events.wait_for_end_of_turn(first.message_id);
    assert!(ended.error.unwrap().contains("killed by signal 9 (SIGKILL)"));
    if second.queued {
        let view = desk.conversation("odd");
        let waiting = view
            .messages
            .iter()
            .find(|message| message.id == second.message_id)
            .unwrap();
        assert!(
            waiting.error.as_deref().unwrap().starts_with("not sent"),
            "{waiting:#?}"
        );
    }
}

fn started(mut desk: Desk) -> Desk {
    desk.start_daemon();
    desk
}

/// Asks an agent that cannot be started: everybody is told why, and nothing is left of it.
#[track_caller]
fn check_start_failure(desk: &Desk, name: &str, reason: &str, last_words: &str) {
    desk.run(&["ask", name, "hello"])
        .expect_code(1)
        .expect_stderr(reason);
    let agent = desk.agent(name);
    assert_eq!(agent.state, AgentState::Error);
    let error = agent.error.expect("an error says why");
    assert!(error.contains(reason), "{reason} in {error:?}");
    assert!(error.contains(last_words), "{last_words} in {error:?}");
    let view = desk.conversation(name);
    assert_eq!(
        codes(&view),
        [SystemCode::AgentUnavailable],
        "{:#?}",
        view.messages
    );
    assert!(!view.busy);
    let last = view.messages.last().unwrap();
    let told = last.error.as_deref().unwrap();
    assert!(told.contains(reason), "{told}");
    // Programs with words of their own are told why, too.
    assert!(agent.cause.is_some(), "{error:?}");
    assert_eq!(last.cause, agent.cause);
    // To whoever asks for the start alone it is said too.
    let (kind, message) = desk.call_refused::<agent::Start>(AgentParams {
        agent: agent_name(name),
    });
    assert_eq!(kind, ErrorKind::StartFailed);
    assert!(
        message.contains(reason) && message.contains(last_words),
        "{message}"
    );
    desk.run(&["agents", "start", name])
        .expect_code(1)
        .expect_stderr(reason);
    if cfg!(target_os = "linux") {
        let mut left = desk.processes();
        left.retain(|line| !line.ends_with(" demo-agent "));
        assert_eq!(left.len(), 1, "the daemon and nothing of the agent: {left:#?}");
    }
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
}

#[test]
fn a_command_that_is_not_there() {
    let desk = Desk::with_agents(&[TestAgent::new("missing", "no-such-program", &[])]);
    check_start_failure(
        &desk,
        "missing",
        "cannot run \"no-such-program\": not found on PATH",
        "",
    );
    // What could not be run has no log.
    for verb in [&["agents", "start", "missing"][..], &["ask", "missing", "hello"]] {
        let output = desk.run(verb);
        output.expect_code(1);
        assert!(!output.stderr.contains("agents logs"), "{output:#?}");
    }
}

#[test]
fn a_working_folder_that_is_not_there() {
    let desk = Desk::with_agents(&[shell_agent("homeless", "exit 0").cwd("/no/such/folder")]);
    check_start_failure(
        &desk,
        "homeless",
        "the working directory /no/such/folder does not exist",
        "",
    );
}

#[test]
fn a_program_that_exits_at_once_with_its_last_words() {
    let desk = Desk::without_daemon(&[]);
    let (agent, _) = fake_script(&desk, "brief", &odd_script("exits-at-start"));
    desk.write_config(&[agent]);
    check_start_failure(
        &started(desk),
        "brief",
        "exited with code 1",
        "There is no settings file.",
    );
}

#[test]
fn a_program_that_leaves_a_child_behind_leaves_none() {
    let desk = Desk::with_agents(&[shell_agent(
        "litter",
        "echo no luck >&2; setsid sleep 1000 & exit 4",
    )]);
    check_start_failure(&desk, "litter", "exited with code 4", "no luck");
}

#[test]
fn only_the_last_ten_lines_stand_below_the_reason() {
    let script = "i=1; while [ $i -le 15 ]; do echo line $i. >&2; i=$((i+1)); done; exit 5";
    let desk = Desk::with_agents(&[shell_agent("wordy", script)]);
    check_start_failure(&desk, "wordy", "exited with code 5", "line 6.");
    let error = desk.agent("wordy").error.unwrap();
    assert!(
        error.contains("line 15.") && !error.contains("line 5."),
        "{error}"
    );
}

#[test]
fn another_version_of_the_protocol() {
    let desk = Desk::without_daemon(&[]);
    let (newer, _) = fake_script(&desk, "newer", &odd_script("new-protocol"));
    let (older, _) = fake_script(&desk, "older", &odd_script("old-protocol"));
    desk.write_config(&[newer, older]);
    let desk = started(desk);
    check_start_failure(&desk, "newer", "speaks ACP version 2, this program speaks 1", "");
    check_start_failure(&desk, "older", "speaks ACP version 0, this program speaks 1", "");
}

#[test]
fn a_start_that_is_stopped_ends_at_once() {
    let desk = Desk::without_daemon(&[]);
    let (agent, _) = fake_script(&desk, "mute", &odd_script("silent-start"));
    desk.write_config(&[agent]);
    let desk = started(desk);
    let mut events = desk.events();
    let start = desk.spawn(&["agents", "start", "mute"]);
    events.wait_for_state("mute", AgentState::Starting);
    desk.run(&["agents", "stop", "mute"])
        .expect_code(0)
        .expect_stdout("mute is stopped");
    start
        .finish()
        .expect_code(1)
        .expect_stderr("stopped while it started");
}

#[test]
fn an_agent_that_wants_a_login_and_offers_none_is_left_to_its_own_program() {
    let desk = Desk::without_daemon(&[]);
    let script = desk.path("locked.script");
    let refuses = "expect initialize\nanswer {\"protocolVersion\":1,\"agentCapabilities\":{}}\n\
        expect session/new\nfail -32000 Authentication required\nserve\n";
    std::fs::write(&script, refuses).expect("the test's own file");
    let (agent, report) = fake_script(&desk, "locked", &script);
    desk.write_config(&[agent]);
    let desk = started(desk);
    desk.run(&["ask", "locked", "hello"])
        .expect_code(1)
        .expect_stderr("Authentication required; log in with its own program");
    assert!(!desk.conversation("locked").busy);
    desk.stop_agent("locked");
    report.expect_ok(1, &desk);
}

#[test]
fn agents_that_ignore_the_end_of_stdin_and_sigterm_are_ended_all_the_same() {
    let desk = Desk::without_daemon(&[]);
    let (deaf, _) = fake_script(&desk, "deaf", &odd_script("ignores-eof"));
    let (stubborn, _) = fake_script(&desk, "stubborn", &odd_script("ignores-eof-and-term"));
    desk.write_config(&[deaf, stubborn]);
    let mut desk = started(desk);
    for name in ["deaf", "stubborn"] {
        desk.run(&["ask", name, "hello"])
            .expect_code(0)
            .expect_stdout("First turn.");
    }
    desk.stop_daemon();
    desk.expect_nothing_left();
}
