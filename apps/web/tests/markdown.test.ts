// Streaming Markdown: whatever the chunks, the end is what one whole parse shows, and what is finished stands still.
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { MarkdownView } from "../src/markdown/view";

// DOMPurify drops harmless elements in happy-dom; what is cleaned away is tested in a real browser (e2e).
vi.mock("dompurify", () => ({ default: { setConfig() {}, sanitize() {} } }));

const PIECES = [
  "# Title\n\n", "A paragraph with *stress* and `code`.\n\n", "- one\n- two\n  - inner\n\n", "1. first\n2. second\n\n",
  "```rust\nfn main() {}\n```\n\n", "> quoted\n> more\n\n", "| a | b |\n|---|---|\n| 1 | 2 |\n\n", "[link][later] and https://example.org/\n\n",
  "---\n\n", "text\nthat goes on\n\n", "- [x] done\n- [ ] to do\n\n", "Setext\n======\n\n", "    indented\n\n", "[later]: https://example.org/later\n\n",
  "<b>bold</b> and <script>alert(1)</script>\n\n",
];

const make = () => {
  const root = document.createElement("div");
  return { root, view: new MarkdownView(root, () => "Copy") };
};

function whole(text: string): string {
  const { root, view } = make();
  view.update(text, { done: true });
  return root.innerHTML;
}

describe("streamed Markdown", () => {
  test("ends as one whole parse, whatever the chunks", () => {
    const scenario = fc.record({ pieces: fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 }), size: fc.integer({ min: 1, max: 40 }) });
    fc.assert(
      fc.property(scenario, ({ pieces, size }) => {
        const text = pieces.join("");
        const { root, view } = make();
        for (let end = size; end < text.length; end += size) view.update(text.slice(0, end), { done: false });
        view.update(text, { done: true });
        expect(root.innerHTML).toBe(whole(text));
      }),
      { numRuns: 40 },
    );
    // happy-dom is slow on a busy machine; this is no judgement of speed.
  }, 60_000);

  test("what is finished is not drawn again", () => {
    const { root, view } = make();
    let text = "First paragraph.\n\n- a\n- b\n\n";
    view.update(`${text}Second.\n\nThird.\n\n`, { done: false });
    const first = root.firstChild;
    text += "Second.\n\nThird.\n\nFourth is lo";
    view.update(text, { done: false });
    view.update(`${text}ng.\n\n`, { done: false });
    view.update(`${text}ng.\n\n`, { done: true });
    expect(root.firstChild).toBe(first);
    expect(root.querySelector(".streaming-end")).toBeNull();
  });

  test("the end is marked while it streams", () => {
    const { root, view } = make();
    view.update("Hello **wor", { done: false });
    expect(root.querySelector("p > .streaming-end")).not.toBeNull();
    expect(root.querySelector("strong")?.textContent).toBe("wor");
  });

  test("a definition that comes last still makes its links", () => {
    const text = "See [this][there].\n\nMore.\n\nMore still.\n\n[there]: https://example.org/\n";
    const { root, view } = make();
    for (let end = 1; end <= text.length; end++) view.update(text.slice(0, end), { done: false });
    view.update(text, { done: true });
    expect(root.querySelector("a")?.getAttribute("href")).toBe("https://example.org/");
  });

  test("CRLF is a line end", () => {
    expect(whole("a\r\n\r\nb")).toBe(whole("a\n\nb"));
  });
});
