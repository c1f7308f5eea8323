//! What a pane is at a moment: its screen, its program's life, who is in the foreground, and what of it was not told yet.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Instant;

use pupitre_model::pane::name;
use pupitre_protocol::limits::{INPUT_QUEUE_BYTES, SCROLLBACK_BYTES, SCROLLBACK_LINES};
use pupitre_protocol::surface::{
    Evidence, ExitStatus, PaneSize, Standing, StateChanged, SurfaceKind, SurfaceState, SurfaceView,
};
use pupitre_protocol::{Event, SurfaceId, WorkspaceId};
use pupitre_terminal::pty::PtyError;
use pupitre_terminal::{HistoryLimits, Screen, ScreenOptions, SearchPattern, Size, harmless};
use tokio::sync::mpsc;

use super::PaneName;
use super::told::{Told, cut};
use super::viewers::{ViewerNews, Viewers};
use super::waiters::{Hit, Since, Waiters};
use crate::agent::Redactor;
use crate::clock::epoch_ms;
use crate::process::Foreground;

/// How far the program is in its life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Life {
    Starting,
    Running { leader: u32 },
    Ended(ExitStatus),
}

impl Life {
    pub(super) fn is_running(&self) -> bool {
        matches!(self, Self::Running { .. })
    }
}

/// A pane's state. Everything in it changes together, behind one lock.
pub(crate) struct PaneState {
    id: SurfaceId,
    workspace: WorkspaceId,
    name: PaneName,
    pub(crate) screen: Screen,
    pub(crate) life: Life,
    pub(crate) told: Told,
    /// The secrets of the agent whose command it is: whatever else is told of the pane, they are not.
    secrets: Redactor,
    pub(super) waiters: Waiters,
    pub(super) viewers: Viewers,
    /// What the program has not read yet.
    pub(super) input: VecDeque<u8>,
    pub(super) last_output: Instant,
    foreground: Foreground,
    standing: Standing,
    terminal: Option<Arc<OwnedFd>>,
    /// What lists show of it is no longer what was told last.
    pub(super) is_dirty: bool,
    /// Changes of the state that were not told yet.
    untold: Vec<Event>,
    telling: Telling,
}

/// Whether anybody is told of the pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Telling {
    /// It has no place yet: nobody knows it.
    NotYet,
    Yes,
    /// It is closed.
    NoMore,
}

impl PaneState {
    pub(super) fn new(
        id: SurfaceId,
        workspace: WorkspaceId,
        name: PaneName,
        size: Size,
        secrets: Redactor,
    ) -> Self {
        let screen = Screen::new(ScreenOptions {
            size,
            history: HistoryLimits {
                rows: SCROLLBACK_LINES,
                bytes: SCROLLBACK_BYTES,
            },
            ..ScreenOptions::default()
        });
        Self {
            id,
            workspace,
            name,
            screen,
            life: Life::Starting,
            told: Told::default(),
            secrets,
            waiters: Waiters::default(),
            viewers: Viewers::default(),
            input: VecDeque::new(),
            last_output: Instant::now(),
            foreground: Foreground::default(),
            standing: at_rest(epoch_ms()),
            terminal: None,
            is_dirty: false,
            untold: Vec::new(),
            telling: Telling::NotYet,
        }
    }

    /// Returns the terminal, as long as there is one.
    pub(super) fn terminal(&self) -> Option<Arc<OwnedFd>> {
        self.terminal.clone()
    }

    /// Writes what a person typed, and queues what the terminal does not take now, for the pump. Says whether nothing is
    /// queued: then a key has gone to its program without waiting for another task.
    pub(super) fn write_at_once(&mut self, bytes: &[u8]) -> bool {
        let written = match &self.terminal {
            // The pump writes only what is queued, so the order holds. What fails here is queued, and fails there for good.
            Some(terminal) if self.input.is_empty() => rustix::io::write(&**terminal, bytes).unwrap_or(0),
            Some(_) | None => 0,
        };
        self.input.extend(&bytes[written..]);
        self.input.is_empty()
    }

    pub(super) fn set_terminal(&mut self, terminal: Option<OwnedFd>) {
        self.terminal = terminal.map(Arc::new);
    }

    /// Returns a text of the pane as it may be told: without control characters, and without secrets.
    pub(crate) fn telling(&self, text: &str) -> String {
        let text = harmless(text);
        self.secrets.redact_start(&text, text.len()).into_owned()
    }

    /// Returns id and name, for a sentence.
    pub(crate) fn label(&self) -> String {
        format!("{} ({})", self.id, self.name.as_str())
    }

    pub(crate) fn name(&self) -> &PaneName {
        &self.name
    }

    pub(crate) fn size(&self) -> PaneSize {
        let size = self.screen.size();
        PaneSize {
            columns: size.columns() as u16,
            rows: size.rows() as u16,
        }
    }

    pub(crate) fn standing(&self) -> &Standing {
        &self.standing
    }

    pub(crate) fn foreground(&self) -> &Foreground {
        &self.foreground
    }

    pub(crate) fn exit_status(&self) -> Option<ExitStatus> {
        match &self.life {
            Life::Starting | Life::Running { .. } => None,
            Life::Ended(status) => Some(status.clone()),
        }
    }

    pub(super) fn view(&self, created_at: u64) -> SurfaceView {
        let PaneSize { columns, rows } = self.size();
        let cwd = self.foreground.cwd.clone();
        SurfaceView {
            surface_id: self.id,
            surface_name: self.name.as_str().to_owned(),
            kind: SurfaceKind::Pane,
            workspace: Some(self.workspace),
            title: self.screen.title().map(|title| cut(&self.telling(title))),
            command: self.foreground.command().map(|command| self.telling(command)),
            cwd,
            columns,
            rows,
            output_generation: self.screen.generation(),
            created_at,
            exit_status: self.exit_status(),
            standing: self.standing.clone(),
        }
    }

    pub(super) fn rename(&mut self, name: PaneName) {
        self.name = name;
        self.is_dirty = true;
    }

    pub(super) fn set_workspace(&mut self, workspace: WorkspaceId) {
        self.workspace = workspace;
        self.is_dirty = true;
    }

    pub(super) fn resize(&mut self, size: Size) -> Result<(), PtyError> {
        if size == self.screen.size() {
            return Ok(());
        }
        if let Some(terminal) = &self.terminal {
            pupitre_terminal::pty::set_size(&**terminal, size)?;
        }
        self.screen.resize(size);
        self.viewers.redraw();
        self.is_dirty = true;
        Ok(())
    }

    /// Works on what the program wrote.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let now = Instant::now();
        let Self {
            screen,
            waiters,
            viewers,
            told,
            input,
            ..
        } = self;
        if waiters.want_lines() {
            screen.feed_watched(bytes, now, &mut |line| {
                waiters.test_scrolled(line.text, line.generation);
            });
        } else {
            screen.feed(bytes, now);
        }
        // Its questions are answered before whatever a person types next.
        let replies = screen.take_replies();
        // A program that asks and never reads its answers gets no more of them.
        if input.len() + replies.len() <= INPUT_QUEUE_BYTES {
            input.extend(replies);
        }
        viewers.output(bytes);
        let at = epoch_ms();
        for signal in screen.take_signals() {
            told.take(at, signal);
        }
        self.last_output = now;
        self.is_dirty = true;
    }

    /// Tests what is in view, unless the program holds the display. Says when to look again, if so.
    pub(super) fn test_view(&mut self, now: Instant) -> Option<Instant> {
        if !self.waiters.want_lines() {
            return None;
        }
        match self.screen.held_until() {
            Some(until) if until > now => Some(until),
            Some(_) | None => {
                self.screen.release_hold(now);
                self.waiters.test_view(&self.screen);
                None
            }
        }
    }

    pub(super) fn begin_wait(
        &mut self,
        pattern: Option<SearchPattern>,
        since: Since,
        hits: mpsc::UnboundedSender<Hit>,
    ) -> u64 {
        let number = self.waiters.begin(&self.screen, (pattern, since), hits);
        if let Life::Ended(_) = self.life {
            self.waiters.tell(&Hit::Ended);
        }
        number
    }

    pub(super) fn started(&mut self, leader: u32) {
        self.life = Life::Running { leader };
        self.is_dirty = true;
    }

    /// Takes note that the program has ended, after the last of its output was worked on.
    pub(super) fn ended(&mut self, status: ExitStatus) {
        self.life = Life::Ended(status.clone());
        self.foreground = Foreground::default();
        self.stand(None);
        self.waiters.test_view(&self.screen);
        self.waiters.tell(&Hit::Ended);
        self.viewers.tell(&ViewerNews::Ended(status));
        self.input.clear();
        self.is_dirty = true;
    }

    pub(super) fn begin_closing(&mut self) {
        self.waiters.tell(&Hit::Closed);
    }

    /// Takes note that the pane has its place, and that its view was told.
    pub(super) fn admitted(&mut self) {
        self.telling = Telling::Yes;
        // The view has them.
        self.untold.clear();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.telling == Telling::NoMore
    }

    /// Returns the changes of the state that are to be told now, oldest first.
    pub(super) fn take_untold(&mut self) -> Vec<Event> {
        match self.telling {
            Telling::Yes => std::mem::take(&mut self.untold),
            Telling::NotYet | Telling::NoMore => Vec::new(),
        }
    }

    /// Says whether lists show something that was not told yet.
    pub(super) fn is_to_be_told(&self) -> bool {
        self.is_dirty && self.telling == Telling::Yes
    }

    pub(super) fn closed(&mut self) {
        self.telling = Telling::NoMore;
        self.waiters.tell(&Hit::Closed);
        self.viewers.tell(&ViewerNews::Closed);
    }

    /// Takes note of who is in the foreground. Returns what the pane should be called, when that is something new and no
    /// name was given.
    pub(super) fn take_foreground(&mut self, foreground: Foreground) -> Option<String> {
        if !self.life.is_running() || self.foreground == foreground {
            return None;
        }
        let wished = called_after(&foreground);
        let is_new = wished != called_after(&self.foreground);
        let agent = foreground
            .agent
            .as_ref()
            .map(|agent| (agent.pid, agent.tool.clone()));
        self.foreground = foreground;
        self.stand(agent);
        self.is_dirty = true;
        wished.filter(|_| is_new && matches!(self.name, PaneName::Derived(_)))
    }

    /// Sets the state from what alone is known: whether an agent's process is there. Whoever knows more than the process
    /// comes later and takes the place of this.
    fn stand(&mut self, agent: Option<(u32, String)>) {
        let now = epoch_ms();
        let (pid, tool) = agent.unzip();
        let mut standing = at_rest(now);
        if pid.is_some() {
            standing.state = SurfaceState::UnknownRunning;
            standing.reason = Some("no_hook".to_owned());
        }
        standing.pid = pid;
        standing.tool = tool;
        let before = &self.standing;
        if before.state == standing.state && before.pid == standing.pid && before.tool == standing.tool {
            return;
        }
        standing.state_seq = before.state_seq + 1;
        self.standing = standing.clone();
        self.untold.push(Event::StateChanged(StateChanged {
            surface_id: self.id,
            surface_name: self.name.as_str().to_owned(),
            kind: SurfaceKind::Pane,
            workspace: Some(self.workspace),
            standing,
        }));
    }
}

/// Returns what a pane is called after its agent, or its program.
fn called_after(foreground: &Foreground) -> Option<String> {
    match &foreground.agent {
        Some(agent) => Some(agent.tool.clone()),
        None => foreground.command().map(name::derived),
    }
}

/// Returns the state of a pane without an agent.
fn at_rest(since: u64) -> Standing {
    Standing {
        state: SurfaceState::Idle,
        state_seq: 1,
        since,
        evidence: Evidence::Process,
        hooked: false,
        reason: None,
        tool: None,
        pid: None,
        active_tool_name: None,
        message: None,
        last_result: None,
        untrusted: true,
    }
}
