// How long steps of a conversation took, by the daemon's own stamps on the events that began and ended them. A snapshot
// tells no times, so what nobody here saw begin and end has none.
import type { Message, Part } from "../protocol";

export class Timing {
  /** When the steps under way began, in epoch milliseconds of the daemon. */
  private readonly begun = new Map<string, number>();
  private readonly spans = new Map<string, number>();

  /** Notes what the event of this moment made of a message. */
  note(before: Message | undefined, after: Message, at: number): void {
    for (const [index, part] of after.parts.entries()) {
      const old = before?.parts[index];
      // A part changes by itself, by its message's end, or by the one that comes after it.
      if (old === part && before?.done === after.done && index < after.parts.length - 2) continue;
      const key = keyOf(after.id, index);
      if (isUnderWay(after, index)) {
        const hasBegun = before !== undefined && isUnderWay(before, index);
        // What is pending has not begun its work.
        if (!hasBegun || (isPending(old) && !isPending(part))) this.begun.set(key, at);
        continue;
      }
      const begun = this.begun.get(key);
      if (begun === undefined) continue;
      this.begun.delete(key);
      if (part.kind !== "tool" || !part.tool.cancelled) this.spans.set(key, at - begun);
    }
  }

  /** Notes that a tool call had its permission at this moment: it did nothing while it waited for a person. */
  allowed(message: Message | undefined, tool: string, at: number): void {
    const index = message?.parts.findIndex((part) => part.kind === "tool" && part.tool.id === tool) ?? -1;
    if (message && index !== -1 && isUnderWay(message, index)) this.begun.set(keyOf(message.id, index), at);
  }

  /** Forgets what is under way: its end may have been missed. */
  lose(): void {
    this.begun.clear();
  }

  /** Returns how long a part took, in milliseconds; null while that is not known. */
  of(message: string, index: number): number | null {
    return this.spans.get(keyOf(message, index)) ?? null;
  }
}

const keyOf = (message: string, index: number) => `${message} ${index}`;

const isPending = (part: Part | undefined) => part?.kind === "tool" && part.tool.status === "pending";

function isUnderWay(message: Message, index: number): boolean {
  const part = message.parts[index];
  if (part?.kind === "tool") return (part.tool.status === "pending" || part.tool.status === "in_progress") && !part.tool.cancelled;
  return part?.kind === "thought" && !message.done && index === message.parts.length - 1;
}
