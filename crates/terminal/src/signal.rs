//! What a program tells its terminal beside what it draws: titles, bells, notifications, prompts, its own state.
//!
//! The emulator drops most of these sequences, so they are read here. Everything in them comes from a program that
//! nobody vouches for: texts are bounded and hold no control characters.

pub(crate) mod directory;
pub(crate) mod notification;
pub(crate) mod prompt;
pub(crate) mod status;

use std::collections::VecDeque;

use directory::WorkingDirectory;
use notification::{Notification, Progress};
use prompt::PromptMark;
use status::StatusChange;

/// Something a program told its terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// BEL. Several in a row come as one.
    Bell,
    /// A new title (OSC 0, 2); empty when it was taken away.
    Title(String),
    /// The working directory (OSC 7).
    WorkingDirectory(WorkingDirectory),
    /// A step of a shell's prompt (OSC 133). Some agents paint these around their messages: no proof of a shell.
    Prompt(PromptMark),
    /// A notification for the person (OSC 9, 777, 99).
    Notification(Notification),
    /// Progress of what runs (OSC 9;4).
    Progress(Progress),
    /// The program's own state (OSC 7501).
    Status(StatusChange),
}

/// Signals that may wait to be taken; the oldest go when there are more.
const WAITING: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct Signals(VecDeque<Signal>);

impl Signals {
    pub(crate) fn push(&mut self, signal: Signal) {
        let repeats = match (&signal, self.0.back_mut()) {
            (Signal::Bell, Some(Signal::Bell)) => true,
            (Signal::Title(new), Some(Signal::Title(last))) => {
                last.clone_from(new);
                true
            }
            _ => false,
        };
        if repeats {
            return;
        }
        if self.0.len() == WAITING {
            self.0.pop_front();
        }
        self.0.push_back(signal);
    }

    pub(crate) fn take(&mut self) -> Vec<Signal> {
        std::mem::take(&mut self.0).into()
    }
}

/// Returns bytes as text without control characters, at most `most` characters of it.
fn clean_text(bytes: &[u8], most: usize) -> String {
    String::from_utf8_lossy(bytes)
        .chars()
        .filter(|character| !character.is_control())
        .take(most)
        .collect()
}
