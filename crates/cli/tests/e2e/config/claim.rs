//! Which file counts when several are named, and what is no file at all.

use std::os::unix::fs::symlink;

use pupitre_protocol::method::config;
use pupitre_protocol::system::Empty;

use super::text;
use crate::support::{Desk, shell_agent, utf8};

#[test]
fn another_file_than_the_daemons_is_refused_however_it_is_named() {
    let mut desk = Desk::start();
    let other = desk.path("work/other.toml");
    std::fs::write(&other, text("Other")).unwrap();
    let held = desk.config();
    let both = |output: &crate::support::Output| {
        output
            .expect_code(1)
            .expect_stderr(utf8(&held))
            .expect_stderr(utf8(&other));
    };
    both(&desk.run(&["--config", utf8(&other), "agents"]));
    desk.set_variable("PUPITRE_CONFIG", utf8(&other));
    for arguments in [
        &["agents"][..],
        &["ask", "demo", "hello"],
        &["config", "path"],
        &["config", "check"],
    ] {
        both(&desk.run(arguments));
    }
    desk.run(&["doctor"])
        .expect_code(1)
        .expect_stdout("holds the configuration")
        .expect_stdout(utf8(&other));
    // A link to the same file is the same file.
    let link = desk.path("work/link.toml");
    symlink(desk.config(), &link).unwrap();
    desk.run(&["--config", utf8(&link), "config", "path"])
        .expect_code(0)
        .expect_stdout(utf8(&desk.config()));
    // Having it hold the other one, and ending it, are the ways out.
    desk.run(&["config", "open", "other.toml"]).expect_code(0);
    desk.run(&["config", "path"])
        .expect_code(0)
        .expect_stdout(utf8(&other));
    desk.run(&["agents"]).expect_code(0);
    desk.set_variable("PUPITRE_CONFIG", "/no/such.toml");
    desk.stop_daemon();
}

#[test]
fn what_an_agent_starts_talks_to_its_daemon_and_claims_no_file() {
    let script = "echo \"claims [$PUPITRE_CONFIG]\" >&2; exit 1";
    let mut desk = Desk::without_daemon(&[shell_agent("a", script)]);
    let file = desk.config();
    desk.set_variable("PUPITRE_CONFIG", utf8(&file));
    desk.start_daemon();
    desk.run(&["agents", "start", "a"]).expect_code(1);
    desk.run(&["agents", "logs", "a"])
        .expect_code(0)
        .expect_stdout("claims []");
}

#[test]
fn a_check_reads_files_alone_and_no_more_than_they_may_have() {
    let desk = Desk::without_daemon(&[]);
    let pipe = desk.path("work/pipe.toml");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .expect("a pipe");
    for what in ["/dev/zero", "pipe.toml", "."] {
        desk.run(&["config", "check", what])
            .expect_code(1)
            .expect_stderr("it is no regular file");
    }
    std::fs::write(desk.path("work/large.toml"), "#".repeat(600 << 10)).unwrap();
    desk.run(&["config", "check", "large.toml"])
        .expect_code(1)
        .expect_stdout("524288 are the most");
}

#[test]
fn opening_another_file_tells_what_becomes_of_the_agents() {
    let desk = Desk::start();
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    let other = desk.path("work/other.toml");
    std::fs::write(&other, text("Other")).unwrap();
    let mut states = desk.events();
    desk.run(&["config", "open", "other.toml"]).expect_code(0);
    states.wait_for_state("demo", pupitre_protocol::agent::AgentState::Stopped);
    assert_eq!(desk.call::<config::Current>(Empty {}).path, utf8(&other));
}
