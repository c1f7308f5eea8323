// Stores that take snapshots while events come: whichever is first, the end is the same.
import { describe, expect, test } from "vitest";
import type { AgentView, ConversationView, Frame, Message, Methods } from "../src/protocol";
import { AgentsStore } from "../src/stores/agents.svelte";
import type { Caller } from "../src/stores/caller";
import { LiveConversation } from "../src/stores/conversation.svelte";

/** Answers when the test says so. */
class Slow implements Caller {
  private readonly waiting: { method: string; resolve(value: unknown): void }[] = [];

  call<M extends keyof Methods>(method: M): Promise<Methods[M]["reply"]> {
    return new Promise((resolve) => this.waiting.push({ method, resolve: resolve as (value: unknown) => void }));
  }

  async answer(method: string, value: unknown): Promise<void> {
    const at = this.waiting.findIndex((waiting) => waiting.method === method);
    expect(at, `nobody waits for ${method}`).not.toBe(-1);
    this.waiting.splice(at, 1)[0]?.resolve(value);
    // sleep: no time passes; what waits for the answer runs before the next task does.
    await new Promise((resolve) => setTimeout(resolve));
  }
}

const message = (id: string, rev: number, text: string): Message => ({
  id, agent: "a", conversation: "c", rev, createdAt: rev, role: "agent", turn: null, parts: [{ kind: "text", text }], done: false, queued: false, stopReason: null, error: null, code: null,
});

const view = (rev: number, messages: Message[]): ConversationView => ({
  agent: "a", conversation: "c", read_only: false, title: null, cwd: "/", rev, messages, total: messages.length, truncated: false, busy: true, queued: 0, usage: null,
  commands: [], permissions: [], modes: null, config_options: [], stalled: false, elicitations: [], login: null,
});

const delta = (rev: number, text: string): Frame => ({
  type: "message:delta", agent: "a", conversation: "c", rev, messageId: "m1", index: 0, kind: "text", text, epoch: "e", seq: rev, ts: rev,
});

const textOf = (live: LiveConversation) => live.messages.map(({ value }) => value.parts.map((part) => ("text" in part ? part.text : "")).join()).join("|");

describe("a conversation", () => {
  test("tells what the newest turn has cost, when it was there from its beginning", async () => {
    const caller = new Slow();
    const live = new LiveConversation(caller, "a", null);
    const loading = live.load();
    await caller.answer("chat.conversation", { ...view(1, [{ ...message("m1", 1, "one"), turn: "t1" }]), usage: { used: 1, size: 9, cost: { amount: 0.5, currency: "USD" } } });
    await loading;
    const at = (rev: number) => ({ agent: "a", conversation: "c", rev, epoch: "e", seq: rev, ts: rev });
    const cost = (rev: number, amount: number): Frame => ({ type: "usage:changed", ...at(rev), usage: { used: 1, size: 9, cost: { amount, currency: "USD" } } });
    live.apply([cost(2, 0.75)]);
    expect(live.turnCost).toBe(null);
    live.apply([{ type: "message:updated", ...at(3), message: { ...message("m2", 3, "two"), turn: "t2" } }, cost(4, 1)]);
    live.apply([{ type: "message:updated", ...at(5), message: { ...message("m3", 5, "two, too"), turn: "t2" } }, cost(6, 1.5)]);
    expect(live.turnCost).toEqual({ amount: 0.75, currency: "USD" });
  });

  test("events that overtake its snapshot are applied after it, and none twice", async () => {
    const caller = new Slow();
    const live = new LiveConversation(caller, "a", null);
    const loading = live.load();
    live.apply([delta(2, " two"), delta(3, " three")]);
    await caller.answer("chat.conversation", view(2, [message("m1", 2, "one two")]));
    await loading;
    expect(textOf(live)).toBe("one two three");
  });

  test("a gap brings another snapshot, and what is drawn keeps its place", async () => {
    const caller = new Slow();
    const live = new LiveConversation(caller, "a", null);
    void live.load();
    await caller.answer("chat.conversation", view(1, [message("m1", 1, "one")]));
    const first = live.messages[0];
    live.apply([{ ...delta(5, " five"), index: 4 } as Frame]);
    await caller.answer("chat.conversation", view(5, [message("m1", 5, "one and all")]));
    expect(textOf(live)).toBe("one and all");
    expect(live.messages[0]).toBe(first);
  });

  test("what waits stands in the queue, and what was taken back is nowhere", async () => {
    const caller = new Slow();
    const live = new LiveConversation(caller, "a", null);
    void live.load();
    const waits: Message = { ...message("m2", 2, "later"), role: "user", queued: true };
    await caller.answer("chat.conversation", view(2, [message("m1", 1, "one"), waits]));
    expect(live.queued.map(({ id }) => id)).toEqual(["m2"]);
    const withdrawn = { ...waits, rev: 3, queued: false, error: "withdrawn" };
    live.apply([{ type: "message:updated", agent: "a", conversation: "c", rev: 3, message: withdrawn, epoch: "e", seq: 3, ts: 3 }]);
    expect(live.queued).toEqual([]);
    expect(live.talk.map(({ id }) => id)).toEqual(["m1"]);
  });
});

describe("the agents", () => {
  const agent = (state: AgentView["state"]): AgentView => ({
    name: "a", title: "A", icon: null, description: null, state, error: null, outdated: false, stopping: false, pid: null, version: null, started_at: null, capabilities: null, auth_methods: [],
  });

  test("a state that comes while the list is on its way is not overwritten by it", async () => {
    const caller = new Slow();
    const agents = new AgentsStore(caller);
    void agents.load();
    agents.apply([{ type: "agent:state", agent: "a", state: "error", error: "exited with code 3", outdated: false, stopping: false, epoch: "e", seq: 1, ts: 1 }]);
    await caller.answer("agent.list", { agents: [agent("ready")] });
    expect(agents.find("a")).toMatchObject({ state: "error", error: "exited with code 3" });
  });

  test("an agent that is not known yet brings the list again", async () => {
    const caller = new Slow();
    const agents = new AgentsStore(caller);
    void agents.load();
    await caller.answer("agent.list", { agents: [] });
    agents.apply([{ type: "agent:state", agent: "a", state: "stopped", outdated: false, stopping: false, epoch: "e", seq: 1, ts: 1 }]);
    await caller.answer("agent.list", { agents: [agent("stopped")] });
    expect(agents.find("a")?.state).toBe("stopped");
  });
});
