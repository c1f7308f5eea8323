// What a new user does first, step by step, each with a picture, on a real daemon.
import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { picture } from "./browser.mjs";
import { missing, send, useDesk, visit, waitIdle } from "./desk.mjs";

describe("a first visit", { skip: missing }, () => {
  const scene = useDesk();

  test("the demo agent is offered, and one click starts it", async () => {
    await scene.page.getByRole("button", { name: "Start the demo" }).click();
    await scene.page.waitForSelector(".turn .prose");
    await waitIdle(scene.page);
    assert.match(await scene.page.locator(".turn").last().innerText(), /demo agent/);
    await picture(scene.page, "journey-1-started");
  });

  test("a question is answered with reasoning, plan and Markdown", async () => {
    await send(scene.page, "think plan markdown");
    await scene.page.waitForFunction(() => window.pupitre.conversations.find("demo", null)?.head?.busy);
    await waitIdle(scene.page);
    await scene.page.getByText("Thought").last().click();
    await picture(scene.page, "journey-2-answered");
    assert.equal(await scene.page.locator(".prose table").count() > 0, true);
  });

  test("a change is asked for with its diff, allowed by the key on its button, and shown", async () => {
    await send(scene.page, "edit");
    const card = scene.page.locator(".ask");
    await card.waitFor();
    assert.match(await card.innerText(), /greeting\.rs/);
    assert.equal(await scene.page.title(), "(1) Pupitre");
    await picture(scene.page, "journey-3-asked");
    // The keys work in the card only: `a` in the message is a letter.
    await scene.page.locator("textarea").fill("");
    await scene.page.keyboard.type("a");
    assert.equal(await card.count(), 1);
    await scene.page.locator("textarea").fill("");
    await card.locator(".options .button").first().focus();
    await scene.page.keyboard.press("a");
    await card.waitFor({ state: "detached" });
    await waitIdle(scene.page);
    assert.ok((await scene.page.locator(".turn .row.added").count()) > 0);
    await picture(scene.page, "journey-4-changed");
  });

  test("what is written meanwhile waits, can be taken back, and Stop ends the turn", async () => {
    await send(scene.page, "slow 200");
    await scene.page.getByRole("button", { name: "Stop Esc" }).waitFor();
    await send(scene.page, "first that waits");
    await send(scene.page, "second that waits");
    await scene.page.getByText("Queued 2").waitFor();
    await picture(scene.page, "journey-5-queued");
    await scene.page.getByRole("button", { name: "Withdraw" }).first().click();
    await scene.page.getByText("Queued 2").waitFor({ state: "detached" });
    await scene.page.locator("h1").click();
    await scene.page.keyboard.press("Escape");
    await scene.page.waitForFunction(() => window.pupitre.conversations.find("demo", null)?.head?.busy === false);
    await scene.page.getByText("Stopped.").waitFor();
    await picture(scene.page, "journey-6-stopped");
  });

  test("slash commands complete, mode and model can be chosen", async () => {
    await scene.page.locator("textarea").fill("");
    await scene.page.locator("textarea").pressSequentially("/mar");
    await scene.page.getByRole("option", { name: /markdown/ }).waitFor();
    await scene.page.keyboard.press("Tab");
    assert.equal(await scene.page.locator("textarea").inputValue(), "/markdown ");
    await scene.page.locator("textarea").fill("");
    await scene.page.getByLabel("Mode", { exact: true }).selectOption({ label: "Auto" });
    await scene.page.waitForFunction(() => window.pupitre.conversations.find("demo", null)?.head?.modes?.current === "auto");
  });

  test("a file is attached and named in the message", async () => {
    await scene.page.locator("input[type=file]").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("high river") });
    await scene.page.getByText("notes.txt").waitFor();
    await send(scene.page, "what is this?");
    await waitIdle(scene.page);
    assert.match(await scene.page.locator(".said").last().innerText(), /notes\.txt/);
  });

  test("an agent that cannot start says why, with its log at hand", async () => {
    await scene.page.locator("li", { hasText: "Broken" }).locator("a").click();
    await send(scene.page, "hello");
    await scene.page.locator("li .state.error").waitFor();
    await picture(scene.page, "journey-7-broken");
  });

  test("find leads to a message", async () => {
    await scene.page.locator("li", { hasText: "Demo" }).locator("a").first().click();
    await scene.page.waitForSelector(".turn");
    await scene.page.keyboard.press("Control+Shift+f");
    await scene.page.keyboard.type("cello");
    await scene.page.locator(".bar .count", { hasText: /of \d/ }).waitFor();
    await picture(scene.page, "journey-8-found");
    await scene.page.keyboard.press("Escape");
  });

  test("a new conversation begins, and the earlier one is there to read", async () => {
    await scene.page.getByRole("button", { name: "New conversation" }).click();
    await scene.page.waitForSelector(".wordmark");
    await scene.page.getByRole("button", { name: "Earlier conversations" }).click();
    await scene.page.locator("dialog li a").last().click();
    await scene.page.getByText("An earlier conversation").waitFor();
    assert.ok((await scene.page.locator(".said").count()) > 0);
    await picture(scene.page, "journey-9-earlier");
  });

  test("nothing went wrong", () => assert.deepEqual(scene.page.troubles, []));
});
