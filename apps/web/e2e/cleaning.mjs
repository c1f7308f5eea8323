// For clean.test.mjs, in the browser: blocks cleaned the short way, where it is taken, and by DOMPurify.
import DOMPurify from "dompurify";
import { blockHtml, clean, isPlain, isSpace, lex } from "../src/markdown/render";

/** Returns a node as data, with every name and value told apart. */
function told(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return [node.nodeType, node.nodeValue];
  return [node.namespaceURI, node.nodeName, [...node.attributes].map(({ name, value }) => [name, value]), [...node.childNodes].map(told)];
}

/** Cleans as `clean` does where it takes no short way: the settings are DOMPurify's own since render.ts was loaded. */
function purified(html) {
  const nowhere = document.implementation.createHTMLDocument("");
  const [all, block] = [nowhere.createElement("div"), nowhere.createElement("div")];
  block.innerHTML = html;
  all.append(block);
  DOMPurify.sanitize(all);
  return [...block.childNodes].map(told);
}

/** Returns how many blocks went the short way, and those for which it leads elsewhere. */
export function compare(texts, isHtml) {
  const blocks = texts.flatMap((text) => (isHtml ? [text] : lex(text, {}).filter((token) => !isSpace(token)).map(blockHtml)));
  const short = blocks.filter(isPlain);
  const told_ = short.map((html) => [html, JSON.stringify(clean([html])[0].map(told)), JSON.stringify(purified(html))]);
  return { short: short.length, different: told_.filter(([, one, other]) => one !== other) };
}

export function cleanLength(html) {
  return clean([html])[0].length;
}
