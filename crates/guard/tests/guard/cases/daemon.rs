//! What happens when something happens to the daemon, or to the guard itself.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use pupitre_guard::wire::{GraceMs, GuardReport};
use rustix::process::Signal;

use super::{exited, killed, signalled};
use crate::guard::guarded::{
    Guarded, NEVER_MS, SHORT, assert_nobody, await_end_of, await_waited_for, open, this_binary,
};

pub(crate) fn a_guard_without_a_program_leaves_when_asked() {
    let mut guarded = Guarded::start();
    guarded.stop();
    assert_eq!(guarded.until_gone(), [GuardReport::Gone]);

    let mut guarded = Guarded::start();
    guarded.lose_daemon();
    guarded.until_exit();
}

pub(crate) fn a_lost_daemon_ends_the_tree() {
    let mut guarded = Guarded::start();
    guarded.run_script(
        SHORT,
        "trap '' TERM; setsid sleep 600.$1 & echo ready; while :; do sleep 600.$1; done",
    );
    assert_eq!(guarded.line(), "ready");
    guarded.lose_daemon();
    assert_eq!(guarded.rest_of_output(), "");
    guarded.until_exit();
}

pub(crate) fn a_killed_daemon_ends_the_tree() {
    let tag = format!("{:07}999", std::process::id());
    let mut daemon = this_binary()
        .args(["daemon", &tag])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(daemon.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let mut pids = line.split_whitespace().map(|pid| pid.parse::<u32>().unwrap());
    let (guard, agent) = (open(pids.next().unwrap()), open(pids.next().unwrap()));
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    await_end_of(&agent);
    await_end_of(&guard);
    assert_nobody(&tag);
}

pub(crate) fn a_daemon_that_does_not_read_does_not_delay_the_ladder() {
    let mut guarded = Guarded::start();
    // More ends than a socket holds, then one that has to be killed.
    let leader = guarded.run_script(
        SHORT,
        "trap '' TERM; n=0; while [ $n -lt 1500 ]; do (: & :); n=$((n + 1)); done; echo done; sleep 600.$1",
    );
    assert_eq!(guarded.line(), "done");
    guarded.stop();
    assert_eq!(guarded.rest_of_output(), "");
    // Nothing has been read, and the tree is gone: the guard has to stay with its last reports.
    await_waited_for(leader);
    let reports = guarded.until_gone();
    assert!(
        reports.contains(&killed(9)),
        "{:?}",
        &reports[reports.len() - 4..]
    );
    let reaped = reports
        .iter()
        .filter(|report| matches!(report, GuardReport::Reaped { .. }))
        .count();
    assert!(
        reaped < 1500,
        "a socket held {reaped} reports, so this test has shown nothing"
    );
}

pub(crate) fn sigterm_to_the_guard_ends_the_tree_at_once() {
    let mut guarded = Guarded::start();
    let sleep = format!("600.{}", guarded.tag);
    let never = GraceMs {
        term: NEVER_MS,
        kill: NEVER_MS,
    };
    let pid = guarded.run(Some(never), &["/usr/bin/sleep", &sleep]);
    guarded.signal_guard(Signal::TERM);
    assert_eq!(
        guarded.until_gone(),
        [
            GuardReport::Started { pid },
            signalled(15, &[pid]),
            killed(15),
            GuardReport::Gone
        ]
    );
}

pub(crate) fn the_guard_ignores_hangup_and_interrupt() {
    let mut guarded = Guarded::start();
    let never = GraceMs {
        term: NEVER_MS,
        kill: NEVER_MS,
    };
    let pid = guarded.run(Some(never), &["/usr/bin/cat"]);
    guarded.signal_guard(Signal::HUP);
    guarded.signal_guard(Signal::INT);
    guarded.stop();
    assert_eq!(
        guarded.until_gone(),
        [GuardReport::Started { pid }, exited(0), GuardReport::Gone]
    );
}

pub(crate) fn a_killed_guard_takes_the_leader_along() {
    let mut guarded = Guarded::start();
    let sleep = format!("600.{}", guarded.tag);
    let never = GraceMs {
        term: NEVER_MS,
        kill: NEVER_MS,
    };
    let leader = open(guarded.run(Some(never), &["/usr/bin/sleep", &sleep]));
    guarded.signal_guard(Signal::KILL);
    await_end_of(&leader);
    guarded.process.wait().unwrap();
    assert_nobody(&guarded.tag);
}
