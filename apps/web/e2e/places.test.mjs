// Every place, both themes, both languages: a picture in target/screens, axe, nothing cut, no English in French.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { findChromium, launch, openPage, picture } from "./browser.mjs";
import { englishOnly } from "./english.mjs";
import { assertAccessible, assertFits, assertFrench, raise } from "./scene.mjs";

const SIZES = { wide: [1440, 900], middle: [1100, 800], narrow: [800, 900], phone: [390, 844] };

/** How to get to each place, and what shows that it is there. */
const PLACES = [
  { name: "conversation", path: "#/agents/builder", ready: ".ask" },
  { name: "error", path: "#/agents/nightly", ready: "textarea" },
  { name: "first-run", path: "#/agents/demo", ready: ".wordmark", empty: true },
  { name: "channel", path: "#/channels/review", ready: ".answer", sizes: ["wide", "narrow", "phone"] },
  { name: "no-channels", path: "#/channels", ready: ".none", empty: true, sizes: ["wide", "phone"] },
  { name: "settings", path: "#/settings", ready: ".cm-content" },
  {
    name: "settings-problems", path: "#/settings", ready: ".cm-content", sizes: ["wide", "phone"],
    async act(page) {
      await page.evaluate(() => {
        const view = document.querySelector(".cm-content");
        view.focus();
      });
      await page.keyboard.press("Control+End");
      await page.keyboard.type('\n[[agents]]\nname = "night"\ntitel = "Night"\n');
      await page.waitForSelector(".cm-sentence >> text=titel");
    },
  },
  {
    name: "palette", path: "#/agents/builder", ready: ".ask", sizes: ["wide", "phone"],
    async act(page, { language }) {
      await page.keyboard.press("Control+k");
      await page.waitForSelector("dialog[open] input");
      await page.keyboard.type(language === "fr" ? "redem" : "rest");
      await page.waitForSelector(".choice.at");
    },
  },
  {
    name: "history", path: "#/agents/builder", ready: ".ask", sizes: ["wide", "phone"],
    async act(page, { language }) {
      await page.getByRole("button", { name: language === "fr" ? "Conversations précédentes" : "Earlier conversations" }).click();
      await page.waitForSelector("dialog[open] li");
    },
  },
  {
    name: "completion", path: "#/agents/builder", ready: ".ask", sizes: ["wide", "phone"],
    async act(page) {
      await page.locator("textarea").fill("/re");
      await page.waitForSelector("[role=option]");
    },
  },
  { name: "list", path: "#/agents", ready: ".list li", sizes: ["phone"] },
  {
    name: "details", path: "#/agents/builder", ready: ".ask", sizes: ["narrow", "phone"],
    async act(page, { language }) {
      await page.getByRole("button", { name: language === "fr" ? "Détails" : "Details" }).click();
      await page.waitForSelector("dialog[open]");
    },
  },
  {
    name: "keys", path: "#/agents/builder", ready: ".ask", sizes: ["wide"],
    async act(page) {
      await page.locator("h1").first().click();
      await page.keyboard.press("?");
      await page.waitForSelector("dialog[open]");
    },
  },
];

describe("places", () => {
  let browser;
  let english;
  before(async () => {
    browser = await launch(findChromium());
    english = await englishOnly();
  });
  after(() => browser.close());

  for (const language of ["en", "fr"]) {
    for (const theme of ["light", "dark"]) {
      for (const place of PLACES) {
        for (const size of place.sizes ?? Object.keys(SIZES)) {
          // The middle widths differ in layout alone.
          if ((size === "middle" || size === "narrow") && (language === "fr") !== (theme === "dark")) continue;
          const name = `${place.name}-${size}-${theme}-${language}`;
          test(name, async () => {
            const { stage, server, url } = await raise({ language, theme, empty: place.empty });
            const [width, height] = SIZES[size];
            const page = await openPage(browser, url, { width, height, theme, path: place.path });
            try {
              await page.waitForSelector(place.ready);
              stage.bustle();
              await place.act?.(page, { language });
              await page.evaluate(() => document.fonts.ready);
              // The list has measured what it shows when two frames in a row are the same.
              await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
              await page.waitForTimeout(120);
              await picture(page, name);
              assert.deepEqual(page.troubles, []);
              await assertFits(page, name);
              await assertAccessible(page, name);
              if (language === "fr") await assertFrench(page, english, name);
            } finally {
              await page.context().close();
              await server.close();
            }
          });
        }
      }
    }
  }
});
