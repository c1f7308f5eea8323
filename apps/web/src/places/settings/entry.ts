// An agent's entry in the configuration file: whether it is there, and how it is written.
import type { KnownAgent } from "../../protocol";

/** Returns whether the text has an entry that starts this agent: by its preset, or by its command. */
export function isInFile(text: string, { name, command }: KnownAgent): boolean {
  const says = (key: string, value: string) => new RegExp(`^\\s*${key}\\s*=\\s*["']${escaped(value)}["']`, "m").test(text);
  return says("preset", name) || (command !== null && says("command", command));
}

/** Returns an entry for an agent, as a first file would have it. */
export function entryOf({ name }: KnownAgent): string {
  return `[[agents]]\nname = "${name}"\npreset = "${name}"\n`;
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
