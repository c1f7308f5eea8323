// How long steps took: shown when the page saw them begin and end, and gone when it did not.
import { before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { picture } from "./browser.mjs";
import { settle, useStage } from "./scene.mjs";

describe("steps of an answer", () => {
  const scene = useStage({ path: "#/agents/handbook", ready: "textarea" });
  let page;
  before(() => ({ page } = scene));

  /** Puts a part at the end of the open answer, or another in the place of its last one. */
  function put(part, { index, after = 0 }) {
    const { stage } = scene;
    stage.ahead += after;
    const conversation = stage.conversations.get("handbook");
    const message = conversation.messages.at(-1);
    message.parts[index] = part;
    stage.touch(conversation, message);
    stage.emit({ type: "message:delta", agent: "handbook", conversation: conversation.id, rev: conversation.rev, messageId: message.id, index, kind: part.kind, part });
  }
  const tool = (status, more = {}) => ({
    kind: "tool", tool: { id: "run", title: "cargo test -p lockkeeper", kind: "execute", status, input: JSON.stringify({ command: "cargo test -p lockkeeper" }), output: null, locations: [], diffs: [], ...more },
  });
  const ends = () => page.locator(".turn .step .end").allInnerTexts();

  test("tell their time when they end", async () => {
    scene.stage.open("handbook");
    put({ kind: "thought", text: "Both pages say it." }, { index: 0 });
    put(tool("in_progress"), { index: 1, after: 8_000 });
    await page.getByText("Thought for 8 s").waitFor();
    assert.equal(await page.getByText("18 s").count(), 0);
    put(tool("failed", { output: "test result: FAILED. 33 passed; 1 failed" }), { index: 1, after: 18_400 });
    await page.locator(".end", { hasText: "18 s" }).waitFor();
    assert.match((await ends()).join("|"), /failed\s*18\ss/);
    await settle(page);
    await picture(page, "steps-timed");
  });

  test("say nothing of less than a second", async () => {
    put({ ...tool("in_progress"), tool: { ...tool("in_progress").tool, id: "quick", title: "Read docs/gates.md", kind: "read" } }, { index: 2 });
    put({ ...tool("completed"), tool: { ...tool("completed").tool, id: "quick", title: "Read docs/gates.md", kind: "read", output: "one\ntwo" } }, { index: 2, after: 400 });
    await page.locator(".end", { hasText: "2 lines" }).waitFor();
    assert.doesNotMatch((await ends()).at(-1), /\bs\b/);
  });

  test("lead to the panes in which their commands run, while these are there", async () => {
    const { surface_id } = scene.stage.panes.find("tests");
    const run = { ...tool("in_progress").tool, id: "pane", panes: [surface_id, 9_999] };
    put({ kind: "tool", tool: run }, { index: 3 });
    await page.locator(".turn summary", { hasText: "Runs" }).last().click();
    const links = page.locator(".turn a", { hasText: "tests" });
    await links.waitFor();
    await settle(page);
    await picture(page, "steps-pane");
    assert.equal(await links.count(), 1);
    await links.click();
    await page.waitForSelector("[aria-label='Pane tests'].focused");
    await page.evaluate(() => (location.hash = "#/agents/handbook"));
    await page.waitForSelector("textarea");
  });

  test("have no time after a reload, which nothing tells", async () => {
    await page.reload();
    await page.waitForFunction(() => window.pupitre?.isReady);
    await page.locator(".end", { hasText: "failed" }).waitFor();
    assert.equal(await page.getByText(/\d\ss\b/).count(), 0);
    assert.equal(await page.getByText("Thought", { exact: true }).count(), 1);
    assert.deepEqual(page.troubles, []);
  });
});
