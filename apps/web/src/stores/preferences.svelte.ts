// Choices of this browser that are no business of the configuration file.

const KEY = "pupitre-preferences";

type Stored = { enterSends: boolean; diffsSideBySide: boolean; isSideOpen: boolean; readsTerminals: boolean };

const DEFAULTS: Stored = { enterSends: false, diffsSideBySide: false, isSideOpen: true, readsTerminals: false };

class Preferences {
  private stored: Stored = $state.raw(read());

  get enterSends(): boolean {
    return this.stored.enterSends;
  }

  get diffsSideBySide(): boolean {
    return this.stored.diffsSideBySide;
  }

  /** The right column, where the window has room for it. */
  get isSideOpen(): boolean {
    return this.stored.isSideOpen;
  }

  /** Terminals give their lines to a screen reader. */
  get readsTerminals(): boolean {
    return this.stored.readsTerminals;
  }

  set(change: Partial<Stored>): void {
    this.stored = { ...this.stored, ...change };
    localStorage.setItem(KEY, JSON.stringify(this.stored));
  }
}

function read(): Stored {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Stored>) };
  } catch {
    return DEFAULTS;
  }
}

export const preferences = new Preferences();
