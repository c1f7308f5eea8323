// Whether an agent is in the configuration file, and how it is written into it.
import { describe, expect, test } from "vitest";
import type { KnownAgent } from "../src/protocol";
import { entryOf, isInFile } from "../src/places/settings/entry";

const agent: KnownAgent = { name: "codex", title: "Codex", icon: "codex", description: "", command: "codex-acp", found: true, install: "npm install -g x" };

describe("an agent is in the file", () => {
  const check = (text: string, expected: boolean) => expect(isInFile(text, agent), text).toBe(expected);

  test("by its preset, however that is written", () => {
    check('[[agents]]\nname = "reviewer"\npreset = "codex"', true);
    check("  preset='codex' # reads", true);
  });
  test("by its command", () => check('command = "codex-acp"', true));
  test("not by its name, a comment, or another that begins like it", () => {
    check('name = "codex"', false);
    check('# preset = "codex"', false);
    check('preset = "codex-next"\ncommand = "codexxacp"', false);
  });
  test("once it was added", () => check(entryOf(agent), true));
});
