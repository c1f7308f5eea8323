// What the page itself adds to clean Markdown: the head of a code block with its copy button, colours, scrolling.
import { highlight as paint } from "./highlight";

export type Dress = { highlight: boolean; copyLabel: string };

/** Dresses nodes that are not dressed yet. */
export function dress(nodes: readonly ChildNode[], options: Dress): void {
  for (const node of nodes) {
    if (!(node instanceof HTMLElement)) continue;
    const codes = node.matches("pre") ? [node] : [...node.querySelectorAll<HTMLElement>("pre")];
    for (const pre of codes) dressCode(pre, options);
    for (const box of node.querySelectorAll<HTMLElement>("[data-box]")) {
      if (box.childNodes.length === 0) box.textContent = box.dataset.box === "done" ? "☑" : "☐";
    }
  }
}

function dressCode(pre: HTMLElement, { highlight, copyLabel }: Dress): void {
  if (!pre.querySelector(":scope > .code-copy")) {
    pre.classList.add("code");
    const name = document.createElement("span");
    name.className = "code-language";
    name.textContent = pre.dataset.language ?? "";
    const copy = document.createElement("button");
    copy.type = "button";
    copy.className = "code-copy";
    copy.textContent = copyLabel;
    copy.onclick = () => void navigator.clipboard.writeText(pre.querySelector("code")?.textContent ?? "");
    pre.append(name, copy);
    const code = pre.querySelector("code");
    // What scrolls must be reachable by keyboard.
    if (code) code.tabIndex = 0;
  }
  const code = pre.querySelector("code");
  if (highlight && code && pre.dataset.painted === undefined) {
    pre.dataset.painted = "";
    void paint(code, pre.dataset.language ?? "");
  }
}
