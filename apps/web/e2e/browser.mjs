// The browser of the tests: Debian's Chromium, driven by playwright-core.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const SCREENS = fileURLToPath(new URL("../../../target/screens/", import.meta.url));

/** Far above what anything takes: it only keeps what never comes from holding the run. */
const PATIENCE_MS = 15_000;

/** Returns where Chromium is, or null. */
export function findChromium() {
  return [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => path && existsSync(path)) ?? null;
}

/** Starts it. `rules` say what hosts mean to it: `MAP evil.example 127.0.0.1`. */
export async function launch(executablePath, rules = []) {
  await mkdir(SCREENS, { recursive: true });
  const resolver = rules.length > 0 ? [`--host-resolver-rules=${rules.join(",")}`] : [];
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", ...resolver] });
}

/** Opens a page that collects what goes wrong in it: errors, and requests that leave for another host. */
export async function openPage(browser, url, { width = 1440, height = 900, theme = "light", locale = "en-GB", path = "" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, locale, reducedMotion: "reduce", timezoneId: "Europe/Paris" });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => {
    // The browser itself notes each connection that a test breaks on purpose; what a policy blocks is another matter.
    const isBroken = /WebSocket connection|^Failed to load resource: net::ERR_(?!BLOCKED)/.test(message.text());
    if (message.type() === "error" && !isBroken) troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(?:data|blob):/.test(request.url())) troubles.push(`a request left: ${request.url()}`);
  });
  await page.goto(`${url}/${path}`);
  return Object.assign(page, { troubles });
}

export async function picture(page, name) {
  await page.screenshot({ path: join(SCREENS, `${name}.png`) });
}
