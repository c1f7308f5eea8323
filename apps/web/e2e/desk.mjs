// A real daemon and the page that it serves itself: for tests that must see the real thing.
import { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { findChromium, launch, openPage } from "./browser.mjs";
import { Daemon, findBinary } from "./daemon.mjs";

/** Three agents: two that work and one that cannot. */
export const configuration = (binary) => `theme = "system"
language = "system"

[[agents]]
name = "demo"
title = "Demo"
icon = "demo"
description = "Needs no account"
command = "${binary}"
args = ["demo-agent"]

[[agents]]
name = "second"
title = "Second"
icon = "hammer"
command = "${binary}"
args = ["demo-agent"]

[[agents]]
name = "broken"
title = "Broken"
command = "/bin/false"
`;

/** Why these tests cannot run here; undefined when they can. */
export const missing = findBinary() === null ? "needs the pupitre binary: cargo build, or PUPITRE_BIN" : undefined;

/** Starts a daemon and asserts that its page is the one in `dist`. */
export async function startDesk(write = configuration) {
  const daemon = await Daemon.start(findBinary(), write);
  const { origin, port } = new URL(await daemon.newAddress());
  const served = await (await fetch(origin)).text();
  const built = await readFile(new URL("../dist/index.html", import.meta.url), "utf8");
  if (served !== built) {
    await daemon.end();
    assert.fail("the program holds another page than dist: cargo build, then npm run build");
  }
  return { daemon, url: origin, port: Number(port), end: () => daemon.end() };
}

/** Opens the page as a person does who was given its address: it gets in, and then goes to `path`. */
export async function visit(browser, desk, { path = "", ...options } = {}) {
  const { hash } = new URL(await desk.daemon.newAddress());
  const page = await openPage(browser, desk.url, { ...options, path: hash });
  await page.waitForFunction(() => window.pupitre?.isReady);
  await page.evaluate((to) => (location.hash = to), path);
  return page;
}

/** Gives the tests of a suite a browser before a desk of its own: before the first of them the scene has `browser`, `desk` and `page`. */
export function useDesk({ path = "", ready = "main", write = configuration } = {}) {
  const scene = {};
  before(async () => {
    scene.browser = await launch(findChromium());
    scene.desk = await startDesk(write);
    scene.page = await visit(scene.browser, scene.desk, { path });
    await scene.page.waitForSelector(ready);
  });
  after(async () => {
    await scene.browser?.close();
    await scene.desk?.end();
  });
  return scene;
}

/** Sends a message as a person does, and waits until it stands in the conversation. */
export async function send(page, text) {
  await page.locator("textarea").fill(text);
  await sendDraft(page);
}

/** Sends what was written and attached. */
export async function sendDraft(page) {
  const asked = (before) => {
    const agent = decodeURIComponent(location.hash.split("/")[2]);
    const count = window.pupitre.conversations.find(agent, null).messages.filter((message) => message.value.role === "user").length;
    return before === undefined ? count : count > before;
  };
  const before = await page.evaluate(asked);
  await page.locator("textarea").press("Control+Enter");
  await page.waitForFunction(asked, before);
}

/** Waits until the agent of the page has nothing left to say. */
export async function waitIdle(page, agent = "demo") {
  await page.waitForFunction((name) => {
    const live = window.pupitre.conversations.find(name, null);
    const last = live?.messages.at(-1)?.value;
    return live?.head?.busy === false && last !== undefined && last.role !== "user" && last.done;
  }, agent);
}

/** Waits until the newest message stands at the end of the window, with what comes before it as far as the window reaches. */
export async function waitDrawn(page, agent = "demo") {
  await page.waitForFunction((name) => {
    const ids = window.pupitre.conversations.find(name, null).talk.map((message) => message.id);
    const drawn = [...document.querySelectorAll("[data-message]")];
    const scroller = document.querySelector(".scroller").getBoundingClientRect();
    const [first, last] = [drawn[0], drawn.at(-1)];
    if (!first || last.dataset.message !== ids.at(-1)) return false;
    const reachesTop = first.dataset.message === ids[0] || first.getBoundingClientRect().top <= scroller.top;
    return drawn.length > 1 && reachesTop && last.getBoundingClientRect().bottom <= scroller.bottom + 1;
  }, agent);
}

/** Returns what the page holds, what the daemon shows, and what is drawn. */
export async function compare(page, agent = "demo") {
  return page.evaluate(async (name) => {
    const live = window.pupitre.conversations.find(name, null);
    const daemon = await window.pupitre.call("chat.conversation", { agent: name, limit: 1000 });
    const held = live.snapshot();
    // Two frames, so that what is held is drawn.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const drawn = [...document.querySelectorAll("[data-message]")].map((element) => [element.dataset.message, element.innerText]);
    return { held: JSON.parse(JSON.stringify(held)), daemon, drawn };
  }, agent);
}
