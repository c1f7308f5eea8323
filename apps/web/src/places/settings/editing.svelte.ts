// The text of the configuration while a person edits it: what stands in the file, what is written here, what is wrong.
import type { Problem } from "../../protocol";
import type { Desk } from "../../stores/desk.svelte";
import { sentence } from "../../words/failure";

const VALIDATE_AFTER_MS = 250;

/** The file changed while the text here was changed too: saving waits for a decision. */
export type Conflict = { text: string; hash: string; at: number };

export class Editing {
  /** What stands in the editor. */
  text = $state("");
  /** What stood in the file when it was read or saved last. */
  base = $state("");
  hash = $state("");
  isLoaded = $state(false);
  isSaving = $state(false);
  problems: readonly Problem[] = $state.raw([]);
  conflict: Conflict | null = $state.raw(null);
  failure: string | null = $state(null);
  savedAt: number | null = $state(null);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;

  constructor(private readonly desk: Desk) {}

  get isDirty(): boolean {
    return this.text !== this.base;
  }

  get errors(): readonly Problem[] {
    return this.problems.filter((problem) => !problem.warning);
  }

  get warnings(): readonly Problem[] {
    return this.problems.filter((problem) => problem.warning);
  }

  get canSave(): boolean {
    return this.isDirty && this.errors.length === 0 && this.conflict === null && !this.isSaving;
  }

  /** Reads the file again; what was changed here is never thrown away for it. */
  async read(): Promise<void> {
    try {
      const { text, hash } = await this.desk.call("config.content", {});
      this.failure = null;
      if (!this.isLoaded || !this.isDirty || text === this.text) this.take(text, hash);
      else if (hash !== this.hash) this.conflict = { text, hash, at: Date.now() };
    } catch (thrown) {
      this.failure = sentence(thrown);
    }
  }

  write(text: string): void {
    if (text === this.text) return;
    this.text = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.validate(), VALIDATE_AFTER_MS);
  }

  async validate(): Promise<void> {
    const ask = ++this.asked;
    try {
      const { problems } = await this.desk.call("config.validate", { text: this.text });
      if (ask === this.asked) this.problems = problems;
    } catch (thrown) {
      if (ask === this.asked) this.failure = sentence(thrown);
    }
  }

  async save(): Promise<void> {
    if (!this.canSave) return;
    this.isSaving = true;
    this.failure = null;
    const text = this.text;
    try {
      const reply = await this.desk.call("config.save", { text, hash: this.hash });
      if (reply.saved) {
        this.base = text;
        this.hash = reply.hash;
        this.savedAt = Date.now();
      } else if (reply.reason === "invalid") this.problems = reply.problems;
      else await this.read();
    } catch (thrown) {
      this.failure = sentence(thrown);
    } finally {
      this.isSaving = false;
    }
  }

  /** Gives up what was written here. */
  takeTheirs(): void {
    if (this.conflict) this.take(this.conflict.text, this.conflict.hash);
  }

  /** Keeps what was written here: the next save goes over the file as it is now. */
  keepMine(): void {
    if (!this.conflict) return;
    this.base = this.conflict.text;
    this.hash = this.conflict.hash;
    this.conflict = null;
  }

  /** Forgets everything, for another file. */
  reset(): void {
    this.isLoaded = false;
    this.text = this.base = this.hash = "";
    this.conflict = null;
    this.problems = [];
  }

  private take(text: string, hash: string): void {
    this.text = this.base = text;
    this.hash = hash;
    this.conflict = null;
    this.isLoaded = true;
    void this.validate();
  }
}

const held = new WeakMap<Desk, Editing>();

/** Returns the one text under edit, which outlives a visit to another place. */
export function editingOf(desk: Desk): Editing {
  let editing = held.get(desk);
  if (!editing) held.set(desk, (editing = new Editing(desk)));
  return editing;
}
