// The channels of the configuration and what was said in those that were opened.
import { SvelteMap } from "svelte/reactivity";
import type { ChannelEntry, ChannelView, Frame } from "../protocol";
import { CallFailure, unlessLost } from "../transport/failure";
import { sentence } from "../words/failure";
import type { Caller } from "./caller";

export type ChannelTalk =
  | { is: "loading" }
  | { is: "ready"; entries: readonly ChannelEntry[] }
  | { is: "failed"; failure: string };

export class ChannelsStore {
  list: readonly ChannelView[] = $state.raw([]);
  isLoaded = $state(false);
  /** The daemon has no channels. */
  isMissing = $state(false);
  readonly talks = new SvelteMap<string, ChannelTalk>();

  constructor(private readonly caller: Caller) {}

  find(name: string): ChannelView | undefined {
    return this.list.find((channel) => channel.name === name);
  }

  async load(): Promise<void> {
    try {
      this.list = (await this.caller.call("channel.list", {})).channels;
      this.isLoaded = true;
      this.isMissing = false;
    } catch (thrown) {
      if (!(thrown instanceof CallFailure) || thrown.kind !== "unknown_method") throw thrown;
      this.isMissing = true;
    }
    for (const name of this.talks.keys()) void this.open(name);
  }

  async open(name: string): Promise<void> {
    if (!this.talks.has(name)) this.talks.set(name, { is: "loading" });
    try {
      const { entries } = await this.caller.call("channel.messages", { channel: name });
      this.talks.set(name, { is: "ready", entries });
    } catch (thrown) {
      this.talks.set(name, { is: "failed", failure: sentence(thrown) });
    }
  }

  async send(name: string, text: string): Promise<void> {
    await this.caller.call("channel.send", { channel: name, text });
  }

  apply(frames: readonly Frame[]): void {
    for (const frame of frames) {
      if (frame.type === "config:changed") this.load().catch(unlessLost);
      if (frame.type !== "channel:updated") continue;
      const talk = this.talks.get(frame.channel);
      if (talk?.is !== "ready") continue;
      const others = talk.entries.filter((entry) => entry.id !== frame.entry.id);
      const entries = [...others, frame.entry].sort((one, other) => (one.id < other.id ? -1 : 1));
      this.talks.set(frame.channel, { is: "ready", entries });
    }
  }
}
