// One conversation as the page draws it: the replica, and beside it what Svelte watches. A delta touches one message.
import { Replica } from "../conversation/replica";
import { Timing } from "../conversation/timing";
import type { AgentName, ConversationId, Cost, ConversationView, Frame, Message, MessageId } from "../protocol";
import { LIMITS } from "../protocol";
import { sentence } from "../words/failure";
import type { Caller } from "./caller";
import { isWorkChanged, NO_WORK, workOf, type Work } from "./work";

/** A message that keeps its place in the document while its content changes. */
export class LiveMessage {
  readonly id: MessageId;
  value: Message = $state.raw()!;

  constructor(message: Message) {
    this.id = message.id;
    this.value = message;
  }
}

export type ConversationStatus = "loading" | "ready" | "failed";

const PAGE_MESSAGES = 200;

export class LiveConversation {
  readonly agent: AgentName;
  /** An earlier conversation, which can only be read; null for the agent's current one. */
  readonly earlier: ConversationId | null;
  status: ConversationStatus = $state("loading");
  failure: string | null = $state(null);
  head: Omit<ConversationView, "messages"> | null = $state.raw(null);
  messages: readonly LiveMessage[] = $state.raw([]);
  /** What is drawn one below the other: neither what waits nor what was taken back. */
  talk: readonly LiveMessage[] = $state.raw([]);
  /** What waits for the current answer. */
  queued: readonly LiveMessage[] = $state.raw([]);
  /** What was planned and changed in all messages; counted anew only when a plan or a tool call changes. */
  work: Work = $state.raw(NO_WORK);
  /** What the newest turn has cost; null when nobody here saw it begin, or its agent tells no cost. */
  turnCost: Cost | null = $state.raw(null);
  isLoadingOlder = $state(false);
  /** How long steps took, those that were seen from beginning to end. */
  readonly timing = new Timing();
  private replica: Replica | null = null;
  private readonly byId = new Map<MessageId, LiveMessage>();
  /** Events that come while a snapshot is on its way. */
  private early: Frame[] | null = null;
  private loads = 0;
  private turn: { id: MessageId | null; costBefore: number | null } = { id: null, costBefore: null };

  constructor(
    private readonly caller: Caller,
    agent: AgentName,
    earlier: ConversationId | null,
  ) {
    this.agent = agent;
    this.earlier = earlier;
  }

  /** Returns whether older messages are in the daemon than are held here. */
  get hasOlder(): boolean {
    return this.head !== null && this.messages.length < this.head.total;
  }

  /** Returns what is held, for comparison with `chat.conversation`. */
  snapshot(): ConversationView | null {
    return this.replica?.view() ?? null;
  }

  /** Takes a snapshot; what is drawn stays until it has come. */
  async load(): Promise<void> {
    const load = ++this.loads;
    this.early ??= [];
    try {
      const params = { agent: this.agent, conversation: this.earlier, limit: PAGE_MESSAGES };
      const view = await this.caller.call("chat.conversation", params);
      if (load !== this.loads) return;
      const early = this.early ?? [];
      this.early = null;
      this.replica = new Replica(view);
      this.timing.lose();
      this.turn = { id: view.messages.findLast((message) => message.role === "agent")?.turn ?? null, costBefore: null };
      this.redraw();
      this.status = "ready";
      this.failure = null;
      this.apply(early);
    } catch (thrown) {
      if (load !== this.loads) return;
      this.early = null;
      if (this.replica === null) this.status = "failed";
      this.failure = sentence(thrown);
    }
  }

  /** Holds a message, with everything after it; returns false when the conversation has no such message. */
  async reach(id: MessageId): Promise<boolean> {
    while (!this.byId.has(id)) {
      const before = this.messages.length;
      // Ids sort by creation: from the oldest that is held on, it would be here.
      if (!this.hasOlder || (this.messages[0]?.id ?? "") < id) return false;
      await this.loadOlder(LIMITS.CONVERSATION_MESSAGES_MOST);
      if (this.messages.length === before) return false;
    }
    return true;
  }

  async loadOlder(limit = PAGE_MESSAGES): Promise<void> {
    const replica = this.replica;
    const first = replica?.messages[0];
    if (!replica || !first || this.isLoadingOlder || !this.hasOlder) return;
    this.isLoadingOlder = true;
    try {
      const older = await this.caller.call("chat.conversation", {
        agent: this.agent,
        conversation: replica.conversation,
        before: first.id,
        limit,
      });
      if (this.replica === replica) {
        replica.prepend(older);
        this.redraw();
      }
    } catch (thrown) {
      this.failure = sentence(thrown);
    } finally {
      this.isLoadingOlder = false;
    }
  }

  apply(frames: readonly Frame[]): void {
    if (this.early) {
      this.early.push(...frames);
      return;
    }
    const replica = this.replica;
    if (!replica) return;
    const before = replica.messages.length;
    const touched = new Set<MessageId>();
    for (const frame of frames) {
      this.watchTurn(replica, frame);
      this.watchPermission(replica, frame);
      const earlier = messageBefore(replica, frame);
      const applied = replica.apply(frame);
      switch (applied.is) {
        case "message": {
          touched.add(applied.id);
          const now = replica.message(applied.id);
          if (now) this.timing.note(earlier, now, frame.ts);
          break;
        }
        case "lost":
          void this.load();
          return;
        case "nothing":
        case "head":
          break;
      }
    }
    if (replica.messages.length !== before) this.redraw();
    else this.redrawMessages(replica, touched);
    this.head = replica.state;
    const cost = replica.state.usage?.cost;
    const { costBefore } = this.turn;
    this.turnCost = cost && costBefore !== null ? { ...cost, amount: cost.amount - costBefore } : null;
  }

  /** Notes what the session had cost when a turn begins. */
  private watchTurn(replica: Replica, frame: Frame): void {
    if (frame.type !== "message:updated" || frame.conversation !== replica.conversation) return;
    const { role, turn } = frame.message;
    if (role !== "agent" || turn === null || turn === this.turn.id) return;
    const isFirst = !replica.messages.some((message) => message.role === "agent");
    this.turn = { id: turn, costBefore: replica.state.usage?.cost?.amount ?? (isFirst ? 0 : null) };
  }

  /** A call that a person allowed begins its work then. */
  private watchPermission(replica: Replica, frame: Frame): void {
    if (frame.type !== "permission:resolved" || frame.conversation !== replica.conversation) return;
    const asked = replica.state.permissions.find((open) => open.id === frame.id);
    if (asked) this.timing.allowed(replica.message(asked.messageId), asked.toolCall.id, frame.ts);
  }

  /** Text that is appended redraws its own message and nothing else. */
  private redrawMessages(replica: Replica, ids: ReadonlySet<MessageId>): void {
    let placeChanged = false;
    let workChanged = false;
    for (const id of ids) {
      const message = replica.message(id);
      const live = this.byId.get(id);
      if (!message || !live || live.value === message) continue;
      placeChanged ||= placeOf(live.value) !== placeOf(message);
      workChanged ||= isWorkChanged(live.value, message);
      live.value = message;
    }
    if (placeChanged) this.place();
    if (workChanged) this.work = workOf(this.messages);
  }

  private redraw(): void {
    const replica = this.replica;
    if (!replica) return;
    const list: LiveMessage[] = [];
    const kept = new Set<MessageId>();
    for (const message of replica.messages) {
      kept.add(message.id);
      let live = this.byId.get(message.id);
      if (!live) {
        live = new LiveMessage(message);
        this.byId.set(message.id, live);
      } else if (live.value !== message) live.value = message;
      list.push(live);
    }
    for (const id of this.byId.keys()) if (!kept.has(id)) this.byId.delete(id);
    this.messages = list;
    this.place();
    this.work = workOf(list);
    this.head = replica.state;
  }

  private place(): void {
    this.talk = this.messages.filter((live) => placeOf(live.value) === "talk");
    this.queued = this.messages.filter((live) => placeOf(live.value) === "queue");
  }
}

/** Returns the message that an event changes, as it was. */
function messageBefore(replica: Replica, frame: Frame): Message | undefined {
  if (frame.type === "message:updated") return replica.message(frame.message.id);
  return frame.type === "message:delta" ? replica.message(frame.messageId) : undefined;
}

function placeOf(message: Message): "talk" | "queue" | "nowhere" {
  if (message.queued) return "queue";
  return message.role === "user" && message.error === "withdrawn" ? "nowhere" : "talk";
}
