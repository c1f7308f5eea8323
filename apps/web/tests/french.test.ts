// Whatever the daemon tells by a cause or a kind is French in the French page; the words of others stand in quotes.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Problem } from "../src/protocol";
import { type Schema, suggestKeys, suggestTables } from "../src/places/settings/schema";
import { CallFailure } from "../src/transport/failure";
import { fr } from "../src/words/fr";
import { MEANINGS } from "../src/words/fr/meanings";
import { reasonOf } from "../src/words/reason";
import { CAUSES, ERROR_KINDS, PROBLEMS } from "./causes";
import { englishWordOf } from "./english";

const ENGLISH = "this is not the French of it";
/** Returns a cause with words that French does not have by chance, and whether it has any. */
function marked<Told>(cause: Told): { cause: Told; isMarked: boolean } {
  const text = JSON.stringify(cause).replaceAll('"x"', '"x‡"');
  return { cause: JSON.parse(text) as Told, isMarked: text.includes("‡") };
}
const problem = (cause: Problem["cause"]): Problem => ({ line: 1, column: 1, message: ENGLISH, cause, warning: false });

test("English is found outside of quotes, and not in them", () => {
  expect(englishWordOf('unknown key "titel"; did you mean "title"?')).toBe("unknown");
  expect(englishWordOf("clé inconnue «\u00a0the\u00a0» ; écrivez `is` et \"not\"")).toBeNull();
});

describe("in French", () => {
  test.each(Object.values(PROBLEMS))("a problem: $kind", (one) => {
    const { cause, isMarked } = marked(one);
    const line = fr.problemLine(problem(cause));
    expect(englishWordOf(line)).toBeNull();
    expect(line).not.toContain(ENGLISH);
    expect(line.includes("‡")).toBe(isMarked);
  });

  test.each(Object.values(CAUSES))("a reason: $kind", (one) => {
    const { cause, isMarked } = marked(one);
    const line = reasonOf(fr, ENGLISH, cause);
    expect(line.includes("‡")).toBe(isMarked);
    expect(englishWordOf(line)).toBeNull();
    expect(line).not.toContain(ENGLISH);
    expect(fr.failureLine(new CallFailure("start_failed", ENGLISH, { cause }))).toBe(line);
  });

  test.each([...ERROR_KINDS, "connection_lost", "upload_failed", "logout_failed", "of a newer daemon"])("a failure: %s", (kind) => {
    expect(englishWordOf(fr.failureLine(new CallFailure(kind, ENGLISH)))).toBeNull();
  });

  test("what has no cause stands in a French frame", () => {
    for (const cause of [undefined, { kind: "of a newer daemon" } as unknown as Problem["cause"]]) {
      const line = fr.problemLine(problem(cause));
      expect(line).toContain(`«\u00a0${ENGLISH}\u00a0»`);
      expect(englishWordOf(line)).toBeNull();
    }
  });

  test("an agent's own error stands in quotes", () => {
    const failure = CallFailure.of({ code: -32006, message: `agent demo: ${ENGLISH}`, data: { kind: "agent_error", agent_error: { code: 1, message: ENGLISH } } });
    expect(fr.failureLine(failure)).toBe(`L’agent a répondu par une erreur : «\u00a0${ENGLISH}\u00a0»`);
  });

  test("each key and table of the file is explained", () => {
    const schema = JSON.parse(readFileSync("../../docs/reference/pupitre.schema.json", "utf8")) as Schema;
    const tables = [[], ["limits"], ["agents"], ["channels"], ["mcp_servers"]];
    const offered = tables.flatMap((table) => suggestKeys(schema, table, new Set(), MEANINGS)).concat(suggestTables(schema, MEANINGS));
    expect(offered.length).toBeGreaterThan(30);
    for (const { label, detail } of offered) {
      expect(detail, label).not.toBe("");
      expect(englishWordOf(detail), `${label}: ${detail}`).toBeNull();
    }
  });
});
