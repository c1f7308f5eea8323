//! A pane: a terminal with a program below a guard, its screen and history, who waits on it and who looks at it.
//!
//! What a pane is stands behind one lock (`state.rs`), so that reading, searching and asking never wait for a task that
//! works on a flood: the lock is held for one batch of output at most. One task, the pump (`pump.rs`), moves the bytes
//! and is the only one that publishes, in order. See docs/design/panes.md.

mod program;
mod pump;
mod state;
mod told;
mod viewers;
mod waiters;

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use pupitre_guard::wire::{GuardRequest, TerminalSize};
use pupitre_protocol::limits::{INPUT_BYTES, INPUT_QUEUE_BYTES, PANE_VIEWERS, PANE_WAITS};
use pupitre_protocol::surface::{ExitStatus, PaneSize, SurfaceView};
use pupitre_protocol::{AgentName, Cause, ErrorKind, Event, RpcError, SurfaceId, WorkspaceId};
use pupitre_terminal::{SearchPattern, Size};
use tokio::sync::{Notify, mpsc, oneshot, watch};

use crate::process::{Foreground, Owner, Requests, World};
use crate::surface::NameWish;

use pump::Pump;
use state::Life;

pub(crate) use program::{PaneProgram, PlaceOf, Wanted};
pub(crate) use state::PaneState;
pub(crate) use told::{cut, status_words};
pub(crate) use viewers::{Viewer, ViewerNews};
pub(crate) use waiters::{Hit, Since, Waiter, matching, reported};

/// A pane. Cloning shares it.
#[derive(Clone)]
pub(crate) struct Pane {
    id: SurfaceId,
    created_at: u64,
    shared: Arc<Shared>,
}

struct Shared {
    /// The agent for which its command runs; none for a person's.
    agent: Option<AgentName>,
    state: Mutex<PaneState>,
    /// The pump has something to do: to write, to publish, to look.
    wake: Notify,
    guard: Requests,
    /// Becomes true when nothing of its processes is left.
    gone: watch::Receiver<bool>,
    renames: mpsc::UnboundedSender<NameWish>,
    world: World,
}

/// What a pane is made with.
pub(crate) struct NewPane {
    pub(crate) id: SurfaceId,
    pub(crate) workspace: WorkspaceId,
    pub(crate) name: PaneName,
    pub(crate) program: PaneProgram,
    /// The agent that has it run; what it does is done from inside that agent.
    pub(crate) agent: Option<AgentName>,
    pub(crate) size: PaneSize,
    pub(crate) created_at: u64,
}

/// A pane's name, and whether a person gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PaneName {
    Given(String),
    /// Follows the program in the foreground.
    Derived(String),
}

impl PaneName {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Given(name) | Self::Derived(name) => name,
        }
    }
}

impl std::fmt::Debug for Pane {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pane").field("id", &self.id).finish()
    }
}

impl Pane {
    /// Starts a program on a terminal of its own; answers when it runs.
    ///
    /// # Errors
    ///
    /// When it cannot be started: the reason is for a person.
    pub(crate) async fn start(
        world: &World,
        new: NewPane,
        happened: mpsc::UnboundedSender<Event>,
        renames: mpsc::UnboundedSender<NameWish>,
    ) -> Result<Self, RpcError> {
        let failed = |reason: String| RpcError::new(ErrorKind::StartFailed, reason);
        let NewPane {
            id,
            workspace,
            name,
            program,
            agent,
            size,
            created_at,
        } = new;
        let size = Size::new(size.columns, size.rows);
        let (news, heard) = mpsc::unbounded_channel();
        let leader = Arc::default();
        let secrets = program.secrets();
        let owner = match &agent {
            Some(agent) => Owner::Agent(agent.clone()),
            None => Owner::Pane {
                surface: id,
                leader: Arc::clone(&leader),
            },
        };
        let terminal = TerminalSize {
            columns: size.columns() as u16,
            rows: size.rows() as u16,
        };
        let guard = crate::process::start_on_terminal(world, owner, program.into_program(), terminal, news)
            .map_err(|error| {
            let cause = Cause::NotStarted {
                error: error.to_string(),
            };
            failed(format!("the guard of the pane cannot be started: {error}")).with_cause(cause)
        })?;
        let (gone, gone_out) = watch::channel(false);
        let shared = Arc::new(Shared {
            agent,
            state: Mutex::new(PaneState::new(id, workspace, name, size, secrets)),
            wake: Notify::new(),
            guard,
            gone: gone_out,
            renames,
            world: world.clone(),
        });
        let pane = Self {
            id,
            created_at,
            shared,
        };
        let (started, outcome) = oneshot::channel();
        let pump = Pump::new(pane.clone(), heard, happened, leader, gone, started);
        world
            .tasks
            .spawn_pane(pump.run())
            .map_err(|error| failed(format!("the threads of panes cannot be started: {error}")))?;
        match outcome.await {
            Ok(Ok(())) => Ok(pane),
            Ok(Err(reason)) => Err(failed(reason.clone()).with_cause(Cause::NotStarted { error: reason })),
            Err(_) => Err(failed("the pane ended while it was started".to_owned())),
        }
    }

    pub(crate) fn id(&self) -> SurfaceId {
        self.id
    }

    /// Returns the agent for which its command runs; none for a person's pane.
    pub(crate) fn agent(&self) -> Option<&AgentName> {
        self.shared.agent.as_ref()
    }

    fn lock(&self) -> MutexGuard<'_, PaneState> {
        self.shared
            .state
            .lock()
            .expect("nothing panics while it holds a pane")
    }

    /// Does something with the pane's state, and has the pump publish what changed.
    fn change<Outcome>(&self, work: impl FnOnce(&mut PaneState) -> Outcome) -> Outcome {
        let outcome = work(&mut self.lock());
        self.shared.wake.notify_one();
        outcome
    }

    /// Takes note that the pane has its place; from here on what changes is told. Returns what lists show of it, once
    /// `tell` has told it: under the lock, so that nothing is told of a pane before its opening.
    pub(crate) fn admit(&self, tell: impl FnOnce(SurfaceView)) -> SurfaceView {
        self.change(|state| {
            state.admitted();
            let view = state.view(self.created_at);
            tell(view.clone());
            view
        })
    }

    /// Returns what lists show of it.
    pub(crate) fn view(&self) -> SurfaceView {
        self.lock().view(self.created_at)
    }

    /// Looks at who is in the foreground now, and returns what lists show.
    pub(crate) fn fresh_view(&self) -> SurfaceView {
        self.fresh_view_and(|_| ()).0
    }

    /// As `fresh_view`, with something else of the same moment.
    pub(crate) fn fresh_view_and<Other>(
        &self,
        other: impl FnOnce(&PaneState) -> Other,
    ) -> (SurfaceView, Other) {
        self.look();
        let state = self.lock();
        (state.view(self.created_at), other(&state))
    }

    /// Looks at who is in the foreground.
    fn look(&self) {
        let looked_at = {
            let state = self.lock();
            match (&state.life, state.terminal()) {
                (Life::Running { leader }, Some(terminal)) => Some((*leader, terminal)),
                _ => None,
            }
        };
        // The system is asked without the lock: it may take its time.
        if let Some((leader, terminal)) = looked_at {
            let foreground = Foreground::look(&*terminal, leader, self.shared.world.guards.signatures());
            if let Some(name) = self.change(|state| state.take_foreground(foreground)) {
                let surface = self.id;
                // Nobody renames any more when the daemon ends.
                self.shared.renames.send(NameWish { surface, name }).ok();
            }
        }
    }

    /// Reads the pane's text and state.
    pub(crate) fn inspect<Outcome>(&self, work: impl FnOnce(&PaneState) -> Outcome) -> Outcome {
        work(&self.lock())
    }

    pub(crate) fn rename(&self, name: PaneName) {
        self.change(|state| state.rename(name));
    }

    pub(crate) fn set_workspace(&self, workspace: WorkspaceId) {
        self.change(|state| state.set_workspace(workspace));
    }

    /// Gives the program another size, if it is another one.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be told.
    pub(crate) fn resize(&self, size: PaneSize) -> Result<(), RpcError> {
        self.change(|state| state.resize(Size::new(size.columns, size.rows)))
            .map_err(|error| RpcError::new(ErrorKind::Internal, error.to_string()))
    }

    /// Gives the program bytes as a person's keys.
    ///
    /// # Errors
    ///
    /// When the program has ended, or does not read what it was given before.
    pub(crate) fn input(&self, bytes: &[u8]) -> Result<(), RpcError> {
        if bytes.len() > INPUT_BYTES {
            let message = format!("at most {} KiB of input at once", INPUT_BYTES >> 10);
            return Err(RpcError::new(ErrorKind::TooLarge, message));
        }
        let mut state = self.lock();
        if !state.life.is_running() {
            let message = format!("the program of pane {} has ended", state.label());
            return Err(RpcError::new(ErrorKind::ProgramEnded, message));
        }
        if state.input.len() + bytes.len() > INPUT_QUEUE_BYTES {
            let message = format!(
                "the program of pane {} does not read its input: {} KiB wait already",
                state.label(),
                INPUT_QUEUE_BYTES >> 10
            );
            return Err(RpcError::new(ErrorKind::QueueFull, message).with_retry_after_ms(100));
        }
        if !state.write_at_once(bytes) {
            drop(state);
            self.shared.wake.notify_one();
        }
        Ok(())
    }

    /// Begins to look at the pane.
    ///
    /// # Errors
    ///
    /// When as many look already as may.
    pub(crate) fn watch(&self) -> Result<(PaneSize, Viewer), RpcError> {
        let mut state = self.lock();
        if state.viewers.count() >= PANE_VIEWERS {
            let message = format!("{PANE_VIEWERS} viewers look at this pane, which is the limit");
            return Err(RpcError::new(ErrorKind::TooManySurfaces, message));
        }
        let ended = state.exit_status();
        Ok((state.size(), state.viewers.add(self.clone(), ended)))
    }

    /// Begins to wait for a line, or for the pane's end. What is there already is tested in the same step.
    ///
    /// # Errors
    ///
    /// When as many wait already as may.
    pub(crate) fn wait(
        &self,
        pattern: Option<SearchPattern>,
        since: Since,
        hits: mpsc::UnboundedSender<Hit>,
    ) -> Result<Waiter, RpcError> {
        let mut state = self.lock();
        if state.waiters.count() >= PANE_WAITS {
            let message = format!("{PANE_WAITS} waits are open on this pane, which is the limit");
            return Err(RpcError::new(ErrorKind::TooManySurfaces, message));
        }
        let number = state.begin_wait(pattern, since, hits);
        Ok(Waiter::new(self.clone(), number))
    }

    fn end_wait(&self, number: u64) {
        self.lock().waiters.remove(number);
    }

    /// Says since when no output came.
    pub(crate) fn quiet_since(&self) -> Instant {
        self.lock().last_output
    }

    /// Ends the program at once, with all that it started. The pane stays, with what was written.
    pub(crate) fn terminate(&self) {
        // A guard whose tree is gone already needs no word.
        self.shared.guard.send(GuardRequest::Terminate).ok();
    }

    /// Waits until the program has ended and all of its output was worked on. Returns how it ended.
    pub(crate) async fn ended(&self) -> ExitStatus {
        let (hits, mut heard) = mpsc::unbounded_channel();
        let number = self.lock().begin_wait(None, Since::Now, hits);
        let _waiter = Waiter::new(self.clone(), number);
        loop {
            if let Some(status) = self.lock().exit_status() {
                return status;
            }
            // A word comes with every end; that of a closing comes before it.
            heard.recv().await;
        }
    }

    /// Waits until nothing of its processes is left.
    pub(crate) async fn gone(&self) {
        let mut gone = self.shared.gone.clone();
        // The pump that is gone leaves nothing either: it ends after its guard.
        gone.wait_for(|gone| *gone).await.ok();
    }

    /// Ends the program with all that it started; answers when nothing of it is left.
    pub(crate) async fn close(&self) {
        self.change(PaneState::begin_closing);
        // A guard whose tree is gone already needs no word.
        self.shared.guard.send(GuardRequest::Stop).ok();
        self.gone().await;
        self.change(PaneState::closed);
    }
}
