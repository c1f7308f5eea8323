// Agents of others on the page, each with a model server of this project instead of a model: what it asks, runs, changes
// and offers is shown. They run with PUPITRE_REAL_AGENTS=1 for the small one, `=all`, or names with commas between.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { findChromium, launch, picture } from "./browser.mjs";
import { Daemon, findBinary } from "./daemon.mjs";
import { missing, send, visit, waitIdle } from "./desk.mjs";

const AGENTS = [
  {
    name: "codexz", title: "Codex", isSmall: true,
    // Without metadata of its model it offers no tool for this, and takes a patch for one that is given to the shell.
    write: (path, text) => `{{shell apply_patch <<'END'\n*** Begin Patch\n*** Add File: ${path}\n+${text}\n*** End Patch\nEND\n}}`,
  },
  { name: "claude", title: "Claude Code", isSmall: false, write: (path, text) => `{{write ${path} ${text}}}` },
];
/** Some of them take more than ten seconds to start on a busy machine. */
const PATIENCE_MS = 120_000;

const beside = (program) => join(dirname(findBinary() ?? ""), program);

/** Why an agent is not tried; undefined when it is. What is not installed yet is installed where agents are kept. */
function reasonNot({ name, isSmall }) {
  const wanted = process.env.PUPITRE_REAL_AGENTS ?? "";
  const isWanted = wanted === "all" || (wanted === "1" ? isSmall : wanted.split(",").includes(name));
  if (!isWanted) return `not in PUPITRE_REAL_AGENTS="${wanted}"`;
  if (missing) return missing;
  for (const program of ["pupitre-model-server", "pupitre-real-agents"]) {
    if (!existsSync(beside(program))) return `needs ${program}: cargo build -p pupitre-testkit`;
  }
  const { stdout } = spawnSync(beside("pupitre-real-agents"), ["install", name], { encoding: "utf8" });
  return JSON.parse(stdout).unavailable;
}

for (const agent of AGENTS) {
  describe(`${agent.title} on the page`, { skip: reasonNot(agent) }, () => {
    let browser;
    let server;
    let daemon;
    let work;
    let page;
    before(async () => {
      server = spawn(beside("pupitre-model-server"), { stdio: ["pipe", "pipe", "inherit"] });
      const [port] = await new Promise((resolve) => createInterface({ input: server.stdout }).once("line", (line) => resolve([Number(line)])));
      daemon = await Daemon.start(findBinary(), (_, folder) => {
        work = join(folder, "work");
        const told = spawnSync(beside("pupitre-real-agents"), ["env", agent.name, `http://127.0.0.1:${port}`, join(folder, "home")], { encoding: "utf8" });
        const { command, args, env } = JSON.parse(told.stdout);
        const table = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(", ");
        return `language = "en"\n\n[[agents]]\nname = "real"\ntitle = "${agent.title}"\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\ncwd = ${JSON.stringify(work)}\nenv = { ${table} }\n`;
      });
      await mkdir(work);
      browser = await launch(findChromium());
      page = await visit(browser, { daemon, url: new URL(await daemon.newAddress()).origin }, { path: "#/agents/real" });
      page.setDefaultTimeout(PATIENCE_MS);
      await page.waitForSelector("textarea");
    });
    after(async () => {
      await browser?.close();
      await daemon?.end();
      server?.stdin.end();
    });

    const ends = async (words) => {
      await page.locator(".turn .prose", { hasText: words }).waitFor();
      await waitIdle(page, "real");
    };

    test("a command is asked for, allowed, run and shown", async () => {
      await send(page, "{{think Let me see}}{{say Making it.}}{{shell touch made.txt}}{{next}}{{say All made.}}");
      const card = page.locator(".ask");
      await card.locator(".options .main").waitFor();
      assert.match(await card.innerText(), /touch made\.txt/);
      await picture(page, `real-${agent.name}-1-asks`);
      await card.locator(".options .main").click();
      await ends("All made.");
      assert.ok(existsSync(join(work, "made.txt")), "the command has run");
      assert.match((await page.locator(".turn").allInnerTexts()).join("\n"), /Ran\s.*touch made\.txt/);
      await picture(page, `real-${agent.name}-2-ran`);
    });

    test("a change of a file is shown with what it adds", async () => {
      await send(page, `{{say Writing it.}}${agent.write(join(work, "notes.md"), "high river")}{{next}}{{say Written down.}}`);
      // Some agents ask before they write, and some do not.
      const asked = page.locator(".ask .options .main");
      await Promise.race([asked.waitFor().then(() => asked.click()), page.locator(".turn .prose", { hasText: "Written down." }).waitFor()]);
      await ends("Written down.");
      assert.match(await readFile(join(work, "notes.md"), "utf8"), /high river/);
      await page.locator(".turn .row.added", { hasText: "high river" }).last().waitFor();
      assert.match(await page.getByRole("complementary", { name: "Details" }).innerText(), /notes\.md/);
      await picture(page, `real-${agent.name}-3-changed`);
    });

    test("its context is shown, and its models and modes can be chosen", async () => {
      const head = () => page.evaluate(() => {
        const { usage, modes, config_options } = window.pupitre.conversations.find("real", null).head;
        return JSON.parse(JSON.stringify({ usage, modes, config_options }));
      });
      const { usage, modes, config_options: options } = await head();
      if (usage !== null) await page.locator(".usage").waitFor();
      const model = options.find((option) => option.category === "model");
      assert.ok(model && model.choices.length > 1, `it offers models: ${JSON.stringify({ modes, options })}`);
      const other = model.choices.find((choice) => choice.value !== model.value);
      await page.getByLabel(model.name, { exact: true }).selectOption(other.value);
      await page.waitForFunction(([id, value]) => window.pupitre.conversations.find("real", null).head.config_options.find((option) => option.id === id)?.value === value, [model.id, other.value]);
      await picture(page, `real-${agent.name}-4-model`);
    });

    test("Stop ends a turn in mid-stream, and the next one works", async () => {
      await send(page, "{{drip drop}}");
      await page.locator(".turn .prose", { hasText: "drop" }).last().waitFor();
      await page.getByRole("button", { name: "Stop Esc" }).click();
      await page.getByText("Stopped.").waitFor();
      await send(page, "{{say Still here.}}");
      await ends("Still here.");
    });

    test("nothing went wrong", () => assert.deepEqual(page.troubles, []));
  });
}
