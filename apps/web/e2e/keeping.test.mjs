// Kept conversations, by keyboard: found over all agents and opened at the message, written out, deleted. Before the stage,
// and once before a real daemon.
import { before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { openPage } from "./browser.mjs";
import { missing, send, useDesk, waitIdle } from "./desk.mjs";
import { useStage } from "./scene.mjs";

const MESSAGES = 1_500;

describe("kept conversations", () => {
  /** An earlier conversation with Scratch. */
  let earlier;
  const scene = useStage({
    path: "#/fleet",
    prepare(stage) {
      stage.fill("scratch", MESSAGES);
      const conversation = stage.conversations.get("scratch");
      conversation.title = "A long talk";
      conversation.messages[10].parts = [{ kind: "text", text: "The xylophone question" }];
      stage.begin("scratch");
      earlier = conversation.id;
      stage.fill("scratch", 4);
    },
  });
  let page;
  before(() => ({ page } = scene));

  const dialog = () => page.locator("dialog[open]").last();
  const closed = () => page.waitForSelector("dialog[open]", { state: "detached" });
  const focused = () => page.evaluate(() => document.activeElement?.closest("[data-message]")?.textContent ?? "");

  test("the palette hands on what was typed, and a message opens where it stands", async () => {
    await page.keyboard.press("Control+k");
    await page.waitForFunction(() => document.activeElement?.matches("dialog input"));
    await page.keyboard.type("xyloph");
    await page.getByRole("option", { name: "Find “xyloph” in what was said" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open] mark");
    assert.equal(await page.locator("dialog[open] mark").innerText(), "xyloph");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await closed();
    await page.waitForFunction(() => document.activeElement?.matches("[data-message].sought"));
    assert.match(await focused(), /xylophone question/);
    assert.equal(await page.evaluate(() => location.hash.split("/")[3]), earlier);
    const isInSight = await page.evaluate(() => {
      const [box, window] = [document.activeElement.getBoundingClientRect(), document.querySelector(".scroller").getBoundingClientRect()];
      return box.top >= window.top && box.bottom <= window.bottom;
    });
    assert.equal(isInSight, true);
  });

  test("a reload leads to the message again, and what arrives elsewhere does not lead away", async () => {
    await page.reload();
    await page.waitForFunction(() => document.activeElement?.matches("[data-message].sought"));
    scene.stage.say("builder", "Something new.");
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    assert.match(await focused(), /xylophone question/);
  });

  test("the same message is led to again, from wherever one read on", async () => {
    await page.getByRole("button", { name: "To the end" }).click();
    await page.waitForFunction(() => document.querySelector(".sought") === null);
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.waitForFunction(() => document.activeElement?.matches("[data-kept-filter]"));
    await page.keyboard.type("xylophone");
    await page.waitForSelector("dialog[open] mark");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.matches("[data-message].sought"));
  });

  test("what is looked for is looked for with one agent or with all", async () => {
    await page.getByRole("button", { name: "Earlier conversations" }).click();
    await page.getByRole("button", { name: "Scratch", exact: true, pressed: true }).waitFor();
    assert.equal(await dialog().locator("li").count(), 2);
    await page.keyboard.type("mallet");
    await page.waitForSelector("dialog[open] >> text=Nothing matches “mallet”.");
    scene.stage.conversations.get("handbook").messages.push(scene.stage.message("handbook", "user", [{ kind: "text", text: "A mallet" }]));
    await page.getByRole("button", { name: "Every agent" }).click();
    await page.waitForSelector("dialog[open] mark");
    await page.keyboard.press("Escape");
    await closed();
  });

  test("one is written out as Markdown and as JSON", async () => {
    for (const [format, read] of [["Markdown", (text) => assert.match(text, /^## user\n\nQuestion 1\n/)], ["JSON", (text) => assert.equal(JSON.parse(text).messages.length, MESSAGES)]]) {
      await page.keyboard.press("Control+k");
      await page.waitForFunction(() => document.activeElement?.matches("dialog input"));
      await page.keyboard.type(">export this");
      await page.keyboard.press("Enter");
      await dialog().getByRole("button", { name: format }).waitFor();
      const [file] = await Promise.all([page.waitForEvent("download"), dialog().getByRole("button", { name: format }).press("Enter")]);
      assert.match(file.suggestedFilename(), format === "JSON" ? /^A long talk \d{4}-\d\d-\d\d\.json$/ : /^A long talk \d{4}-\d\d-\d\d\.md$/);
      read(await readFile(await file.path(), "utf8"));
      await closed();
    }
  });

  test("none is deleted while its agent answers in it", async () => {
    await page.evaluate(() => (location.hash = "#/agents/builder"));
    await page.waitForSelector(".ask");
    await page.getByRole("button", { name: "Delete this conversation" }).click();
    await dialog().getByText("a new one with Builder begins").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Cancel");
    await dialog().getByRole("button", { name: "Delete for good" }).click();
    await page.waitForSelector("dialog[open] [role=alert] >> text=Not deleted: Builder is answering in it.");
    await page.keyboard.press("Escape");
    await closed();
    assert.equal(scene.stage.conversations.get("builder").messages.length > 0, true);
  });

  test("one is deleted for good, and whoever reads it is led to the current one", async () => {
    const other = await openPage(scene.browser, scene.url, { path: `#/agents/scratch/${earlier}` });
    await other.waitForSelector(".read-only");
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.waitForFunction(() => document.activeElement?.matches("[data-kept-filter]"));
    await page.keyboard.type("long talk");
    await page.waitForFunction(() => document.querySelectorAll("dialog[open] [data-row]").length === 1);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Delete");
    await dialog().getByRole("button", { name: "Delete for good" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open] >> text=Nothing matches “long talk”.");
    assert.equal(await page.evaluate(() => document.activeElement?.matches("[data-kept-filter]")), true);
    assert.equal(scene.stage.kept.some((conversation) => conversation.id === earlier), false);
    await other.waitForFunction(() => location.hash === "#/agents/scratch");
    await other.waitForSelector("textarea");
    await page.keyboard.press("Escape");
    assert.deepEqual([...page.troubles, ...other.troubles], []);
    await other.context().close();
  });

  test("an address of a message that is gone says so", async () => {
    await page.evaluate(() => (location.hash = "#/agents/scratch/current/m00000000"));
    await page.waitForSelector("[role=alert] >> text=The message is not in this conversation any more.");
    assert.deepEqual(page.troubles, []);
  });
});

describe("kept conversations of a real daemon", { skip: missing }, () => {
  const scene = useDesk({ path: "#/agents/demo", ready: "textarea" });

  test("are found, written out and deleted", async () => {
    const { desk, page } = scene;
    await send(page, "where is the glockenspiel?");
    await waitIdle(page);
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.waitForSelector(".wordmark");
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.waitForFunction(() => document.activeElement?.matches("[data-kept-filter]"));
    await page.keyboard.type("GLOCKEN");
    const row = page.locator("dialog[open] li", { has: page.locator("mark", { hasText: "glockenspiel" }) }).last();
    await row.waitFor();
    await row.getByRole("button", { name: /^Export/ }).click();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Markdown" }).click()]);
    assert.match(await readFile(await file.path(), "utf8"), /where is the glockenspiel\?/);
    await row.locator("a").click();
    await page.waitForFunction(() => document.activeElement?.matches("[data-message].sought"));
    await page.waitForSelector(".read-only");
    await page.getByRole("button", { name: "Delete this conversation" }).click();
    await page.getByRole("button", { name: "Delete for good" }).click();
    await page.waitForSelector(".wordmark");
    const { conversations } = await desk.daemon.call("chat.history");
    assert.deepEqual(conversations.map(({ current }) => current), [true]);
    assert.deepEqual(page.troubles, []);
  });
});
