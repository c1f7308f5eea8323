// What this window shows of panes beside what the daemon keeps: which one is enlarged, where typing goes, what is being asked.
// The palette, the keys and the frames act through it.
import type { Direction, SurfaceId, WorkspaceId } from "../protocol";
import type { Desk } from "../stores/desk.svelte";
import { router } from "../stores/route.svelte";
import { sentence } from "../words/failure";

export type PaneDialog =
  | { is: "new"; workspace: WorkspaceId | null }
  | { is: "rename"; surface: SurfaceId }
  | { is: "close"; surface: SurfaceId }
  | { is: "close-workspace"; workspace: WorkspaceId }
  | { is: "link"; address: string };

class PanesView {
  dialog: PaneDialog | null = $state.raw(null);
  /** The pane that has the whole area. */
  enlarged: SurfaceId | null = $state(null);
  /** The pane whose terminal has the focus. */
  typed: SurfaceId | null = $state(null);
  /** The pane that was last used in this window: what keys and palette mean by "the pane". */
  last: SurfaceId | null = $state(null);
  /** The pane in which something is looked for. */
  finding: SurfaceId | null = $state(null);
  /** Why something that was asked for here did not happen. */
  failure: string | null = $state(null);
  /** The terminal that takes the focus as soon as it is there. */
  wanted: SurfaceId | null = $state(null);

  async split(desk: Desk, surface: SurfaceId, direction: Direction): Promise<void> {
    const beside = desk.surfaces.find(surface);
    await this.attempt(async () => {
      const pane = await desk.workspaces.split(surface, direction, beside?.cwd ? { cwd: beside.cwd } : {});
      this.enlarged = null;
      this.wanted = pane.surface_id;
    });
  }

  /** Closes a pane; one in which a program runs is asked about first. */
  async close(desk: Desk, surface: SurfaceId): Promise<void> {
    const pane = desk.surfaces.find(surface);
    if (pane && pane.exit_status === null) this.dialog = { is: "close", surface };
    else await this.closeNow(desk, surface);
  }

  async closeNow(desk: Desk, surface: SurfaceId): Promise<void> {
    this.dialog = null;
    await this.attempt(() => desk.call("surface.close", { surface: String(surface) }));
    if (this.enlarged === surface) this.enlarged = null;
  }

  toggleEnlarged(surface: SurfaceId): void {
    this.enlarged = this.enlarged === surface ? null : surface;
  }

  go(desk: Desk, surface: SurfaceId): void {
    const workspace = desk.surfaces.find(surface)?.workspace ?? null;
    if (this.enlarged !== surface) this.enlarged = null;
    router.go({ place: "panes", workspace, pane: surface });
    this.wanted = surface;
  }

  async attempt(what: () => Promise<unknown>): Promise<void> {
    this.failure = null;
    try {
      await what();
    } catch (thrown) {
      this.failure = sentence(thrown);
    }
  }
}

export const panesView = new PanesView();
