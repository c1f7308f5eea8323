// The promise of the protocol: a snapshot and the events after it are what the daemon would show, whatever the order
// of arrival, whatever comes twice, whatever connection breaks.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Replica } from "../src/conversation/replica";
import type { ConversationView, Frame, Message, Part } from "../src/protocol";

/** A conversation as the daemon keeps it: each change has a revision and an event. */
class Source {
  readonly events: Frame[] = [];
  private readonly messages: Message[] = [];
  private rev = 0;
  private head = { busy: false, stalled: false, queued: 0, title: null as string | null, used: 0, login: null as ConversationView["login"] };
  private elicitations: ConversationView["elicitations"] = [];
  private permissions: ConversationView["permissions"] = [];

  view(before?: string, limit = 200): ConversationView {
    const all = this.messages.filter((message) => before === undefined || message.id < before);
    return structuredClone({
      agent: "demo", conversation: "c1", read_only: false, title: this.head.title, cwd: "/work", rev: this.rev,
      messages: all.slice(-limit), total: this.messages.length, truncated: false, busy: this.head.busy, queued: this.head.queued,
      usage: this.head.used > 0 ? { used: this.head.used, size: 100 } : null, commands: [], permissions: this.permissions,
      modes: null, config_options: [], stalled: this.head.stalled,
      elicitations: this.elicitations, login: this.head.login,
    });
  }

  add(role: "user" | "agent"): void {
    const rev = ++this.rev;
    const id = `m${String(this.messages.length).padStart(6, "0")}`;
    const message: Message = {
      id, agent: "demo", conversation: "c1", rev, createdAt: rev, role, turn: null, parts: [], done: role === "user", queued: false,
      stopReason: null, error: null, code: null,
    };
    this.messages.push(message);
    this.emit({ type: "message:updated", rev, message: structuredClone(message) });
  }

  append(pick: number, kind: "text" | "thought", text: string): void {
    this.change(pick, (message) => {
      const last = message.parts.at(-1);
      const rev = ++this.rev;
      message.rev = rev;
      if (last?.kind === kind) last.text += text;
      else message.parts.push({ kind, text });
      this.emit({ type: "message:delta", rev, messageId: message.id, index: message.parts.length - 1, kind, text });
    });
  }

  tool(pick: number, status: "in_progress" | "completed"): void {
    this.change(pick, (message) => {
      const at = message.parts.findIndex((part) => part.kind === "tool");
      const index = at === -1 ? message.parts.length : at;
      const part: Part = {
        kind: "tool",
        tool: { id: "t", title: "Run", kind: "execute", status, input: null, output: null, locations: [], diffs: [] },
      };
      const rev = ++this.rev;
      message.rev = rev;
      message.parts[index] = part;
      this.emit({ type: "message:delta", rev, messageId: message.id, index, kind: "tool", part: structuredClone(part) });
    });
  }

  finish(pick: number): void {
    this.change(pick, (message) => {
      const rev = ++this.rev;
      Object.assign(message, { rev, done: true, stopReason: "end_turn" });
      this.emit({ type: "message:updated", rev, message: structuredClone(message) });
    });
  }

  beside(what: number): void {
    const rev = ++this.rev;
    switch (what % 5) {
      case 4: {
        const open = this.elicitations[0];
        if (open) {
          this.elicitations = [];
          this.emit({ type: "elicitation:resolved", rev, id: open.id, resolution: { outcome: "cancelled" } });
        } else {
          const wants = { mode: "url" as const, url: "https://example.org/" };
          const elicitation = { id: `q${rev}`, agent: "demo", conversation: "c1", message: "?", wants, createdAt: rev };
          this.elicitations = [elicitation];
          this.emit({ type: "elicitation:requested", rev, elicitation });
        }
        break;
      }
      case 0:
        this.head.busy = !this.head.busy;
        this.head.queued = what;
        this.head.stalled = this.head.busy && what > 3;
        this.head.login = this.head.busy ? { message: "log in", methods: [] } : null;
        this.emit({ type: "turn:changed", rev, busy: this.head.busy, queued: what, stalled: this.head.stalled, login: this.head.login });
        break;
      case 1:
        this.head.used = rev;
        this.emit({ type: "usage:changed", rev, usage: { used: rev, size: 100 } });
        break;
      case 2:
        this.head.title = `title ${rev}`;
        this.emit({ type: "session:changed", rev, title: this.head.title });
        break;
      default: {
        const open = this.permissions[0];
        if (open) {
          this.permissions = this.permissions.slice(1);
          this.emit({ type: "permission:resolved", rev, id: open.id, resolution: { outcome: "cancelled" } });
        } else {
          const asked = {
            id: `p${rev}`, agent: "demo", conversation: "c1", messageId: "m000000", options: [], rejections: 0, createdAt: rev,
            toolCall: { id: "t", title: "Run", kind: "execute" as const, status: "pending" as const, input: null, output: null, locations: [], diffs: [] },
          };
          this.permissions = [asked];
          this.emit({ type: "permission:requested", rev, ...asked });
        }
      }
    }
  }

  private change(pick: number, how: (message: Message) => void): void {
    const open = this.messages.filter((message) => message.role === "agent");
    const message = open[pick % Math.max(1, open.length)];
    if (message) how(message);
  }

  private emit(event: Record<string, unknown>): void {
    const seq = this.events.length + 1;
    this.events.push({ agent: "demo", conversation: "c1", epoch: "e", seq, ts: seq, ...event } as unknown as Frame);
  }
}

type Deed =
  | { is: "add"; role: "user" | "agent" }
  | { is: "append"; pick: number; kind: "text" | "thought"; text: string }
  | { is: "tool"; pick: number; status: "in_progress" | "completed" }
  | { is: "finish"; pick: number }
  | { is: "beside"; what: number };

const pick = fc.nat(5);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ is: fc.constant("add" as const), role: fc.constantFrom("user" as const, "agent" as const) }) },
  { weight: 6, arbitrary: fc.record({ is: fc.constant("append" as const), pick, kind: fc.constantFrom("text" as const, "thought" as const), text: fc.string() }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant("tool" as const), pick, status: fc.constantFrom("in_progress" as const, "completed" as const) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("finish" as const), pick }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant("beside" as const), what: fc.nat(9) }) },
);

function act(source: Source, deed: Deed): void {
  switch (deed.is) {
    case "add":
      return source.add(deed.role);
    case "append":
      return source.append(deed.pick, deed.kind, deed.text);
    case "tool":
      return source.tool(deed.pick, deed.status);
    case "finish":
      return source.finish(deed.pick);
    case "beside":
      return source.beside(deed.what);
  }
}

/** Compares as far back as the replica reaches. */
function expectSame(replica: Replica, source: Source): void {
  const held = replica.view();
  const shown = source.view(undefined, 10_000);
  expect({ ...held, messages: [] }).toEqual({ ...shown, messages: [] });
  expect(held.messages).toEqual(shown.messages.slice(shown.messages.length - held.messages.length));
}

describe("snapshot + events = chat.conversation", () => {
  test("from any snapshot, through lost connections and what comes twice", () => {
    const scenario = fc.record({
      deeds: fc.array(deed, { minLength: 1, maxLength: 60 }),
      snapshotAt: fc.nat(60),
      /** How many events again after each reconnection, from a cursor that is behind. */
      repeats: fc.array(fc.nat(8), { maxLength: 6 }),
      limit: fc.integer({ min: 1, max: 8 }),
      older: fc.nat(60),
    });
    fc.assert(
      fc.property(scenario, ({ deeds, snapshotAt, repeats, limit, older }) => {
        const source = new Source();
        source.add("agent");
        let replica: Replica | null = null;
        let read = 0;
        for (const [at, deed] of deeds.entries()) {
          if (at === Math.min(snapshotAt, deeds.length - 1)) {
            replica = new Replica(source.view(undefined, limit));
            // The stream began earlier than the snapshot: what it holds comes again.
            read = Math.max(0, source.events.length - (repeats[0] ?? 0));
          }
          act(source, deed);
          if (replica && at === older) {
            const first = replica.messages[0];
            if (first) replica.prepend(source.view(first.id, limit));
          }
          if (replica && at % 3 === 0) {
            const again = repeats[at % Math.max(1, repeats.length)] ?? 0;
            for (const event of source.events.slice(Math.max(0, read - again))) expect(replica.apply(event).is).not.toBe("lost");
            read = source.events.length;
          }
        }
        if (!replica) return;
        for (const event of source.events.slice(read)) expect(replica.apply(event).is).not.toBe("lost");
        expectSame(replica, source);
      }),
      { numRuns: 500 },
    );
  });

  test("an older page may know more than the stream has told", () => {
    const source = new Source();
    source.add("agent");
    source.add("user");
    const replica = new Replica(source.view(undefined, 1));
    const read = source.events.length;
    source.append(0, "text", "more");
    const first = replica.messages[0];
    if (first) replica.prepend(source.view(first.id, 1));
    for (const event of source.events.slice(read)) replica.apply(event);
    expectSame(replica, source);
  });

  test("a gap is noticed, and another snapshot mends it", () => {
    const source = new Source();
    source.add("agent");
    const replica = new Replica(source.view());
    source.add("agent");
    source.append(1, "text", "hello");
    const delta = source.events.at(-1);
    expect(delta && replica.apply(delta).is).toBe("lost");
    expectSame(new Replica(source.view()), source);
  });

  test("events of another conversation change nothing", () => {
    const source = new Source();
    source.add("agent");
    const replica = new Replica(source.view());
    source.append(0, "text", "hello");
    const event = { ...(source.events.at(-1) as object), conversation: "other" } as Frame;
    expect(replica.apply(event).is).toBe("nothing");
  });
});
