// Settings on a real daemon: the file is read, marked, refused, written and taken into force by the settings service itself.
import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { picture } from "./browser.mjs";
import { configuration, missing, send, useDesk, waitIdle } from "./desk.mjs";

describe("settings", { skip: missing }, () => {
  const scene = useDesk({ path: "#/settings", ready: ".cm-content", write: (binary) => configuration(binary).replace("/bin/false", "lock-bench") });

  const file = () => readFile(scene.desk.daemon.configPath, "utf8");
  const shown = () => scene.page.locator(".cm-content").innerText();
  const saveButton = () => scene.page.getByRole("button", { name: "Enregistrer" });
  /** Writes over the beginning of a line. */
  async function overwrite(line, letters, text) {
    await scene.page.locator(".cm-line", { hasText: line }).click();
    await scene.page.keyboard.press("Home");
    for (let letter = 0; letter < letters; letter++) await scene.page.keyboard.press("Delete");
    await scene.page.keyboard.type(text);
    await scene.page.keyboard.press("Escape");
  }
  /** Waits until the check of what was written last has marked this place, or marks nothing there any more. */
  const marked = (place, state = "visible") => scene.page.locator(".problems").getByText(place, { exact: true }).waitFor({ state });

  test("French and dark are one click each, and lines of the file", async () => {
    await scene.page.getByRole("button", { name: "Français" }).click();
    await scene.page.getByText("Réglages").first().waitFor();
    await scene.page.getByRole("button", { name: "Sombre" }).click();
    await scene.page.waitForFunction(() => document.documentElement.dataset.theme === "dark" && document.documentElement.lang === "fr");
    assert.match(await file(), /^theme = "dark"\nlanguage = "fr"$/m);
    await scene.page.locator(".cm-line", { hasText: 'language = "fr"' }).waitFor();
    await picture(scene.page, "journey-settings-1-french-dark");
  });

  test("a mistake is marked at its line and column, keeps the file from being saved, and is mended with one click", async () => {
    await overwrite('title = "Second"', 5, "titel");
    await marked("14:1");
    assert.equal(await saveButton().isDisabled(), true);
    assert.equal(await scene.page.locator(".cm-lintRange-error").innerText(), "titel");
    await scene.page.keyboard.press("Control+s");
    assert.doesNotMatch(await file(), /titel/);
    await picture(scene.page, "journey-settings-2-problem");
    await scene.page.getByRole("button", { name: "Le changer" }).click();
    await marked("14:1", "detached");
    assert.match(await shown(), /title = "Second"/);
  });

  test("what is no TOML is marked too, behind letters of more than one byte", async () => {
    await overwrite('title = "Second"', 0, 'icon = "é😀" = ');
    // Beside the problem stands the remark that what follows is not read until it is mended.
    const where = scene.page.locator(".problems .where", { hasText: /^14:/ }).first();
    await where.waitFor();
    assert.equal(await where.innerText(), "14:13");
    await overwrite('title = "Second"', 'icon = "é😀" = '.length - 1, "");
    await where.waitFor({ state: "detached" });
  });

  test("a valid change saves, and the list of agents follows", async () => {
    await scene.page.locator(".cm-line", { hasText: 'title = "Second"' }).click();
    await scene.page.keyboard.press("End");
    for (let letter = 0; letter < 7; letter++) await scene.page.keyboard.press("Backspace");
    await scene.page.keyboard.insertText('Deuxième"');
    await scene.page.keyboard.press("Control+End");
    await scene.page.keyboard.type("\n# une ligne à moi\n");
    await scene.page.locator("header button.main:enabled").waitFor();
    await scene.page.keyboard.press("Control+s");
    await scene.page.getByText("enregistré").waitFor();
    assert.match(await file(), /^title = "Deuxième"$/m);
    assert.match(await file(), /une ligne à moi/);
    await scene.page.evaluate(() => (location.hash = "#/agents"));
    await scene.page.locator(".list li", { hasText: "Deuxième" }).waitFor();
    await scene.page.evaluate(() => (location.hash = "#/settings"));
    await scene.page.waitForSelector(".cm-content");
  });

  test("a program that changes an agent at work asks for its restart, and not before", async () => {
    await scene.page.evaluate(() => (location.hash = "#/agents/demo"));
    await scene.page.waitForSelector("textarea");
    await send(scene.page, "hello");
    await waitIdle(scene.page);
    await scene.page.locator("footer").getByText(/^1 en marche, limite 4$/).waitFor();
    await writeFile(scene.desk.daemon.configPath, (await file()).replace('args = ["demo-agent"]', 'args = ["demo-agent"]\nenv = { PUPITRE_DEMO_PACE_MS = "1" }'));
    await scene.page.locator(".list li", { hasText: "Demo" }).getByRole("button", { name: "À redémarrer" }).waitFor();
    await scene.page.evaluate(() => (location.hash = "#/settings"));
    await scene.page.waitForSelector(".cm-content");
  });

  test("a change on disk meanwhile is not lost, and neither is what was written here", async () => {
    await scene.page.keyboard.press("Control+End");
    await scene.page.locator(".cm-content").click();
    await scene.page.keyboard.press("Control+End");
    await scene.page.keyboard.type("# encore une\n");
    await writeFile(scene.desk.daemon.configPath, `${await file()}# de quelqu’un d’autre\n`);
    await scene.page.getByText("Le fichier a changé sur le disque à").waitFor();
    await picture(scene.page, "journey-settings-3-changed-on-disk");
    assert.equal(await saveButton().isDisabled(), true);
    await scene.page.getByRole("button", { name: "Comparer" }).click();
    await scene.page.locator("dialog .row.removed, dialog .half.removed").first().waitFor();
    await picture(scene.page, "journey-settings-4-compared");
    await scene.page.keyboard.press("Escape");
    await scene.page.getByRole("button", { name: "Garder la mienne" }).click();
    await scene.page.locator(".cm-content").click();
    await scene.page.keyboard.press("Control+s");
    await scene.page.getByText("enregistré").waitFor();
    assert.match(await file(), /# encore une/);
    assert.doesNotMatch(await file(), /quelqu’un/);
  });

  test("a save with a hash that is no longer that of the file is refused and shown", async () => {
    // The word that the file changed is on its way: the save comes before it.
    await scene.page.keyboard.press("Control+End");
    await scene.page.keyboard.type("# la mienne\n");
    await scene.page.evaluate(() => {
      const { call } = window.pupitre;
      // The file is written between the reading of its hash here and the save.
      window.pupitre.call = async function (method, params) {
        if (method !== "config.save") return call.call(this, method, params);
        delete window.pupitre.call;
        return call.call(this, method, { ...params, hash: "0".repeat(params.hash.length) });
      };
    });
    const before = await file();
    await scene.page.keyboard.press("Control+s");
    await scene.page.waitForFunction(() => !Object.hasOwn(window.pupitre, "call"));
    await scene.page.waitForFunction(() => document.querySelector("header .why, .failure, .conflict") !== null || !document.querySelector("header button.button").disabled);
    assert.equal(await file(), before);
    assert.match(await shown(), /# la mienne/);
    await scene.page.keyboard.press("Control+s");
    await scene.page.getByText("enregistré").waitFor();
    assert.match(await file(), /# la mienne/);
  });

  test("completion knows the schema, and a warning stands beside its line", async () => {
    await scene.page.locator(".cm-line", { hasText: 'command = "lock-bench"' }).click();
    await scene.page.keyboard.press("End");
    await scene.page.keyboard.press("Enter");
    await scene.page.keyboard.type("per");
    await scene.page.locator(".cm-tooltip-autocomplete li", { hasText: "permissions" }).waitFor();
    assert.match(await scene.page.locator(".cm-line", { hasText: "lock-bench" }).innerText(), /ne se trouve pas dans PATH/);
    await scene.page.locator("footer").getByText("1 remarque sur la configuration").waitFor();
    await picture(scene.page, "journey-settings-5-completion");
    await scene.page.keyboard.press("Enter");
    await scene.page.keyboard.type('"de');
    await scene.page.locator(".cm-tooltip-autocomplete li", { hasText: "deny" }).waitFor();
    await scene.page.keyboard.press("Escape");
  });

  test("another file opens from the page's own list, and is among the recent ones", async () => {
    const other = join(scene.desk.daemon.folder, "other.toml");
    await writeFile(other, configuration("/bin/false").replace('language = "system"', 'language = "fr"').replace('title = "Demo"', 'title = "Autre"'));
    scene.page.once("dialog", (dialog) => dialog.accept());
    await scene.page.getByRole("button", { name: "Ouvrir un autre" }).click();
    await scene.page.locator("dialog li", { hasText: "other.toml" }).locator("button").click();
    await scene.page.locator(".cm-line", { hasText: 'title = "Autre"' }).waitFor();
    await scene.page.locator("aside li", { hasText: "other.toml" }).getByText("ouvert").waitFor();
    await picture(scene.page, "journey-settings-6-other-file");
    await scene.page.evaluate(() => (location.hash = "#/agents"));
    await scene.page.locator(".list li", { hasText: "Autre" }).waitFor();
  });

  test("nothing went wrong", () => assert.deepEqual(scene.page.troubles, []));
});
