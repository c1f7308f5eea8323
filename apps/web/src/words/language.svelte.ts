// Which language the page speaks, and its catalogue; a change shows at once.
import type { Language as LanguageChoice } from "../protocol";
import { type Catalogue, en } from "./en";
import { fr } from "./fr";

export type Language = "en" | "fr";

const CATALOGUES: Record<Language, Catalogue> = { en, fr };

class Speaker {
  private choice: LanguageChoice = $state("system");

  get now(): Language {
    if (this.choice !== "system") return this.choice;
    return navigator.languages.some((tag) => tag.startsWith("fr")) && !prefersEnglish() ? "fr" : "en";
  }

  get say(): Catalogue {
    return CATALOGUES[this.now];
  }

  /** Follows the configuration. */
  choose(choice: LanguageChoice): void {
    this.choice = choice;
    document.documentElement.lang = this.now;
  }
}

/** The browser names English before French. */
function prefersEnglish(): boolean {
  const known = navigator.languages.find((tag) => tag.startsWith("en") || tag.startsWith("fr"));
  return known?.startsWith("en") ?? true;
}

export const language = new Speaker();
