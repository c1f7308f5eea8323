// What an agent is doing, in the few words of a list.
import type { AgentView } from "../../protocol";
import type { Activity } from "../../stores/agents.svelte";
import type { Catalogue } from "../../words/en";
import { toolObject } from "../conversation/tools";

export function describeActivity(agent: AgentView, activity: Activity | undefined, say: Catalogue): string {
  if (agent.state === "busy" && activity) {
    switch (activity.is) {
      case "tool":
        return `${say.verbNow(activity.kind)} ${toolObject(activity.kind, activity.title)}`;
      case "thinking":
        return say.thinks;
      case "writing":
        return say.writes;
      case "answered":
      case "last":
        return "";
    }
  }
  if (activity?.is === "last" && activity.title) return activity.title;
  if (activity?.is === "answered") return say.answered;
  return agent.description ?? "";
}
