// Surfaces: every pane and every agent's conversation with what it does. The fleet is made from them.
import type { Frame, Standing, SurfaceCreateParams, SurfaceId, SurfaceState, SurfaceView } from "../protocol";
import { CallFailure } from "../transport/failure";
import type { Caller } from "./caller";

export class SurfacesStore {
  /** Panes by their ids, then conversations as the daemon lists them. */
  list: readonly SurfaceView[] = $state.raw([]);
  isLoaded = $state(false);
  /** The daemon has no panes. */
  isMissing = $state(false);
  readonly fleet: readonly SurfaceView[] = $derived(fleetOf(this.list));
  /** Panes whose agents ask; what agents of the configuration ask stands in the store of that. */
  readonly asking: readonly SurfaceView[] = $derived(this.list.filter(({ kind, standing }) => kind === "pane" && standing.state === "waiting_for_input"));
  private early: Frame[] | null = null;
  private reads = 0;

  constructor(private readonly caller: Caller) {}

  find(id: SurfaceId): SurfaceView | undefined {
    return this.list.find((surface) => surface.surface_id === id);
  }

  /** Returns the surface of an agent's conversation. */
  ofAgent(agent: string): SurfaceView | undefined {
    return this.list.find((surface) => surface.kind === "acp" && surface.surface_name === agent);
  }

  /** Takes the list; what happens meanwhile is applied to it. A later reading overtakes an earlier one. */
  async load(): Promise<void> {
    const read = ++this.reads;
    this.early ??= [];
    try {
      const { surfaces } = await this.caller.call("surface.list", {});
      if (read !== this.reads) return;
      this.list = ordered(surfaces);
      this.isLoaded = true;
      this.isMissing = false;
      const early = this.early;
      this.early = null;
      for (const frame of early) this.applyOne(frame);
    } catch (thrown) {
      if (read === this.reads) this.early = null;
      if (!(thrown instanceof CallFailure) || thrown.kind !== "unknown_method") throw thrown;
      this.isMissing = true;
    }
  }

  apply(frames: readonly Frame[]): void {
    for (const frame of frames) {
      this.early?.push(frame);
      this.applyOne(frame);
    }
  }

  create(params: SurfaceCreateParams): Promise<SurfaceView> {
    return this.caller.call("surface.create", params);
  }

  /** A person has it in view: `finished` becomes `idle`. */
  async see(id: SurfaceId): Promise<void> {
    await this.caller.call("surface.seen", { surface: String(id) });
  }

  private applyOne(frame: Frame): void {
    switch (frame.type) {
      case "surface:opened":
        this.list = ordered([...this.list.filter((known) => known.surface_id !== frame.surface_id), viewOf(frame)]);
        break;
      case "surface:closed":
        this.list = this.list.filter((known) => known.surface_id !== frame.surface_id);
        break;
      // Changes are joined on their way and may come after what opened or closed it; they open nothing.
      case "surface_changed":
        this.change(frame.surface_id, (known) => {
          const view = viewOf(frame);
          return { ...view, standing: newer(known.standing, view.standing) };
        });
        break;
      case "state_changed":
        this.change(frame.surface_id, (known) => ({
          ...known,
          surface_name: frame.surface_name,
          standing: newer(known.standing, standingOf(frame)),
        }));
        break;
      default:
    }
  }

  private change(id: SurfaceId, change: (known: SurfaceView) => SurfaceView): void {
    if (this.find(id)) this.list = this.list.map((known) => (known.surface_id === id ? change(known) : known));
  }
}

/** Returns the agents at work: panes with an agent's process, and conversations whose agent has one or failed. */
export function fleetOf(surfaces: readonly SurfaceView[]): SurfaceView[] {
  return surfaces.filter(({ kind, standing }) => standing.pid !== null || (kind === "acp" && standing.reason !== "stopped"));
}

/** What wants a person first; within a state the oldest first. */
const BY_URGENCY: readonly SurfaceState[] = ["waiting_for_input", "errored", "stalled", "thinking", "unknown_running", "finished", "idle"];

export function byUrgency(one: SurfaceView, other: SurfaceView): number {
  const rank = (surface: SurfaceView) => BY_URGENCY.indexOf(surface.standing.state);
  return rank(one) - rank(other) || one.standing.since - other.standing.since || one.surface_id - other.surface_id;
}

function ordered(surfaces: readonly SurfaceView[]): SurfaceView[] {
  const panes = surfaces.filter((surface) => surface.kind === "pane").sort((one, other) => one.surface_id - other.surface_id);
  return [...panes, ...surfaces.filter((surface) => surface.kind === "acp")];
}

/** A state that was overtaken on its way is not taken. */
function newer(known: Standing, told: Standing): Standing {
  return told.state_seq < known.state_seq ? known : told;
}

function viewOf(frame: SurfaceView): SurfaceView {
  const { surface_id, surface_name, kind, workspace, title, command, cwd, columns, rows, output_generation, created_at, exit_status, standing } = frame;
  return { surface_id, surface_name, kind, workspace, title, command, cwd, columns, rows, output_generation, created_at, exit_status, standing };
}

function standingOf(frame: Standing): Standing {
  const { state, state_seq, since, evidence, hooked, reason, tool, pid, active_tool_name, message, last_result, untrusted } = frame;
  return { state, state_seq, since, evidence, hooked, reason, tool, pid, active_tool_name, message, last_result, untrusted };
}
