// Long conversations and long answers: what is drawn stays small, what is written stays quick. Times are told, not judged.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { findChromium, launch, openPage, picture } from "./browser.mjs";
import { raise } from "./scene.mjs";

const MESSAGES = 10_000;
const CHUNKS = 10_000;

describe("pace", () => {
  let browser;
  before(async () => (browser = await launch(findChromium())));
  after(() => browser.close());

  test("the first paint", async (context) => {
    const { server, url } = await raise();
    const page = await openPage(browser, url, { path: "#/agents/builder" });
    await page.waitForSelector(".ask");
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
    const ready = await page.evaluate(() => performance.now());
    context.diagnostic(`first contentful paint ${Math.round(paint)} ms, conversation on show before ${Math.round(ready)} ms`);
    assert.ok(paint > 0);
    await page.context().close();
    await server.close();
  });

  test("10,000 messages: a window of them is drawn, older ones load while scrolling, nothing jumps", async (context) => {
    const { stage, server, url } = await raise();
    stage.fill("scratch", MESSAGES);
    const page = await openPage(browser, url, { path: "#/agents/scratch" });
    await page.waitForSelector("[data-message]");
    const held = () => page.evaluate(() => window.pupitre.conversations.find("scratch", null).messages.length);
    const drawn = () => page.locator("[data-message]").count();
    assert.ok((await drawn()) < 60);
    const before = Date.now();
    while ((await held()) < MESSAGES) {
      await page.evaluate(() => window.pupitre.conversations.find("scratch", null).loadOlder());
    }
    context.diagnostic(`10,000 messages held after ${Date.now() - before} ms`);
    assert.ok((await drawn()) < 60, `${await drawn()} messages are in the document`);
    const frames = await page.evaluate(async () => {
      const scroller = document.querySelector("[role=log]");
      const times = [];
      for (let step = 0; step < 60; step++) {
        const start = performance.now();
        scroller.scrollTop -= 1_500;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        times.push(performance.now() - start);
      }
      return times.sort((one, other) => one - other);
    });
    context.diagnostic(`a scroll step takes ${frames[30].toFixed(1)} ms (median), ${frames[57].toFixed(1)} ms (95 %)`);
    await picture(page, "pace-messages");
    // What arrives below does not move what is read.
    const place = () => page.evaluate(() => {
      const scroller = document.querySelector("[role=log]").getBoundingClientRect();
      const seen = [...document.querySelectorAll("[data-message]")].find((element) => element.getBoundingClientRect().top > scroller.top);
      return [seen.dataset.message, Math.round(seen.getBoundingClientRect().top)];
    });
    await page.waitForTimeout(400);
    const read = await place();
    stage.say("scratch", "A new answer.\n\nIt grows.");
    await page.getByText("1 new below").waitFor();
    assert.deepEqual(await place(), read);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
    await server.close();
  });

  test("10,000 chunks: every one arrives, and typing goes on meanwhile", async (context) => {
    const { stage, server, url } = await raise();
    const page = await openPage(browser, url, { path: "#/agents/scratch" });
    await page.waitForSelector("textarea");
    await page.locator("textarea").focus();
    await page.evaluate(() => {
      window.long = [];
      new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.long.push(entry.duration))).observe({ type: "longtask" });
    });
    stage.turn("scratch", true);
    const start = Date.now();
    let typed = "";
    for (let at = 0; at < CHUNKS; at++) {
      stage.say("scratch", at % 12 === 11 ? `word ${at}.\n\n` : at % 40 === 0 ? `**bold ${at}** ` : `word ${at} `);
      if (at % 500 === 499) {
        typed += "x";
        await page.keyboard.type("x");
      }
    }
    stage.finish("scratch");
    await page.waitForFunction(() => window.pupitre.conversations.find("scratch", null)?.messages.at(-1)?.value.done === true);
    const long = await page.evaluate(() => window.long);
    context.diagnostic(`10,000 chunks drawn after ${Date.now() - start} ms; ${long.length} tasks over 50 ms, the longest ${Math.round(Math.max(0, ...long))} ms`);
    assert.equal(await page.locator("textarea").inputValue(), typed);
    const text = await page.locator(".prose").last().innerText();
    for (const at of [0, 5_000, 9_999]) assert.match(text, new RegExp(`\\b${at}\\b`));
    assert.deepEqual(page.troubles, []);
    await page.context().close();
    await server.close();
  });
});
