// Theme and language are lines of the configuration file: to change one is to write there, and nothing else of the file.
import type { Language, Theme } from "../protocol";
import type { Desk } from "../stores/desk.svelte";

const THEMES: readonly Theme[] = ["system", "light", "dark"];

/** Goes on to the next theme, in the file. */
export async function cycleTheme(desk: Desk): Promise<void> {
  const now = desk.configuration.view?.theme ?? "system";
  await writeKey(desk, "theme", THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? "system");
}

/** Writes one top-level key of the file; a file with problems is left alone, and the answer is false. */
export async function writeKey(desk: Desk, key: "theme" | "language", value: Theme | Language): Promise<boolean> {
  const { text, hash } = await desk.call("config.content", {});
  const { saved } = await desk.call("config.save", { text: withKey(text, key, value), hash });
  if (saved) await desk.configuration.load();
  return saved;
}

/** Returns the text with a top-level key set to a string; comments and order stay. */
export function withKey(text: string, key: string, value: string): string {
  const lines = text.split("\n");
  const table = lines.findIndex((line) => /^\s*\[/.test(line));
  const top = table === -1 ? lines.length : table;
  const at = lines.findIndex((line, index) => index < top && new RegExp(`^\\s*${key}\\s*=`).test(line));
  if (at !== -1) {
    lines[at] = (lines[at] ?? "").replace(/=\s*(?:"[^"]*"|'[^']*'|[^#\s]*)/, `= "${value}"`);
    return lines.join("\n");
  }
  // Below the line that explains the key, else after the comment lines that begin the file, so that a schema line stays first.
  let first = lines.findIndex((line, index) => index < top && new RegExp(`^\\s*#\\s*${key}\\s*=`).test(line)) + 1;
  while (first < top && /^\s*#/.test(lines[first] ?? "") && !/^\s*#\s*\w+\s*=/.test(lines[first] ?? "")) first += 1;
  lines.splice(first, 0, `${key} = "${value}"`);
  return lines.join("\n");
}
