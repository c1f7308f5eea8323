//! Recordings of real agents: what they draw, what they tell of themselves, what they ask.

use std::time::Instant;

use pupitre_terminal::{
    BlockedKind, NotificationSource, Screen, ScreenOptions, Signal, StatusChange, StatusState,
};

use crate::differential::{Compare, Plain, difference, unbounded};
use crate::recording_file::{self, Recording, recording, recordings};

fn played(recording: &Recording) -> (Screen, Vec<Signal>, Vec<u8>) {
    let mut screen = Screen::new(ScreenOptions {
        size: recording.size,
        ..ScreenOptions::default()
    });
    let (mut signals, mut replies) = (Vec::new(), Vec::new());
    for bytes in &recording.output {
        screen.feed(bytes, Instant::now());
        signals.append(&mut screen.take_signals());
        replies.append(&mut screen.take_replies());
    }
    (screen, signals, replies)
}

#[test]
fn every_recording_is_what_the_emulator_alone_makes_of_it() {
    for recording in recordings() {
        let (mut plain, mut screen) = (Plain::new(recording.size), unbounded(recording.size));
        for bytes in &recording.output {
            plain.feed(bytes);
            screen.feed(bytes, Instant::now());
        }
        plain.release();
        assert_eq!(
            difference(&plain, &screen, Compare::Rows),
            None,
            "{}",
            recording.name
        );
    }
}

/// Checks every report of a recording, written as `state`, or `state: message`, and that cutting the stream into single
/// bytes changes nothing.
fn check_reports(name: &str, app: &str, expected: &[&str]) {
    let recording = recording(name);
    let bytewise = Recording {
        output: recording.bytes().iter().map(|byte| vec![*byte]).collect(),
        ..recording
    };
    for recording in [recording_file::recording(name), bytewise] {
        let (screen, signals, _) = played(&recording);
        let reports = signals.into_iter().filter_map(|signal| match signal {
            Signal::Status(StatusChange::Set(record)) => {
                assert!(record.id.is_root(), "{name}");
                assert_eq!(record.app, app, "{name}");
                assert_eq!((record.title.as_str(), record.progress), ("", None), "{name}");
                let state = match record.state {
                    StatusState::Idle => "idle",
                    StatusState::Working => "working",
                    StatusState::Blocked(BlockedKind::Permission) => "blocked",
                    StatusState::Blocked(_) => "blocked otherwise",
                    StatusState::Done => "done",
                    StatusState::Error => "error",
                };
                Some(match record.message.as_str() {
                    "" => state.to_owned(),
                    message => format!("{state}: {message}"),
                })
            }
            Signal::Status(StatusChange::Cleared(id)) => Some(format!("clear{}", id.as_str())),
            _ => None,
        });
        assert_eq!(reports.collect::<Vec<_>>(), expected, "{name}");
        let ends_cleared = expected.last().is_none_or(|last| *last == "clear");
        assert_eq!(screen.status_records().is_empty(), ends_cleared, "{name}");
    }
}

const CREATES: &str = "working: Creating a mock dir and listing it";
const ASKS: &str = "blocked: approve Bash: mkdir -p mockdir && touch mockdir/made_by_agent && ls mockdir";

#[test]
fn claude_tells_its_states_and_what_it_asks_permission_for() {
    let expected = [
        ["idle", "working", CREATES, ASKS, "working", "done"].as_slice(),
        &[
            "working", "done", "working", "idle", "working", "done", "working", "done",
        ],
        &[
            "working", "idle", "working", CREATES, ASKS, "idle", "clear", "clear",
        ],
    ];
    check_reports("claude-main", "claude-code", &expected.concat());
}

#[test]
fn codex_tells_its_states() {
    let asks = ["working", "blocked", "working"];
    let expected = [
        ["idle", "working", "idle"].as_slice(),
        &asks,
        &["done", "idle"],
        &asks,
        &[
            "done", "idle", "working", "done", "working", "done", "idle", "working", "done", "idle",
        ],
        &["working", "idle"],
        &asks,
        &["idle", "clear"],
    ];
    check_reports("codex-main", "codex", &expected.concat());
    let expected = ["idle", "working", "done", "idle", "working", "blocked"];
    check_reports("codex-unfocused", "codex", &expected);
}

#[test]
fn who_got_no_answer_tells_nothing() {
    for name in ["claude-allow", "gemini-main", "opencode-main", "pi-main"] {
        check_reports(name, "", &[]);
    }
}

/// Claude asks whether reports are understood, then what terminal it is, and counts an answer only before the second.
#[test]
fn claude_learns_that_states_are_understood_before_it_learns_what_terminal_it_is() {
    let version = "\x1bP>|pupitre(0.1.0)\x1b\\";
    let support = "\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x1b\\";
    for name in ["claude-main", "claude-allow"] {
        let (_, _, replies) = played(&recording(name));
        let replies = String::from_utf8(replies).expect("answers are text");
        let begin = format!("{version}\x1b[?0u{support}\x1b[?62;22c\x1b[?2026;2$y");
        assert!(replies.starts_with(&begin), "{name}: {}", replies.escape_debug());
        assert_eq!(replies.matches("7501").count(), 1, "{name}");
        assert!(replies.contains("\x1b[?1016;0$y"), "{name}: mouse in pixels");
    }
}

#[test]
fn every_other_agent_gets_its_answers_in_the_order_it_asks() {
    for (name, expected) in [
        (
            "codex-main",
            "\x1b[?7u\x1b[?1007;1$y\x1b[?62;22c\x1b[1;1R\x1b]10;rgb:d8d8/d8d8/d8d8\x1b\\\x1b]11;rgb:1818/1818/1818\x1b\\",
        ),
        (
            "gemini-main",
            "\x1b[?0u\x1b]11;rgb:1818/1818/1818\x1b\\\x1bP>|pupitre(0.1.0)\x1b\\",
        ),
        ("pi-main", "\x1b[?0u"),
    ] {
        let (_, _, replies) = played(&recording(name));
        let replies = String::from_utf8_lossy(&replies).into_owned();
        assert!(
            replies.starts_with(expected),
            "{name}: {}",
            replies.escape_debug()
        );
    }
}

#[test]
fn opencode_learns_that_notifications_are_understood() {
    let (_, _, replies) = played(&recording("opencode-main"));
    let replies = String::from_utf8_lossy(&replies).into_owned();
    assert!(
        replies.contains("\x1b]99;i=opentui-notifications:p=?;p=title,body\x1b\\"),
        "{}",
        replies.escape_debug()
    );
}

#[test]
fn codex_notifies_when_nobody_looks() {
    let (_, signals, _) = played(&recording("codex-unfocused"));
    let bodies: Vec<_> = signals
        .iter()
        .filter_map(|signal| match signal {
            Signal::Notification(shown) if shown.source == NotificationSource::Osc9 => {
                Some(shown.body.as_str())
            }
            _ => None,
        })
        .collect();
    assert_eq!(bodies.len(), 2);
    assert!(
        bodies
            .iter()
            .any(|body| body.starts_with("Approval requested: mkdir -p mockdir")),
        "{bodies:?}"
    );
}

#[test]
fn titles_are_told() {
    for (name, part) in [
        ("gemini-main", "Action Required"),
        ("claude-main", "Claude Code"),
        ("pi-main", "π"),
    ] {
        let (_, signals, _) = played(&recording(name));
        let told = |signal: &Signal| matches!(signal, Signal::Title(title) if title.contains(part));
        assert!(signals.iter().any(told), "{name}");
    }
}
