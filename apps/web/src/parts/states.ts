// Which state is shown of an agent: that of its process, or what its turn waits for.
import type { AgentView } from "../protocol";

export type ShownState = "stopped" | "starting" | "ready" | "busy" | "error" | "asks" | "stalled" | "finished";

/** The daemon's own default of `agent_stall_threshold_secs`. */
const STALLED_MS = 180_000;

export type Silence = { /** In epoch milliseconds. */ lastHeard: number | undefined; now: number };

export function shownState(agent: AgentView, asks: boolean, { lastHeard, now }: Silence): ShownState {
  if (asks) return "asks";
  if (agent.state === "busy" && lastHeard !== undefined && now - lastHeard > STALLED_MS) return "stalled";
  return agent.state;
}
