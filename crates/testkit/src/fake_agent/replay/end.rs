//! The end of a replay. A recording that ended by SIGTERM does not react to a closed stdin, so that the client has to
//! take its next step; one that never ended stays until it is killed.

use std::io::BufRead;
use std::sync::{Arc, Mutex};

use signal_hook::consts::SIGTERM;
use signal_hook::iterator::Signals;

use super::Replay;
use crate::fake_agent::client_line::{AnswerContent, ClientLine};
use crate::fake_agent::report::{self, Divergence};
use crate::transcript::{EndCause, Ending, Exit, Step};

/// Listens for SIGTERM while the replay plays.
pub(super) struct EndWatch(Arc<Mutex<Phase>>);

#[derive(Clone, Copy)]
enum Phase {
    /// The recording has not come to its end; SIGTERM waits for it.
    Playing(SigtermSeen),
    /// SIGTERM is what the recording ends with.
    Expecting(Exit),
    /// The end came and was reported; only the process is still there.
    Over,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SigtermSeen {
    Yes,
    No,
}

impl EndWatch {
    pub(super) fn start() -> Self {
        let phase = Arc::new(Mutex::new(Phase::Playing(SigtermSeen::No)));
        let mut signals = Signals::new([SIGTERM]).expect("SIGTERM can be listened for");
        let watched = Arc::clone(&phase);
        std::thread::spawn(move || {
            for _ in signals.forever() {
                let mut phase = watched.lock().expect("no thread of the fake panics");
                match *phase {
                    Phase::Playing(_) => *phase = Phase::Playing(SigtermSeen::Yes),
                    Phase::Expecting(exit) => {
                        report::accept();
                        leave(exit);
                    }
                    Phase::Over => leave(Exit::Signal(SIGTERM)),
                }
            }
        });
        Self(phase)
    }

    /// Enters the last phase; returns whether SIGTERM has come already.
    fn enter(&self, next: Phase) -> SigtermSeen {
        let mut phase = self.0.lock().expect("no thread of the fake panics");
        match std::mem::replace(&mut *phase, next) {
            Phase::Playing(seen) => seen,
            Phase::Expecting(_) | Phase::Over => SigtermSeen::No,
        }
    }
}

impl<R: BufRead> Replay<R> {
    pub(super) fn end(
        &mut self,
        ending: Ending,
        rest: &[Step],
        watch: &EndWatch,
    ) -> Result<std::convert::Infallible, Divergence> {
        match ending.cause {
            EndCause::Killed => {
                report::accept();
                kill_self(rustix::process::Signal::KILL)
            }
            EndCause::Itself => {
                report::accept();
                leave(ending.exit)
            }
            EndCause::StdinClosed => {
                self.read_until_closed()?;
                // In this order: once the phase is over, SIGTERM ends the process at any moment.
                report::accept();
                let sigterm = watch.enter(Phase::Over);
                for step in rest {
                    // The client may be gone: what the agent still says is nobody's duty to read.
                    let said = match step {
                        Step::Agent(line) => self.send(line.get()),
                        Step::Stray(text) => self.stdout.line(text),
                        Step::Stderr(_) | Step::Client(_) | Step::End(_) => Ok(()),
                    };
                    if said.is_err() {
                        break;
                    }
                }
                match (ending.exit, sigterm) {
                    (Exit::Never, SigtermSeen::Yes) => leave(Exit::Signal(SIGTERM)),
                    (exit, _) => leave(exit),
                }
            }
            EndCause::Terminated => {
                if watch.enter(Phase::Expecting(ending.exit)) == SigtermSeen::Yes {
                    report::accept();
                    leave(ending.exit)
                }
                self.read_until_closed()?;
                park()
            }
        }
    }

    /// Waits until the client closes our stdin. In the middle of a turn it may give the turn up first.
    fn read_until_closed(&mut self) -> Result<(), Divergence> {
        while let Some(line) = self.lines.next()? {
            let gives_up = !self.open_prompts.is_empty()
                && match &line {
                    ClientLine::Notification { method, .. } => method == "session/cancel",
                    ClientLine::Answer {
                        id,
                        content: AnswerContent::Result(result),
                    } => {
                        result["outcome"]["outcome"] == "cancelled"
                            && self.requests.iter().any(|request| request.id == *id)
                    }
                    ClientLine::Answer {
                        content: AnswerContent::Error(_),
                        ..
                    } => false,
                    ClientLine::Request { .. } => false,
                };
            if !gives_up {
                return Err(Divergence(format!(
                    "{} instead of the end of the recording",
                    line.describe()
                )));
            }
        }
        Ok(())
    }
}

fn leave(exit: Exit) -> ! {
    match exit {
        Exit::Code(code) => std::process::exit(code),
        Exit::Signal(signal) => {
            // Restores the default action and raises the signal, so that the parent sees the recorded status.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            std::process::exit(128 + signal)
        }
        Exit::Never => park(),
    }
}

pub(in crate::fake_agent) fn kill_self(signal: rustix::process::Signal) -> ! {
    let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
    park()
}

pub(in crate::fake_agent) fn park() -> ! {
    loop {
        std::thread::park();
    }
}
