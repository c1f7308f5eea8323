//! What programs tell and ask beside what they draw.

use std::path::Path;
use std::time::Instant;

use pupitre_terminal::{
    BlockedKind, LineNumber, Notification, NotificationSource, Palette, Progress, PromptMark, PromptStep,
    Rgb, Screen, ScreenOptions, Signal, Size, StatusChange, StatusRecord, StatusState, WorkingDirectory,
};

fn fed(text: &str) -> Screen {
    let mut screen = Screen::new(ScreenOptions {
        size: Size::new(20, 5),
        ..ScreenOptions::default()
    });
    // One byte at a time: nothing may depend on how a stream is cut.
    for byte in text.as_bytes() {
        screen.feed(&[*byte], Instant::now());
    }
    screen
}

fn check(text: &str, expected: &[Signal]) {
    assert_eq!(fed(text).take_signals(), expected, "{text:?}");
    let mut whole = Screen::new(ScreenOptions {
        size: Size::new(20, 5),
        ..ScreenOptions::default()
    });
    whole.feed(text.as_bytes(), Instant::now());
    assert_eq!(whole.take_signals(), expected, "{text:?} at once");
    assert_eq!(
        whole.visible_lines(),
        fed(text)
            .visible_lines()
            .into_iter()
            .map(|line| pupitre_terminal::VisibleLine {
                generation: 1,
                ..line
            })
            .collect::<Vec<_>>(),
        "{text:?}"
    );
}

fn note(source: NotificationSource, title: &str, body: &str) -> Signal {
    Signal::Notification(Notification {
        source,
        title: title.into(),
        body: body.into(),
    })
}

#[test]
fn bells_and_titles() {
    check("\x07\x07a\x07", &[Signal::Bell]);
    check(
        "\x1b]0;one\x07\x1b]2;two; three\x1b\\",
        &[Signal::Title("two; three".into())],
    );
    check(
        "\x1b]2;a\x07\x07\x1bc",
        &[
            Signal::Title("a".into()),
            Signal::Bell,
            Signal::Title(String::new()),
        ],
    );
    check(
        "\x1b]2;a\x07\x07\x1b[22t\x1b]2;b\x07\x07\x1b[23t",
        &[
            Signal::Title("a".into()),
            Signal::Bell,
            Signal::Title("b".into()),
            Signal::Bell,
            Signal::Title("a".into()),
        ],
    );
}

#[test]
fn working_directories() {
    let directory = |host: &str, path: &str| {
        Signal::WorkingDirectory(WorkingDirectory {
            host: host.into(),
            path: Path::new(path).into(),
        })
    };
    check(
        "\x1b]7;file://box/home/a%20b/%C3%A9\x07",
        &[directory("box", "/home/a b/é")],
    );
    check("\x1b]7;file:///tmp\x1b\\", &[directory("", "/tmp")]);
    check(
        "\x1b]7;http://box/tmp\x1b\\\x1b]7;file://nothing\x07\x1b]7;file:///a%00b\x07",
        &[],
    );
    check("\x1b]7;file:///100%/%zz\x07", &[directory("", "/100%/%zz")]);
}

#[test]
fn prompts_with_their_lines() {
    let mark = |step, line| {
        Signal::Prompt(PromptMark {
            step,
            line: LineNumber(line),
        })
    };
    check(
        "\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;C;k=v\x07a\r\nb\r\n\x1b]133;D;7\x07\x1b]133;D\x07\x1b]133;X\x07",
        &[
            mark(PromptStep::Prompt, 0),
            mark(PromptStep::Input, 0),
            mark(PromptStep::Output, 1),
            mark(PromptStep::End { exit_code: Some(7) }, 3),
            mark(PromptStep::End { exit_code: None }, 3),
        ],
    );
}

#[test]
fn notifications() {
    use NotificationSource::{Osc9, Osc99, Osc777};
    check(
        "\x1b]9;it is done; really\x07",
        &[note(Osc9, "", "it is done; really")],
    );
    check(
        "\x1b]777;notify;Title;Body; more\x1b\\",
        &[note(Osc777, "Title", "Body; more")],
    );
    check("\x1b]777;other;x\x07", &[]);
    check(
        "\x1b]99;i=1:d=0;Hello\x1b\\\x1b]99;i=1:p=body;World\x1b\\",
        &[note(Osc99, "Hello", "World")],
    );
    check(
        "\x1b]99;e=1;SGk=\x07\x1b]99;;plain\x07",
        &[note(Osc99, "Hi", ""), note(Osc99, "plain", "")],
    );
    check("\x1b]99;i=1:p=close;\x07", &[]);
}

#[test]
fn progress() {
    let told = |progress| Signal::Progress(progress);
    check(
        "\x1b]9;4;1;40\x07\x1b]9;4;2;300\x07\x1b]9;4;3\x07\x1b]9;4;4;5\x07\x1b]9;4;0\x07\x1b]9;4;9\x07\x1b]9;1;x\x07",
        &[
            told(Progress::Running(40)),
            told(Progress::Failed(100)),
            told(Progress::Unknown),
            told(Progress::Paused(5)),
            told(Progress::None),
        ],
    );
}

fn records(text: &str) -> Vec<StatusRecord> {
    fed(text).status_records().to_vec()
}

#[test]
fn states_replace_each_other_by_id() {
    let all = records(
        "\x1b]7501;state=working:app=x:progress=40:msg=T0s=:title=VGl0bGU=\x1b\\\
         \x1b]7501;id=a/b;state=idle\x07\x1b]7501;state=blocked:id=a/b:kind=auth\x07\x1b]7501;state=idle:id=a\x07",
    );
    assert_eq!(all.len(), 3);
    let record = &all[0];
    assert!(record.id.is_root());
    assert_eq!(
        (record.state, record.app.as_str(), record.progress),
        (StatusState::Working, "x", Some(40))
    );
    assert_eq!((record.message.as_str(), record.title.as_str()), ("OK", "Title"));
    assert_eq!(
        (all[1].id.as_str(), all[1].state),
        ("a/b", StatusState::Blocked(BlockedKind::Auth))
    );
    assert_eq!((all[2].id.as_str(), all[2].state), ("a", StatusState::Idle));
}

#[test]
fn clearing_takes_the_parts_too() {
    let set = "\x1b]7501;state=idle\x07\x1b]7501;state=idle:id=a\x07\x1b]7501;state=idle:id=a/b\x07\x1b]7501;state=idle:id=ab\x07";
    let ids = |text: &str| {
        records(text)
            .iter()
            .map(|record| record.id.as_str().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&format!("{set}\x1b]7501;state=clear:id=a\x07")), ["", "ab"]);
    assert!(ids(&format!("{set}\x1b]7501;state=clear\x07")).is_empty());
    let signals = fed("\x1b]7501;state=clear:id=a\x07").take_signals();
    assert!(matches!(&signals[..], [Signal::Status(StatusChange::Cleared(id))] if id.as_str() == "a"));
}

#[test]
fn void_reports_change_nothing() {
    for report in [
        "state=walking",
        "app=x",
        "",
        "state=idle:id=",
        "state=idle:id=a//b",
        "state=idle:id=a b",
        "state=idle:msg=%%%",
        "state=idle:msg=Bw==",
        "state=idle:app=0123456789012345678901234567890123456789012345678901234567890123456789",
    ] {
        assert_eq!(records(&format!("\x1b]7501;{report}\x07")), [], "{report}");
    }
    let long = format!("\x1b]7501;state=idle:x={}\x07", "y".repeat(4090));
    assert_eq!(records(&long), []);
    // Unknown keys, malformed pairs and progress out of range are passed over; the last of a key counts.
    let odd = records("\x1b]7501;state=done:new=1:junk:progress=101:state=idle:kind=odd\x07");
    assert_eq!((odd[0].state, odd[0].progress), (StatusState::Idle, None));
}

#[test]
fn a_pane_keeps_64_records() {
    let all: String = (0..100)
        .map(|id| format!("\x1b]7501;state=idle:id={id}\x07"))
        .collect();
    let ids: Vec<_> = records(&all)
        .iter()
        .map(|record| record.id.as_str().to_owned())
        .collect();
    assert_eq!(ids.len(), 64);
    assert_eq!((ids[0].as_str(), ids[63].as_str()), ("36", "99"));
}

fn check_reply(text: &str, expected: &str) {
    let reply = fed(text).take_replies();
    assert_eq!(String::from_utf8_lossy(&reply), expected, "{text:?}");
}

#[test]
fn questions_are_answered() {
    let support = "\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x1b\\";
    check_reply("\x1b]7501;?\x07\x1b[c", &format!("{support}\x1b[?62;22c"));
    check_reply("\x1b]7501;?\x1b\\\x1b[c", &format!("{support}\x1b[?62;22c"));
    check_reply("\x1b[>c\x1b[5n", "\x1b[>0;1;0c\x1b[0n");
    check_reply("ab\r\nc\x1b[6n", "\x1b[2;2R");
    check_reply("\x1b[3;5r\x1b[?6h\x1b[2;4H\x1b[6n", "\x1b[2;4R");
    check_reply(
        "\x1b[>q\x1b[>0q",
        "\x1bP>|pupitre(0.1.0)\x1b\\\x1bP>|pupitre(0.1.0)\x1b\\",
    );
    check_reply("\x1b[?u\x1b[>5u\x1b[?u\x1b[<u\x1b[?u", "\x1b[?0u\x1b[?5u\x1b[?0u");
    check_reply(
        "\x1b[?2026$p\x1b[?2026h\x1b[?2026$p\x1b[?2026l\x1b[?2026$p",
        "\x1b[?2026;2$y\x1b[?2026;1$y\x1b[?2026;2$y",
    );
    check_reply(
        "\x1b[?1049$p\x1b[?9999$p\x1b[4$p",
        "\x1b[?1049;2$y\x1b[?9999;0$y\x1b[4;2$y",
    );
    check_reply("\x1b[18t", "\x1b[8;5;20t");
    check_reply("\x1b[?996n", "\x1b[?997;1n");
    check_reply("\x1b[>4;2m\x1b[?4m", "\x1b[>4;2m");
    check_reply("\x1b]4;196;?\x07", "\x1b]4;196;rgb:ffff/0000/0000\x07");
    check_reply(
        "\x1b]10;#123456\x07\x1b]10;?\x1b\\",
        "\x1b]10;rgb:1212/3434/5656\x1b\\",
    );
}

#[test]
fn a_light_viewer_says_so() {
    let white = Rgb {
        r: 255,
        g: 255,
        b: 255,
    };
    let palette = Palette {
        background: white,
        foreground: Rgb::default(),
        ..Palette::default()
    };
    let mut screen = Screen::new(ScreenOptions {
        palette,
        ..ScreenOptions::default()
    });
    screen.feed(b"\x1b]11;?\x07\x1b[?996n", Instant::now());
    assert_eq!(
        screen.take_replies(),
        b"\x1b]11;rgb:ffff/ffff/ffff\x07\x1b[?997;2n"
    );
}

#[test]
fn a_display_is_held_for_150_ms_at_most() {
    let mut screen = fed("");
    let begin = Instant::now();
    screen.feed(b"\x1b[?2026h", begin);
    let until = screen.held_until().expect("the display is held");
    assert_eq!((until - begin).as_millis(), 150);
    screen.release_hold(begin);
    assert_eq!(screen.held_until(), Some(until));
    screen.release_hold(until);
    screen.feed(b"\x1b[?2026$p", until);
    assert_eq!(screen.take_replies(), b"\x1b[?2026;2$y");
}
