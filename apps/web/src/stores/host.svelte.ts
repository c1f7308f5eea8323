// The machine that the daemon runs on, as far as the page shows it: its user's home folder.
import type { Caller } from "./caller";

export class HostStore {
  /** Empty until the daemon told it, and with a daemon that does not. */
  home = $state("");

  constructor(private readonly caller: Caller) {}

  async load(): Promise<void> {
    this.home = (await this.caller.call("system.identify", {})).home ?? "";
  }

  /** Returns a path with the home folder as `~`, for reading: what is copied or sent stays whole. */
  short(path: string): string {
    const home = this.home.replace(/\/+$/, "");
    if (home === "") return path;
    return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
  }
}
