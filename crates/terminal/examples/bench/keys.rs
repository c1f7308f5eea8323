//! A person in front of a pane of a daemon: how long until a key is on the screen, and until the whole pane is.
//!
//! The daemon takes keys from persons, who have a terminal, so this process gives itself one.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pupitre_guard::terminal::{Pty, take_control};
use pupitre_guard::wire::TerminalSize;
use serde_json::json;

use super::figure::{self, AtMost, Measured};
use super::tmux::Tmux;

const KEYS: usize = 1000;
/// A terminal in line mode takes no more than a line of 4,095 bytes: it is emptied this often.
const KEYS_IN_A_LINE: usize = 40;
/// Erases the line.
const ERASE: u8 = 0x15;
const SNAPSHOTS: usize = 31;
/// Frames of a view: the byte for their kind.
const OUTPUT: u8 = 0;
const SNAPSHOT: u8 = 1;

/// Types into the pane `echo`, in which `cat` runs, and looks at the pane `full`, which has 10,000 lines.
pub(crate) fn measure(socket: &str, echo: &str, full: &str) {
    rustix::process::setsid().expect("whoever started this process leads its group");
    let terminal = Pty::open(TerminalSize {
        columns: 200,
        rows: 50,
    })
    .expect("a terminal can be opened");
    take_control(terminal.program_side.as_fd()).expect("this process leads a session");
    // Whoever closes the terminal of a session ends its leader.
    let _terminal = std::mem::ManuallyDrop::new(terminal);
    let ours = key_times(socket, echo);
    match key_times_of_tmux() {
        Some(theirs) => {
            for percent in [50, 95] {
                let theirs = Measured::Percentile(percent, theirs.clone());
                figure::print(
                    &format!("a key of `surface.input` until a viewer has its echo, p{percent}"),
                    &Measured::Percentile(percent, ours.clone()),
                    Some(("`send-keys` of tmux's control mode until `%output`", &theirs)),
                    (percent == 50).then_some(AtMost::TimesPeer(2.0)),
                );
            }
        }
        None => figure::print(
            "a key of `surface.input` until a viewer has its echo, p50 (SKIPPED: tmux is not here)",
            &Measured::Percentile(50, ours.clone()),
            None,
            None,
        ),
    }
    figure::print(
        "a key of `surface.input` until a viewer has its echo, p95",
        &Measured::Percentile(95, ours),
        None,
        Some(AtMost::Seconds(1e-3)),
    );
    let snapshots = (0..SNAPSHOTS).map(|_| {
        let begun = Instant::now();
        drop(View::open(socket, full));
        begun.elapsed().as_secs_f64()
    });
    figure::print(
        "`surface.snapshot` of 10,000 lines until a new viewer has it",
        &Measured::Seconds(snapshots.collect()),
        None,
        Some(AtMost::Seconds(5e-3)),
    );
}

fn key_times(socket: &str, pane: &str) -> Vec<f64> {
    let mut view = View::open(socket, pane);
    let mut calls = UnixStream::connect(socket).expect("the daemon listens");
    let mut replies = BufReader::new(calls.try_clone().expect("a descriptor can be copied"));
    let mut press = |key: u8, until_echo: bool| {
        let input = json!({"surface": pane, "data": STANDARD.encode([key])});
        let begun = Instant::now();
        ask(&mut calls, "surface.input", &input);
        while until_echo && !view.next_output().contains(&key) {}
        let took = begun.elapsed().as_secs_f64();
        answer(&mut replies);
        took
    };
    let mut times = Vec::with_capacity(KEYS);
    for key in 0..KEYS {
        if key % KEYS_IN_A_LINE == 0 {
            press(ERASE, false);
        }
        times.push(press(b'x', true));
    }
    times
}

fn key_times_of_tmux() -> Option<Vec<f64>> {
    let tmux = Tmux::start("cat")?;
    let mut client = tmux.control();
    let mut input = client.stdin.take().expect("it was piped");
    let mut lines = BufReader::new(client.stdout.take().expect("it was piped")).lines();
    // A client that has just attached may miss the first output: keys are typed until one echo has come.
    let mut has_echo = false;
    while !has_echo {
        writeln!(input, "send-keys x\ndisplay-message -p typed").expect("tmux reads");
        loop {
            let line = lines.next().expect("tmux goes on").expect("it writes text");
            has_echo |= line.starts_with("%output");
            if line == "typed" {
                break;
            }
        }
    }
    while !lines
        .next()
        .expect("tmux goes on")
        .expect("it writes text")
        .starts_with("%end")
    {}
    let mut press = |key: &str, echo: Option<char>| {
        let begun = Instant::now();
        writeln!(input, "send-keys {key}").expect("tmux reads");
        let is_echo = |line: &str| match (line.split_once(" %"), echo) {
            (Some(("%output", rest)), Some(echo)) => rest.contains(echo),
            _ => echo.is_none() && line.starts_with("%end"),
        };
        while !is_echo(&lines.next().expect("tmux goes on").expect("it writes text")) {}
        begun.elapsed().as_secs_f64()
    };
    let mut times = Vec::with_capacity(KEYS);
    for key in 0..KEYS {
        if key % KEYS_IN_A_LINE == 0 {
            press("C-u", None);
        }
        times.push(press("x", Some('x')));
    }
    drop(input);
    drop(tmux);
    client.wait().expect("it ends with its server");
    Some(times)
}

fn ask(stream: &mut UnixStream, method: &str, params: &serde_json::Value) {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    writeln!(stream, "{request}").expect("the daemon reads");
}

fn answer(lines: &mut impl BufRead) {
    let mut line = String::new();
    lines.read_line(&mut line).expect("the daemon answers");
    assert!(line.contains("\"result\""), "it was refused: {line}");
}

/// A connection that has become the view of a pane.
struct View {
    frames: BufReader<UnixStream>,
}

impl View {
    /// Opens a view and returns when its snapshot is there.
    fn open(socket: &str, pane: &str) -> Self {
        let mut stream = UnixStream::connect(socket).expect("the daemon listens");
        ask(&mut stream, "surface.snapshot", &json!({"surface": pane}));
        let mut view = Self {
            frames: BufReader::new(stream),
        };
        answer(&mut view.frames);
        while view.next_frame().0 != SNAPSHOT {}
        view
    }

    fn next_output(&mut self) -> Vec<u8> {
        loop {
            if let (OUTPUT, bytes) = self.next_frame() {
                return bytes;
            }
        }
    }

    fn next_frame(&mut self) -> (u8, Vec<u8>) {
        let mut head = [0; 5];
        self.frames.read_exact(&mut head).expect("the pane is there");
        let [kind, length @ ..] = head;
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        self.frames.read_exact(&mut bytes).expect("a frame is whole");
        (kind, bytes)
    }
}
