// What an agent asks of its user besides permission: a form, an address, a login; with a real daemon and the demo agent.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { findChromium, launch, picture } from "./browser.mjs";
import { missing, send, startDesk, visit, waitIdle } from "./desk.mjs";
import { assertAccessible } from "./scene.mjs";

describe("questions", { skip: missing }, () => {
  let browser;
  let desk;
  let page;
  before(async () => {
    browser = await launch(findChromium());
    desk = await startDesk();
    page = await visit(browser, desk, { path: "#/agents/demo" });
    await page.waitForSelector("textarea");
  });
  after(async () => {
    await browser.close();
    await desk.end();
  });

  const lastText = () => page.evaluate(() => document.querySelector("[data-message]:last-of-type")?.closest(".column")?.innerText ?? "");

  test("a form is filled in", async () => {
    await send(page, "form");
    await page.waitForSelector(".questions form");
    await assertAccessible(page, "a form");
    await picture(page, "question-form");
    await page.getByLabel("Name", { exact: false }).first().fill("Fugue");
    await page.locator(".questions select").selectOption("typescript");
    await page.getByLabel("Linter").check();
    await page.locator(".questions .button.main").click();
    await page.waitForSelector(".questions", { state: "detached" });
    await waitIdle(page);
    const text = await lastText();
    for (const line of ['name: "Fugue"', 'language: "typescript"', "files: 12", "tests: true", 'tools: ["lint"]']) {
      assert.ok(text.includes(line), `${line} is missing in ${text}`);
    }
  });

  test("an address says where it leads, and can be declined", async () => {
    await send(page, "visit");
    const link = page.locator(".questions a.address");
    await link.waitFor();
    assert.equal(await link.getAttribute("href"), await link.innerText());
    await picture(page, "question-visit");
    await page.locator(".questions .options .button").last().click();
    await waitIdle(page);
    assert.match(await lastText(), /You said no/);
  });

  test("a message waits for the login and is sent then", async () => {
    await send(page, "login");
    const way = page.getByRole("button", { name: "Demo login" });
    await way.waitFor();
    await assertAccessible(page, "a login");
    await picture(page, "question-login");
    await way.click();
    await page.waitForSelector(".questions", { state: "detached" });
    await waitIdle(page);
    assert.match(await lastText(), /You are logged in/);
  });

  test("nothing went wrong in the page", () => assert.deepEqual(page.troubles, []));
});
