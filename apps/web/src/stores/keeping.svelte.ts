// Kept conversations: finding words in all of them, and writing one out.
import type { AgentName, ConversationId, ExportFormat, ExportPlace, SearchMatch } from "../protocol";
import { sentence } from "../words/failure";
import type { Caller } from "./caller";

/** More than anybody reads through: another word finds better. */
const MATCHES = 50;

type Wanted = { query: string; agent: AgentName | null };

/** Finds messages while one types: one question is on its way at a time, and the newest one counts. */
export class Finder {
  matches: readonly SearchMatch[] = $state.raw([]);
  /** There are more than are here. */
  isTruncated = $state(false);
  /** What is wanted has not been answered yet. */
  isSearching = $state(false);
  failure: string | null = $state(null);
  private wanted: Wanted | null = null;

  constructor(private readonly caller: Caller) {}

  async find(query: string, agent: AgentName | null): Promise<void> {
    this.wanted = hasWord(query) ? { query, agent } : null;
    if (this.wanted === null) this.show([], false);
    if (this.isSearching) return;
    this.isSearching = true;
    for (let asked: Wanted | null = null; this.wanted !== asked; ) {
      asked = this.wanted;
      if (asked === null) break;
      await this.ask(asked);
    }
    this.isSearching = false;
  }

  private async ask(asked: Wanted): Promise<void> {
    try {
      const { matches, truncated } = await this.caller.call("chat.search", { ...asked, limit: MATCHES });
      if (this.wanted === asked) this.show(matches, truncated);
    } catch (thrown) {
      if (this.wanted !== asked) return;
      this.show([], false);
      this.failure = sentence(thrown);
    }
  }

  private show(matches: readonly SearchMatch[], isTruncated: boolean): void {
    this.matches = matches;
    this.isTruncated = isTruncated;
    this.failure = null;
  }
}

/** The daemon refuses a query without one. */
export function hasWord(query: string): boolean {
  return /[\p{L}\p{N}]/u.test(query);
}

/** Yields a conversation, window by window. */
export async function* windowsOf(caller: Caller, id: ConversationId, format: ExportFormat): AsyncGenerator<string> {
  let from: ExportPlace | null = null;
  do {
    const reply: { text: string; next: ExportPlace | null } = await caller.call("chat.export", { id, format, from });
    yield reply.text;
    from = reply.next;
  } while (from !== null);
}

const NAME_CHARACTERS = 60;

/** Returns a name for the file: the title, as far as every file system takes it, and the day. */
export function fileNameOf(title: string, at: Date, format: ExportFormat): string {
  const plain = title.replace(/[\p{C}\\/:*?"<>|]+/gu, " ").replace(/\s+/g, " ").replace(/^[. ]+|[. ]+$/g, "");
  const short = [...plain].slice(0, NAME_CHARACTERS).join("").trim() || "conversation";
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
  return `${short} ${day}.${format === "json" ? "json" : "md"}`;
}
