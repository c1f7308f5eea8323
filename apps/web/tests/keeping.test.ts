// Kept conversations: what is found while one types, what is written out, and under which name.
import { describe, expect, test } from "vitest";
import type { Methods, SearchMatch } from "../src/protocol";
import type { Caller } from "../src/stores/caller";
import { fileNameOf, Finder, windowsOf } from "../src/stores/keeping.svelte";
import { formatRoute, parseRoute, type Route } from "../src/stores/route.svelte";

type Call = { params: unknown; resolve(value: unknown): void; reject(thrown: Error): void };

class Asked implements Caller {
  readonly calls: Call[] = [];

  call<M extends keyof Methods>(_method: M, params: Methods[M]["params"]): Promise<Methods[M]["reply"]> {
    return new Promise((resolve, reject) => this.calls.push({ params, resolve: resolve as (value: unknown) => void, reject }));
  }
}

const match = (id: string): SearchMatch => ({
  conversation: "c", agent: "a", title: null, config: "", current: true, message_id: id, role: "user", created_at: 1, excerpt: [{ text: id, found: true }],
});
const found = (...ids: string[]) => ({ matches: ids.map(match), truncated: false });

describe("finding", () => {
  test("asks one question at a time, and shows what the newest one found", async () => {
    const caller = new Asked();
    const finder = new Finder(caller);
    const done = finder.find("r", null);
    void finder.find("re", null);
    void finder.find("reb", "a");
    expect(caller.calls.map(({ params }) => params)).toEqual([{ query: "r", agent: null, limit: 50 }]);
    caller.calls[0]?.resolve(found("old"));
    await expect.poll(() => caller.calls.length).toBe(2);
    expect(finder.matches).toEqual([]);
    expect(caller.calls[1]?.params).toEqual({ query: "reb", agent: "a", limit: 50 });
    caller.calls[1]?.resolve(found("m1", "m2"));
    await done;
    expect(finder.matches.map(({ message_id }) => message_id)).toEqual(["m1", "m2"]);
    expect(finder.isSearching).toBe(false);
  });

  test("asks nothing without a word, and forgets what was found", async () => {
    const caller = new Asked();
    const finder = new Finder(caller);
    const done = finder.find("word", null);
    void finder.find(" ?!", null);
    expect(finder.matches).toEqual([]);
    caller.calls[0]?.resolve(found("m1"));
    await done;
    expect(finder.matches).toEqual([]);
    expect(caller.calls.length).toBe(1);
  });

  test("says why it cannot, until it can", async () => {
    const caller = new Asked();
    const finder = new Finder(caller);
    const first = finder.find("one", null);
    caller.calls[0]?.reject(new Error("the disk is gone"));
    await first;
    expect(finder.failure).toBe("the disk is gone");
    const second = finder.find("two", null);
    caller.calls[1]?.resolve(found("m1"));
    await second;
    expect([finder.failure, finder.matches.length]).toEqual([null, 1]);
  });
});

describe("writing out", () => {
  test("takes every window, in order", async () => {
    const next = { message: "m1", offset: 7 };
    const replies = [{ text: "one", next }, { text: "two", next: null }];
    const asked: unknown[] = [];
    const caller: Caller = { call: (_method, params) => (asked.push(params), Promise.resolve(replies.shift() as never)) };
    const windows: string[] = [];
    for await (const window of windowsOf(caller, "c", "json")) windows.push(window);
    expect(windows).toEqual(["one", "two"]);
    expect(asked).toEqual([{ id: "c", format: "json", from: null }, { id: "c", format: "json", from: next }]);
  });

  test.each([
    ["Fix the gates", "Fix the gates 2026-03-09.md"],
    ["../../etc/passwd", "etc passwd 2026-03-09.md"],
    ["a\u202egpj.exe\n: <b>", "a gpj.exe b 2026-03-09.md"],
    ["...", "conversation 2026-03-09.md"],
    ["é".repeat(200), `${"é".repeat(60)} 2026-03-09.md`],
  ])("names the file of %j", (title, name) => {
    expect(fileNameOf(title, new Date(2026, 2, 9), "markdown")).toBe(name);
  });
});

describe("an address", () => {
  test.each<[string, Route]>([
    ["#/agents/demo", { place: "agents", agent: "demo", earlier: null }],
    ["#/agents/demo/c1", { place: "agents", agent: "demo", earlier: "c1" }],
    ["#/agents/demo/c1/m1", { place: "agents", agent: "demo", earlier: "c1", message: "m1" }],
    ["#/agents/demo/current/m1", { place: "agents", agent: "demo", earlier: null, message: "m1" }],
  ])("%s leads to a message, and back", (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
    expect(formatRoute(route)).toBe(hash);
  });
});
