//! An agent that is a script of a shell is an agent, and no person's shell.

use std::os::unix::fs::PermissionsExt;

use super::{pane, status, wait_for_line};
use crate::support::{Desk, PROGRAM};

/// Runs scripts with this first line, called as an agent and as anything else, in a pane of their own and from a shell.
fn check(first_line: &str) {
    let desk = Desk::start();
    let folder = desk.path("work/bin");
    std::fs::create_dir(&folder).expect("a folder");
    let script = format!(
        "{first_line}\n{PROGRAM} rename $PUPITRE_SURFACE_ID by-$1; echo \"$1 said $?\"\nsleep 600; :\n"
    );
    for name in ["gemini", "build"] {
        let path = folder.join(name);
        std::fs::write(&path, &script).expect("a script");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("the test's own file");
    }
    let start = |name: &str, by: &str| {
        let path = folder.join(name);
        let made = desk.run(&["new", "--", path.to_str().expect("UTF-8"), by]);
        made.expect_code(0);
        made.stdout.split_whitespace().next().expect("an id").to_owned()
    };
    let expect = |id: &str, by: &str, tool: Option<&str>| {
        wait_for_line(&desk, id, &format!("^{by} said"));
        let text = desk.run(&["read", id, "--raw"]).stdout;
        let shown = status(&desk, id);
        assert_eq!(shown.standing.tool.as_deref(), tool, "{text}");
        if tool.is_some() {
            assert!(
                text.contains(&format!("{by} said 1")) && text.contains("AI free access"),
                "{text}"
            );
            let pid = shown.standing.pid.expect("a process");
            let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).expect("it runs");
            assert!(command.contains("bin/gemini"), "{command}");
        } else {
            assert!(text.contains(&format!("{by} said 0")), "{text}");
            assert_eq!(shown.surface_name, format!("by-{by}"));
        }
    };
    expect(&start("gemini", "agent"), "agent", Some("gemini"));
    expect(&start("build", "person"), "person", None);
    // From a person's shell, which stays one.
    let shell = format!(
        "{PROGRAM} rename $PUPITRE_SURFACE_ID shell; echo \"shell said $?\"; {} below; exec sleep 600",
        folder.join("gemini").display()
    );
    let id = pane(&desk, "from-shell", &shell);
    wait_for_line(&desk, &id, "^shell said 0$");
    expect(&id, "below", Some("gemini"));
}

#[test]
fn a_script_that_is_called_as_an_agent_is_one_and_not_a_persons_shell() {
    check("#!/bin/sh");
}

#[test]
fn so_is_one_whose_shell_is_looked_for() {
    check("#!/usr/bin/env bash");
}
