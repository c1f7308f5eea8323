//! The pump of a pane: moves bytes between its terminal and its screen, follows its guard, and publishes what changed.

use std::future::Future;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use pupitre_guard::wire::GuardReport;
use pupitre_protocol::Event;
use pupitre_protocol::limits::SURFACE_CHANGED_MS;
use pupitre_protocol::surface::ExitStatus;
use pupitre_terminal::pty::{BATCH_BYTES, PtyRead, PtyStream};
use tokio::sync::{mpsc, oneshot, watch};

use super::Pane;
use super::state::Life;
use crate::process::{GuardNews, ended, signal_name};

/// How long after output the foreground is looked at: a command's start and end come with output, mostly.
const LOOK_AFTER: Duration = Duration::from_millis(150);
/// A pane that is quiet for so long has its screen folded.
const FOLD_AFTER: Duration = Duration::from_secs(20);
/// How much of the input is written at once.
const WRITE_BYTES: usize = 16 << 10;
/// How much of a batch is worked on while the pane is locked.
const LOCKED_BYTES: usize = 16 << 10;

/// How often what is in view is tested at most while output floods: to read the whole screen after each few kB takes longer
/// than to draw it. What scrolls or is erased meanwhile is tested when it goes.
const TEST_EVERY: Duration = Duration::from_millis(5);

/// The end of a process.
type Ended = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The task of one pane.
pub(super) struct Pump {
    pane: Pane,
    news: mpsc::UnboundedReceiver<GuardNews>,
    happened: mpsc::UnboundedSender<Event>,
    leader: Arc<OnceLock<u32>>,
    gone: watch::Sender<bool>,
    started: Option<oneshot::Sender<Result<(), String>>>,
    guard: GuardLife,
    stream: Option<PtyStream>,
    /// Whether anything can still be read.
    reads: bool,
    look_at: Option<Instant>,
    fold_at: Option<Instant>,
    /// When to test what is in view, if it was put off.
    test_at: Option<Instant>,
    tested_at: Option<Instant>,
    publish_at: Option<Instant>,
    /// The end of the agent that was recognised, and whose that is.
    agent_end: Option<(u32, Ended)>,
}

/// Whether anything can still be heard of the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GuardLife {
    Alive,
    /// Nothing of the pane's processes is left.
    Over,
}

/// What happened.
enum Turn {
    News(Option<GuardNews>),
    Woken,
    Read(std::io::Result<PtyRead>),
    Written(std::io::Result<usize>),
    AgentEnded,
    Time,
}

impl Pump {
    pub(super) fn new(
        pane: Pane,
        news: mpsc::UnboundedReceiver<GuardNews>,
        happened: mpsc::UnboundedSender<Event>,
        leader: Arc<OnceLock<u32>>,
        gone: watch::Sender<bool>,
        started: oneshot::Sender<Result<(), String>>,
    ) -> Self {
        Self {
            pane,
            news,
            happened,
            leader,
            gone,
            started: Some(started),
            guard: GuardLife::Alive,
            stream: None,
            reads: false,
            look_at: None,
            fold_at: None,
            test_at: None,
            tested_at: None,
            publish_at: None,
            agent_end: None,
        }
    }

    /// Works until the pane is closed.
    pub(super) async fn run(mut self) {
        let mut batch = Vec::with_capacity(BATCH_BYTES);
        while !self.pane.lock().is_closed() {
            let input = self.next_input();
            let turn = self.turn(&mut batch, &input).await;
            match turn {
                Turn::News(None) | Turn::News(Some(GuardNews::Lost)) => self.end(&mut batch),
                Turn::News(Some(news)) => self.hear(news, &mut batch),
                Turn::Woken => {}
                Turn::Read(read) => self.take(read, &mut batch),
                Turn::Written(written) => self.take_written(written),
                Turn::AgentEnded => {
                    self.agent_end = None;
                    self.look();
                }
                Turn::Time => self.pass_time(),
            }
            self.publish();
        }
    }

    async fn turn(&mut self, batch: &mut Vec<u8>, input: &[u8]) -> Turn {
        let deadline = [self.look_at, self.fold_at, self.test_at, self.publish_at]
            .into_iter()
            .flatten()
            .min();
        let stream = self.stream.as_ref();
        let read = async {
            match stream {
                Some(stream) if self.reads => stream.read_batch(batch).await,
                _ => std::future::pending().await,
            }
        };
        let write = async {
            match stream {
                Some(stream) if !input.is_empty() => stream.write(input).await,
                _ => std::future::pending().await,
            }
        };
        let agent_end = async {
            match &mut self.agent_end {
                Some((_, ended)) => ended.await,
                None => std::future::pending().await,
            }
        };
        let time = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            news = self.news.recv(), if self.guard == GuardLife::Alive => Turn::News(news),
            written = write => Turn::Written(written),
            () = self.pane.shared.wake.notified() => Turn::Woken,
            () = agent_end => Turn::AgentEnded,
            // Output must not keep time from passing, nor time output from being read.
            read = read => Turn::Read(read),
            () = time => Turn::Time,
        }
    }

    fn hear(&mut self, news: GuardNews, batch: &mut Vec<u8>) {
        match news {
            GuardNews::Terminal(terminal) => self.take_terminal(terminal),
            GuardNews::Killed | GuardNews::Lost => {}
            GuardNews::Report(report) => match report {
                GuardReport::Started { pid } => {
                    // It is told once; a second time would be a guard that lies.
                    self.leader.set(pid).ok();
                    self.pane.lock().started(pid);
                    self.answer(Ok(()));
                    self.look_at = Some(Instant::now());
                }
                GuardReport::SpawnFailed { error } => self.answer(Err(error)),
                GuardReport::Exited { code, signal } => {
                    self.drain(batch);
                    let signal = signal.map(|signal| {
                        signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned)
                    });
                    self.agent_end = None;
                    self.pane.lock().ended(ExitStatus { code, signal });
                }
                GuardReport::Warning { message } => {
                    tracing::warn!(pane = %self.pane.id, message, "the pane's guard");
                }
                GuardReport::Terminal
                | GuardReport::Reaped { .. }
                | GuardReport::Signalled { .. }
                | GuardReport::Gone => {}
            },
        }
    }

    fn take_terminal(&mut self, terminal: OwnedFd) {
        let copy = terminal.try_clone();
        match copy.and_then(|copy| Ok((copy, PtyStream::new(terminal)?))) {
            Ok((copy, stream)) => {
                self.pane.lock().set_terminal(Some(copy));
                self.stream = Some(stream);
                self.reads = true;
            }
            Err(error) => {
                // Without its terminal the program can do nothing; the guard ends it when it is asked to.
                self.answer(Err(format!("its terminal cannot be used: {error}")));
                self.pane
                    .shared
                    .guard
                    .send(pupitre_guard::wire::GuardRequest::Stop)
                    .ok();
            }
        }
    }

    fn answer(&mut self, outcome: Result<(), String>) {
        if let Some(started) = self.started.take() {
            // Whoever no longer waits finds the pane in the list, or not.
            started.send(outcome).ok();
        }
    }

    fn take(&mut self, read: std::io::Result<PtyRead>, batch: &mut Vec<u8>) {
        match read {
            Ok(PtyRead::Bytes(_)) => self.feed(batch),
            Ok(PtyRead::Closed) => self.reads = false,
            Err(error) => {
                tracing::warn!(pane = %self.pane.id, %error, "a terminal cannot be read any more");
                self.reads = false;
            }
        }
    }

    fn feed(&mut self, batch: &mut Vec<u8>) {
        if batch.is_empty() {
            return;
        }
        for piece in batch.chunks(LOCKED_BYTES) {
            self.pane.lock().feed(piece);
        }
        batch.clear();
        let now = Instant::now();
        match self.tested_at.map(|at| at + TEST_EVERY) {
            Some(next) if next > now => {
                self.test_at = Some(self.test_at.map_or(next, |at| at.min(next)));
            }
            Some(_) | None => self.test_view(now),
        }
        self.look_at.get_or_insert(now + LOOK_AFTER);
        self.fold_at = Some(now + FOLD_AFTER);
    }

    /// Reads what the program wrote before its end.
    fn drain(&mut self, batch: &mut Vec<u8>) {
        let Some(stream) = &self.stream else { return };
        // What a background job goes on writing meanwhile is read like all output, after this.
        let mut left = 64 << 20;
        while left > 0 {
            match stream.drain(batch, BATCH_BYTES) {
                Ok(0) => return,
                Ok(count) => left -= count.min(left),
                Err(error) => {
                    tracing::debug!(pane = %self.pane.id, %error, "the last output could not be read");
                    return;
                }
            }
            for piece in batch.chunks(LOCKED_BYTES) {
                self.pane.lock().feed(piece);
            }
            batch.clear();
        }
    }

    fn next_input(&self) -> Vec<u8> {
        let state = self.pane.lock();
        state.input.iter().copied().take(WRITE_BYTES).collect()
    }

    fn take_written(&mut self, written: std::io::Result<usize>) {
        let mut state = self.pane.lock();
        match written {
            Ok(count) => {
                let count = count.min(state.input.len());
                state.input.drain(..count);
                if state.input.is_empty() {
                    state.input.shrink_to(WRITE_BYTES);
                }
            }
            Err(error) => {
                tracing::debug!(pane = %self.pane.id, %error, "nobody reads a terminal any more");
                state.input.clear();
            }
        }
    }

    fn look(&mut self) {
        self.look_at = None;
        self.pane.look();
        let agent = self.pane.lock().standing().pid;
        if agent != self.agent_end.as_ref().map(|(pid, _)| *pid) {
            self.agent_end = agent.map(|pid| {
                let end: Ended = Box::pin(ended(pid));
                (pid, end)
            });
        }
    }

    fn pass_time(&mut self) {
        let now = Instant::now();
        let is_due = |time: Option<Instant>| time.is_some_and(|time| time <= now);
        if is_due(self.look_at) {
            self.look();
        }
        if is_due(self.fold_at) {
            self.fold_at = None;
            self.pane.lock().screen.freeze();
        }
        if is_due(self.test_at) {
            self.test_view(now);
        }
    }

    /// Tests what is in view, now or when the program no longer holds the display.
    fn test_view(&mut self, now: Instant) {
        self.tested_at = Some(now);
        self.test_at = self.pane.lock().test_view(now);
    }

    /// Tells what changed: every change of the state, and what lists show at most once in a while. All of it under the
    /// lock, so that nothing is told of a pane after its closing.
    fn publish(&mut self) {
        let now = Instant::now();
        let mut state = self.pane.lock();
        for event in state.take_untold() {
            // Nobody listens any more when the daemon ends.
            self.happened.send(event).ok();
        }
        if self.publish_at.is_some_and(|at| at > now) {
            return;
        }
        self.publish_at = None;
        if state.is_to_be_told() {
            state.is_dirty = false;
            let view = state.view(self.pane.created_at);
            self.happened.send(Event::SurfaceChanged(view)).ok();
            self.publish_at = Some(now + Duration::from_millis(SURFACE_CHANGED_MS));
        }
    }

    fn end(&mut self, batch: &mut Vec<u8>) {
        self.drain(batch);
        self.guard = GuardLife::Over;
        self.answer(Err("its guard was ended from outside".to_owned()));
        let mut state = self.pane.lock();
        if state.life == Life::Starting {
            // It was never there.
            state.closed();
        }
        if state.life.is_running() {
            state.ended(ExitStatus {
                code: None,
                signal: None,
            });
        }
        state.set_terminal(None);
        state.screen.freeze();
        drop(state);
        self.stream = None;
        self.reads = false;
        self.gone.send_replace(true);
    }
}
