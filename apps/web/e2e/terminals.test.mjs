// Terminals before the stage: what is found in one, and what a screen reader gets of it.
import { before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { assertAccessible, settle, useStage } from "./scene.mjs";

describe("terminals", () => {
  const scene = useStage({ path: "#/panes", ready: "[data-pane] .xterm-rows" });
  let page;
  before(() => ({ page } = scene));

  const pane = (name) => page.locator(`[aria-label="Pane ${name}"]`);
  const focusIn = (name) => pane(name).locator(".terminal textarea").focus();
  const shows = (name, text) => page.waitForFunction(([pane, wanted]) => document.querySelector(`[aria-label="Pane ${pane}"] .xterm-rows`)?.textContent.includes(wanted), [name, text]);
  const counted = (name, text) => pane(name).locator(".count", { hasText: text }).waitFor();

  test("Ctrl+Shift+F finds in the terminal, the newest first, and Escape goes back to it", async () => {
    await shows("server", "listening");
    await focusIn("server");
    await page.keyboard.press("Control+Shift+F");
    await page.waitForFunction(() => document.activeElement?.matches("[type=search]"));
    await page.keyboard.type("info");
    await counted("server", "3 of 3");
    await page.waitForFunction(() => document.querySelectorAll("[aria-label='Pane server'] .xterm-find-result-decoration").length >= 3);
    await page.keyboard.press("Enter");
    await counted("server", "2 of 3");
    await page.keyboard.press("Shift+Enter");
    await counted("server", "3 of 3");
    await settle(page);
    await assertAccessible(page, "find in a terminal");
    await page.keyboard.type("x");
    await counted("server", "nothing found");
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.activeElement?.closest("[aria-label='Pane server'] .terminal") !== null);
    assert.equal(await pane("server").locator("[type=search]").count(), 0);
    await page.waitForSelector("[aria-label='Pane server'] .xterm-find-result-decoration", { state: "detached" });
  });

  test("what comes while one looks is found, too", async () => {
    await focusIn("server");
    await page.keyboard.press("Control+Shift+F");
    await page.waitForFunction(() => document.activeElement?.matches("[type=search]"));
    await focusIn("server");
    await page.keyboard.press("Control+Shift+F");
    await page.waitForFunction(() => document.activeElement?.matches("[type=search]"));
    await page.keyboard.type("gate 99");
    await counted("server", "nothing found");
    scene.stage.panes.write("server", "09:44:00 WARN gate 99 has no level\r\n");
    await counted("server", "1 of 1");
    await page.keyboard.press("Escape");
  });

  test("the palette finds in the pane that was used last", async () => {
    await focusIn("tests");
    await page.keyboard.press("Control+Shift+K");
    await page.waitForFunction(() => document.activeElement?.matches("dialog input"));
    await page.keyboard.type(">find in tests");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.matches("[aria-label='Pane tests'] [type=search]"));
    await page.keyboard.press("Escape");
  });

  test("a screen reader gets the lines when Settings say so, also after a reload", async () => {
    assert.equal(await page.locator(".xterm-accessibility").count(), 0);
    await page.evaluate(() => (location.hash = "#/settings"));
    await page.getByRole("group", { name: "Terminals for a screen reader" }).getByRole("button", { name: "Yes" }).click();
    for (const again of [false, true]) {
      if (again) await page.reload();
      await page.evaluate(() => (location.hash = "#/panes"));
      await page.waitForFunction(() => [...document.querySelectorAll("[aria-label='Pane server'] .xterm-accessibility [role=listitem]")].some((line) => line.textContent.includes("listening on")));
      await settle(page);
      await assertAccessible(page, "terminals for a screen reader");
      await page.evaluate(() => (location.hash = "#/settings"));
      await page.waitForSelector(".cm-content");
    }
    await page.evaluate(() => (location.hash = "#/panes"));
    await shows("server", "listening");
    await page.keyboard.press("Control+k");
    await page.waitForFunction(() => document.activeElement?.matches("dialog input"));
    await page.keyboard.type(">screen reader no longer");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".xterm-accessibility", { state: "detached" });
    assert.deepEqual(page.troubles, []);
  });
});
