//! The link to an agent's process: its lines, the news of its guard, and the end of either.

use std::time::Duration;

use pupitre_guard::wire::{GuardReport, GuardRequest};
use pupitre_model::reason::Reason;
use pupitre_protocol::limits::DRAIN_MS;
use pupitre_protocol::system::Empty;
use tokio::process::ChildStdout;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::Respond;
use super::acp::{AgentRequestId, Congestion, Connection, LineError, LineReader, Redactor, WriteError};
use super::client::{FileDone, FileJob, work_with_files};
use super::session::Asked;
use super::terminals::{TerminalNews, Terminals};
use crate::clock::steady_ms;
use crate::process::GuardNews;
use crate::tasks::Tasks;

/// How long the exit of an agent that closed its stdout is awaited, in milliseconds.
const EXIT_AFTER_END_OF_OUTPUT_MS: u64 = 2_000;

/// How many pieces of work with files may wait; a further one waits in the agent's stdout.
const FILE_JOBS: usize = 4;

/// One process of the agent, from its start until nothing of it is left.
pub(super) struct Link {
    lines: LineReader<ChildStdout>,
    output: Output,
    congestion: Congestion,
    /// Dropping it closes the agent's stdin.
    pub(super) connection: Option<Connection<Asked>>,
    pub(super) redactor: Redactor,
    guard: mpsc::UnboundedSender<GuardRequest>,
    pub(super) news: mpsc::UnboundedReceiver<GuardNews>,
    pub(super) written: mpsc::UnboundedReceiver<WriteError>,
    /// Ends when stderr was read to its end.
    stderr: Option<JoinHandle<()>>,
    pub(super) pid: Option<u32>,
    /// When the process was started, in epoch milliseconds.
    pub(super) started_at: u64,
    /// The commands that it has run for it.
    pub(super) terminals: Terminals,
    pub(super) terminal_news: mpsc::UnboundedSender<TerminalNews>,
    heard_of_terminals: mpsc::UnboundedReceiver<TerminalNews>,
    /// Work with files that it wants done.
    pub(super) files: mpsc::Sender<FileJob>,
    heard_done: mpsc::Receiver<LinkInput>,
    /// The process has ended, for this reason, and its last output is awaited until then.
    pub(super) exit: Option<Exit>,
    /// Whether anything of the tree lives.
    pub(super) tree: Tree,
}

/// Whether anything of an agent's tree lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tree {
    Alive,
    /// Nothing does; this is told when the last output was read.
    Gone,
}

/// The end of the agent's own process.
#[derive(Debug, Clone)]
pub(super) struct Exit {
    pub(super) reason: Reason,
    pub(super) drained_by_ms: u64,
    /// The lifecycle has been told.
    pub(super) told: bool,
}

/// Whether the agent still writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Output {
    Open,
    Ended { since_ms: u64 },
}

/// What came of the process.
#[derive(Debug)]
pub(super) enum LinkInput {
    Line(Vec<u8>),
    /// The agent closed its stdout, or it cannot be read any more.
    OutputEnded(Option<LineError>),
    WriteFailed(WriteError),
    Guard(GuardReport),
    GuardKilled,
    GuardLost,
    FileDone(AgentRequestId, FileDone),
    Terminal(TerminalNews),
    /// The agent has read what waited for it.
    Relieved,
}

/// The ends of a process that a link is made of.
pub(super) struct LinkParts {
    pub(super) lines: LineReader<ChildStdout>,
    pub(super) connection: Connection<Asked>,
    pub(super) redactor: Redactor,
    pub(super) guard: mpsc::UnboundedSender<GuardRequest>,
    pub(super) news: mpsc::UnboundedReceiver<GuardNews>,
    pub(super) written: mpsc::UnboundedReceiver<WriteError>,
    pub(super) stderr: JoinHandle<()>,
    pub(super) congestion: Congestion,
    pub(super) started_at: u64,
}

impl Link {
    pub(super) fn new(parts: LinkParts, tasks: &Tasks) -> Self {
        let LinkParts {
            lines,
            connection,
            redactor,
            guard,
            news,
            written,
            stderr,
            congestion,
            started_at,
        } = parts;
        let connection = Some(connection);
        let (terminal_news, heard_of_terminals) = mpsc::unbounded_channel();
        let (files, jobs) = mpsc::channel(FILE_JOBS);
        // One outcome waits at most: each may be a whole file.
        let (done, heard_done) = mpsc::channel(1);
        tasks.spawn(work_with_files(jobs, done, congestion.clone()));
        Self {
            lines,
            output: Output::Open,
            congestion,
            connection,
            redactor,
            guard,
            news,
            written,
            stderr: Some(stderr),
            pid: None,
            started_at,
            terminals: Terminals::default(),
            terminal_news,
            heard_of_terminals,
            files,
            heard_done,
            exit: None,
            tree: Tree::Alive,
        }
    }

    /// Waits, once and for a moment, until the last lines of stderr are in the log: nothing writes there any more.
    pub(super) async fn read_stderr_to_end(&mut self) {
        let Some(stderr) = self.stderr.take() else { return };
        if tokio::time::timeout(Duration::from_millis(DRAIN_MS), stderr)
            .await
            .is_err()
        {
            tracing::debug!("something that left the agent's tree still holds its stderr");
        }
    }

    /// Says whether the process has ended and something that it wrote before may still be read.
    pub(super) fn is_draining(&self) -> bool {
        self.output == Output::Open && self.exit.as_ref().is_some_and(|exit| !exit.told)
    }

    /// Returns what comes next. Nothing is lost when the future is dropped.
    pub(super) async fn next(&mut self) -> LinkInput {
        // An agent that asks for more than it takes in waits; its end is told by its guard.
        let congested = self.congestion.is_congested();
        let reads = self.output == Output::Open && self.files.capacity() > 0 && !congested;
        let relief = self.congestion.clone();
        tokio::select! {
            biased;
            Some(news) = self.news.recv() => match news {
                GuardNews::Report(report) => LinkInput::Guard(report),
                // Not asked for; the report says as much to whoever reads it.
                GuardNews::Terminal(_) => LinkInput::Guard(GuardReport::Terminal),
                GuardNews::Killed => LinkInput::GuardKilled,
                GuardNews::Lost => LinkInput::GuardLost,
            },
            Some(error) = self.written.recv() => LinkInput::WriteFailed(error),
            Some(done) = self.heard_done.recv() => done,
            Some(news) = self.heard_of_terminals.recv() => LinkInput::Terminal(news),
            line = self.lines.next_line(), if reads => match line {
                Ok(Some(line)) => LinkInput::Line(line.to_vec()),
                Ok(None) => LinkInput::OutputEnded(None),
                Err(error) => LinkInput::OutputEnded(Some(error)),
            },
            () = relief.relieved(), if congested => LinkInput::Relieved,
            () = std::future::pending() => unreachable!("nothing comes of it"),
        }
    }

    /// Asks the guard to end the tree; the agent's stdin is closed at once. Returns the connection, and who waits for a login on
    /// a terminal.
    pub(super) fn end(&mut self) -> (Option<Connection<Asked>>, Vec<Respond<Empty>>) {
        if self.guard.send(GuardRequest::Stop).is_err() {
            tracing::debug!("the guard has already ended");
        }
        let logins = self.terminals.end();
        (self.connection.take(), logins)
    }

    pub(super) fn output_ended(&mut self) {
        self.output = Output::Ended {
            since_ms: steady_ms(),
        };
        if let Some(exit) = &mut self.exit {
            exit.drained_by_ms = steady_ms();
        }
    }

    pub(super) fn exited(&mut self, reason: Reason) {
        let drained_by_ms = match self.output {
            Output::Open => steady_ms() + DRAIN_MS,
            Output::Ended { .. } => steady_ms(),
        };
        self.exit = Some(Exit {
            reason,
            drained_by_ms,
            told: false,
        });
    }

    /// Returns when the link must be looked at again at the latest.
    pub(super) fn deadline_ms(&self) -> Option<u64> {
        match (&self.exit, self.output) {
            (Some(exit), _) => (!exit.told).then_some(exit.drained_by_ms),
            (None, Output::Ended { since_ms }) => self
                .connection
                .is_some()
                .then_some(since_ms + EXIT_AFTER_END_OF_OUTPUT_MS),
            (None, Output::Open) => None,
        }
    }

    /// Says whether the agent closed its output and, some time later, still lives.
    pub(super) fn is_mute(&self, now_ms: u64) -> bool {
        match (&self.exit, self.output) {
            (None, Output::Ended { since_ms }) => now_ms >= since_ms + EXIT_AFTER_END_OF_OUTPUT_MS,
            (_, _) => false,
        }
    }
}
