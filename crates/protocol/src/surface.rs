//! Surfaces as the wire shows them: panes, which are terminals, and agents' conversations, with the verbs of both.

use serde::{Deserialize, Serialize};

use crate::{SurfaceId, WorkspaceId};

/// What a surface is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SurfaceKind {
    /// A terminal with a program in it.
    Pane,
    /// The conversation of an agent of the configuration, which speaks the Agent Client Protocol.
    Acp,
}

/// What a surface does, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SurfaceState {
    /// A turn runs.
    Thinking,
    /// It asks a question or a permission.
    WaitingForInput,
    /// Its last turn ended, and no person has seen that yet.
    Finished,
    /// Its turn or its process failed.
    Errored,
    /// A turn runs, but nothing was heard for a while.
    Stalled,
    /// It is at rest, or there is no agent in it.
    Idle,
    /// An agent's process is there, but nothing says what it does.
    UnknownRunning,
}

impl SurfaceState {
    /// Returns the word of the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Thinking => "thinking",
            Self::WaitingForInput => "waiting_for_input",
            Self::Finished => "finished",
            Self::Errored => "errored",
            Self::Stalled => "stalled",
            Self::Idle => "idle",
            Self::UnknownRunning => "unknown_running",
        }
    }
}

/// Where a state comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The agent told by one of its hooks.
    Hook,
    /// The agent told its terminal (OSC 7501).
    Status,
    /// The Agent Client Protocol.
    Acp,
    /// What stands on the screen, its title, or a notification.
    Screen,
    /// Which processes are there, nothing more.
    Process,
    /// No output came for a while. Only a wait says so.
    Quiet,
}

impl Evidence {
    /// Returns the word of the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Status => "status",
            Self::Acp => "acp",
            Self::Screen => "screen",
            Self::Process => "process",
            Self::Quiet => "quiet",
        }
    }
}

/// The state of a surface with what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Standing {
    pub state: SurfaceState,
    /// Grows with every change of the state.
    #[cfg_attr(test, ts(type = "number"))]
    pub state_seq: u64,
    /// Since when the state is what it is, in epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub since: u64,
    pub evidence: Evidence,
    /// The agent tells what it does by hooks.
    pub hooked: bool,
    /// Why the state is no more than it is: `no_hook`, `starting`, `stopped`; or why it failed, in plain words.
    pub reason: Option<String>,
    /// The agent's program: `claude`, `codex`, …; for an agent of the configuration its name; null without one.
    pub tool: Option<String>,
    /// The agent's process id.
    pub pid: Option<u32>,
    /// The tool call that runs.
    pub active_tool_name: Option<String>,
    /// The question or permission it waits on.
    pub message: Option<String>,
    /// What the last turn ended with, cut when it is long.
    pub last_result: Option<String>,
    /// The texts come from an agent or a terminal: nobody vouches for what they say.
    pub untrusted: bool,
}

/// A surface, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceView {
    /// Never given to another surface of this machine.
    pub surface_id: SurfaceId,
    pub surface_name: String,
    pub kind: SurfaceKind,
    /// Null for a conversation that is in none.
    pub workspace: Option<WorkspaceId>,
    /// The title that the program set; for a conversation that of its agent. Untrusted.
    pub title: Option<String>,
    /// The command line in the foreground of a pane. Untrusted.
    pub command: Option<String>,
    /// The working directory of what is in the foreground.
    pub cwd: Option<String>,
    /// The size of a pane in character cells; 0 for a conversation.
    pub columns: u16,
    pub rows: u16,
    /// Grows whenever output arrives.
    #[cfg_attr(test, ts(type = "number"))]
    pub output_generation: u64,
    /// When it was made, in epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at: u64,
    /// How the program of a pane ended; null while it runs.
    pub exit_status: Option<ExitStatus>,
    pub standing: Standing,
}

/// How the program of a pane ended: one of the two is there, none when that could not be known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ExitStatus {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// The signal's name, `SIGKILL` for example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}

/// Parameters of methods about one surface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceParams {
    /// A selector: an id, a name or the beginning of one, `cmdline:` or `cwd:`.
    pub surface: String,
}

/// Parameters of `surface.list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceListParams {
    /// Only the surfaces of this workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceId>,
}

/// Reply of `surface.list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceListReply {
    /// Panes by workspace and place, then conversations in the order of the configuration.
    pub surfaces: Vec<SurfaceView>,
}

/// Parameters of `surface.create`. Without a command or an agent the pane gets the person's shell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceCreateParams {
    /// A program and its arguments; the program is looked for on `PATH`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The name of a terminal agent, `claude` for example, whose program is started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// An absolute path, or one that begins with `~`; the home folder when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Variables that are added to the daemon's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<EnvironmentVariable>,
    /// The current workspace when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceId>,
    /// The first size in character cells; 80 by 24 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<PaneSize>,
}

/// A variable of the environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct EnvironmentVariable {
    pub name: String,
    pub value: String,
}

/// The size of a pane in character cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PaneSize {
    pub columns: u16,
    pub rows: u16,
}

/// Parameters of `surface.read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceReadParams {
    pub surface: String,
    /// How many lines, 1 to 4,000; 200 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// How many of the newest lines are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "number | null"))]
    pub offset: Option<u64>,
    /// Only what came after this mark; not together with `offset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Puts the text into a fence, or does not; as the configuration says (`ai_injection_fence`) when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<bool>,
}

/// Reply of `surface.read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceReadReply {
    pub surface_id: SurfaceId,
    /// Lines with line feeds between them, without control characters; in a fence when one was asked for.
    pub text: String,
    /// How many lines of the surface are in it.
    #[cfg_attr(test, ts(type = "number"))]
    pub lines: u64,
    /// How many lines the surface has.
    #[cfg_attr(test, ts(type = "number"))]
    pub total_lines: u64,
    /// The text reaches the oldest line that is kept.
    pub eof: bool,
    #[cfg_attr(test, ts(type = "number"))]
    pub output_generation: u64,
    /// Older lines were left out: the answer would be over its limit, or with `after`, more came than `lines`.
    pub truncated: bool,
    /// With `after`: some of what came after the mark is gone already.
    pub missing: bool,
    /// The id of the fence around the text; null without one.
    pub fence: Option<String>,
    /// This moment, for `after`.
    pub mark: String,
    /// The text comes from an agent or a terminal: nobody vouches for what it says.
    pub untrusted: bool,
}

/// Parameters of `surface.search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceSearchParams {
    /// Where; every surface when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    pub pattern: String,
    /// The pattern is a regular expression, tested line by line; otherwise a substring, whatever its case.
    #[serde(default)]
    pub regex: bool,
    /// The most matches, 1 to 10,000; 100 when absent. The newest ones are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u32>,
}

/// Reply of `surface.search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceSearchReply {
    /// Surface by surface, oldest line first.
    pub matches: Vec<SurfaceMatch>,
    /// How many lines match in all.
    #[cfg_attr(test, ts(type = "number"))]
    pub total: u64,
    /// Some of them are not in `matches`.
    pub truncated: bool,
    /// The configuration wants such texts in a fence where they are printed (`ai_injection_fence`).
    pub fence: bool,
    /// The texts come from an agent or a terminal: nobody vouches for what they say.
    pub untrusted: bool,
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceMatch {
    pub surface_id: SurfaceId,
    pub surface_name: String,
    /// What `surface.read` takes as `offset` to give this line last.
    #[cfg_attr(test, ts(type = "number"))]
    pub offset: u64,
    pub text: String,
}

/// Reply of `surface.status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceStatus {
    pub surface_id: SurfaceId,
    pub surface_name: String,
    pub kind: SurfaceKind,
    #[serde(flatten)]
    pub standing: Standing,
    /// How long it has been waiting for its person, in milliseconds; null when it does not.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub waiting_ms: Option<u64>,
    /// How long it has been at rest, in milliseconds; null when it is not.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub idle_ms: Option<u64>,
    #[cfg_attr(test, ts(type = "number"))]
    pub output_generation: u64,
    /// The turn that runs, or the last one, where turns are known.
    pub turn: Option<String>,
    /// This moment, for `after`.
    pub mark: String,
    /// How the program of a pane ended; null while it runs.
    pub exit_status: Option<ExitStatus>,
}

/// Parameters of `surface.rename`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceRenameParams {
    pub surface: String,
    pub name: String,
}

/// Parameters of `surface.resize`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceResizeParams {
    pub surface: String,
    pub size: PaneSize,
}

/// Parameters of `surface.input`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceInputParams {
    pub surface: String,
    /// The bytes of a person's keys as the terminal in front of the person encodes them, in base64.
    pub data: String,
    /// The size of that terminal: the pane takes the size of the one that typed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<PaneSize>,
}

/// Reply of `surface.snapshot`; what follows on the connection are viewer frames.
///
/// On the socket each is a byte for its kind, four for the length (little endian) and that many bytes; on a WebSocket each
/// is one binary message, the byte for its kind first. See [`ViewerFrame`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceSnapshotReply {
    pub surface_id: SurfaceId,
    pub size: PaneSize,
}

/// What a viewer of a pane is told, by the first byte of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ViewerFrame {
    /// Bytes for the terminal.
    Output = 0,
    /// Everything to draw the pane anew, for a terminal that was just reset: at the beginning, and after the viewer was too
    /// slow to be given every byte.
    Snapshot = 1,
    /// The pane has another size: columns and rows, two bytes each, little endian.
    Size = 2,
    /// The program has ended; nothing more is drawn. The exit status as JSON.
    Ended = 3,
    /// The pane was closed; the connection ends.
    Closed = 4,
}

impl ViewerFrame {
    /// Returns the kind of this first byte.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Output),
            1 => Some(Self::Snapshot),
            2 => Some(Self::Size),
            3 => Some(Self::Ended),
            4 => Some(Self::Closed),
            _ => None,
        }
    }
}

/// Which of several targets have to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Quorum {
    /// One of them.
    Any,
    /// Each of them; what has matched once stays matched.
    All,
}

/// Parameters of `surface.wait`: at least one of `idle` and `pattern`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceWaitParams {
    /// Selectors. Each means one surface, unless `quorum` is given.
    pub surfaces: Vec<String>,
    /// Until the turn has ended; where turns are not known, until no output came for `for_ms`.
    #[serde(default)]
    pub idle: bool,
    /// A regular expression for one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// What is there already does not count.
    #[serde(default)]
    pub new: bool,
    /// What was there at this mark does not count. For one target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Which of the targets have to match; needed when there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<Quorum>,
    /// How long is quiet, in milliseconds; 1,000 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "number | null"))]
    pub for_ms: Option<u64>,
    /// How long to wait, in milliseconds; 300,000 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "number | null"))]
    pub timeout_ms: Option<u64>,
}

/// Reply of `surface.wait`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceWaitReply {
    /// The pattern was found, where one was given.
    pub matched: bool,
    /// It is at rest, where that was asked.
    pub idle: bool,
    /// The targets whose condition holds.
    pub surfaces: Vec<SurfaceId>,
    pub matches: Vec<WaitMatch>,
    /// The state of the target; null when there are several.
    pub state: Option<SurfaceState>,
    pub evidence: Evidence,
    /// The moment of the target; null when there are several.
    pub mark: Option<String>,
    /// The configuration wants such texts in a fence where they are printed (`ai_injection_fence`).
    pub fence: bool,
    /// The lines come from an agent or a terminal: nobody vouches for what they say.
    pub untrusted: bool,
}

/// The lines of one target that match, at most 20 of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct WaitMatch {
    pub surface_id: SurfaceId,
    pub lines: Vec<String>,
}

/// Reply of `surface.explain`: what the state of a surface comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceExplainReply {
    pub surface_id: SurfaceId,
    pub surface_name: String,
    pub standing: Standing,
    /// How the agent's process was recognised, in plain words; null without one.
    pub recognised_by: Option<String>,
    /// The processes in the foreground of a pane.
    pub foreground: Vec<ForegroundProcess>,
    /// What programs in the pane told of their state (OSC 7501), the newest last.
    pub status_records: Vec<StatusRecordView>,
    /// Titles and notifications, the newest last.
    pub signals: Vec<SignalView>,
    /// This moment, for `after`.
    pub mark: String,
    /// The texts come from an agent or a terminal: nobody vouches for what they say.
    pub untrusted: bool,
}

/// A process in the foreground of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ForegroundProcess {
    pub pid: u32,
    pub command: String,
}

/// A record that a program wrote to its terminal (OSC 7501, Program Status Protocol).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct StatusRecordView {
    /// When it was read, in epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub at: u64,
    /// The record's id; empty for the program itself, `a/b` for a child.
    pub id: String,
    /// `idle`, `working`, `blocked`, `done`, `error`; `clear` when the record was taken away.
    pub state: String,
    /// Why it is blocked: `permission`, `question`, `auth`.
    pub kind: Option<String>,
    pub app: Option<String>,
    pub title: Option<String>,
    pub message: Option<String>,
    /// In percent.
    pub progress: Option<u8>,
}

/// Something else that a program told its terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SignalView {
    /// When it was read, in epoch milliseconds.
    #[cfg_attr(test, ts(type = "number"))]
    pub at: u64,
    /// `title`, `notification`, `bell`, `progress`, `prompt`, `directory`.
    pub signal: String,
    pub text: String,
}

/// Payload of `surface:closed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SurfaceClosed {
    pub surface_id: SurfaceId,
    pub surface_name: String,
    pub workspace: Option<WorkspaceId>,
}

/// Payload of `state_changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct StateChanged {
    pub surface_id: SurfaceId,
    pub surface_name: String,
    pub kind: SurfaceKind,
    pub workspace: Option<WorkspaceId>,
    #[serde(flatten)]
    pub standing: Standing,
}
