// Keys that work everywhere. Letters alone count only while no text is written.
import type { Desk } from "../stores/desk.svelte";
import { router, type Route } from "../stores/route.svelte";
import { overlays } from "./window.svelte";

/** After `g`, a letter leads to a place. */
const PLACES: Record<string, Route> = {
  a: { place: "agents", agent: null, earlier: null },
  c: { place: "channels", channel: null },
  p: { place: "panes", workspace: null, pane: null },
  f: { place: "fleet" },
  s: { place: "settings" },
};

const CHORD_MS = 1_500;
const FRAMES_MOST = 120;

let goPressedAt = 0;

export function handleKey(event: KeyboardEvent, desk: Desk): void {
  if (event.defaultPrevented || event.isComposing) return;
  const withControl = event.ctrlKey || event.metaKey;
  if (withControl && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    overlays.show(overlays.open === "palette" ? "none" : "palette");
    return;
  }
  if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    event.preventDefault();
    stepAgent(desk, event.key === "ArrowUp" ? -1 : 1);
    return;
  }
  if (withControl || event.altKey || isWriting(event.target) || !(overlays.open === "none" || overlays.open === "find")) return;
  if (event.key === "?") {
    event.preventDefault();
    overlays.show("keys");
  } else if (event.key === "/") {
    const filter = document.querySelector<HTMLInputElement>("[data-filter]");
    if (filter) event.preventDefault();
    filter?.focus();
  } else if (event.key === "g") goPressedAt = event.timeStamp;
  else if (event.timeStamp - goPressedAt < CHORD_MS && event.key === "q") {
    event.preventDefault();
    goPressedAt = 0;
    void goToQuestion(desk);
  } else if (event.timeStamp - goPressedAt < CHORD_MS && event.key === "h") {
    event.preventDefault();
    goPressedAt = 0;
    overlays.search("");
  } else if (event.timeStamp - goPressedAt < CHORD_MS && PLACES[event.key]) {
    event.preventDefault();
    goPressedAt = 0;
    router.go(PLACES[event.key] as Route);
  }
}

/** Leads to what waits longest for the person, and gives it the focus. */
async function goToQuestion(desk: Desk): Promise<void> {
  const open = desk.asking.list[0];
  if (!open) return;
  router.go({ place: "agents", agent: open.agent, earlier: null });
  // Its conversation may have to be fetched first.
  for (let frames = 0; frames < FRAMES_MOST; frames++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const button = document.querySelector<HTMLElement>("[data-question] .options button");
    button?.focus();
    // What is not measured yet is hidden, and takes no focus.
    if (button && document.activeElement === button) return;
  }
}

function stepAgent(desk: Desk, by: 1 | -1): void {
  const names = desk.agents.list.map((agent) => agent.name);
  const here = router.route.place === "agents" ? names.indexOf(router.route.agent ?? "") : -1;
  const next = names[(here + by + names.length) % names.length];
  if (next !== undefined) router.go({ place: "agents", agent: next, earlier: null });
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
