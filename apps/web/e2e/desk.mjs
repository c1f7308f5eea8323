// A real daemon behind the page: for tests that must see the real thing.
import { bridge, keepUpload } from "../dev/bridge.mjs";
import { servePage } from "../dev/server.mjs";
import { Daemon, findBinary } from "./daemon.mjs";

const configuration = (binary) => `
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

/** Starts a daemon and serves the page before it. */
export async function startDesk() {
  const daemon = await Daemon.start(findBinary(), configuration);
  const server = await servePage({ join: (webSocket) => bridge(webSocket, daemon.socketPath), upload: keepUpload });
  const end = async () => {
    await server.close();
    await daemon.end();
  };
  return { daemon, server, url: server.url, end };
}

/** Sends a message as a person does. */
export async function send(page, text) {
  await page.locator("textarea").fill(text);
  await page.keyboard.press("Control+Enter");
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
