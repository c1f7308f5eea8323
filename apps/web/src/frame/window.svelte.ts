// What the window has room for, and what is open on top of the page.
import { MediaQuery } from "svelte/reactivity";

/** One column with a back button. */
export const isPhone = new MediaQuery("(max-width: 719px)");

/** The right column is a sheet. */
export const isNarrow = new MediaQuery("(max-width: 1099px)");

export type Overlay = "none" | "palette" | "keys" | "side" | "history" | "log" | "find";

class Overlays {
  open: Overlay = $state("none");

  show(overlay: Overlay): void {
    this.open = overlay;
  }

  close(): void {
    this.open = "none";
  }
}

export const overlays = new Overlays();
