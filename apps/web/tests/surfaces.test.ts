// The promise of the protocol for surfaces: a list and the events around it are what the daemon would list, however they interleave.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arranged, arrangementOf, neighbour, panesOf, sharesOf, withDivider } from "../src/panes/layout";
import type { Frame, Layout, Methods, Standing, SurfaceState, SurfaceView, WorkspaceView } from "../src/protocol";
import type { Caller } from "../src/stores/caller";
import { byUrgency, fleetOf, SurfacesStore } from "../src/stores/surfaces.svelte";
import { WorkspacesStore } from "../src/stores/workspaces.svelte";

const standing = (state: SurfaceState, state_seq: number, more: Partial<Standing> = {}): Standing => ({
  state, state_seq, since: state_seq, evidence: "process", hooked: false, reason: null, tool: null, pid: null, active_tool_name: null, message: null, last_result: null, untrusted: true, ...more,
});

const surface = (id: number, more: Partial<SurfaceView> = {}): SurfaceView => ({
  surface_id: id, surface_name: `pane-${id}`, kind: "pane", workspace: 1, title: null, command: "sh", cwd: "/", columns: 80, rows: 24, output_generation: 0, created_at: id, exit_status: null,
  standing: standing("idle", 0), ...more,
});

const STATES: readonly SurfaceState[] = ["idle", "thinking", "waiting_for_input", "finished"];

/** Surfaces as the daemon keeps them; each change is told, the joined ones later. */
class Source {
  readonly told: Frame[] = [];
  private surfaces: SurfaceView[] = [];
  private ids = 0;
  private seq = 0;

  list(): SurfaceView[] {
    return structuredClone(this.surfaces);
  }

  open(): void {
    const view = surface(++this.ids);
    this.surfaces.push(view);
    this.tell({ type: "surface:opened", ...structuredClone(view) });
  }

  close(pick: number): void {
    const view = this.pick(pick);
    if (!view) return;
    this.surfaces = this.surfaces.filter((other) => other !== view);
    this.tell({ type: "surface:closed", surface_id: view.surface_id, surface_name: view.surface_name, workspace: 1 });
  }

  write(pick: number): void {
    const view = this.pick(pick);
    if (!view) return;
    view.output_generation += 1;
    view.title = `title ${view.output_generation}`;
    this.tell({ type: "surface_changed", ...structuredClone(view) });
  }

  turn(pick: number, state: SurfaceState): void {
    const view = this.pick(pick);
    if (!view) return;
    view.standing = standing(state, view.standing.state_seq + 1);
    const { surface_id, surface_name, kind, workspace } = view;
    this.tell({ type: "state_changed", surface_id, surface_name, kind, workspace, ...structuredClone(view.standing) });
  }

  private pick(at: number): SurfaceView | undefined {
    return this.surfaces[at % Math.max(1, this.surfaces.length)];
  }

  private tell(event: object): void {
    this.told.push({ ...event, epoch: "e", seq: ++this.seq, ts: this.seq } as Frame);
  }
}

/** A daemon whose answer is taken at one time and arrives at another. */
class Slow implements Caller {
  private resolve: ((value: unknown) => void) | null = null;

  call<M extends keyof Methods>(): Promise<Methods[M]["reply"]> {
    return new Promise((resolve) => (this.resolve = resolve as (value: unknown) => void));
  }

  async answer(value: unknown): Promise<void> {
    this.resolve?.(value);
    // sleep: no time passes; what waits for the answer runs before the next task does.
    await new Promise((resolve) => setTimeout(resolve));
  }
}

const step = fc.oneof(
  fc.record({ is: fc.constant("open" as const), pick: fc.nat(9), state: fc.constantFrom(...STATES) }),
  fc.record({ is: fc.constantFrom("close" as const, "write" as const, "turn" as const), pick: fc.nat(9), state: fc.constantFrom(...STATES) }),
);

describe("surfaces", () => {
  test("a list and the events around it are what the daemon lists", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.nat(30), fc.nat(30), fc.nat(30), async (steps, asked, taken, arrived) => {
        const [askAt, takeAt, arriveAt] = [asked, taken, arrived].map((at) => at % (steps.length + 1)).sort((one, other) => one - other);
        const source = new Source();
        const caller = new Slow();
        const store = new SurfacesStore(caller);
        let told = 0;
        let reply: SurfaceView[] = [];
        const run = (one: (typeof steps)[number]) => {
          if (one.is === "open") source.open();
          else if (one.is === "close") source.close(one.pick);
          else if (one.is === "write") source.write(one.pick);
          else source.turn(one.pick, one.state);
        };
        for (let at = 0; at <= steps.length; at++) {
          if (at === askAt) void store.load();
          if (at === takeAt) reply = source.list();
          if (at === arriveAt) await caller.answer({ surfaces: reply });
          const next = steps[at];
          if (next) run(next);
          store.apply(source.told.slice(told));
          told = source.told.length;
        }
        expect(store.list).toEqual(source.list());
      }),
      { numRuns: 200 },
    );
  });

  test("a joined change that comes after the state it held does not bring that back", async () => {
    const caller = new Slow();
    const store = new SurfacesStore(caller);
    void store.load();
    await caller.answer({ surfaces: [surface(1, { standing: standing("thinking", 4) })] });
    const at = { epoch: "e", seq: 1, ts: 1 };
    store.apply([{ type: "surface_changed", ...surface(1, { title: "new", standing: standing("idle", 3) }), ...at }]);
    expect(store.find(1)).toMatchObject({ title: "new", standing: { state: "thinking", state_seq: 4 } });
    store.apply([{ type: "surface_changed", ...surface(7), ...at, seq: 2 }]);
    expect(store.find(7)).toBe(undefined);
  });

  test("the fleet is panes with an agent's process, and agents that have one or failed; what asks comes first", () => {
    const list = [
      surface(1),
      surface(2, { standing: standing("unknown_running", 1, { pid: 7, tool: "claude" }) }),
      surface(3, { kind: "acp", standing: standing("idle", 1, { reason: "stopped" }) }),
      surface(4, { kind: "acp", standing: standing("errored", 1, { reason: "exited with code 3" }) }),
      surface(5, { kind: "acp", standing: standing("waiting_for_input", 9, { pid: 8 }) }),
      surface(6, { kind: "acp", standing: standing("waiting_for_input", 5, { pid: 9 }) }),
    ];
    expect(fleetOf(list).sort(byUrgency).map((one) => one.surface_id)).toEqual([6, 5, 4, 2]);
  });
});

describe("workspaces", () => {
  const workspace = (id: number, layout: Layout | null): WorkspaceView => ({ workspace: id, name: `w${id}`, current: id === 1, focused: null, layout });

  test("a change that overtakes the list stands after it", async () => {
    const caller = new Slow();
    const store = new WorkspacesStore(caller);
    void store.load();
    store.apply([{ type: "workspace:changed", workspaces: [workspace(1, null), workspace(2, null)], epoch: "e", seq: 1, ts: 1 }]);
    await caller.answer({ workspaces: [workspace(1, null)] });
    expect(store.list.map((entry) => entry.workspace)).toEqual([1, 2]);
  });

  test("a layout that is refused is taken back", async () => {
    const store = new WorkspacesStore({ call: () => Promise.reject(new Error("pane 2 is missing")) });
    store.apply([{ type: "workspace:changed", workspaces: [workspace(1, { type: "pane", surface: 1 })], epoch: "e", seq: 1, ts: 1 }]);
    await expect(store.arrange(1, { type: "pane", surface: 9 })).rejects.toThrow("missing");
    expect(panesOf(store.list[0]?.layout ?? null)).toEqual([1]);
  });
});

describe("a layout", () => {
  test("of each kind holds every pane once, in order, and is known again", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.constantFrom("columns" as const, "stack" as const, "tiles" as const), (count, kind) => {
        const panes = Array.from({ length: count }, (_, at) => at + 1);
        const layout = arranged(panes, kind) as Layout;
        expect(panesOf(layout)).toEqual(panes);
        const again = arrangementOf(layout);
        expect(again === null ? null : arranged(panes, again)).toSatisfy((same: Layout) => JSON.stringify(shape(same)) === JSON.stringify(shape(layout)));
      }),
    );
  });

  test("a divider moves what lies beside it, and nothing else", () => {
    const layout = arranged([1, 2, 3], "columns") as Layout;
    const moved = withDivider(layout, { path: [], before: 0 }, 0.75);
    const shares = moved.type === "split" ? sharesOf(moved.parts) : [];
    expect(shares.map((share) => Math.round(share * 100))).toEqual([50, 17, 33]);
    const far = withDivider(layout, { path: [], before: 0 }, 5);
    expect(far.type === "split" && far.parts.every((part) => part.share > 0)).toBe(true);
  });

  test("a divider inside a part is found by the way to it", () => {
    const layout = arranged([1, 2, 3], "stack") as Layout;
    const moved = withDivider(layout, { path: [1], before: 0 }, 0.25);
    const inner = moved.type === "split" ? moved.parts[1]?.layout : undefined;
    expect(inner?.type === "split" && sharesOf(inner.parts)).toEqual([0.25, 0.75]);
  });

  test("the neighbour of a pane is the nearest one on that side", () => {
    const boxes = new Map([
      [1, { left: 0, top: 0, right: 50, bottom: 100 }],
      [2, { left: 50, top: 0, right: 100, bottom: 30 }],
      [3, { left: 50, top: 30, right: 100, bottom: 100 }],
    ]);
    expect(neighbour(boxes, 1, "right")).toBe(3);
    expect(neighbour(boxes, 2, "down")).toBe(3);
    expect(neighbour(boxes, 3, "left")).toBe(1);
    expect(neighbour(boxes, 1, "up")).toBe(null);
  });
});

function shape(layout: Layout): unknown {
  return layout.type === "pane" ? layout.surface : [layout.direction, layout.parts.map((part) => shape(part.layout))];
}
