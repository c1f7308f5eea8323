//! Permission requests of the turn: who answers them, and with what.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::sync::mpsc::SyncSender;
use std::thread;

use pupitre_protocol::conversation::{Permission, PermissionOption};

use super::session::AskEvent;
use crate::output::Device;

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// `--allow`: the first option that allows once, and never one that allows for ever.
    AllowOnce,
    /// `--deny`: the first option that rejects once.
    RejectOnce,
    /// The person at the terminal.
    AskPerson,
    /// Nobody is there: it is answered without choosing.
    Nobody,
}

/// What is to be done with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    Choose { option_id: String, note: String },
    Dismiss { note: String },
    Ask,
}

impl Rule {
    /// Decides what is done with a request.
    pub(super) fn decide(self, permission: &Permission) -> Decision {
        let title = &permission.tool_call.title;
        let by_kind = |kind: &str, done: &str, flag: &str| match first_of(&permission.options, kind) {
            Some(option) => Decision::Choose {
                option_id: option.option_id.clone(),
                note: format!("{done} ({flag}): {title}: {}", option.name),
            },
            None => Decision::Dismiss {
                note: format!("answered without choosing, for no option is {kind} ({flag}): {title}"),
            },
        };
        match self {
            Self::AllowOnce => by_kind("allow_once", "allowed", "--allow"),
            Self::RejectOnce => by_kind("reject_once", "rejected", "--deny"),
            Self::Nobody => Decision::Dismiss {
                note: format!(
                    "answered without choosing, for nobody is here to ask (--allow or --deny choose): {title}"
                ),
            },
            Self::AskPerson => Decision::Ask,
        }
    }
}

fn first_of<'options>(
    options: &'options [PermissionOption],
    kind: &str,
) -> Option<&'options PermissionOption> {
    options.iter().find(|option| option.kind == kind)
}

/// What a person typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    Option(String),
    Dismiss,
    /// No number of an option.
    Unclear,
}

/// Reads the answer of a person; without one, stdin has ended.
pub(super) fn choice(permission: &Permission, line: Option<&str>) -> Choice {
    let Some(line) = line else { return Choice::Dismiss };
    match line.trim().parse::<usize>() {
        Ok(0) => Choice::Dismiss,
        Ok(number) => match permission.options.get(number - 1) {
            Some(option) => Choice::Option(option.option_id.clone()),
            None => Choice::Unclear,
        },
        Err(_) => Choice::Unclear,
    }
}

/// Returns what stdin is connected with.
pub(super) fn stdin_device() -> Device {
    if io::stdin().is_terminal() {
        Device::Terminal
    } else {
        Device::Pipe
    }
}

/// Reads lines from stdin on a thread of its own, for as long as the program lives.
pub(super) fn listen(events: SyncSender<AskEvent>) {
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if events.send(AskEvent::Typed(Some(line))).is_err() {
                return;
            }
        }
        // Nobody listens any more when the turn has ended.
        events.send(AskEvent::Typed(None)).ok();
    });
}

/// Forgets what was typed before the question was there: it was no answer to it.
#[cfg(unix)]
pub(super) fn forget_typed_ahead() {
    // A terminal that refuses this has nothing to forget.
    rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush).ok();
}

#[cfg(not(unix))]
pub(super) fn forget_typed_ahead() {}
