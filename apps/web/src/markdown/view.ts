// A text that is drawn while it streams: blocks that are finished stand still, only the tail is parsed and drawn again.
import remend from "remend";
import type { Token, TokensList } from "marked";
import { dress } from "./dress";
import { blockHtml, clean, isSpace, isTooDeep, lex, plainHtml } from "./render";

/** The last blocks may still change their meaning: a list goes on, a paragraph becomes a heading. */
const LOOSE_BLOCKS = 2;

type Block = { html: string; nodes: ChildNode[] };

export class MarkdownView {
  private frozen: Block[] = [];
  private tail: Block[] = [];
  private frozenText = "";
  private links: TokensList["links"] = {};
  private shown = "";
  private isDone = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly copyLabel: () => string,
  ) {}

  /** Draws the text; `done` says that no more of it comes. */
  update(text: string, { done }: { done: boolean }): void {
    const whole = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
    if (whole === this.shown && done === this.isDone) return;
    this.shown = whole;
    this.isDone = done;
    if (done) this.drawWhole(whole);
    else this.drawTail(whole);
  }

  private drawTail(text: string): void {
    if (!text.startsWith(this.frozenText)) this.thaw();
    let tokens = this.parse(text.slice(this.frozenText.length));
    const loose = looseFrom(tokens);
    if (loose > 0) {
      const settled = tokens.slice(0, loose);
      const blocks = settled.filter((token) => !isSpace(token)).map(blockOf);
      this.replaceTail(blocks, { highlight: true });
      this.frozen.push(...this.tail);
      this.tail = [];
      this.frozenText += settled.map((token) => token.raw).join("");
      tokens = tokens.slice(loose);
    }
    const open = tokens.filter((token) => !isSpace(token));
    const last = open.pop();
    const blocks = open.map(blockOf);
    if (last) blocks.push(...this.mended(last));
    this.replaceTail(blocks, { highlight: false });
    this.markEnd();
  }

  /** Definitions of links may come last, so the end parses once more and keeps every block that stays the same. */
  private drawWhole(text: string): void {
    this.links = {};
    this.removeMark();
    const blocks = this.parse(text).filter((token) => !isSpace(token)).map(blockOf);
    const held = [...this.frozen, ...this.tail];
    let same = 0;
    while (same < blocks.length && same < held.length && blocks[same]?.html === held[same]?.html) same += 1;
    this.frozen = held.slice(0, same);
    this.tail = held.slice(same);
    this.replaceTail(blocks.slice(same), { highlight: true });
    this.frozen.push(...this.tail);
    this.tail = [];
    this.frozenText = text;
    for (const block of this.frozen) dress(block.nodes, { highlight: true, copyLabel: this.copyLabel() });
  }

  private parse(text: string): Token[] {
    if (isTooDeep(text)) return [{ type: "deep", raw: text }];
    try {
      const tokens = lex(text, this.links);
      this.links = tokens.links;
      return tokens;
    } catch {
      return [{ type: "deep", raw: text }];
    }
  }

  private mended(last: Token): Block[] {
    if (last.type === "deep" || last.type === "code") return [blockOf(last)];
    return this.parse(remend(last.raw)).filter((token) => !isSpace(token)).map(blockOf);
  }

  private replaceTail(blocks: Block[], { highlight }: { highlight: boolean }): void {
    this.removeMark();
    let same = 0;
    while (same < blocks.length && blocks[same]?.html === this.tail[same]?.html) same += 1;
    for (const gone of this.tail.slice(same)) for (const node of gone.nodes) node.remove();
    const kept = this.tail.slice(0, same);
    const fresh = blocks.slice(same);
    const nodes = fresh.length > 0 ? clean(fresh.map((block) => block.html)) : [];
    for (const [at, block] of fresh.entries()) {
      block.nodes = nodes[at] ?? [];
      this.root.append(...block.nodes);
      kept.push(block);
    }
    this.tail = kept;
    for (const block of kept) dress(block.nodes, { highlight, copyLabel: this.copyLabel() });
  }

  private thaw(): void {
    this.root.replaceChildren();
    this.frozen = [];
    this.tail = [];
    this.frozenText = "";
    this.links = {};
  }

  private removeMark(): void {
    this.root.querySelector(":scope .streaming-end")?.remove();
  }

  /** The soft block after the last word. */
  private markEnd(): void {
    let at: Element = this.root;
    for (;;) {
      const last = at.lastElementChild;
      if (!last || !/^(P|LI|UL|OL|BLOCKQUOTE|H[3-6])$/.test(last.tagName)) break;
      at = last;
    }
    const end = document.createElement("span");
    end.className = "streaming-end";
    end.setAttribute("aria-hidden", "true");
    const mark = document.createElement("span");
    mark.className = "streaming-mark";
    // A word joiner keeps the mark on the line of the last word.
    end.append("\u2060", mark);
    at.append(end);
  }
}

function blockOf(token: Token): Block {
  return { html: token.type === "deep" ? plainHtml(token.raw) : blockHtml(token), nodes: [] };
}

/** Returns where the loose blocks begin. */
function looseFrom(tokens: readonly Token[]): number {
  let count = 0;
  for (let index = tokens.length - 1; index >= 0; index--) {
    const token = tokens[index];
    if (!token || isSpace(token)) continue;
    count += 1;
    if (count === LOOSE_BLOCKS) return index;
  }
  return 0;
}
