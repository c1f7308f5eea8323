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
    /// Each kind apart, with the number of each among all: a spinner in a title would push everything else out.
    kinds: [VecDeque<(u64, ToldSignal)>; KINDS],
    count: u64,
}

/// The kinds of signals, besides records of the state.
const KINDS: usize = 6;

impl Told {
    pub(super) fn take(&mut self, at: u64, signal: Signal) {
        let (kind, name, text) = match signal {
            Signal::Status(change) => {
                keep(&mut self.statuses, ToldStatus { at, change });
                return;
            }
            Signal::Bell => (0, "bell", String::new()),
            Signal::Title(title) => (1, "title", title),
            Signal::WorkingDirectory(directory) => (2, "directory", directory.path.display().to_string()),
            Signal::Prompt(mark) => (3, "prompt", prompt_text(mark.step)),
            Signal::Notification(shown) => {
                let text = match (shown.title.as_str(), shown.body.as_str()) {
                    ("", text) | (text, "") => text.to_owned(),
                    (title, body) => format!("{title}: {body}"),
                };
                (4, "notification", text)
            }
            Signal::Progress(progress) => (5, "progress", progress_text(progress)),
        };
        let told = ToldSignal {
            at,
            signal: name,
            text: cut(&harmless(&text)),
        };
        self.count += 1;
        keep(&mut self.kinds[kind], (self.count, told));
    }

    /// Returns what is kept besides records of the state, in the order in which it came.
    pub(crate) fn signals(&self) -> Vec<&ToldSignal> {
        let mut all: Vec<&(u64, ToldSignal)> = self.kinds.iter().flatten().collect();
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, told)| told).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_again_and_again_pushes_nothing_else_out() {
        let mut told = Told::default();
        told.take(1, Signal::Bell);
        told.take(2, Signal::Title("first".to_owned()));
        for at in 3..1_000 {
            told.take(at, Signal::Title(format!("turn {at}")));
        }
        told.take(1_000, Signal::Progress(Progress::Paused(7)));
        let signals = told.signals();
        let shown = |signal: &ToldSignal| (signal.at, signal.signal, signal.text.clone());
        assert_eq!(signals.len(), TOLD_SIGNALS + 2);
        assert_eq!(shown(signals[0]), (1, "bell", String::new()));
        assert_eq!(
            shown(signals[TOLD_SIGNALS]),
            (999, "title", "turn 999".to_owned())
        );
        assert_eq!(
            shown(signals[TOLD_SIGNALS + 1]),
            (1_000, "progress", "paused at 7 %".to_owned())
        );
        assert!(signals.is_sorted_by_key(|signal| signal.at));
    }
}
