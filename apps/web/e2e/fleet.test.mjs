// The fleet before the stage: what asks is answered there, filters and keys find rows, a row leads to its pane or conversation.
import { before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { useStage } from "./scene.mjs";

describe("the fleet", () => {
  const scene = useStage({ path: "#/fleet", ready: "tbody tr" });
  let page;
  before(() => ({ page } = scene));

  const names = () => page.locator("tbody .name").allInnerTexts();

  test("puts first what asks, the oldest before the others", async () => {
    assert.deepEqual((await names()).slice(0, 3), ["port", "reviewer", "Builder"]);
    assert.deepEqual(await page.locator(".inbox .name").allInnerTexts(), ["port", "reviewer", "Builder"]);
  });

  test("follows what happens", async () => {
    const { panes } = scene.stage;
    const pi = panes.find("pi");
    pi.standing = { ...pi.standing, state: "waiting_for_input", state_seq: 2, message: "May I?" };
    const { surface_id, surface_name, kind, workspace, standing } = pi;
    scene.stage.emit({ type: "state_changed", surface_id, surface_name, kind, workspace, ...standing });
    await page.waitForSelector(".inbox >> text=May I?");
    assert.equal(await page.title(), "(4) Pupitre");
  });

  test("says of a pane what it wants, in words, and then what for", async () => {
    const card = page.locator(".inbox .ask", { hasText: "reviewer" });
    await card.getByText("Wants your permission.").waitFor();
    assert.equal(await card.locator("pre").innerText(), "git push origin high-river");
    // Nothing told what kind of question this is: its words stand alone.
    assert.deepEqual(await page.locator(".inbox .ask", { hasText: "port" }).locator(".body p").allInnerTexts(), ["Keep the old chart format readable for one more release, or drop it now?"]);
  });

  test("has cards that are no taller than what they say", async () => {
    const [port, builder] = await Promise.all(["port", "Builder"].map(async (name) => (await page.locator(".inbox .ask", { hasText: name }).boundingBox()).height));
    assert.ok(port < builder, `${port} and ${builder}`);
  });

  test("is filtered by state and by what is written", async () => {
    await page.getByRole("button", { name: "finished" }).click();
    assert.deepEqual(await names(), ["fixtures", "Handbook"]);
    await page.locator("[data-filter]").fill("fix");
    assert.deepEqual(await names(), ["fixtures"]);
    await page.locator("[data-filter]").fill("");
    await page.getByRole("button", { name: /^All / }).click();
  });

  test("answers a permission in place, with the keys of its card", async () => {
    const card = page.locator(".inbox .ask", { hasText: "Builder" });
    await card.getByText("touches").waitFor();
    await card.getByRole("button", { name: /^Allow once/ }).focus();
    await page.keyboard.press("a");
    await page.waitForFunction(() => ![...document.querySelectorAll(".inbox .name")].some((name) => name.textContent === "Builder"));
    assert.equal(scene.stage.conversations.get("builder").permissions.length, 0);
  });

  test("interrupts what a hook told, with the key a person would press", async () => {
    await page.locator(".inbox").getByRole("button", { name: "Interrupt" }).click();
    await page.waitForFunction(() => document.querySelector(".inbox .failure") === null);
    assert.match(scene.stage.panes.screens.get(scene.stage.panes.find("reviewer").surface_id), /\u0003$/);
  });

  test("says in the card why an interrupt did not get through", async () => {
    const { panes } = scene.stage;
    const write = panes.write;
    panes.write = () => {
      throw { code: -32005, kind: "surface_closed", message: "reviewer has ended" };
    };
    await page.locator(".inbox").getByRole("button", { name: "Interrupt" }).click();
    await page.locator(".inbox .ask", { hasText: "reviewer" }).getByRole("alert").filter({ hasText: "reviewer has ended" }).waitFor();
    panes.write = write;
    await page.locator(".inbox").getByRole("button", { name: "Interrupt" }).click();
    await page.waitForSelector(".inbox .failure", { state: "detached" });
  });

  test("is walked by the arrows, and a row leads to its pane", async () => {
    await page.locator("tbody a").first().focus();
    for (const _ of ["port", "reviewer"]) await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.querySelector(".name")?.textContent), "reviewer");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[aria-label='Pane reviewer'].focused");
    assert.equal(await page.locator("footer").getByText("Typing goes to").innerText(), "Typing goes to reviewer");
    assert.deepEqual(page.troubles, []);
  });
});
