// What the window has room for, and what is open on top of the page.
import { MediaQuery } from "svelte/reactivity";

/** One column with a back button. */
export const isPhone = new MediaQuery("(max-width: 719px)");

/** The right column is a sheet. */
export const isNarrow = new MediaQuery("(max-width: 1099px)");

export type Overlay = "none" | "palette" | "keys" | "side" | "history" | "search" | "log" | "find";

class Overlays {
  open: Overlay = $state("none");
  /** What to look for in all conversations, when that opens. */
  words = "";

  search(words: string): void {
    this.words = words;
    this.open = "search";
  }

  show(overlay: Overlay): void {
    this.open = overlay;
  }

  close(): void {
    this.open = "none";
  }
}

export const overlays = new Overlays();

/** Whether a person looks at this window: what is on show is then seen. */
class Attention {
  isHere: boolean = $state(isLookedAt());

  constructor() {
    const look = () => (this.isHere = isLookedAt());
    addEventListener("focus", look);
    addEventListener("blur", look);
    document.addEventListener("visibilitychange", look);
  }
}

function isLookedAt(): boolean {
  return document.hasFocus() && !document.hidden;
}

export const attention = new Attention();
