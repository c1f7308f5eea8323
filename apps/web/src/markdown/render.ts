// From Markdown to clean nodes, a block at a time. What an agent wrote is shown, never run: no script, style, form,
// SVG or remote image gets through, and a link says where it leads.
import DOMPurify from "dompurify";
import { Lexer, Marked, type Token, type Tokens, type TokensList } from "marked";

/** Whatever is nested deeper than this is shown as it was written. */
const NESTING_MOST = 24;

/** Tags without attributes that mean no more than they show. */
const PLAIN_TAG = /^<\/?(?:br|kbd|sub|sup|b|i|em|strong|s|u|mark|small)\s*\/?>$/i;

const LINK_SCHEMES = new Set(["http:", "https:", "mailto:"]);

const INLINE_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=]+$/i;

/** A document without a window: what is parsed in it neither runs nor loads anything. */
const nowhere = document.implementation.createHTMLDocument("");

/** Said once, since a list that comes with a call is read anew each time. */
DOMPurify.setConfig({
  ALLOWED_TAGS: [
    ..."a b blockquote br code del div em h3 h4 h5 h6 hr i img kbd li mark ol p pre s small span strong sub sup".split(" "),
    ..."table tbody td th thead tr u ul".split(" "),
  ],
  ALLOWED_ATTR: ["href", "title", "rel", "target", "align", "start", "src", "alt", "data-host", "data-language", "data-box"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  IN_PLACE: true,
});

/** A tag that has an attribute, or is none of these, which are all on the list. */
const MORE_THAN_PLAIN = /<(?!\/?(?:p|em|strong|del|code|ul|ol|li|blockquote|h[3-6]|br|hr)>)/;

const marked = new Marked({
  gfm: true,
  async: false,
  renderer: {
    html: ({ text }) => (PLAIN_TAG.test(text.trim()) ? text : escape(text)),
    heading({ tokens, depth }) {
      // The page's own headings are the first two levels.
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    code({ text, lang }) {
      const name = escape((lang ?? "").split(/\s/)[0] ?? "");
      return `<pre data-language="${name}"><code>${escape(text)}</code></pre>`;
    },
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens);
      const url = readLink(href);
      if (!url) return inner;
      const host = url.protocol === "mailto:" ? url.pathname : url.host;
      const says = tokens.map((token) => token.raw).join("");
      const told = says.includes(host) ? "" : ` data-host="${escape(host)}"`;
      return `<a href="${escape(url.href)}" title="${escape(url.href)}" target="_blank" rel="noopener noreferrer"${told}>${inner}</a>`;
    },
    image({ href, text }) {
      if (INLINE_IMAGE.test(href)) return `<img src="${escape(href)}" alt="${escape(text)}">`;
      const url = readLink(href);
      const name = escape(text || href);
      if (!url) return name;
      return `<a href="${escape(url.href)}" title="${escape(url.href)}" target="_blank" rel="noopener noreferrer" data-host="${escape(url.host)}">${name}</a>`;
    },
    checkbox: ({ checked }) => `<span data-box="${checked ? "done" : "todo"}"></span> `,
  },
});

/** The blocks of a text, and the link targets that it defines. */
export function lex(text: string, links: TokensList["links"]): TokensList {
  const lexer = new Lexer(marked.defaults);
  Object.assign(lexer.tokens.links, links);
  return lexer.lex(text);
}

/** Returns the HTML of one block, which still has to be cleaned. */
export function blockHtml(token: Token): string {
  return marked.parser([token]);
}

/** Returns whether a block is nested so deeply that it must not be parsed further. */
export function isTooDeep(text: string): boolean {
  const marks = new RegExp(`^(?:[ \\t]*(?:>|[-*+]|\\d+[.)])){${NESTING_MOST + 1}}`, "m");
  if (marks.test(text)) return true;
  return /(?:\*\*|__|~~|\[|\]\(|<[a-z]+>|!\[){200}/i.test(text) || /^[ ]{96,}[-*+] /m.test(text);
}

/**
 * Returns whether nothing could be taken out of a block: it is text and plain tags. That spares a walk that takes ten times as
 * long as all the rest; e2e/clean.test.mjs holds that it would change nothing. One tag is looked for, since to match the whole
 * as a repeated choice exhausts the stack with a long text.
 */
export function isPlain(html: string): boolean {
  return !MORE_THAN_PLAIN.test(html);
}

/** Returns nodes that are safe to put into the page, for each block by itself; what has to be cleaned is so at once, since each walk costs. */
export function clean(blocks: readonly string[]): ChildNode[][] {
  const all = nowhere.createElement("div");
  const parsed = blocks.map((html) => {
    const block = nowhere.createElement("div");
    block.innerHTML = html;
    if (!isPlain(html)) all.append(block);
    return block;
  });
  if (all.firstChild) DOMPurify.sanitize(all);
  for (const image of all.querySelectorAll("img")) {
    if (!INLINE_IMAGE.test(image.getAttribute("src") ?? "")) image.replaceWith(image.alt);
  }
  for (const table of all.querySelectorAll("table")) {
    const wide = document.createElement("div");
    wide.className = "wide";
    // What scrolls must be reachable by keyboard.
    wide.tabIndex = 0;
    table.replaceWith(wide);
    wide.append(table);
  }
  return parsed.map((block) => [...block.childNodes]);
}

/** Returns what is written, as one block. */
export function plainHtml(text: string): string {
  return `<pre data-language=""><code>${escape(text)}</code></pre>`;
}

export function isSpace(token: Token): token is Tokens.Space {
  return token.type === "space";
}

function readLink(href: string): URL | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  return LINK_SCHEMES.has(url.protocol) ? url : null;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
