// The panes of the stage: workspaces with terminals that show something, agents in some of them, and the methods about them.
// Nothing runs: what is typed comes back, as from a terminal that echoes.

const MINUTE_MS = 60_000;
const OUTPUT = 0;
const SNAPSHOT = 1;
const SIZE = 2;
const CLOSED = 4;

const E = "\u001b[";
const [DIM, GREEN, RED, YELLOW, CYAN, BLUE, BOLD, OFF] = [`${E}90m`, `${E}32m`, `${E}31m`, `${E}33m`, `${E}36m`, `${E}34m`, `${E}1m`, `${E}0m`];
const PROMPT = `${CYAN}~/src/lockkeeper${OFF} ${E}35mhigh-river${OFF} $ `;

const SCREENS = {
  agent: [
    `${BOLD}claude${OFF}  in ~/src/lockkeeper, on high-river`, "", `${DIM}>${OFF} Look at the gates, and be strict about rounding.`, "",
    `${GREEN}●${OFF} I read the change first, then the tests around it.`, "", `${GREEN}●${OFF} ${BOLD}Read${OFF}(src/gates.rs)`, `${DIM}  └  118 lines${OFF}`,
    `${GREEN}●${OFF} ${BOLD}Bash${OFF}(cargo test -p lockkeeper gates)`, `${DIM}  └  34 passed, 0 failed (6.2 s)${OFF}`, "",
    `${GREEN}●${OFF} Rounding is right on both sides. I added the case that was`, "  missing: a river that stands higher below than above.", "", `${BOLD}Bash command${OFF}`, "",
    "  git push origin high-river", "", "Do you want to proceed?", `${BLUE}❯ 1. Yes${OFF}`, "  2. Yes, and don't ask again for git push", `  3. No, and say what to do differently ${DIM}(esc)${OFF}`,
  ],
  tests: [
    `${DIM}[Running 'cargo test -q -p lockkeeper']${OFF}`, `..................${RED}F${OFF}...............  34/34`, `${RED}broken_sensor${OFF} at tests/gates.rs:58`,
    `  left: ${RED}"0.00"${OFF}  right: ${GREEN}"alarm"${OFF}`, `${DIM}[Finished running. Exit status: 101]${OFF}`, `${DIM}[Running 'cargo test -q -p lockkeeper']${OFF}`,
    "..................................  34/34", `test result: ${GREEN}ok${OFF}. 34 passed; 0 failed; 6.18 s`, `${DIM}[Waiting for changes in src, tests]${OFF}`,
  ],
  server: [
    `${PROMPT}cargo run -- serve --port 3004`, `${GREEN}${BOLD}    Finished${OFF} dev profile in 2.41s`, `${GREEN}${BOLD}     Running${OFF} target/debug/lockkeeper serve`,
    `${DIM}09:42:56${OFF} ${CYAN}INFO${OFF}  12 gates, 1 without a sensor`, `${DIM}09:42:57${OFF} ${CYAN}INFO${OFF}  listening on 127.0.0.1:3004`,
    `${DIM}09:43:10${OFF} ${CYAN}INFO${OFF}  GET /gates/3 ${DIM}200 4 ms${OFF}`, `${DIM}09:43:31${OFF} ${YELLOW}WARN${OFF}  gate 7 has no level, its alarm is on`,
  ],
  shell: [
    `${PROMPT}git log --oneline -2`, `${YELLOW}8c1f0d2${OFF} ${DIM}(${GREEN}high-river${DIM})${OFF} Compare levels before rounding`, `${YELLOW}41aa97e${OFF} Test a high river`, `${PROMPT}git status -sb`,
    `## ${GREEN}high-river${OFF}...${RED}origin/main${OFF} [ahead 2]`, ` ${RED}M${OFF} tests/gates.rs`, `${PROMPT}`,
  ],
};

export class StagePanes {
  constructor(stage, { empty }) {
    this.stage = stage;
    this.ids = 40;
    this.viewers = new Map();
    this.screens = new Map();
    this.panes = [];
    this.workspaces = [];
    if (!empty) this.populate();
  }

  populate() {
    const { t } = this.stage.story;
    const lock = this.workspace("lockkeeper", true);
    const harbour = this.workspace("harbour");
    const manual = this.workspace("manual");
    const play = this.workspace("playground");
    const agent = (state, tool, minutes, evidence, more) => ({ state, tool, since: this.stage.now - minutes * MINUTE_MS, evidence, hooked: evidence === "hook", pid: 42_000 + this.ids, ...more });
    const push = "git push origin high-river";
    const reviewer = this.pane(lock, "reviewer", "claude", SCREENS.agent, agent("waiting_for_input", "claude", 4, "hook", { message: push }));
    reviewer.told = "permission";
    const tests = this.pane(lock, "tests", "cargo watch -x test", SCREENS.tests);
    const server = this.pane(lock, "server", "lockkeeper serve --port 3004", SCREENS.server);
    const shell = this.pane(lock, "shell", "bash", SCREENS.shell);
    const stack = { type: "split", direction: "column", parts: [tests, server, shell].map(leaf) };
    lock.layout = { type: "split", direction: "row", parts: [{ share: 135, layout: leaf(reviewer).layout }, { share: 100, layout: stack }] };
    lock.focused = reviewer.surface_id;
    this.pane(harbour, "port", "codex", SCREENS.agent, agent("waiting_for_input", "codex", 11, "screen", { message: t.portAsks }));
    this.pane(harbour, "deps", "gemini", SCREENS.shell, agent("stalled", "gemini", 3, "hook"));
    this.pane(manual, "fixtures", "claude", SCREENS.agent, agent("finished", "claude", 22, "hook", { last_result: t.fixturesSay }));
    this.pane(play, "pi", "pi", SCREENS.shell, agent("unknown_running", "pi", 40, "process", { reason: "no_hook" }));
    const done = this.pane(play, "make", "make all", [...SCREENS.tests.slice(0, 4), "make: *** [all] Error 2"]);
    done.exit_status = { code: 2 };
  }

  workspace(name, current = false) {
    const workspace = { workspace: ++this.ids, name, current, focused: null, layout: null };
    this.workspaces.push(workspace);
    return workspace;
  }

  pane(workspace, name, command, lines, standing = {}) {
    const view = {
      surface_id: ++this.ids, surface_name: name, kind: "pane", workspace: workspace.workspace, title: null, command, cwd: "/home/ada/src/lockkeeper", columns: 80, rows: 24,
      output_generation: 1, created_at: this.stage.now, exit_status: null, standing: { ...QUIET, since: this.stage.now, ...standing },
    };
    this.panes.push(view);
    this.screens.set(view.surface_id, lines.join("\r\n"));
    this.place(workspace, view.surface_id);
    return view;
  }

  place(workspace, id, beside = workspace.focused, direction = "row") {
    const one = { type: "pane", surface: id };
    const add = (layout) => {
      if (layout.type === "pane") return layout.surface === beside ? { type: "split", direction, parts: [layout, one].map((part) => ({ share: 1, layout: part })) } : layout;
      return { ...layout, parts: layout.parts.map((part) => ({ ...part, layout: add(part.layout) })) };
    };
    workspace.layout = workspace.layout === null ? one : add(workspace.layout);
    workspace.focused = id;
  }

  /** Every surface: panes, then the agents' conversations. */
  surfaces() {
    return [...this.panes, ...this.stage.agents.map((agent, at) => this.conversation(agent, at))];
  }

  conversation(agent, at) {
    const conversation = this.stage.conversations.get(agent.name);
    const states = { stopped: "idle", starting: "unknown_running", ready: at % 2 === 1 ? "finished" : "idle", busy: "thinking", error: "errored" };
    const asked = conversation.permissions[0];
    const { t } = this.stage.story;
    return {
      surface_id: 10 + at, surface_name: agent.name, kind: "acp", workspace: null, title: agent.title, command: null, cwd: null, columns: 0, rows: 0, output_generation: conversation.rev,
      created_at: this.stage.now, exit_status: null,
      standing: {
        ...QUIET, state: asked ? "waiting_for_input" : states[agent.state], since: this.stage.now - (at + 2) * MINUTE_MS, evidence: "acp", tool: agent.name, pid: agent.pid,
        reason: agent.state === "stopped" ? "stopped" : agent.state === "starting" ? "starting" : (agent.error?.split("\n")[0] ?? null),
        message: asked?.toolCall.title ?? null, active_tool_name: agent.state === "busy" ? t.reading : null, last_result: agent.state === "ready" ? t.question : null,
      },
    };
  }

  find(selector) {
    const pane = this.panes.find((pane) => String(pane.surface_id) === selector || pane.surface_name === selector);
    if (!pane) throw { code: -32003, kind: "not_found", message: `there is no pane ${selector}` };
    return pane;
  }

  workspaceOf(selector) {
    const found = this.workspaces.find((workspace) => String(workspace.workspace) === String(selector));
    if (!found) throw { code: -32003, kind: "not_found", message: `there is no workspace ${selector}` };
    return found;
  }

  /** Writes to a terminal, as its program would. */
  write(name, text) {
    const { surface_id } = this.find(name);
    this.screens.set(surface_id, this.screens.get(surface_id) + text);
    this.tell(surface_id, OUTPUT, Buffer.from(text));
  }

  view(id, webSocket) {
    const send = (kind, bytes) => webSocket.send(Buffer.concat([Buffer.from([kind]), bytes]));
    const viewers = this.viewers.get(id) ?? new Set();
    viewers.add(send);
    this.viewers.set(id, viewers);
    webSocket.on("close", () => viewers.delete(send));
    this.draw(id, send);
  }

  draw(id, send) {
    const { columns, rows } = this.find(String(id));
    const size = Buffer.alloc(4);
    size.writeUInt16LE(columns, 0);
    size.writeUInt16LE(rows, 2);
    send(SIZE, size);
    send(SNAPSHOT, Buffer.from(this.screens.get(id)));
  }

  tell(id, kind, bytes) {
    for (const send of this.viewers.get(id) ?? []) send(kind, bytes);
  }

  changed(pane) {
    this.stage.emit({ type: "surface_changed", ...pane });
    return pane;
  }

  laidOut() {
    this.stage.emit({ type: "workspace:changed", workspaces: this.workspaces });
  }

  select(workspace) {
    for (const other of this.workspaces) other.current = other === workspace;
    this.laidOut();
    return workspace;
  }

  create(params, beside, direction) {
    const workspace = params.workspace === undefined ? (this.workspaces.find((one) => one.current) ?? this.workspace("main", true)) : this.workspaceOf(params.workspace);
    const command = params.command?.join(" ") ?? params.agent ?? "bash";
    const pane = this.pane(workspace, params.name ?? command.split(" ")[0], command, [PROMPT]);
    if (beside !== undefined) {
      workspace.layout = without(workspace.layout, pane.surface_id);
      this.place(workspace, pane.surface_id, beside, direction);
    }
    Object.assign(pane, params.size ?? {});
    this.stage.emit({ type: "surface:opened", ...pane });
    this.laidOut();
    return pane;
  }

  close(pane) {
    const workspace = this.workspaceOf(pane.workspace);
    this.panes = this.panes.filter((other) => other !== pane);
    workspace.layout = without(workspace.layout, pane.surface_id);
    if (workspace.focused === pane.surface_id) workspace.focused = this.panes.find((other) => other.workspace === pane.workspace)?.surface_id ?? null;
    this.tell(pane.surface_id, CLOSED, Buffer.alloc(0));
    this.stage.emit({ type: "surface:closed", surface_id: pane.surface_id, surface_name: pane.surface_name, workspace: pane.workspace });
    this.laidOut();
    return {};
  }
}

const QUIET = {
  state: "idle", state_seq: 1, since: 0, evidence: "process", hooked: false, reason: null, tool: null, pid: null, active_tool_name: null, message: null, last_result: null, untrusted: true,
};

const leaf = ({ surface_id }) => ({ share: 100, layout: { type: "pane", surface: surface_id } });

function without(layout, id) {
  if (layout === null || layout.type === "pane") return layout?.surface === id ? null : layout;
  const parts = layout.parts.map((part) => ({ ...part, layout: without(part.layout, id) })).filter((part) => part.layout !== null);
  return parts.length > 1 ? { ...layout, parts } : (parts[0]?.layout ?? null);
}

export const PANE_METHODS = {
  "surface.list": ({ panes }) => ({ surfaces: panes.surfaces() }),
  "surface.create": ({ panes }, params) => panes.create(params),
  "surface.seen": () => ({}),
  "surface.explain": ({ panes }, { surface }) => {
    const { surface_id, surface_name, standing, told } = panes.find(surface);
    const record = { at: standing.since, id: "", state: "blocked", app: null, title: null, progress: null, kind: told, message: standing.message };
    return { surface_id, surface_name, standing, recognised_by: null, foreground: [], status_records: told === undefined ? [] : [record], signals: [], mark: "1:1", untrusted: true };
  },
  "surface.focus": ({ panes }, { surface }) => {
    const pane = panes.find(surface);
    const workspace = panes.workspaceOf(pane.workspace);
    workspace.focused = pane.surface_id;
    panes.select(workspace);
    return pane;
  },
  "surface.rename": ({ panes }, { surface, name }) => panes.changed(Object.assign(panes.find(surface), { surface_name: name })),
  "surface.resize": ({ panes }, { surface, size }) => {
    const pane = panes.changed(Object.assign(panes.find(surface), size));
    for (const send of panes.viewers.get(pane.surface_id) ?? []) panes.draw(pane.surface_id, send);
    return pane;
  },
  "surface.close": ({ panes }, { surface }) => panes.close(panes.find(surface)),
  "surface.input": ({ panes }, { surface, data }) => {
    panes.write(surface, Buffer.from(data, "base64").toString().replaceAll("\r", "\r\n"));
    return {};
  },
  "workspace.list": ({ panes }) => ({ workspaces: panes.workspaces }),
  "workspace.create": ({ panes }, { name }) => panes.select(panes.workspace(name ?? `workspace-${panes.workspaces.length + 1}`)),
  "workspace.select": ({ panes }, { workspace }) => panes.select(panes.workspaceOf(workspace)),
  "workspace.close": ({ panes }, { workspace }) => {
    const found = panes.workspaceOf(workspace);
    for (const pane of panes.panes.filter((pane) => pane.workspace === found.workspace)) panes.close(pane);
    panes.workspaces = panes.workspaces.filter((other) => other !== found);
    if (panes.workspaces[0]) panes.select(panes.workspaces[0]);
    else panes.laidOut();
    return {};
  },
  "workspace.split": ({ panes }, { surface, direction, pane }) => {
    const beside = panes.find(surface);
    return panes.create({ ...pane, workspace: beside.workspace }, beside.surface_id, direction);
  },
  "workspace.set_layout": ({ panes }, { workspace, layout }) => {
    const found = Object.assign(panes.workspaceOf(workspace), { layout });
    panes.laidOut();
    return found;
  },
};
