// What a conversation planned and changed, gathered from its messages.
import { countLines, type Count } from "../conversation/lines";
import type { Message, Part, PlanEntry } from "../protocol";

export type Work = {
  /** The newest plan. */
  plan: readonly PlanEntry[] | null;
  /** Every file that was changed, with what was added and taken away in all. */
  files: readonly (readonly [path: string, count: Count])[];
};

export const NO_WORK: Work = { plan: null, files: [] };

export function workOf(messages: readonly { value: Message }[]): Work {
  let plan: Work["plan"] = null;
  const files = new Map<string, Count>();
  for (const { value } of messages) {
    for (const part of value.parts) {
      if (part.kind === "plan") plan = part.entries;
      // A change that is still asked for has not been made.
      if (part.kind !== "tool" || part.tool.status !== "completed") continue;
      for (const diff of part.tool.diffs) {
        const { added, removed } = countLines(diff);
        const sum = files.get(diff.path) ?? { added: 0, removed: 0 };
        files.set(diff.path, { added: sum.added + added, removed: sum.removed + removed });
      }
    }
  }
  return { plan, files: [...files] };
}

/** Returns whether a plan or a tool call is not what it was. */
export function isWorkChanged(before: Message, after: Message): boolean {
  const isWork = (part: Part | undefined) => part?.kind === "plan" || part?.kind === "tool";
  const length = Math.max(before.parts.length, after.parts.length);
  for (let at = 0; at < length; at++) {
    const [old, young] = [before.parts[at], after.parts[at]];
    if (old !== young && (isWork(old) || isWork(young))) return true;
  }
  return false;
}
