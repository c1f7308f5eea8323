//! Commands that an agent has the daemon run for it (ACP: terminals): each below a guard of its own, its output kept.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use pupitre_guard::wire::{GuardReport, GuardRequest};
use pupitre_protocol::AgentName;
use pupitre_protocol::limits::{
    AGENT_TERMINALS, DRAIN_MS, TERMINAL_OUTPUT_BYTES, TERMINAL_OUTPUT_BYTES_MOST,
};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;

use super::acp::{AgentRequestId, TerminalExit, TerminalOutput};
use crate::process::{GuardNews, GuardedCommand, Program, World, signal_name};

/// The commands of one run of an agent.
#[derive(Debug, Default)]
pub(super) struct Terminals {
    count: u64,
    running: HashMap<String, Terminal>,
    /// How many have a guard, released ones that are still being ended included.
    guarded: usize,
}

#[derive(Debug)]
struct Terminal {
    guard: mpsc::UnboundedSender<GuardRequest>,
    kept: Arc<Kept>,
    /// Who waits for its end.
    waiting: Vec<AgentRequestId>,
}

/// What is heard of a command.
#[derive(Debug)]
pub(super) enum TerminalNews {
    /// It runs, and `asked` is to be told so.
    Started {
        id: String,
        asked: AgentRequestId,
    },
    NotStarted {
        id: String,
        asked: AgentRequestId,
        reason: String,
    },
    Ended {
        id: String,
    },
    /// Nothing of one is left, and its guard is gone.
    Gone,
}

/// Why a command is not run.
#[derive(Debug, thiserror::Error)]
pub(super) enum TerminalError {
    #[error("{AGENT_TERMINALS} commands run already, which is the limit: release one")]
    TooMany,
    #[error("its guard cannot be started: {0}")]
    Guard(#[from] io::Error),
}

/// The output of a command, and how it ended.
#[derive(Debug)]
struct Kept {
    state: Mutex<State>,
    most_bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    bytes: VecDeque<u8>,
    truncated: bool,
    exit: Option<TerminalExit>,
}

impl Terminals {
    /// Starts a command. Whether it runs comes as news.
    pub(super) fn create(
        &mut self,
        world: &World,
        agent: &AgentName,
        (program, output_bytes): (Program, Option<u64>),
        asked: AgentRequestId,
        news: mpsc::UnboundedSender<TerminalNews>,
    ) -> Result<(), TerminalError> {
        if self.guarded >= AGENT_TERMINALS {
            return Err(TerminalError::TooMany);
        }
        let most_bytes = match output_bytes {
            Some(bytes) => usize::try_from(bytes).map_or(TERMINAL_OUTPUT_BYTES_MOST, |bytes| {
                bytes.min(TERMINAL_OUTPUT_BYTES_MOST)
            }),
            None => TERMINAL_OUTPUT_BYTES,
        };
        let (guard_news, heard) = mpsc::unbounded_channel();
        let GuardedCommand { output, requests } =
            crate::process::start_command(world, agent, program, guard_news)?;
        self.count += 1;
        self.guarded += 1;
        let id = format!("terminal-{}", self.count);
        let kept = Arc::new(Kept {
            state: Mutex::default(),
            most_bytes,
        });
        let watched = Watched {
            id: id.clone(),
            asked: Some(asked),
            kept: Arc::clone(&kept),
            news,
        };
        world.tasks.spawn(watched.run(output, heard));
        let terminal = Terminal {
            guard: requests,
            kept,
            waiting: Vec::new(),
        };
        self.running.insert(id, terminal);
        Ok(())
    }

    /// Ends all of them, at once.
    pub(super) fn end(&mut self) {
        for (_, terminal) in self.running.drain() {
            // A command that has ended needs no end.
            terminal.guard.send(GuardRequest::Terminate).ok();
        }
    }

    /// Takes note that nothing of one is left.
    pub(super) fn one_is_gone(&mut self) {
        self.guarded = self.guarded.saturating_sub(1);
    }

    /// Says whether nothing of any of them is left.
    pub(super) fn are_gone(&self) -> bool {
        self.guarded == 0
    }

    /// Returns what a command has written. `None` when there is none of this name.
    pub(super) fn output(&self, id: &str) -> Option<TerminalOutput> {
        self.running.get(id).map(|terminal| terminal.kept.output())
    }

    /// Returns how a command ended, or remembers who waits for it. `None` when there is none of this name.
    pub(super) fn exit(&mut self, id: &str, asked: &AgentRequestId) -> Option<Option<TerminalExit>> {
        let terminal = self.running.get_mut(id)?;
        let exit = terminal.kept.lock().exit.clone();
        if exit.is_none() {
            terminal.waiting.push(asked.clone());
        }
        Some(exit)
    }

    /// Ends a command at once; its output stays. Says whether there is one of this name.
    pub(super) fn kill(&self, id: &str) -> bool {
        self.running.get(id).is_some_and(|terminal| {
            // A command that has ended needs no end.
            terminal.guard.send(GuardRequest::Terminate).ok();
            true
        })
    }

    /// Ends a command and forgets it. Returns who waited for its end, or `None` when there is none of this name.
    pub(super) fn release(&mut self, id: &str) -> Option<Vec<AgentRequestId>> {
        self.kill(id);
        self.running.remove(id).map(|terminal| terminal.waiting)
    }

    /// Returns who waited for the end of a command, and what they are to be told.
    pub(super) fn ended(&mut self, id: &str) -> Option<(Vec<AgentRequestId>, TerminalExit)> {
        let terminal = self.running.get_mut(id)?;
        let exit = terminal.kept.lock().exit.clone()?;
        Some((std::mem::take(&mut terminal.waiting), exit))
    }
}

/// A command that is watched until nothing of it is left.
struct Watched {
    id: String,
    /// Who is to be told that it runs.
    asked: Option<AgentRequestId>,
    kept: Arc<Kept>,
    news: mpsc::UnboundedSender<TerminalNews>,
}

impl Watched {
    async fn run(
        mut self,
        mut output: impl AsyncRead + Unpin,
        mut heard: mpsc::UnboundedReceiver<GuardNews>,
    ) {
        let mut buffer = vec![0; 16 << 10];
        let mut open = true;
        let mut exit = None;
        while exit.is_none() {
            tokio::select! {
                read = output.read(&mut buffer), if open => open = self.take(&buffer, read),
                news = heard.recv() => match news {
                    Some(GuardNews::Report(report)) => exit = self.hear(report),
                    // A command has pipes.
                    Some(GuardNews::Terminal(_)) => {}
                    Some(GuardNews::Lost) | None => {
                        self.not_started("its guard was ended from outside".to_owned());
                        exit = Some(TerminalExit { exit_code: None, signal: None });
                    }
                },
            }
        }
        // What it wrote last may still be on its way; what it started may write on, and is not waited for.
        let rest = async {
            while open {
                let read = output.read(&mut buffer).await;
                open = self.take(&buffer, read);
            }
        };
        drop(tokio::time::timeout(Duration::from_millis(DRAIN_MS), rest).await);
        self.kept.lock().exit = exit;
        let ended = TerminalNews::Ended { id: self.id.clone() };
        // Nobody hears it when the agent is gone.
        self.news.send(ended).ok();
        while let Some(GuardNews::Report(_)) = heard.recv().await {}
        self.news.send(TerminalNews::Gone).ok();
    }

    /// Keeps what was read; says whether there may be more.
    fn take(&self, buffer: &[u8], read: io::Result<usize>) -> bool {
        match read {
            Ok(0) | Err(_) => false,
            Ok(count) => {
                self.kept.append(&buffer[..count]);
                true
            }
        }
    }

    /// Tells whoever asked, if nobody was told yet, that the command does not run.
    fn not_started(&mut self, reason: String) {
        if let Some(asked) = self.asked.take() {
            let id = self.id.clone();
            self.news
                .send(TerminalNews::NotStarted { id, asked, reason })
                .ok();
        }
    }

    fn hear(&mut self, report: GuardReport) -> Option<TerminalExit> {
        match report {
            GuardReport::Started { .. } => {
                if let Some(asked) = self.asked.take() {
                    let id = self.id.clone();
                    self.news.send(TerminalNews::Started { id, asked }).ok();
                }
                None
            }
            GuardReport::SpawnFailed { error } => {
                self.not_started(error);
                None
            }
            GuardReport::Exited { code, signal } => Some(TerminalExit {
                exit_code: code,
                signal: signal.map(|signal| {
                    signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned)
                }),
            }),
            GuardReport::Terminal
            | GuardReport::Reaped { .. }
            | GuardReport::Signalled { .. }
            | GuardReport::Warning { .. }
            | GuardReport::Gone => None,
        }
    }
}

impl Kept {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nothing panics while it holds the output")
    }

    fn append(&self, bytes: &[u8]) {
        let mut state = self.lock();
        state.bytes.extend(bytes);
        let too_many = state.bytes.len().saturating_sub(self.most_bytes);
        if too_many > 0 {
            state.bytes.drain(..too_many);
            state.truncated = true;
        }
    }

    fn output(&self) -> TerminalOutput {
        let mut state = self.lock();
        let truncated = state.truncated;
        let exit_status = state.exit.clone();
        let bytes: &[u8] = state.bytes.make_contiguous();
        // The cut may have gone through a character: the rest of it is no text.
        let is_inside = |byte: &&u8| truncated && **byte & 0b1100_0000 == 0b1000_0000;
        let begin = bytes.iter().take(3).take_while(is_inside).count();
        TerminalOutput {
            output: String::from_utf8_lossy(&bytes[begin..]).into_owned(),
            truncated,
            exit_status,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_output_is_kept_and_begins_with_a_whole_character() {
        let kept = Kept {
            state: Mutex::default(),
            most_bytes: 5,
        };
        kept.append("aé".as_bytes());
        let told = |output: &str, truncated| TerminalOutput {
            output: output.to_owned(),
            truncated,
            exit_status: None,
        };
        assert_eq!(kept.output(), told("aé", false));
        kept.append("bcd".as_bytes());
        assert_eq!(kept.output(), told("ébcd", true));
        kept.append(b"e");
        assert_eq!(kept.output(), told("bcde", true));
    }
}
