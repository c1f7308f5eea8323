// The agents that Pupitre knows, whether they are on this machine or not; looked for anew whenever somebody wants to see them.
import type { KnownAgent } from "../protocol";
import { CallFailure } from "../transport/failure";
import type { Caller } from "./caller";

export class KnownStore {
  /** Empty while they have not come, and with a daemon that does not tell. */
  list: readonly KnownAgent[] = $state.raw([]);

  constructor(private readonly caller: Caller) {}

  /** Those that are not inside Pupitre itself. */
  get others(): readonly KnownAgent[] {
    return this.list.filter((agent) => agent.command !== null);
  }

  async load(): Promise<void> {
    try {
      this.list = (await this.caller.call("config.known", {})).agents;
    } catch (thrown) {
      if (!(thrown instanceof CallFailure) || thrown.kind !== "unknown_method") throw thrown;
    }
  }
}
