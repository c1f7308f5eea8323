// The agents of the configuration: their states, what each is doing, and their logs.
import { SvelteMap } from "svelte/reactivity";
import type { AgentName, AgentView, Frame, LogLine, ToolCall, ToolKind } from "../protocol";
import { LIMITS } from "../protocol";
import { unlessLost } from "../transport/failure";
import { sentence } from "../words/failure";
import type { Caller } from "./caller";

/** What an agent does or did last; `at` is in epoch milliseconds. */
export type Activity =
  | { is: "tool"; kind: ToolKind; title: string; at: number }
  | { is: "thinking"; at: number }
  | { is: "writing"; at: number }
  | { is: "answered"; at: number }
  | { is: "last"; title: string | null; at: number };

export class AgentsStore {
  list: readonly AgentView[] = $state.raw([]);
  isLoaded = $state(false);
  readonly activity = new SvelteMap<AgentName, Activity>();
  /** When an agent's turn began, in epoch milliseconds; absent while none runs. */
  readonly turnSince = new SvelteMap<AgentName, number>();
  /** Agents whose turn has been silent for longer than the configuration says. */
  readonly stalled = new SvelteMap<AgentName, boolean>();
  readonly logs = new SvelteMap<AgentName, readonly LogLine[]>();
  /** What a start, stop or restart asked for here answered, until the next one. */
  readonly failures = new SvelteMap<AgentName, string>();
  private early: Frame[] | null = null;
  private reads = 0;

  constructor(private readonly caller: Caller) {}

  find(name: AgentName): AgentView | undefined {
    return this.list.find((agent) => agent.name === name);
  }

  get running(): number {
    return this.list.filter((agent) => agent.state !== "stopped" && agent.state !== "error").length;
  }

  async load(): Promise<void> {
    if (!(await this.read())) return;
    for (const name of this.logs.keys()) this.loadLog(name).catch(unlessLost);
    await this.loadLast();
  }

  /** Takes the list; what happens meanwhile is applied to it. Returns false when a later reading has overtaken this one. */
  private async read(): Promise<boolean> {
    const read = ++this.reads;
    this.early ??= [];
    try {
      const { agents } = await this.caller.call("agent.list", {});
      if (read !== this.reads) return false;
      this.list = agents;
      this.isLoaded = true;
      const early = this.early;
      this.early = null;
      for (const frame of early) this.applyState(frame);
      return true;
    } catch (thrown) {
      if (read === this.reads) this.early = null;
      throw thrown;
    }
  }

  /** Fills in when each agent was last heard of; conversations that cannot be read leave that unknown. */
  private async loadLast(): Promise<void> {
    const { conversations } = await this.caller.call("chat.history", {});
    for (const entry of conversations) {
      if (entry.current && entry.messages > 0 && !this.activity.has(entry.agent)) {
        this.activity.set(entry.agent, { is: "last", title: entry.title, at: entry.updated_at });
      }
    }
  }

  async loadLog(name: AgentName): Promise<void> {
    const { lines } = await this.caller.call("agent.logs", { agent: name });
    this.logs.set(name, lines);
  }

  /** Starts, stops or restarts; a refusal is kept for the agent's row. */
  async order(method: "agent.start" | "agent.stop" | "agent.restart", name: AgentName): Promise<void> {
    this.failures.delete(name);
    try {
      this.put(await this.caller.call(method, { agent: name }));
    } catch (thrown) {
      // A start that failed is told by the agent's own state; only what left no trace there is shown here.
      if (this.find(name)?.state !== "error") this.failures.set(name, sentence(thrown));
    }
  }

  apply(frames: readonly Frame[]): void {
    for (const frame of frames) {
      this.early?.push(frame);
      this.applyState(frame);
      this.applyActivity(frame);
      if (frame.type === "agent:log") this.applyLog(frame);
      // Agents come and go with the file, and so do their titles and their order.
      if (frame.type === "config:changed") this.load().catch(unlessLost);
    }
  }

  private applyState(frame: Frame): void {
    if (frame.type !== "agent:state") return;
    const { agent: name, state, error, cause, outdated, stopping } = frame;
    const known = this.find(name);
    if (!known) {
      if (this.isLoaded && this.early === null) this.load().catch(unlessLost);
      return;
    }
    const restarted = state === "starting" && known.state !== "starting";
    const started_at = restarted ? frame.ts : state === "stopped" || state === "error" ? null : known.started_at;
    const pid = state === "stopped" || state === "error" || restarted ? null : known.pid;
    this.put({ ...known, state, error: error ?? null, cause, outdated, stopping, started_at, pid });
    // What `initialize` told comes with the list alone.
    if (state === "ready" && known.state === "starting") this.read().catch(unlessLost);
  }

  private applyActivity(frame: Frame): void {
    switch (frame.type) {
      case "message:delta": {
        const part = frame.part;
        if (part?.kind === "tool") this.activity.set(frame.agent, doing(part.tool, frame.ts));
        else if (frame.kind === "thought") this.activity.set(frame.agent, { is: "thinking", at: frame.ts });
        else if (frame.kind === "text") this.activity.set(frame.agent, { is: "writing", at: frame.ts });
        break;
      }
      case "turn:changed":
        this.stalled.set(frame.agent, frame.stalled);
        if (frame.busy && !this.turnSince.has(frame.agent)) this.turnSince.set(frame.agent, frame.ts);
        if (!frame.busy) {
          this.turnSince.delete(frame.agent);
          this.activity.set(frame.agent, { is: "answered", at: frame.ts });
        }
        break;
      default:
    }
  }

  private applyLog(frame: Extract<Frame, { type: "agent:log" }>): void {
    const lines = this.logs.get(frame.agent);
    if (!lines || (lines.at(-1)?.number ?? 0) >= frame.number) return;
    const { number, line, stray, ts } = frame;
    this.logs.set(frame.agent, [...lines, { number, line, stray, ts }].slice(-LIMITS.LOG_LINES));
  }

  private put(agent: AgentView): void {
    this.list = this.list.map((other) => (other.name === agent.name ? agent : other));
  }
}

function doing(tool: ToolCall, at: number): Activity {
  return { is: "tool", kind: tool.kind, title: tool.title, at };
}
