// Channels on a real daemon: made through the configuration, asked by a person, answered side by side.
import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { picture } from "./browser.mjs";
import { missing, useDesk, visit } from "./desk.mjs";

const CHANNEL = `
[[channels]]
name = "review"
title = "Review"
agents = ["demo", "second", "broken"]
`;

describe("channels", { skip: missing }, () => {
  const scene = useDesk({ path: "#/channels" });

  const field = () => scene.page.getByLabel("Message Review", { exact: true });
  async function ask(text) {
    await field().fill(text);
    await scene.page.keyboard.press("Control+Enter");
    await entry(text).waitFor();
  }
  const entry = (text) => scene.page.locator("article.entry", { hasText: text });
  const answer = (text, agent) => entry(text).getByRole("group", { name: agent, exact: true });

  test("without one the page leads to the settings, where one is made", async () => {
    await scene.page.getByText("No channels yet").waitFor();
    await picture(scene.page, "journey-channel-1-none");
    await scene.page.getByRole("link", { name: "Open settings" }).click();
    await scene.page.locator(".cm-content").click();
    await scene.page.keyboard.press("Control+End");
    await scene.page.keyboard.insertText(CHANNEL);
    await scene.page.waitForFunction(() => document.querySelector("header button.main:not(:disabled)") !== null);
    await scene.page.keyboard.press("Control+s");
    await scene.page.getByText("saved at").waitFor();
    await scene.page.evaluate(() => (location.hash = "#/channels"));
    await scene.page.getByRole("heading", { name: "Ask everybody at once" }).waitFor();
  });

  test("a message goes to all, and their answers stand side by side, with the reason of the one that cannot", async () => {
    await ask("hello everybody");
    for (const agent of ["Demo", "Second"]) {
      await answer("hello everybody", agent).getByText("demo agent").first().waitFor();
      await answer("hello everybody", agent).getByText("finished").waitFor();
      assert.doesNotMatch(await answer("hello everybody", agent).innerText(), /hello everybody/, "what was asked stands above, once");
    }
    await answer("hello everybody", "Broken").getByText(/error/).first().waitFor();
    const [left, right] = await Promise.all(["Demo", "Second"].map((agent) => answer("hello everybody", agent).boundingBox()));
    assert.ok(left.y === right.y && left.x < right.x, "side by side");
    await picture(scene.page, "journey-channel-2-answered");
  });

  test("a mention is completed and narrows the message to whom it names", async () => {
    await field().fill("");
    await field().pressSequentially("@sec");
    await scene.page.getByRole("option", { name: /@second/ }).waitFor();
    await scene.page.keyboard.press("Tab");
    assert.equal(await field().inputValue(), "@second ");
    await scene.page.getByText("to Second").waitFor();
    await field().pressSequentially("markdown");
    await scene.page.keyboard.press("Control+Enter");
    await answer("@second markdown", "Second").getByText("finished").waitFor();
    assert.equal(await entry("@second markdown").getByRole("group").count(), 1);
  });

  test("a question of one agent is answered in its card", async () => {
    await ask("@demo edit");
    const card = answer("@demo edit", "Demo");
    await card.locator(".ask .main").waitFor();
    await picture(scene.page, "journey-channel-3-asks");
    await card.locator(".ask .main").click();
    await card.locator(".ask").waitFor({ state: "detached" });
    await card.getByText("finished").waitFor();
  });

  test("another window, and this one after a reload, show the same", async () => {
    const other = await visit(scene.browser, scene.desk, { path: "#/channels/review" });
    await other.locator("article.entry").nth(2).waitFor();
    await ask("hello again");
    await answer("hello again", "Second").getByText("finished").waitFor();
    await other.locator("article.entry", { hasText: "hello again" }).getByRole("group", { name: "Second", exact: true }).getByText("finished").waitFor();
    await scene.page.reload();
    await scene.page.locator("article.entry").nth(3).waitFor();
    const said = (window) => window.locator("article.entry .said p").allInnerTexts();
    assert.deepEqual(await said(scene.page), ["hello everybody", "@second markdown", "@demo edit", "hello again"]);
    assert.deepEqual(await said(other), await said(scene.page));
    await scene.page.waitForFunction(() => [...document.querySelectorAll(".answer .body")].every((body) => body.innerText.trim() !== ""));
    assert.deepEqual(other.troubles, []);
    await other.context().close();
  });

  test("nothing went wrong", () => assert.deepEqual(scene.page.troubles, []));
});
