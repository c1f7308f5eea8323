// What the page holds of one conversation: a snapshot, and the events after it. Pure: no network, no drawing.
// From any snapshot on it always equals what `chat.conversation` would answer.
import type { ConversationView, Frame, Message, MessageDelta, Part } from "../protocol";

/** What an event did to the replica. */
export type Applied =
  /** Another conversation's, or known already. */
  | { is: "nothing" }
  | { is: "message"; id: string }
  /** Something beside the messages. */
  | { is: "head" }
  /** Something before this event is missing: take a snapshot. */
  | { is: "lost" };

const NOTHING: Applied = { is: "nothing" };
const HEAD: Applied = { is: "head" };
const LOST: Applied = { is: "lost" };

export class Replica {
  private head: Omit<ConversationView, "messages">;
  private list: Message[];

  constructor(view: ConversationView) {
    const { messages, ...head } = view;
    this.head = head;
    this.list = [...messages];
  }

  get conversation(): string {
    return this.head.conversation;
  }

  get rev(): number {
    return this.head.rev;
  }

  /** Everything but the messages; a new object after each change. */
  get state(): Readonly<Omit<ConversationView, "messages">> {
    return this.head;
  }

  /** Oldest first. A message that changes is replaced, never altered. */
  get messages(): readonly Message[] {
    return this.list;
  }

  /** Returns what `chat.conversation` would show. */
  view(): ConversationView {
    return { ...this.head, messages: [...this.list] };
  }

  message(id: string): Message | undefined {
    const { index, held } = this.place(id);
    return held ? this.list[index] : undefined;
  }

  /** Puts an older page before what is held. Its messages know their own revision, so no event counts twice. */
  prepend(older: ConversationView): void {
    if (older.conversation !== this.conversation) return;
    const first = this.list[0];
    const before = first ? older.messages.filter((message) => message.id < first.id) : older.messages;
    this.list = [...before, ...this.list];
  }

  apply(event: Frame): Applied {
    switch (event.type) {
      case "message:updated":
      case "message:delta":
      case "turn:changed":
      case "permission:requested":
      case "permission:resolved":
      case "elicitation:requested":
      case "elicitation:resolved":
      case "usage:changed":
      case "commands:changed":
      case "session:changed":
        break;
      default:
        return NOTHING;
    }
    if (event.conversation !== this.head.conversation) return NOTHING;
    const known = event.rev <= this.head.rev;
    // A message of an older page may be newer than the head's revision says, so messages are compared one by one.
    if (event.type === "message:updated") return this.put(event.message, event.rev, known);
    if (event.type === "message:delta") return this.change(event, known);
    if (known) return NOTHING;
    const head = { ...this.head, rev: event.rev };
    switch (event.type) {
      case "turn:changed":
        head.busy = event.busy;
        head.queued = event.queued;
        head.stalled = event.stalled;
        head.login = event.login;
        break;
      case "permission:requested": {
        const { id, agent, conversation, messageId, toolCall, options, rejections, createdAt } = event;
        const asked = { id, agent, conversation, messageId, toolCall, options, rejections, createdAt };
        head.permissions = [...head.permissions.filter((open) => open.id !== id), asked];
        break;
      }
      case "permission:resolved":
        head.permissions = head.permissions.filter((open) => open.id !== event.id);
        break;
      case "elicitation:requested": {
        const asked = event.elicitation;
        head.elicitations = [...head.elicitations.filter((open) => open.id !== asked.id), asked];
        break;
      }
      case "elicitation:resolved":
        head.elicitations = head.elicitations.filter((open) => open.id !== event.id);
        break;
      case "usage:changed":
        head.usage = event.usage;
        break;
      case "commands:changed":
        head.commands = event.commands;
        break;
      case "session:changed":
        if (event.modes) head.modes = event.modes;
        if (event.config_options) head.config_options = event.config_options;
        if (event.title !== undefined) head.title = event.title;
        break;
    }
    this.head = head;
    return HEAD;
  }

  private put(message: Message, rev: number, known: boolean): Applied {
    const place = this.place(message.id);
    const held = place.held ? this.list[place.index] : undefined;
    if (held ? rev <= held.rev : known) return this.passed(rev);
    this.moveTo(rev);
    if (held) {
      this.list[place.index] = message;
      return { is: "message", id: message.id };
    }
    if (place.index === this.list.length) {
      this.list = [...this.list, message];
      this.head = { ...this.head, total: this.head.total + 1 };
      return { is: "message", id: message.id };
    }
    // Older than all that is held: a page that was never asked for.
    return place.index === 0 ? NOTHING : LOST;
  }

  private change(delta: MessageDelta, known: boolean): Applied {
    const place = this.place(delta.messageId);
    const held = place.held ? this.list[place.index] : undefined;
    if (!held) {
      if (known) return NOTHING;
      this.moveTo(delta.rev);
      return place.index === 0 && this.list.length > 0 ? NOTHING : LOST;
    }
    if (delta.rev <= held.rev) return this.passed(delta.rev);
    const parts = [...held.parts];
    const part = changed(parts[delta.index], delta);
    if (delta.index > parts.length || !part) return LOST;
    parts[delta.index] = part;
    this.moveTo(delta.rev);
    this.list[place.index] = { ...held, rev: delta.rev, parts };
    return { is: "message", id: delta.messageId };
  }

  /** An older page has brought what this event says; that it has been seen still counts. */
  private passed(rev: number): Applied {
    this.moveTo(rev);
    return NOTHING;
  }

  private moveTo(rev: number): void {
    if (rev > this.head.rev) this.head = { ...this.head, rev };
  }

  /** Ids sort by creation. */
  private place(id: string): { index: number; held: boolean } {
    let low = 0;
    let high = this.list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = this.list[middle];
      if (at && at.id < id) low = middle + 1;
      else high = middle;
    }
    return { index: low, held: this.list[low]?.id === id };
  }
}

function changed(part: Part | undefined, delta: MessageDelta): Part | undefined {
  if (delta.part) return delta.part;
  const text = delta.text;
  if (text === undefined || (delta.kind !== "text" && delta.kind !== "thought")) return undefined;
  if (!part) return { kind: delta.kind, text };
  if (part.kind !== delta.kind || !("text" in part)) return undefined;
  return { kind: delta.kind, text: part.text + text };
}
