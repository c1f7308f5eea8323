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
/// Bytes of text in them.
const WAITING_BYTES: usize = 1 << 20;

#[derive(Debug, Default)]
pub(crate) struct Signals {
    waiting: VecDeque<Signal>,
    text_bytes: usize,
}

impl Signals {
    pub(crate) fn push(&mut self, signal: Signal) {
        match (&signal, self.waiting.back()) {
            (Signal::Bell, Some(Signal::Bell)) => return,
            (Signal::Title(_), Some(Signal::Title(replaced))) => {
                self.text_bytes -= replaced.len();
                self.waiting.pop_back();
            }
            _ => {}
        }
        self.text_bytes += signal.text_bytes();
        self.waiting.push_back(signal);
        while self.waiting.len() > WAITING || self.text_bytes > WAITING_BYTES {
            let Some(oldest) = self.waiting.pop_front() else {
                break;
            };
            self.text_bytes -= oldest.text_bytes();
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Signal> {
        self.text_bytes = 0;
        std::mem::take(&mut self.waiting).into()
    }
}

impl Signal {
    fn text_bytes(&self) -> usize {
        match self {
            Self::Bell | Self::Prompt(_) | Self::Progress(_) => 0,
            Self::Title(title) => title.len(),
            Self::WorkingDirectory(directory) => directory.host.len() + directory.path.as_os_str().len(),
            Self::Notification(shown) => shown.title.len() + shown.body.len(),
            Self::Status(StatusChange::Set(record)) => {
                record.id.as_str().len() + record.app.len() + record.title.len() + record.message.len()
            }
            Self::Status(StatusChange::Cleared(id)) => id.as_str().len(),
        }
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
