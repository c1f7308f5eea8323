// Which state is shown of an agent: that of its process, or what its turn waits for.
import type { AgentView } from "../protocol";

export type ShownState = "stopped" | "starting" | "ready" | "busy" | "error" | "asks" | "stalled" | "finished";

/** What is known of a turn beside the state of the process. */
export type TurnFacts = { isAsking: boolean; isStalled: boolean };

export function shownState(agent: AgentView, { isAsking, isStalled }: TurnFacts): ShownState {
  if (isAsking) return "asks";
  if (agent.state === "busy" && isStalled) return "stalled";
  return agent.state;
}
