//! `wait`: lines that are there, that come, that scroll past; several targets; ends and closings; agents' turns.

use pupitre_protocol::method::surface;
use pupitre_protocol::surface::{Evidence, Quorum, SurfaceState, SurfaceWaitParams};
use pupitre_protocol::{ErrorKind, ExitCode};

use super::{pane, status, wait_for_line};
use crate::support::Desk;

/// A script that goes on when a file is there.
fn when(desk: &Desk, file: &str, then: &str) -> String {
    let path = desk.path(&format!("work/{file}"));
    format!("while [ ! -e {} ]; do sleep 0.01; done; {then}", path.display())
}

fn let_go(desk: &Desk, file: &str) {
    std::fs::write(desk.path(&format!("work/{file}")), "").expect("a file");
}

fn pattern(targets: &[&str], pattern: &str) -> SurfaceWaitParams {
    SurfaceWaitParams {
        surfaces: targets.iter().map(|target| (*target).to_owned()).collect(),
        idle: false,
        pattern: Some(pattern.to_owned()),
        new: false,
        after: None,
        quorum: None,
        for_ms: None,
        timeout_ms: Some(60_000),
    }
}

#[test]
fn a_pattern_is_tested_line_by_line_and_what_is_there_counts() {
    let desk = Desk::start();
    pane(
        &desk,
        "a",
        "echo 'not DONE: yet'; echo 'DONE: all'; exec sleep 600",
    );
    let waited = wait_for_line(&desk, "a", "^DONE:");
    assert!(waited.stdout.contains("DONE: all"), "{}", waited.stdout);
    assert!(!waited.stdout.contains("yet"), "{}", waited.stdout);
    assert!(
        waited.stdout.contains("<untrusted_terminal_output"),
        "{}",
        waited.stdout
    );
    // Only what comes from now on, or after a mark.
    desk.run(&[
        "wait",
        "--match",
        "a",
        "--pattern",
        "^DONE:",
        "--new",
        "--timeout",
        "0.2",
    ])
    .expect_code(i32::from(ExitCode::Timeout as u8));
    let mark = status(&desk, "a").mark;
    desk.run(&[
        "wait",
        "--match",
        "a",
        "--pattern",
        "^DONE:",
        "--after",
        &mark,
        "--timeout",
        "0.2",
    ])
    .expect_code(4);
    desk.run(&["wait", "--match", "a", "--pattern", "(", "--timeout", "0.2"])
        .expect_code(1);
}

#[test]
fn a_line_that_comes_after_a_mark_counts_also_when_it_came_before_the_wait() {
    let desk = Desk::start();
    pane(
        &desk,
        "a",
        &format!("echo ready; {}", when(&desk, "go", "echo ready; exec sleep 600")),
    );
    wait_for_line(&desk, "a", "^ready$");
    let mark = status(&desk, "a").mark;
    let_go(&desk, "go");
    let reply = desk.call::<surface::Wait>(SurfaceWaitParams {
        after: Some(mark.clone()),
        ..pattern(&["a"], "^ready$")
    });
    assert!(reply.matched);
    // And once more: it is there already.
    let reply = desk.call::<surface::Wait>(SurfaceWaitParams {
        after: Some(mark.clone()),
        ..pattern(&["a"], "^ready$")
    });
    assert_eq!(reply.matches[0].lines, ["ready"]);
    let read = desk.run(&["read", "a", "--raw", "--after", &mark]);
    read.expect_code(0).expect_stdout("ready\n");
    // A mark of another pane is none.
    pane(&desk, "b", "exec sleep 600");
    desk.run(&["read", "b", "--after", &mark]).expect_code(1);
}

#[test]
fn a_line_that_scrolls_past_within_many_others_is_caught() {
    let desk = Desk::start();
    pane(
        &desk,
        "flood",
        &when(
            &desk,
            "go",
            "seq 50000; echo NEEDLE; seq 50000; echo END; exec sleep 600",
        ),
    );
    let mut client = desk.client();
    let waiting = std::thread::spawn(move || client.call::<surface::Wait>(&pattern(&["flood"], "^NEEDLE$")));
    // It counts wherever the wait begins: before the flood, or in it.
    let_go(&desk, "go");
    let reply = waiting.join().expect("no panic").expect("it is caught");
    assert_eq!(reply.matches[0].lines, ["NEEDLE"]);
}

#[test]
fn a_prompt_is_found_with_the_blank_behind_it() {
    let desk = Desk::start();
    pane(
        &desk,
        "a",
        &when(&desk, "go", "printf 'then: \\npw: '; exec sleep 600"),
    );
    let mut client = desk.client();
    let waiting = std::thread::spawn(move || client.call::<surface::Wait>(&pattern(&["a"], "^pw: $")));
    let_go(&desk, "go");
    let reply = waiting.join().expect("no panic").expect("it is found");
    assert_eq!(reply.matches[0].lines, ["pw: "]);
    // What is there already counts as well, and the text without the blank, as before.
    for there in ["^pw: $", "^pw:$", "w: "] {
        wait_for_line(&desk, "a", there);
    }
    desk.run(&["wait", "--match", "a", "--pattern", "then: $", "--timeout", "0.2"])
        .expect_code(i32::from(ExitCode::Timeout as u8));
}

#[test]
fn several_targets_need_any_or_all_and_hits_accumulate() {
    let desk = Desk::start();
    pane(&desk, "a", "echo HERE; exec sleep 600");
    pane(
        &desk,
        "b",
        &when(&desk, "go", "echo HERE; seq 300; exec sleep 600"),
    );
    let several = |quorum| SurfaceWaitParams {
        quorum: Some(quorum),
        ..pattern(&["a", "b"], "^HERE$")
    };
    let any = desk.call::<surface::Wait>(several(Quorum::Any));
    assert_eq!(any.surfaces, [status(&desk, "a").surface_id]);
    let (kind, _) = desk.call_refused::<surface::Wait>(SurfaceWaitParams {
        timeout_ms: Some(200),
        ..several(Quorum::All)
    });
    assert_eq!(kind, ErrorKind::Timeout);
    let mut client = desk.client();
    let waiting = std::thread::spawn(move || client.call::<surface::Wait>(&several(Quorum::All)));
    let_go(&desk, "go");
    let all = waiting.join().expect("no panic").expect("both match");
    assert_eq!(all.surfaces.len(), 2);
    assert_eq!(all.state, None);
    let (kind, _) = desk.call_refused::<surface::Wait>(pattern(&["a", "b"], "x"));
    assert_eq!(kind, ErrorKind::InvalidParams);
}

#[test]
fn a_target_that_closes_or_ends_ends_the_wait_at_once() {
    let desk = Desk::start();
    pane(&desk, "closing", "exec sleep 600");
    let mut client = desk.client();
    let waiting = std::thread::spawn(move || client.call::<surface::Wait>(&pattern(&["closing"], "never")));
    desk.run(&["close", "closing"]).expect_code(0);
    // Closed before the wait began, it is not found; closed during it, it is closed.
    let error = waiting
        .join()
        .expect("no panic")
        .expect_err("it is closed")
        .to_string();
    assert!(error.contains("closing"), "{error}");

    pane(&desk, "ending", "echo something else");
    let (kind, message) = desk.call_refused::<surface::Wait>(pattern(&["ending"], "never"));
    assert_eq!(kind, ErrorKind::ProgramEnded);
    assert!(message.contains("ending"), "{message}");
    // What it said before its end counts.
    wait_for_line(&desk, "ending", "something");
}

#[test]
fn a_wait_ends_with_its_caller_and_not_with_the_end_of_its_questions() {
    use std::io::{Read as _, Write as _};
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream;

    let desk = Desk::start();
    pane(&desk, "a", &when(&desk, "go", "echo HERE; exec sleep 600"));
    let ask = |pattern: &str| {
        let mut stream = UnixStream::connect(desk.socket()).expect("the daemon listens");
        let params = format!(r#"{{"surfaces":["a"],"pattern":"{pattern}","timeout_ms":600000}}"#);
        let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"surface.wait","params":{params}}}"#);
        writeln!(stream, "{request}").expect("it reads");
        stream
    };
    // As many as may wait on a pane, all of whose callers go away.
    for _ in 0..pupitre_protocol::limits::PANE_WAITS {
        drop(ask("never"));
    }
    // One that only asks no more still gets its answer, and there is room for it once the others are forgotten.
    let reply = loop {
        let mut stream = ask("^HERE$");
        stream.shutdown(Shutdown::Write).expect("it is open");
        let_go(&desk, "go");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("an answer");
        if !reply.contains("which is the limit") {
            break reply;
        }
    };
    assert!(reply.contains(r#""matched":true"#), "{reply}");
}

#[test]
fn quiet_is_said_to_be_no_more_than_quiet() {
    let desk = Desk::start();
    pane(&desk, "a", "echo one; exec sleep 600");
    let reply = desk.call::<surface::Wait>(SurfaceWaitParams {
        idle: true,
        for_ms: Some(100),
        ..pattern(&["a"], "one")
    });
    assert!(reply.idle && reply.matched);
    assert_eq!(reply.evidence, Evidence::Quiet);
}

#[test]
fn quiet_after_a_mark_needs_something_to_come_first() {
    let desk = Desk::start();
    pane(&desk, "a", &when(&desk, "go", "echo gone; exec sleep 600"));
    pane(&desk, "b", &when(&desk, "end", "exit"));
    let idle_after = |name: &str, timeout: &'static str| {
        let mark = status(&desk, name).mark;
        let arguments = [
            "wait",
            "--match",
            name,
            "--idle",
            "--for",
            "10",
            "--after",
            &mark,
            "--timeout",
            timeout,
        ];
        desk.spawn(&arguments)
    };
    // It is quiet since long, but nothing came of what is waited for.
    idle_after("a", "0.2")
        .finish()
        .expect_code(i32::from(ExitCode::Timeout as u8));
    let waits = idle_after("a", "60");
    let_go(&desk, "go");
    waits.finish().expect_code(0);
    // Nothing will come of one that ends.
    let waits = idle_after("b", "60");
    let_go(&desk, "end");
    waits.finish().expect_code(0);
}

#[test]
fn a_pattern_that_is_no_expression_says_why_in_one_line() {
    let desk = Desk::start();
    pane(&desk, "a", "exec sleep 600");
    for arguments in [
        ["wait", "--match", "a", "--pattern", "(x"],
        ["search", "a", "(x", "--regex", "--json"],
    ] {
        desk.run(&arguments)
            .expect_code(1)
            .expect_stderr("unclosed group");
    }
    desk.run(&["wait", "--match", "a", "--pattern", ""])
        .expect_code(1)
        .expect_stderr("the pattern is empty");
}

#[test]
fn an_agents_turn_is_waited_for_and_a_question_ends_the_wait() {
    let desk = Desk::start();
    assert_eq!(status(&desk, "demo").standing.state, SurfaceState::Idle);
    assert_eq!(status(&desk, "demo").standing.reason.as_deref(), Some("stopped"));
    let mark = status(&desk, "demo").mark;
    desk.send("demo", "hello");
    desk.run(&[
        "wait",
        "--match",
        "demo",
        "--idle",
        "--after",
        &mark,
        "--timeout",
        "60",
    ])
    .expect_code(0);
    let now = status(&desk, "demo");
    assert_eq!(now.standing.state, SurfaceState::Finished);
    assert!(now.standing.last_result.is_some());
    let listed = desk.run(&["ps", "--json"]).expect_code(0).json();
    assert_eq!(listed["agents"][0]["tool"], "demo");
    assert_eq!(listed["agents"][0]["state"], "finished");
    let read = desk.run(&["read", "demo", "--raw"]).stdout;
    assert!(read.starts_with("> hello\n"), "{read}");
    let after = desk.run(&["read", "demo", "--raw", "--after", &mark]).stdout;
    assert_eq!(after, read, "all of it came after the mark");
    desk.run(&["focus", "demo"]).expect_code(0);
    assert_eq!(
        status(&desk, "demo").standing.state,
        SurfaceState::Idle,
        "a person has seen it"
    );

    let mark = status(&desk, "demo").mark;
    desk.send("demo", "ask");
    let waited = desk.run(&[
        "wait",
        "--match",
        "demo",
        "--idle",
        "--after",
        &mark,
        "--timeout",
        "60",
    ]);
    waited.expect_code(1);
    assert!(waited.stderr.contains("demo asks: "), "{}", waited.stderr);
    assert_eq!(
        status(&desk, "demo").standing.state,
        SurfaceState::WaitingForInput
    );
    for verb in [
        vec!["rename", "demo", "x"],
        vec!["resize", "demo", "80", "24"],
        vec!["close", "demo"],
    ] {
        let output = desk.run(&verb);
        output.expect_code(1);
        assert!(output.stderr.contains("conversation"), "{}", output.stderr);
    }
}
