// `npm run e2e`: the page in a real browser. Without Chromium it says so and tests nothing.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findChromium } from "./browser.mjs";

/** Files side by side: each waits for its browser half of the time. */
const AT_ONCE = 2;
const HERE = fileURLToPath(new URL(".", import.meta.url));

if (!findChromium()) {
  console.log("SKIPPED: the page's tests need Chromium (Debian: apt-get install chromium), and there is none here");
  process.exit(0);
}
if (!existsSync(new URL("../dist/index.html", import.meta.url))) {
  console.error("the page is not built: npm run build");
  process.exit(1);
}
const wanted = process.argv.slice(2);
const files = readdirSync(HERE).filter((name) => name.endsWith(".test.mjs") && (wanted.length === 0 || wanted.some((word) => name.includes(word))));
const { status } = spawnSync(process.execPath, ["--test", `--test-concurrency=${AT_ONCE}`, ...files.map((name) => `${HERE}${name}`)], { stdio: "inherit" });
process.exit(status ?? 1);
