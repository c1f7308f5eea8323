// How long steps took: by the stamps of what was seen, and never a time for what was not.
import { describe, expect, test } from "vitest";
import type { ConversationView, Frame, Message, Methods, Part, ToolCall } from "../src/protocol";
import type { Caller } from "../src/stores/caller";
import { LiveConversation } from "../src/stores/conversation.svelte";

const tool = (status: ToolCall["status"], more: Partial<ToolCall> = {}): Part => ({
  kind: "tool", tool: { id: "t", title: "cargo test", kind: "execute", status, input: null, output: null, locations: [], diffs: [], ...more },
});
const text: Part = { kind: "text", text: "So." };

function message(rev: number, parts: Part[], done = false): Message {
  return { id: "m1", agent: "a", conversation: "c", rev, createdAt: 0, role: "agent", turn: null, parts, done, queued: false, stopReason: done ? "end_turn" : null, error: null, code: null };
}

const view = (rev: number, messages: Message[], more: Partial<ConversationView> = {}): ConversationView => ({
  agent: "a", conversation: "c", read_only: false, title: null, cwd: "/", rev, messages, total: messages.length, truncated: false, busy: true, queued: 0, usage: null,
  commands: [], permissions: [], modes: null, config_options: [], stalled: false, elicitations: [], login: null, ...more,
});

const frame = (rev: number, ts: number) => ({ agent: "a", conversation: "c", rev, epoch: "e", seq: rev, ts });
const added = (rev: number, ts: number): Frame => ({ type: "message:updated", ...frame(rev, ts), message: message(rev, []) });
const ended = (rev: number, ts: number, parts: Part[]): Frame => ({ type: "message:updated", ...frame(rev, ts), message: message(rev, parts, true) });
const put = (rev: number, ts: number, index: number, part: Part): Frame => ({ type: "message:delta", ...frame(rev, ts), messageId: "m1", index, kind: part.kind, part });

const asked = { id: "p1", agent: "a", conversation: "c", messageId: "m1", toolCall: (tool("pending") as { tool: ToolCall }).tool, options: [], rejections: 0, createdAt: 0 };
const asks = (rev: number, ts: number): Frame => ({ type: "permission:requested", ...asked, ...frame(rev, ts) });
const allowed = (rev: number, ts: number): Frame => ({ type: "permission:resolved", ...frame(rev, ts), id: "p1", resolution: { outcome: "selected", optionId: "once", answeredBy: "page" } });

/** Asserts how long each part of the message took, after a snapshot, the events that follow it, and perhaps another snapshot. */
async function check(frames: readonly Frame[], expected: readonly (number | null)[], first = view(0, []), second?: ConversationView) {
  let snapshot = first;
  const caller: Caller = { call: <M extends keyof Methods>() => Promise.resolve(snapshot as Methods[M]["reply"]) };
  const live = new LiveConversation(caller, "a", null);
  await live.load();
  live.apply(frames);
  if (second) {
    snapshot = second;
    await live.load();
  }
  expect(expected.map((_, index) => live.timing.of("m1", index))).toEqual(expected);
}

describe("how long a step took", () => {
  test("a call, from its beginning to its end", () => check([added(1, 1_000), put(2, 2_000, 0, tool("in_progress")), put(3, 20_000, 0, tool("completed"))], [18_000]));
  test("a call that failed, too", () => check([added(1, 1_000), put(2, 2_000, 0, tool("in_progress")), put(3, 20_000, 0, tool("failed"))], [18_000]));
  test("output that comes meanwhile ends nothing", () =>
    check([added(1, 0), put(2, 0, 0, tool("in_progress")), put(3, 500, 0, tool("in_progress", { output: "ok" })), put(4, 900, 0, tool("completed"))], [900]));
  test("what is pending has not begun", () => check([added(1, 0), put(2, 0, 0, tool("pending")), put(3, 5_000, 0, tool("in_progress")), put(4, 7_000, 0, tool("completed"))], [2_000]));
  test("many agents never say that a call is in progress", () => check([added(1, 0), put(2, 0, 0, tool("pending")), put(3, 3_000, 0, tool("completed"))], [3_000]));
  test("waiting for a person is not working", () =>
    check([added(1, 0), put(2, 0, 0, tool("pending")), asks(3, 100), allowed(4, 60_100), put(5, 63_100, 0, tool("completed"))], [3_000]));
  test("a call that was allowed begins then, though it was asked for before anybody looked", () =>
    check([allowed(2, 1_000), put(3, 5_000, 0, tool("completed"))], [4_000], view(1, [message(1, [tool("pending")])], { permissions: [asked] })));
  test("reasoning ends with what comes after it", () => check([added(1, 0), put(2, 1_000, 0, { kind: "thought", text: "Hm" }), put(3, 9_000, 1, text)], [8_000, null]));
  test("or with its message", () => check([added(1, 0), put(2, 1_000, 0, { kind: "thought", text: "Hm" }), ended(3, 4_000, [{ kind: "thought", text: "Hm" }])], [3_000]));
});

describe("no time is told", () => {
  test("of what stands in a snapshot", () => check([], [null], view(3, [message(3, [tool("completed")], true)])));
  test("of what had begun before the snapshot", () => check([put(2, 9_000, 0, tool("completed"))], [null], view(1, [message(1, [tool("in_progress")])])));
  test("of a call that is told when it has ended", () => check([added(1, 0), put(2, 9_000, 0, tool("completed"))], [null]));
  test("of what Stop ended", () => check([added(1, 0), put(2, 0, 0, tool("in_progress")), put(3, 9_000, 0, tool("failed", { cancelled: true }))], [null]));
  test("of what ended while nobody was there", () =>
    check([added(1, 0), put(2, 0, 0, tool("in_progress"))], [null], view(0, []), view(5, [message(5, [tool("completed")], true)])));
  test("of what was put in progress before a gap, and ended after it", async () => {
    let snapshot = view(0, []);
    const live = new LiveConversation({ call: <M extends keyof Methods>() => Promise.resolve(snapshot as Methods[M]["reply"]) }, "a", null);
    await live.load();
    live.apply([added(1, 0), put(2, 0, 0, tool("in_progress"))]);
    snapshot = view(5, [message(5, [tool("in_progress")])]);
    await live.load();
    live.apply([put(6, 9_000, 0, tool("completed"))]);
    expect(live.timing.of("m1", 0)).toBe(null);
  });
  test("twice for an event that comes again", () =>
    check([added(1, 0), put(2, 0, 0, tool("in_progress")), put(3, 2_000, 0, tool("completed")), put(3, 9_000, 0, tool("completed"))], [2_000]));
});
