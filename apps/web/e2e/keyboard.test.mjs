// Everything by keyboard, what a screen reader is told, and notifications: on the stage.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { findChromium, launch, openPage } from "./browser.mjs";
import { raise, useStage } from "./scene.mjs";

describe("keyboard", () => {
  const scene = useStage({ path: "#/agents/builder", ready: ".ask" });
  let page;
  before(() => ({ page } = scene));

  const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.getAttribute("aria-label") || document.activeElement?.textContent?.trim() || "");
  const hash = () => page.evaluate(() => location.hash);

  test("Tab begins with the way to the page, and every stop can be seen", async () => {
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Skip to the page");
    for (let stop = 0; stop < 60; stop++) {
      const seen = await page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return null;
        const box = element.getBoundingClientRect();
        const style = getComputedStyle(element);
        // The composer shows its focus as an edge of its own.
        const isMarked = style.outlineStyle !== "none" || element.closest(".composer, .field") !== null || element.matches("select");
        return { what: element.outerHTML.slice(0, 100), isVisible: box.width > 0 && box.height > 0 && box.right > 0 && box.bottom > 0, isMarked };
      });
      if (seen === null) break;
      assert.ok(seen.isVisible, `${seen.what} has the focus and cannot be seen`);
      assert.ok(seen.isMarked, `${seen.what} has the focus and does not show it`);
      await page.keyboard.press("Tab");
    }
  });

  test("letters lead to places, and give them the focus", async () => {
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.waitForSelector(".cm-content");
    assert.equal(await hash(), "#/settings");
    await page.waitForFunction(() => document.activeElement?.id === "main");
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.waitForSelector(".answer");
    assert.match(await hash(), /^#\/channels/);
  });

  test("g q leads to the question, and its keys answer it", async () => {
    await page.keyboard.press("g");
    await page.keyboard.press("q");
    await page.waitForFunction(() => document.activeElement?.closest("[data-question]") !== null && document.activeElement !== document.body);
    assert.match(await focused(), /^Allow once/);
    await page.keyboard.press("d");
    await page.waitForSelector(".ask", { state: "detached" });
    assert.equal(scene.stage.conversations.get("builder").permissions.length, 0);
  });

  test("the palette finds an agent, Enter goes there, Escape gives the focus back", async () => {
    await page.locator("textarea").focus();
    await page.keyboard.press("Control+k");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog[open]", { state: "detached" });
    assert.equal(await focused(), "Message Builder");
    await page.keyboard.press("Control+k");
    await page.waitForFunction(() => document.activeElement?.matches("dialog input"));
    await page.keyboard.type("handb");
    await page.getByRole("option", { name: /^Handbook/ }).waitFor();
    // A name leads to its owner first, and to what can be done with it below.
    assert.match(await page.locator("[role=option].at").innerText(), /^Handbook/);
    await page.keyboard.press("ArrowDown");
    assert.match(await page.locator("[role=option].at").innerText(), /^Restart Handbook/);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash === "#/agents/handbook");
  });

  test("Alt and arrows step through the agents", async () => {
    await page.keyboard.press("Alt+ArrowDown");
    await page.waitForFunction(() => location.hash === "#/agents/translator");
    await page.keyboard.press("Alt+ArrowUp");
    await page.waitForFunction(() => location.hash === "#/agents/handbook");
  });

  test("a question is told once and at once, an answer politely", async () => {
    const told = [];
    await page.exposeFunction("told", (role, text) => told.push([role, text]));
    await page.evaluate(() => {
      for (const region of document.querySelectorAll("body .unseen[role]")) {
        new MutationObserver(() => window.told(region.getAttribute("role"), region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
      }
    });
    const { stage } = scene;
    stage.turn("handbook", true);
    stage.say("handbook", "I look.");
    const tool = { id: "q", title: "rm notes.md", kind: "delete", status: "pending", input: null, output: null, locations: [], diffs: [] };
    stage.ask("handbook", tool, [{ optionId: "once", name: "Allow once", kind: "allow_once" }]);
    await page.waitForSelector(".ask");
    stage.say("handbook", " More.");
    stage.say("handbook", " And more.");
    await page.getByText("And more.").waitFor();
    await page.locator(".ask .main").click();
    await page.waitForSelector(".ask", { state: "detached" });
    stage.finish("handbook");
    await page.waitForFunction(() => [...document.querySelectorAll("[role=status]")].some((region) => region.textContent === "Handbook has answered"));
    assert.deepEqual(told.filter(([role]) => role === "alert"), [["alert", "Handbook asks rm notes.md"]]);
    assert.deepEqual(told.filter(([role]) => role === "status").map(([, text]) => text), ["Handbook is answering", "Handbook has answered"]);
  });

  test("nothing went wrong", () => assert.deepEqual(page.troubles, []));
});

describe("notifications", () => {
  let browser;
  before(async () => (browser = await launch(findChromium())));
  after(() => browser.close());

  test("permission is asked for when first useful; what is on show is not told", async () => {
    const { stage, server, url } = await raise();
    const page = await openPage(browser, url, { path: "#/agents/scratch" });
    try {
      await page.evaluate(() => {
        window.shown = [];
        let permission = "default";
        window.Notification = class {
          static get permission() {
            return permission;
          }
          static requestPermission() {
            permission = "granted";
            return Promise.resolve(permission);
          }
          constructor(title, { body }) {
            window.shown.push(`${title}: ${body}`);
          }
        };
      });
      await page.waitForSelector("textarea");
      const offer = page.getByText("Shall the desktop tell you");
      assert.equal(await offer.count(), 0);
      const tool = { id: "q", title: "rm notes.md", kind: "delete", status: "pending", input: null, output: null, locations: [], diffs: [] };
      stage.ask("scratch", tool, []);
      await page.waitForSelector(".ask");
      assert.equal(await offer.count(), 0, "the question is on show");
      stage.ask("handbook", tool, []);
      await offer.waitFor();
      await page.getByRole("button", { name: "Yes, tell me" }).click();
      stage.state("migrations", { state: "error", error: "exited with code 3\nmore" });
      await page.waitForFunction(() => window.shown.length > 0);
      assert.deepEqual(await page.evaluate(() => window.shown), ["Migrations ended with an error: exited with code 3"]);
      assert.equal(await page.title(), "(5) Pupitre");
      assert.deepEqual(page.troubles, []);
    } finally {
      await page.context().close();
      await server.close();
    }
  });
});
