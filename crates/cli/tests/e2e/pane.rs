//! Panes: made, read, searched, waited on, renamed, resized, looked at and closed, as people and scripts do it.

mod attach;
mod events;
mod script;
mod wait;

use std::time::Duration;

use pupitre_protocol::event::{Event, EventKind, SubscribeParams};
use pupitre_protocol::method::{fleet, surface, workspace};
use pupitre_protocol::surface::{SurfaceKind, SurfaceListParams, SurfaceParams, SurfaceState, SurfaceStatus};
use pupitre_protocol::system::Empty;
use pupitre_protocol::workspace::Layout;
use pupitre_protocol::{ErrorKind, SurfaceId};

use crate::support::{Desk, Output, PROGRAM};

/// Makes a pane with a shell script in it, and returns its id.
pub(crate) fn pane(desk: &Desk, name: &str, script: &str) -> String {
    let made = desk.run(&["new", "--name", name, "--", "/bin/sh", "-c", script]);
    made.expect_code(0);
    let id = made.stdout.split_whitespace().next().expect("an id").to_owned();
    assert_eq!(made.stdout, format!("{id}  {name}\n"));
    id
}

/// Waits until a line of the pane matches.
pub(crate) fn wait_for_line(desk: &Desk, target: &str, pattern: &str) -> Output {
    let waited = desk.run(&["wait", "--match", target, "--pattern", pattern, "--timeout", "60"]);
    waited.expect_code(0);
    waited
}

pub(crate) fn status(desk: &Desk, target: &str) -> SurfaceStatus {
    desk.call::<surface::Status>(SurfaceParams {
        surface: target.to_owned(),
    })
}

/// Waits until the program of a pane has ended.
fn wait_for_end(desk: &Desk, target: &str) -> SurfaceStatus {
    let mut events = desk.events_with(&SubscribeParams {
        types: Some(vec![EventKind::SurfaceChanged]),
        ..SubscribeParams::default()
    });
    let id = status(desk, target).surface_id;
    while status(desk, target).exit_status.is_none() {
        events.wait_until("the program ended", |frame| match &frame.event {
            Event::SurfaceChanged(view) => view.surface_id == id && view.exit_status.is_some(),
            _ => false,
        });
    }
    status(desk, target)
}

/// Waits until a pane has this size.
pub(crate) fn wait_for_size(desk: &Desk, target: &str, (columns, rows): (u16, u16)) {
    let mut events = desk.events_with(&SubscribeParams {
        types: Some(vec![EventKind::SurfaceChanged]),
        ..SubscribeParams::default()
    });
    let id = status(desk, target).surface_id;
    let listed = desk.call::<surface::List>(SurfaceListParams::default()).surfaces;
    if listed
        .iter()
        .any(|view| view.surface_id == id && (view.columns, view.rows) == (columns, rows))
    {
        return;
    }
    events.wait_until("the pane has another size", |frame| match &frame.event {
        Event::SurfaceChanged(view) => view.surface_id == id && (view.columns, view.rows) == (columns, rows),
        _ => false,
    });
}

#[test]
fn a_pane_is_made_read_found_and_closed() {
    let desk = Desk::start();
    let id = pane(&desk, "build", "echo one; echo two; echo DONE; exec sleep 7100");
    wait_for_line(&desk, "build", "^DONE$");

    let read = desk.run(&["read", "build"]);
    read.expect_code(0);
    let mut lines = read.stdout.lines();
    let opening = lines.next().expect("a fence");
    assert!(
        opening.starts_with(&format!(
            "<untrusted_terminal_output source=\"surface:{id}\" total_lines=\"3\" eof=\"true\" id=\""
        )),
        "{opening}"
    );
    assert_eq!(lines.by_ref().take(3).collect::<Vec<_>>(), ["one", "two", "DONE"]);
    let fence_id = opening.rsplit('"').nth(1).expect("an id");
    assert_eq!(
        lines.next(),
        Some(format!("</untrusted_terminal_output id=\"{fence_id}\">").as_str())
    );
    assert_eq!(lines.next(), None);

    desk.run(&["read", "build", "--raw", "--lines", "1"])
        .expect_code(0)
        .expect_stdout("DONE\n");
    let json = desk
        .run(&["read", &id, "--json", "--lines", "1", "--offset", "1"])
        .json();
    assert_eq!(json["text"], "two");
    assert_eq!(json["total_lines"], 3);
    assert_eq!(json["eof"], false);
    assert_eq!(json["untrusted"], true);
    desk.run(&["read", &id, "--offset", "3"])
        .expect_code(1)
        .expect_stderr("pupitre: offset 3 is past the end: there are 3 lines\n");

    let found = desk
        .run(&["search", "build", "^t.o$", "--regex", "--json"])
        .json();
    assert_eq!(found["matches"][0]["text"], "two");
    assert_eq!(found["matches"][0]["offset"], 1);
    let found = desk.run(&["search", "--all", "dOnE", "--json"]).json();
    assert_eq!(found["matches"][0]["surface_name"], "build");

    let listed = desk.call::<surface::List>(SurfaceListParams::default()).surfaces;
    assert_eq!(
        listed
            .iter()
            .map(|view| (view.surface_name.as_str(), view.kind))
            .collect::<Vec<_>>(),
        [("build", SurfaceKind::Pane), ("demo", SurfaceKind::Acp)]
    );
    assert_eq!(listed[0].command.as_deref(), Some("sleep 7100"));
    assert_eq!(status(&desk, "build").standing.state, SurfaceState::Idle);

    desk.run(&["close", "build"]).expect_code(0);
    desk.wait_for_no_command_with("sleep 7100");
    desk.run(&["read", "build"]).expect_code(3);
}

#[test]
fn a_program_that_ends_at_once_is_read_whole_with_its_exit_status() {
    let desk = Desk::start();
    for (script, code) in [
        ("printf 'last words'; exit 3", Some(3)),
        ("echo last words; kill -9 $$", None),
    ] {
        let id = pane(&desk, &format!("short{}", code.unwrap_or(0)), script);
        let status = wait_for_end(&desk, &id);
        let exit = status.exit_status.expect("it has ended");
        assert_eq!(exit.code, code);
        assert_eq!(exit.signal.as_deref(), code.is_none().then_some("SIGKILL"));
        assert_eq!(status.standing.state, SurfaceState::Idle);
        desk.run(&["read", &id, "--raw"])
            .expect_code(0)
            .expect_stdout("last words\n");
        // What has ended takes no more input, and stays until it is closed.
        desk.run(&["close", &id]).expect_code(0);
    }
}

#[test]
fn the_environment_of_a_pane_is_that_of_a_terminal_of_ours() {
    let mut desk = Desk::without_daemon(&[]);
    for (name, value) in [
        ("TMUX", "/tmp/tmux-0/default,1,0"),
        ("CLAUDECODE", "1"),
        ("CLAUDE_CODE_USE_BEDROCK", "1"),
        ("TERM", "dumb"),
        ("PUPITRE_SURFACE_ID", "999"),
    ] {
        desk.set_variable(name, value);
    }
    desk.start_daemon();
    let made = desk.run(&[
        "new",
        "--name",
        "env",
        "--env",
        "OWN=yes",
        "--",
        "/bin/sh",
        "-c",
        "env; tty; stty size; echo END; exec sleep 600",
    ]);
    made.expect_code(0);
    let id = made.stdout.split_whitespace().next().expect("an id").to_owned();
    wait_for_line(&desk, "env", "^END$");
    let text = desk.run(&["read", "env", "--raw"]).stdout;
    let has = |line: &str| text.lines().any(|there| there == line);
    assert!(
        has("TERM=xterm-256color") && has("COLORTERM=truecolor") && has("OWN=yes"),
        "{text}"
    );
    assert!(has(&format!("PUPITRE_SURFACE_ID={id}")), "{text}");
    assert!(
        has(&format!("PUPITRE_SOCKET_PATH={}", desk.socket().display())),
        "{text}"
    );
    assert!(
        has("CLAUDE_CODE_USE_BEDROCK=1"),
        "what configures a program stays: {text}"
    );
    assert!(has("24 80"), "{text}");
    assert!(text.contains("/dev/pts/"), "{text}");
    for gone in ["TMUX=", "CLAUDECODE=", "TERM=dumb"] {
        assert!(!text.lines().any(|line| line.starts_with(gone)), "{gone}: {text}");
    }
}

#[test]
fn every_verb_tells_missing_and_ambiguous_targets_apart() {
    let desk = Desk::start();
    pane(&desk, "build-a", "exec sleep 600");
    pane(&desk, "build-b", "exec sleep 601");
    let verbs: &[&[&str]] = &[
        &["status", "@"],
        &["read", "@"],
        &["search", "@", "x"],
        &["explain", "@"],
        &["wait", "--match", "@", "--idle"],
        &["rename", "@", "new-name"],
        &["resize", "@", "80", "24"],
        &["focus", "@"],
        &["split", "@"],
        &["close", "@"],
        &["watch", "--surface", "@"],
    ];
    for verb in verbs {
        for (target, word) in [
            ("nobody", "no"),
            ("build", "build-b"),
            ("999999", "999999"),
            ("cwd:", "no"),
            ("cmdline:no-such-program", "no"),
            ("cmdline:sleep", "build-b"),
        ] {
            let arguments: Vec<&str> = verb
                .iter()
                .map(|word| if *word == "@" { target } else { *word })
                .collect();
            let output = desk.run(&arguments);
            output.expect_code(3);
            assert!(output.stderr.contains(word), "{arguments:?}: {}", output.stderr);
            assert!(
                output.stderr.contains("build-a"),
                "{arguments:?} names candidates: {}",
                output.stderr
            );
            assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
        }
    }
    // The same targets by what means one of them.
    for target in ["build-a", "BUILD-A", "cmdline:SLEEP 600"] {
        assert_eq!(status(&desk, target).surface_name, "build-a", "{target}");
    }
    for usage in [
        vec!["status"],
        vec!["read", "build-a", "--lines", "0"],
        vec!["read", "build-a", "--lines", "4001"],
        vec!["search", "build-a"],
        vec!["wait", "--match", "build-a"],
        vec!["wait", "--match", "build-a", "--match", "build-b", "--idle"],
        vec!["resize", "build-a", "x", "24"],
        vec!["new", "--agent", "claude", "--", "sh"],
        vec!["watch", "--type", "no.such"],
    ] {
        desk.run(&usage).expect_code(2);
    }
}

#[test]
fn names_are_kept_or_follow_the_program_and_are_one_persons_each() {
    let desk = Desk::start();
    pane(&desk, "mine", "exec sleep 600");
    // A name that somebody has, an agent's too, and what can be no name.
    for name in ["mine", "demo", "42", "cwd:x", "CMDLINE:x", ""] {
        desk.run(&["new", "--name", name, "--", "sleep", "600"])
            .expect_code(1);
    }
    let first = desk.run(&["new", "--", "sleep", "601"]);
    first.expect_code(0);
    assert!(first.stdout.ends_with("  sleep\n"), "{}", first.stdout);
    let second = desk.run(&["new", "--", "sleep", "602"]);
    assert!(second.stdout.ends_with("  sleep-2\n"), "{}", second.stdout);
    // Whoever is given a name gets it from whoever is only called so.
    desk.run(&["rename", "mine", "sleep"]).expect_code(0);
    let names: Vec<String> = desk
        .call::<surface::List>(SurfaceListParams::default())
        .surfaces
        .into_iter()
        .map(|view| view.surface_name)
        .collect();
    assert!(
        names.contains(&"sleep".to_owned()) && names.contains(&"sleep-2".to_owned()),
        "{names:?}"
    );
    assert_eq!(names.len(), 4);
    assert!(names.contains(&"sleep-3".to_owned()), "{names:?}");
}

#[test]
fn panes_made_at_once_have_names_of_their_own() {
    let desk = Desk::start();
    let made: Vec<_> = (0..8)
        .map(|_| desk.spawn(&["new", "--", "sleep", "7200"]))
        .collect();
    for made in made {
        made.finish().expect_code(0);
    }
    let made: Vec<_> = (0..8)
        .map(|_| desk.spawn(&["new", "--name", "same", "--", "sleep", "7201"]))
        .collect();
    let made = made.into_iter().map(|made| made.finish().code == Some(0));
    assert_eq!(made.filter(|made| *made).count(), 1, "one of them gets the name");
    let mut names: Vec<String> = desk
        .call::<surface::List>(SurfaceListParams::default())
        .surfaces
        .into_iter()
        .map(|view| view.surface_name)
        .collect();
    names.sort();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all, "{names:?}");
}

#[test]
fn a_program_that_ends_with_its_input_unread_freezes_nobody() {
    let desk = Desk::start();
    // Its own questions are answered, and it reads none of the answers: more than the kernel keeps.
    let asks = "stty raw -echo; i=0; while [ $i -lt 200 ]; do printf '%1000s' | sed 's/ /\\x1b[c/g'; i=$((i+1)); done; exit 3";
    for name in ["one", "two", "three"] {
        pane(&desk, name, asks);
    }
    for name in ["one", "two", "three"] {
        assert_eq!(
            wait_for_end(&desk, name).exit_status.expect("it has ended").code,
            Some(3)
        );
    }
    pane(&desk, "after", "echo still here; exec sleep 7202");
    wait_for_line(&desk, "after", "still here");
    for name in ["one", "after"] {
        desk.run(&["close", name]).expect_code(0);
    }
}

#[test]
fn what_lies_outside_the_window_is_not_gone() {
    let desk = Desk::start();
    let id = pane(&desk, "a", "read line; seq 300; read line");
    let mark = status(&desk, "a").mark;
    crate::http::type_as_person(&desk, "a", "\r");
    wait_for_line(&desk, "a", "^300$");
    let read = |lines: &str| -> serde_json::Value {
        let output = desk.run(&["read", &id, "--after", &mark, "--lines", lines, "--json"]);
        serde_json::from_str(&output.stdout).expect("it is JSON")
    };
    let short = read("200");
    assert_eq!(
        (&short["missing"], &short["truncated"]),
        (&false.into(), &true.into())
    );
    let whole = read("1000");
    assert_eq!(
        (&whole["missing"], &whole["truncated"]),
        (&false.into(), &false.into())
    );
    desk.run(&["ls", "--workspace", "99999"]).expect_code(3);
}

#[test]
fn what_cannot_be_started_makes_nothing() {
    let desk = Desk::start();
    for arguments in [
        vec!["new", "--", "no-such-program-anywhere"],
        vec!["new", "--cwd", "/no/such/folder"],
        vec!["new", "--", "/etc/passwd"],
    ] {
        let output = desk.run(&arguments);
        output.expect_code(1);
        assert!(
            output.stderr.contains("/") || output.stderr.contains("PATH"),
            "{}",
            output.stderr
        );
    }
    assert_eq!(
        desk.call::<surface::List>(SurfaceListParams::default())
            .surfaces
            .len(),
        1
    );
}

#[test]
fn ids_are_never_given_again() {
    let mut desk = Desk::start();
    let first: u64 = pane(&desk, "a", "exec sleep 600").parse().expect("a number");
    desk.run(&["close", "a"]).expect_code(0);
    let second: u64 = pane(&desk, "a", "exec sleep 600").parse().expect("a number");
    let agent = status(&desk, "demo").surface_id;
    desk.stop_daemon();
    desk.start_daemon();
    let third: u64 = pane(&desk, "a", "exec sleep 600").parse().expect("a number");
    assert!(first < second && second < third);
    assert_eq!(
        status(&desk, "demo").surface_id,
        agent,
        "an agent's surface is one"
    );
    desk.kill_daemon();
    desk.start_daemon();
    let fourth: u64 = pane(&desk, "a", "exec sleep 600").parse().expect("a number");
    assert!(third < fourth);
}

#[test]
fn all_that_a_pane_started_ends_with_it_and_with_the_daemon() {
    let mut desk = Desk::start();
    let tree = "trap '' HUP TERM; setsid sleep 6001 & (setsid sleep 6002 &) ; echo UP; sleep 6003";
    pane(&desk, "tree", tree);
    wait_for_line(&desk, "tree", "^UP$");
    desk.run(&["close", "tree"]).expect_code(0);
    for number in ["6001", "6002", "6003"] {
        assert_eq!(
            desk.commands_with(&format!("sleep {number}")),
            Vec::<String>::new()
        );
    }
    pane(&desk, "again", "setsid sleep 6004 & exec sleep 6005");
    desk.stop_daemon();
    desk.expect_nothing_left();
    desk.start_daemon();
    pane(&desk, "killed", "setsid sleep 6006 & exec sleep 6007");
    desk.kill_daemon();
    desk.wait_for_no_command_with("sleep 6006");
    desk.wait_for_no_command_with("sleep 6007");
}

#[test]
fn workspaces_are_split_laid_out_and_closed() {
    let desk = Desk::start();
    let first = pane(&desk, "first", "exec sleep 7101");
    let split = desk.run(&[
        "split", "first", "--name", "second", "--below", "--", "sleep", "7102",
    ]);
    split.expect_code(0);
    let current = desk.call::<workspace::Current>(Empty {});
    assert_eq!(current.name, "main");
    let Some(Layout::Split { parts, .. }) = &current.layout else {
        panic!("{current:?}");
    };
    assert_eq!(parts.len(), 2);
    assert_eq!(
        parts[0].layout,
        Layout::Pane {
            surface: SurfaceId(first.parse().expect("a number"))
        }
    );
    desk.run(&["workspace", "new", "other"]).expect_code(0);
    pane(&desk, "third", "exec sleep 7103");
    let third = status(&desk, "third").surface_id;
    let workspaces = desk.call::<workspace::List>(Empty {}).workspaces;
    assert_eq!(workspaces.len(), 2);
    assert_eq!(workspaces[1].layout, Some(Layout::Pane { surface: third }));
    assert!(workspaces[1].current);
    desk.run(&["select", "main"]).expect_code(0);
    assert_eq!(desk.call::<workspace::Current>(Empty {}).name, "main");
    desk.run(&["focus", "third"]).expect_code(0);
    assert_eq!(desk.call::<workspace::Current>(Empty {}).name, "other");
    desk.run(&["workspace", "rename", "other", "MAIN"])
        .expect_code(1)
        .expect_stderr("MAIN");
    desk.run(&["workspace", "rename", "oth", "tests"]).expect_code(0);
    assert_eq!(desk.call::<workspace::Current>(Empty {}).name, "tests");
    desk.run(&["workspace", "close", "main"]).expect_code(0);
    desk.wait_for_no_command_with("sleep 7101");
    desk.wait_for_no_command_with("sleep 7102");
    let names: Vec<String> = desk
        .call::<surface::List>(SurfaceListParams::default())
        .surfaces
        .into_iter()
        .map(|view| view.surface_name)
        .collect();
    assert_eq!(names, ["third", "demo"]);
    let (kind, _) = desk.call_refused::<workspace::Select>(pupitre_protocol::workspace::WorkspaceParams {
        workspace: "main".to_owned(),
    });
    assert_eq!(kind, ErrorKind::NotFound);
}

#[test]
fn an_agent_in_a_pane_is_recognised_with_its_process_and_gone_with_it() {
    let desk = Desk::start();
    assert_eq!(
        desk.run(&["ps", "--json"]).expect_code(0).json()["agents"],
        serde_json::json!([])
    );
    // A program that is called as the agent is, beside one that only says the name.
    let folder = desk.path("work/bin");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::copy("/bin/sleep", folder.join("claude")).expect("a program");
    let program = folder.join("claude");
    pane(&desk, "no-agent", "exec sleep 600 # claude");
    let shell = pane(
        &desk,
        "shell",
        &format!("{} 700; echo OVER; exec sleep 601", program.display()),
    );
    let mut events = desk.events_with(&SubscribeParams {
        types: Some(vec![EventKind::StateChanged]),
        ..SubscribeParams::default()
    });
    let found = fleet_of_one(&desk);
    assert_eq!(found.standing.tool.as_deref(), Some("claude"));
    assert_eq!(found.surface_id.to_string(), shell);
    assert_eq!(found.standing.state, SurfaceState::UnknownRunning);
    assert_eq!(found.standing.reason.as_deref(), Some("no_hook"));
    let pid = found.standing.pid.expect("a process");
    let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).expect("it runs");
    assert!(command.contains("claude"), "{command}");
    // Its end takes the state along, without anybody asking.
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(i32::try_from(pid).expect("a small number")).expect("not 0"),
        rustix::process::Signal::KILL,
    )
    .expect("it runs");
    events.wait_until("the pane is idle", |frame| match &frame.event {
        Event::StateChanged(changed) => {
            changed.surface_id.to_string() == shell && changed.standing.state == SurfaceState::Idle
        }
        _ => false,
    });
    assert!(desk.call::<fleet::List>(Empty {}).agents.is_empty());
}

fn fleet_of_one(desk: &Desk) -> pupitre_protocol::fleet::FleetAgent {
    let deadline = std::time::Instant::now() + Duration::from_secs(60);
    loop {
        let mut agents = desk.call::<fleet::List>(Empty {}).agents;
        if let Some(agent) = agents.pop() {
            assert!(agents.is_empty(), "{agents:?}");
            return agent;
        }
        assert!(std::time::Instant::now() < deadline, "no agent was recognised");
        // The shell has not started it yet.
        std::thread::yield_now();
    }
}

#[test]
fn a_persons_shell_in_a_pane_is_outside_and_what_an_agent_there_runs_is_inside() {
    let desk = Desk::start();
    let folder = desk.path("work/bin");
    std::fs::create_dir(&folder).expect("a folder");
    // An agent in a script: the interpreter's file is called as the agent is.
    std::os::unix::fs::symlink("/bin/sh", folder.join("claude")).expect("a link");
    let agent = folder.join("claude");
    let tries = "$P rename @ by-NAME; echo NAME said $?";
    let by = |name: &str| {
        tries
            .replace("NAME", name)
            .replace('@', "$PUPITRE_SURFACE_ID")
            .replace("$P ", &format!("{PROGRAM} "))
    };
    std::fs::write(desk.path("work/inside.sh"), by("agent")).expect("a script");
    let script = format!(
        "{}; {} {}; exec sleep 600",
        by("person"),
        agent.display(),
        desk.path("work/inside.sh").display()
    );
    let id = pane(&desk, "shell", &script);
    wait_for_line(&desk, &id, "^agent said");
    let text = desk.run(&["read", &id, "--raw"]).stdout;
    assert!(text.contains("person said 0"), "{text}");
    assert!(
        text.contains("agent said 1") && text.contains("AI free access"),
        "{text}"
    );
    assert_eq!(status(&desk, &id).surface_name, "by-person");
}
