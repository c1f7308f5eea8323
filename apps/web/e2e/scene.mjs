// A stage behind the page, and what every place must hold: accessible, nothing cut, no word of the other language.
import { after, before } from "node:test";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Stage } from "../dev/stage/stage.mjs";
import { findChromium, launch, openPage } from "./browser.mjs";
import { servePage } from "../dev/server.mjs";

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Raises a stage and serves the page before it. */
export async function raise(options) {
  const stage = new Stage(options);
  const server = await servePage({ join: (webSocket) => stage.join(webSocket), upload: async (name) => `/tmp/${name}` });
  return { stage, server, url: server.url };
}

/** Gives the tests of a suite a browser before a stage of its own: before the first of them the scene has `browser`, `stage`, `url` and `page`. */
export function useStage({ path = "", ready = "main", prepare = () => undefined } = {}) {
  const scene = {};
  before(async () => {
    scene.browser = await launch(findChromium());
    Object.assign(scene, await raise());
    await prepare(scene.stage);
    scene.page = await openPage(scene.browser, scene.url, { path });
    await scene.page.waitForFunction(() => window.pupitre?.isReady);
    await scene.page.waitForSelector(ready);
  });
  after(async () => {
    await scene.browser?.close();
    await scene.server?.close();
  });
  return scene;
}

/** Waits until several frames in a row draw the same: the list measures what it shows, and what is measured moves the rest. */
export async function settle(page) {
  await page.evaluate(async () => {
    await document.fonts.ready;
    const places = () => [...document.querySelectorAll("[data-message], .answer, .ask, dialog[open], .cm-line, li, tr, .cell, .xterm-rows > div")].map((element) => Object.values(element.getBoundingClientRect().toJSON()).join()).join(";");
    let before = "";
    for (let same = 0; same < 3; ) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = places();
      same = now === before ? same + 1 : 0;
      before = now;
    }
  });
}

/** Asserts that axe finds nothing. */
export async function assertAccessible(page, where) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    // Nothing of the page comes from elsewhere, so there is nothing to load.
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"], preload: false });
    return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ target, failureSummary }) => ({ target, failureSummary })) }));
  });
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(" ")} (${node.failureSummary})`).join("\n    ")}`);
  assert.deepEqual(told, [], `${where}: axe found\n  ${told.join("\n  ")}`);
}

/** Asserts that the page is no wider than its window and no button is too small to hit. */
export async function assertFits(page, where) {
  const found = await page.evaluate(() => {
    const troubles = [];
    if (document.documentElement.scrollWidth > innerWidth) troubles.push(`the page is ${document.documentElement.scrollWidth} px wide in a window of ${innerWidth}`);
    for (const element of document.querySelectorAll("button, .place a.icon-button, select")) {
      const box = element.getBoundingClientRect();
      if (box.width === 0 || box.bottom < 0 || getComputedStyle(element).visibility === "hidden") continue;
      if (element.closest(".cm-editor, .xterm")) continue;
      if (box.height < 24 || box.width < 24) troubles.push(`${element.outerHTML.slice(0, 120)} is ${Math.round(box.width)} by ${Math.round(box.height)}`);
      if (box.right > innerWidth + 1 && !element.closest(".scroll, .wide")) troubles.push(`${element.outerHTML.slice(0, 120)} sticks out to ${Math.round(box.right)}`);
    }
    return troubles;
  });
  assert.deepEqual(found, [], where);
}

/** Where the page shows what a program told it: reasons, problems, refusals. */
const TOLD = ".problems .message, .cm-sentence, .cm-diagnosticText, .cm-completionDetail, [role=alert], .failure, .refused, .reason:not(pre), .ending, .system, footer";

/** Asserts that nothing of the English catalogue is left in a French page, and no English word in what is told there. */
export async function assertFrench(page, english, where) {
  const text = await page.evaluate(() => {
    const names = [...document.querySelectorAll("[aria-label], [title], [placeholder]")].flatMap((element) => ["aria-label", "title", "placeholder"].map((name) => element.getAttribute(name) ?? ""));
    return [document.body.innerText, ...names].join("\n");
  });
  const lines = new Set(text.split("\n").map((line) => line.trim()));
  assert.deepEqual(english.sentences.filter((word) => lines.has(word)), [], `${where}: English is left`);
  const told = await page.evaluate((selector) => [...document.querySelectorAll(selector)].map((element) => element.innerText), TOLD);
  assert.deepEqual(told.filter((words) => english.wordOf(words) !== null), [], `${where}: English is told`);
}
