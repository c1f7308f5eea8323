// The catalogues match: the same keys, the same parameters, nothing left in English in the French one.
import { describe, expect, test } from "vitest";
import { en, type Catalogue } from "../src/words/en";
import { fr } from "../src/words/fr";
import { CallFailure } from "../src/transport/failure";
import { CAUSES, ERROR_KINDS, PROBLEMS } from "./causes";
import { formatAge, formatBytes, formatDuration, formatMoney, formatNumber } from "../src/words/format";

/** Words that are the same in both languages. */
const SHARED = new Set(["Agents", "Actions", "Conversations", "Plan", "Mode", "Messages", "Session", "Pupitre", "English", "Français", "Agent", "Image (x)", "2 messages", "1 message", "Surface", "80 × 24", "Markdown", "JSON"]);

const ARGUMENTS: Record<string, unknown[][]> = {
  place: [["agents"], ["channels"], ["panes"], ["fleet"], ["settings"]],
  connection: [["connecting"], ["connected"], ["lost"], ["refused"]],
  themeName: [["system"], ["light"], ["dark"]],
  languageName: [["system"], ["en"], ["fr"]],
  paletteGroup: [["actions"], ["agents"], ["channels"], ["panes"], ["conversations"]],
  state: ["stopped", "starting", "ready", "busy", "error", "asks", "stalled", "finished", "thinking", "idle", "unknown", "ended"].map((state) => [state]),
  role: [["user"], ["agent"], ["system"]],
  systemLine: [["agent-restarted"], ["agent-unavailable"], ["too-many-requests"]],
  causeLine: Object.values(CAUSES).map((cause) => [cause]),
  failureLine: ERROR_KINDS.map((kind) => [new CallFailure(kind, "the daemon says why")]),
  problemLine: Object.values(PROBLEMS).map((cause) => [{ line: 1, column: 1, message: "the daemon says what", cause, warning: false }]),
  stopReason: ["end_turn", "cancelled", "max_tokens", "max_turn_requests", "refusal"].map((reason) => [reason]),
  verbNow: ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"].map((kind) => [kind]),
  verbDone: ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"].map((kind) => [kind]),
  asksTo: ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"].map((kind) => [kind]),
  asksFor: [[{ is: "permission", kind: "read" }], [{ is: "form" }], [{ is: "visit" }], [{ is: "login" }]],
  exportFormat: [["markdown"], ["json"]],
  exportFormatWhat: [["markdown"], ["json"]],
  notDeletedFor: [["turn_running", "x"]],
  notSentFor: [["connection_lost"], ["too_large"]],
  toolStatus: [["pending"], ["in_progress"], ["completed"], ["failed"]],
  planStatus: [["completed"], ["in_progress"], ["pending"]],
  wantsTo: ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"].map((kind) => [kind]),
  asksThat: [["permission", "x"], ["form", "x"], ["visit", "x"], ["login", "x"]],
  paneWants: [["permission", null], ["permission", "x"], ["question", null], ["auth", null]],
  fleetColumn: ["state", "surface", "tool", "workspace", "does", "since", "evidence"].map((column) => [column]),
  evidence: ["hook", "status", "acp", "screen", "process", "quiet"].map((evidence) => [evidence]),
  atWorkIn: [[1, 1], [2, 2]],
  panesIn: [["x", 1], ["x", 2]],
  sizeOf: [[80, 24]],
  arrange: [["columns"], ["stack"], ["tiles"]],
  runs: [["shell"], ["command"], ["agent"]],
  endedWith: [[{ code: 2 }], [{ signal: "SIGKILL" }], [{}]],
  found: [[0, 0], [1, 2]],
  share: [[1, 2]],
};

/** Numbers for counts, letters for names: enough to call every message. */
function said(catalogue: Catalogue, key: keyof Catalogue): string[] {
  const entry = catalogue[key] as string | ((...values: unknown[]) => unknown);
  if (typeof entry === "string") return [entry];
  const calls = ARGUMENTS[key] ?? [1, 2].map((value) => new Array<unknown>(entry.length).fill(isCount(key) ? value : "x"));
  return calls.map((values) => {
    const result = entry(...values);
    return typeof result === "string" ? result : JSON.stringify(result);
  });
}

const COUNTS = /^(?:running|asking|errors|problemsInConfiguration|problemCount|warningCount|warningsInConfiguration|foundOfKnown|foundOf|messageCount|newBelow|words|lines|unchangedLines|refusedThisTurn|tooManyFiles|queuedNumber|changedFiles|toAll|keepsFromSaving|goToLine|openingStops|atWork|paneCount|closeWorkspaceWhat|matchCount)$/;
const isCount = (key: string) => COUNTS.test(key);

describe("the catalogues", () => {
  const keys = Object.keys(en) as (keyof Catalogue)[];

  test("have the same keys", () => {
    expect(Object.keys(fr).sort()).toEqual([...keys].sort());
  });

  test.each(keys)("%s has the same parameters, and words of its own", (key) => {
    expect(typeof fr[key]).toBe(typeof en[key]);
    // Both languages are called in the same way, so each uses what it is given, or neither does.
    const english = said(en, key);
    const french = said(fr, key);
    for (const [at, text] of english.entries()) {
      const other = french[at] ?? "";
      expect(other.includes("x") || !/\bx\b/.test(text), `${key}: a parameter is missing in “${other}”`).toBe(true);
      const isShared = SHARED.has(text) || text === "" || text === "{}" || !/[a-z]{2}/i.test(text);
      if (!isShared) expect(other, `${key} is not translated`).not.toBe(text);
    }
  });

  test("French has its own spaces before double marks", () => {
    for (const key of keys) {
      for (const text of said(fr, key)) expect(text, key).not.toMatch(/(?<!["\d:])[^\s\u00a0\u202f:"'/[{,](?:[;!?]|:(?![\d/]))(?!["}])/);
    }
  });
});

describe("formats", () => {
  test("numbers and units are each language's own", () => {
    expect(formatNumber(124180, "en")).toBe("124,180");
    expect(formatNumber(124180, "fr")).toBe("124\u202f180");
    expect(formatBytes(12_345, "en")).toBe("12\u00a0kB");
    expect(formatBytes(12_345, "fr")).toBe("12\u00a0ko");
    expect(formatMoney(0.84, "USD", "en")).toBe("$0.84");
    expect(formatMoney(0.0034 - 0.0033, "USD", "fr")).toBe("0,0001\u00a0$");
    expect(formatDuration(112_000, "en")).toBe("1\u00a0min 52\u00a0s");
    expect(formatDuration(2 * 86_400_000, "fr")).toBe("2\u00a0j");
  });

  test("an age says seconds, minutes and hours, then the day", () => {
    const now = new Date("2026-11-30T15:00:00").getTime();
    const ago = (ms: number) => formatAge(now - ms, now, "en");
    expect([ago(4_000), ago(120_000), ago(3_600_000)]).toEqual(["4\u00a0s", "2\u00a0min", "1\u00a0h"]);
    expect(ago(3 * 86_400_000)).toBe("Fri");
  });
});
