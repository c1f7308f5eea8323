// From two texts to the rows of a diff: unchanged lines far from a change are left out, changed words are marked.
import { diffArrays, diffWordsWithSpace } from "diff";
import type { Diff } from "../../protocol";

/** A piece of a line; `isChanged` says that the other side has something else there. */
export type Piece = { text: string; isChanged: boolean };

export type Row =
  | { is: "same"; old: number; new: number; text: string }
  | { is: "removed"; old: number; pieces: Piece[] }
  | { is: "added"; new: number; pieces: Piece[] }
  /** So many unchanged lines are left out. */
  | { is: "gap"; lines: number };

const CONTEXT_LINES = 3;
/** Longer texts are shown as removed and added whole: comparing them would block the page. */
const COMPARED_LINES = 20_000;
const MARKED_CHARACTERS = 500;

export function rowsOf(diff: Diff): Row[] {
  const before = linesOf(diff.oldText ?? "");
  const after = linesOf(diff.newText);
  if (before.length + after.length > COMPARED_LINES) {
    return [
      ...before.map((text, at): Row => ({ is: "removed", old: at + 1, pieces: [{ text, isChanged: false }] })),
      ...after.map((text, at): Row => ({ is: "added", new: at + 1, pieces: [{ text, isChanged: false }] })),
    ];
  }
  const rows: Row[] = [];
  let old = 1;
  let young = 1;
  let removed: string[] = [];
  const changes = diffArrays(before, after);
  for (const [at, change] of changes.entries()) {
    if (change.removed) {
      removed = change.value;
      if (changes[at + 1]?.added) continue;
    }
    if (change.added || change.removed) {
      const added = change.added ? change.value : [];
      const marked = mark(removed, added);
      for (const pieces of marked.old) rows.push({ is: "removed", old: old++, pieces });
      for (const pieces of marked.new) rows.push({ is: "added", new: young++, pieces });
      removed = [];
      continue;
    }
    for (const text of change.value) rows.push({ is: "same", old: old++, new: young++, text });
  }
  return withGaps(rows);
}

/** Marks words line by line; lines without a partner, or with nothing in common, stay whole. */
function mark(removed: string[], added: string[]): { old: Piece[][]; new: Piece[][] } {
  const whole = (text: string): Piece[] => [{ text, isChanged: false }];
  const old: Piece[][] = removed.map(whole);
  const young: Piece[][] = added.map(whole);
  if (removed.length !== added.length) return { old, new: young };
  for (const [at, line] of removed.entries()) {
    const other = added[at] ?? "";
    if (line.length + other.length > MARKED_CHARACTERS) continue;
    const words = diffWordsWithSpace(line, other);
    const shared = words.filter((word) => !word.added && !word.removed).reduce((sum, word) => sum + word.value.trim().length, 0);
    if (shared * 3 < Math.min(line.trim().length, other.trim().length)) continue;
    old[at] = words.filter((word) => !word.added).map((word) => ({ text: word.value, isChanged: word.removed }));
    young[at] = words.filter((word) => !word.removed).map((word) => ({ text: word.value, isChanged: word.added }));
  }
  return { old, new: young };
}

function withGaps(rows: Row[]): Row[] {
  const isNear = new Array<boolean>(rows.length).fill(false);
  for (const [at, row] of rows.entries()) {
    if (row.is === "same") continue;
    for (let near = Math.max(0, at - CONTEXT_LINES); near <= Math.min(rows.length - 1, at + CONTEXT_LINES); near++) {
      isNear[near] = true;
    }
  }
  const kept: Row[] = [];
  let skipped = 0;
  const close = () => {
    if (skipped > 0) kept.push({ is: "gap", lines: skipped });
    skipped = 0;
  };
  for (const [at, row] of rows.entries()) {
    if (isNear[at]) {
      close();
      kept.push(row);
    } else skipped += 1;
  }
  close();
  return kept;
}

/** A row of the view side by side: what stands left and right, or a gap over both. */
export type Pair = { is: "pair"; left: Row | null; right: Row | null } | { is: "gap"; lines: number };

export function pairsOf(rows: readonly Row[]): Pair[] {
  const pairs: Pair[] = [];
  let left: Row[] = [];
  let right: Row[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(left.length, right.length); at++) {
      pairs.push({ is: "pair", left: left[at] ?? null, right: right[at] ?? null });
    }
    left = [];
    right = [];
  };
  for (const row of rows) {
    switch (row.is) {
      case "removed":
        left.push(row);
        break;
      case "added":
        right.push(row);
        break;
      case "same":
        flush();
        pairs.push({ is: "pair", left: row, right: row });
        break;
      case "gap":
        flush();
        pairs.push(row);
        break;
    }
  }
  flush();
  return pairs;
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
