// The page's own keys in and around a terminal: Ctrl+Shift and a letter or an arrow. Everything else is the program's.

export type PaneKey = "leave" | "beside" | "below" | "enlarge" | "close" | "copy" | "palette" | "find" | "left" | "right" | "up" | "down";

const KEYS: Readonly<Record<string, PaneKey>> = {
  KeyM: "leave", KeyD: "beside", KeyE: "below", KeyZ: "enlarge", KeyX: "close", KeyC: "copy", KeyK: "palette", KeyF: "find",
  ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down",
};

/** Returns what a key means to the page. */
export function paneKey(event: KeyboardEvent): PaneKey | null {
  if (!event.ctrlKey || !event.shiftKey || event.altKey || event.metaKey) return null;
  // The letter counts where the layout gives one, so that the keys are where their caps say.
  const byLetter = /^[a-z]$/i.test(event.key) ? KEYS[`Key${event.key.toUpperCase()}`] : KEYS[event.code];
  return byLetter ?? null;
}

/** Returns whether a terminal leaves a key to the page or the browser: pasting is the browser's. */
export function isLeftAlone(event: KeyboardEvent): boolean {
  return paneKey(event) !== null || (event.ctrlKey && event.shiftKey && event.key.toLowerCase() === "v");
}
