// The conversations that the page holds: each agent's current one that was looked at, and the earlier ones on show.
import { SvelteMap, SvelteSet } from "svelte/reactivity";
import type { AgentName, ConversationId, Frame } from "../protocol";
import type { Caller } from "./caller";
import { LiveConversation } from "./conversation.svelte";

/** So many are kept up to date; the one looked at least recently goes first. */
const HELD_MOST = 24;

export class ConversationsStore {
  /** Those that were deleted while the page was open: no list shows them any more. */
  readonly deleted = new SvelteSet<ConversationId>();
  private readonly held = new SvelteMap<string, LiveConversation>();

  constructor(private readonly caller: Caller) {}

  /** Returns a conversation, asking for it when it is not held; call it from an effect or a handler. */
  show(agent: AgentName, earlier: ConversationId | null): LiveConversation {
    const key = earlier ?? `current ${agent}`;
    let live = this.held.get(key);
    if (!live) {
      live = new LiveConversation(this.caller, agent, earlier);
      void live.load();
    } else this.held.delete(key);
    this.held.set(key, live);
    const oldest = this.held.keys().next().value;
    if (this.held.size > HELD_MOST && oldest !== undefined) this.held.delete(oldest);
    return live;
  }

  /** Returns it only when it is held. */
  find(agent: AgentName, earlier: ConversationId | null): LiveConversation | undefined {
    return this.held.get(earlier ?? `current ${agent}`);
  }

  apply(frames: readonly Frame[]): void {
    const byAgent = new Map<AgentName, Frame[]>();
    for (const frame of frames) {
      if (!("agent" in frame)) continue;
      if (frame.type === "conversation:deleted") {
        this.held.delete(frame.conversation);
        this.deleted.add(frame.conversation);
      }
      const list = byAgent.get(frame.agent);
      if (list) list.push(frame);
      else byAgent.set(frame.agent, [frame]);
    }
    for (const live of this.held.values()) {
      const own = byAgent.get(live.agent);
      if (!own) continue;
      // Another conversation became the current one: what is on show is no longer it.
      if (live.earlier === null && own.some((frame) => frame.type === "conversation:changed")) void live.load();
      live.apply(own);
    }
  }

  /** Takes every snapshot again. */
  reload(): void {
    for (const live of this.held.values()) void live.load();
  }
}
