// `cargo xtask bench interface`: how quick the page is, before a daemon that serves it itself. Prints one line of JSON.
// It measures and judges nothing; whoever started it does.
import { gzipSync } from "node:zlib";
import { findChromium, launch } from "../e2e/browser.mjs";
import { Daemon, findBinary } from "../e2e/daemon.mjs";
import { visit } from "../e2e/desk.mjs";

const VISITS = 9;
const MESSAGES = 10_000;
const CHUNKS = 10_000;
const STEPS = 60;

const configuration = (binary) =>
  ["talk", "stream"].map((name) => `[[agents]]\nname = "${name}"\ncommand = "${binary}"\nargs = ["demo-agent"]\nenv = { PUPITRE_DEMO_PACE_MS = "0" }\n`).join("\n");

const chromium = findChromium();
if (chromium === null) {
  console.log(JSON.stringify({ skipped: "the page is measured in Chromium, and there is none here (Debian: apt-get install chromium)" }));
  process.exit(0);
}
const daemon = await Daemon.start(findBinary(), configuration);
try {
  const browser = await launch(chromium);
  try {
    const desk = { daemon, url: new URL(await daemon.newAddress()).origin };
    await fill(MESSAGES);
    const first_load_bytes = await firstLoad(desk.url);
    const [paints, screens] = [[], []];
    let page;
    for (let at = 0; at < VISITS; at++) {
      await page?.context().close();
      const opened = await open(browser, desk);
      page = opened.page;
      paints.push(opened.paint);
      screens.push(opened.screen);
    }
    console.log(JSON.stringify({
      first_load_bytes,
      first_paint_ms: paints,
      first_screen_ms: screens,
      scroll_step_ms: await scrollSteps(page),
      ...(await typingWhileStreaming(page)),
    }));
  } finally {
    await browser.close();
  }
} finally {
  await daemon.end();
}

/** Makes a conversation of so many messages, by asking for half of them. */
async function fill(messages) {
  await daemon.call("chat.send", { agent: "talk", text: "hello" });
  let sent = 1;
  // A queue holds few messages: each time some are answered, as many follow.
  for (;;) {
    const { total, queued, busy } = await daemon.call("chat.conversation", { agent: "talk", limit: 1 });
    if (total >= messages && !busy) return;
    for (let room = 12 - queued; room > 0 && sent < messages / 2; room--, sent++) {
      await daemon.call("chat.send", { agent: "talk", text: sent % 5 === 0 ? "markdown" : `Question ${sent}: ${"a sentence that fills some room. ".repeat(sent % 7)}` });
    }
  }
}

/** Returns what a first visit loads of the page, in bytes with gzip. */
async function firstLoad(url) {
  const browser = await launch(chromium);
  const page = await browser.newPage();
  const files = new Set();
  page.on("request", (request) => {
    // Whether the daemon is there is asked again and again, and is no part of the page.
    if (!request.url().endsWith("/healthz")) files.add(request.url().replace(/#.*/, ""));
  });
  await page.goto(url);
  await page.waitForFunction(() => window.pupitre?.connection === "refused");
  await browser.close();
  let bytes = 0;
  for (const file of files) bytes += gzipSync(Buffer.from(await (await fetch(file)).arrayBuffer()), { level: 9 }).length;
  return bytes;
}

/** Opens the page in a profile that was never here. Returns it with the times from the navigation to the first paint, and from the
 * click on the long conversation until its newest messages are drawn. */
async function open(browser, desk) {
  const page = await visit(browser, desk, { path: "#/agents/stream" });
  await page.waitForSelector("textarea");
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  const screen = await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const start = performance.now();
    document.querySelector('a[href="#/agents/talk"]').click();
    while (!document.querySelector("[data-message]")) await frame();
    await frame();
    return performance.now() - start;
  });
  return { page, paint, screen };
}

/** Returns what one step of scrolling takes until it is drawn, with all messages held. */
async function scrollSteps(page) {
  return page.evaluate(async ([messages, steps]) => {
    const live = window.pupitre.conversations.find("talk", null);
    while (live.messages.length < messages && live.hasOlder) {
      await live.loadOlder();
      // The list loads by itself, too; meanwhile this has nothing to wait for.
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    const scroller = document.querySelector("[role=log]");
    const times = [];
    for (let step = 0; step < steps; step++) {
      const start = performance.now();
      scroller.scrollTop -= 1_500;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      times.push(performance.now() - start);
    }
    return times;
  }, [MESSAGES, STEPS]);
}

/** Returns how long a letter waits at most until it is drawn while an answer of many chunks streams, and the same with nothing to do. */
async function typingWhileStreaming(page) {
  await page.evaluate(() => (location.hash = "#/agents/stream"));
  const field = page.locator("textarea");
  await field.focus();
  await page.evaluate(() => {
    window.letters = [];
    document.querySelector("textarea").addEventListener("input", (event) => {
      const begun = event.timeStamp;
      requestAnimationFrame(() => setTimeout(() => window.letters.push(performance.now() - begun)));
    });
  });
  const take = () => page.evaluate(() => window.letters.splice(0));
  const type = async () => {
    await page.keyboard.type("x");
    await page.waitForFunction(() => window.letters.length > 0);
    return take();
  };
  const idle = [];
  for (let letter = 0; letter < 30; letter++) idle.push(...(await type()));
  await daemon.call("chat.send", { agent: "stream", text: `chunks ${CHUNKS}` });
  const streaming = [];
  const isDone = () => page.evaluate(() => {
    const live = window.pupitre.conversations.find("stream", null);
    return live.head.busy === false && live.messages.at(-1)?.value.done === true && live.messages.length > 1;
  });
  do streaming.push(...(await type()));
  while (!(await isDone()));
  return { typing_idle_ms: idle, typing_streaming_ms: streaming };
}
