// What a new user does first, step by step, each with a picture, on a real daemon.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { findChromium, launch, picture } from "./browser.mjs";
import { missing, send, startDesk, visit, waitIdle } from "./desk.mjs";

describe("a first visit", { skip: missing }, () => {
  let browser;
  let desk;
  let page;
  before(async () => {
    browser = await launch(findChromium());
    desk = await startDesk();
    page = await visit(browser, desk);
  });
  after(async () => {
    await browser?.close();
    await desk?.end();
  });

  test("the demo agent is offered, and one click starts it", async () => {
    await page.getByRole("button", { name: "Start the demo" }).click();
    await page.waitForSelector(".turn .prose");
    await waitIdle(page);
    assert.match(await page.locator(".turn").last().innerText(), /demo agent/);
    await picture(page, "journey-1-started");
  });

  test("a question is answered with reasoning, plan and Markdown", async () => {
    await send(page, "think plan markdown");
    await page.waitForFunction(() => window.pupitre.conversations.find("demo", null)?.head?.busy);
    await waitIdle(page);
    await page.getByText("Thought").last().click();
    await picture(page, "journey-2-answered");
    assert.equal(await page.locator(".prose table").count() > 0, true);
  });

  test("a change is asked for with its diff, allowed by the key on its button, and shown", async () => {
    await send(page, "edit");
    const card = page.locator(".ask");
    await card.waitFor();
    assert.match(await card.innerText(), /greeting\.rs/);
    assert.equal(await page.title(), "(1) Pupitre");
    await picture(page, "journey-3-asked");
    // The keys work in the card only: `a` in the message is a letter.
    await page.locator("textarea").fill("");
    await page.keyboard.type("a");
    assert.equal(await card.count(), 1);
    await page.locator("textarea").fill("");
    await card.locator(".options .button").first().focus();
    await page.keyboard.press("a");
    await card.waitFor({ state: "detached" });
    await waitIdle(page);
    assert.ok((await page.locator(".turn .row.added").count()) > 0);
    await picture(page, "journey-4-changed");
  });

  test("what is written meanwhile waits, can be taken back, and Stop ends the turn", async () => {
    await send(page, "slow 200");
    await page.getByRole("button", { name: "Stop Esc" }).waitFor();
    await send(page, "first that waits");
    await send(page, "second that waits");
    await page.getByText("Queued 2").waitFor();
    await picture(page, "journey-5-queued");
    await page.getByRole("button", { name: "Withdraw" }).first().click();
    await page.getByText("Queued 2").waitFor({ state: "detached" });
    await page.locator("h1").click();
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => window.pupitre.conversations.find("demo", null)?.head?.busy === false);
    await page.getByText("Stopped.").waitFor();
    await picture(page, "journey-6-stopped");
  });

  test("slash commands complete, mode and model can be chosen", async () => {
    await page.locator("textarea").fill("");
    await page.locator("textarea").pressSequentially("/mar");
    await page.getByRole("option", { name: /markdown/ }).waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await page.locator("textarea").inputValue(), "/markdown ");
    await page.locator("textarea").fill("");
    await page.getByLabel("Mode", { exact: true }).selectOption({ label: "Auto" });
    await page.waitForFunction(() => window.pupitre.conversations.find("demo", null)?.head?.modes?.current === "auto");
  });

  test("a file is attached and named in the message", async () => {
    await page.locator("input[type=file]").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("high river") });
    await page.getByText("notes.txt").waitFor();
    await send(page, "what is this?");
    await waitIdle(page);
    assert.match(await page.locator(".said").last().innerText(), /notes\.txt/);
  });

  test("an agent that cannot start says why, with its log at hand", async () => {
    await page.locator("li", { hasText: "Broken" }).locator("a").click();
    await send(page, "hello");
    await page.locator("li .state.error").waitFor();
    await picture(page, "journey-7-broken");
  });

  test("find leads to a message", async () => {
    await page.locator("li", { hasText: "Demo" }).locator("a").first().click();
    await page.waitForSelector(".turn");
    await page.keyboard.press("Control+Shift+f");
    await page.keyboard.type("cello");
    await page.locator(".bar .count", { hasText: /of \d/ }).waitFor();
    await picture(page, "journey-8-found");
    await page.keyboard.press("Escape");
  });

  test("a new conversation begins, and the earlier one is there to read", async () => {
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.waitForSelector(".wordmark");
    await page.getByRole("button", { name: "Earlier conversations" }).click();
    await page.locator("dialog li a").last().click();
    await page.getByText("An earlier conversation").waitFor();
    assert.ok((await page.locator(".said").count()) > 0);
    await picture(page, "journey-9-earlier");
  });

  test("nothing went wrong", () => assert.deepEqual(page.troubles, []));
});
