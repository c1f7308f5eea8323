// Small rules: rows of a diff, lines of the file, completion, the palette, routes, what is said of a tool call.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { countLines } from "../src/conversation/lines";
import { match } from "../src/frame/palette";
import { withKey } from "../src/frame/theme";
import { TILES } from "../src/parts/tiles";
import { pairsOf, rowsOf } from "../src/places/conversation/diff";
import { screenfulFrom } from "../src/places/conversation/screenful";
import { commandOf, shortPath, toolObject } from "../src/places/conversation/tools";
import { type Schema, suggestKeys, suggestTables, suggestValues, tableAt } from "../src/places/settings/schema";
import type { Message, ToolCall } from "../src/protocol";
import { formatRoute, parseRoute } from "../src/stores/route.svelte";

const diff = (oldText: string | null, newText: string) => ({ path: "a.rs", oldText, newText, newFile: oldText === null });

describe("a diff", () => {
  test("marks the words that changed and leaves out what is far from a change", () => {
    const before = [...Array.from({ length: 10 }, (_, at) => `line ${at}`), "let a = 1;", "end"].join("\n");
    const rows = rowsOf(diff(`${before}\n`, `${before.replace("a = 1", "a = 2")}\n`));
    expect(rows[0]).toEqual({ is: "gap", lines: 7 });
    expect(rows.find((row) => row.is === "removed")).toMatchObject({ old: 11, pieces: [{ text: "let a = ", isChanged: false }, { text: "1", isChanged: true }, { text: ";", isChanged: false }] });
    expect(rows.find((row) => row.is === "added")).toMatchObject({ new: 11 });
  });

  test("of a new file is all added", () => {
    expect(rowsOf(diff(null, "a\nb\n")).map((row) => row.is)).toEqual(["added", "added"]);
    expect(countLines(diff(null, "a\nb\n"))).toEqual({ added: 2, removed: 0 });
  });

  test("side by side pairs what was removed with what was added", () => {
    const pairs = pairsOf(rowsOf(diff("a\nb\nc\n", "a\nB\nB2\nc\n")));
    expect(pairs.map((pair) => (pair.is === "gap" ? "gap" : [pair.left?.is ?? null, pair.right?.is ?? null]))).toEqual([
      ["same", "same"], ["removed", "added"], [null, "added"], ["same", "same"],
    ]);
  });

  test("counts what changed", () => {
    expect(countLines(diff("a\nb\nc\n", "a\nx\ny\nc\n"))).toEqual({ added: 2, removed: 1 });
  });
});

describe("the icons", () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

  test("are those that the daemon names, and each is on the sheet", () => {
    const list = /ICONS: &\[&str\] = &\[([^\]]*)\]/.exec(read("../../../crates/model/src/config/preset.rs"))?.[1] ?? "";
    const named = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name);
    expect(Object.keys(TILES).sort()).toEqual(named.sort());
    const drawn = new Set([...read("../src/icons.svg").matchAll(/<symbol id="([^"]+)"/g)].map(([, id]) => id));
    for (const drawing of Object.values(TILES)) expect(drawn).toContain(drawing);
  });
});

describe("the first screen of a conversation", () => {
  const said = (text: string) => ({ value: { role: "agent", parts: [{ kind: "text", text }] } as unknown as Message });
  const check = (texts: string[], height: number, from: number) => expect(screenfulFrom(texts.map(said), height)).toBe(from);

  test("is as many messages as fill the window, and at least the last", () => {
    check([], 700, 0);
    check(["short", "short"], 700, 0);
    check(Array(200).fill("short"), 700, 176);
    check([...Array(200).fill("short"), "line\n".repeat(60)], 700, 200);
    check([...Array(200).fill("short"), "letters ".repeat(600)], 700, 200);
  });
});

describe("a line of the configuration file", () => {
  test.each([
    ['theme = "dark"\n', 'theme = "light"\n'],
    ['# a\ntheme="dark" # why\n[limits]\n', '# a\ntheme= "light" # why\n[limits]\n'],
    ["#:schema s\n[[agents]]\ntheme = 1\n", '#:schema s\ntheme = "light"\n[[agents]]\ntheme = 1\n'],
    ["", 'theme = "light"\n'],
    ['# Yours.\n\n# theme = "system"   # or "dark"\n# language = "system"\n', '# Yours.\n\n# theme = "system"   # or "dark"\ntheme = "light"\n# language = "system"\n'],
    ['# Yours.\n# language = "system"\n', '# Yours.\ntheme = "light"\n# language = "system"\n'],
  ])("is set without touching another: %j", (text, expected) => expect(withKey(text, "theme", "light")).toBe(expected));
});

describe("completion", () => {
  const schema: Schema = {
    properties: {
      theme: { $ref: "#/$defs/Theme", description: "How it looks. More." },
      agents: { type: "array", items: { $ref: "#/$defs/Agent" } },
      limits: { $ref: "#/$defs/Limits" },
    },
    $defs: {
      Theme: { oneOf: [{ const: "light", description: "Light." }, { const: "dark" }] },
      Agent: { properties: { name: { type: "string" }, history: { type: "boolean" } } },
      Limits: { properties: { maxRunningAgents: { type: "integer" } } },
    },
  };

  test("finds the table of a line", () => {
    expect(tableAt("a = 1\n[[agents]]\nname = 1\n", 1)).toEqual([]);
    expect(tableAt("a = 1\n[[agents]]\nname = 1\n", 3)).toEqual(["agents"]);
  });

  test("offers keys that are not there, their values, and tables", () => {
    expect(suggestKeys(schema, ["agents"], new Set(["name"]))).toEqual([{ label: "history", detail: "", insert: "history = " }]);
    expect(suggestValues(schema, [], "theme").map(({ label, detail }) => [label, detail])).toEqual([['"light"', "Light."], ['"dark"', ""]]);
    expect(suggestValues(schema, ["agents"], "history").map(({ label }) => label)).toEqual(["true", "false"]);
    expect(suggestTables(schema).map(({ label }) => label)).toEqual(["[[agents]]", "[limits]"]);
  });
});

describe("the palette", () => {
  const offer = (title: string, group: "actions" | "agents" = "actions") => ({ id: title, group, icon: "", title, run: () => undefined });

  test("finds words in any order, without case and accents, best first", () => {
    const found = match([offer("Arrêter Démo"), offer("Redémarrer Démo"), offer("Démo", "agents")], "demo redem");
    expect(found.map((choice) => choice.title)).toEqual(["Redémarrer Démo"]);
    expect(match([offer("Stop all"), offer("All")], "all").map((choice) => choice.title)).toEqual(["All", "Stop all"]);
  });

  test("a > leaves actions alone", () => {
    expect(match([offer("Demo", "agents"), offer("Start Demo")], "> demo").map((choice) => choice.title)).toEqual(["Start Demo"]);
  });
});

describe("a route", () => {
  test.each(["#/agents", "#/agents/demo", "#/agents/demo/0198-a", "#/channels/review", "#/settings"])("%s comes back as it was", (hash) => {
    expect(formatRoute(parseRoute(hash))).toBe(hash);
  });

  test("anything else leads to the agents", () => expect(formatRoute(parseRoute("#token=x"))).toMatch(/^#\/agents/));
});

describe("a tool call", () => {
  const call = (more: Partial<ToolCall>): ToolCall => ({
    id: "1", title: "", kind: "execute", status: "pending", input: null, output: null, locations: [], diffs: [], ...more,
  });

  test.each([
    [{ input: '{"command":"cargo test"}' }, "cargo test"],
    [{ input: '{"command":["git","commit","-m","two words"]}' }, "git commit -m 'two words'"],
    [{ title: "`ls -la`" }, "ls -la"],
    [{ title: "Run ls", kind: "read" as const }, null],
  ])("%j would run %j", (more, expected) => expect(commandOf(call(more))).toBe(expected));

  test("says its verb once", () => {
    expect(toolObject("read", "Read src/a.rs")).toBe("src/a.rs");
    expect(toolObject("search", "“as i64”")).toBe("“as i64”");
    expect(toolObject("other", "Read the room")).toBe("Read the room");
  });

  test("paths below the folder are short", () => {
    expect(shortPath("/a/b/c.rs", "/a/b")).toBe("c.rs");
    expect(shortPath("/a/bc.rs", "/a/b")).toBe("/a/bc.rs");
  });
});
