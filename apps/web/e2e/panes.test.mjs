// Panes in a real browser before a real daemon: made, typed into, seen by many, split, reloaded, ended and closed; and what a
// program's hostile output can do, which is nothing.
import { after, describe, test } from "node:test";
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { picture } from "./browser.mjs";
import { missing, useDesk, visit } from "./desk.mjs";

/** Waits until a pane shows a text. */
async function shows(page, name, text) {
  await page.waitForFunction(([pane, wanted]) => {
    const rows = document.querySelector(`[aria-label="Pane ${pane}"] .xterm-rows`);
    return rows !== null && rows.textContent.replaceAll("\u00a0", " ").includes(wanted);
  }, [name, text]);
}

const terminal = (page, name) => page.locator(`[aria-label="Pane ${name}"] .terminal`);

/** Types a line into a pane, as a person does. */
async function enter(page, name, line) {
  await terminal(page, name).locator("textarea").focus();
  await page.keyboard.type(line);
  await page.keyboard.press("Enter");
}

async function make(page, name, command) {
  await page.getByRole("button", { name: "New pane" }).first().click();
  const dialog = page.locator("dialog[open]");
  await dialog.getByRole("button", { name: "A command" }).click();
  await dialog.getByLabel("Command", { exact: true }).fill(command);
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Make the pane" }).click();
  await page.waitForSelector(`[aria-label="Pane ${name}"] .xterm-rows`);
}

describe("panes", { skip: missing }, () => {
  const scene = useDesk({ path: "#/panes", ready: ".none" });
  let two;
  after(() => two?.context().close());

  test("are made, take the keys, and show what comes back", async () => {
    const { page } = scene;
    await make(page, "one", "sh");
    await enter(page, "one", "echo hi-$((40+2))");
    await shows(page, "one", "hi-42");
    await picture(page, "panes-real");
  });

  test("look the same in two windows, and take keys from both", async () => {
    const { browser, desk, page } = scene;
    two = await visit(browser, desk, { path: "#/panes", width: 1000, height: 700 });
    await shows(two, "one", "hi-42");
    await enter(two, "one", "echo from-$((1+1))");
    await shows(two, "one", "from-2");
    await shows(page, "one", "from-2");
  });

  test("have the size of the window that is typed in", async () => {
    const { page } = scene;
    // A window says a pane's size only while it is the one that gives it.
    const givenBy = async (window) => {
      await enter(window, "one", "clear; stty size");
      const said = await window.waitForFunction(
        () => /(\d+) × (\d+)$/.exec(document.querySelector("[aria-label='Pane one'] .facts").textContent)?.slice(1),
      );
      const [columns, rows] = await said.jsonValue();
      await shows(window, "one", `${rows} ${columns}`);
      return `${rows} ${columns}`;
    };
    const small = await givenBy(two);
    const large = await givenBy(page);
    assert.notEqual(large, small);
    await shows(two, "one", large);
  });

  test("keep their text through a reload", async () => {
    const { page } = scene;
    await enter(page, "one", "clear; echo kept-$((5+5))");
    await shows(page, "one", "kept-10");
    await page.reload();
    await shows(page, "one", "kept-10");
  });

  test("draw a program that takes the whole screen", async () => {
    const { desk, page } = scene;
    const file = join(desk.daemon.folder, "home", "poem.txt");
    await writeFile(file, Array.from({ length: 200 }, (_, at) => `verse ${at + 1}\n`).join(""));
    await enter(page, "one", `less '${file}'`);
    await shows(page, "one", "verse 12");
    await page.keyboard.type("/verse 150\n");
    await shows(page, "one", "verse 160");
    await picture(page, "panes-less");
    await page.keyboard.type("q");
    await enter(page, "one", "clear; echo out-$((1+2))");
    await shows(page, "one", "out-3");
  });

  test("leave the keyboard's way out open", async () => {
    const { page } = scene;
    await terminal(page, "one").locator("textarea").focus();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.closest(".terminal") !== null), true, "Tab is the program's");
    await page.keyboard.press("Control+Shift+M");
    assert.equal(await page.evaluate(() => document.activeElement.closest("header") !== null && document.activeElement.closest("[data-pane]") !== null), true);
    await page.keyboard.press("Control+k");
    await page.waitForSelector("dialog[open] input");
    await page.keyboard.type("one");
    await page.waitForSelector(".choice:has-text('one')");
    await page.keyboard.press("Escape");
  });

  test("are split by a key, and go on in both halves", async () => {
    const { page } = scene;
    await terminal(page, "one").locator("textarea").focus();
    await page.keyboard.press("Control+Shift+D");
    await page.waitForFunction(() => document.querySelectorAll("[data-pane] .xterm-rows").length === 2);
    await page.waitForFunction(() => document.querySelectorAll("[role=separator]").length === 1);
    await enter(page, "one", "clear; echo still-$((3+4))");
    await shows(page, "one", "still-7");
    const share = () => page.evaluate(() => Number(document.querySelector("[role=separator]").getAttribute("aria-valuenow")));
    assert.equal(await share(), 50);
    await page.locator("[role=separator]").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector("[role=separator]").getAttribute("aria-valuenow") !== "50");
    const { workspaces } = await scene.desk.daemon.call("workspace.list");
    assert.notEqual(workspaces[0].layout.parts[0].share, workspaces[0].layout.parts[1].share);
  });

  test("run nothing and fetch nothing of what a program writes", async () => {
    const { desk, page } = scene;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.evaluate(() => navigator.clipboard.writeText("mine"));
    const file = join(desk.daemon.folder, "home", "evil.txt");
    const [esc, bel] = ["\u001b", "\u0007"];
    const image = "<img src=https://evil.example/x.png onerror=window.hacked=1>";
    await writeFile(file, [
      `${esc}]0;${image}${bel}`, `${esc}]2;<script>window.hacked=1</script>${bel}`, `${esc}]52;c;${Buffer.from("stolen").toString("base64")}${bel}`,
      `${esc}]8;;javascript:window.hacked=1${bel}press-me${esc}]8;;${bel}\n`, `${esc}]8;;https://evil.example/go${bel}lead-me${esc}]8;;${bel}\n`,
      `${image}<script>window.hacked=1</script>\n`, `${esc}[8;3;3t${esc}[3;0;0t${esc}[21t${esc}[>0q${esc}P+q544e${esc}\\`, `${esc}]1337;File=inline=1:AAAA${bel}`, `${esc}]7;file://evil.example/x${bel}`,
      `${esc}]9;<b>${bel}${esc}]777;notify;<b>;<i>${bel}`, "the-end\n",
    ].join(""));
    await enter(page, "one", `clear; cat '${file}'`);
    await shows(page, "one", "the-end");
    await shows(page, "one", "onerror=window.hacked=1");
    const press = async (word) => {
      const box = await page.evaluate((wanted) => {
        const row = [...document.querySelectorAll("[aria-label='Pane one'] .xterm-rows > div")].find((element) => element.textContent.startsWith(wanted));
        const range = document.createRange();
        range.selectNodeContents(row);
        const { left, top, height } = range.getBoundingClientRect();
        return { left, top, height };
      }, word);
      await page.mouse.move(box.left + 12, box.top + box.height / 2);
      await page.mouse.move(box.left + 16, box.top + box.height / 2);
      await page.mouse.click(box.left + 16, box.top + box.height / 2);
    };
    const pages = page.context().pages().length;
    await press("press-me");
    await press("lead-me");
    // What may lead somewhere says where, and waits.
    await page.waitForSelector("dialog[open] >> text=https://evil.example/go");
    await page.keyboard.press("Escape");
    assert.equal(page.context().pages().length, pages);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "mine");
    assert.equal(await page.evaluate(() => document.querySelectorAll("[data-pane] img, [data-pane] script, [data-pane] a").length), 0);
    assert.deepEqual(page.troubles.splice(0), []);
  });

  test("say how their program ended, and are closed", async () => {
    const { page } = scene;
    // As in every terminal, the questions of that output were answered into the shell's line.
    await terminal(page, "one").locator("textarea").focus();
    await page.keyboard.press("Control+c");
    await enter(page, "one", "exit 3");
    await page.waitForSelector("[aria-label='Pane one'] >> text=ended with 3");
    await shows(page, "one", "the-end");
    await picture(page, "panes-ended");
    await page.getByRole("button", { name: "Close one", exact: true }).click();
    await page.waitForFunction(() => document.querySelectorAll("[data-pane]").length === 1);
    // A program runs in the other one, so it is asked about.
    await page.locator("[data-pane] header button").last().click();
    await page.locator("dialog[open]").getByRole("button", { name: "End and close" }).click();
    await page.waitForSelector(".none");
    await two.waitForSelector(".none");
    assert.deepEqual([...page.troubles, ...two.troubles], []);
  });
});
