// The page's words in English; they are the shape that every other language must have.
import type { About } from "../stores/asking.svelte";
import type { Cause, Evidence, ExitStatus, ExportFormat, Problem, StopReason, SystemCode, ToolKind, ToolStatus } from "../protocol";
import type { Arrangement } from "../panes/layout";
import type { Place } from "../stores/route.svelte";
import type { ConnectionState } from "../transport/connection";
import type { CallFailure } from "../transport/failure";

const rules = new Intl.PluralRules("en");
const numbers = new Intl.NumberFormat("en");

/** Returns the count with its noun. */
function count(value: number, one: string, other: string): string {
  return `${numbers.format(value)} ${rules.select(value) === "one" ? one : other}`;
}

const STATES: Record<string, string> = {
  stopped: "stopped", starting: "starting…", ready: "ready", busy: "busy", error: "error", asks: "asks", stalled: "stalled", finished: "finished",
  thinking: "thinking", idle: "idle", unknown: "unknown", ended: "ended",
};

const VERBS_NOW: Record<ToolKind, string> = {
  read: "Reads", edit: "Edits", delete: "Deletes", move: "Moves", search: "Searches", execute: "Runs", think: "Thinks about", fetch: "Fetches", other: "Uses",
};

const VERBS_DONE: Record<ToolKind, string> = {
  read: "Read", edit: "Edited", delete: "Deleted", move: "Moved", search: "Searched", execute: "Ran", think: "Thought about", fetch: "Fetched", other: "Used",
};

const ASKS: Record<ToolKind, string> = {
  read: "to read a file", edit: "to change a file", delete: "to delete a file", move: "to move a file", search: "to search", execute: "to run a command",
  think: "to go on", fetch: "to fetch something", other: "to use a tool",
};

export type KeyRow = { keys: string[]; does: string };

export const en = {
  // frame
  skipToPage: "Skip to the page",
  places: "Places",
  place: (place: Place) => ({ agents: "Agents", channels: "Channels", panes: "Panes", fleet: "Fleet", settings: "Settings" })[place],
  connection: (state: ConnectionState) => ({ connecting: "Connecting…", connected: "Connected", lost: "Connection lost", refused: "Not let in" })[state],
  running: (value: number, limit: number | null) => (value === 0 ? "nothing runs" : limit === null ? `${value} running` : `${value} running, limit ${limit}`),
  asking: (value: number) => `${value} ${rules.select(value) === "one" ? "asks" : "ask"}`,
  errors: (value: number) => count(value, "error", "errors"),
  problems: "Problems",
  problemsInConfiguration: (value: number) => count(value, "problem in the configuration", "problems in the configuration"),
  problemCount: (value: number) => count(value, "problem", "problems"),
  warningCount: (value: number) => count(value, "warning", "warnings"),
  warningsInConfiguration: (value: number) => count(value, "warning in the configuration", "warnings in the configuration"),
  wasCreated: "was created",
  theme: "Theme",
  themeName: (theme: "system" | "light" | "dark") => ({ system: "System", light: "Light", dark: "Dark" })[theme],
  language: "Language",
  languageName: (choice: "system" | "en" | "fr") => ({ system: "System", en: "English", fr: "Français" })[choice],
  actions: "Actions",
  keys: "Keys",
  close: "Close",
  back: "Back",
  open: "Open",
  show: "Show",
  or: "or",
  copy: "Copy",
  copied: "Copied",
  details: "Details",
  loading: "Loading…",
  tryNow: "Try now",
  notNow: "Not now",
  noMatch: (text: string) => `Nothing matches “${text}”.`,
  daemonGone: "The connection to Pupitre is lost.",
  daemonGoneWhat: "This page comes back by itself as soon as the daemon answers. What agents do meanwhile is not lost.",
  refused: "Pupitre does not let this page in.",
  refusedWhat: "Its link was used up or is too old, or this browser was logged out. A terminal opens the page anew:",
  configurationBroken: "The configuration file has problems.",
  configurationBrokenWhat: "The last valid version stays in force.",
  openSettings: "Open settings",
  notifyOffer: "Shall the desktop tell you when an agent asks, finishes or fails while you are elsewhere?",
  notifyYes: "Yes, tell me",
  notifyAsks: (agent: string) => `${agent} asks`,
  notifyAnswered: (agent: string) => `${agent} has answered`,
  notifyError: (agent: string) => `${agent} ended with an error`,
  isAnswering: (agent: string) => `${agent} is answering`,
  hasAnswered: (agent: string) => `${agent} has answered`,
  keyTable: (): KeyRow[] => [
    { keys: ["Ctrl", "K"], does: "Find any action, agent or conversation" },
    { keys: ["Alt", "↑", "↓"], does: "Go to the agent before or after" },
    { keys: ["g", "a"], does: "Go to Agents" },
    { keys: ["g", "c"], does: "Go to Channels" },
    { keys: ["g", "p"], does: "Go to Panes" },
    { keys: ["g", "f"], does: "Go to Fleet" },
    { keys: ["g", "s"], does: "Go to Settings" },
    { keys: ["g", "h"], does: "Find in all conversations" },
    { keys: ["g", "q"], does: "Go to what asks" },
    { keys: ["/"], does: "Filter the agents; in a message, its commands" },
    { keys: ["Ctrl", "↵"], does: "Send the message" },
    { keys: ["Shift", "↵"], does: "Begin a new line" },
    { keys: ["Esc"], does: "Stop the answer" },
    { keys: ["a"], does: "Allow, in a question that has the focus" },
    { keys: ["d"], does: "Refuse, in a question that has the focus" },
    { keys: ["Ctrl", "Shift", "F"], does: "Find in the conversation, or in the terminal" },
    { keys: ["Ctrl", "Shift", "M"], does: "Leave the terminal" },
    { keys: ["Ctrl", "Shift", "←↑↓→"], does: "Go to the pane beside" },
    { keys: ["Ctrl", "Shift", "D"], does: "Split the pane beside" },
    { keys: ["Ctrl", "Shift", "E"], does: "Split the pane below" },
    { keys: ["Ctrl", "Shift", "Z"], does: "Enlarge the pane, and back" },
    { keys: ["Ctrl", "Shift", "X"], does: "Close the pane" },
    { keys: ["Ctrl", "Shift", "C"], does: "Copy what is chosen in the terminal" },
    { keys: ["Ctrl", "Shift", "K"], does: "Find anything, from inside a terminal" },
    { keys: ["Ctrl", "S"], does: "Save the settings" },
    { keys: ["F8"], does: "Go to the next problem in the settings" },
    { keys: ["?"], does: "Show these keys" },
  ],

  // palette
  paletteWhat: "Action, agent, channel, pane or conversation",
  paletteGroup: (group: "actions" | "agents" | "channels" | "panes" | "conversations") =>
    ({ actions: "Actions", agents: "Agents", channels: "Channels", panes: "Panes", conversations: "Conversations" })[group],
  choose: "choose",
  doIt: "do it",
  actionsOnly: "actions only",
  showKeys: "Show every key",
  logOut: "Log this browser out",
  newConversationWith: (agent: string) => `New conversation with ${agent}`,
  stopAnswer: (agent: string) => `Stop the answer of ${agent}`,
  toApplyChanges: "to apply changes",
  restartOutdated: "Restart every agent that waits for a restart",

  // agents
  addAgent: "Add an agent",
  filterAgents: "Filter agents",
  state: (state: string) => STATES[state] ?? state,
  stopping: "Stopping…",
  waitsForGreeting: "Waits for its greeting",
  thinks: "Thinking",
  writes: "Writing",
  answered: "Answered",
  restartToApply: "Restart to apply changes",
  startAgain: "Start again",
  log: "Log",
  startAgent: (agent: string) => `Start ${agent}`,
  stopAgent: (agent: string) => `Stop ${agent}`,
  restartAgent: (agent: string) => `Restart ${agent}`,
  logOf: (agent: string) => `Log of ${agent}`,
  logEmpty: "It has written nothing to its error output.",
  stray: "stray",
  noAgents: "No agents yet",
  noAgentsWhat: "Agents are entries of the configuration file. Add one there, and it appears here at once.",
  noSuchAgent: (name: string) => `There is no agent “${name}”`,
  noSuchAgentWhat: "It may have left the configuration. Its conversations are kept.",

  // conversation
  conversationWith: (agent: string) => `Conversation with ${agent}`,
  conversationFailed: "The conversation could not be read:",
  stop: "Stop",
  stopped: "stopped",
  silentFor: (time: string) => `No word for ${time}. Wait, stop the answer, or restart the agent.`,
  ignoresStop: "It was asked to stop and still works. New messages wait until it ends, or until it is restarted.",
  restart: "Restart",
  find: "Find in conversation",
  findBefore: "Found before",
  findAfter: "Found after",
  found: (at: number, of: number) => (of === 0 ? "nothing found" : `${at} of ${of}`),
  loadOlder: "Load older messages",
  earlier: "Earlier conversations",
  earlierOf: (agent: string) => `Conversations with ${agent}`,
  noEarlier: "No conversation yet.",
  untitled: "Without a title",
  currentShort: "current",
  messageCount: (value: number) => count(value, "message", "messages"),
  newConversation: "New conversation",
  readOnly: "An earlier conversation: it can be read.",
  goOnHere: "Go on with this one",
  toCurrent: "To the current one",
  newBelow: (value: number) => `${numbers.format(value)} new below`,
  toEnd: "To the end",
  role: (role: "user" | "agent" | "system") => ({ user: "You", agent: "Agent", system: "Pupitre" })[role],
  droppedByStop: "Not sent: Stop dropped it.",
  systemLine: (code: SystemCode) =>
    ({ "agent-restarted": "A new session: the agent has forgotten what stands above", "agent-unavailable": "The agent could not be reached", "too-many-requests": "The agent asked for too much at once: what came beyond was answered as cancelled" })[code],
  waitsFor: (agent: string) => `Waiting for ${agent}…`,
  causeLine: (cause: Cause): string => {
    switch (cause.kind) {
      case "dropped": return "Not sent: Stop dropped it.";
      case "withdrawn": return "Not sent: it was taken back.";
      case "daemon_ended": return "Pupitre ended meanwhile.";
      case "stopped": return "It was stopped while it started.";
      case "exited": return `The agent ended by itself, with exit code ${cause.code}.`;
      case "killed": return `A signal ended the agent: ${cause.name ?? cause.signal}.`;
      case "no_command": return `Its command cannot be run: ${cause.command}`;
      case "no_folder": return `Its folder does not exist: ${cause.folder}`;
      case "no_handshake": return `It gave no answer within ${cause.seconds} s.`;
      case "too_many_agents": return `Too many agents run (${cause.busy.join(", ")}); the limit is ${cause.limit}.`;
      case "no_variable": return `The environment variable ${cause.variable}, which the configuration names, is not set for the daemon.`;
      case "variable_not_handed_on":
        return `The environment variable ${cause.variable}, which the configuration names, is not handed on: its value is no UTF-8, or it is one of Pupitre’s own.`;
      case "not_started": return `The system did not start it: ${cause.error}`;
      case "ended": return "The agent ended, nobody knows how.";
      case "guard_ended": return "Its guard was ended from outside, and the agent with it.";
      case "output_closed": return "It closed its output and said nothing more.";
      case "connection_ended": return `The connection to the agent was ended: ${cause.said}`;
      case "handshake_failed": return `The agent and Pupitre did not come to terms: ${cause.said}`;
      case "no_session": return `The agent opened no session: ${cause.said}`;
      case "unclear_end": return "The agent ended its answer without saying why.";
      case "task_failed": return "Its task in the daemon failed; restart the daemon, and see its log.";
      case "login_ended":
        return cause.code === null ? `The login on the terminal was ended${cause.signal === null ? "" : `: ${cause.signal}`}.` : `The login on the terminal ended with code ${cause.code}.`;
      case "not_readable": return `${cause.path} cannot be read: ${cause.error}`;
      case "not_writable": return `${cause.path} cannot be written: ${cause.error}`;
      case "no_file": return `${cause.path} does not exist.`;
      case "bad_name":
        return `That cannot be a name: it has ${cause.most} characters at most, all of them visible, is not only digits, has no blank at its ends, and no “cmdline:” or “cwd:” in front.`;
      case "name_taken": return `The name “${cause.name}” is taken: choose another.`;
      case "too_many_workspaces": return `There are ${cause.most} workspaces already: close one first.`;
    }
  },
  // The daemon speaks English: its sentences are this catalogue's own.
  failureLine: (failure: CallFailure): string => failure.message,
  browserSays: (message: string) => message,
  notSentSince: (reason: string) => `Not sent. ${reason}`,
  answerBroke: "The answer broke off:",
  stopReason: (reason: StopReason) =>
    ({
      end_turn: "Done.", cancelled: "Stopped.", max_tokens: "It ran out of tokens; ask it to go on.",
      max_turn_requests: "It reached its limit of steps; ask it to go on.", refusal: "The model refused to answer.",
    })[reason],
  thought: "Thought",
  thoughtFor: (time: string) => `Thought for ${time}`,
  words: (value: number) => count(value, "word", "words"),
  plan: "Plan",
  planStatus: (status: string) => ({ completed: "done:", in_progress: "now:", pending: "to do:" })[status] ?? `${status}:`,
  share: (done: number, of: number) => `${done} of ${of}`,
  verbNow: (kind: ToolKind) => VERBS_NOW[kind],
  verbDone: (kind: ToolKind) => VERBS_DONE[kind],
  toolStatus: (status: ToolStatus) => ({ pending: "waits", in_progress: "runs", completed: "done", failed: "failed" })[status],
  failed: "failed",
  lines: (value: number) => count(value, "line", "lines"),
  input: "Input",
  lastLines: (shown: string, all: string) => `last ${shown} of ${all} lines`,
  showAll: "Show all",
  showLess: "Show less",
  wasCut: "Something of this was cut.",
  showImage: "Show the image",
  cannotShow: "cannot be shown here",
  imageOf: (type: string) => `Image (${type})`,
  newFile: "new file",
  changesOf: (path: string) => `Changes of ${path}`,
  unchangedLines: (value: number) => count(value, "unchanged line", "unchanged lines"),
  added: "added",
  removed: "removed",
  diffView: "View of the changes",
  inline: "Inline",
  sideBySide: "Side by side",
  copyNewText: "Copy the new text",
  copyPath: "Copy the path",
  copyPathOf: (path: string) => `Copy the path ${path}`,
  asksTo: (kind: ToolKind) => ASKS[kind],
  asksFor: (about: About) =>
    about.is === "permission" ? ASKS[about.kind] : { form: "you something", visit: "you to visit an address", login: "you to log in first" }[about.is],
  loginElsewhere: "It offers no way to log in here: log in with its own program, then send the message again.",
  loggingIn: "logging in…",
  openPane: (name: string) => `Open its terminal, ${name}`,
  loginOnTerminal: "Log in on its terminal",
  visited: "I am going there",
  answer: "Answer",
  decline: "No",
  required: "required",
  chooseOne: "choose…",
  refusedThisTurn: (times: number) => (times === 1 ? "refused once this turn" : `refused ${times} times this turn`),
  inFolder: "in",
  touches: "touches",

  // kept conversations
  allConversations: "All conversations",
  searchAll: "Find in all conversations",
  searchFor: (words: string) => `Find “${words}” in what was said`,
  searchWhat: "Title, or words that were said",
  searchScope: "Where to look",
  everyAgent: "Every agent",
  inTitles: "Conversations",
  inMessages: "Messages",
  olderByWords: "Older ones are found by their words.",
  moreMatches: "There are more: another word finds fewer.",
  matchCount: (value: number) => count(value, "message found", "messages found"),
  messageGone: "The message is not in this conversation any more.",
  exportIt: "Export",
  deleteIt: "Delete",
  exportThis: "Export this conversation",
  deleteThis: "Delete this conversation",
  exportOf: (title: string) => `Export “${title}”`,
  deleteOf: (title: string) => `Delete “${title}”`,
  exportConversation: "Export a conversation",
  exportFormat: (format: ExportFormat) => ({ markdown: "Markdown", json: "JSON" })[format],
  exportFormatWhat: (format: ExportFormat) =>
    ({ markdown: "To read: what was said and done, as text.", json: "For programs: every message and tool call, nothing cut." })[format],
  exporting: (size: string) => `Writing… ${size}`,
  deleteConversation: "Delete a conversation",
  deleteWhat: "All its messages, tool calls and images are deleted, from the disk too. That cannot be undone.",
  deleteLeaves: "Files that the agent changed stay as they are, and so does what was said in a channel. The agent may keep records of its own.",
  deleteCurrentWhat: (agent: string) => `It is the current conversation: a new one with ${agent} begins.`,
  deleteForGood: "Delete for good",
  notDeletedFor: (kind: string, agent: string) =>
    (({ turn_running: `Not deleted: ${agent} is answering in it. Stop the answer first.` }) as Record<string, string>)[kind],

  // composer
  messageTo: (agent: string) => `Message ${agent}`,
  messageToStopped: (agent: string) => `Message ${agent}. It starts by itself.`,
  send: "Send",
  queue: "Queue",
  attach: "Attach files",
  uploading: "Uploading…",
  removeFile: (name: string) => `Remove ${name}`,
  filesOnly: "Files",
  tooManyFiles: (most: number) => `A message takes ${most} files at most.`,
  fileTooLarge: (name: string, most: string) => `${name} is larger than ${most}.`,
  notSentFor: (kind: string) =>
    (({
      connection_lost: "Not sent: the connection is lost. Your message stays here.",
      too_large: "Not sent: that is too much for one message. Attach it as a file.",
    }) as Record<string, string>)[kind],
  slashForCommands: "/ for commands",
  commands: "Commands",
  mode: "Mode",
  contextOf: (used: string, size: string) => `Context: ${used} of ${size} tokens`,
  queuedMessages: "Queued messages",
  queuedNumber: (at: number) => `Queued ${at}`,
  queuedShort: "queued",
  withdraw: "Withdraw",

  // first run
  firstTitle: "Say something to the demo agent",
  firstWhat: "It runs on this machine, needs no account, and shows what an agent can do here: answer, edit a file, ask before it runs a command.",
  startDemo: "Start the demo",
  greeting: "Hello",
  greetingWord: "hello",
  emptyTitle: (agent: string) => `Ask ${agent} something`,
  emptyWhat: "Write below; it starts by itself.",
  brokenTitle: (agent: string) => `${agent} ended with an error`,
  brokenWhat: "This is what it said. A message starts it again, too.",
  commandLine: "or from a terminal:",
  otherAgents: "Also on this desk",
  openAgent: "Open",
  foundAgents: "Found on this machine",
  foundOfKnown: (found: number, known: number) => `${found} of ${known} known agents`,
  startThis: "Start",
  notFound: "Not on PATH",
  howToInstall: "How to install",
  copyInstallOf: (agent: string) => `Copy the line that installs ${agent}`,
  notFoundWhat: "Run the line of one in a terminal, then add it in the settings.",

  // beside
  context: "Context",
  used: "Used",
  usedOf: (used: string, size: string) => `${used} of ${size}`,
  messages: "Messages",
  files: "Files",
  changedFiles: (value: number) => `${value} changed`,
  cost: "Cost",
  thisTurn: "This turn",
  answeringFor: "Answering for",
  session: "Session",
  folder: "Folder",
  program: "Program",
  process: "Process",

  // channels
  addChannel: "Add a channel",
  noChannels: "No channels yet",
  noChannelsWhat: "A channel is a room with several agents: one message, their answers side by side. Add one to the configuration file.",
  noSuchChannel: (name: string) => `There is no channel “${name}”`,
  channelsMissing: "This daemon has no channels",
  olderDaemon: "The running daemon is older than this page. Restart it: pupitre stop, then pupitre.",
  channelEmpty: "Ask everybody at once",
  channelEmptyWhat: (agent: string) => `A message goes to every agent of the channel, or only to those that it mentions, such as @${agent}.`,
  messageToChannel: (channel: string) => `Message ${channel}`,
  agentsHere: "Agents of this channel",
  toAll: (value: number) => (value === 1 ? "to its agent" : `to all ${value} agents`),
  toSome: (names: string) => `to ${names}`,
  openConversation: "Open",
  waitsForTurn: "It waits for the answer before it.",
  answerElsewhere: "This answer stands in an earlier conversation.",
  agentGone: "This agent has left the configuration.",

  // fleet
  atWork: (value: number) => `${numbers.format(value)} at work`,
  atWorkIn: (value: number, workspaces: number) => `${numbers.format(value)} at work in ${count(workspaces, "workspace", "workspaces")}`,
  filterFleet: "Name, tool, folder",
  asksYou: "Asks you",
  oldest: (age: string) => `oldest ${age}`,
  workHere: "At work",
  allStates: "All",
  byState: "By state",
  fleetColumn: (column: "state" | "surface" | "tool" | "workspace" | "does" | "since" | "evidence") =>
    ({ state: "State", surface: "Surface", tool: "Tool", workspace: "Workspace", does: "Waits on, or does", since: "Since", evidence: "Evidence" })[column],
  noWorkspace: "none",
  evidence: (evidence: Evidence) =>
    ({ hook: "hook", status: "status", acp: "protocol", screen: "screen", process: "process only", quiet: "no output" })[evidence],
  silentInTurn: (time: string) => `Silent for ${time} in a turn`,
  runsTool: (tool: string) => `Runs ${tool}`,
  works: "Works on its turn",
  startsUp: "Starts",
  noHook: "No hook, nothing says what it does",
  lastAnswer: (text: string) => `Answered: ${text}`,
  atRest: "at rest",
  goToPane: "Go to pane",
  goToConversation: "Go to conversation",
  interrupt: "Interrupt",
  answerThere: "seen on its screen; answer it there",
  wantsTo: (kind: ToolKind) => `Wants ${ASKS[kind]}.`,
  asksThat: (what: About["is"], text: string) => `${{ permission: "Permission", form: "Question", visit: "Question", login: "Login" }[what]}: ${text}`,
  paneWants: (kind: string, tool: string | null) =>
    kind === "permission" ? (tool === null ? "Wants your permission." : `Wants your permission to use ${tool}.`) : (({ question: "Has a question.", auth: "Wants you to log in." }) as Record<string, string>)[kind] ?? null,
  inWorkspace: (name: string) => `in ${name}`,
  noFleet: "Nothing is at work",
  noFleetWhat: "Agents stand here while they run: those of the configuration, and terminal agents in panes.",
  toAgents: "To the agents",

  // panes
  workspaces: "Workspaces",
  newWorkspace: "New workspace",
  closeWorkspace: (name: string) => `Close the workspace ${name}`,
  closeWorkspaceWhat: (panes: number) => (panes === 0 ? "No pane is in it." : `${count(panes, "pane", "panes")} and what runs in them will be ended.`),
  panesIn: (workspace: string, panes: number) => `${workspace}, ${count(panes, "pane", "panes")}`,
  paneCount: (panes: number) => count(panes, "pane", "panes"),
  arrangement: "Layout",
  arrange: (arrangement: Arrangement) => ({ columns: "Columns", stack: "Main and stack", tiles: "Tiles" })[arrangement],
  newPane: "New pane",
  noPanes: "No panes yet",
  noPanesWhat: "A pane is a terminal that the daemon holds: it lives on when you close this window.",
  noSuchPane: "This pane is gone",
  panesMissing: "This daemon has no panes",
  panesHere: "Panes",
  paneOf: (name: string) => `Pane ${name}`,
  terminalOf: (name: string) => `Terminal of ${name}. Ctrl+Shift+M leaves it.`,
  findInTerminal: "Find in the terminal",
  findInPane: (name: string) => `Find in ${name}`,
  tooMuchToRead: "More output than can be read out; go through the lines by hand.",
  leaveTerminal: "Leave terminal",
  typingGoesTo: "Typing goes to",
  splitBeside: (name: string) => `Split ${name} beside`,
  splitBelow: (name: string) => `Split ${name} below`,
  enlarge: (name: string) => `Enlarge ${name}`,
  shrink: "Show all panes again",
  renameSurface: (name: string) => `Rename ${name}`,
  name: "Name",
  rename: "Rename",
  closePane: (name: string) => `Close ${name}`,
  closePaneWhat: (command: string) => `${command} still runs in it, and will be ended.`,
  closeIt: "End and close",
  cancel: "Cancel",
  sizeOf: (columns: number, rows: number) => `${columns} × ${rows}`,
  sizeElsewhere: "The size of the window that is typed in",
  endedWith: ({ code, signal }: ExitStatus) => (signal != null ? `ended by ${signal}` : code != null ? `ended with ${code}` : "ended"),
  divider: "Divider",
  whatRuns: "What runs in it",
  runs: (what: "shell" | "command" | "agent") => ({ shell: "Your shell", command: "A command", agent: "A terminal agent" })[what],
  command: "Command",
  agent: "Agent",
  startFolder: "Folder it starts in",
  homeFolder: "your home folder",
  madeUp: "made up when left empty",
  makePane: "Make the pane",
  linkTitle: "Open this address?",
  linkWhat: "A program in the terminal wrote it, and nobody vouches for it. It leads to:",
  viewLost: "Out of touch; what it shows may be old.",
  terminalFailed: "The terminal could not be loaded:",

  // settings
  configurationFile: "Configuration file",
  problemLine: (problem: Problem): string => problem.message,
  /** What each key of the file means; the schema says it in English. */
  keyMeanings: (): Readonly<Record<string, string>> => ({}),
  save: "Save",
  savedAt: (time: string) => `saved at ${time}`,
  keepsFromSaving: (value: number) => (value === 1 ? "1 problem keeps it from being saved" : `${value} problems keep it from being saved`),
  problem: "problem",
  warning: "warning",
  changeIt: "Change it",
  goToLine: (line: number, column: number) => `Go to line ${line}, column ${column}`,
  changedOnDisk: (time: string) => `The file changed on disk at ${time}.`,
  changedOnDiskWhat: "Saving would lose that change, so saving is off until you choose.",
  changedOnDiskShort: "The file changed on disk",
  compare: "Compare",
  compareTitle: "The disk’s version and yours",
  compareWhat: "Left and removed: what is on disk. Right and added: what you wrote.",
  takeTheirs: "Take the disk’s",
  keepMine: "Keep mine",
  linesOfFile: "Both are lines of the file; changing them here writes there.",
  notWritten: "Not written: the file has problems or has just changed.",
  sendWith: "Send messages with",
  terminalsRead: "Terminals for a screen reader",
  terminalsReadWhat: "Terminals then give their lines to a screen reader, which costs some speed.",
  readTerminals: "Give terminals to the screen reader",
  stopReadingTerminals: "Give terminals to the screen reader no longer",
  yes: "Yes",
  no: "No",
  thisBrowser: "Both are kept in this browser.",
  recentFiles: "Recent files",
  noLongerThere: "no longer there",
  openNow: "open now",
  openAnother: "Open another…",
  openingStops: (value: number) => (value === 1 ? "Opening another file stops the agent that runs." : `Opening another file stops the ${value} agents that run.`),
  discardChanges: "Your changes to this file are not saved. Open the other file all the same?",
  inForce: "In force",
  inForceNow: "This file, as it was read at the start.",
  inForceSince: (time: string) => `This file, as of ${time}.`,
  lastValid: "The last valid version. Nothing that runs is touched while the file has problems.",
  knownAgents: "Known agents",
  foundOf: (found: number, known: number) => `${found} of ${known} found`,
  foundHere: "found, not in this file",
  inThisFile: "in this file",
  notOnPath: (command: string) => `${command} is not on PATH`,
  addIt: "Add",
  settingsMissing: "This daemon has no settings service",
  path: "Path",
  folderAbove: "The folder above",
  editorPhrases: (): Record<string, string> => ({}),
};

export type Catalogue = typeof en;
