//! Every limit of the protocol, each with the unit in its name.

/// The longest request line that the daemon reads, in bytes.
pub const REQUEST_BYTES: usize = 1 << 20;
/// The longest reply that the daemon sends, in bytes; a read that would be larger is cut and says so.
pub const REPLY_BYTES: usize = 4 << 20;
/// The longest event frame, in bytes.
pub const FRAME_BYTES: usize = 4 << 20;
/// The most connections for calls that may be open at once.
pub const CONNECTIONS: usize = 1_000;
/// The most subscriptions that may be open at once; they do not take the room of calls.
pub const SUBSCRIPTIONS: usize = 1_000;
/// The most requests of one connection that are worked on at once; the next ones wait in the socket.
pub const REQUESTS_IN_FLIGHT: usize = 64;
/// What may wait for a slow subscriber, in bytes of frames.
pub const SUBSCRIBER_QUEUE_BYTES: usize = 8 << 20;
/// The most life-cycle events kept for readers that resume.
pub const LIFE_CYCLE_RING_EVENTS: usize = 65_536;
/// What is kept of life-cycle events for readers that resume, in bytes of frames.
pub const LIFE_CYCLE_RING_BYTES: usize = 64 << 20;
/// What is kept of the other events for readers that resume, in bytes of frames.
pub const BULK_RING_BYTES: usize = 64 << 20;
/// A stream without an event for so long gets a `heartbeat`, in milliseconds.
pub const HEARTBEAT_MS: u64 = 30_000;

/// The most HTTP connections that may be open at once.
pub const PAGE_CONNECTIONS: usize = 256;
/// The longest message on a WebSocket, in bytes; one over the limit of requests is answered with an error, one over this
/// closes the connection.
pub const WEB_SOCKET_BYTES: usize = 4 << 20;
/// How long a browser may take for the head of a request, and may keep a connection without asking anything, in milliseconds.
pub const HTTP_HEAD_MS: u64 = 30_000;
/// How often a WebSocket is pinged, in milliseconds.
pub const WEB_SOCKET_PING_MS: u64 = 20_000;
/// A WebSocket that says nothing for so long, or takes nothing, is closed, in milliseconds.
pub const WEB_SOCKET_SILENCE_MS: u64 = 60_000;
/// How long the token of a page's address is good, in milliseconds.
pub const PAGE_TOKEN_MS: u64 = 300_000;
/// The most such tokens that are good at once; a new one takes the place of the oldest.
pub const PAGE_TOKENS: usize = 64;
/// How long a browser stays let in after it was last seen, in milliseconds.
pub const PAGE_SESSION_MS: u64 = 2_592_000_000;
/// The most browsers that are let in at once; a new one takes the place of the one not seen for longest.
pub const PAGE_SESSIONS: usize = 64;

/// The most bytes (as JSON writes them) of one input, of one output, of the diffs together, or of one image or resource
/// in a message; what is longer is cut, `truncated` says so, and `chat.part` gives the whole.
pub const FIELD_BYTES: usize = 256 << 10;
/// A message holds no more than about so many bytes (as JSON writes them); longer answers go on in a next message.
pub const MESSAGE_BYTES: usize = 1 << 20;
/// The most parts of a message; an answer with more goes on in a next message.
pub const MESSAGE_PARTS: usize = 256;
/// One answer of `chat.part` carries at most so many bytes of the part.
pub const PART_WINDOW_BYTES: usize = 1 << 20;
/// How many messages `chat.conversation` gives when not told otherwise.
pub const CONVERSATION_MESSAGES: usize = 200;
/// The most messages that one answer of `chat.conversation` gives.
pub const CONVERSATION_MESSAGES_MOST: usize = 1_000;
/// The longest query of `chat.search`, in bytes.
pub const SEARCH_QUERY_BYTES: usize = 1 << 10;
/// How many messages `chat.search` gives when not told otherwise.
pub const SEARCH_MATCHES: usize = 50;
/// The most messages that one answer of `chat.search` gives.
pub const SEARCH_MATCHES_MOST: usize = 200;
/// One answer of `chat.export` carries at most so many bytes of the document.
pub const EXPORT_WINDOW_BYTES: usize = 512 << 10;
/// The longest text of one `chat.send`, in bytes.
pub const PROMPT_BYTES: usize = 768 << 10;
/// The largest file sent along with a message, in bytes.
pub const ATTACHMENT_BYTES: usize = 32 << 20;
/// The most files sent along with one message.
pub const ATTACHMENTS: usize = 16;
/// What is kept of uploads together, in bytes; the oldest ones make room.
pub const UPLOADS_BYTES: u64 = 1 << 30;
/// The longest name of an upload that is kept, in bytes.
pub const UPLOAD_NAME_BYTES: usize = 120;
/// The most messages that wait for the current answer of one agent.
pub const QUEUED_MESSAGES: usize = 100;
/// The longest question of an agent (ACP: elicitation), in bytes of its parameters; a longer one is refused.
pub const ELICITATION_BYTES: usize = 64 << 10;
/// The most fields of a form.
pub const ELICITATION_FIELDS: usize = 64;

/// The longest line that an agent may write, in bytes; a longer one ends the connection.
pub const AGENT_LINE_BYTES: usize = 64 << 20;
/// The stderr lines kept of each agent.
pub const LOG_LINES: usize = 200;
/// The longest stderr line that is kept, in bytes; the rest is cut and marked.
pub const LOG_LINE_BYTES: usize = 8 << 10;
/// The protocol messages kept of each agent.
pub const TRACE_MESSAGES: usize = 1_000;
/// What is kept of one protocol message, in bytes.
pub const TRACE_MESSAGE_BYTES: usize = 64 << 10;
/// What is kept of one agent's protocol messages together, in bytes: large messages push old ones out sooner.
pub const TRACE_BYTES: usize = 8 << 20;
/// The most that an agent gets of one file, in bytes; of a longer one it can ask for lines.
pub const FILE_BYTES: usize = 16 << 20;
/// How far into a file the lines that an agent asks for may begin, in bytes.
pub const FILE_SCAN_BYTES: u64 = 64 << 20;
/// The most commands that an agent may have the daemon run for it at once.
pub const AGENT_TERMINALS: usize = 32;
/// How many ended commands of one agent stay readable as panes; the oldest are closed.
pub const AGENT_TERMINALS_KEPT: usize = 8;
/// What is kept of the output of such a command when the agent does not say, in bytes; the beginning is dropped.
pub const TERMINAL_OUTPUT_BYTES: usize = 1 << 20;
/// The most that an agent may have kept of it, in bytes.
pub const TERMINAL_OUTPUT_BYTES_MOST: usize = 16 << 20;
/// How long an agent may take to answer `initialize`, in milliseconds.
pub const HANDSHAKE_MS: u64 = 30_000;
/// How often agents that nobody uses are looked at, in milliseconds.
pub const IDLE_LOOK_MS: u64 = 30_000;
/// How many agents may have a process at once, when the configuration does not say.
pub const RUNNING_AGENTS: usize = 4;
/// After how long an agent that nobody uses is stopped, when the configuration does not say, in milliseconds.
pub const IDLE_STOP_MS: u64 = 900_000;
/// How long an agent may take to end a cancelled turn before it is ended for it, in milliseconds.
pub const CANCEL_MS: u64 = 10_000;
/// How long the last output of an agent that has exited is awaited, in milliseconds.
pub const DRAIN_MS: u64 = 250;
/// How long deltas of one part are gathered before they are sent together, in milliseconds (one frame of a screen).
pub const DELTA_JOIN_MS: u64 = 16;

/// The most panes that may be open at once.
pub const PANES: usize = 512;
/// The most workspaces that may be open at once.
pub const WORKSPACES: usize = 64;
/// The longest name of a pane or workspace, in characters.
pub const SURFACE_NAME_CHARACTERS: usize = 64;
/// The lines of scrollback that a pane keeps.
pub const SCROLLBACK_LINES: usize = 10_000;
/// What a pane's scrollback may take, in bytes of memory, after compression.
pub const SCROLLBACK_BYTES: usize = 16 << 20;
/// How many lines `surface.read` gives when not told otherwise.
pub const READ_LINES: u32 = 200;
/// The most lines that one `surface.read` gives.
pub const READ_LINES_MOST: u32 = 4_000;
/// The most text that one `surface.read` gives, in bytes; older lines are left out.
pub const READ_BYTES: usize = 1 << 20;
/// How many matches `surface.search` gives when not told otherwise.
pub const SURFACE_MATCHES: u32 = 100;
/// The most matches that one `surface.search` gives.
pub const SURFACE_MATCHES_MOST: u32 = 10_000;
/// The longest pattern of a search or a wait, in bytes.
pub const PATTERN_BYTES: usize = 4 << 10;
/// The longest line that a search or a wait reports, in bytes; the rest is cut.
pub const REPORTED_LINE_BYTES: usize = 4 << 10;
/// How many of the newest lines a wait looks at when it begins.
pub const WAIT_LINES: usize = 500;
/// How long `surface.wait` waits when not told otherwise, in milliseconds.
pub const WAIT_TIMEOUT_MS: u64 = 300_000;
/// The longest that a wait may last, in milliseconds: a week.
pub const WAIT_TIMEOUT_MS_MOST: u64 = 604_800_000;
/// For how long no output has to come for a pane to be quiet, when a wait does not say, in milliseconds.
pub const QUIET_MS: u64 = 1_000;
/// The most waits that one pane takes at once.
pub const PANE_WAITS: usize = 64;
/// The most that `surface.input` takes at once, in bytes.
pub const INPUT_BYTES: usize = 64 << 10;
/// What may wait until a program reads it, in bytes; input beyond is refused.
pub const INPUT_QUEUE_BYTES: usize = 1 << 20;
/// The most viewers of one pane.
pub const PANE_VIEWERS: usize = 32;
/// What may wait for a viewer of a pane, in bytes; one that is slower is drawn anew instead.
pub const VIEWER_QUEUE_BYTES: usize = 4 << 20;
/// What a viewer is sent to draw a pane, in bytes at most; older lines are left out.
pub const SNAPSHOT_BYTES: usize = 8 << 20;
/// At most one `surface_changed` a pane is sent in so many milliseconds.
pub const SURFACE_CHANGED_MS: u64 = 50;
/// What is kept of a text that an agent or a terminal told, in bytes.
pub const TOLD_TEXT_BYTES: usize = 2 << 10;
/// How many are kept of a pane of each kind: records of its state, titles, notifications, and what else it told.
pub const TOLD_SIGNALS: usize = 64;
