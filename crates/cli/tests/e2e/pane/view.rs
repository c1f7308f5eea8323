//! Views of a pane: everything to draw it, then its bytes; a person's keys; sizes; who may look and type.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pupitre_client::View;
use pupitre_protocol::method::surface;
use pupitre_protocol::surface::{
    ExitStatus, PaneSize, SurfaceInputParams, SurfaceParams, SurfaceResizeParams, ViewerFrame,
};

use super::{pane, status, wait_for_line};
use crate::support::{Desk, TestAgent, shell_agent};

fn view(desk: &Desk, target: &str) -> View {
    let params = SurfaceParams {
        surface: target.to_owned(),
    };
    desk.client().view(&params).expect("a view").1
}

fn next(view: &mut View) -> (ViewerFrame, Vec<u8>) {
    view.next_frame().expect("a frame").expect("it goes on")
}

/// Reads frames until their output holds this text; returns the kinds that came.
fn read_until(view: &mut View, text: &str) -> Vec<ViewerFrame> {
    let (mut seen, mut kinds) = (Vec::new(), Vec::new());
    while !String::from_utf8_lossy(&seen).contains(text) {
        let (kind, bytes) = next(view);
        kinds.push(kind);
        seen.extend(bytes);
    }
    kinds
}

fn type_keys(desk: &Desk, target: &str, keys: &str) {
    desk.call::<surface::Input>(SurfaceInputParams {
        surface: target.to_owned(),
        data: STANDARD.encode(keys),
        size: None,
    });
}

/// A desk whose tests may look and type although no terminal is there: as an agent may whose access is free, and as the page.
fn desk() -> Desk {
    Desk::with_settings("", &[TestAgent::new("demo", "demo-agent", &[])])
}

#[test]
fn a_viewer_gets_what_is_there_and_then_what_comes() {
    let desk = desk();
    pane(
        &desk,
        "a",
        "stty -echo; echo before; while read line; do echo \"got $line\"; done",
    );
    wait_for_line(&desk, "a", "^before$");
    let mut first = view(&desk, "a");
    assert_eq!(next(&mut first), (ViewerFrame::Size, vec![80, 0, 24, 0]));
    let (kind, snapshot) = next(&mut first);
    assert_eq!(kind, ViewerFrame::Snapshot);
    assert!(String::from_utf8_lossy(&snapshot).contains("before"));
    let mut second = view(&desk, "a");
    type_keys(&desk, "a", "one\r");
    for viewer in [&mut first, &mut second] {
        read_until(viewer, "got one");
    }
    // Another size is drawn anew for everybody.
    desk.call::<surface::Resize>(SurfaceResizeParams {
        surface: "a".to_owned(),
        size: PaneSize {
            columns: 100,
            rows: 30,
        },
    });
    assert_eq!(next(&mut first), (ViewerFrame::Size, vec![100, 0, 30, 0]));
    assert_eq!(next(&mut first).0, ViewerFrame::Snapshot);
    desk.run(&["close", "a"]).expect_code(0);
    let mut kinds = Vec::new();
    while let Some((kind, bytes)) = first.next_frame().expect("a frame") {
        if kind == ViewerFrame::Ended {
            let status: ExitStatus = serde_json::from_slice(&bytes).expect("a status");
            assert!(status.code.is_some() || status.signal.is_some());
        }
        kinds.push(kind);
    }
    assert_eq!(kinds.last(), Some(&ViewerFrame::Closed), "{kinds:?}");
    assert!(kinds.contains(&ViewerFrame::Ended), "{kinds:?}");
}

#[test]
fn what_a_terminal_answers_by_itself_is_not_typed() {
    let desk = desk();
    pane(
        &desk,
        "a",
        "stty -echo -icanon min 1; echo ready; dd bs=1 count=4 2>/dev/null | od -An -c; exec sleep 600",
    );
    wait_for_line(&desk, "a", "^ready$");
    // Device attributes, the cursor's place, a colour, a mode: a viewer's terminal answers these once more.
    type_keys(
        &desk,
        "a",
        "a\x1b[?62;22c\x1b[12;40R\x1b]11;rgb:0000/0000/0000\x1b\\b\x1b[?2026;2$y\x1bP>|term\x1b\\cd",
    );
    wait_for_line(&desk, "a", "a +b +c +d");
}

#[test]
fn a_viewer_that_does_not_read_is_drawn_anew_and_stops_nobody() {
    let desk = desk();
    pane(&desk, "flood", "while read line; do seq 1000000; echo END; done");
    let mut slow = view(&desk, "flood");
    type_keys(&desk, "flood", "go\r");
    wait_for_line(&desk, "flood", "^END$");
    let kinds = read_until(&mut slow, "END");
    let snapshots = kinds
        .iter()
        .filter(|kind| **kind == ViewerFrame::Snapshot)
        .count();
    assert!(
        snapshots >= 2,
        "7 MB do not wait for a slow reader: {snapshots} snapshots"
    );
    assert!(status(&desk, "flood").output_generation > 0);
}

#[test]
fn what_an_agent_runs_may_not_look_at_a_pane_as_a_person_nor_type() {
    let mut desk = Desk::without_daemon(&[]);
    let log = desk.path("work/tries");
    let script = format!(
        "{program} new -- sleep 600 > {log} 2>&1; {program} attach x >> {log} 2>&1; {program} read x >> {log} 2>&1; exec {program} demo-agent",
        program = crate::support::PROGRAM,
        log = log.display()
    );
    desk.write_config(&[shell_agent("curious", &script)]);
    desk.start_daemon();
    desk.send("curious", "hello");
    desk.run(&["wait", "--match", "curious", "--idle", "--timeout", "60"])
        .expect_code(0);
    let said = std::fs::read_to_string(&log).expect("it tried");
    assert!(said.contains("AI free access"), "{said}");
    assert_eq!(
        desk.processes()
            .iter()
            .filter(|process| process.contains("sleep 600"))
            .count(),
        0
    );
}
