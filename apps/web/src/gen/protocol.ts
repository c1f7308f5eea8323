// The types of Pupitre's protocol: generated, do not edit: cargo xtask gen
// What they mean in full stands in docs/reference/protocol.md.

/** The number of the protocol that these types describe. */
export const PROTOCOL = 1;

/** The limits that a page keeps to or shows; the unit stands in the name. */
export const LIMITS = {
  /** The longest request line that the daemon reads, in bytes. */
  REQUEST_BYTES: 1048576,
  /** A stream without an event for so long gets a `heartbeat`, in milliseconds. */
  HEARTBEAT_MS: 30000,
  /** The most bytes (as JSON writes them) of one input, of one output, of the diffs together, or of one image or resource in a message; what is longer is cut, `truncated` says so, and `chat.part` gives the whole. */
  FIELD_BYTES: 262144,
  /** One answer of `chat.part` carries at most so many bytes of the part. */
  PART_WINDOW_BYTES: 1048576,
  /** How many messages `chat.conversation` gives when not told otherwise. */
  CONVERSATION_MESSAGES: 200,
  /** The most messages that one answer of `chat.conversation` gives. */
  CONVERSATION_MESSAGES_MOST: 1000,
  /** The longest text of one `chat.send`, in bytes. */
  PROMPT_BYTES: 786432,
  /** The largest file sent along with a message, in bytes. */
  ATTACHMENT_BYTES: 33554432,
  /** The most files sent along with one message. */
  ATTACHMENTS: 16,
  /** The most messages that wait for the current answer of one agent. */
  QUEUED_MESSAGES: 100,
  /** The stderr lines kept of each agent. */
  LOG_LINES: 200,
  /** The protocol messages kept of each agent. */
  TRACE_MESSAGES: 1000,
} as const;

/** Every method: its parameters and its reply. */
export interface Methods {
  /** Answers at once. */
  "system.ping": { params: Empty; reply: PingReply };
  /** Says who the daemon is, which protocol it speaks and which configuration it holds. */
  "system.identify": { params: Empty; reply: IdentifyReply };
  /** Lists the methods and the types of events that this daemon knows. */
  "system.capabilities": { params: Empty; reply: CapabilitiesReply };
  /** Gives numbers about the daemon. */
  "system.counters": { params: Empty; reply: CountersReply };
  /** Gives an address of the page that lets one browser in, once, within five minutes. */
  "system.page": { params: Empty; reply: PageReply };
  /** Stops every agent, side by side, and then the daemon. Answers when nothing of them is left; the connection closes when the daemon is gone. */
  "system.shutdown": { params: Empty; reply: Empty };
  /** Lists the agents of the configuration with the state of each. */
  "agent.list": { params: Empty; reply: AgentListReply };
  /** Starts an agent; answers when it is ready, with an error when it could not be started. An agent that runs is left alone. */
  "agent.start": { params: AgentParams; reply: AgentView };
  /** Stops an agent; answers when nothing of it is left. */
  "agent.stop": { params: AgentParams; reply: AgentView };
  /** Stops an agent when it runs, then starts it. */
  "agent.restart": { params: AgentParams; reply: AgentView };
  /** Gives the last 200 lines that an agent wrote to stderr, and stray ones from its stdout. */
  "agent.logs": { params: AgentParams; reply: AgentLogsReply };
  /** Gives the last 1,000 protocol messages between the daemon and an agent. */
  "agent.trace": { params: AgentParams; reply: AgentTraceReply };
  /** Logs in with an agent that runs, by one of the ways that it offers; answers when the agent says that it is done, which takes as long as the person takes. A message that waits for the login is sent then. */
  "agent.authenticate": { params: AuthenticateParams; reply: Empty };
  /** Says which configuration is held, and what is wrong with its file. */
  "config.current": { params: Empty; reply: ConfigView };
  /** Gives the text of the file, and the hash that `config.save` wants back. */
  "config.content": { params: Empty; reply: ConfigContentReply };
  /** Says what is wrong with a text, without saving it. */
  "config.validate": { params: ConfigValidateParams; reply: ConfigValidateReply };
  /** Writes a text when it is valid and the file is still the one that was read; otherwise writes nothing. */
  "config.save": { params: ConfigSaveParams; reply: ConfigSaveReply };
  /** Gives the JSON Schema of the file. */
  "config.schema": { params: Empty; reply: ConfigSchemaReply };
  /** Stops every agent, leaves the conversations, holds this file from now on and remembers it. */
  "config.open": { params: ConfigOpenParams; reply: ConfigView };
  /** Has a person choose a file in a native dialog, and opens it; the error `no_display` where there is no window. */
  "config.choose": { params: Empty; reply: ConfigChooseReply };
  /** Lists the files that were opened in the program, the last one first, 8 at most. */
  "config.recent": { params: Empty; reply: ConfigRecentReply };
  /** Lists the folders and the `.toml` files of a folder, for a list of files in a page. */
  "config.browse": { params: ConfigBrowseParams; reply: ConfigBrowseReply };
  /** Lists the agents that Pupitre knows, with how to install those that are not there. */
  "config.known": { params: Empty; reply: ConfigKnownReply };
  /** Lists the channels of the configuration. */
  "channel.list": { params: Empty; reply: ChannelListReply };
  /** Sends a message to the agents of a channel that it mentions, or to all of them. */
  "channel.send": { params: ChannelSendParams; reply: ChannelSendReply };
  /** Gives what was said in a channel. */
  "channel.messages": { params: ChannelMessagesParams; reply: ChannelMessagesReply };
  /** Lists the permission requests and the questions that wait for an answer. */
  "chat.permissions": { params: PermissionsParams; reply: PermissionsReply };
  /** Adds a user message; starts the agent if needed; queues the message while the agent is answering. */
  "chat.send": { params: SendParams; reply: SendReply };
  /** Takes back one queued message. */
  "chat.withdraw": { params: MessageParams; reply: Empty };
  /** Cancels the running turn, or without one what the agent asks, and drops what is queued; with `messageId`, this message alone. */
  "chat.cancel": { params: CancelParams; reply: CancelReply };
  /** Answers one permission request. A second answer, or one after Stop, is the error `already_answered`. */
  "chat.answer_permission": { params: AnswerPermissionParams; reply: Empty };
  /** Answers one question of an agent (ACP: elicitation). A second answer, or one after Stop, is the error `already_answered`; values that the form does not allow are the error `invalid_params`, and the question stays open. */
  "chat.answer_elicitation": { params: AnswerElicitationParams; reply: Empty };
  /** Gives the newest messages of a conversation, and all that a client needs to follow it from there. */
  "chat.conversation": { params: ConversationParams; reply: ConversationView };
  /** Gives the whole of a part that was cut in messages and events, window by window. */
  "chat.part": { params: PartParams; reply: PartReply };
  /** Sets an option of the session, its model for example. */
  "chat.set_option": { params: SetOptionParams; reply: Empty };
  /** Sets the mode of the session. */
  "chat.set_mode": { params: SetModeParams; reply: Empty };
  /** Puts the current conversation away and begins another. */
  "chat.new": { params: NewParams; reply: CurrentConversationReply };
  /** Lists conversations, earlier ones included. */
  "chat.history": { params: HistoryParams; reply: HistoryReply };
  /** Makes an earlier conversation the agent's current one. */
  "chat.open": { params: OpenParams; reply: CurrentConversationReply };
  /** Finds words in the finished messages of conversations, earlier ones included. */
  "chat.search": { params: SearchParams; reply: SearchReply };
  /** Deletes a conversation for good, from the disk too. The current one makes place for a new one; while its agent is answering that is the error `turn_running`. */
  "chat.delete": { params: DeleteParams; reply: Empty };
  /** Writes a conversation as Markdown or JSON, window by window. From inside, an earlier conversation needs AI free access. */
  "chat.export": { params: ExportParams; reply: ExportReply };
  /** Lists the agents at work: panes with an agent's process, and agents of the configuration that have one or failed. */
  "fleet.list": { params: Empty; reply: FleetListReply };
  /** Makes a pane: a command, a terminal agent, or the person's shell in a terminal that the daemon holds. */
  "surface.create": { params: SurfaceCreateParams; reply: SurfaceView };
  /** Lists panes and conversations. */
  "surface.list": { params: SurfaceListParams; reply: SurfaceListReply };
  /** Gives the text of a surface as lines: scrollback and screen of a pane, the transcript of a conversation. */
  "surface.read": { params: SurfaceReadParams; reply: SurfaceReadReply };
  /** Finds lines in one surface or in all. */
  "surface.search": { params: SurfaceSearchParams; reply: SurfaceSearchReply };
  /** Says what a surface does. */
  "surface.status": { params: SurfaceParams; reply: SurfaceStatus };
  /** Waits until a surface is at rest, or a line matches. A target that closes or comes to ask ends the wait with an error; so does the time. */
  "surface.wait": { params: SurfaceWaitParams; reply: SurfaceWaitReply };
  /** Says where the state of a surface comes from, with what its programs told their terminal. */
  "surface.explain": { params: SurfaceParams; reply: SurfaceExplainReply };
  /** A person has the surface in view: `finished` becomes `idle`. */
  "surface.seen": { params: SurfaceParams; reply: Empty };
  /** Brings a surface into the person's view: its workspace becomes the current one. */
  "surface.focus": { params: SurfaceParams; reply: SurfaceView };
  /** Gives a pane a name, which it keeps. */
  "surface.rename": { params: SurfaceRenameParams; reply: SurfaceView };
  /** Gives a pane another size. */
  "surface.resize": { params: SurfaceResizeParams; reply: SurfaceView };
  /** Ends the program of a pane with all that it started, and forgets the pane; answers when nothing of it is left. */
  "surface.close": { params: SurfaceParams; reply: Empty };
  /** Makes the connection a view of a pane: everything to draw it, then its bytes as they come. */
  "surface.snapshot": { params: SurfaceParams; reply: SurfaceSnapshotReply };
  /** Gives the program of a pane a person's keys. Requests of one connection are worked on side by side: whoever types sends the next keys when the ones before were answered. */
  "surface.input": { params: SurfaceInputParams; reply: Empty };
  /** Lists the workspaces with their layouts. */
  "workspace.list": { params: Empty; reply: WorkspaceListReply };
  /** Gives the workspace where new panes go. */
  "workspace.current": { params: Empty; reply: WorkspaceView };
  /** Makes an empty workspace, which becomes the current one. */
  "workspace.create": { params: WorkspaceCreateParams; reply: WorkspaceView };
  /** Makes a workspace the current one. */
  "workspace.select": { params: WorkspaceParams; reply: WorkspaceView };
  /** Gives a workspace another name. */
  "workspace.rename": { params: WorkspaceRenameParams; reply: WorkspaceView };
  /** Closes a workspace with all its panes; answers when nothing of them is left. */
  "workspace.close": { params: WorkspaceParams; reply: Empty };
  /** Makes a pane beside or below another one. */
  "workspace.split": { params: WorkspaceSplitParams; reply: SurfaceView };
  /** Lays out the panes of a workspace anew. */
  "workspace.set_layout": { params: WorkspaceSetLayoutParams; reply: WorkspaceView };
  /** Begins a stream of events, whose first frame is `subscribed`. The socket's connection becomes the stream, one frame a line, and answers nothing else. On a WebSocket the reply comes first, then the frames as notifications called `event`; a second subscription takes the place of the first. */
  "events.subscribe": { params: SubscribeParams; reply: Subscribed };
  /** Ends the stream of events of a WebSocket; where there is none it does nothing. */
  "events.unsubscribe": { params: Empty; reply: Empty };
}

/** The name of every method. */
export const METHODS = [
  "system.ping",
  "system.identify",
  "system.capabilities",
  "system.counters",
  "system.page",
  "system.shutdown",
  "agent.list",
  "agent.start",
  "agent.stop",
  "agent.restart",
  "agent.logs",
  "agent.trace",
  "agent.authenticate",
  "config.current",
  "config.content",
  "config.validate",
  "config.save",
  "config.schema",
  "config.open",
  "config.choose",
  "config.recent",
  "config.browse",
  "config.known",
  "channel.list",
  "channel.send",
  "channel.messages",
  "chat.permissions",
  "chat.send",
  "chat.withdraw",
  "chat.cancel",
  "chat.answer_permission",
  "chat.answer_elicitation",
  "chat.conversation",
  "chat.part",
  "chat.set_option",
  "chat.set_mode",
  "chat.new",
  "chat.history",
  "chat.open",
  "chat.search",
  "chat.delete",
  "chat.export",
  "fleet.list",
  "surface.create",
  "surface.list",
  "surface.read",
  "surface.search",
  "surface.status",
  "surface.wait",
  "surface.explain",
  "surface.seen",
  "surface.focus",
  "surface.rename",
  "surface.resize",
  "surface.close",
  "surface.snapshot",
  "surface.input",
  "workspace.list",
  "workspace.current",
  "workspace.create",
  "workspace.select",
  "workspace.rename",
  "workspace.close",
  "workspace.split",
  "workspace.set_layout",
  "events.subscribe",
  "events.unsubscribe",
] as const satisfies readonly (keyof Methods)[];

/** Something that happened, or a control frame of the stream itself. */
export type Event =
  /** The state or the definition of an agent changed. */
  | ({ type: "agent:state" } & AgentStateChanged)
  /** An agent wrote a line to stderr, or a stray one to stdout. */
  | ({ type: "agent:log" } & AgentLogged)
  /** A protocol message went between the daemon and an agent. Sent to those alone who ask for this type by name. */
  | ({ type: "agent:trace" } & AgentTraced)
  /** Another conversation became the agent's current one. */
  | ({ type: "conversation:changed" } & ConversationChanged)
  /** A conversation was deleted for good. */
  | ({ type: "conversation:deleted" } & ConversationDeleted)
  /** A message was added, changed as a whole, or finished. */
  | ({ type: "message:updated" } & MessageUpdated)
  /** Text was appended to a part of a message, or a part was added or replaced. */
  | ({ type: "message:delta" } & MessageDelta)
  /** The agent starts or stops answering, or the queue changed. */
  | ({ type: "turn:changed" } & TurnChanged)
  /** The agent asks to run a tool. */
  | ({ type: "permission:requested" } & PermissionRequested)
  /** A permission request was answered, cancelled, or taken back. */
  | ({ type: "permission:resolved" } & PermissionResolved)
  /** The agent asks its user to fill in a form, or to visit an address. */
  | ({ type: "elicitation:requested" } & ElicitationRequested)
  /** A question of the agent's was answered, cancelled, or taken back. */
  | ({ type: "elicitation:resolved" } & ElicitationResolved)
  /** The agent reported the use of its context window. */
  | ({ type: "usage:changed" } & UsageChanged)
  /** The agent announced its slash commands. */
  | ({ type: "commands:changed" } & CommandsChanged)
  /** Mode, options or title of the session changed. */
  | ({ type: "session:changed" } & SessionChanged)
  /** The configuration file changed, and was applied when it is valid. */
  | ({ type: "config:changed" } & ConfigChanged)
  /** A message was sent to a channel. */
  | ({ type: "channel:updated" } & ChannelUpdated)
  /** A pane was made, or a conversation became a surface. */
  | ({ type: "surface:opened" } & SurfaceView)
  /** A pane was closed, or the agent of a conversation left the configuration. */
  | ({ type: "surface:closed" } & SurfaceClosed)
  /** Output arrived in a pane, or something that lists show of it changed; at most one a pane each 50 ms. */
  | ({ type: "surface_changed" } & SurfaceView)
  /** The state of a surface changed, whatever the evidence. */
  | ({ type: "state_changed" } & StateChanged)
  /** A workspace was made, closed, selected, renamed or laid out anew. */
  | ({ type: "workspace:changed" } & WorkspacesChanged)
  /** The first frame of a stream: where it stands. */
  | ({ type: "subscribed" } & Subscribed)
  /** Nothing happened for 30 s. */
  | ({ type: "heartbeat" } & Heartbeat)
  /** Events were lost to this reader, exactly here. */
  | ({ type: "dropped" } & Dropped)
  /** The cursor cannot be resumed: take snapshots. */
  | ({ type: "resync" } & Resync);

/** An event with its stamp, as a reader gets it; `ts` is in epoch milliseconds. */
export type Frame = Event & { epoch: string; seq: number; ts: number };

/** What an agent said in `initialize` that it can do. */
export type AgentCapabilities = {
  load_session: boolean;
  resume_session: boolean;
  list_sessions: boolean;
  close_session: boolean;
  image: boolean;
  audio: boolean;
  embedded_context: boolean;
  mcp_http: boolean;
  mcp_sse: boolean;
};

/** Every agent, in the order of the configuration. */
export type AgentListReply = {
  agents: Array<AgentView>;
};

/** Payload of `agent:log`. */
export type AgentLogged = {
  agent: AgentName;
  /** The line's number, as in `agent.logs`. */
  number: number;
  line: string;
  /** The line came on stdout, where only protocol messages belong. */
  stray: boolean;
  /** How many lines before this one came too fast to be sent. */
  missed: number;
};

/** The last lines of one agent's log, oldest first. */
export type AgentLogsReply = {
  lines: Array<LogLine>;
  /** Older lines that are kept were left out, to stay inside the limit of a reply. */
  truncated: boolean;
};

/** The name of an agent in the configuration: `a-z 0-9 - _`, 1 to 32 characters, not only digits. */
export type AgentName = string;

/** Names one agent. */
export type AgentParams = {
  agent: AgentName;
};

/** The state of an agent's process. */
export type AgentState =
  /** No process; every agent begins here. */
  | "stopped"
  /** The process runs, the `initialize` handshake is under way. */
  | "starting"
  /** Running, unused. */
  | "ready"
  /** Running, used by at least one conversation. */
  | "busy"
  /** The start failed, or the process ended by itself; the reason stands beside it. */
  | "error";

/** Payload of `agent:state`. */
export type AgentStateChanged = {
  agent: AgentName;
  state: AgentState;
  error?: string;
  /** The same for a program, where it is known. */
  cause?: Cause;
  outdated: boolean;
  stopping: boolean;
};

/** The last protocol messages of one agent, oldest first. */
export type AgentTraceReply = {
  entries: Array<TraceEntry>;
  /** Older messages were left out, here or when they were kept, to stay inside the limits. */
  truncated: boolean;
};

/** Payload of `agent:trace`. */
export type AgentTraced = {
  agent: AgentName;
  entry: TraceEntry;
};

/** One agent of the configuration, with the state of its process. */
export type AgentView = {
  name: AgentName;
  title: string;
  icon: string | null;
  description: string | null;
  state: AgentState;
  /** Why the state is `error`, in plain words; for a failed start with the agent's last stderr lines after it. */
  error: string | null;
  /** The same for a program, where it is known. */
  cause?: Cause;
  /** It runs with a definition that is no longer the one of the configuration. */
  outdated: boolean;
  /** It has been asked to stop and something of it still lives. */
  stopping: boolean;
  pid: number | null;
  /** What the agent calls itself and its version, as `initialize` told. */
  version: string | null;
  /** When its process was started, in epoch milliseconds. */
  started_at: number | null;
  /** What the agent offers, as `initialize` told; null while that is unknown. */
  capabilities: AgentCapabilities | null;
  auth_methods: Array<AuthMethod>;
};

/** Parameters of `chat.answer_elicitation`. */
export type AnswerElicitationParams = {
  id: ElicitationId;
  action: ElicitationAction;
  /** The values of a form that is accepted, by the fields' names: texts, numbers, booleans, lists of texts. */
  content?: Record<string, string | number | boolean | string[]>;
};

/** Parameters of `chat.answer_permission`. */
export type AnswerPermissionParams = {
  id: PermissionId;
  /** One of the options; null answers without choosing (ACP's outcome `cancelled`), which some agents take as the end of the turn. */
  optionId?: string | null;
};

/** Who answered a permission request. */
export type AnsweredBy =
  /** A program of the user's own: the command line, a script. */
  | "program"
  /** A person at the page. */
  | "page"
  /** The rule of the configuration (`permissions` of the agent). */
  | "rule";

/** A way to log in that an agent offers. */
export type AuthMethod = {
  id: string;
  name: string;
  description: string | null;
  /** The agent's program asks on a terminal: `agent.authenticate` makes a pane for it, called `NAME-login` after the agent. */
  terminal: boolean;
};

/** Parameters of `agent.authenticate`. */
export type AuthenticateParams = {
  agent: AgentName;
  /** One of the agent's `auth_methods`. */
  method_id: string;
};

/** A folder, or a file that may be a configuration. */
export type BrowseEntry = {
  name: string;
  path: string;
  folder: boolean;
};

/** Who calls the daemon. */
export type CallerKind =
  /** A program of the user's own: a terminal, a script. */
  | "outside"
  /** The page, in a browser that was let in. */
  | "page"
  /** Something that an agent runs. */
  | "inside"
  /** It could not be told, so it may do what is allowed inside. */
  | "unknown";

/** Parameters of `chat.cancel`. */
export type CancelParams = {
  agent: AgentName;
  /** Only this message: takes it back when it waits, cancels its turn when that runs, and leaves all others alone. */
  messageId?: MessageId | null;
};

/** What a cancel did. */
export type CancelReply = {
  /** A running turn was asked to end. */
  cancelled: boolean;
  /** The queued messages that were dropped. */
  dropped: Array<MessageId>;
  /** How many permission requests and questions of the agent were answered as cancelled. */
  requests: number;
};

/** What the daemon can do. */
export type CapabilitiesReply = {
  methods: Array<string>;
  events: Array<string>;
  /** Who the daemon takes this caller for. */
  caller: CallerKind;
  /** The agent that an inside caller is below. */
  inside: AgentName | null;
  /** This caller may do what the gate opens; always true outside. */
  gate_open: boolean;
};

/** Why something ended or was refused. It stands beside the sentence that says the same and more, and is absent where only a sentence is known, an agent's own words for example. */
export type Cause =
  /** Stop dropped the message before it was sent. */
  | { kind: "dropped" }
  /** The message was taken back before it was sent. */
  | { kind: "withdrawn" }
  /** The daemon ended meanwhile. */
  | { kind: "daemon_ended" }
  /** The agent was stopped while it started. */
  | { kind: "stopped" }
  /** The agent's process ended by itself. */
  | { kind: "exited"; code: number }
  /** A signal ended the agent's process. */
  | { kind: "killed"; signal: number; name: string | null }
  /** The agent's command cannot be found, or not be run. */
  | { kind: "no_command"; command: string }
  /** Its working directory does not exist. */
  | { kind: "no_folder"; folder: string }
  /** The agent did not answer `initialize`. */
  | { kind: "no_handshake"; seconds: number }
  /** As many agents run as may, and none of them makes room. */
  | { kind: "too_many_agents"; busy: Array<AgentName>; limit: number }
  /** A variable that the configuration refers to is not set for the daemon. */
  | { kind: "no_variable"; variable: string }
  /** A variable that the configuration refers to is set for the daemon, and not handed on. */
  | { kind: "variable_not_handed_on"; variable: string }
  /** The system could not start it. */
  | { kind: "not_started"; error: string }
  /** How the agent's process ended is not known. */
  | { kind: "ended" }
  /** The agent's guard was ended from outside, and the agent with it. */
  | { kind: "guard_ended" }
  /** The agent closed its output and said nothing more. */
  | { kind: "output_closed" }
  /** The connection to the agent was ended. */
  | { kind: "connection_ended"; said: string }
  /** The handshake failed: the agent refused it, speaks another version, or cannot be understood. */
  | { kind: "handshake_failed"; said: string }
  /** The agent opened no session. */
  | { kind: "no_session"; said: string }
  /** The agent ended the turn without a reason that is known here. */
  | { kind: "unclear_end" }
  /** The agent's task in the daemon failed. */
  | { kind: "task_failed" }
  /** The login on the terminal did not end well. */
  | { kind: "login_ended"; code: number | null; signal: string | null }
  /** The file or folder cannot be read. */
  | { kind: "not_readable"; path: string; error: string }
  /** The file cannot be written. */
  | { kind: "not_writable"; path: string; error: string }
  /** The file does not exist. */
  | { kind: "no_file"; path: string }
  /** A pane or a workspace cannot be called so. */
  | { kind: "bad_name"; most: number }
  /** Another pane, workspace or agent is called so. */
  | { kind: "name_taken"; name: string }
  /** There are as many workspaces as may be. */
  | { kind: "too_many_workspaces"; most: number };

/** The answer of one agent. */
export type ChannelAnswer = {
  agent: AgentName;
  /** The user message in this agent's conversation; every message of the answer has it as its `turn`. Null when the agent did not take the message, which `error` explains. */
  messageId: MessageId | null;
  error: string | null;
  /** The same for a program. */
  errorKind?: ErrorKind;
};

/** A message to a channel, and the answers to it. */
export type ChannelEntry = {
  id: ChannelEntryId;
  /** In epoch milliseconds. */
  createdAt: number;
  text: string;
  /** One for each agent that it went to, in the order of the channel. */
  answers: Array<ChannelAnswer>;
};

/** Identifies a message to a channel: a UUIDv7. */
export type ChannelEntryId = string;

/** The channels of the configuration, in its order. */
export type ChannelListReply = {
  channels: Array<ChannelView>;
};

/** Names a channel. */
export type ChannelMessagesParams = {
  channel: string;
};

/** What was said in a channel, oldest first. */
export type ChannelMessagesReply = {
  entries: Array<ChannelEntry>;
  /** Older entries were left out. */
  truncated: boolean;
};

/** A message to a channel. */
export type ChannelSendParams = {
  channel: string;
  /** `@NAME` of an agent of the channel sends it to this one; without any it goes to all. */
  text: string;
};

/** What a message to a channel made. */
export type ChannelSendReply = {
  /** The user messages that were made, in the order of the channel. */
  messageIds: Array<MessageId>;
  entry: ChannelEntry;
};

/** Payload of `channel:updated`. */
export type ChannelUpdated = {
  channel: string;
  entry: ChannelEntry;
};

/** A room with several agents. */
export type ChannelView = {
  name: string;
  title: string;
  agents: Array<AgentName>;
};

/** A slash command that an agent announced. */
export type Command = {
  name: string;
  description: string;
  /** What may follow the command. */
  hint?: string;
};

/** Payload of `commands:changed`. */
export type CommandsChanged = {
  agent: AgentName;
  conversation: ConversationId;
  rev: number;
  commands: Array<Command>;
};

/** Names a folder. */
export type ConfigBrowseParams = {
  /** Absolute; that of the configuration file when absent. */
  folder?: string | null;
};

/** What of a folder can lead to a configuration file. */
export type ConfigBrowseReply = {
  folder: string;
  /** Null for the root. */
  parent: string | null;
  /** Folders first, then the files whose names end with `.toml`. */
  entries: Array<BrowseEntry>;
  /** There were more. */
  truncated: boolean;
};

/** Payload of `config:changed`. */
export type ConfigChanged = {
  path: string;
  /** Whether it can be used; otherwise the last one that could be stays in force. */
  valid: boolean;
  /** Problems and warnings, in the order of the file. */
  problems: Array<Problem>;
};

/** One value that an option can have. */
export type ConfigChoice = {
  value: string;
  name: string;
  description: string | null;
  group: string | null;
};

/** The path of the file that was chosen and opened; empty when the choice was cancelled. */
export type ConfigChooseReply = string;

/** The text of the configuration file. */
export type ConfigContentReply = {
  text: string;
  /** Names these bytes; `config.save` gives it back. */
  hash: string;
};

/** The agents that Pupitre knows, whether they are there or not. */
export type ConfigKnownReply = {
  agents: Array<KnownAgent>;
};

/** Names a configuration file. */
export type ConfigOpenParams = {
  /** Absolute. */
  path: string;
};

/** An option of a session, the model for example. */
export type ConfigOption = {
  id: string;
  name: string;
  description: string | null;
  /** What the option is about (`mode`, `model`, `thought_level`), as the agent says it. */
  category: string | null;
  /** The value in force: a choice's, or a boolean. */
  value: string | boolean;
  /** What can be chosen; empty for a boolean. */
  choices: Array<ConfigChoice>;
};

/** The files that were opened in the program, the last one first. */
export type ConfigRecentReply = RecentFile[];

/** A text that is to become the configuration file. */
export type ConfigSaveParams = {
  text: string;
  /** That of the text which was changed, as `config.content` gave it. */
  hash: string;
};

/** Whether a text was written. */
export type ConfigSaveReply = {
  saved: boolean;
  /** Null when it was written. */
  reason: NotSaved | null;
  /** Problems and warnings of the text, in the order of the file. */
  problems: Array<Problem>;
  /** That of the file as it is now. */
  hash: string;
};

/** The JSON Schema of the configuration file. */
export type ConfigSchemaReply = unknown;

/** Who chose the configuration file. */
export type ConfigSource =
  /** `--config`. */
  | "flag"
  /** The variable `PUPITRE_CONFIG`. */
  | "environment"
  /** It was opened in the program. */
  | "recent"
  /** Nobody: it is where it always is. */
  | "default";

/** A text to be checked. */
export type ConfigValidateParams = {
  text: string;
};

/** What is wrong with a text, and what its writer should know. */
export type ConfigValidateReply = {
  /** There are only warnings, or nothing. */
  valid: boolean;
  /** Problems and warnings, in the order of the file. */
  problems: Array<Problem>;
};

/** The configuration that is in force, and how its file is now. */
export type ConfigView = {
  path: string;
  source: ConfigSource;
  /** The file was not there, and this run of the daemon made it. */
  created: boolean;
  /** The file can be used as it is now; otherwise the last one that could be is in force. */
  valid: boolean;
  /** Why the file cannot be used, in the order of the file. */
  problems: Array<Problem>;
  /** What its writer should know, in the order of the file. */
  warnings: Array<Problem>;
  theme: Theme;
  language: Language;
  /** How many agents may have a process at once (`limits.maxRunningAgents`). */
  max_running_agents: number;
  channels: Array<ChannelView>;
};

/** Payload of `conversation:changed`. */
export type ConversationChanged = {
  agent: AgentName;
  conversation: ConversationId;
};

/** Payload of `conversation:deleted`. */
export type ConversationDeleted = {
  agent: AgentName;
  conversation: ConversationId;
};

/** Identifies a conversation: a UUIDv7. */
export type ConversationId = string;

/** Parameters of `chat.conversation`. */
export type ConversationParams = {
  agent: AgentName;
  /** An earlier conversation of the agent; the current one when absent. */
  conversation?: ConversationId | null;
  /** Only messages before this one. */
  before?: MessageId | null;
  /** 1 to 1,000; 200 when absent. */
  limit?: number | null;
};

/** A conversation in a list. */
export type ConversationSummary = {
  /** The configuration file under which it was begun; only there it goes on. */
  config: string;
  id: ConversationId;
  agent: AgentName;
  /** The agent's title for it, else the beginning of its first message. */
  title: string | null;
  cwd: string;
  /** In epoch milliseconds. */
  created_at: number;
  /** In epoch milliseconds. */
  updated_at: number;
  messages: number;
  /** It is the agent's current one. */
  current: boolean;
};

/** A conversation, from one message backwards. */
export type ConversationView = {
  agent: AgentName;
  conversation: ConversationId;
  /** It can only be read: it is not the agent's current one. */
  read_only: boolean;
  title: string | null;
  /** The working directory of its session. */
  cwd: string;
  /** The revision that this view is true for. */
  rev: number;
  /** Oldest first. */
  messages: Array<Message>;
  /** How many messages the conversation has. */
  total: number;
  /** Fewer messages than asked for are here, to keep the answer inside its limit. */
  truncated: boolean;
  /** The agent is answering. */
  busy: boolean;
  /** The agent has said nothing for so long (`agent_stall_threshold_secs`) that it may be stuck. */
  stalled: boolean;
  /** How many messages wait for the current answer. */
  queued: number;
  usage: Usage | null;
  commands: Array<Command>;
  permissions: Array<Permission>;
  elicitations: Array<Elicitation>;
  /** The running turn waits until its user has logged in. */
  login: Login | null;
  modes: Modes | null;
  config_options: Array<ConfigOption>;
};

/** What the session has cost so far. */
export type Cost = {
  amount: number;
  /** ISO 4217, as the agent says it. */
  currency: string;
};

/** Numbers about the daemon, since it was started. */
export type CountersReply = {
  /** Connections for calls that are open now. */
  connections: number;
  /** Subscriptions that are open now. */
  subscriptions: number;
  /** Events published. */
  events: number;
  /** Events that slow subscribers lost. */
  dropped: number;
  /** Bytes of frames kept for readers that resume. */
  ring_bytes: number;
  /** Bytes of conversations that wait for the disk. */
  history_pending_bytes: number;
  /** Why conversations cannot be written just now; null when they can. */
  history_trouble: string | null;
};

/** Names the conversation that is now the agent's current one. */
export type CurrentConversationReply = {
  agent: AgentName;
  conversation: ConversationId;
};

/** A place in the stream of events, written `EPOCH:SEQ`: everything up to and including `seq` has been seen. */
export type Cursor = string;

/** Parameters of `chat.delete`. */
export type DeleteParams = {
  id: ConversationId;
};

/** A change of one file. */
export type Diff = {
  path: string;
  oldText: string | null;
  newText: string;
  newFile: boolean;
};

/** How the parts of a split lie. */
export type Direction =
  /** Beside each other, from left to right. */
  | "row"
  /** Above each other, from top to bottom. */
  | "column";

/** Payload of `dropped`: every event of the filter in `from..=to` was lost. */
export type Dropped = {
  from: number;
  to: number;
  /** The types that were, or may have been, among them. */
  kinds: Array<EventKind>;
};

/** A question of an agent to its user, waiting for an answer. */
export type Elicitation = {
  id: ElicitationId;
  agent: AgentName;
  conversation: ConversationId;
  /** What the agent says of it; empty when it says nothing. */
  message: string;
  wants: Wanted;
  /** In epoch milliseconds. */
  createdAt: number;
};

/** What a user does with a question, in the words of ACP. */
export type ElicitationAction =
  /** Gives the values, or agrees to visit the address. */
  | "accept"
  /** Says no. */
  | "decline"
  /** Leaves it without an answer. */
  | "cancel";

/** Identifies a question of an agent to its user: a UUIDv7 of ours. */
export type ElicitationId = string;

/** How a question ended. What was entered is told to nobody but the agent. */
export type ElicitationOutcome =
  | { outcome: "answered"; action: ElicitationAction; answeredBy: AnsweredBy }
  /** Stop cancelled it. */
  | { outcome: "cancelled" }
  /** The agent took it back, or ended. */
  | { outcome: "withdrawn" };

/** Payload of `elicitation:requested`. */
export type ElicitationRequested = {
  agent: AgentName;
  conversation: ConversationId;
  rev: number;
  elicitation: Elicitation;
};

/** Payload of `elicitation:resolved`. */
export type ElicitationResolved = {
  id: ElicitationId;
  agent: AgentName;
  conversation: ConversationId;
  rev: number;
  resolution: ElicitationOutcome;
};

/** No parameters, or nothing to say. */
export type Empty = Record<symbol, never>;

/** A variable of the environment. */
export type EnvironmentVariable = {
  name: string;
  value: string;
};

/** Names one run of the daemon. Sequence numbers of different epochs cannot be compared. */
export type Epoch = string;

/** What a program needs to know of an error. */
export type ErrorData = {
  kind: ErrorKind;
  /** More about why, where it is known. */
  cause?: Cause;
  /** What exists, or what matched, when a target was not found or ambiguous. */
  candidates?: Array<string>;
  /** When it is worth trying again. */
  retry_after_ms?: number;
  /** The agent's own error, as it came. */
  agent_error?: unknown;
};

/** A stable word for a program: what went wrong. Closed: a new one is added here and nowhere else. */
export type ErrorKind =
  /** The line was no JSON (-32700). */
  | "parse_error"
  /** The JSON was no request: a batch, no object, no method (-32600). */
  | "invalid_request"
  /** A request, a text or a file over its limit (-32600). */
  | "too_large"
  /** No such method, perhaps an older daemon (-32601). */
  | "unknown_method"
  /** The parameters are wrong (-32602). */
  | "invalid_params"
  /** A message without text and without attachment (-32602). */
  | "empty_message"
  /** A failure of the daemon's own (-32603). */
  | "internal"
  /** Conversations cannot be read or written just now (-32603). */
  | "history_unavailable"
  /** Too many connections, subscriptions or requests: try again (-32000). */
  | "too_many_connections"
  /** Too many messages wait for this agent (-32000). */
  | "queue_full"
  /** The daemon is shutting down (-32000). */
  | "shutting_down"
  /** The peer is another user (-32001). */
  | "foreign_user"
  /** What an agent runs may not do this while AI free access is off (-32001). */
  | "gate_closed"
  /** What an agent runs may never do this: its user decides (-32001). */
  | "not_from_inside"
  /** No such agent, conversation, message or request (-32003). */
  | "not_found"
  /** Several targets match (-32003). */
  | "ambiguous"
  /** It took too long (-32004). */
  | "timeout"
  /** The agent has no process, or none that could do this (-32005). */
  | "not_running"
  /** The agent has no open session; a message opens one (-32005). */
  | "no_session"
  /** The limit of running agents is reached (-32005). */
  | "too_many_agents"
  /** The agent could not be started (-32005). */
  | "start_failed"
  /** A stop ended the start (-32005). */
  | "start_cancelled"
  /** The permission request was answered or cancelled before (-32005). */
  | "already_answered"
  /** The message is no longer queued (-32005). */
  | "not_queued"
  /** The agent is answering; this must wait for the end of the turn (-32005). */
  | "turn_running"
  /** The conversation can only be read (-32005). */
  | "read_only"
  /** The agent does not offer this (-32005). */
  | "not_supported"
  /** A file could not be read or written; the message says which and why (-32005). */
  | "file_error"
  /** The pane was closed (-32005). */
  | "surface_closed"
  /** The program of the pane has ended (-32005). */
  | "program_ended"
  /** It asks for a decision of its person's (-32005). */
  | "asks"
  /** Its turn or its process failed (-32005). */
  | "target_errored"
  /** As many panes or viewers are there as may be (-32005). */
  | "too_many_surfaces"
  /** There is no window that could show a dialog (-32005). */
  | "no_display"
  /** The agent wants its user to log in first (-32006). */
  | "auth_required"
  /** The agent answered with an error of its own (-32006). */
  | "agent_error";

/** The type of an event. */
export type EventKind =
  | "agent:state"
  | "agent:log"
  | "agent:trace"
  | "conversation:changed"
  | "conversation:deleted"
  | "message:updated"
  | "message:delta"
  | "turn:changed"
  | "permission:requested"
  | "permission:resolved"
  | "elicitation:requested"
  | "elicitation:resolved"
  | "usage:changed"
  | "commands:changed"
  | "session:changed"
  | "config:changed"
  | "channel:updated"
  | "surface:opened"
  | "surface:closed"
  | "surface_changed"
  | "state_changed"
  | "workspace:changed"
  | "subscribed"
  | "heartbeat"
  | "dropped"
  | "resync";

/** Where a state comes from. */
export type Evidence =
  /** The agent told by one of its hooks. */
  | "hook"
  /** The agent told its terminal (OSC 7501). */
  | "status"
  /** The Agent Client Protocol. */
  | "acp"
  /** What stands on the screen, its title, or a notification. */
  | "screen"
  /** Which processes are there, nothing more. */
  | "process"
  /** No output came for a while. Only a wait says so. */
  | "quiet";

/** A piece of an excerpt. */
export type ExcerptPiece = {
  text: string;
  /** It is what was searched for. */
  found: boolean;
};

/** How the program of a pane ended: one of the two is there, none when that could not be known. */
export type ExitStatus = {
  code?: number;
  /** The signal's name, `SIGKILL` for example. */
  signal?: string;
};

/** How an exported conversation is written. */
export type ExportFormat =
  /** For people. */
  | "markdown"
  /** `{"conversation": …, "messages": […]}`, as `chat.history` and `chat.conversation` show them, with nothing cut. */
  | "json";

/** Parameters of `chat.export`. */
export type ExportParams = {
  id: ConversationId;
  format: ExportFormat;
  /** Where to go on: the `next` of the answer before; the beginning when absent. */
  from?: ExportPlace | null;
};

/** A place in an exported conversation. */
export type ExportPlace = {
  message: MessageId;
  /** In what is written of the message, in bytes. */
  offset: number;
};

/** A window of an exported conversation; all windows together are the whole. */
export type ExportReply = {
  text: string;
  /** Where to go on; null at the end. */
  next: ExportPlace | null;
};

/** One value of a form. */
export type Field = {
  /** Its key in the answer's `content`. */
  name: string;
  title: string;
  description: string | null;
  required: boolean;
  input: FieldInput;
};

/** What can be entered into a field. */
export type FieldInput =
  | { type: "text"; format: string | null; min_length: number | null; max_length: number | null; pattern: string | null; default: string | null }
  | { type: "number"; minimum: number | null; maximum: number | null; default: number | null }
  | { type: "integer"; minimum: number | null; maximum: number | null; default: number | null }
  | { type: "boolean"; default: boolean | null }
  /** One of these. */
  | { type: "choice"; options: Array<FieldOption>; default: string | null }
  /** Any of these. */
  | { type: "choices"; options: Array<FieldOption>; min_items: number | null; max_items: number | null; default: Array<string> };

/** One value that can be chosen. */
export type FieldOption = {
  value: string;
  title: string;
  description: string | null;
};

/** An agent at work. */
export type FleetAgent = {
  surface_id: SurfaceId;
  surface_name: string;
  kind: SurfaceKind;
  /** Null for a conversation that is in none. */
  workspace: WorkspaceId | null;
  /** How long it has been waiting for its person, in milliseconds; null when it does not. */
  waiting_ms: number | null;
  /** How long it has been at rest, in milliseconds; null when it is not. */
  idle_ms: number | null;
  state: SurfaceState;
  /** Grows with every change of the state. */
  state_seq: number;
  /** Since when the state is what it is, in epoch milliseconds. */
  since: number;
  evidence: Evidence;
  /** The agent tells what it does by hooks. */
  hooked: boolean;
  /** Why the state is no more than it is: `no_hook`, `starting`, `stopped`; or why it failed, in plain words. */
  reason: string | null;
  /** The agent's program: `claude`, `codex`, …; for an agent of the configuration its name; null without one. */
  tool: string | null;
  /** The agent's process id. */
  pid: number | null;
  /** The tool call that runs. */
  active_tool_name: string | null;
  /** The question or permission it waits on. */
  message: string | null;
  /** What the last turn ended with, cut when it is long. */
  last_result: string | null;
  /** The texts come from an agent or a terminal: nobody vouches for what they say. */
  untrusted: boolean;
};

/** Reply of `fleet.list`. */
export type FleetListReply = {
  /** Panes with an agent's process, and agents of the configuration that have a process or failed. */
  agents: Array<FleetAgent>;
};

/** A process in the foreground of a pane. */
export type ForegroundProcess = {
  pid: number;
  command: string;
};

/** Payload of `heartbeat`. */
export type Heartbeat = Record<symbol, never>;

/** Parameters of `chat.history`. */
export type HistoryParams = {
  /** Only this agent's. */
  agent?: AgentName | null;
};

/** Conversations, the one that changed last first. */
export type HistoryReply = {
  conversations: Array<ConversationSummary>;
  /** Older ones were left out, to keep the answer inside its limit. */
  truncated: boolean;
};

/** Who the daemon is. */
export type IdentifyReply = {
  /** Always `pupitre`. */
  name: string;
  /** The program's version. */
  version: string;
  /** The number of the protocol. */
  protocol: number;
  epoch: Epoch;
  pid: number;
  /** When it was started, in epoch milliseconds. */
  started_at: number;
  /** The configuration file that it holds. */
  config_path: string;
  /** What is wrong with the configuration file; null when nothing is. The last one that was right stays in force. */
  config_error: string | null;
  /** Where it keeps its log. */
  log_path: string;
  /** The home folder of its user, which a path below it may be shown as `~`; empty from a daemon that does not tell. */
  home: string;
};

/** An agent that an entry of the file needs only to name, as its `preset`. */
export type KnownAgent = {
  /** The word of `preset`. */
  name: string;
  title: string;
  icon: string;
  description: string;
  /** What is looked for on the daemon's `PATH`; null for the agent that is inside Pupitre. */
  command: string | null;
  /** It can be started: its command was found just now. */
  found: boolean;
  /** The command line that installs it; null for the agent that is inside Pupitre. */
  install: string | null;
};

/** The language of the interface. */
export type Language =
  | "en"
  | "fr"
  /** As the system has it. */
  | "system";

/** How the panes of a workspace share its area. */
export type Layout =
  /** One pane has it all. */
  | { type: "pane"; surface: SurfaceId }
  /** Parts beside or above each other. */
  | { type: "split"; direction: Direction; parts: Array<LayoutPart> };

/** One part of a split. */
export type LayoutPart = {
  /** Its share of the area beside those of the others: a weight, more than 0. */
  share: number;
  layout: Layout;
};

/** A place in a file. */
export type Location = {
  path: string;
  line?: number;
};

/** One line that an agent wrote to stderr, or a stray one from its stdout. */
export type LogLine = {
  /** Counts the lines of this agent since the daemon was started, from 1. */
  number: number;
  /** When it came, in epoch milliseconds. */
  ts: number;
  line: string;
  /** It came on stdout, where only protocol messages belong. */
  stray: boolean;
};

/** An agent wants its user to log in before it answers: one of these ways, run by `agent.authenticate`. */
export type Login = {
  /** What the agent says of it. */
  message: string;
  /** What it offers, as `initialize` told; none when it must be done with the agent's own program. */
  methods: Array<AuthMethod>;
};

/** An image or a sound. */
export type Media = {
  mime_type: string;
  /** Base64; empty when the agent gave only an address. */
  data: string;
  uri: string | null;
  /** The data was left out here; `chat.part` gives it. */
  truncated?: boolean;
};

/** One message. Each turn ends with exactly one message that has a `stopReason` or an `error`: the agent's last one, or a system message `agent-unavailable`. */
export type Message = {
  id: MessageId;
  agent: AgentName;
  conversation: ConversationId;
  /** The revision of the conversation at which this message last changed. */
  rev: number;
  /** In epoch milliseconds. */
  createdAt: number;
  role: Role;
  /** The user message whose turn this one belongs to; null for what came outside of any turn. */
  turn: MessageId | null;
  parts: Array<Part>;
  /** False while an agent message streams. */
  done: boolean;
  /** A user message that waits for the current answer. */
  queued: boolean;
  stopReason: StopReason | null;
  /** Why an agent message ended without a known stop reason, or `cancelled` for a queued message that Stop dropped. */
  error: string | null;
  /** The same for a program, where it is known. */
  cause?: Cause;
  /** On system messages. */
  code: SystemCode | null;
};

/** Payload of `message:delta`. */
export type MessageDelta = {
  agent: AgentName;
  conversation: ConversationId;
  rev: number;
  messageId: MessageId;
  /** Which part; equal to the number of parts, it appends one. */
  index: number;
  kind: PartKind;
  /** What is appended to the part. */
  text?: string;
  /** What replaces the part. */
  part?: Part;
};

/** Identifies a message: a UUIDv7, so that ids sort by creation. */
export type MessageId = string;

/** Names one message. */
export type MessageParams = {
  messageId: MessageId;
};

/** Payload of `message:updated`. */
export type MessageUpdated = {
  agent: AgentName;
  conversation: ConversationId;
  rev: number;
  message: Message;
};

/** One mode that a session can have. */
export type Mode = {
  id: string;
  name: string;
  description: string | null;
};

/** The modes of a session. */
export type Modes = {
  current: string;
  available: Array<Mode>;
};

/** Parameters of `chat.new`. */
export type NewParams = {
  agent: AgentName;
  /** An absolute path; the agent's own folder of the configuration when absent. */
  cwd?: string | null;
};

/** Why a text was not written. */
export type NotSaved =
  /** It has problems. */
  | "invalid"
  /** The file on disk is no longer the one that was read. */
  | "changed";

/** A turn that waits until its user has logged in. */
export type OpenLogin = {
  agent: AgentName;
  conversation: ConversationId;
  login: Login;
};

/** Parameters of `chat.open`. */
export type OpenParams = {
  id: ConversationId;
};

/** Where the page is. */
export type PageReply = {
  /** With a token in its fragment that is good for one browser, once, and for five minutes. */
  url: string;
};

/** The size of a pane in character cells. */
export type PaneSize = {
  columns: number;
  rows: number;
};

/** A piece of a message, in the order in which it came. */
export type Part =
  /** Markdown. */
  | { kind: "text"; text: string }
  /** Reasoning. */
  | { kind: "thought"; text: string }
  | { kind: "tool"; tool: ToolCall }
  | { kind: "plan"; entries: Array<PlanEntry> }
  | { kind: "image"; image: Media }
  | { kind: "resource"; resource: Resource };

/** The kind of a part. */
export type PartKind =
  | "text"
  | "thought"
  | "tool"
  | "plan"
  | "image"
  | "resource";

/** Parameters of `chat.part`. */
export type PartParams = {
  messageId: MessageId;
  index: number;
  /** Where to go on, in bytes: 0, or the `next` of the answer before. */
  offset?: number;
};

/** A window of a part written as JSON; all windows together are the whole part. */
export type PartReply = {
  /** A piece of the JSON text. */
  json: string;
  /** How long the whole JSON text is, in bytes. */
  bytes: number;
  /** Where to go on; null at the end. */
  next: number | null;
};

/** A request of an agent to run a tool, waiting for an answer. */
export type Permission = {
  id: PermissionId;
  agent: AgentName;
  conversation: ConversationId;
  /** The agent message that holds the tool call. */
  messageId: MessageId;
  toolCall: ToolCall;
  options: Array<PermissionOption>;
  /** How many requests of this turn were refused before. */
  rejections: number;
  /** In epoch milliseconds. */
  createdAt: number;
};

/** Identifies a permission request: a UUIDv7 of ours, not the agent's request id. */
export type PermissionId = string;

/** One answer that a permission request offers. */
export type PermissionOption = {
  optionId: string;
  name: string;
  /** `allow_once`, `allow_always`, `reject_once`, `reject_always`, or what the agent says. Several may be of one kind. */
  kind: string;
};

/** How a permission request ended. */
export type PermissionOutcome =
  /** One of the options was chosen. */
  | { outcome: "selected"; optionId: string; answeredBy: AnsweredBy }
  /** It was answered without choosing. */
  | { outcome: "dismissed"; answeredBy: AnsweredBy }
  /** Stop cancelled it. */
  | { outcome: "cancelled" }
  /** The agent took it back, or ended. */
  | { outcome: "withdrawn" };

/** Payload of `permission:requested`: the request itself, and the revision. */
export type PermissionRequested = {
  id: PermissionId;
  agent: AgentName;
  conversation: ConversationId;
  rev: number;
  messageId: MessageId;
  toolCall: ToolCall;
  options: Array<PermissionOption>;
  rejections: number;
  createdAt: number;
};

/** Payload of `permission:resolved`. */
export type PermissionResolved = {
  id: PermissionId;
  agent: AgentName;
  conversation: ConversationId;
  rev: number;
  resolution: PermissionOutcome;
};

/** Parameters of `chat.permissions`. */
export type PermissionsParams = {
  /** Only this agent's. */
  agent?: AgentName | null;
};

/** Every open request of agents to their user, oldest first. */
export type PermissionsReply = {
  permissions: Array<Permission>;
  elicitations: Array<Elicitation>;
  /** Turns that wait until their user has logged in. */
  logins: Array<OpenLogin>;
};

/** The daemon answers. */
export type PingReply = {
  /** The daemon's clock, in epoch milliseconds. */
  ts: number;
};

/** One step of a plan. */
export type PlanEntry = {
  content: string;
  /** `high`, `medium` or `low`, or what the agent says. */
  priority: string;
  /** `pending`, `in_progress` or `completed`, or what the agent says. */
  status: string;
};

/** Something that is wrong with a configuration file, or that its writer should know; and where. */
export type Problem = {
  /** From 1. */
  line: number;
  /** In characters, from 1. */
  column: number;
  message: string;
  /** The same for a program. */
  cause?: ProblemCause;
  /** The file can be used all the same. */
  warning: boolean;
};

/** What is wrong, or worth knowing. Words of the file are in it as far as they are shown: long ones end early, and secrets are stars. */
export type ProblemCause =
  /** The file is not there any more. */
  | { kind: "file_gone" }
  /** The file cannot be read. */
  | { kind: "file_unreadable"; error: string }
  /** The file has more bytes than it may have. */
  | { kind: "file_too_large"; bytes: number; most: number }
  /** What follows is no UTF-8. */
  | { kind: "not_utf8" }
  /** The text is no TOML. */
  | { kind: "not_toml"; said: string }
  /** A key is given twice. */
  | { kind: "duplicate_key" }
  /** The name of a key without quotes has other signs than letters, digits, `-` and `_`, or none. */
  | { kind: "bad_key" }
  /** Behind a value something follows that belongs on a line of its own. */
  | { kind: "more_behind_value" }
  /** Behind a key its `=` is missing. */
  | { kind: "key_without_value" }
  /** Behind the `=` the value is missing. */
  | { kind: "missing_value" }
  /** A text has no quotes. */
  | { kind: "unquoted_text" }
  /** `true` or `false` with capitals or quotes. */
  | { kind: "switch_spelling" }
  /** A text of one line has no quote at its end. */
  | { kind: "quote_missing"; quote: string }
  /** The header of a table has no bracket at its end. */
  | { kind: "header_not_closed"; bracket: string }
  /** An array has no `]`. */
  | { kind: "array_not_closed" }
  /** A table has no `}`. */
  | { kind: "table_not_closed" }
  /** A text of several lines has no three quotes at its end. */
  | { kind: "text_not_closed" }
  /** Until this can be read, more may be wrong than is told. */
  | { kind: "rest_uncertain" }
  /** There are more problems from here on. */
  | { kind: "more_problems"; count: number }
  /** There are more warnings from here on. */
  | { kind: "more_warnings"; count: number }
  /** No table has this key here. */
  | { kind: "unknown_key"; key: string; table: ProblemTable; suggestion: string | null; known: Array<string> }
  /** The key has a sign between its quotes; what it is called may be a secret. */
  | { kind: "sign_in_key"; table: ProblemTable; sign: string }
  /** The key belongs to the whole file, above the first table. */
  | { kind: "key_of_file"; key: string; table: ProblemTable }
  /** The key belongs below the header of another table. */
  | { kind: "key_of_table"; key: string; table: ProblemTable; header: string }
  /** The key is a variable, which stands in `env`. */
  | { kind: "key_of_env"; key: string; table: ProblemTable }
  /** The name of a variable has `=` or a NUL character, or is empty. */
  | { kind: "bad_variable" }
  /** A key is missing. */
  | { kind: "missing_key"; key: string; table: ProblemTable; name: string | null }
  /** The value has another type. */
  | { kind: "wrong_type"; subject: ProblemSubject; wanted: ValueType; found: ValueType; header: string | null }
  /** The number is too small or too large. */
  | { kind: "out_of_range"; subject: ProblemSubject; least: number; most: number }
  /** The value is none of the words that there are. */
  | { kind: "unknown_value"; subject: ProblemSubject; value: string; suggestion: string | null; known: Array<string> }
  /** There is no such preset. */
  | { kind: "unknown_preset"; preset: string; suggestion: string | null; known: Array<string> }
  /** `stopIdleAgentsAfter` is no duration, or out of its range. */
  | { kind: "bad_duration" }
  /** The name has signs that a name may not have. */
  | { kind: "bad_name" }
  /** The value is empty. */
  | { kind: "empty"; subject: ProblemSubject }
  /** The list of agents is empty. */
  | { kind: "no_agents"; table: ProblemTable }
  /** The list has too many entries. */
  | { kind: "too_many_entries"; subject: ProblemSubject; most: number }
  /** The value does not obey the schema in another way. */
  | { kind: "against_schema"; subject: ProblemSubject; keyword: string }
  /** A text has a NUL character. */
  | { kind: "nul_character" }
  /** Two tables have the same name. */
  | { kind: "duplicate_name"; table: ProblemTable; name: string }
  /** A list names an agent twice. */
  | { kind: "agent_twice"; table: ProblemTable; name: string | null; agent: string }
  /** A list names an agent that the file does not have. */
  | { kind: "unknown_agent"; table: ProblemTable; name: string | null; agent: string; suggestion: string | null }
  /** An agent has neither a command nor a preset. */
  | { kind: "nothing_to_run"; name: string | null }
  /** The command is not found on `PATH`. */
  | { kind: "command_not_found"; command: string }
  /** The path leads to no program that can be run. */
  | { kind: "not_executable"; command: string }
  /** The working directory does not exist. */
  | { kind: "folder_missing"; folder: string }
  /** The image does not exist. */
  | { kind: "image_missing"; image: string }
  /** There is no such icon. */
  | { kind: "unknown_icon"; icon: string; suggestion: string | null; known: Array<string> }
  /** The variable is not set for the daemon. */
  | { kind: "variable_not_set"; variable: string }
  /** The variable is set for the daemon, and not handed on. */
  | { kind: "variable_not_handed_on"; variable: string }
  /** Agents may type into every terminal. */
  | { kind: "free_access" }
  /** Other users may write the file. */
  | { kind: "others_may_write"; command: string }
  /** The key counts from the next start of the daemon. */
  | { kind: "counts_later"; key: string };

/** What of a configuration file has a wrong value. */
export type ProblemSubject =
  /** The whole file. */
  | { kind: "file" }
  /** The value of a key. */
  | { kind: "key"; key: string }
  /** An element of the array of a key. */
  | { kind: "element"; key: string }
  /** A value of `env` whose name is not shown. */
  | { kind: "env_value" };

/** A table of the configuration file. */
export type ProblemTable =
  /** The whole file, above the first header. */
  | "file"
  /** `[limits]`. */
  | "limits"
  /** One of `[[agents]]`. */
  | "agent"
  /** One of `[[channels]]`. */
  | "channel"
  /** One of `[[mcp_servers]]`. */
  | "mcp_server";

/** Which of several targets have to match. */
export type Quorum =
  /** One of them. */
  | "any"
  /** Each of them; what has matched once stays matched. */
  | "all";

/** A file that was opened in the program. */
export type RecentFile = {
  path: string;
  exists: boolean;
};

/** A file or document that a message carries or points at. */
export type Resource = {
  uri: string;
  name: string | null;
  mime_type: string | null;
  /** Its text, when it was embedded. */
  text: string | null;
  /** The text was cut here; `chat.part` gives the whole. */
  truncated?: boolean;
};

/** Payload of `resync`. */
export type Resync = {
  reason: ResyncReason;
};

/** Why a cursor cannot be resumed. */
export type ResyncReason =
  /** The daemon was restarted. */
  | "epoch_changed"
  /** The life-cycle events after the cursor are no longer all kept. */
  | "cursor_too_old"
  /** The cursor is ahead of the stream. */
  | "cursor_unknown";

/** Who a message is from. */
export type Role =
  | "user"
  | "agent"
  /** Pupitre itself: what happened to the conversation. */
  | "system";

/** The `error` member of a JSON-RPC reply. */
export type RpcError = {
  code: number;
  /** A sentence for a person. */
  message: string;
  data?: ErrorData;
};

/** One message that has what was searched for. */
export type SearchMatch = {
  conversation: ConversationId;
  agent: AgentName;
  /** The conversation's title, else the beginning of its first message. */
  title: string | null;
  /** The configuration file under which the conversation was begun; only there it goes on. */
  config: string;
  /** The conversation is the agent's current one. */
  current: boolean;
  message_id: MessageId;
  role: Role;
  /** In epoch milliseconds. */
  created_at: number;
  /** The text around the first words that were found, in pieces. */
  excerpt: Array<ExcerptPiece>;
};

/** Parameters of `chat.search`. */
export type SearchParams = {
  /** Words that must all be in a message, whatever their case and accents. A word of three letters or more also finds what begins with it; words in double quotes must follow one another. At most 1 KiB. */
  query: string;
  /** Only this agent's conversations. */
  agent?: AgentName | null;
  /** 1 to 200; 50 when absent. */
  limit?: number | null;
};

/** Messages that have what was searched for, the newest first. */
export type SearchReply = {
  matches: Array<SearchMatch>;
  /** There are more. */
  truncated: boolean;
};

/** Parameters of `chat.send`. */
export type SendParams = {
  agent: AgentName;
  text: string;
  /** Absolute paths of files to send along. */
  attachments?: Array<string>;
  /** Files to send along that the daemon was given before, with `POST /api/upload`. */
  uploads?: Array<UploadId>;
};

/** What became of a message that was sent. */
export type SendReply = {
  messageId: MessageId;
  conversation: ConversationId;
  /** It waits for the current answer. */
  queued: boolean;
};

/** Payload of `session:changed`: what is there changed. */
export type SessionChanged = {
  agent: AgentName;
  conversation: ConversationId;
  rev: number;
  modes?: Modes;
  config_options?: Array<ConfigOption>;
  title?: string;
};

/** Parameters of `chat.set_mode`. */
export type SetModeParams = {
  agent: AgentName;
  mode: string;
};

/** Parameters of `chat.set_option`. */
export type SetOptionParams = {
  agent: AgentName;
  id: string;
  /** A choice's value, or a boolean. */
  value: string | boolean;
};

/** Something else that a program told its terminal. */
export type SignalView = {
  /** When it was read, in epoch milliseconds. */
  at: number;
  /** `title`, `notification`, `bell`, `progress`, `prompt`, `directory`. */
  signal: string;
  text: string;
};

/** The state of a surface with what belongs to it. */
export type Standing = {
  state: SurfaceState;
  /** Grows with every change of the state. */
  state_seq: number;
  /** Since when the state is what it is, in epoch milliseconds. */
  since: number;
  evidence: Evidence;
  /** The agent tells what it does by hooks. */
  hooked: boolean;
  /** Why the state is no more than it is: `no_hook`, `starting`, `stopped`; or why it failed, in plain words. */
  reason: string | null;
  /** The agent's program: `claude`, `codex`, …; for an agent of the configuration its name; null without one. */
  tool: string | null;
  /** The agent's process id. */
  pid: number | null;
  /** The tool call that runs. */
  active_tool_name: string | null;
  /** The question or permission it waits on. */
  message: string | null;
  /** What the last turn ended with, cut when it is long. */
  last_result: string | null;
  /** The texts come from an agent or a terminal: nobody vouches for what they say. */
  untrusted: boolean;
};

/** Payload of `state_changed`. */
export type StateChanged = {
  surface_id: SurfaceId;
  surface_name: string;
  kind: SurfaceKind;
  workspace: WorkspaceId | null;
  state: SurfaceState;
  /** Grows with every change of the state. */
  state_seq: number;
  /** Since when the state is what it is, in epoch milliseconds. */
  since: number;
  evidence: Evidence;
  /** The agent tells what it does by hooks. */
  hooked: boolean;
  /** Why the state is no more than it is: `no_hook`, `starting`, `stopped`; or why it failed, in plain words. */
  reason: string | null;
  /** The agent's program: `claude`, `codex`, …; for an agent of the configuration its name; null without one. */
  tool: string | null;
  /** The agent's process id. */
  pid: number | null;
  /** The tool call that runs. */
  active_tool_name: string | null;
  /** The question or permission it waits on. */
  message: string | null;
  /** What the last turn ended with, cut when it is long. */
  last_result: string | null;
  /** The texts come from an agent or a terminal: nobody vouches for what they say. */
  untrusted: boolean;
};

/** A record that a program wrote to its terminal (OSC 7501, Program Status Protocol). */
export type StatusRecordView = {
  /** When it was read, in epoch milliseconds. */
  at: number;
  /** The record's id; empty for the program itself, `a/b` for a child. */
  id: string;
  /** `idle`, `working`, `blocked`, `done`, `error`; `clear` when the record was taken away. */
  state: string;
  /** Why it is blocked: `permission`, `question`, `auth`. */
  kind: string | null;
  app: string | null;
  title: string | null;
  message: string | null;
  /** In percent. */
  progress: number | null;
};

/** How an agent's message ended, in the words of ACP. */
export type StopReason =
  | "end_turn"
  | "cancelled"
  | "max_tokens"
  | "max_turn_requests"
  | "refusal";

/** Parameters of `events.subscribe`. Filters narrow; control frames always come. */
export type SubscribeParams = {
  /** Only these types; every type when absent. */
  types?: Array<EventKind> | null;
  /** Only events of these agents; every agent when absent. */
  agents?: Array<AgentName> | null;
  /** Only events of these surfaces, those of a conversation's agent among them; every surface when absent. */
  surfaces?: Array<SurfaceId> | null;
  /** Replays what came after this cursor. */
  since?: Cursor | null;
};

/** Payload of `subscribed`, and the reply of `events.subscribe` on a WebSocket. */
export type Subscribed = {
  cursor: Cursor;
};

/** Payload of `surface:closed`. */
export type SurfaceClosed = {
  surface_id: SurfaceId;
  surface_name: string;
  workspace: WorkspaceId | null;
};

/** Parameters of `surface.create`. Without a command or an agent the pane gets the person's shell. */
export type SurfaceCreateParams = {
  /** A program and its arguments; the program is looked for on `PATH`. */
  command?: Array<string>;
  /** The name of a terminal agent, `claude` for example, whose program is started. */
  agent?: string | null;
  name?: string | null;
  /** An absolute path, or one that begins with `~`; the home folder when absent. */
  cwd?: string | null;
  /** Variables that are added to the daemon's own. */
  env?: Array<EnvironmentVariable>;
  /** The current workspace when absent. */
  workspace?: WorkspaceId | null;
  /** The first size in character cells; 80 by 24 when absent. */
  size?: PaneSize | null;
};

/** Reply of `surface.explain`: what the state of a surface comes from. */
export type SurfaceExplainReply = {
  surface_id: SurfaceId;
  surface_name: string;
  standing: Standing;
  /** How the agent's process was recognised, in plain words; null without one. */
  recognised_by: string | null;
  /** The processes in the foreground of a pane. */
  foreground: Array<ForegroundProcess>;
  /** What programs in the pane told of their state (OSC 7501), the newest last. */
  status_records: Array<StatusRecordView>;
  /** Titles and notifications, the newest last. */
  signals: Array<SignalView>;
  /** This moment, for `after`. */
  mark: string;
  /** The texts come from an agent or a terminal: nobody vouches for what they say. */
  untrusted: boolean;
};

/** Identifies a surface, a pane or a conversation's: never given twice on a machine, nor after a restart of the daemon. */
export type SurfaceId = number;

/** Parameters of `surface.input`. */
export type SurfaceInputParams = {
  surface: string;
  /** The bytes of a person's keys as the terminal in front of the person encodes them, in base64. */
  data: string;
  /** The size of that terminal: the pane takes the size of the one that typed last. */
  size?: PaneSize | null;
};

/** What a surface is. */
export type SurfaceKind =
  /** A terminal with a program in it. */
  | "pane"
  /** The conversation of an agent of the configuration, which speaks the Agent Client Protocol. */
  | "acp";

/** Parameters of `surface.list`. */
export type SurfaceListParams = {
  /** Only the surfaces of this workspace. */
  workspace?: WorkspaceId | null;
};

/** Reply of `surface.list`. */
export type SurfaceListReply = {
  /** Panes by workspace and place, then conversations in the order of the configuration. */
  surfaces: Array<SurfaceView>;
};

/** A line that matches. */
export type SurfaceMatch = {
  surface_id: SurfaceId;
  surface_name: string;
  /** What `surface.read` takes as `offset` to give this line last. */
  offset: number;
  text: string;
};

/** Parameters of methods about one surface. */
export type SurfaceParams = {
  /** A selector: an id, a name or the beginning of one, `cmdline:` or `cwd:`. */
  surface: string;
};

/** Parameters of `surface.read`. */
export type SurfaceReadParams = {
  surface: string;
  /** How many lines, 1 to 4,000; 200 when absent. */
  lines?: number | null;
  /** How many of the newest lines are left out. */
  offset?: number | null;
  /** Only what came after this mark; not together with `offset`. */
  after?: string | null;
  /** Puts the text into a fence, or does not; as the configuration says (`ai_injection_fence`) when absent. */
  fence?: boolean | null;
};

/** Reply of `surface.read`. */
export type SurfaceReadReply = {
  surface_id: SurfaceId;
  /** Lines with line feeds between them, without control characters; in a fence when one was asked for. */
  text: string;
  /** How many lines of the surface are in it. */
  lines: number;
  /** How many lines the surface has. */
  total_lines: number;
  /** The text reaches the oldest line that is kept. */
  eof: boolean;
  output_generation: number;
  /** Older lines were left out: the answer would be over its limit, or with `after`, more came than `lines`. */
  truncated: boolean;
  /** With `after`: some of what came after the mark is gone already. */
  missing: boolean;
  /** The id of the fence around the text; null without one. */
  fence: string | null;
  /** This moment, for `after`. */
  mark: string;
  /** The text comes from an agent or a terminal: nobody vouches for what it says. */
  untrusted: boolean;
};

/** Parameters of `surface.rename`. */
export type SurfaceRenameParams = {
  surface: string;
  name: string;
};

/** Parameters of `surface.resize`. */
export type SurfaceResizeParams = {
  surface: string;
  size: PaneSize;
};

/** Parameters of `surface.search`. */
export type SurfaceSearchParams = {
  /** Where; every surface when absent. */
  surface?: string | null;
  pattern: string;
  /** The pattern is a regular expression, tested line by line; otherwise a substring, whatever its case. */
  regex?: boolean;
  /** The most matches, 1 to 10,000; 100 when absent. The newest ones are given. */
  max?: number | null;
};

/** Reply of `surface.search`. */
export type SurfaceSearchReply = {
  /** Surface by surface, oldest line first. */
  matches: Array<SurfaceMatch>;
  /** How many lines match in all. */
  total: number;
  /** Some of them are not in `matches`. */
  truncated: boolean;
  /** The configuration wants such texts in a fence where they are printed (`ai_injection_fence`). */
  fence: boolean;
  /** The texts come from an agent or a terminal: nobody vouches for what they say. */
  untrusted: boolean;
};

/** Reply of `surface.snapshot`; what follows on the connection are viewer frames. On the socket each is a byte for its kind, four for the length (little endian) and that many bytes; on a WebSocket each is one binary message, the byte for its kind first. See [`ViewerFrame`]. */
export type SurfaceSnapshotReply = {
  surface_id: SurfaceId;
  size: PaneSize;
};

/** What a surface does, in one word. */
export type SurfaceState =
  /** A turn runs. */
  | "thinking"
  /** It asks a question or a permission. */
  | "waiting_for_input"
  /** Its last turn ended, and no person has seen that yet. */
  | "finished"
  /** Its turn or its process failed. */
  | "errored"
  /** A turn runs, but nothing was heard for a while. */
  | "stalled"
  /** It is at rest, or there is no agent in it. */
  | "idle"
  /** An agent's process is there, but nothing says what it does. */
  | "unknown_running";

/** Reply of `surface.status`. */
export type SurfaceStatus = {
  surface_id: SurfaceId;
  surface_name: string;
  kind: SurfaceKind;
  /** How long it has been waiting for its person, in milliseconds; null when it does not. */
  waiting_ms: number | null;
  /** How long it has been at rest, in milliseconds; null when it is not. */
  idle_ms: number | null;
  output_generation: number;
  /** The turn that runs, or the last one, where turns are known. */
  turn: string | null;
  /** This moment, for `after`. */
  mark: string;
  /** How the program of a pane ended; null while it runs. */
  exit_status: ExitStatus | null;
  state: SurfaceState;
  /** Grows with every change of the state. */
  state_seq: number;
  /** Since when the state is what it is, in epoch milliseconds. */
  since: number;
  evidence: Evidence;
  /** The agent tells what it does by hooks. */
  hooked: boolean;
  /** Why the state is no more than it is: `no_hook`, `starting`, `stopped`; or why it failed, in plain words. */
  reason: string | null;
  /** The agent's program: `claude`, `codex`, …; for an agent of the configuration its name; null without one. */
  tool: string | null;
  /** The agent's process id. */
  pid: number | null;
  /** The tool call that runs. */
  active_tool_name: string | null;
  /** The question or permission it waits on. */
  message: string | null;
  /** What the last turn ended with, cut when it is long. */
  last_result: string | null;
  /** The texts come from an agent or a terminal: nobody vouches for what they say. */
  untrusted: boolean;
};

/** A surface, as lists show it. */
export type SurfaceView = {
  /** Never given to another surface of this machine. */
  surface_id: SurfaceId;
  surface_name: string;
  kind: SurfaceKind;
  /** Null for a conversation that is in none. */
  workspace: WorkspaceId | null;
  /** The title that the program set; for a conversation that of its agent. Untrusted. */
  title: string | null;
  /** The command line in the foreground of a pane. Untrusted. */
  command: string | null;
  /** The working directory of what is in the foreground. */
  cwd: string | null;
  /** The size of a pane in character cells; 0 for a conversation. */
  columns: number;
  rows: number;
  /** Grows whenever output arrives. */
  output_generation: number;
  /** When it was made, in epoch milliseconds. */
  created_at: number;
  /** How the program of a pane ended; null while it runs. */
  exit_status: ExitStatus | null;
  standing: Standing;
};

/** Parameters of `surface.wait`: at least one of `idle` and `pattern`. */
export type SurfaceWaitParams = {
  /** Selectors. Each means one surface, unless `quorum` is given. */
  surfaces: Array<string>;
  /** Until the turn has ended; where turns are not known, until no output came for `for_ms`. */
  idle?: boolean;
  /** A regular expression for one line. */
  pattern?: string | null;
  /** What is there already does not count. */
  new?: boolean;
  /** What was there at this mark does not count. For one target. */
  after?: string | null;
  /** Which of the targets have to match; needed when there are several. */
  quorum?: Quorum | null;
  /** How long is quiet, in milliseconds; 1,000 when absent. */
  for_ms?: number | null;
  /** How long to wait, in milliseconds; 300,000 when absent. */
  timeout_ms?: number | null;
};

/** Reply of `surface.wait`. */
export type SurfaceWaitReply = {
  /** The pattern was found, where one was given. */
  matched: boolean;
  /** It is at rest, where that was asked. */
  idle: boolean;
  /** The targets whose condition holds. */
  surfaces: Array<SurfaceId>;
  matches: Array<WaitMatch>;
  /** The state of the target; null when there are several. */
  state: SurfaceState | null;
  evidence: Evidence;
  /** The moment of the target; null when there are several. */
  mark: string | null;
  /** The configuration wants such texts in a fence where they are printed (`ai_injection_fence`). */
  fence: boolean;
  /** The lines come from an agent or a terminal: nobody vouches for what they say. */
  untrusted: boolean;
};

/** What a system message says. */
export type SystemCode =
  /** A new session: the agent forgot the beginning. */
  | "agent-restarted"
  /** The agent could not be started or reached; `error` says why. */
  | "agent-unavailable"
  /** The agent asked for more at once than may be open: what came beyond was answered as cancelled. Once a turn. */
  | "too-many-requests";

/** The colours of the interface. */
export type Theme =
  | "light"
  | "dark"
  /** As the system has it. */
  | "system";

/** What an agent does with a tool. */
export type ToolCall = {
  /** The agent's own id. */
  id: string;
  title: string;
  kind: ToolKind;
  status: ToolStatus;
  /** Compact JSON. */
  input: string | null;
  output: string | null;
  locations: Array<Location>;
  diffs: Array<Diff>;
  /** The panes in which its commands run or ran (ACP: terminals of its content). One that is closed is not found. */
  panes?: Array<SurfaceId>;
  /** Stop ended it. */
  cancelled?: boolean;
  /** Something of it was cut; `chat.part` gives the whole. */
  truncated?: boolean;
  /** How its last permission request ended. */
  permission?: PermissionOutcome;
};

/** The kind of a tool call. One that is not known here reads as `other`. */
export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "other";

/** How far a tool call is. */
export type ToolStatus =
  | "pending"
  | "in_progress"
  | "completed"
  | "failed";

/** Which way a protocol message went. */
export type TraceDirection =
  | "to_agent"
  | "from_agent";

/** One protocol message between the daemon and an agent. */
export type TraceEntry = {
  /** Counts the messages of this agent since the daemon was started, from 1. */
  number: number;
  /** When it was sent or read, in epoch milliseconds. */
  ts: number;
  direction: TraceDirection;
  /** The line, with the values of the agent's `env` blotted out. */
  text: string;
  /** How long the whole line was, in bytes; more than `text` has when it was cut. */
  bytes: number;
};

/** Payload of `turn:changed`. */
export type TurnChanged = {
  agent: AgentName;
  conversation: ConversationId;
  rev: number;
  /** The agent is answering. */
  busy: boolean;
  /** How many messages wait. */
  queued: number;
  /** The agent has said nothing for so long (`agent_stall_threshold_secs`) that it may be stuck. */
  stalled: boolean;
  /** The running turn waits until its user has logged in. */
  login: Login | null;
};

/** Identifies a file that a page gave the daemon, to send along with a message: a UUIDv7. */
export type UploadId = string;

/** The context window's use. */
export type Usage = {
  /** In tokens. */
  used: number;
  /** In tokens; 0 when unknown. */
  size: number;
  cost?: Cost;
};

/** Payload of `usage:changed`. */
export type UsageChanged = {
  agent: AgentName;
  conversation: ConversationId;
  rev: number;
  usage: Usage;
};

/** What a value of a configuration file is. */
export type ValueType =
  | "string"
  | "integer"
  | "float"
  | "boolean"
  | "date_time"
  | "array"
  | "table";

/** The lines of one target that match, at most 20 of them. */
export type WaitMatch = {
  surface_id: SurfaceId;
  lines: Array<string>;
};

/** What an agent wants of its user. */
export type Wanted =
  /** Values, in the order in which they are asked. */
  | { mode: "form"; fields: Array<Field> }
  /** A visit to this address, where the user goes on with somebody else. */
  | { mode: "url"; url: string };

/** Parameters of `workspace.create`. */
export type WorkspaceCreateParams = {
  /** Made up when absent. */
  name?: string | null;
};

/** Identifies a workspace: never given twice on a machine, nor after a restart of the daemon. */
export type WorkspaceId = number;

/** Reply of `workspace.list`. */
export type WorkspaceListReply = {
  workspaces: Array<WorkspaceView>;
};

/** Parameters of methods about one workspace. */
export type WorkspaceParams = {
  /** An id, a name, or the beginning of one. */
  workspace: string;
};

/** Parameters of `workspace.rename`. */
export type WorkspaceRenameParams = {
  /** An id, a name, or the beginning of one. */
  workspace: string;
  name: string;
};

/** Parameters of `workspace.set_layout`. */
export type WorkspaceSetLayoutParams = {
  /** An id, a name, or the beginning of one. */
  workspace: string;
  /** Every pane of the workspace, once. */
  layout: Layout;
};

/** Parameters of `workspace.split`: a new pane takes half of the place of another. */
export type WorkspaceSplitParams = {
  /** The selector of the pane whose place is split. */
  surface: string;
  direction: Direction;
  /** The new pane; its `workspace` is that of the other one. */
  pane?: SurfaceCreateParams;
};

/** A workspace. */
export type WorkspaceView = {
  workspace: WorkspaceId;
  name: string;
  /** It is the one where new panes go. */
  current: boolean;
  /** The pane that was focused last; null while there is none. */
  focused: SurfaceId | null;
  /** Null while there is no pane. */
  layout: Layout | null;
};

/** Payload of `workspace:changed`: all of them, in their order. */
export type WorkspacesChanged = {
  workspaces: Array<WorkspaceView>;
};
