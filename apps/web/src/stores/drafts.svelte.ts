// What a person has written and not sent, for each agent and channel; it outlives a reload of the page.
import { SvelteMap } from "svelte/reactivity";

const KEY = "pupitre-drafts";

/** A file that the daemon has taken in. */
export type Upload = { id: string; name: string; bytes: number; isImage: boolean };

export class DraftsStore {
  private readonly texts = new SvelteMap<string, string>(read());
  private readonly uploads = new SvelteMap<string, readonly Upload[]>();

  text(key: string): string {
    return this.texts.get(key) ?? "";
  }

  write(key: string, text: string): void {
    if (text === "") this.texts.delete(key);
    else this.texts.set(key, text);
    sessionStorage.setItem(KEY, JSON.stringify([...this.texts]));
  }

  attached(key: string): readonly Upload[] {
    return this.uploads.get(key) ?? [];
  }

  attach(key: string, uploads: readonly Upload[]): void {
    this.uploads.set(key, uploads);
  }

  clear(key: string): void {
    this.write(key, "");
    this.uploads.delete(key);
  }
}

function read(): [string, string][] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as [string, string][];
  } catch {
    return [];
  }
}
