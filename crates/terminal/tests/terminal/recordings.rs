//! Recordings of real agents: what they draw, what they tell of themselves, what they ask.

use std::time::Instant;

use pupitre_terminal::{
    BlockedKind, NotificationSource, Screen, ScreenOptions, Signal, StatusChange, StatusState,
};

use crate::differential::{Compare, Plain, difference, unbounded};
use crate::recording_file::{Recording, recording, recordings};

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

fn check_states(name: &str, expected: &str) {
    let (_, signals, _) = played(&recording(name));
    let states = signals.iter().filter_map(|signal| match signal {
        Signal::Status(StatusChange::Set(record)) => {
            assert!(record.id.is_root());
            Some(match record.state {
                StatusState::Idle => "idle",
                StatusState::Working => "working",
                StatusState::Blocked(BlockedKind::Permission) => "blocked",
                StatusState::Blocked(_) => "blocked otherwise",
                StatusState::Done => "done",
                StatusState::Error => "error",
            })
        }
        Signal::Status(StatusChange::Cleared(_)) => Some("clear"),
        _ => None,
    });
    assert_eq!(states.collect::<Vec<_>>().join(" "), expected, "{name}");
}

#[test]
fn claude_tells_its_states() {
    check_states(
        "claude-main",
        "idle working working blocked working done working done working idle working done working done working \
         idle working working blocked idle clear clear",
    );
}

#[test]
fn codex_tells_its_states() {
    check_states(
        "codex-main",
        "idle working idle working blocked working done idle working blocked working done idle working done working \
         done idle working done idle working idle working blocked working idle clear",
    );
}

#[test]
fn claude_says_what_it_asks_permission_for() {
    let (_, signals, _) = played(&recording("claude-main"));
    let asked = signals.iter().find_map(|signal| match signal {
        Signal::Status(StatusChange::Set(record))
            if record.state == StatusState::Blocked(BlockedKind::Permission) =>
        {
            Some((record.app.clone(), record.message.clone()))
        }
        _ => None,
    });
    let (app, message) = asked.expect("a permission is asked for");
    assert_eq!(app, "claude-code");
    assert!(message.starts_with("approve Bash: m"), "{message}");
}

#[test]
fn claude_learns_that_states_are_understood_before_it_learns_what_terminal_it_is() {
    let (_, _, replies) = played(&recording("claude-main"));
    let support = b"\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x1b\\";
    let find = |part: &[u8]| replies.windows(part.len()).position(|window| window == part);
    let at = find(support).expect("the query is answered");
    assert!(find(b"\x1b[?62;22c").is_some_and(|attributes| attributes > at));
    assert!(find(b"\x1bP>|pupitre(").is_some(), "XTVERSION");
    assert!(find(b"\x1b[?2026;2$y").is_some(), "synchronized updates");
    assert!(find(b"\x1b[?1016;0$y").is_some(), "mouse in pixels");
    assert!(find(b"\x1b[?0u").is_some(), "keyboard");
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
