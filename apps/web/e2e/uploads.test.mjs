// Files given to a real daemon by its own HTTP: picked, pasted and dropped, sent with a message, and taken back.
import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { picture } from "./browser.mjs";
import { missing, send, sendDraft, useDesk, waitIdle } from "./desk.mjs";

/** One red pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

describe("attachments", { skip: missing }, () => {
  const scene = useDesk({ path: "#/agents/demo", ready: "textarea" });

  const chip = (name) => scene.page.locator(".dock").getByText(name);
  const pick = (files) => scene.page.locator("input[type=file]").setInputFiles(files);
  /** Hands files to the page as the clipboard or a drag does. */
  const hand = (how, files) =>
    scene.page.evaluate(([how, files]) => {
      const data = new DataTransfer();
      for (const { name, type, base64 } of files) {
        data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0))], name, { type }));
      }
      const field = document.querySelector("textarea");
      const options = { bubbles: true, cancelable: true };
      if (how === "paste") field.dispatchEvent(new ClipboardEvent("paste", { ...options, clipboardData: data }));
      else for (const type of ["dragenter", "dragover", "drop"]) field.dispatchEvent(new DragEvent(type, { ...options, dataTransfer: data }));
    }, [how, files]);
  const stored = async () => {
    const folder = join(scene.desk.daemon.folder, "state", "pupitre", "uploads");
    const ids = (await readdir(folder)).sort();
    return Promise.all(ids.map(async (id) => {
      const [name] = await readdir(join(folder, id));
      return [name, await readFile(join(folder, id, name), "utf8")];
    }));
  };

  test("picked files are kept by the daemon and reach the agent", async () => {
    await pick([{ name: "niveau d’été.txt", mimeType: "text/plain", buffer: Buffer.from("high river") }, { name: "../../notes.md", mimeType: "text/markdown", buffer: Buffer.from("# low") }]);
    await chip("niveau d’été.txt").waitFor();
    await chip("notes.md").waitFor();
    assert.deepEqual((await stored()).map(([, text]) => text), ["high river", "# low"]);
    await send(scene.page, "what is this?");
    await waitIdle(scene.page);
    assert.match(await scene.page.locator(".said").last().innerText(), /niveau d’été\.txt[\s\S]*notes\.md/);
    assert.match(await scene.page.locator(".turn .prose").last().innerText(), /niveau d’été\.txt[\s\S]*notes\.md/);
    await picture(scene.page, "journey-attached");
  });

  test("a pasted image is sent as one and shown in the message", async () => {
    await hand("paste", [{ name: "image.png", type: "image/png", base64: PNG }]);
    await chip("image.png").waitFor();
    await send(scene.page, "and this?");
    await waitIdle(scene.page);
    assert.match(await scene.page.locator(".turn .prose").last().innerText(), /an image \(image\/png/);
    await scene.page.waitForFunction(() => [...document.querySelectorAll("img")].at(-1)?.naturalWidth === 1);
  });

  test("a dropped file can be taken back, and what is left is sent without words", async () => {
    await hand("drop", ["kept.txt", "dropped.txt"].map((name) => ({ name, type: "text/plain", base64: btoa(name) })));
    await chip("dropped.txt").waitFor();
    await scene.page.getByRole("button", { name: "Remove dropped.txt" }).click();
    await chip("dropped.txt").waitFor({ state: "detached" });
    await sendDraft(scene.page);
    await chip("kept.txt").waitFor({ state: "detached" });
    await waitIdle(scene.page);
    assert.match(await scene.page.locator(".said").last().innerText(), /kept\.txt/);
    assert.doesNotMatch(await scene.page.locator(".said").last().innerText(), /dropped\.txt/);
  });

  test("a file over the limit is refused before it is sent, and the others are not", async () => {
    await scene.page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array((32 << 20) + 1)], "huge.bin"));
      data.items.add(new File(["small"], "small.txt"));
      document.querySelector("textarea").dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: data }));
    });
    await chip("small.txt").waitFor();
    await scene.page.getByText("huge.bin is larger than 32").waitFor();
    assert.equal((await stored()).some(([name]) => name === "huge.bin"), false);
    await scene.page.getByRole("button", { name: "Remove small.txt" }).click();
  });

  test("nothing went wrong", () => assert.deepEqual(scene.page.troubles, []));
});
