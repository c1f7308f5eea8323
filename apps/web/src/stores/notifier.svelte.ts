// Notifications of the desktop, and the tab's title and icon. Nothing is told of what is on screen and focused, and
// permission is asked for only when a first notification would have been useful.
import type { AgentName, Frame } from "../protocol";
import { language } from "../words/language.svelte";
import { reasonOf } from "../words/reason";
import type { Desk } from "./desk.svelte";
import { router } from "./route.svelte";

/** A turn shorter than this was watched, or is not worth a word. */
const LONG_TURN_MS = 30_000;

export class Notifier {
  /** Something would have been told had the browser been allowed to; the page offers to ask for it. */
  isOffered = $state(false);
  private readonly busySince = new Map<AgentName, number>();

  constructor(private readonly desk: Desk) {}

  apply(frames: readonly Frame[]): void {
    for (const frame of frames) {
      const say = language.say;
      switch (frame.type) {
        case "permission:requested":
          this.tell(frame.agent, say.notifyAsks(this.title(frame.agent)), frame.toolCall.title);
          break;
        case "elicitation:requested":
          this.tell(frame.agent, say.notifyAsks(this.title(frame.agent)), frame.elicitation.message);
          break;
        case "turn:changed": {
          if (frame.login) this.tell(frame.agent, say.notifyAsks(this.title(frame.agent)), frame.login.message);
          const since = this.busySince.get(frame.agent);
          if (frame.busy && since === undefined) this.busySince.set(frame.agent, frame.ts);
          if (!frame.busy) this.busySince.delete(frame.agent);
          if (!frame.busy && since !== undefined && frame.ts - since >= LONG_TURN_MS) {
            this.tell(frame.agent, say.notifyAnswered(this.title(frame.agent)), "");
          }
          break;
        }
        case "agent:state":
          if (frame.state === "error") {
            this.tell(frame.agent, say.notifyError(this.title(frame.agent)), reasonOf(say, frame.error ?? "", frame.cause).split("\n")[0] ?? "");
          }
          break;
        default:
      }
    }
  }

  async allow(): Promise<void> {
    this.isOffered = false;
    await Notification.requestPermission();
  }

  decline(): void {
    this.isOffered = false;
  }

  private title(agent: AgentName): string {
    return this.desk.agents.find(agent)?.title ?? agent;
  }

  private tell(agent: AgentName, title: string, body: string): void {
    const route = router.route;
    const isSeen = document.hasFocus() && route.place === "agents" && route.agent === agent;
    if (isSeen || !("Notification" in window)) return;
    if (Notification.permission === "default") this.isOffered = true;
    if (Notification.permission !== "granted") return;
    const notification = new Notification(title, { body, tag: `pupitre-${agent}`, icon: "/favicon-asks.svg" });
    notification.onclick = () => {
      window.focus();
      router.go({ place: "agents", agent, earlier: null });
    };
  }
}
