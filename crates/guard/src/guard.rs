//! The guard's loop: waits for the daemon, for ends and for deadlines, asks the ladder what they mean, and does it.
//! One thread, one `poll`; nothing in here blocks on anything else while the tree lives.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{WaitOptions, WaitStatus, wait};

use crate::control::{Control, Received};
use crate::ladder::{Action, Grace, Input, Ladder};
use crate::signals::{Signals, Woken};
use crate::spawn::{Program, let_go, spawn};
use crate::terminal::{Pty, hang_up};
use crate::tree::{Leader, Tree, TreeSignal, number};
use crate::wire::{GraceMs, GuardReport, GuardRequest, TerminalSize};

/// How many ends are taken in before the rest of the loop gets its turn: a flood of short processes must not keep
/// the guard from killing it.
const ENDS_AT_ONCE: usize = 256;
/// How many processes one report names.
const PIDS_PER_REPORT: usize = 256;
/// How often processes that are nobody's children are looked for, where that can be.
const STRAYS_EVERY: Duration = Duration::from_millis(200);

/// A guard and what it guards.
#[derive(Debug)]
pub(crate) struct Guard {
    control: Control,
    signals: Signals,
    tree: Tree,
    ladder: Ladder,
    leader: Option<Leader>,
    /// The terminal's side of a pane, held until the tree is asked to end. Whoever wants a pane to outlive the daemon reads
    /// it here when the daemon is gone.
    terminal: Option<OwnedFd>,
    rest: Rest,
    /// Whom the last look signalled, sorted, so that the next one names only who is new.
    signalled: Option<(TreeSignal, Vec<u32>)>,
    warned: Option<String>,
}

/// What is left of the tree, as far as waiting for children tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Processes whose end will be signalled.
    Children,
    /// Ends not taken in yet.
    MoreEnds,
    /// No children, but others, whose end is not signalled.
    Strays,
    /// Nobody.
    Nobody,
}

impl Guard {
    pub(crate) fn new(control: Control, signals: Signals, tree: Tree) -> Self {
        Self {
            control,
            signals,
            tree,
            ladder: Ladder::Waiting,
            leader: None,
            terminal: None,
            rest: Rest::Nobody,
            signalled: None,
            warned: None,
        }
    }

    /// Guards until the tree is gone and the daemon knows.
    ///
    /// Fails when the guard cannot wait for events any more, and has killed the tree by then.
    pub(crate) fn run(mut self) -> io::Result<()> {
        while self.ladder != Ladder::Left {
            if let Err(error) = self.turn() {
                self.kill_blindly();
                return Err(error);
            }
        }
        self.finish_reports()
    }

    fn turn(&mut self) -> io::Result<()> {
        self.wait_for_event()?;
        if self.signals.drain()? == Woken::Terminated {
            self.step(Input::TerminateAsked);
        }
        self.control.send();
        for received in self.control.receive() {
            self.handle(received);
        }
        self.take_ends()?;
        self.step(Input::TimePassed);
        Ok(())
    }

    fn wait_for_event(&self) -> io::Result<()> {
        let until_deadline = self
            .ladder
            .deadline()
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let timeout = match self.rest {
            Rest::Children | Rest::Nobody => until_deadline,
            Rest::MoreEnds => Some(Duration::ZERO),
            Rest::Strays => Some(until_deadline.map_or(STRAYS_EVERY, |until| until.min(STRAYS_EVERY))),
        };
        self.poll(PollFlags::IN, timeout)
    }

    /// Waits for a signal to the guard, for the control socket, or for the timeout. Which one it was is found by
    /// looking at each, which costs less than telling them apart.
    fn poll(&self, control_flags: PollFlags, timeout: Option<Duration>) -> io::Result<()> {
        let signals = PollFd::from_borrowed_fd(self.signals.pollable(), PollFlags::IN);
        let control = self.control.pollable().map(|control| {
            let unsent = if self.control.has_unsent() {
                PollFlags::OUT
            } else {
                PollFlags::empty()
            };
            PollFd::from_borrowed_fd(control, control_flags | unsent)
        });
        let mut polled: Vec<PollFd<'_>> = control.into_iter().chain([signals]).collect();
        // A timeout that the system cannot hold is one that never comes.
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        match poll(&mut polled, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn handle(&mut self, received: Received) {
        match received {
            Received::Request(GuardRequest::Spawn {
                argv,
                cwd,
                env,
                grace_ms,
                terminal,
            }) => {
                let program = Program {
                    argv,
                    cwd,
                    env,
                    terminal: None,
                };
                self.start(program, grace_ms, terminal);
            }
            Received::Request(GuardRequest::Stop) => self.step(Input::StopAsked),
            Received::Request(GuardRequest::Terminate) => self.step(Input::TerminateAsked),
            Received::Malformed(reason) => {
                let error = format!("the guard does not understand the daemon: {reason}");
                if self.ladder == Ladder::Waiting {
                    self.control.report(&GuardReport::SpawnFailed { error });
                    self.step(Input::SpawnFailed);
                } else {
                    self.warn(error);
                }
            }
            Received::Closed => self.step(Input::ControlClosed),
        }
    }

    fn start(&mut self, mut program: Program, grace_ms: Option<GraceMs>, terminal: Option<TerminalSize>) {
        if self.ladder != Ladder::Waiting {
            self.warn("a guard starts one program, and this one has had its own".to_owned());
            return;
        }
        if let Some(size) = terminal {
            match self.open_terminal(size) {
                Ok(program_side) => program.terminal = Some(program_side),
                Err(error) => {
                    let error = error.to_string();
                    self.control.report(&GuardReport::SpawnFailed { error });
                    self.step(Input::SpawnFailed);
                    return;
                }
            }
        }
        let spawned = spawn(program);
        if let Err(error) = let_go() {
            self.warn(format!("the guard cannot let go of the program's pipes: {error}"));
        }
        match spawned {
            Ok(pid) => {
                self.leader = Some(Leader::Running(pid));
                self.control.report(&GuardReport::Started { pid: number(pid) });
                let grace = grace_ms.map_or_else(Grace::default, |GraceMs { term, kill }| Grace {
                    before_terminate: Duration::from_millis(term),
                    before_kill: Duration::from_millis(kill),
                });
                self.step(Input::Spawned { grace });
            }
            Err(error) => {
                self.control.report(&GuardReport::SpawnFailed {
                    error: error.to_string(),
                });
                self.step(Input::SpawnFailed);
            }
        }
    }

    /// Opens the terminal of a pane, hands one side to the daemon and returns the other.
    fn open_terminal(&mut self, size: TerminalSize) -> io::Result<OwnedFd> {
        let Pty {
            terminal_side,
            program_side,
        } = Pty::open(size).map_err(io::Error::other)?;
        self.control
            .hand_over(&GuardReport::Terminal, terminal_side.as_fd())?;
        self.terminal = Some(terminal_side);
        Ok(program_side)
    }

    fn hang_up(&mut self) {
        let Some(terminal_side) = self.terminal.take() else {
            return;
        };
        let leader = match self.leader {
            Some(Leader::Running(pid)) => Some(pid),
            Some(Leader::Ended(_)) | None => None,
        };
        if let Err(error) = hang_up(terminal_side, leader) {
            self.warn(format!(
                "the guard cannot tell the program that its terminal is gone: {error}"
            ));
        }
    }

    /// Waits for those that have ended already, reports them, and sees who is left.
    fn take_ends(&mut self) -> io::Result<()> {
        let Some(leader) = self.leader else { return Ok(()) };
        let (mut leader_ended, mut shrank) = (false, false);
        self.rest = Rest::MoreEnds;
        for _ in 0..ENDS_AT_ONCE {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if leader == Leader::Running(pid) => {
                    self.leader = Some(Leader::Ended(pid));
                    leader_ended = true;
                    let (code, signal) = ending(status);
                    self.control.report(&GuardReport::Exited { code, signal });
                }
                Ok(Some((pid, status))) => {
                    shrank = true;
                    let (code, signal) = ending(status);
                    self.control.report(&GuardReport::Reaped {
                        pid: number(pid),
                        code,
                        signal,
                    });
                }
                Ok(None) => {
                    self.rest = Rest::Children;
                    break;
                }
                Err(Errno::CHILD) => {
                    self.rest = if self.tree.outlives_children(leader) {
                        Rest::Strays
                    } else {
                        Rest::Nobody
                    };
                    break;
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if self.rest == Rest::Nobody {
            self.step(Input::TreeEmpty);
        } else if leader_ended {
            self.step(Input::LeaderEnded);
        } else if shrank && self.rest == Rest::Children {
            // While there are more ends they come first: a look among thousands of the dead takes longer than they do.
            self.step(Input::TreeShrank);
        }
        Ok(())
    }

    fn step(&mut self, input: Input) {
        match self.ladder.step(input, Instant::now()) {
            Some(Action::HangUp) => self.hang_up(),
            Some(Action::Terminate) => self.signal_tree(TreeSignal::Terminate),
            Some(Action::Kill) => self.signal_tree(TreeSignal::Kill),
            Some(Action::Leave) => self.control.report(&GuardReport::Gone),
            None => {}
        }
    }

    fn signal_tree(&mut self, signal: TreeSignal) {
        let Some(leader) = self.leader else { return };
        let look = match self.tree.signal(signal, leader) {
            Ok(look) => look,
            Err(error) => {
                self.warn(format!("the guard cannot see the processes it guards: {error}"));
                return;
            }
        };
        if !look.refused.is_empty() {
            let pids: Vec<String> = look.refused.iter().map(u32::to_string).collect();
            self.warn(format!(
                "not permitted to send signal {} to {}",
                signal.number(),
                pids.join(", ")
            ));
        }
        let before = self.signalled.take().filter(|(before, _)| *before == signal);
        let known = before.map_or_else(Vec::new, |(_, pids)| pids);
        let mut pids = look.signalled;
        pids.sort_unstable();
        let new: Vec<u32> = pids
            .iter()
            .copied()
            .filter(|pid| known.binary_search(pid).is_err())
            .collect();
        for pids in new.chunks(PIDS_PER_REPORT) {
            self.control.report(&GuardReport::Signalled {
                signal: signal.number(),
                pids: pids.to_vec(),
            });
        }
        self.signalled = Some((signal, pids));
    }

    fn warn(&mut self, message: String) {
        if self.warned.as_ref() != Some(&message) {
            self.control.report(&GuardReport::Warning {
                message: message.clone(),
            });
            self.warned = Some(message);
        }
    }

    /// Kills the tree without deadlines or reports, waiting for one end after another.
    fn kill_blindly(&mut self) {
        let Some(leader) = self.leader else { return };
        loop {
            // Nothing is left to report a failure to; the leader got the signal even then.
            self.tree.signal(TreeSignal::Kill, leader).ok();
            match wait(WaitOptions::empty()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    /// Stays until the daemon has read the last report or is gone: `gone` is what it waits for. SIGTERM ends this.
    fn finish_reports(mut self) -> io::Result<()> {
        while self.control.has_unsent() {
            self.poll(PollFlags::empty(), None)?;
            if self.signals.drain()? == Woken::Terminated {
                break;
            }
            self.control.send();
        }
        self.control.finish()
    }
}

fn ending(status: WaitStatus) -> (Option<i32>, Option<i32>) {
    (status.exit_status(), status.terminating_signal())
}
