// Long conversations and long answers: what is drawn stays small, nothing jumps, nothing is lost. How quick it is, the
// benchmark `interface` measures.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { findChromium, launch, openPage, picture } from "./browser.mjs";
import { raise, settle } from "./scene.mjs";

const MESSAGES = 10_000;
const CHUNKS = 10_000;

describe("long", () => {
  let browser;
  before(async () => (browser = await launch(findChromium())));
  after(() => browser.close());

  test("10,000 messages: a window of them is drawn, older ones load while scrolling, nothing jumps", async () => {
    const { stage, server, url } = await raise();
    stage.fill("scratch", MESSAGES);
    const page = await openPage(browser, url, { path: "#/agents/scratch" });
    await page.waitForSelector("[data-message]");
    const held = () => page.evaluate(() => window.pupitre.conversations.find("scratch", null).messages.length);
    const drawn = () => page.locator("[data-message]").count();
    assert.ok((await drawn()) < 60);
    // It opens at its end, and nobody who does not scroll needs older messages.
    await settle(page);
    const last = page.locator("[data-message]").last();
    const [area, end] = [await page.getByRole("log").boundingBox(), await last.boundingBox()];
    const newest = await page.evaluate(() => window.pupitre.conversations.find("scratch", null).talk.at(-1).id);
    assert.equal(await last.getAttribute("data-message"), newest);
    assert.ok(end.y + end.height <= area.y + area.height, "the newest message is below the window");
    assert.ok((await page.locator("[data-message]").first().boundingBox()).y <= area.y, "the window is not full");
    assert.equal(await held(), 200);
    await page.evaluate(async (messages) => {
      const live = window.pupitre.conversations.find("scratch", null);
      while (live.messages.length < messages) {
        await live.loadOlder();
        // The list loads by itself, too; meanwhile this has nothing to wait for.
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    }, MESSAGES);
    assert.equal(await held(), MESSAGES);
    assert.ok((await drawn()) < 60, `${await drawn()} messages are in the document`);
    await page.evaluate(async () => {
      const scroller = document.querySelector("[role=log]");
      for (let step = 0; step < 60; step++) {
        scroller.scrollTop -= 1_500;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    });
    await picture(page, "long-messages");
    // What arrives below does not move what is read.
    const place = () => page.evaluate(() => {
      const scroller = document.querySelector("[role=log]").getBoundingClientRect();
      const seen = [...document.querySelectorAll("[data-message]")].find((element) => element.getBoundingClientRect().top > scroller.top);
      return [seen.dataset.message, Math.round(seen.getBoundingClientRect().top)];
    });
    await settle(page);
    const read = await place();
    stage.say("scratch", "A new answer.\n\nIt grows.");
    await page.getByText("1 new below").waitFor();
    assert.deepEqual(await place(), read);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
    await server.close();
  });

  test("10,000 chunks: every one arrives, and typing goes on meanwhile", async () => {
    const { stage, server, url } = await raise();
    const page = await openPage(browser, url, { path: "#/agents/scratch" });
    await page.waitForSelector("textarea");
    await page.locator("textarea").focus();
    stage.turn("scratch", true);
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
    assert.equal(await page.locator("textarea").inputValue(), typed);
    const text = await page.locator(".prose").last().innerText();
    for (const at of [0, 5_000, 9_999]) assert.match(text, new RegExp(`\\b${at}\\b`));
    assert.deepEqual(page.troubles, []);
    await page.context().close();
    await server.close();
  });
});
