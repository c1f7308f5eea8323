// Every place, both themes, both languages: a picture in target/screens, axe, nothing cut, no English in French.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { findChromium, launch, openPage, picture } from "./browser.mjs";
import { englishOnly } from "./english.mjs";
import { assertAccessible, assertFits, assertFrench, raise, settle } from "./scene.mjs";

const SIZES = { wide: [1440, 900], middle: [1100, 800], narrow: [800, 900], phone: [390, 844] };

/** How to get to each place, and what shows that it is there. */
const PLACES = [
  { name: "conversation", path: "#/agents/builder", ready: ".ask" },
  { name: "error", path: "#/agents/nightly", ready: "textarea" },
  {
    name: "first-run", path: "#/agents/demo", ready: ".wordmark", empty: true,
    act: (page, { language }) => page.getByText(language === "fr" ? "1 des 8 agents connus" : "1 of 8 known agents").waitFor(),
  },
  {
    name: "first-run-install", path: "#/agents/demo", ready: ".wordmark", empty: true,
    async act(page) {
      await page.locator(".missing summary").click();
      await page.waitForSelector(".missing dd .line");
    },
  },
  { name: "channel", path: "#/channels/review", ready: ".answer", sizes: ["wide", "narrow", "phone"] },
  { name: "no-channels", path: "#/channels", ready: ".none", empty: true, sizes: ["wide", "phone"] },
  { name: "fleet", path: "#/fleet", ready: "tbody tr" },
  { name: "no-fleet", path: "#/fleet", ready: ".none", empty: true, sizes: ["wide", "phone"] },
  {
    name: "panes", path: "#/panes", ready: "[data-pane] .xterm-rows",
    async act(page) {
      await page.locator("[data-pane] .terminal textarea").first().focus();
      await page.waitForSelector(".focused");
      await page.waitForFunction(() => [...document.querySelectorAll("[data-pane]")].every((pane) => pane.querySelector(".xterm-rows")?.textContent.trim()));
    },
  },
  { name: "no-panes", path: "#/panes", ready: ".none", empty: true, sizes: ["wide", "phone"] },
  {
    name: "pane-new", path: "#/panes", ready: "[data-pane] .xterm-rows", sizes: ["wide", "phone"],
    async act(page, { language }) {
      await page.getByRole("button", { name: language === "fr" ? "Nouveau panneau" : "New pane" }).click();
      await page.locator("dialog[open] .segments button").nth(1).click();
    },
  },
  { name: "settings", path: "#/settings", ready: ".cm-content" },
  {
    name: "settings-agents", path: "#/settings", ready: ".cm-content", sizes: ["wide"],
    act: (page) => page.locator("aside .line").last().scrollIntoViewIfNeeded(),
  },
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
    name: "search", path: "#/agents/builder", ready: ".ask", sizes: ["wide", "phone"],
    async act(page, { language }) {
      await page.getByRole("button", { name: language === "fr" ? "Conversations précédentes" : "Earlier conversations" }).click();
      await page.getByRole("button", { name: language === "fr" ? "Tous les agents" : "Every agent" }).click();
      await page.locator("[data-kept-filter]").fill(language === "fr" ? "une" : "the");
      await page.waitForSelector("dialog[open] mark");
    },
  },
  ...["export", "delete"].map((name) => ({
    name: `conversation-${name}`, path: "#/agents/builder", ready: ".ask", sizes: ["wide", "phone"],
    async act(page, { language }) {
      await page.getByRole("button", { name: language === "fr" ? "Conversations précédentes" : "Earlier conversations" }).click();
      await page.locator("dialog[open] li button").nth(name === "export" ? 0 : 1).click();
      await page.waitForSelector("dialog[open] .which");
    },
  })),
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

/** Places that leave something behind come last: the page stays open from one to the next. */
const ORDER = [...PLACES].sort((one, other) => Number(one.name === "settings-problems") - Number(other.name === "settings-problems"));

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
      for (const isEmpty of [false, true]) {
        describe(`${theme}, ${language}${isEmpty ? ", a first run" : ""}`, () => {
          let server;
          let page;
          before(async () => {
            const scene = await raise({ language, theme, empty: isEmpty });
            server = scene.server;
            page = await openPage(browser, scene.url, { theme });
            await page.waitForFunction(() => window.pupitre?.isReady);
            scene.stage.bustle();
          });
          after(async () => {
            await page?.context().close();
            await server.close();
          });

          for (const place of ORDER.filter((place) => (place.empty === true) === isEmpty)) {
            test(place.name, async () => {
              const sizes = (place.sizes ?? Object.keys(SIZES)).filter(
                // The middle widths differ in layout alone.
                (size) => !["middle", "narrow"].includes(size) || (language === "en") === (theme === "light"),
              );
              try {
                for (const [at, size] of sizes.entries()) {
                  const [width, height] = SIZES[size];
                  const name = `${place.name}-${size}-${theme}-${language}`;
                  await page.setViewportSize({ width, height });
                  if (at === 0) {
                    await page.evaluate((path) => (location.hash = path), place.path);
                    await page.waitForSelector(place.ready);
                    await place.act?.(page, { language });
                  }
                  await settle(page);
                  await picture(page, name);
                  assert.deepEqual(page.troubles.splice(0), []);
                  await assertFits(page, name);
                  // Between these two a page has nothing of its own.
                  if (size === sizes[0] || size === "phone") await assertAccessible(page, name);
                  if (language === "fr") await assertFrench(page, english, name);
                }
              } finally {
                await leave(page);
              }
            });
          }
        });
      }
    }
  }
});

/** Closes what a place opened, and empties what was written. */
async function leave(page) {
  while ((await page.locator("dialog[open]").count()) > 0) {
    await page.keyboard.press("Escape");
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
  const field = page.locator("textarea:not(.xterm-helper-textarea)");
  if ((await field.count()) > 0) await field.fill("");
}
