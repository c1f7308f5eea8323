// The same conversation in two windows stays the same, through a reload, a broken connection and a killed daemon.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { findChromium, launch, picture } from "./browser.mjs";
import { compare, missing, send, startDesk, visit, waitDrawn, waitIdle } from "./desk.mjs";
import { Line } from "./line.mjs";

describe("two windows", { skip: missing }, () => {
  let browser;
  let desk;
  let line;
  let one;
  let two;
  before(async () => {
    desk = await startDesk();
    line = await Line.to(desk.port);
    browser = await launch(findChromium(), [line.rule]);
    one = await visit(browser, desk, { path: "#/agents/demo" });
    two = await visit(browser, desk, { path: "#/agents/demo" });
    for (const page of [one, two]) await page.waitForSelector("textarea");
  });
  after(async () => {
    await browser?.close();
    await line?.end();
    await desk?.end();
  });

  async function assertSame() {
    for (const page of [one, two]) {
      await waitIdle(page);
      await waitDrawn(page);
    }
    const [first, second] = [await compare(one), await compare(two)];
    assert.deepEqual(first.held, first.daemon);
    assert.deepEqual(second.held, second.daemon);
    assert.deepEqual(first.held, second.held);
    // Each draws as many messages as its window shows: those that both draw must read the same.
    const theirs = new Map(second.drawn);
    const shared = first.drawn.filter(([id]) => theirs.has(id));
    assert.deepEqual(shared.map(([id]) => [id, theirs.get(id)]), shared);
    assert.ok(shared.length > 1, "both draw the newest messages");
  }

  test("while an answer streams", async () => {
    await send(one, "think markdown plan read");
    await one.waitForSelector(".turn .prose");
    await assertSame();
  });

  test("through a permission request that the other window answers", async () => {
    await send(one, "edit");
    await one.waitForSelector(".ask");
    await two.waitForSelector(".ask");
    await two.locator(".ask .options .main").click();
    await one.waitForSelector(".ask", { state: "detached" });
    await assertSame();
  });

  test("through a reload in mid-answer", async () => {
    await send(one, "slow 8");
    await two.waitForFunction(() => window.pupitre.conversations.find("demo", null)?.head?.busy);
    await two.reload();
    await two.waitForSelector("textarea");
    await assertSame();
  });

  test("through a connection that breaks in mid-answer, resumed from the cursor", async () => {
    await send(one, "slow 10");
    await one.waitForFunction(() => window.pupitre.conversations.find("demo", null)?.head?.busy);
    assert.ok(line.cut() >= 2, "both windows are connected through the line");
    await one.waitForFunction(() => window.pupitre.connection !== "connected");
    for (const page of [one, two]) await page.waitForFunction(() => window.pupitre.connection === "connected");
    await assertSame();
  });

  test("through a daemon that is killed in mid-answer and started again", async () => {
    await send(one, "slow 200");
    await two.waitForFunction(() => window.pupitre.conversations.find("demo", null)?.messages.at(-1)?.value.parts.length > 0);
    await desk.daemon.kill();
    await one.waitForFunction(() => window.pupitre.connection === "lost");
    await one.waitForSelector("[role=alert] >> text=Pupitre");
    await picture(one, "daemon-gone");
    await desk.daemon.launch();
    for (const page of [one, two]) await page.waitForFunction(() => window.pupitre.connection === "connected");
    for (const page of [one, two]) await page.waitForFunction(() => window.pupitre.conversations.find("demo", null)?.head?.busy === false);
    await assertSame();
    await send(one, "hello");
    await assertSame();
  });

  test("nothing went wrong in either", () => {
    assert.deepEqual(one.troubles, []);
    assert.deepEqual(two.troubles, []);
  });
});
