// What is asked about panes and workspaces before it is done, before the stage.
import { before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { useStage } from "./scene.mjs";

describe("what is asked about panes", () => {
  const scene = useStage({ path: "#/panes", ready: "[data-pane] .xterm-rows" });
  let page;
  before(() => ({ page } = scene));

  const dialog = () => page.locator("dialog[open]");
  const action = async (words) => {
    await page.keyboard.press("Control+k");
    await page.waitForFunction(() => document.activeElement?.matches("dialog input"));
    await page.keyboard.type(words);
    await page.keyboard.press("Enter");
  };

  test("a new pane runs a terminal agent by its name, where and as it is told", async () => {
    const asked = [];
    const { panes } = scene.stage;
    const create = panes.create.bind(panes);
    panes.create = (params, ...more) => (asked.push(params), create(params, ...more));
    await page.getByRole("button", { name: "New pane" }).click();
    await dialog().getByRole("button", { name: "A terminal agent" }).click();
    assert.equal(await dialog().getByRole("button", { name: "Make the pane" }).isDisabled(), true);
    await dialog().getByLabel("Agent", { exact: true }).fill("codex");
    await dialog().getByLabel("Folder it starts in").fill("~/src/lockkeeper");
    await dialog().getByLabel("Name").fill("helper");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[aria-label='Pane helper'].focused");
    const { workspace } = panes.workspaces.find((one) => one.current);
    assert.deepEqual(asked, [{ agent: "codex", cwd: "~/src/lockkeeper", name: "helper", workspace }]);
    assert.equal(await dialog().count(), 0);
  });

  test("what the daemon refuses is said in the dialog, which stays", async () => {
    const { panes } = scene.stage;
    const create = panes.create;
    panes.create = () => {
      throw { code: -32602, kind: "invalid_params", message: "there is no command nonesuch" };
    };
    await page.getByRole("button", { name: "New pane" }).click();
    await dialog().getByRole("button", { name: "A terminal agent" }).click();
    await dialog().getByLabel("Agent", { exact: true }).fill("nonesuch");
    await page.keyboard.press("Enter");
    await dialog().getByRole("alert").filter({ hasText: "there is no command nonesuch" }).waitFor();
    panes.create = create;
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog[open]", { state: "detached" });
  });

  test("a pane gets another name, which every list then shows", async () => {
    await page.getByRole("button", { name: "Rename helper" }).click();
    const field = dialog().getByLabel("Name");
    assert.equal(await field.inputValue(), "helper");
    await field.fill("second pair of eyes");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[aria-label='Pane second pair of eyes']");
    assert.equal(scene.stage.panes.panes.some((pane) => pane.surface_name === "second pair of eyes"), true);
    await page.keyboard.press("Control+k");
    await page.waitForFunction(() => document.activeElement?.matches("dialog input"));
    await page.keyboard.type("second pair");
    await page.getByRole("option", { name: /^second pair of eyes/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog[open]", { state: "detached" });
  });

  test("a workspace is closed after its panes were counted, and another one is shown", async () => {
    const { panes } = scene.stage;
    const { workspace, name } = panes.workspaces.find((one) => one.current);
    const count = panes.panes.filter((pane) => pane.workspace === workspace).length;
    await action(">close the workspace");
    await dialog().getByText(`${count} panes and what runs in them will be ended.`).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog[open]", { state: "detached" });
    assert.equal(panes.workspaces.some((one) => one.workspace === workspace), true);
    await action(">close the workspace");
    await dialog().getByRole("button", { name: "End and close" }).click();
    await page.waitForFunction((gone) => ![...document.querySelectorAll("nav a")].some((tab) => tab.textContent.includes(gone)), name);
    await page.waitForSelector("[aria-label='Pane port'] .xterm-rows");
    assert.equal(panes.panes.some((pane) => pane.workspace === workspace), false);
    assert.deepEqual(page.troubles, []);
  });
});
