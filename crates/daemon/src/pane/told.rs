//! What programs told their terminal: records of their state (OSC 7501), titles, notifications. Kept as it came, bounded.

use std::collections::VecDeque;

use pupitre_protocol::limits::{TOLD_SIGNALS, TOLD_TEXT_BYTES};
use pupitre_terminal::{
    BlockedKind, Progress, PromptStep, Signal, StatusChange, StatusRecord, StatusState, harmless,
};

/// A record of a program's state, with the time at which it was read, in epoch milliseconds.
#[derive(Debug, Clone)]
pub(crate) struct ToldStatus {
    pub(crate) at: u64,
    pub(crate) change: StatusChange,
}

/// Something else that was told, with the time at which it was read, in epoch milliseconds.
#[derive(Debug, Clone)]
pub(crate) struct ToldSignal {
    pub(crate) at: u64,
    pub(crate) signal: &'static str,
    pub(crate) text: String,
}

/// All that was told, the newest last.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) statuses: VecDeque<ToldStatus>,
    pub(crate) signals: VecDeque<ToldSignal>,
}

impl Told {
    pub(super) fn take(&mut self, at: u64, signal: Signal) {
        let (name, text) = match signal {
            Signal::Status(change) => {
                keep(&mut self.statuses, ToldStatus { at, change });
                return;
            }
            Signal::Bell => ("bell", String::new()),
            Signal::Title(title) => ("title", title),
            Signal::WorkingDirectory(directory) => ("directory", directory.path.display().to_string()),
            Signal::Prompt(mark) => ("prompt", prompt_text(mark.step)),
            Signal::Notification(shown) => match (shown.title.as_str(), shown.body.as_str()) {
                ("", body) => ("notification", body.to_owned()),
                (title, "") => ("notification", title.to_owned()),
                (title, body) => ("notification", format!("{title}: {body}")),
            },
            Signal::Progress(progress) => ("progress", progress_text(progress)),
        };
        let told = ToldSignal {
            at,
            signal: name,
            text: cut(&harmless(&text)),
        };
        keep(&mut self.signals, told);
    }
}

fn keep<Item>(kept: &mut VecDeque<Item>, item: Item) {
    if kept.len() == TOLD_SIGNALS {
        kept.pop_front();
    }
    kept.push_back(item);
}

/// Cuts a text at its limit.
pub(crate) fn cut(text: &str) -> String {
    if text.len() <= TOLD_TEXT_BYTES {
        return text.to_owned();
    }
    let mut cut: String = text[..text.floor_char_boundary(TOLD_TEXT_BYTES)].to_owned();
    cut.push('…');
    cut
}

fn prompt_text(step: PromptStep) -> String {
    match step {
        PromptStep::Prompt => "prompt".to_owned(),
        PromptStep::Input => "input".to_owned(),
        PromptStep::Output => "output".to_owned(),
        PromptStep::End {
            exit_code: Some(code),
        } => format!("end, exit code {code}"),
        PromptStep::End { exit_code: None } => "end".to_owned(),
    }
}

fn progress_text(progress: Progress) -> String {
    match progress {
        Progress::None => "none".to_owned(),
        Progress::Running(percent) => format!("{percent} %"),
        Progress::Failed(percent) => format!("failed at {percent} %"),
        Progress::Unknown => "running".to_owned(),
        Progress::Paused(percent) => format!("paused at {percent} %"),
    }
}

/// Returns the words of a record's state: the state, and what it is blocked on.
pub(crate) fn status_words(record: &StatusRecord) -> (&'static str, Option<&'static str>) {
    match record.state {
        StatusState::Idle => ("idle", None),
        StatusState::Working => ("working", None),
        StatusState::Done => ("done", None),
        StatusState::Error => ("error", None),
        StatusState::Blocked(kind) => (
            "blocked",
            match kind {
                BlockedKind::Permission => Some("permission"),
                BlockedKind::Question => Some("question"),
                BlockedKind::Auth => Some("auth"),
                BlockedKind::Unsaid => None,
            },
        ),
    }
}
