// What a new user does first, step by step, each with a picture: on a real daemon, and on the stage where it must be.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { findChromium, launch, openPage, picture } from "./browser.mjs";
import { missing, send, startDesk, waitIdle } from "./desk.mjs";
import { raise } from "./scene.mjs";

describe("a first visit", { skip: missing }, () => {
  let browser;
  let desk;
  let page;
  before(async () => {
    browser = await launch(findChromium());
    desk = await startDesk();
    page = await openPage(browser, desk.url);
  });
  after(async () => {
    await browser.close();
    await desk.end();
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

describe("settings", () => {
  let browser;
  let scene;
  let page;
  before(async () => {
    browser = await launch(findChromium());
    scene = await raise();
    page = await openPage(browser, scene.url, { path: "#/settings" });
    await page.waitForSelector(".cm-content");
  });
  after(async () => {
    await browser.close();
    await scene.server.close();
  });

  test("French and dark are one click each, and lines of the file", async () => {
    await page.getByRole("button", { name: "Français" }).click();
    await page.getByText("Réglages").first().waitFor();
    await page.getByRole("button", { name: "Sombre" }).click();
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark" && document.documentElement.lang === "fr");
    assert.match(scene.stage.configuration.text, /^theme = "dark"\nlanguage = "fr"$/m);
    assert.match(await page.locator(".cm-content").innerText(), /language = "fr"/);
    await picture(page, "journey-settings-1-french-dark");
  });

  test("a mistake is marked at its line and column, and keeps the file from being saved", async () => {
    await page.locator(".cm-line", { hasText: 'title = "Builder"' }).click();
    await page.keyboard.press("Home");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Delete");
    await page.keyboard.type("titel");
    await page.keyboard.press("Escape");
    await page.getByText("11:1", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Enregistrer" }).isDisabled(), true);
    assert.match(await page.locator(".cm-lintRange-error").innerText(), /titel/);
    await picture(page, "journey-settings-2-problem");
    await page.getByRole("button", { name: "Le changer" }).click();
    await page.getByText("11:1", { exact: true }).waitFor({ state: "detached" });
  });

  test("a change saves, and one on disk meanwhile is not lost", async () => {
    await page.keyboard.press("Control+End");
    await page.keyboard.type("# a line of mine\n");
    await page.keyboard.press("Control+s");
    await page.getByText("enregistré").waitFor();
    assert.match(scene.stage.configuration.text, /# a line of mine/);
    await page.keyboard.type("# another\n");
    scene.stage.configuration.write(`${scene.stage.configuration.text}# of somebody else\n`);
    await page.getByText("Le fichier a changé sur le disque à").waitFor();
    await picture(page, "journey-settings-3-changed-on-disk");
    assert.equal(await page.getByRole("button", { name: "Enregistrer" }).isDisabled(), true);
    await page.getByRole("button", { name: "Comparer" }).click();
    await page.locator("dialog .row.removed, dialog .half.removed").first().waitFor();
    await picture(page, "journey-settings-4-compared");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Garder la mienne" }).click();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+s");
    await page.getByText("enregistré").waitFor();
    assert.match(scene.stage.configuration.text, /# another/);
  });

  test("completion knows the schema", async () => {
    await page.locator(".cm-line", { hasText: 'command = "lock-bench"' }).click();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("per");
    await page.locator(".cm-tooltip-autocomplete li", { hasText: "permissions" }).waitFor();
    // The sentence of a problem stays beside its line while one writes below it.
    assert.match(await page.locator(".cm-line", { hasText: "lock-bench" }).innerText(), /is not on PATH/);
    await picture(page, "journey-settings-5-completion");
    await page.keyboard.press("Enter");
    await page.keyboard.type('"de');
    await page.locator(".cm-tooltip-autocomplete li", { hasText: "deny" }).waitFor();
  });

  test("nothing went wrong", () => assert.deepEqual(page.troubles, []));
});
