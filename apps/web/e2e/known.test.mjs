// The known agents before the stage: how to install one, what happens when it is there, and how it gets into the file.
import { before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { findChromium, launch, openPage } from "./browser.mjs";
import { raise, useStage } from "./scene.mjs";

describe("known agents in the settings", () => {
  const scene = useStage({ path: "#/settings", ready: ".cm-content" });
  let page;
  before(() => ({ page } = scene));

  const row = (name) => page.locator("aside li", { hasText: name });

  test("are in the file, found, or to be installed", async () => {
    await page.getByText("3 of 8 found").waitFor();
    await row("Claude Code").getByText("in this file").waitFor();
    await row("Gemini CLI").getByText("found, not in this file").waitFor();
    await row("Qwen Code").getByText("qwen is not on PATH").waitFor();
  });

  test("give the line that installs them", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await row("Qwen Code").getByRole("button", { name: "Copy the line that installs Qwen Code" }).click();
    await row("Qwen Code").getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "npm install -g @qwen-code/qwen-code");
  });

  test("are found once they were installed and somebody is back", async () => {
    scene.stage.found.push("qwen");
    await page.evaluate(() => {
      document.hasFocus = () => false;
      dispatchEvent(new Event("blur"));
      delete document.hasFocus;
      dispatchEvent(new Event("focus"));
    });
    await page.getByText("4 of 8 found").waitFor();
    await row("Qwen Code").getByRole("button", { name: "Add Qwen Code" }).waitFor();
  });

  test("get into the file with one click and a save", async () => {
    await row("Qwen Code").getByRole("button", { name: "Add Qwen Code" }).click();
    await row("Qwen Code").getByText("in this file").waitFor();
    await page.locator(".cm-focused").waitFor();
    await page.locator("header button.main:enabled").waitFor();
    await page.keyboard.press("Control+s");
    await page.getByText("saved at").waitFor();
    assert.match(scene.stage.configuration.text, /args = \["--stations", "stations\.json"\]\n\n\[\[agents\]\]\nname = "qwen"\npreset = "qwen"\n$/);
    assert.deepEqual(page.troubles, []);
  });
});

describe("a daemon that does not tell the known agents", () => {
  test("leaves their places out", async (t) => {
    const browser = await launch(findChromium());
    const { stage, server, url } = await raise({ empty: true });
    t.after(async () => {
      await browser.close();
      await server.close();
    });
    const answer = stage.answer.bind(stage);
    let asked = 0;
    stage.answer = (request, reader) => {
      if (request.method === "config.known") asked += 1;
      return answer(request.method === "config.known" ? { ...request, method: "config.unknown" } : request, reader);
    };
    const page = await openPage(browser, url, { path: "#/agents/demo" });
    await page.waitForSelector(".wordmark");
    await page.getByText("Found on this machine").waitFor();
    await page.evaluate(() => (location.hash = "#/settings"));
    await page.waitForSelector(".cm-content");
    await page.getByText("In force").waitFor();
    // A call that is made after it is answered after it.
    await page.evaluate(() => window.pupitre.call("system.identify", {}));
    assert.ok(asked > 0);
    assert.equal(await page.getByText("Known agents").count(), 0);
    assert.deepEqual(page.troubles, []);
  });
});
