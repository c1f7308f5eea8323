// What goes past DOMPurify is what DOMPurify would have let through: any Markdown and HTML, cleaned with and without the short
// way, gives the same nodes. In a real browser, since only there DOMPurify does what it does.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import fc from "fast-check";
import { createServer } from "vite";
import { fileURLToPath } from "node:url";
import { findChromium, launch } from "./browser.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const TAGS = "p em strong del code ul ol li blockquote h3 h5 h6 br hr h1 b i kbd sub sup a img svg math style script template noscript textarea title table tr td select option iframe form input details plaintext xmp body html head x-y annotation-xml mglyph mtext foreignObject".split(" ");
const MARKDOWN = [
  "# ", "- ", "1. ", "2) ", "> ", "    ", "\t", "\n", "\n\n", "  \n", "\\", "`", "``", "```\n", "~~~html\n", "*", "**", "_", "~~", "***\n", "---\n", "===\n", "| a | b |\n|---|:-:|\n| 1 | 2 |\n",
  "[x](https://example.org/)", "[x](javascript:alert(1))", "![x](https://example.org/i.png)", "![x](data:image/png;base64,AAAA)", "[r]", "\n[r]: https://example.org/ \"t\"\n", "https://example.org", "- [ ] ", "- [x] ",
];
const TEXTS = ["a", "word ", "é", "\u0000", "\u202e", "\ufeff", "\u00a0", "\ud800", "😀", "&lt;", "&#60;script&#62;", "&amp;lt;", "&nbsp;", "&#0;", "&#x3c;/p&#x3e;", "&", "<", ">", "</", "<!", "<!--", "-->", "<![CDATA[", "]]>", "<?x", "=", '"', "'", "/>", "${x}", "{{x}}", "<%x%>"];

const tag = fc.tuple(fc.constantFrom("<", "</", "< ", "<\n"), fc.constantFrom(...TAGS), fc.constantFrom(">", ">", ">", "/>", " >", "\n>", " class=ask>", " onload=x>", ' title="</p>">', ""))
  .chain(([open, name, end]) => fc.constantFrom(name, name.toUpperCase()).map((written) => open + written + end));
const piece = fc.oneof(fc.constantFrom(...MARKDOWN), fc.constantFrom(...TEXTS), tag, fc.string({ unit: "binary", maxLength: 6 }));
const document_ = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(""));
/** HTML as no renderer of ours makes it: the short way must not lean on the renderer alone. Most of it goes that way. */
const plain = fc.oneof(fc.constantFrom(...TAGS.slice(0, 14)).chain((name) => fc.constantFrom(`<${name}>`, `</${name}>`)), fc.constantFrom(...TEXTS.filter((text) => !text.includes("<"))));
const html = fc.array(fc.oneof({ weight: 12, arbitrary: plain }, { weight: 1, arbitrary: tag }, { weight: 1, arbitrary: fc.constantFrom(...TAGS).map((name) => `<${name}>`) }, { weight: 1, arbitrary: fc.constantFrom(...TEXTS) }), { maxLength: 16 }).map((pieces) => pieces.join(""));

describe("the short way past the cleaning", () => {
  let vite;
  let browser;
  let page;
  before(async () => {
    vite = await createServer({ root: ROOT, server: { host: "127.0.0.1", port: 0, hmr: false, ws: false }, logLevel: "error" });
    await vite.listen();
    browser = await launch(findChromium());
    page = await browser.newPage();
    const url = vite.resolvedUrls.local[0];
    await page.route(`${url}blank`, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>x</title>" }));
    await page.goto(`${url}blank`);
    await page.evaluate(async () => Object.assign(window, await import("/e2e/cleaning.mjs")));
  });
  after(async () => {
    await browser?.close();
    await vite?.close();
  });

  // Many documents go over at once, since the way to the browser and back takes longer than a document.
  for (const [what, one, isHtml] of [["Markdown", document_, false], ["HTML", html, true]]) {
    test(`gives the same nodes for any ${what}`, async () => {
      let short = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 60 }), async (documents) => {
          const found = await page.evaluate(([texts, raw]) => window.compare(texts, raw), [documents, isHtml]);
          short += found.short;
          assert.deepEqual(found.different, []);
        }),
        { numRuns: 200 },
      );
      assert.ok(short > 500, `only ${short} blocks went the short way`);
    });
  }

  test("holds for texts of any length", async () => {
    assert.equal(await page.evaluate(() => window.cleanLength("x".repeat(10_000_000)) + window.cleanLength("<br>x".repeat(20_000))), 1 + 40_000);
  });
});
