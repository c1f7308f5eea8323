//! The terminal of a pane: handed over, controlling, and gone for its programs when the tree is asked to end.

use std::fs::File;
use std::io::{Read, Write};

use pupitre_guard::wire::{GraceMs, GuardReport, TerminalSize};

use super::{exited, pids_signalled};
use crate::guard::guarded::{Guarded, NEVER_MS, SHORT};

const SIZE: TerminalSize = TerminalSize {
    columns: 100,
    rows: 30,
};

/// Reads what programs wrote, until it holds this text.
fn read_until(terminal: &mut File, text: &str) -> String {
    let mut seen = Vec::new();
    let mut chunk = [0; 4096];
    while !String::from_utf8_lossy(&seen).contains(text) {
        match terminal.read(&mut chunk) {
            Ok(0) | Err(_) => break,
            Ok(count) => seen.extend_from_slice(&chunk[..count]),
        }
    }
    let seen = String::from_utf8_lossy(&seen).into_owned();
    assert!(seen.contains(text), "{seen:?}");
    seen
}

pub(crate) fn the_program_has_a_terminal_of_its_own() {
    let mut guarded = Guarded::start();
    let script = "tty; stty size; ps -o tpgid= -p $$ | tr -d ' '; echo pid $$; read line; echo got $line";
    let (pid, terminal) = guarded.run_on_terminal(SHORT, SIZE, script);
    let mut terminal = File::from(terminal);
    let said = read_until(&mut terminal, "pid ");
    assert!(said.contains("/dev/pts/") && said.contains("30 100"), "{said:?}");
    assert!(
        said.contains(&format!("{pid}\r\n")),
        "it is in the foreground: {said:?}"
    );
    terminal.write_all(b"typed\n").unwrap();
    read_until(&mut terminal, "got typed");
    assert!(guarded.until_gone().contains(&exited(0)));
}

pub(crate) fn a_program_that_asks_for_nothing_hears_that_its_terminal_is_gone() {
    let mut guarded = Guarded::start();
    let grace = GraceMs {
        term: NEVER_MS,
        kill: NEVER_MS,
    };
    let (_, terminal) = guarded.run_on_terminal(
        grace,
        SIZE,
        "trap 'echo hung up; exit 4' HUP; echo up; sleep 600.$1 & wait; kill %1",
    );
    let mut terminal = File::from(terminal);
    read_until(&mut terminal, "up");
    guarded.stop();
    read_until(&mut terminal, "hung up");
    guarded.until(|report| *report == exited(4));
    // What it left in the background is in no terminal's foreground, and gets its time; the test does not wait for that.
    guarded.ask(&pupitre_guard::wire::GuardRequest::Terminate);
    let reports = guarded.until_gone();
    assert!(reports.contains(&exited(4)), "{reports:?}");
    assert!(pids_signalled(&reports, 9).is_empty(), "{reports:?}");
}

pub(crate) fn a_program_that_ignores_it_gets_the_rest_of_the_ladder() {
    let mut guarded = Guarded::start();
    let (pid, terminal) = guarded.run_on_terminal(
        SHORT,
        SIZE,
        "trap '' HUP TERM; echo up; while :; do sleep 600.$1; done",
    );
    let mut terminal = File::from(terminal);
    read_until(&mut terminal, "up");
    guarded.stop();
    let reports = guarded.until_gone();
    assert!(pids_signalled(&reports, 15).contains(&pid), "{reports:?}");
    assert!(pids_signalled(&reports, 9).contains(&pid), "{reports:?}");
}

pub(crate) fn a_lost_daemon_takes_the_terminal_along() {
    let mut guarded = Guarded::start();
    let (_, terminal) = guarded.run_on_terminal(SHORT, SIZE, "echo up; setsid sleep 600.$1 & cat");
    let mut terminal = File::from(terminal);
    read_until(&mut terminal, "up");
    drop(terminal);
    guarded.lose_daemon();
    guarded.until_exit();
}

pub(crate) fn a_program_that_cannot_run_leaves_no_terminal() {
    let mut guarded = Guarded::start();
    guarded.ask_on_terminal(SHORT, SIZE, &["/no/such/program"]);
    drop(guarded.take_terminal());
    let reports = guarded.until_gone();
    assert!(
        matches!(&reports[..], [GuardReport::SpawnFailed { .. }, GuardReport::Gone]),
        "{reports:?}"
    );
}
