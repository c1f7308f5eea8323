//! All cases, by name, and the reports that they expect. Scripts get their tag as `$1` and put it into the command
//! line of all they start.

mod daemon;
mod start;
mod terminal;
mod tree;

use std::collections::BTreeSet;

use libtest_mimic::{Failed, Trial};
use pupitre_guard::wire::GuardReport;

macro_rules! cases {
    ($($noun:ident: { $($name:ident),* $(,)? })*) => {
        vec![$($(
            Trial::test(concat!(stringify!($noun), "::", stringify!($name)), || -> Result<(), Failed> {
                $noun::$name();
                Ok(())
            })
        ),*),*]
    };
}

pub(crate) fn all() -> Vec<Trial> {
    cases! {
        start: {
            exit_codes_and_signals_are_reported,
            a_program_that_cannot_run_is_reported_and_leaves_nothing,
            the_program_gets_what_it_was_given_and_nothing_else,
            ignored_signals_are_not_inherited,
            pipes_end_with_the_last_process_that_holds_them,
            what_the_guard_does_not_understand_is_reported,
            without_a_daemon_there_is_no_guard,
            a_guard_is_small,
        }
        tree: {
            the_waits_are_five_and_three_seconds,
            an_obedient_agent_gets_no_signal,
            an_agent_that_ignores_the_end_of_its_input_gets_sigterm,
            an_agent_that_ignores_sigterm_gets_sigkill,
            a_stopped_agent_hears_sigterm,
            an_agent_without_its_first_thread_is_no_dead_agent,
            all_generations_get_sigterm_at_once,
            what_a_launcher_leaves_in_another_session_is_ended,
            a_double_fork_without_environment_is_ended,
            a_flood_of_forks_is_ended,
        }
        terminal: {
            the_program_has_a_terminal_of_its_own,
            a_program_that_asks_for_nothing_hears_that_its_terminal_is_gone,
            a_program_that_ignores_it_gets_the_rest_of_the_ladder,
            a_lost_daemon_takes_the_terminal_along,
            a_program_that_cannot_run_leaves_no_terminal,
        }
        daemon: {
            a_guard_without_a_program_leaves_when_asked,
            a_lost_daemon_ends_the_tree,
            a_killed_daemon_ends_the_tree,
            a_daemon_that_does_not_read_does_not_delay_the_ladder,
            sigterm_to_the_guard_ends_the_tree_at_once,
            the_guard_ignores_hangup_and_interrupt,
            a_killed_guard_takes_the_leader_along,
        }
    }
}

fn exited(code: i32) -> GuardReport {
    GuardReport::Exited {
        code: Some(code),
        signal: None,
    }
}

fn killed(signal: i32) -> GuardReport {
    GuardReport::Exited {
        code: None,
        signal: Some(signal),
    }
}

fn signalled(signal: i32, pids: &[u32]) -> GuardReport {
    GuardReport::Signalled {
        signal,
        pids: pids.to_vec(),
    }
}

fn is_signalled(report: &GuardReport) -> bool {
    matches!(report, GuardReport::Signalled { .. })
}

fn pids_signalled(reports: &[GuardReport], wanted: i32) -> BTreeSet<u32> {
    let mut all = BTreeSet::new();
    for report in reports {
        if let GuardReport::Signalled { signal, pids } = report
            && *signal == wanted
        {
            all.extend(pids);
        }
    }
    all
}
