// Which state is shown of an agent: that of its process, or what its turn waits for.
import type { AgentView, SurfaceState, SurfaceView } from "../protocol";

export type ShownState = "stopped" | "starting" | "ready" | "busy" | "error" | "asks" | "stalled" | "finished" | "thinking" | "idle" | "unknown";

/** What is known of a turn beside the state of the process. */
export type TurnFacts = { isAsking: boolean; isStalled: boolean };

export function shownState(agent: AgentView, { isAsking, isStalled }: TurnFacts): ShownState {
  if (isAsking) return "asks";
  if (agent.state === "busy" && isStalled) return "stalled";
  return agent.state;
}

const OF_SURFACE: Record<SurfaceState, ShownState> = {
  thinking: "thinking", waiting_for_input: "asks", finished: "finished", errored: "error", stalled: "stalled", idle: "idle", unknown_running: "unknown",
};

/** Returns what is shown of a surface. */
export function stateOfSurface({ standing }: Pick<SurfaceView, "standing">): ShownState {
  return OF_SURFACE[standing.state];
}

/** Returns whether a pane has an agent in it, so that its state says something. */
export function hasAgent({ kind, standing }: Pick<SurfaceView, "kind" | "standing">): boolean {
  return kind === "acp" || standing.pid !== null || standing.state !== "idle";
}

/** Returns the name of a state's shape in the sheet of icons. */
export function shapeOf(state: ShownState): string {
  return state === "thinking" ? "s-busy" : `s-${state}`;
}
