// The desk: the connection and every store, wired together once for the page.
import { Connection, type ConnectionState } from "../transport/connection";
import { unlessLost } from "../transport/failure";
import type { Frame, Methods } from "../protocol";
import { AgentsStore } from "./agents.svelte";
import { ChannelsStore } from "./channels.svelte";
import { ConfigurationStore } from "./configuration.svelte";
import { ConversationsStore } from "./conversations.svelte";
import { DraftsStore } from "./drafts.svelte";
import { HostStore } from "./host.svelte";
import { KnownStore } from "./known.svelte";
import { Notifier } from "./notifier.svelte";
import { AskingStore } from "./asking.svelte";
import { SurfacesStore } from "./surfaces.svelte";
import { WorkspacesStore } from "./workspaces.svelte";

export class Desk {
  connection: ConnectionState = $state("connecting");
  /** The daemon does not let this browser in, as of the last try; it stays so while the next one is on its way. */
  isOutside = $state(false);
  /** Snapshots were taken at least once. */
  isReady = $state(false);
  readonly agents = new AgentsStore(this);
  readonly asking = new AskingStore(this);
  readonly conversations = new ConversationsStore(this);
  readonly configuration = new ConfigurationStore(this);
  readonly channels = new ChannelsStore(this);
  readonly surfaces = new SurfacesStore(this);
  readonly workspaces = new WorkspacesStore(this);
  readonly host = new HostStore(this);
  readonly known = new KnownStore(this);
  readonly drafts = new DraftsStore();
  readonly notifier = new Notifier(this);
  private readonly link: Connection;

  constructor(readonly url: string) {
    this.link = new Connection(url, {
      state: (state) => {
        this.connection = state;
        if (state === "refused") this.isOutside = true;
        if (state === "connected") this.isOutside = false;
      },
      frames: (frames) => this.apply(frames),
      resync: () => void this.takeSnapshots(),
    });
  }

  /** How many things wait for the person. */
  get askCount(): number {
    return this.asking.list.length + this.surfaces.asking.length;
  }

  open(): void {
    this.link.open();
  }

  retryNow(): void {
    this.link.retryNow();
  }

  call<M extends keyof Methods>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["reply"]> {
    return this.link.call(method, params);
  }

  private apply(frames: readonly Frame[]): void {
    this.agents.apply(frames);
    this.asking.apply(frames);
    this.conversations.apply(frames);
    this.configuration.apply(frames);
    this.channels.apply(frames);
    this.surfaces.apply(frames);
    this.workspaces.apply(frames);
    this.notifier.apply(frames);
  }

  private async takeSnapshots(): Promise<void> {
    this.conversations.reload();
    const results = await Promise.allSettled([
      this.agents.load(),
      this.asking.load(),
      this.configuration.load(),
      this.channels.load(),
      this.surfaces.load(),
      this.workspaces.load(),
      this.host.load(),
    ]);
    this.isReady = true;
    for (const result of results) {
      if (result.status === "rejected") unlessLost(result.reason);
    }
  }
}
