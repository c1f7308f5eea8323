// How large a change is, in lines.
import type { Diff } from "../protocol";

/** How many lines a change adds and takes away. */
export type Count = { added: number; removed: number };

const counts = new WeakMap<Diff, Count>();

/** Returns the count of one change; it is made once. */
export function countLines(diff: Diff): Count {
  let count = counts.get(diff);
  if (!count) counts.set(diff, (count = compare(diff)));
  return count;
}

/** Lines that both ends share are no change; what is between counts whole, so that long files cost nothing. */
function compare(diff: Diff): Count {
  const before = lines(diff.oldText);
  const after = lines(diff.newText);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const old = before.slice(start, before.length - end);
  const young = after.slice(start, after.length - end);
  const oldCounts = new Map<string, number>();
  for (const line of old) oldCounts.set(line, (oldCounts.get(line) ?? 0) + 1);
  let kept = 0;
  for (const line of young) {
    const left = oldCounts.get(line) ?? 0;
    if (left > 0) {
      kept += 1;
      oldCounts.set(line, left - 1);
    }
  }
  return { added: young.length - kept, removed: old.length - kept };
}

function lines(text: string | null): string[] {
  if (text === null || text === "") return [];
  const list = text.split("\n");
  if (list.at(-1) === "") list.pop();
  return list;
}
