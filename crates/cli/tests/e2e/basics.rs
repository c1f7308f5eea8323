//! Beginning and end: the daemon in the background, one daemon for all, wrong use, the configuration, `stop`.

use crate::support::{Desk, utf8};

/// Verbs that ask a daemon and start none.
const ASKING_VERBS: [&[&str]; 13] = [
    &["agents"],
    &["agents", "--json"],
    &["agents", "stop", "demo"],
    &["agents", "logs", "demo"],
    &["agents", "trace", "demo"],
    &["chat", "show", "demo"],
    &["chat", "cancel", "demo"],
    &["chat", "permissions"],
    &["chat", "history"],
    &["chat", "withdraw", "01933a8c-0d2f-7c1e-9b1a-5f0e2d3c4b5a"],
    &["chat", "answer", "01933a8c-0d2f-7c1e-9b1a-5f0e2d3c4b5a", "yes"],
    &["watch"],
    &["stop"],
];

#[test]
fn alone_it_starts_the_daemon_and_says_what_comes_next() {
    let desk = Desk::without_daemon(&[]);
    std::fs::remove_file(desk.config()).unwrap();
    let output = desk.run(&[]);
    output
        .expect_code(0)
        .expect_stdout("is running, with")
        .expect_stdout(utf8(&desk.config()))
        .expect_stdout("demo")
        .expect_stdout("next: pupitre ask demo \"hello\"");
    assert!(desk.config().exists(), "there is a configuration to begin with");
    // The second time it finds the daemon.
    let again = desk.run(&[]);
    again.expect_code(0).expect_stdout("next: pupitre ask demo");
    assert!(!again.stderr.contains("starting"), "{again:#?}");
    desk.run(&["ask", "demo", "hello"])
        .expect_code(0)
        .expect_stdout("I am the **demo agent**");
    desk.run(&["stop"])
        .expect_code(0)
        .expect_stdout("the daemon has stopped");
    desk.expect_nothing_left();
    assert!(!desk.socket().exists(), "the socket is taken away");
    desk.run(&["stop"]).expect_code(1).expect_stderr("no daemon runs");
}

#[test]
fn verbs_that_need_a_daemon_say_that_none_runs() {
    let desk = Desk::without_daemon(&[]);
    for verb in ASKING_VERBS {
        desk.run(verb)
            .expect_code(1)
            .expect_stderr("no daemon runs; start it with `pupitre`");
    }
    assert!(!desk.socket().exists());
}

#[test]
fn verbs_that_use_an_agent_start_the_daemon() {
    for verb in [
        &["ask", "demo", "hello"][..],
        &["chat", "send", "demo", "hello"],
        &["chat", "new", "demo"],
        &["agents", "start", "demo"],
        &["agents", "restart", "demo"],
    ] {
        let desk = Desk::without_daemon(&[]);
        desk.run(verb).expect_code(0);
        desk.run(&["stop"]).expect_code(0);
    }
}

#[test]
fn several_who_start_it_at_once_make_one_daemon() {
    let desk = Desk::without_daemon(&[]);
    let runs: Vec<_> = (0..4).map(|_| desk.spawn(&[])).collect();
    for run in runs {
        run.finish().expect_code(0).expect_stdout("is running");
    }
    let processes = desk.processes();
    if cfg!(target_os = "linux") {
        let daemons = processes.iter().filter(|line| line.contains(" serve ")).count();
        assert_eq!(daemons, 1, "{processes:#?}");
    }
    desk.run(&["stop"]).expect_code(0);
}

#[test]
fn a_second_daemon_says_so() {
    let desk = Desk::start();
    desk.run(&["serve"]).expect_code(1).expect_stderr("pupitre");
    desk.run(&["agents"]).expect_code(0);
}

#[test]
fn wrong_use_is_found_before_anything_is_asked() {
    // No daemon runs, and none is started: the exit code is that of the use.
    let desk = Desk::without_daemon(&[]);
    for (arguments, named) in [
        (&["sing"][..], "sing"),
        (&["agents", "sing"], "sing"),
        (&["agents", "--loud"], "--loud"),
        (&["ask", "demo", "hello", "--loud"], "--loud"),
        (&["ask", "demo"], "TEXT"),
        (&["ask", "demo", "hello", "--allow", "--deny"], "--deny"),
        (&["watch", "--type", "message:sung"], "message:sung"),
        (&["watch", "--since", "yesterday"], "yesterday"),
        (&["watch", "--agent", "Not A Name"], "Not A Name"),
        (&["chat", "show", "demo", "--limit", "many"], "many"),
        (&["chat", "withdraw", "this-one"], "this-one"),
        (
            &["chat", "answer", "01933a8c-0d2f-7c1e-9b1a-5f0e2d3c4b5a"],
            "OPTION",
        ),
    ] {
        let output = desk.run(arguments);
        output.expect_code(2).expect_stderr(named);
        assert_eq!(output.stderr.lines().count(), 1, "one sentence: {output:#?}");
    }
    // A verb that has verbs of its own tells them.
    for (verb, own) in [
        ("config", "  check "),
        ("chat", "  send "),
        ("channel", "  list "),
        ("workspace", "  new "),
    ] {
        let output = desk.run(&[verb]);
        output
            .expect_code(2)
            .expect_stderr(own)
            .expect_stderr("Usage: pupitre");
        assert!(!output.stderr.starts_with("pupitre:"), "{output:#?}");
        assert_eq!(output.stdout, "");
    }
    assert!(!desk.socket().exists());
}

#[test]
fn version_and_help_need_no_daemon() {
    let desk = Desk::without_daemon(&[]);
    desk.run(&["--version"])
        .expect_code(0)
        .expect_stdout(concat!("pupitre ", env!("CARGO_PKG_VERSION")));
    desk.run(&["--help"]).expect_code(0).expect_stdout("ask");
}

#[test]
fn another_configuration_than_the_daemons_is_an_error_that_names_both() {
    let desk = Desk::start();
    let other = desk.path("other.toml");
    std::fs::write(&other, "").unwrap();
    for verb in [&["agents"][..], &["ask", "demo", "hello"], &["stop"], &[]] {
        let arguments: Vec<&str> = verb.iter().copied().chain(["--config", utf8(&other)]).collect();
        desk.run(&arguments)
            .expect_code(1)
            .expect_stderr(utf8(&other))
            .expect_stderr(utf8(&desk.config()));
    }
    desk.run(&["agents", "--config", utf8(&desk.config())])
        .expect_code(0);
}

#[test]
fn a_configuration_that_cannot_be_used_is_told_with_its_place() {
    let desk = Desk::without_daemon(&[]);
    std::fs::write(desk.config(), "[[agents]]\nname = \"demo\"\n").unwrap();
    desk.run(&[])
        .expect_code(0)
        .expect_stdout("line 1")
        .expect_stdout("neither \"command\" nor \"preset\"");
    desk.run(&["ask", "demo", "hello"]).expect_code(3);
    desk.run(&["stop"]).expect_code(0);
}

#[test]
fn the_socket_and_its_folder_are_for_nobody_else() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::start();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&desk.socket()), 0o600);
    assert_eq!(mode(desk.socket().parent().unwrap()), 0o700);
}

#[test]
fn stop_waits_for_a_turn_that_runs_and_leaves_nothing() {
    let mut desk = Desk::start();
    let mut events = desk.events();
    let sent = desk.send("demo", "wait");
    events.wait_for_text("I am waiting");
    desk.stop_daemon();
    let ended = events.wait_for_end_of_turn(sent.message_id);
    assert_eq!(
        ended.stop_reason,
        Some(pupitre_protocol::conversation::StopReason::Cancelled)
    );
    events.wait_for_close();
    desk.expect_nothing_left();
}

#[test]
fn a_watcher_prints_each_frame_on_a_line() {
    let desk = Desk::start();
    let watch = desk.spawn(&["watch", "--type", "turn:changed", "--agent", "demo"]);
    watch.wait_for_stdout("subscribed");
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    watch.wait_for_stdout("\"busy\":false");
    watch.interrupt();
    let output = watch.finish();
    output.expect_code(130);
    let mut kinds = Vec::new();
    for line in output.stdout.lines() {
        let frame: serde_json::Value = serde_json::from_str(line).unwrap();
        for field in ["epoch", "seq", "ts"] {
            assert!(!frame[field].is_null(), "{field} in {line}");
        }
        kinds.push(frame["type"].as_str().unwrap().to_owned());
    }
    assert_eq!(kinds, ["subscribed", "turn:changed", "turn:changed"]);
}
