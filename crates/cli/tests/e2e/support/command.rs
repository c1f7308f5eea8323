//! A run of the program: started, written to, interrupted, and what it printed.

use std::io::{Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};

use super::{Desk, PATIENCE, PROGRAM};

/// What a run of the program left.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// What was asked, for messages.
    pub(crate) arguments: Vec<String>,
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// How a process ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended {
    pub(super) code: Option<i32>,
}

/// A run of the program that has not ended.
pub(crate) struct Running {
    arguments: Vec<String>,
    pid: u32,
    ended: Receiver<Ended>,
    stdout: Captured,
    stderr: Captured,
}

/// What came on a stream so far, and a bell for more.
#[derive(Clone, Default)]
struct Captured(Arc<(Mutex<Capture>, Condvar)>);

#[derive(Default)]
struct Capture {
    bytes: Vec<u8>,
    ended: bool,
}

/// Returns the program with the desk's environment and nothing else in it.
#[expect(clippy::disallowed_methods, reason = "a test of the whole program starts it")]
pub(super) fn program(desk: &Desk, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(arguments)
        .env_clear()
        .envs(desk.environment())
        .current_dir(desk.path("work"));
    command
}

/// Waits for the end of a process on a thread of its own.
pub(super) fn wait_apart(mut child: Child) -> Receiver<Ended> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let code = child.wait().ok().and_then(|status| status.code());
        // The test may have ended before.
        sender.send(Ended { code }).ok();
    });
    receiver
}

impl Running {
    pub(super) fn start(desk: &Desk, arguments: &[&str], input: Option<&[u8]>) -> Self {
        let mut command = program(desk, arguments);
        let stdin = if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program can be started");
        if let Some(input) = input {
            let mut stdin = child.stdin.take().expect("stdin is piped");
            let input = input.to_owned();
            // A program that reads nothing of it closes it.
            std::thread::spawn(move || stdin.write_all(&input).ok());
        }
        let stdout = Captured::of(child.stdout.take().expect("stdout is piped"));
        let stderr = Captured::of(child.stderr.take().expect("stderr is piped"));
        Self {
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            pid: child.id(),
            ended: wait_apart(child),
            stdout,
            stderr,
        }
    }

    /// Waits until this stands somewhere on stdout.
    pub(crate) fn wait_for_stdout(&self, text: &str) {
        self.stdout
            .wait_for(&format!("{:?} prints", self.arguments), text);
    }

    /// Sends SIGINT, as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    /// Waits for the end.
    pub(crate) fn finish(self) -> Output {
        let Ok(ended) = self.ended.recv_timeout(PATIENCE) else {
            self.signal(Signal::KILL);
            panic!(
                "{:?} still runs after {PATIENCE:?}; stdout: {}; stderr: {}",
                self.arguments,
                self.stdout.so_far(),
                self.stderr.so_far()
            );
        };
        Output {
            code: ended.code,
            stdout: self.stdout.whole(&self.arguments),
            stderr: self.stderr.whole(&self.arguments),
            arguments: self.arguments,
        }
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        kill_process(pid.expect("the system's own number"), signal).expect("the program runs");
    }
}

impl Output {
    /// Checks the exit code.
    #[track_caller]
    pub(crate) fn expect_code(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{:?}: {self:#?}", self.arguments);
        self
    }

    /// Checks that stdout has this.
    #[track_caller]
    pub(crate) fn expect_stdout(&self, text: &str) -> &Self {
        assert!(self.stdout.contains(text), "no {text:?} on stdout: {self:#?}");
        self
    }

    /// Checks that stderr has this.
    #[track_caller]
    pub(crate) fn expect_stderr(&self, text: &str) -> &Self {
        assert!(self.stderr.contains(text), "no {text:?} on stderr: {self:#?}");
        self
    }

    /// Returns stdout as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

impl Captured {
    fn of(mut stream: impl Read + Send + 'static) -> Self {
        let captured = Self::default();
        let writer = captured.clone();
        std::thread::spawn(move || {
            let mut piece = [0; 16 << 10];
            loop {
                let count = stream.read(&mut piece).unwrap_or_default();
                let (capture, bell) = &*writer.0;
                let mut capture = capture.lock().expect("no test panics while it holds this");
                capture.bytes.extend_from_slice(&piece[..count]);
                capture.ended = count == 0;
                bell.notify_all();
                if count == 0 {
                    break;
                }
            }
        });
        captured
    }

    fn so_far(&self) -> String {
        let capture = self.0.0.lock().expect("no test panics while it holds this");
        String::from_utf8_lossy(&capture.bytes).into_owned()
    }

    #[track_caller]
    fn wait_for(&self, who: &str, text: &str) {
        self.wait_until(&format!("{who} {text:?}"), |capture| {
            if String::from_utf8_lossy(&capture.bytes).contains(text) {
                Wait::Over
            } else if capture.ended {
                Wait::InVain
            } else {
                Wait::GoesOn
            }
        });
    }

    /// Returns everything, which is here when nobody holds the stream open any more.
    #[track_caller]
    fn whole(&self, arguments: &[String]) -> String {
        self.wait_until(&format!("the output of {arguments:?} ends"), |capture| {
            if capture.ended { Wait::Over } else { Wait::GoesOn }
        });
        self.so_far()
    }

    #[track_caller]
    fn wait_until(&self, name: &str, judge: impl Fn(&Capture) -> Wait) {
        let deadline = Instant::now() + PATIENCE;
        let (capture, bell) = &*self.0;
        let mut capture = capture.lock().expect("no test panics while it holds this");
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let so_far = || String::from_utf8_lossy(&capture.bytes).into_owned();
            match judge(&capture) {
                Wait::Over => return,
                Wait::InVain => panic!("{name}: it ended without; there is: {}", so_far()),
                Wait::GoesOn => assert!(
                    !left.is_zero(),
                    "{name}: not in {PATIENCE:?}; there is: {}",
                    so_far()
                ),
            }
            let waited = bell.wait_timeout(capture, left);
            capture = waited.expect("no test panics while it holds this").0;
        }
    }
}

/// Whether what is waited for is there.
enum Wait {
    Over,
    GoesOn,
    /// It cannot come any more.
    InVain,
}
