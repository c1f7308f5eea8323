// The settings service of the stage: one text in memory, and a rough check of it, enough to show problems at places.

const TOP = ["theme", "language", "history", "scripting", "port"];
const KEYS = {
  limits: ["maxRunningAgents", "stopIdleAgentsAfter"],
  agents: ["name", "title", "icon", "description", "preset", "command", "args", "cwd", "env", "permissions", "client"],
  channels: ["name", "title", "agents"],
  mcp_servers: ["name", "command", "args", "agents"],
};

const TABLES = Object.keys(KEYS).join(", ");

export class Configuration {
  constructor(text, path, changed) {
    this.text = text;
    this.path = path;
    this.changed = changed;
    this.valid = text;
    /** There was no file before. */
    this.created = false;
  }

  get hash() {
    let hash = 5381;
    for (const letter of this.text) hash = (hash * 33 + letter.codePointAt(0)) % 4_294_967_296;
    return hash.toString(16);
  }

  get value() {
    const read = (key) => new RegExp(`^${key} = "(\\w+)"`, "m").exec(this.valid)?.[1] ?? "system";
    return { theme: read("theme"), language: read("language") };
  }

  current() {
    const problems = check(this.text);
    const isBroken = problems.some((problem) => !problem.warning);
    return {
      path: this.path, source: "default", created: this.created, valid: !isBroken, problems: problems.filter((problem) => !problem.warning),
      warnings: problems.filter((problem) => problem.warning), ...this.value,
      max_running_agents: Number(/^maxRunningAgents = (\d+)/m.exec(this.valid)?.[1] ?? 4), channels: [],
    };
  }

  /** Another program writes the file. */
  write(text) {
    this.text = text;
    const problems = check(text);
    if (!problems.some((problem) => !problem.warning)) this.valid = text;
    this.changed({ path: this.path, valid: this.valid === text, problems });
  }

  save(text, hash) {
    const problems = check(text);
    if (problems.some((problem) => !problem.warning)) return { saved: false, reason: "invalid", problems, hash: this.hash };
    if (hash !== this.hash) return { saved: false, reason: "changed", problems, hash: this.hash };
    this.write(text);
    return { saved: true, reason: null, problems, hash: this.hash };
  }
}

/** Returns problems and warnings with their places. */
export function check(text) {
  const found = [];
  let table = null;
  for (const [at, line] of text.split("\n").entries()) {
    const place = (column, message, cause, warning = false) => found.push({ line: at + 1, column, message, cause, warning });
    const header = /^\s*\[\[?([\w.]+)\]?\]/.exec(line);
    if (header) {
      table = header[1];
      if (!KEYS[table]) place(line.indexOf(table) + 1, `unknown key "${table}" in the file; there are: ${TABLES}`, { kind: "unknown_key", key: table, table: "file", suggestion: null, known: [TABLES] });
      continue;
    }
    if (/^\s*(#.*)?$/.test(line)) continue;
    const entry = /^(\s*)([\w-]+)\s*=\s*(.+?)\s*(#.*)?$/.exec(line);
    if (!entry) {
      place(line.search(/\S/) + 1, "key with no value, expected `=`", { kind: "key_without_value" });
      continue;
    }
    const known = table === null ? TOP : (KEYS[table] ?? []);
    const key = entry[2];
    if (!known.includes(key)) {
      const near = known.find((name) => [...name].sort().join("") === [...key].sort().join(""));
      const where = { agents: "agent", channels: "channel", mcp_servers: "mcp_server", limits: "limits" }[table] ?? "file";
      const meant = near ? `; did you mean "${near}"?` : `; there are: ${known.join(", ")}`;
      place(entry[1].length + 1, `unknown key "${key}"${meant}`, { kind: "unknown_key", key, table: where, suggestion: near ?? null, known });
    }
    const column = line.indexOf(entry[3]) + 1;
    if (/^"/.test(entry[3]) && !/^"[^"]*"$/.test(entry[3])) place(column, "invalid basic string, expected `\"`", { kind: "quote_missing", quote: '"' });
    if (key === "command" && entry[3] === '"lock-bench"') place(column, 'the command "lock-bench" is not found on PATH', { kind: "command_not_found", command: "lock-bench" }, true);
  }
  return found;
}

/** As much of a schema as completion needs. */
export const SCHEMA = {
  type: "object",
  properties: {
    theme: { description: "How the page looks.", enum: ["light", "dark", "system"] },
    language: { description: "Which language the page speaks.", enum: ["en", "fr", "system"] },
    history: { description: "Whether conversations are kept.", type: "boolean" },
    limits: { $ref: "#/$defs/Limits" },
    agents: { description: "An agent.", type: "array", items: { $ref: "#/$defs/Agent" } },
    channels: { description: "A room with several agents.", type: "array", items: { $ref: "#/$defs/Channel" } },
  },
  $defs: {
    Limits: { type: "object", properties: { maxRunningAgents: { description: "How many agents may run at once.", type: "integer" }, stopIdleAgentsAfter: { description: "When an idle agent is stopped.", type: "string" } } },
    Agent: {
      type: "object",
      properties: {
        name: { description: "Its unique name.", type: "string" },
        permissions: { description: "How it may act.", enum: ["ask", "allow_reads", "deny"] },
        preset: { description: "A known agent’s defaults.", enum: ["demo", "claude", "codex", "gemini", "opencode", "qwen", "kimi"] },
        title: { description: "What it is called here.", type: "string" },
      },
    },
    Channel: { type: "object", properties: { name: { type: "string" }, agents: { type: "array", items: { type: "string" } } } },
  },
};

/** The known agents, with how each is installed. */
const KNOWN = [
  ["claude", "Claude Code", "claude-agent-acp", "npm install -g @agentclientprotocol/claude-agent-acp"],
  ["codex", "Codex", "codex-acp", "npm install -g @agentclientprotocol/codex-acp"],
  ["gemini", "Gemini CLI", "gemini", "npm install -g @google/gemini-cli"],
  ["opencode", "OpenCode", "opencode", "npm install -g opencode-ai"],
  ["qwen", "Qwen Code", "qwen", "npm install -g @qwen-code/qwen-code"],
  ["kimi", "Kimi Code", "kimi", "npm install -g @moonshot-ai/kimi-code"],
  ["vibe", "Mistral Vibe", "vibe-acp", "uv tool install mistral-vibe"],
  ["fast-agent", "fast-agent", "fast-agent", "uv tool install fast-agent-mcp"],
];

/** Returns what `config.known` tells when the commands of these agents are there. */
export function known(found) {
  const demo = { name: "demo", title: "Demo", icon: "demo", description: "", command: null, found: true, install: null };
  return { agents: [demo, ...KNOWN.map(([name, title, command, install]) => ({ name, title, icon: name, description: "", command, found: found.includes(name), install }))] };
}
