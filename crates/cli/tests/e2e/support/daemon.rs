//! The daemon of a test: `pupitre serve` in the foreground, from the log line that says that it is ready to its end.

use std::fmt;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStderr, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process};

use super::command::{Ended, program, wait_apart};
use super::{Desk, PATIENCE, last_lines};

/// How many of the daemon's last lines a failed test shows.
const SHOWN_LINES: usize = 80;

/// A running daemon.
pub(crate) struct Daemon {
    pid: u32,
    ended: Receiver<Ended>,
    story: Story,
}

/// What the daemon has said on stderr so far.
#[derive(Clone)]
pub(crate) struct Story(Arc<Mutex<String>>);

/// A daemon that was told to end.
pub(crate) struct EndingDaemon(Daemon);

impl Daemon {
    pub(super) fn start(desk: &Desk, arguments: &[&str]) -> Self {
        let mut command = program(desk, &[&["serve"], arguments].concat());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child: Child = command.spawn().expect("the program can be started");
        let pid = child.id();
        let story = Story(Arc::default());
        let ready = listen(child.stderr.take().expect("stderr is piped"), story.clone());
        let daemon = Self {
            pid,
            ended: wait_apart(child),
            story,
        };
        if ready.recv_timeout(PATIENCE).is_err() {
            let story = daemon.story().to_string();
            drop(daemon.terminate());
            panic!("the daemon did not say that it is ready\n{story}");
        }
        daemon
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    pub(crate) fn story(&self) -> &Story {
        &self.story
    }

    /// Sends SIGTERM.
    pub(super) fn terminate(self) -> EndingDaemon {
        self.signal(Signal::TERM);
        EndingDaemon(self)
    }

    pub(super) fn kill(self) {
        self.signal(Signal::KILL);
        self.wait("SIGKILL");
    }

    /// Waits for the end of a daemon that was asked to stop, and checks that it was a good one.
    pub(super) fn expect_end(self) {
        let ended = self.wait("the daemon's end");
        assert_eq!(
            ended.code,
            Some(0),
            "the daemon ended with {ended:?}\n{}",
            self.story
        );
    }

    fn wait(&self, name: &str) -> Ended {
        self.ended
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|_| panic!("the daemon still runs {PATIENCE:?} after {name}\n{}", self.story))
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        // It may be gone already; whether it should be, the caller knows.
        kill_process(pid.expect("the system's own number"), signal).ok();
    }
}

impl EndingDaemon {
    pub(super) fn expect_end(self) {
        self.0.expect_end();
    }
}

impl fmt::Display for Story {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.lock().expect("no test panics while it holds this");
        write!(
            out,
            "--- the daemon's last words\n{}",
            last_lines(&text, SHOWN_LINES)
        )
    }
}

/// Collects lines on a thread of its own; the ready line is told apart.
fn listen(stderr: ChildStderr, story: Story) -> Receiver<()> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut lines = BufReader::new(stderr);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&line).into_owned();
            if text.contains("ready") && text.contains("pupitre.sock") {
                // Nobody waits for it a second time.
                sender.send(()).ok();
            }
            *story.0.lock().expect("no test panics while it holds this") += &text;
            line.clear();
        }
    });
    receiver
}
