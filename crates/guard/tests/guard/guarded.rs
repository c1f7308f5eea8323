//! One guard as the daemon sees it: started on pipes and a socket, spoken to in lines, waited for with a deadline,
//! and looked after: every case ends with a search for survivors.

use std::io::{BufRead, BufReader, ErrorKind, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use pupitre_guard::wire::{GraceMs, GuardReport, GuardRequest, TerminalSize};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

/// No wait of a test is longer; none is expected to come near it.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);
/// Waits so short that a test does not feel them, and so long that an obedient agent is quicker.
pub(crate) const SHORT: GraceMs = GraceMs { term: 200, kill: 200 };
/// A wait that would not end within the test.
pub(crate) const NEVER_MS: u64 = 3_600_000;

/// A guard, the daemon's ends of its pipes, and what it has said.
pub(crate) struct Guarded {
    pub(crate) process: Child,
    control: Option<BufReader<UnixStream>>,
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: BufReader<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
    /// Occurs in the command line of every process that the case starts.
    pub(crate) tag: String,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) cwd: Option<String>,
    seen: Vec<GuardReport>,
}

impl Guarded {
    pub(crate) fn start() -> Self {
        let mut command = this_binary();
        command.arg("guard");
        Self::start_as(command)
    }

    /// Starts a guard through a command that becomes one.
    pub(crate) fn start_as(mut command: Command) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (ours, theirs) = UnixStream::pair().unwrap();
        hand_over(&mut command, &theirs);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the guard starts");
        Self {
            control: Some(BufReader::new(ours)),
            stdin: process.stdin.take(),
            stdout: BufReader::new(process.stdout.take().unwrap()),
            stderr: process.stderr.take(),
            process,
            tag: format!(
                "{:07}{:03}",
                std::process::id(),
                COUNT.fetch_add(1, Ordering::Relaxed)
            ),
            env: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
            cwd: None,
            seen: Vec::new(),
        }
    }

    /// Starts a shell script with the tag as its `$1`; returns the leader's process id.
    pub(crate) fn run_script(&mut self, grace: GraceMs, script: &str) -> u32 {
        let tag = self.tag.clone();
        self.run(Some(grace), &["/bin/sh", "-c", script, "sh", &tag])
    }

    pub(crate) fn run(&mut self, grace_ms: Option<GraceMs>, argv: &[&str]) -> u32 {
        self.ask_to_spawn(grace_ms, argv);
        match self.next() {
            GuardReport::Started { pid } => pid,
            other => panic!("not started: {other:?}"),
        }
    }

    pub(crate) fn ask_to_spawn(&mut self, grace_ms: Option<GraceMs>, argv: &[&str]) {
        let request = GuardRequest::Spawn {
            argv: argv.iter().map(|argument| (*argument).to_owned()).collect(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            grace_ms,
            terminal: None,
        };
        self.ask(&request);
    }

    /// Starts a shell script on a terminal of this size, with the tag as its `$1`; returns the leader's process id and the
    /// daemon's side of the terminal.
    pub(crate) fn run_on_terminal(
        &mut self,
        grace: GraceMs,
        size: TerminalSize,
        script: &str,
    ) -> (u32, OwnedFd) {
        let tag = self.tag.clone();
        self.ask_on_terminal(grace, size, &["/bin/sh", "-c", script, "sh", &tag]);
        let terminal = self.take_terminal();
        match self.next() {
            GuardReport::Started { pid } => (pid, terminal),
            other => panic!("not started: {other:?}"),
        }
    }

    pub(crate) fn ask_on_terminal(&mut self, grace: GraceMs, size: TerminalSize, argv: &[&str]) {
        self.ask(&GuardRequest::Spawn {
            argv: argv.iter().map(|argument| (*argument).to_owned()).collect(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            grace_ms: Some(grace),
            terminal: Some(size),
        });
    }

    /// Receives the first report, which carries the terminal.
    pub(crate) fn take_terminal(&mut self) -> OwnedFd {
        let control = self
            .control
            .as_ref()
            .expect("the control socket is open")
            .get_ref();
        control.set_read_timeout(Some(DEADLINE)).unwrap();
        let expected = b"{\"type\":\"terminal\"}\n";
        let mut line = [0; 20 + 1];
        let line = &mut line[..expected.len()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let received = recvmsg(
            control,
            &mut [IoSliceMut::new(line)],
            &mut ancillary,
            RecvFlags::CMSG_CLOEXEC,
        )
        .unwrap();
        assert_eq!(&line[..received.bytes], expected);
        let rights = ancillary.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut rights) => rights.next(),
            _ => None,
        });
        rights.expect("the terminal comes along")
    }

    /// Does what the daemon does to stop an agent: closes its stdin and says so.
    pub(crate) fn stop(&mut self) {
        self.stdin = None;
        match self.write(&serde_json::to_string(&GuardRequest::Stop).unwrap()) {
            Ok(()) => {}
            // The agent was quicker, and its guard is gone already.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) fn ask(&mut self, request: &GuardRequest) {
        self.say(&serde_json::to_string(request).unwrap());
    }

    pub(crate) fn say(&mut self, line: &str) {
        self.write(line).expect("the guard reads");
    }

    fn write(&mut self, line: &str) -> std::io::Result<()> {
        let control = self
            .control
            .as_mut()
            .expect("the control socket is open")
            .get_mut();
        control.write_all(format!("{line}\n").as_bytes())
    }

    /// Returns the next report.
    pub(crate) fn next(&mut self) -> GuardReport {
        self.next_or_end()
            .unwrap_or_else(|| panic!("the guard ended after {:?}", self.seen))
    }

    /// Reads reports until one satisfies, and returns it.
    pub(crate) fn until(&mut self, wanted: impl Fn(&GuardReport) -> bool) -> GuardReport {
        loop {
            let report = self.next();
            if wanted(&report) {
                return report;
            }
        }
    }

    fn next_or_end(&mut self) -> Option<GuardReport> {
        let control = self.control.as_mut().expect("the control socket is open");
        control.get_ref().set_read_timeout(Some(DEADLINE)).unwrap();
        let mut line = String::new();
        match control.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => {
                let report: GuardReport = serde_json::from_str(&line).expect("a report");
                self.seen.push(report.clone());
                Some(report)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                panic!(
                    "nothing more after {:?}; alive: {:?}",
                    self.seen,
                    alive(&self.tag)
                )
            }
            Err(error) => panic!("{error} after {:?}", self.seen),
        }
    }

    /// Reads to the last report, and holds the guard to it: `gone` came last and once, the guard exited with 0, and
    /// nobody survived. Returns all reports from the first on.
    pub(crate) fn until_gone(mut self) -> Vec<GuardReport> {
        while self.next_or_end().is_some() {}
        assert_eq!(self.seen.last(), Some(&GuardReport::Gone), "{:?}", self.seen);
        let gone = self
            .seen
            .iter()
            .filter(|report| **report == GuardReport::Gone)
            .count();
        assert_eq!(gone, 1, "{:?}", self.seen);
        self.until_exit();
        std::mem::take(&mut self.seen)
    }

    /// Waits for the guard's success and looks for survivors.
    pub(crate) fn until_exit(&mut self) {
        await_end_of(&open(self.process.id()));
        let status = self.process.wait().unwrap();
        assert!(status.success(), "{status}");
        assert_nobody(&self.tag);
    }

    /// Does what the system does when the daemon dies.
    pub(crate) fn lose_daemon(&mut self) {
        self.stdin = None;
        self.control = None;
    }

    /// Returns the agent's next line.
    pub(crate) fn line(&mut self) -> String {
        if self.stdout.buffer().is_empty() {
            await_readable(self.stdout.get_ref());
        }
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Reads the agent's output to its end, which comes when no process holds the pipe.
    pub(crate) fn rest_of_output(&mut self) -> String {
        let mut bytes = self.stdout.buffer().to_vec();
        let mut chunk = [0; 4096];
        loop {
            await_readable(self.stdout.get_ref());
            match self.stdout.get_mut().read(&mut chunk).unwrap() {
                0 => return String::from_utf8(bytes).unwrap(),
                length => bytes.extend_from_slice(&chunk[..length]),
            }
        }
    }

    pub(crate) fn signal_guard(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
    }
}

#[expect(clippy::disallowed_methods, reason = "a test of processes starts processes")]
pub(crate) fn command(program: &str) -> Command {
    Command::new(program)
}

pub(crate) fn this_binary() -> Command {
    command(std::env::current_exe().unwrap().to_str().unwrap())
}

/// Puts the guard's end of the socket at descriptor 3 of the process to come.
#[expect(unsafe_code, reason = "what the daemon does, too")]
fn hand_over(command: &mut Command, socket: &UnixStream) {
    let number = socket.as_raw_fd();
    // SAFETY: two system calls that are async-signal-safe, on descriptors of the child; the socket outlives `spawn`,
    // since both happen in the caller before it drops it.
    unsafe {
        command.pre_exec(move || {
            let done = if number == 3 {
                libc::fcntl(3, libc::F_SETFD, 0)
            } else {
                libc::dup2(number, 3)
            };
            if done == -1 {
                Err(std::io::Error::last_os_error())
            } else {
                Ok(())
            }
        });
    }
}

/// Returns a handle on a process, which need not be a child, but lives or has not been waited for.
pub(crate) fn open(pid: u32) -> OwnedFd {
    pidfd_open(
        Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(),
        PidfdFlags::empty(),
    )
    .unwrap()
}

pub(crate) fn await_end_of(process: &OwnedFd) {
    await_readable(process);
}

/// Waits until somebody has waited for a process that was not ours to wait for.
pub(crate) fn await_waited_for(pid: u32) {
    let deadline = Instant::now() + DEADLINE;
    while std::fs::exists(format!("/proc/{pid}")).unwrap() {
        assert!(Instant::now() < deadline, "nobody waited for {pid}");
        std::thread::yield_now();
    }
}

fn await_readable(descriptor: &impl AsFd) {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let left = Timespec::try_from(deadline.saturating_duration_since(Instant::now())).unwrap();
        match poll(&mut [PollFd::new(descriptor, PollFlags::IN)], Some(&left)) {
            Ok(0) => panic!("nothing came within {DEADLINE:?}"),
            Ok(_) => return,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// Returns the command lines of the living processes in which a tag occurs.
pub(crate) fn alive(tag: &str) -> Vec<String> {
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| {
            let entry = entry.unwrap();
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            // The dead that nobody has waited for have no command line.
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            line.contains(tag).then(|| format!("{pid}: {line}"))
        })
        .collect()
}

pub(crate) fn assert_nobody(tag: &str) {
    assert_eq!(alive(tag), Vec::<String>::new());
}
