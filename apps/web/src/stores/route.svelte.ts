// Where the page is: the hash of its address, so that back, forward, reload and links work.
import { tick } from "svelte";
import type { AgentName, ConversationId, MessageId, SurfaceId, WorkspaceId } from "../protocol";

/** The places that exist. */
export type Place = "agents" | "channels" | "panes" | "fleet" | "settings";

export type Route =
  /** `agent` null: the list alone, which is the page of a phone. `message` is the one that is brought into view. */
  | { place: "agents"; agent: AgentName | null; earlier: ConversationId | null; message?: MessageId }
  | { place: "channels"; channel: string | null }
  /** `workspace` null: the current one. `pane` is the one that is brought into view. */
  | { place: "panes"; workspace: WorkspaceId | null; pane: SurfaceId | null }
  | { place: "fleet" }
  | { place: "settings" };

/** Stands where an earlier conversation's id would, before a message of the current one. */
const CURRENT = "current";

export function parseRoute(hash: string): Route {
  const [place, first, second, third] = hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  switch (place) {
    case "channels":
      return { place, channel: first || null };
    case "panes":
      return { place, workspace: number(first), pane: number(second) };
    case "fleet":
    case "settings":
      return { place };
    default:
      return { place: "agents", agent: first || null, earlier: second === CURRENT ? null : second || null, ...(third ? { message: third } : {}) };
  }
}

export function formatRoute(route: Route): string {
  const steps: (string | null)[] = [route.place];
  if (route.place === "agents") steps.push(route.agent, route.message ? (route.earlier ?? CURRENT) : route.earlier, route.message ?? null);
  if (route.place === "panes") steps.push(...[route.workspace, route.pane].map((step) => (step === null ? null : String(step))));
  if (route.place === "channels") steps.push(route.channel);
  return `#/${steps.filter((step) => step !== null).map((step) => encodeURIComponent(step)).join("/")}`;
}

function number(step: string | undefined): number | null {
  return step !== undefined && /^\d+$/.test(step) ? Number(step) : null;
}

class Router {
  route: Route = $state.raw(parseRoute(""));

  start(): void {
    const read = () => (this.route = parseRoute(location.hash));
    addEventListener("hashchange", read);
    read();
  }

  /** Goes there and gives the place the focus, since what was pressed to come here may be gone. */
  go(route: Route): void {
    const hash = formatRoute(route);
    if (location.hash !== hash) location.hash = hash;
    this.route = parseRoute(hash);
    void focusMain();
  }

  /** Goes there without a step in the browser's history. */
  replace(route: Route): void {
    history.replaceState(history.state, "", formatRoute(route));
    this.route = route;
  }
}

const FRAMES_MOST = 120;

/** A place that is loaded on demand comes some frames later. */
async function focusMain(): Promise<void> {
  await tick();
  for (let frames = 0; frames < FRAMES_MOST; frames++) {
    const main = document.getElementById("main");
    if (main) {
      main.focus();
      return;
    }
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

export const router = new Router();
