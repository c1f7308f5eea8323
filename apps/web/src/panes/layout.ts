// How panes share an area: reading order, shares, neighbours, and the three layouts that one press makes.
import type { Layout, LayoutPart, SurfaceId } from "../protocol";

/** Shares are weights; so many parts make dividers that follow a pointer closely enough. */
const FINE = 1_000;
/** No part becomes smaller than this share of its split. */
const LEAST = 0.08;

export type Arrangement = "columns" | "stack" | "tiles";

/** Where a divider stands: the split, by the parts that lead to it, and the part before the divider. */
export type DividerPlace = { path: readonly number[]; before: number };

/** Returns the panes from left to right, from top to bottom. */
export function panesOf(layout: Layout | null): SurfaceId[] {
  if (layout === null) return [];
  return layout.type === "pane" ? [layout.surface] : layout.parts.flatMap((part) => panesOf(part.layout));
}

/** Returns each part's share of its split, from 0 to 1. */
export function sharesOf(parts: readonly LayoutPart[]): number[] {
  const all = parts.reduce((sum, part) => sum + part.share, 0);
  return parts.map((part) => part.share / all);
}

/** Returns the layout with a divider moved: the part before it gets `share` of what the two beside it have together. */
export function withDivider(layout: Layout, { path, before }: DividerPlace, share: number): Layout {
  if (layout.type === "pane") return layout;
  const [step, ...rest] = path;
  if (step !== undefined) {
    const parts = layout.parts.map((part, at) => (at === step ? { ...part, layout: withDivider(part.layout, { path: rest, before }, share) } : part));
    return { ...layout, parts };
  }
  const shares = sharesOf(layout.parts).map((each) => Math.max(1, Math.round(each * FINE)));
  const both = (shares[before] ?? 0) + (shares[before + 1] ?? 0);
  const least = Math.max(1, Math.round(both * LEAST));
  const first = Math.min(both - least, Math.max(least, Math.round(both * share)));
  shares[before] = first;
  shares[before + 1] = both - first;
  return { ...layout, parts: layout.parts.map((part, at) => ({ ...part, share: shares[at] ?? 1 })) };
}

/** Returns one of the ready layouts for these panes. */
export function arranged(panes: readonly SurfaceId[], arrangement: Arrangement): Layout | null {
  const [first, ...others] = panes;
  if (first === undefined) return null;
  if (others.length === 0) return pane(first);
  switch (arrangement) {
    case "columns":
      return split("row", panes.map(pane));
    case "stack": {
      const stack = others.length === 1 ? pane(others[0] as SurfaceId) : split("column", others.map(pane));
      return { type: "split", direction: "row", parts: [{ share: 135, layout: pane(first) }, { share: 100, layout: stack }] };
    }
    case "tiles": {
      const columns = Math.ceil(Math.sqrt(panes.length));
      const rows: SurfaceId[][] = [];
      for (let at = 0; at < panes.length; at += columns) rows.push(panes.slice(at, at + columns));
      const [only] = rows;
      if (rows.length === 1 && only) return split("row", only.map(pane));
      return split("column", rows.map((row) => (row.length === 1 ? pane(row[0] as SurfaceId) : split("row", row.map(pane)))));
    }
  }
}

/** Returns which ready layout this is, whatever the shares. */
export function arrangementOf(layout: Layout | null): Arrangement | null {
  const panes = panesOf(layout);
  if (layout === null || panes.length < 2) return null;
  const all: readonly Arrangement[] = ["stack", "columns", "tiles"];
  const shape = shapeOf(layout);
  // Two panes side by side are columns before they are anything else.
  const order = panes.length === 2 ? (["columns", ...all] as const) : all;
  return order.find((one) => shapeOf(arranged(panes, one) as Layout) === shape) ?? null;
}

function shapeOf(layout: Layout): string {
  return layout.type === "pane" ? String(layout.surface) : `${layout.direction}(${layout.parts.map((part) => shapeOf(part.layout)).join(",")})`;
}

function pane(surface: SurfaceId): Layout {
  return { type: "pane", surface };
}

function split(direction: "row" | "column", layouts: Layout[]): Layout {
  return { type: "split", direction, parts: layouts.map((layout) => ({ share: 100, layout })) };
}

/** A place on the page, in any unit. */
export type Box = { left: number; top: number; right: number; bottom: number };

/** Returns the pane that lies in this direction of another, the nearest to its middle. */
export function neighbour(boxes: ReadonlyMap<SurfaceId, Box>, from: SurfaceId, direction: "left" | "right" | "up" | "down"): SurfaceId | null {
  const here = boxes.get(from);
  if (!here) return null;
  let best: { id: SurfaceId; distance: number } | null = null;
  const middle = (box: Box) => ({ x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 });
  for (const [id, box] of boxes) {
    if (id === from) continue;
    const isThere = { left: box.right <= here.left + 1, right: box.left >= here.right - 1, up: box.bottom <= here.top + 1, down: box.top >= here.bottom - 1 }[direction];
    if (!isThere) continue;
    const [a, b] = [middle(box), middle(here)];
    const isAcross = direction === "left" || direction === "right";
    // What lies straight ahead comes before what is only nearer.
    const distance = isAcross ? Math.abs(a.x - b.x) + 3 * Math.abs(a.y - b.y) : Math.abs(a.y - b.y) + 3 * Math.abs(a.x - b.x);
    if (!best || distance < best.distance) best = { id, distance };
  }
  return best?.id ?? null;
}

/** A pane's place, in shares of the whole area. */
export type PanePlace = { surface: SurfaceId; left: number; top: number; width: number; height: number };

/** A divider: where it stands, which way its parts lie, and the stretch in which it moves, in shares of the whole area. */
export type Divider = { place: DividerPlace; direction: "row" | "column"; at: number; from: number; length: number; begin: number; end: number; share: number };

/** Returns where every pane and every divider stands. */
export function placesOf(layout: Layout | null): { panes: PanePlace[]; dividers: Divider[] } {
  const panes: PanePlace[] = [];
  const dividers: Divider[] = [];
  const walk = (part: Layout, { left, top, width, height }: Omit<PanePlace, "surface">, path: readonly number[]) => {
    if (part.type === "pane") {
      panes.push({ surface: part.surface, left, top, width, height });
      return;
    }
    const isRow = part.direction === "row";
    const shares = sharesOf(part.parts);
    let begin = isRow ? left : top;
    for (const [at, { layout: inner }] of part.parts.entries()) {
      const size = (shares[at] ?? 0) * (isRow ? width : height);
      const next = (shares[at + 1] ?? 0) * (isRow ? width : height);
      walk(inner, isRow ? { left: begin, top, width: size, height } : { left, top: begin, width, height: size }, [...path, at]);
      if (at + 1 < part.parts.length) {
        const [from, length] = isRow ? [top, height] : [left, width];
        const edge = begin + size;
        dividers.push({ place: { path, before: at }, direction: part.direction, at: edge, from, length, begin, end: edge + next, share: size / (size + next) });
      }
      begin += size;
    }
  };
  if (layout) walk(layout, { left: 0, top: 0, width: 1, height: 1 }, []);
  return { panes, dividers };
}
