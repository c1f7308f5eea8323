// Paths below the home folder are short; which folder that is, the daemon says.
import { expect, test } from "vitest";
import type { Caller } from "../src/stores/caller";
import { HostStore } from "../src/stores/host.svelte";

async function hostOf(home: string | undefined): Promise<HostStore> {
  const caller: Caller = { call: () => Promise.resolve({ home } as never) };
  const host = new HostStore(caller);
  await host.load();
  return host;
}

test.each<[home: string | undefined, path: string, shown: string]>([
  ["/home/ada", "/home/ada", "~"],
  ["/home/ada", "/home/ada/src", "~/src"],
  ["/home/ada/", "/home/ada/src", "~/src"],
  ["/srv/people/ada", "/srv/people/ada/src", "~/src"],
  ["/home/ada", "/home/adam/src", "/home/adam/src"],
  ["/home/ada", "/home/bob/src", "/home/bob/src"],
  ["/home/ada", "/mnt/home/ada/src", "/mnt/home/ada/src"],
  ["/", "/etc", "/etc"],
  ["", "/home/ada/src", "/home/ada/src"],
  [undefined, "/home/ada/src", "/home/ada/src"],
])("with the home %j, %s is shown as %s", async (home, path, shown) => {
  expect((await hostOf(home)).short(path)).toBe(shown);
});
