// A scripted daemon for pictures and tests of the page: the same methods and events, a world in memory, nothing started.
import { check, Configuration, known, SCHEMA } from "./configuration.mjs";
import { PANE_METHODS, StagePanes } from "./panes.mjs";
import { CONFIGURATION, story } from "./story.mjs";

const EPOCH = "stage";
const RING = 4_096;

export class Stage {
  constructor({ language = "en", theme = "system", empty = false } = {}) {
    this.now = Date.now();
    this.seq = 0;
    this.ring = [];
    this.readers = new Set();
    /** How far the clock that stamps events is ahead, in milliseconds: a test lets time pass by it. */
    this.ahead = 0;
    this.ids = 0;
    this.refusals = new Map();
    const text = CONFIGURATION.replace('theme = "system"', `theme = "${theme}"`).replace('language = "system"', `language = "${language}"`);
    this.configuration = new Configuration(text, "/home/ada/.config/pupitre/pupitre.toml", (change) => this.emit({ type: "config:changed", ...change }));
    this.story = story(language, this.now);
    this.agents = this.story.agents;
    this.conversations = new Map(this.agents.map((agent) => [agent.name, this.blank(agent.name)]));
    /** Earlier conversations, the newest last. */
    this.earlier = [];
    this.rooms = this.story.rooms.channels;
    /** The known agents whose commands are on this machine. */
    this.found = empty ? ["gemini"] : ["claude", "codex", "gemini"];
    this.entries = new Map(this.rooms.map((room) => [room.name, []]));
    this.files = [this.configuration.path, "/home/ada/src/harbour/harbour.toml", "/home/ada/talks/demo.toml", "/home/ada/old.toml"];
    if (empty) this.populateFirstRun();
    else this.populate();
    this.panes = new StagePanes(this, { empty });
  }

  // What a test does to the world.

  /** Appends text to an agent's open message, as a chunk would. */
  say(name, text) {
    const conversation = this.conversations.get(name);
    const message = conversation.messages.findLast((message) => message.role === "agent" && !message.done) ?? this.open(name);
    const index = message.parts.at(-1)?.kind === "text" ? message.parts.length - 1 : message.parts.length;
    if (index === message.parts.length) message.parts.push({ kind: "text", text });
    else message.parts[index].text += text;
    this.touch(conversation, message);
    this.emit({ type: "message:delta", agent: name, conversation: conversation.id, rev: conversation.rev, messageId: message.id, index, kind: "text", text });
    return message;
  }

  /** Ends an agent's turn. */
  finish(name, stopReason = "end_turn") {
    const conversation = this.conversations.get(name);
    const message = conversation.messages.findLast((message) => message.role === "agent" && !message.done);
    if (message) {
      Object.assign(message, { done: true, stopReason });
      this.update(conversation, message);
    }
    this.turn(name, false);
    this.state(name, { state: "ready" });
  }

  /** The agents that are at work show what they do. */
  bustle() {
    for (const [name, kind, path] of [["reviewer", "read", "src/gates.rs"], ["migrations", "execute", "sqlx migrate run"]]) {
      if (!this.conversations.has(name)) continue;
      const message = this.open(name);
      const tool = { id: `${name}-1`, title: path, kind, status: "in_progress", input: null, output: null, locations: [], diffs: [] };
      const conversation = this.conversations.get(name);
      message.parts.push({ kind: "tool", tool });
      this.touch(conversation, message);
      this.emit({ type: "message:delta", agent: name, conversation: conversation.id, rev: conversation.rev, messageId: message.id, index: 0, kind: "tool", part: { kind: "tool", tool } });
    }
  }

  ask(name, toolCall, options, rejections = 0) {
    const conversation = this.conversations.get(name);
    const message = conversation.messages.findLast((message) => message.role === "agent" && !message.done) ?? this.open(name);
    const permission = { id: this.id("p"), agent: name, conversation: conversation.id, messageId: message.id, toolCall, options, rejections, createdAt: this.now };
    conversation.permissions.push(permission);
    conversation.rev += 1;
    this.emit({ type: "permission:requested", rev: conversation.rev, ...permission });
    return permission;
  }

  state(name, change) {
    const agent = this.agents.find((agent) => agent.name === name);
    Object.assign(agent, change);
    const { state, outdated, stopping, error, cause } = agent;
    this.emit({ type: "agent:state", agent: name, state, outdated, stopping, ...(error === null ? {} : { error }), ...(cause ? { cause } : {}) });
    return agent;
  }

  /** Answers the next calls of a method with this error. */
  refuse(method, error) {
    this.refusals.set(method, error);
  }

  /** Begins a new conversation and returns its id. */
  begin(name) {
    const conversation = this.blank(name);
    const before = this.conversations.get(name);
    if (before.messages.length > 0) this.earlier.push(before);
    this.conversations.set(name, conversation);
    this.emit({ type: "conversation:changed", agent: name, conversation: conversation.id });
    return conversation.id;
  }

  get kept() {
    return [...this.earlier, ...this.conversations.values()];
  }

  keptOf(id) {
    const conversation = this.kept.find((conversation) => conversation.id === id);
    if (!conversation) throw { code: -32003, kind: "not_found", message: `there is no conversation ${id}` };
    return conversation;
  }

  titleOf(conversation) {
    return conversation.title ?? conversation.messages[0]?.parts[0]?.text ?? null;
  }

  isCurrent(conversation) {
    return this.conversations.get(conversation.agent) === conversation;
  }

  /** A long conversation, for measuring and scrolling. */
  fill(name, count) {
    const conversation = this.conversations.get(name);
    for (let at = 0; at < count; at++) {
      const role = at % 2 === 0 ? "user" : "agent";
      const text = role === "user" ? `Question ${at / 2 + 1}` : `Answer ${(at + 1) / 2}\n\n${"A sentence that fills some room. ".repeat(1 + (at % 7))}`;
      conversation.messages.push(this.message(name, role, [{ kind: "text", text }], { done: true, stopReason: role === "agent" ? "end_turn" : null }));
    }
  }

  // The wire.

  join(webSocket) {
    const reader = { send: (value) => webSocket.send(JSON.stringify(value)), webSocket, follows: false };
    this.readers.add(reader);
    webSocket.on("close", () => this.readers.delete(reader));
    webSocket.on("message", (data) => void this.answer(JSON.parse(String(data)), reader));
  }

  async answer({ id, method, params }, reader) {
    try {
      if (method === "events.subscribe") {
        const from = params.since ? Number(params.since.split(":")[1]) : this.seq;
        reader.send({ jsonrpc: "2.0", id, result: { cursor: `${EPOCH}:${from}` } });
        for (const frame of this.ring) if (frame.seq > from) reader.send({ jsonrpc: "2.0", method: "event", params: frame });
        reader.follows = true;
        return;
      }
      if (method === "surface.snapshot") {
        const { surface_id, columns, rows } = this.panes.find(params.surface);
        reader.send({ jsonrpc: "2.0", id, result: { surface_id, size: { columns, rows } } });
        this.panes.view(surface_id, reader.webSocket);
        return;
      }
      if (this.refusals.has(method)) throw this.refusals.get(method);
      const handler = METHODS[method];
      if (!handler) throw { code: -32601, kind: "unknown_method", message: `no such method: ${method}` };
      reader.send({ jsonrpc: "2.0", id, result: structuredClone(await handler(this, params ?? {})) });
    } catch (error) {
      reader.send({ jsonrpc: "2.0", id, error: { code: error.code ?? -32603, message: error.message, data: { kind: error.kind ?? "internal" } } });
    }
  }

  emit(event) {
    const frame = structuredClone({ ...event, epoch: EPOCH, seq: ++this.seq, ts: Date.now() + this.ahead });
    this.ring.push(frame);
    if (this.ring.length > RING) this.ring.shift();
    for (const reader of this.readers) if (reader.follows) reader.send({ jsonrpc: "2.0", method: "event", params: frame });
  }

  // The world.

  id(prefix) {
    return `${prefix}${String(++this.ids).padStart(8, "0")}`;
  }

  blank(name) {
    return { id: this.id("c"), agent: name, rev: 0, title: null, messages: [], busy: false, queued: 0, usage: null, commands: [], permissions: [], modes: null, config_options: [], at: this.now };
  }

  message(name, role, parts, more = {}) {
    const id = this.id("m");
    return {
      id, agent: name, conversation: this.conversations.get(name).id, rev: 0, createdAt: this.now, role,
      // A turn is called after the message that began it, which belongs to it.
      turn: role === "user" ? id : null, parts, done: role !== "agent", queued: false, stopReason: null, error: null, code: null, ...more,
    };
  }

  open(name, turn = null) {
    const conversation = this.conversations.get(name);
    const message = this.message(name, "agent", [], { turn });
    conversation.messages.push(message);
    this.update(conversation, message);
    return message;
  }

  touch(conversation, message) {
    conversation.rev += 1;
    message.rev = conversation.rev;
  }

  update(conversation, message) {
    this.touch(conversation, message);
    this.emit({ type: "message:updated", agent: conversation.agent, conversation: conversation.id, rev: conversation.rev, message });
  }

  turn(name, busy) {
    const conversation = this.conversations.get(name);
    conversation.busy = busy;
    conversation.queued = conversation.messages.filter((message) => message.queued).length;
    conversation.rev += 1;
    this.emit({ type: "turn:changed", agent: name, conversation: conversation.id, rev: conversation.rev, busy, queued: conversation.queued, stalled: false, login: null });
  }

  resolve(id, resolution) {
    for (const conversation of this.conversations.values()) {
      const open = conversation.permissions.find((open) => open.id === id);
      if (!open) continue;
      conversation.permissions = conversation.permissions.filter((other) => other !== open);
      conversation.rev += 1;
      this.emit({ type: "permission:resolved", id, agent: conversation.agent, conversation: conversation.id, rev: conversation.rev, resolution });
      return { conversation, open };
    }
    throw { code: -32005, kind: "already_answered", message: "this request was answered before" };
  }

  /** The first run: one demo agent and what was found. */
  populateFirstRun() {
    const found = this.agents.filter((agent) => ["gemini", "scratch"].includes(agent.name));
    const demo = { ...found[0], name: "demo", title: "Demo", icon: "demo", description: this.story.t.scratchSays };
    this.agents = [demo, ...found];
    this.conversations = new Map(this.agents.map((agent) => [agent.name, this.blank(agent.name)]));
    this.rooms = [];
    this.configuration.created = true;
  }

  populate() {
    const { builder, rooms } = this.story;
    const conversation = this.conversations.get("builder");
    const asked = this.message("builder", "user", builder.ask);
    const answer = this.message("builder", "agent", builder.parts, { turn: asked.id });
    const queued = builder.queued.map((text) => this.message("builder", "user", [{ kind: "text", text }], { queued: true }));
    Object.assign(conversation, {
      title: builder.title, messages: [asked, answer, ...queued], busy: true, queued: queued.length, usage: builder.usage, commands: builder.commands,
      modes: builder.modes, config_options: builder.options_of_session,
    });
    conversation.permissions.push({
      id: this.id("p"), agent: "builder", conversation: conversation.id, messageId: answer.id, toolCall: builder.asked, options: builder.options, rejections: 1, createdAt: this.now,
    });
    const first = this.enter("review", rooms.question, ["reviewer", "handbook", "translator"]);
    for (const [at, answer] of first.answers.entries()) this.reply(answer, rooms.answers[at], true);
    const second = this.enter("review", rooms.second, ["reviewer"]);
    this.reply(second.answers[0], rooms.secondAnswer, false);
    this.conversations.get("reviewer").busy = true;
    this.conversations.get("migrations").busy = true;
  }

  enter(room, text, agents) {
    const answers = agents.map((agent) => {
      const message = this.message(agent, "user", [{ kind: "text", text }]);
      this.conversations.get(agent).messages.push(message);
      return { agent, messageId: message.id, error: null };
    });
    const entry = { id: this.id("e"), createdAt: this.now, text, answers };
    this.entries.get(room).push(entry);
    return entry;
  }

  reply({ agent, messageId }, text, done) {
    const message = this.message(agent, "agent", [{ kind: "text", text }], { turn: messageId, done, stopReason: done ? "end_turn" : null });
    this.conversations.get(agent).messages.push(message);
  }
}

const find = (stage, name) => {
  const agent = stage.agents.find((agent) => agent.name === name);
  if (!agent) throw { code: -32003, kind: "not_found", message: `there is no agent "${name}"` };
  return agent;
};

const METHODS = {
  ...PANE_METHODS,
  "system.identify": (stage) => ({
    name: "pupitre", version: "0.0.0", protocol: 1, epoch: EPOCH, pid: 41_000, started_at: stage.now, config_path: stage.configuration.path, config_error: null,
    log_path: "/home/ada/.local/state/pupitre/daemon.log", home: "/home/ada",
  }),
  "agent.list": (stage) => ({ agents: stage.agents }),
  "agent.start": (stage, { agent }) => (find(stage, agent), stage.state(agent, { state: "ready", error: null, pid: 41_999, started_at: Date.now() })),
  "agent.stop": (stage, { agent }) => (find(stage, agent), stage.state(agent, { state: "stopped", pid: null, started_at: null })),
  "agent.restart": (stage, { agent }) => (find(stage, agent), stage.state(agent, { state: "ready", error: null, outdated: false })),
  "agent.logs": (stage, { agent }) => ({ lines: agent === "nightly" ? stage.story.log.map((line, at) => ({ number: at + 1, ts: stage.now, line, stray: false })) : [] }),
  "chat.permissions": (stage) => ({ permissions: [...stage.conversations.values()].flatMap((conversation) => conversation.permissions), elicitations: [], logins: [] }),
  "chat.history": (stage, { agent }) => ({
    conversations: stage.kept
      .filter((conversation) => !agent || conversation.agent === agent)
      .map((conversation) => ({
        id: conversation.id, agent: conversation.agent, title: stage.titleOf(conversation), cwd: "/home/ada/src/lockkeeper",
        created_at: stage.now, updated_at: stage.now - conversation.agent.length * 41_000, messages: conversation.messages.length, current: stage.isCurrent(conversation),
      })),
    truncated: false,
  }),
  "chat.conversation": (stage, { agent, conversation, before, limit }) => {
    find(stage, agent);
    const shown = stage.earlier.find((earlier) => earlier.id === conversation) ?? stage.conversations.get(agent);
    const { id, rev, title, messages, busy, queued, usage, commands, permissions, modes, config_options } = shown;
    const reach = messages.filter((message) => !before || message.id < before).slice(-(limit ?? 200));
    return {
      agent, conversation: id, read_only: !stage.isCurrent(shown), title, cwd: "/home/ada/src/lockkeeper", rev, messages: reach, total: messages.length, truncated: false,
      busy, queued, usage, commands, permissions, elicitations: [], login: null, modes, config_options, stalled: false, elicitations: [], login: null,
    };
  },
  "chat.search": (stage, { query, agent, limit }) => {
    const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    const words = plain(query).match(/[\p{L}\p{N}]+/gu) ?? [];
    const matches = stage.kept.filter((conversation) => !agent || conversation.agent === agent).flatMap((conversation) =>
      conversation.messages.filter((message) => message.done).flatMap((message) => {
        const text = message.parts.filter((part) => part.kind === "text").map((part) => part.text).join("\n");
        if (!words.every((word) => plain(text).includes(word))) return [];
        const at = plain(text).indexOf(words[0]);
        const end = at + words[0].length;
        const excerpt = [[text.slice(Math.max(0, at - 60), at), false], [text.slice(at, end), true], [text.slice(end, end + 60), false]];
        return [{
          conversation: conversation.id, agent: conversation.agent, title: stage.titleOf(conversation), config: "", current: stage.isCurrent(conversation), message_id: message.id,
          role: message.role, created_at: message.createdAt, excerpt: excerpt.filter(([piece]) => piece).map(([text, found]) => ({ text, found })),
        }];
      }),
    ).reverse();
    return { matches: matches.slice(0, limit ?? 50), truncated: matches.length > (limit ?? 50) };
  },
  "chat.delete": (stage, { id }) => {
    const conversation = stage.keptOf(id);
    if (conversation.busy) throw { code: -32005, kind: "turn_running", message: `agent ${conversation.agent} is answering` };
    if (stage.isCurrent(conversation)) stage.begin(conversation.agent);
    stage.earlier = stage.earlier.filter((earlier) => earlier !== conversation);
    stage.emit({ type: "conversation:deleted", agent: conversation.agent, conversation: id });
    return {};
  },
  "chat.export": (stage, { id, format }) => {
    const conversation = stage.keptOf(id);
    const words = (message) => message.parts.filter((part) => part.kind === "text").map((part) => part.text).join("\n\n");
    const text = format === "json"
      ? JSON.stringify({ conversation: { id, agent: conversation.agent }, messages: conversation.messages })
      : conversation.messages.map((message) => `## ${message.role}\n\n${words(message)}\n`).join("\n");
    return { text, next: null };
  },
  "chat.send": (stage, { agent, text }) => {
    find(stage, agent);
    const conversation = stage.conversations.get(agent);
    const queued = conversation.busy;
    const message = stage.message(agent, "user", [{ kind: "text", text }], { queued });
    conversation.messages.push(message);
    stage.update(conversation, message);
    stage.turn(agent, true);
    if (!queued) {
      stage.state(agent, { state: "busy" });
      stage.open(agent, message.id);
    }
    return { messageId: message.id, conversation: conversation.id, queued };
  },
  "chat.withdraw": (stage, { messageId }) => {
    for (const conversation of stage.conversations.values()) {
      const message = conversation.messages.find((message) => message.id === messageId && message.queued);
      if (!message) continue;
      Object.assign(message, { queued: false, error: "cancelled" });
      stage.update(conversation, message);
      stage.turn(conversation.agent, conversation.busy);
      return {};
    }
    throw { code: -32005, kind: "not_queued", message: "this message is no longer queued" };
  },
  "chat.cancel": (stage, { agent }) => {
    const conversation = stage.conversations.get(agent);
    for (const open of [...conversation.permissions]) stage.resolve(open.id, { outcome: "cancelled" });
    for (const message of conversation.messages.filter((message) => message.queued)) {
      Object.assign(message, { queued: false, error: "cancelled" });
      stage.update(conversation, message);
    }
    stage.finish(agent, "cancelled");
    return { cancelled: true, dropped: [], requests: 0 };
  },
  "chat.answer_permission": (stage, { id, optionId }) => {
    const { conversation, open } = stage.resolve(id, { outcome: "selected", optionId });
    const message = conversation.messages.find((message) => message.id === open.messageId);
    const part = message?.parts.find((part) => part.kind === "tool" && part.tool.id === open.toolCall.id);
    if (part) {
      part.tool = { ...part.tool, status: /once|always/.test(optionId) ? "completed" : "failed" };
      stage.update(conversation, message);
    }
    return {};
  },
  "chat.set_mode": (stage, { agent, mode }) => {
    const conversation = stage.conversations.get(agent);
    conversation.modes = { ...conversation.modes, current: mode };
    conversation.rev += 1;
    stage.emit({ type: "session:changed", agent, conversation: conversation.id, rev: conversation.rev, modes: conversation.modes });
    return {};
  },
  "config.current": (stage) => ({ ...stage.configuration.current(), channels: stage.rooms }),
  "config.content": (stage) => ({ text: stage.configuration.text, hash: stage.configuration.hash }),
  "config.validate": (_, { text }) => {
    const problems = check(text);
    return { valid: problems.every((problem) => problem.warning), problems };
  },
  "config.save": (stage, { text, hash }) => stage.configuration.save(text, hash),
  "config.schema": () => SCHEMA,
  "config.known": (stage) => known(stage.found),
  "config.recent": (stage) => stage.files.map((path) => ({ path, exists: !path.endsWith("old.toml") })),
  "config.browse": (_, { folder }) => ({
    folder: folder ?? "/home/ada", parent: folder === "/" ? null : "/home", truncated: false,
    entries: [{ name: "src", path: "/home/ada/src", folder: true }, { name: "harbour.toml", path: "/home/ada/harbour.toml", folder: false }],
  }),
  "config.open": (stage) => METHODS["config.current"](stage),
  "channel.list": (stage) => ({ channels: stage.rooms }),
  "channel.messages": (stage, { channel }) => ({ entries: stage.entries.get(channel) ?? [], truncated: false }),
  "channel.send": (stage, { channel, text }) => {
    const room = stage.rooms.find((room) => room.name === channel);
    const mentioned = room.agents.filter((agent) => text.includes(`@${agent}`));
    const answers = (mentioned.length > 0 ? mentioned : room.agents).map((agent) => ({ agent, messageId: METHODS["chat.send"](stage, { agent, text }).messageId, error: null }));
    const entry = { id: stage.id("e"), createdAt: Date.now(), text, answers };
    stage.entries.get(channel).push(entry);
    stage.emit({ type: "channel:updated", channel, entry });
    return { messageIds: answers.map((answer) => answer.messageId), entry };
  },
};
