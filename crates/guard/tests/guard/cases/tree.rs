//! How trees of all shapes are brought to their end.

use std::collections::BTreeSet;

use pupitre_guard::wire::{GraceMs, GuardReport, GuardRequest};
use pupitre_guard::{KILL_AFTER, TERMINATE_AFTER};

use super::{exited, is_signalled, killed, pids_signalled, signalled};
use crate::guard::guarded::{Guarded, NEVER_MS, SHORT};

pub(crate) fn the_waits_are_five_and_three_seconds() {
    assert_eq!((TERMINATE_AFTER.as_secs(), KILL_AFTER.as_secs()), (5, 3));
}

pub(crate) fn an_obedient_agent_gets_no_signal() {
    // Often, because the request to stop and the agent's own end cross on the way in ever new orders.
    for _ in 0..30 {
        let mut guarded = Guarded::start();
        let pid = guarded.run(
            Some(GraceMs {
                term: NEVER_MS,
                kill: NEVER_MS,
            }),
            &["/usr/bin/cat"],
        );
        guarded.stop();
        assert_eq!(
            guarded.until_gone(),
            [GuardReport::Started { pid }, exited(0), GuardReport::Gone]
        );
    }
}

pub(crate) fn an_agent_that_ignores_the_end_of_its_input_gets_sigterm() {
    let mut guarded = Guarded::start();
    let sleep = format!("600.{}", guarded.tag);
    let pid = guarded.run(
        Some(GraceMs {
            term: 200,
            kill: NEVER_MS,
        }),
        &["/usr/bin/sleep", &sleep],
    );
    guarded.stop();
    // A second request changes nothing.
    guarded.ask(&GuardRequest::Stop);
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

pub(crate) fn an_agent_that_ignores_sigterm_gets_sigkill() {
    let mut guarded = Guarded::start();
    let pid = guarded.run_script(SHORT, "trap '' TERM; echo ready; while :; do sleep 600.$1; done");
    assert_eq!(guarded.line(), "ready");
    guarded.stop();
    let reports = guarded.until_gone();
    let mut order: Vec<i32> = reports
        .iter()
        .filter_map(|report| match report {
            GuardReport::Signalled { signal, .. } => Some(*signal),
            GuardReport::Terminal
            | GuardReport::Started { .. }
            | GuardReport::SpawnFailed { .. }
            | GuardReport::Exited { .. }
            | GuardReport::Reaped { .. }
            | GuardReport::Warning { .. }
            | GuardReport::Gone => None,
        })
        .collect();
    order.dedup();
    assert_eq!(order, [15, 9], "{reports:?}");
    assert!(pids_signalled(&reports, 9).contains(&pid), "{reports:?}");
    assert!(reports.contains(&killed(9)), "{reports:?}");
}

pub(crate) fn a_stopped_agent_hears_sigterm() {
    let mut guarded = Guarded::start();
    let grace = GraceMs {
        term: 200,
        kill: NEVER_MS,
    };
    let pid = guarded.run_script(
        grace,
        "trap 'exit 7' TERM; echo ready; kill -STOP $$; sleep 600.$1",
    );
    assert_eq!(guarded.line(), "ready");
    guarded.stop();
    let reports = guarded.until_gone();
    assert_eq!(pids_signalled(&reports, 15).first(), Some(&pid), "{reports:?}");
    assert!(reports.contains(&exited(7)), "{reports:?}");
}

pub(crate) fn an_agent_without_its_first_thread_is_no_dead_agent() {
    let mut guarded = Guarded::start();
    let this = std::env::current_exe()
        .unwrap()
        .into_os_string()
        .into_string()
        .unwrap();
    let tag = guarded.tag.clone();
    let pid = guarded.run(
        Some(GraceMs {
            term: 200,
            kill: NEVER_MS,
        }),
        &[&this, "shed-first-thread", &tag],
    );
    assert_eq!(guarded.line(), "ready");
    guarded.stop();
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

pub(crate) fn all_generations_get_sigterm_at_once() {
    let mut guarded = Guarded::start();
    let grace = GraceMs {
        term: 200,
        kill: NEVER_MS,
    };
    // Nobody comes back to the guard before its children have ended: each generation hears SIGTERM, and waits for
    // its own sleeper and for the next generation all the same.
    let leader = guarded.run_script(
        grace,
        "outlive() { while kill -0 $1 2>/dev/null; do wait $1; done; }; \
         generation() { trap : TERM; if [ $1 -lt 6 ]; then sh -c 'echo $$; exec sleep 600.$0' $2 & sleeper=$!; \
         generation $(($1 + 1)) $2 & next=$!; outlive $sleeper; outlive $next; fi; }; generation 0 $1",
    );
    let sleepers: BTreeSet<u32> = (0..6).map(|_| guarded.line().parse().unwrap()).collect();
    assert_eq!(sleepers.len(), 6);
    guarded.stop();
    let GuardReport::Signalled { signal: 15, pids } = guarded.until(is_signalled) else {
        panic!("no SIGTERM first");
    };
    let pids: BTreeSet<u32> = pids.into_iter().collect();
    assert!(pids.is_superset(&sleepers), "{pids:?} of {sleepers:?}");
    assert!(pids.contains(&leader));
    // A shell for each sleeper: the leader and five more.
    assert!(pids.len() >= 12, "{pids:?}");
    let reports = guarded.until_gone();
    assert_eq!(pids_signalled(&reports, 15), pids);
    assert_eq!(pids_signalled(&reports, 9), BTreeSet::new());
}

pub(crate) fn what_a_launcher_leaves_in_another_session_is_ended() {
    let mut guarded = Guarded::start();
    let grace = GraceMs {
        term: 200,
        kill: NEVER_MS,
    };
    let leader = guarded.run_script(grace, "setsid sh -c 'echo $$; exec sleep 600.$0' $1 & exit 4");
    let left: u32 = guarded.line().parse().unwrap();
    assert_eq!(
        guarded.until_gone(),
        [
            GuardReport::Started { pid: leader },
            exited(4),
            signalled(15, &[left]),
            GuardReport::Reaped {
                pid: left,
                code: None,
                signal: Some(15)
            },
            GuardReport::Gone,
        ]
    );
}

pub(crate) fn a_double_fork_without_environment_is_ended() {
    let mut guarded = Guarded::start();
    // Both generations between the leader and the daemon end before it says who it is; then the leader obeys.
    guarded.run_script(
        GraceMs { term: 200, kill: NEVER_MS },
        "env -i /usr/bin/setsid /bin/sh -c '/usr/bin/setsid /bin/sh -c \"echo \\$\\$; exec /usr/bin/sleep 600.\\$0\" $0 \
         </dev/null 2>/dev/null & exit 0' $1; exec cat >/dev/null",
    );
    let left: u32 = guarded.line().parse().unwrap();
    guarded.stop();
    let reports = guarded.until_gone();
    assert!(reports.contains(&exited(0)), "{reports:?}");
    assert_eq!(
        pids_signalled(&reports, 15),
        BTreeSet::from([left]),
        "{reports:?}"
    );
    assert!(
        reports.contains(&GuardReport::Reaped {
            pid: left,
            code: None,
            signal: Some(15)
        }),
        "{reports:?}"
    );
}

pub(crate) fn a_flood_of_forks_is_ended() {
    let mut guarded = Guarded::start();
    // Two kinds of lines of processes that are gone as soon as they have been seen, each having forked the next: in the
    // leader's group, and each in a session of its own. Many others stay. All ignore SIGTERM.
    let leader = guarded.run_script(
        GraceMs { term: 0, kill: 0 },
        "trap '' TERM; n=0; while [ $n -lt 100 ]; do sleep 600.$1 & n=$((n + 1)); done; \
         leap='setsid sh -c \"$0\" \"$0\" $1 &'; sh -c \"$leap\" \"$leap\" $1; sh -c \"$leap\" \"$leap\" $1; \
         flee() { flee & }; flee; flee; wait",
    );
    for _ in 0..200 {
        guarded.until(|report| matches!(report, GuardReport::Reaped { .. }));
    }
    guarded.stop();
    let reports = guarded.until_gone();
    assert!(pids_signalled(&reports, 9).contains(&leader), "{reports:?}");
}
