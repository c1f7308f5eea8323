// The configuration in force, as the settings service tells it. The editor's text is the settings place's own.
import type { ConfigView, Frame } from "../protocol";
import { CallFailure, unlessLost } from "../transport/failure";
import type { Caller } from "./caller";

export class ConfigurationStore {
  view: ConfigView | null = $state.raw(null);
  /** Grows whenever the file was read anew, here or in another window. */
  changes = $state(0);
  /** When the file in force was read anew, in epoch milliseconds. */
  changedAt: number | null = $state(null);
  /** The daemon has no settings service. */
  isMissing = $state(false);

  constructor(private readonly caller: Caller) {}

  async load(): Promise<void> {
    try {
      this.view = await this.caller.call("config.current", {});
      this.isMissing = false;
    } catch (thrown) {
      if (!(thrown instanceof CallFailure) || thrown.kind !== "unknown_method") throw thrown;
      this.isMissing = true;
    }
  }

  apply(frames: readonly Frame[]): void {
    for (const frame of frames) {
      if (frame.type !== "config:changed") continue;
      this.changes += 1;
      this.changedAt = frame.ts;
      this.load().catch(unlessLost);
    }
  }
}
