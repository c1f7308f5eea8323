// What an agent asks of its user besides permission: a form, an address, a login; with a real daemon and the demo agent.
import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { picture } from "./browser.mjs";
import { missing, send, useDesk, visit, waitIdle } from "./desk.mjs";
import { assertAccessible } from "./scene.mjs";

describe("questions", { skip: missing }, () => {
  const scene = useDesk({ path: "#/agents/demo", ready: "textarea" });

  const lastText = () => scene.page.evaluate(() => document.querySelector("[data-message]:last-of-type")?.closest(".column")?.innerText ?? "");

  test("a form is filled in", async () => {
    await send(scene.page, "form");
    await scene.page.waitForSelector(".questions form");
    await assertAccessible(scene.page, "a form");
    await picture(scene.page, "question-form");
    await scene.page.getByLabel("Name", { exact: false }).first().fill("Fugue");
    await scene.page.locator(".questions select").selectOption("typescript");
    await scene.page.getByLabel("Linter").check();
    await scene.page.locator(".questions .button.main").click();
    await scene.page.waitForSelector(".questions", { state: "detached" });
    await waitIdle(scene.page);
    const text = await lastText();
    for (const line of ['name: "Fugue"', 'language: "typescript"', "files: 12", "tests: true", 'tools: ["lint"]']) {
      assert.ok(text.includes(line), `${line} is missing in ${text}`);
    }
  });

  test("an address says where it leads, and can be declined", async () => {
    await send(scene.page, "visit");
    const link = scene.page.locator(".questions a.address");
    await link.waitFor();
    assert.equal(await link.getAttribute("href"), await link.innerText());
    await picture(scene.page, "question-visit");
    await scene.page.locator(".questions .options .button").last().click();
    await waitIdle(scene.page);
    assert.match(await lastText(), /You said no/);
  });

  test("a message waits for the login and is sent then", async () => {
    await send(scene.page, "login");
    const way = scene.page.getByRole("button", { name: "Demo login" });
    await way.waitFor();
    await assertAccessible(scene.page, "a login");
    await picture(scene.page, "question-login");
    await way.click();
    await scene.page.waitForSelector(".questions", { state: "detached" });
    await waitIdle(scene.page);
    assert.match(await lastText(), /You are logged in/);
  });

  test("nothing went wrong in the page", () => assert.deepEqual(scene.page.troubles, []));
});
