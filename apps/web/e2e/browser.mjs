// The browser of the tests: Debian's Chromium, driven by playwright-core.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const SCREENS = fileURLToPath(new URL("../../../target/screens/", import.meta.url));

/** Returns where Chromium is, or null. */
export function findChromium() {
  return [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => path && existsSync(path)) ?? null;
}

export async function launch(executablePath) {
  await mkdir(SCREENS, { recursive: true });
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** Opens a page that collects what goes wrong in it: errors, and requests that leave for another host. */
export async function openPage(browser, url, { width = 1440, height = 900, theme = "light", locale = "en-GB", path = "" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, locale, reducedMotion: "reduce", timezoneId: "Europe/Paris" });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => {
    // The browser itself notes each connection that a test breaks on purpose.
    if (message.type() === "error" && !/WebSocket connection|ERR_CONNECTION_REFUSED/.test(message.text())) troubles.push(message.text());
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
