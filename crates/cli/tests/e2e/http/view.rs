//! A page looks at panes: everything to draw one, then its bytes; a person's keys; sizes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pupitre_protocol::method::surface;
use pupitre_protocol::surface::{
    ExitStatus, PaneSize, SurfaceInputParams, SurfaceParams, SurfaceResizeParams, ViewerFrame,
};

use super::browser::{Browser, Socket};
use crate::pane::{pane, status, wait_for_line};
use crate::support::{Desk, PROGRAM};

/// A pane in the page: the WebSocket with its bytes.
struct View(Socket);

impl View {
    fn open(browser: &Browser, target: &str) -> Self {
        let mut socket = browser.socket();
        socket.call::<surface::Snapshot>(&SurfaceParams {
            surface: target.to_owned(),
        });
        Self(socket)
    }

    fn next(&mut self) -> (ViewerFrame, Vec<u8>) {
        let bytes = self.0.binary();
        let kind = ViewerFrame::from_byte(bytes[0]).expect("a kind");
        (kind, bytes[1..].to_vec())
    }

    /// Reads frames until their output holds this text; returns the kinds that came.
    fn read_until(&mut self, text: &str) -> Vec<ViewerFrame> {
        let (mut seen, mut kinds) = (Vec::new(), Vec::new());
        while !String::from_utf8_lossy(&seen).contains(text) {
            let (kind, bytes) = self.next();
            kinds.push(kind);
            seen.extend(bytes);
        }
        kinds
    }
}

pub(super) fn type_keys(page: &mut Socket, target: &str, keys: &str) {
    page.call::<surface::Input>(&SurfaceInputParams {
        surface: target.to_owned(),
        data: STANDARD.encode(keys),
        size: None,
    });
}

#[test]
fn a_viewer_gets_what_is_there_and_then_what_comes() {
    let desk = Desk::start();
    pane(
        &desk,
        "a",
        "stty -echo; echo before; while read line; do echo \"got $line\"; done",
    );
    wait_for_line(&desk, "a", "^before$");
    let browser = Browser::inside(&desk);
    let mut page = browser.socket();
    let mut first = View::open(&browser, "a");
    assert_eq!(first.next(), (ViewerFrame::Size, vec![80, 0, 24, 0]));
    let (kind, snapshot) = first.next();
    assert_eq!(kind, ViewerFrame::Snapshot);
    assert!(String::from_utf8_lossy(&snapshot).contains("before"));
    let mut second = View::open(&browser, "a");
    type_keys(&mut page, "a", "one\r");
    for viewer in [&mut first, &mut second] {
        viewer.read_until("got one");
    }
    // Another size is drawn anew for everybody.
    page.call::<surface::Resize>(&SurfaceResizeParams {
        surface: "a".to_owned(),
        size: PaneSize {
            columns: 100,
            rows: 30,
        },
    });
    let (kind, size) = first.next();
    assert_eq!((kind, size), (ViewerFrame::Size, vec![100, 0, 30, 0]));
    assert_eq!(first.next().0, ViewerFrame::Snapshot);
    desk.run(&["close", "a"]).expect_code(0);
    let mut kinds = Vec::new();
    while kinds.last() != Some(&ViewerFrame::Closed) {
        let (kind, bytes) = first.next();
        if kind == ViewerFrame::Ended {
            let status: ExitStatus = serde_json::from_slice(&bytes).expect("a status");
            assert!(status.code.is_some() || status.signal.is_some());
        }
        kinds.push(kind);
    }
    assert!(kinds.contains(&ViewerFrame::Ended), "{kinds:?}");
}

#[test]
fn what_a_terminal_answers_by_itself_is_not_typed() {
    let desk = Desk::start();
    let script =
        "stty -echo -icanon min 1; echo ready; dd bs=1 count=4 2>/dev/null | od -An -c; exec sleep 600";
    pane(&desk, "a", script);
    wait_for_line(&desk, "a", "^ready$");
    // Device attributes, the cursor's place, a colour, a mode, a version: a viewer's terminal answers these once more.
    let keys = "a\x1b[?62;22c\x1b[12;40R\x1b]11;rgb:0000/0000/0000\x1b\\b\x1b[?2026;2$y\x1bP>|term\x1b\\cd";
    type_keys(&mut Browser::inside(&desk).socket(), "a", keys);
    wait_for_line(&desk, "a", "a +b +c +d");
}

#[test]
fn the_detach_key_leaves_a_pane_that_goes_on() {
    let desk = Desk::start();
    pane(
        &desk,
        "inner",
        "stty -echo; echo inner is up; while read line; do echo \"got $line\"; done",
    );
    wait_for_line(&desk, "inner", "^inner is up$");
    pane(
        &desk,
        "outer",
        &format!("{PROGRAM} attach inner; echo attach said $?; exec sleep 600"),
    );
    wait_for_line(&desk, "outer", "inner is up");
    let mut page = Browser::inside(&desk).socket();
    type_keys(&mut page, "outer", "through\r");
    wait_for_line(&desk, "inner", "^got through$");
    // What stands before the key still goes to the program.
    type_keys(&mut page, "outer", "last\r\x1cnot this\r");
    wait_for_line(&desk, "outer", "^attach said 0$");
    wait_for_line(&desk, "inner", "^got last$");
    let text = desk.run(&["read", "inner", "--raw"]).stdout;
    assert!(!text.contains("not this"), "{text}");
    assert!(status(&desk, "inner").exit_status.is_none());
}

#[test]
fn a_viewer_that_does_not_read_is_drawn_anew_and_stops_nobody() {
    let desk = Desk::start();
    pane(&desk, "flood", "while read line; do seq 4000000; echo END; done");
    let browser = Browser::inside(&desk);
    let mut slow = View::open(&browser, "flood");
    type_keys(&mut browser.socket(), "flood", "go\r");
    // 30 MB pass by while the viewer reads nothing.
    wait_for_line(&desk, "flood", "^END$");
    let kinds = slow.read_until("END");
    let snapshots = kinds
        .iter()
        .filter(|kind| **kind == ViewerFrame::Snapshot)
        .count();
    assert!(
        snapshots >= 2,
        "30 MB do not wait for a slow reader: {snapshots} snapshots"
    );
    assert!(status(&desk, "flood").output_generation > 0);
}

#[test]
fn the_pane_has_the_size_of_the_terminal_that_was_typed_in_last() {
    let desk = Desk::start();
    let inner = pane(
        &desk,
        "inner",
        "stty -echo; echo up; while read line; do echo \"$line $(stty size)\"; done",
    );
    wait_for_line(&desk, "inner", "^up$");
    let mut page = Browser::inside(&desk).socket();
    for (name, size) in [("wide", ["100", "30"]), ("narrow", ["60", "20"])] {
        pane(&desk, name, &format!("read; exec {PROGRAM} attach {inner}"));
        desk.run(&["resize", name, size[0], size[1]]).expect_code(0);
        type_keys(&mut page, name, "\r");
        wait_for_line(&desk, name, "^up$");
    }
    for (number, (name, size)) in [("wide", "30 100"), ("narrow", "20 60"), ("wide", "30 100")]
        .into_iter()
        .enumerate()
    {
        type_keys(&mut page, name, &format!("line {number}\r"));
        wait_for_line(&desk, "inner", &format!("^line {number} {size}$"));
    }
}
