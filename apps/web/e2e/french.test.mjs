// What the daemon tells by causes and kinds is French in the French page: each problem of a file, each reason, each refusal.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { findChromium, launch, openPage, picture } from "./browser.mjs";
import { missing, useDesk } from "./desk.mjs";
import { englishOnly } from "./english.mjs";
import { assertFrench, raise, settle } from "./scene.mjs";

/** Files with one problem after another; what is no TOML hides the rest, so each of these stands alone. */
const FILES = [
  `themee = 1
nonsense = 1
maxRunningAgents = 3
theme = "drak"
language = "pink"
history = "yes"
port = 70000
ai_unrestricted = true
[limits]
port = 3
stopIdleAgentsAfter = "1s"
[[agents]]
name = "Big"
command = ""
API_KEY = 1
"A=b" = 1
icon = "hamer"
[[agents]]
name = "b"
preset = "gemni"
env = { "A=B" = "c", C = "$PUPITRE_UNSET" }
[[agents]]
name = "b"
command = "no-such-program"
cwd = "/no/such/folder"
icon = "no-such.png"
[[agents]]
name = "c"
command = "./no-such-program"
args = ["\\u0000"]
[[agents]]
title = "No name"
[[channels]]
name = "r"
agents = ["b", "b", "nobody"]
[[channels]]
name = "s"
agents = []
`,
  "history = true\nhistory = true\n", "a: 1\n", 'theme = "dark" "light"\n', "theme\n", "theme =\n", "theme = dark\n", "history = True\n", 'theme = "dark\n', "[limits\n",
  "agents = [", "limits = {", 'theme = """dark', "port = 01\n", "[agents]\n", "port = 1234\n",
  Array.from({ length: 120 }, (_, at) => `k${at} = 1\n`).join(""), Array.from({ length: 120 }, (_, at) => `[[agents]]\nname = "a${at}"\ncommand = "no-such-${at}"\n`).join(""),
  '[[agents]]\nname = "a"\n'.repeat(257),
];

/** What no text of an editor makes: it is always UTF-8, within the limits, and its file is there and its owner's. */
const ELSEWHERE = ["file_gone", "file_unreadable", "file_too_large", "not_utf8", "against_schema", "others_may_write", "variable_not_handed_on"];

describe("problems of the configuration", { skip: missing }, () => {
  let english;
  before(async () => (english = await englishOnly()));
  const scene = useDesk({ path: "#/settings", ready: ".cm-content", write: (binary) => `language = "fr"\n[[agents]]\nname = "demo"\ncommand = "${binary}"\nargs = ["demo-agent"]\n` });

  /** Puts a text in the place of what stands in the editor, as a person pastes it. */
  async function write(text) {
    await scene.page.locator(".cm-content").click();
    await scene.page.keyboard.press("Control+a");
    await scene.page.keyboard.press("Delete");
    await scene.page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      document.querySelector(".cm-content").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
  }

  test("each of them is told in French, in the list, beside its line and below", async () => {
    const seen = new Set();
    for (const text of FILES) {
      await write(text);
      const { problems } = await scene.page.evaluate((text) => window.pupitre.call("config.validate", { text }), text);
      const places = problems.map(({ line, column }) => `${line}:${column}`);
      await scene.page.waitForFunction((places) => [...document.querySelectorAll(".problems .where")].map((place) => place.innerText).join() === places.join(), places);
      await settle(scene.page);
      for (const { cause } of problems) seen.add(cause.kind);
      const told = await scene.page.locator(".problems .message").allInnerTexts();
      assert.equal(told.length, problems.length);
      for (const [at, { message }] of problems.entries()) assert.notEqual(told[at], message);
      await assertFrench(scene.page, english, text.slice(0, 40));
      if (text === FILES[0]) await picture(scene.page, "french-problems");
    }
    assert.deepEqual(english.problems.filter((kind) => !seen.has(kind)).sort(), [...ELSEWHERE].sort());
  });

  test("a value that was nearly right is changed with its quotes", async () => {
    await write('theme = "drak"\n');
    await scene.page.getByRole("button", { name: "Le changer" }).click();
    await scene.page.locator(".problems").waitFor({ state: "detached" });
    assert.match(await scene.page.locator(".cm-content").innerText(), /^theme = "dark"$/m);
  });

  test("nothing went wrong", () => assert.deepEqual(scene.page.troubles, []));
});

describe("reasons and refusals", () => {
  const scene = {};
  let english;
  before(async () => {
    english = await englishOnly();
    scene.browser = await launch(findChromium());
    Object.assign(scene, await raise({ language: "fr" }));
    scene.page = await openPage(scene.browser, scene.url, { path: "#/agents/nightly" });
    await scene.page.waitForFunction(() => window.pupitre?.isReady);
    await scene.page.waitForSelector("textarea");
  });
  after(async () => {
    await scene.browser?.close();
    await scene.server?.close();
  });

  test("each reason why an agent stopped is told in French", async () => {
    const lines = new Set();
    const row = scene.page.locator(".list li", { has: scene.page.locator(".hit[href$='/nightly']") });
    for (const cause of Object.values(english.causes)) {
      scene.stage.state("nightly", { state: "error", error: `the daemon says ${cause.kind} and not more`, cause });
      const shown = await scene.page.waitForFunction((kind) => window.pupitre.agents.find("nightly").cause?.kind === kind && document.body.innerText, cause.kind);
      assert.doesNotMatch(await shown.jsonValue(), /the daemon says/, cause.kind);
      const line = await row.locator(".line").innerText();
      assert.equal(english.wordOf(line), null, `${cause.kind}: ${line}`);
      lines.add(line);
      await assertFrench(scene.page, english, cause.kind);
    }
    assert.equal(lines.size, Object.keys(english.causes).length);
    await picture(scene.page, "french-reason");
  });

  test("each kind of refusal is told in French", async () => {
    for (const kind of english.kinds) {
      scene.stage.refuse("agent.start", { kind, message: "the daemon says why it is not so" });
      scene.stage.state("nightly", { state: "stopped", error: null, cause: undefined });
      await scene.page.waitForFunction(() => window.pupitre.agents.find("nightly").state === "stopped");
      await scene.page.locator(".list li", { has: scene.page.locator(".hit[href$='/nightly']") }).locator(".acts button").first().click();
      const refused = scene.page.locator(".list li .failure");
      await refused.waitFor();
      await assertFrench(scene.page, english, kind);
      await scene.page.evaluate(() => window.pupitre.agents.failures.delete("nightly"));
      await refused.waitFor({ state: "detached" });
    }
  });

  test("nothing went wrong", () => assert.deepEqual(scene.page.troubles, []));
});
