// Colours for code: the highlighter and its languages are loaded when the first closed code block asks for them.
import type { Painter } from "./languages";

let loading: Promise<Painter> | undefined;

/** No longer code than this is coloured, in characters. */
const PAINTED_MOST = 100_000;

/** Colours an element's text in place; a language that is not known leaves it as it is. */
export async function highlight(code: HTMLElement, language: string): Promise<void> {
  const text = code.textContent ?? "";
  if (language === "" || text.length > PAINTED_MOST) return;
  loading ??= import("./languages").then((module) => module.painter);
  const html = (await loading).paint(text, language);
  if (html !== null && code.textContent === text) code.innerHTML = html;
}

/** Returns a file's language by its name, or an empty string. */
export function languageOfPath(path: string): string {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return ENDINGS[ending] ?? "";
}

/** Returns the lines of a text as coloured HTML, or null when its language is not known. */
export async function highlightLines(text: string, language: string): Promise<string[] | null> {
  if (language === "" || text.length > PAINTED_MOST) return null;
  loading ??= import("./languages").then((module) => module.painter);
  const html = (await loading).paint(text, language);
  return html === null ? null : splitLines(html);
}

/** A span may go over several lines: it is closed at each end and opened again. */
function splitLines(html: string): string[] {
  const open: string[] = [];
  return html.split("\n").map((line) => {
    const begin = open.join("");
    for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) {
      if (tag === "</span>") open.pop();
      else open.push(tag);
    }
    return begin + line + "</span>".repeat(open.length);
  });
}

const ENDINGS: Record<string, string> = {
  rs: "rust",
  ts: "typescript",
  tsx: "typescript",
  js: "javascript",
  mjs: "javascript",
  jsx: "javascript",
  py: "python",
  sh: "bash",
  json: "json",
  toml: "ini",
  yml: "yaml",
  yaml: "yaml",
  md: "markdown",
  html: "xml",
  svg: "xml",
  svelte: "xml",
  xml: "xml",
  css: "css",
  go: "go",
  c: "c",
  h: "c",
  sql: "sql",
};
