// What is said of a tool call: its object, its command, its folder.
import type { ToolCall, ToolKind } from "../../protocol";

/** Agents often begin a title with the verb that the page says itself. */
const OWN_VERB =
  /^(?:read|reads|reading|edit|edits|editing|edited|write|writes|writing|delete|deleting|move|moving|run|runs|running|execute|search|searching|searches|grep|find|fetch|fetching|think|thinking)(?:\s+file)?[:\s]+/i;

/** Returns the object of a call's title, without its verb and without backticks. */
export function toolObject(kind: ToolKind, title: string): string {
  const bare = kind === "other" ? title : title.replace(OWN_VERB, "");
  return bare.replace(/^`([^`]*)`$/, "$1").trim() || title;
}

/** Returns the command that a call would run, in full; null when it names none. */
export function commandOf(tool: ToolCall): string | null {
  if (tool.kind !== "execute") return null;
  const input = readInput(tool.input);
  const command = input?.["command"] ?? input?.["cmd"];
  if (typeof command === "string") return command;
  if (Array.isArray(command)) return command.map((word) => quoted(String(word))).join(" ");
  return toolObject(tool.kind, tool.title);
}

/** Returns whether the input says no more than the command that stands on the call's line. */
export function isCommandAlone(tool: ToolCall): boolean {
  const input = readInput(tool.input);
  const known = new Set(["command", "cmd", "cwd", "workdir", "description"]);
  return commandOf(tool) !== null && input !== null && Object.keys(input).every((key) => known.has(key));
}

/** Returns the folder that a call works in, when it says one. */
export function folderOf(tool: ToolCall): string | null {
  const input = readInput(tool.input);
  const folder = input?.["cwd"] ?? input?.["workdir"];
  return typeof folder === "string" ? folder : null;
}

/** Returns the input for reading: a line for each field, or as it came. */
export function prettyInput(input: string): string {
  try {
    return JSON.stringify(JSON.parse(input), null, 2);
  } catch {
    return input;
  }
}

export function shortPath(path: string, folder: string | undefined): string {
  if (folder && path.startsWith(`${folder.replace(/\/$/, "")}/`)) return path.slice(folder.replace(/\/$/, "").length + 1);
  return path;
}

const SECOND_MS = 1_000;

/** Returns whether a person would want to know how long a step took: of most there is nothing to say. */
export function isWorthTelling(took: number | null): took is number {
  return took !== null && took >= SECOND_MS;
}

function readInput(input: string | null): Record<string, unknown> | null {
  if (input === null) return null;
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
