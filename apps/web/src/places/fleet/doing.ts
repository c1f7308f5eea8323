// What is said of a surface in the fleet: its name, and what it waits on or does.
import type { Desk } from "../../stores/desk.svelte";
import type { SurfaceView } from "../../protocol";
import { formatRoute } from "../../stores/route.svelte";
import { formatDuration } from "../../words/format";
import { reasonOf } from "../../words/reason";
import { describeActivity } from "../agents/activity";
import type { Catalogue } from "../../words/en";
import type { Language } from "../../words/language.svelte";

/** Returns what a surface is called: an agent of the configuration by its title. */
export function nameOf(surface: SurfaceView): string {
  return surface.kind === "acp" ? (surface.title ?? surface.surface_name) : surface.surface_name;
}

/** Returns where a surface is looked at. */
export function hrefOf({ kind, surface_id, surface_name, workspace }: SurfaceView): string {
  if (kind === "pane") return formatRoute({ place: "panes", workspace, pane: surface_id });
  return formatRoute({ place: "agents", agent: surface_name, earlier: null });
}

export function workspaceName(desk: Desk, surface: SurfaceView): string | null {
  return surface.workspace === null ? null : (desk.workspaces.find(surface.workspace)?.name ?? null);
}

/** Returns what it waits on or does, and whether that is worth more than a glance. */
export function doing(desk: Desk, surface: SurfaceView, now: number, say: Catalogue, language: Language): { text: string; isQuiet: boolean } {
  const { standing } = surface;
  const told = (text: string | null, otherwise: string) => ({ text: firstLine(text) ?? otherwise, isQuiet: false });
  switch (standing.state) {
    case "waiting_for_input": {
      // Of an agent of the configuration it is known what kind of question this is.
      const [asking] = surface.kind === "acp" ? desk.asking.of(surface.surface_name) : [];
      const message = firstLine(standing.message);
      return told(asking && message !== null ? say.asksThat(asking.about.is, message) : message, say.state("asks"));
    }
    case "errored": {
      const failed = surface.kind === "acp" ? desk.agents.find(surface.surface_name) : undefined;
      return told(failed?.state === "error" ? reasonOf(say, failed.error ?? "", failed.cause) : standing.reason, say.failed);
    }
    case "stalled":
      return told(say.silentInTurn(spanSince(standing.since, now, language)), "");
    case "thinking": {
      // Of an agent of the configuration more is known than a tool's name.
      const agent = surface.kind === "acp" ? desk.agents.find(surface.surface_name) : undefined;
      const activity = agent && desk.agents.activity.get(agent.name);
      if (agent && activity?.is === "tool") return told(describeActivity(agent, activity, say), say.works);
      return told(standing.active_tool_name === null ? null : say.runsTool(standing.active_tool_name), say.works);
    }
    case "unknown_running":
      return told(standing.reason === "starting" ? say.startsUp : standing.reason === "no_hook" ? say.noHook : standing.reason, say.noHook);
    case "finished":
      return { text: say.lastAnswer(firstLine(standing.last_result) ?? "…"), isQuiet: true };
    case "idle":
      return { text: say.atRest, isQuiet: true };
  }
}

const MINUTE_MS = 60_000;
/** From here on seconds say nothing. */
const COARSE_MS = 10 * MINUTE_MS;

/** Returns how long something has been so. */
export function spanSince(since: number, now: number, language: Language): string {
  const ms = Math.max(0, now - since);
  return formatDuration(ms < COARSE_MS ? ms : ms - (ms % MINUTE_MS), language);
}

function firstLine(text: string | null): string | null {
  return text?.split("\n").find((line) => line.trim() !== "")?.trim() ?? null;
}
