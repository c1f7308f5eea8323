// Pages of elsewhere before the daemon's own HTTP, in a browser that was let in: what they ask for is refused, by the
// daemon or by the browser on the daemon's word, and the person's session is untouched.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { findChromium, launch, openPage, picture } from "./browser.mjs";
import { missing, startDesk, visit } from "./desk.mjs";
import { assertAccessible } from "./scene.mjs";

/** Where an attacker's page may stand: another site, and another port of this machine, which is the same site. */
const NAMES = { "another site": "evil.example", "another port": "127.0.0.1", "another name of this machine": "localhost" };

describe("an intruder", { skip: missing }, () => {
  let browser;
  let desk;
  let page;
  let elsewhere;
  before(async () => {
    desk = await startDesk();
    browser = await launch(findChromium(), ["MAP evil.example 127.0.0.1"]);
    page = await visit(browser, desk, { path: "#/agents/demo" });
    await page.waitForSelector("textarea");
    elsewhere = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>elsewhere</title>"));
    await new Promise((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    await browser?.close();
    elsewhere?.closeAllConnections();
    elsewhere?.close();
    await desk?.end();
  });

  /** Opens an attacker's page in the person's browser, with the person's cookies. */
  async function lure(name) {
    const lured = await page.context().newPage();
    const told = [];
    lured.on("console", (message) => told.push(message.text()));
    await lured.goto(`http://${name}:${elsewhere.address().port}/`);
    return Object.assign(lured, { told });
  }
  /** Asserts that the person noticed nothing: still in, still connected, nothing stored, nothing asked of an agent. */
  async function assertUntouched() {
    assert.equal(await page.evaluate(() => window.pupitre.connection), "connected");
    assert.deepEqual(await readdir(join(desk.daemon.folder, "state", "pupitre", "uploads")), []);
    assert.equal(await page.evaluate(async () => (await window.pupitre.call("chat.conversation", { agent: "demo" })).messages.length), 0);
    assert.equal(await page.evaluate(async () => (await fetch("/api/login", { method: "POST", headers: { "content-type": "application/json" }, body: '{"token":"x"}' })).status), 403);
    assert.equal(await socketOf(page, desk.url), "open");
  }
  /** Opens a WebSocket to the daemon from a page, and says what became of it. */
  const socketOf = (from, url) =>
    from.evaluate((address) => new Promise((resolve) => {
      const socket = new WebSocket(address);
      socket.onopen = () => (socket.close(), resolve("open"));
      socket.onerror = () => resolve("refused");
    }), `${url.replace("http", "ws")}/rpc`);

  for (const [where, name] of Object.entries(NAMES)) {
    test(`${where}: nothing is read, nothing is changed, no WebSocket opens`, async () => {
      const lured = await lure(name);
      const statuses = [];
      lured.on("response", (response) => response.url().startsWith(desk.url) && statuses.push([response.request().method(), new URL(response.url()).pathname, response.status()]));
      const outcomes = await lured.evaluate(async (url) => {
        const outcomes = [];
        const ask = async (path, options) => {
          const outcome = await fetch(url + path, { credentials: "include", ...options }).then((reply) => reply.type, () => "failed");
          outcomes.push([path, options.mode ?? "cors", options.method ?? "GET", outcome]);
        };
        for (const path of ["/", "/healthz", "/favicon.svg", "/rpc"]) {
          await ask(path, {});
          await ask(path, { mode: "no-cors" });
        }
        for (const path of ["/api/login", "/api/logout", "/api/upload?name=a.txt"]) {
          await ask(path, { method: "POST", body: "{}" });
          await ask(path, { method: "POST", body: "{}", mode: "no-cors" });
          await ask(path, { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
        }
        return outcomes;
      }, desk.url);
      // CORP lets not even an opaque answer through; where it did, it would be another origin's all the same.
      assert.deepEqual(outcomes.filter(([, , , outcome]) => outcome !== "failed" && outcome !== "opaque"), []);
      assert.deepEqual(outcomes.filter(([, mode, , outcome]) => mode === "cors" && outcome !== "failed"), []);
      assert.deepEqual(statuses.filter(([method, , status]) => method === "POST" && status < 400), []);
      assert.equal(await socketOf(lured, desk.url), "refused");
      assert.match(lured.told.join("\n"), /WebSocket[\s\S]*403/);
      await assertUntouched();
      await lured.close();
    });

    test(`${where}: a form is refused, and so is what it carries`, async () => {
      const { hash } = new URL(await desk.daemon.newAddress());
      const token = new URLSearchParams(hash.slice(1)).get("token");
      for (const path of ["/api/upload?name=a.txt", "/api/logout", "/api/login"]) {
        const lured = await lure(name);
        const [response] = await Promise.all([
          lured.waitForNavigation(),
          lured.evaluate(([action, text]) => {
            // A form of plain text can look like JSON.
            const form = Object.assign(document.createElement("form"), { method: "post", enctype: "text/plain", action });
            form.append(Object.assign(document.createElement("input"), { name: text.slice(0, -2), value: text.slice(-2) }));
            document.body.append(form);
            form.submit();
          }, [desk.url + path, `{"token":"${token}","x":"="}`]),
        ]);
        assert.equal(response.status(), 403, path);
        await lured.close();
      }
      await assertUntouched();
    });

    test(`${where}: the page cannot be framed, reached as a window, or included`, async () => {
      const lured = await lure(name);
      const included = await lured.evaluate(async (url) => {
        const load = (tag, name, address) =>
          new Promise((resolve) => {
            const element = Object.assign(document.createElement(tag), { [name]: address, onload: () => resolve("loaded"), onerror: () => resolve("failed") });
            document.body.append(element);
          });
        const page = await (async () => {
          await load("iframe", "src", `${url}/`);
          try {
            return frames[0].document.title;
          } catch {
            return "out of reach";
          }
        })();
        return { page, image: await load("img", "src", `${url}/favicon.svg`), script: await load("script", "src", `${url}/assets/none.js`) };
      }, desk.url);
      assert.deepEqual(included, { page: "out of reach", image: "failed", script: "failed" });
      assert.match(lured.told.join("\n"), /frame-ancestors/);
      assert.equal(await lured.frames()[1].evaluate(() => document.querySelector("#page") === null), true);
      const [opened] = await Promise.all([page.context().waitForEvent("page"), lured.evaluate((url) => void (window.opened = open(url)), desk.url)]);
      await opened.waitForLoadState();
      assert.equal(await opened.evaluate(() => window.opener), null);
      assert.equal(await lured.evaluate(() => window.opened.closed), true, "COOP has cut them apart");
      await opened.close();
      await lured.close();
    });
  }

  test("a name of elsewhere that means this machine gets nothing (rebinding)", async () => {
    const lured = await page.context().newPage();
    const told = [];
    lured.on("console", (message) => told.push(message.text()));
    const rebound = `http://evil.example:${desk.port}`;
    const response = await lured.goto(rebound);
    assert.equal(response.status(), 421);
    const statuses = await lured.evaluate(async () => {
      const status = async (path, options) => [path, (await fetch(path, options)).status];
      return Promise.all([
        status("/"), status("/healthz"), status("/favicon.svg"), status("/rpc"),
        ...["/api/login", "/api/logout", "/api/upload?name=a"].map((path) => status(path, { method: "POST", body: "{}", headers: { "content-type": "application/json" } })),
      ]);
    });
    assert.deepEqual(statuses.filter(([, status]) => status !== 421), []);
    assert.equal(await socketOf(lured, rebound), "refused");
    // The policy of the refusal itself may have stopped it; either way nothing opened.
    assert.match(told.join("\n"), /WebSocket/);
    await lured.close();
    await assertUntouched();
  });

  test("without a cookie there is a page that says how to get in, and nothing behind it", async () => {
    const outside = await openPage(browser, desk.url);
    await outside.getByText("Pupitre does not let this page in.").waitFor();
    await picture(outside, "not-let-in");
    assert.equal(await outside.evaluate(async () => (await fetch("/api/upload?name=a", { method: "POST", body: "x" })).status), 401);
    assert.equal(await socketOf(outside, desk.url), "refused");
    assert.doesNotMatch(await outside.locator("body").innerText(), /Demo|Second/);
    await assertAccessible(outside, "not let in");
    // It tries again and again; what is shown stays.
    await outside.evaluate(() => {
      window.changes = 0;
      new MutationObserver((changes) => (window.changes += changes.length)).observe(document.body, { childList: true, subtree: true });
    });
    await outside.evaluate(() => window.pupitre.retryNow());
    await outside.waitForResponse((response) => response.url().endsWith("/healthz"));
    assert.equal(await outside.evaluate(() => window.changes), 0);
    await outside.context().close();
  });

  test("a token is good once, for one browser, and not after the daemon it came from", async () => {
    const address = await desk.daemon.newAddress();
    const { hash } = new URL(address);
    const first = await openPage(browser, desk.url, { path: hash });
    await first.waitForFunction(() => window.pupitre?.connection === "connected");
    assert.doesNotMatch(first.url(), /token/, "the token has left the address");
    assert.equal(await first.evaluate(() => document.cookie), "", "no script can read the cookie");
    await first.context().close();
    const never = hash.replace(/.{4}$/, "AAAA");
    const old = new URL(await desk.daemon.newAddress()).hash;
    await desk.daemon.kill();
    await desk.daemon.launch();
    for (const bad of [hash, never, old, "#token="]) {
      const outside = await openPage(browser, desk.url, { path: bad });
      await outside.waitForFunction(() => window.pupitre?.connection === "refused");
      await outside.context().close();
    }
    // The person's own page comes back by itself.
    await page.waitForFunction(() => window.pupitre.connection === "connected");
    await assertUntouched();
  });

  test("what is too large is refused, and the page lives on", async () => {
    const outcomes = await page.evaluate(async () => {
      const upload = await fetch("/api/upload?name=huge.bin", { method: "POST", body: new Blob([new Uint8Array((32 << 20) + 1)]) });
      const login = await fetch("/api/login", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token: "x".repeat(2_000) }) });
      // Over the limit of a request it is answered, over that of a WebSocket the daemon hangs up.
      const tell = (letters) =>
        new Promise((resolve) => {
          const socket = new WebSocket(`ws://${location.host}/rpc`);
          socket.onopen = () => socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "chat.send", params: { agent: "demo", text: "x".repeat(letters) } }));
          socket.onmessage = (message) => (socket.close(), resolve(JSON.parse(message.data).error.data.kind));
          socket.onclose = () => resolve("closed");
        });
      return { upload: upload.status, login: login.status, request: await tell(2 << 20), flood: await tell(8 << 20) };
    });
    assert.deepEqual(outcomes, { upload: 413, login: 413, request: "too_large", flood: "closed" });
    await assertUntouched();
  });

  test("a message that is too long is given back with the reason", async () => {
    const text = "é".repeat(600_000);
    await page.locator("textarea").fill(text);
    await page.locator("textarea").press("Control+Enter");
    await page.getByText("that is too much for one message").waitFor();
    assert.equal((await page.locator("textarea").inputValue()).length, text.length);
    await page.locator("textarea").fill("");
    await assertUntouched();
  });

  test("whoever logs out is out, in every window, until a new address", async () => {
    const other = await page.context().newPage();
    await other.goto(desk.url);
    await other.waitForFunction(() => window.pupitre?.connection === "connected");
    await page.bringToFront();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("log this browser");
    await page.getByRole("option", { name: "Log this browser out" }).waitFor();
    await page.keyboard.press("Enter");
    for (const one of [page, other]) {
      // A window in the background draws nothing.
      await one.bringToFront();
      await one.getByText("Pupitre does not let this page in.").waitFor();
    }
    assert.equal(await socketOf(other, desk.url), "refused");
    assert.equal(await other.getByText("Demo").count(), 0, "what was shown is gone");
    await other.close();
    await page.goto(await desk.daemon.newAddress());
    await page.waitForFunction(() => window.pupitre?.connection === "connected");
  });
});
