// Workspaces: panes that belong together, and how they share the page.
import type { Direction, Frame, Layout, SurfaceCreateParams, SurfaceId, SurfaceView, WorkspaceId, WorkspaceView } from "../protocol";
import { CallFailure } from "../transport/failure";
import type { Caller } from "./caller";

export class WorkspacesStore {
  list: readonly WorkspaceView[] = $state.raw([]);
  isLoaded = $state(false);
  private early: Frame[] | null = null;
  private reads = 0;

  constructor(private readonly caller: Caller) {}

  find(id: WorkspaceId): WorkspaceView | undefined {
    return this.list.find((entry) => entry.workspace === id);
  }

  get current(): WorkspaceView | undefined {
    return this.list.find((entry) => entry.current) ?? this.list[0];
  }

  async load(): Promise<void> {
    const read = ++this.reads;
    this.early ??= [];
    try {
      const { workspaces } = await this.caller.call("workspace.list", {});
      if (read !== this.reads) return;
      this.list = workspaces;
      this.isLoaded = true;
      const early = this.early;
      this.early = null;
      this.apply(early);
    } catch (thrown) {
      if (read === this.reads) this.early = null;
      // A daemon without panes; the surfaces say so.
      if (!(thrown instanceof CallFailure) || thrown.kind !== "unknown_method") throw thrown;
    }
  }

  /** Each change tells all of them, so the last one counts. */
  apply(frames: readonly Frame[]): void {
    for (const frame of frames) {
      if (frame.type !== "workspace:changed") continue;
      this.early?.push(frame);
      this.list = frame.workspaces;
    }
  }

  split(surface: SurfaceId, direction: Direction, pane: SurfaceCreateParams): Promise<SurfaceView> {
    return this.caller.call("workspace.split", { surface: String(surface), direction, pane });
  }

  /** Lays the panes out anew; the page shows it at once, and what the daemon says of it after that counts. */
  async arrange(id: WorkspaceId, layout: Layout): Promise<void> {
    const before = this.list;
    const shown = before.map((entry) => (entry.workspace === id ? { ...entry, layout } : entry));
    this.list = shown;
    try {
      await this.caller.call("workspace.set_layout", { workspace: String(id), layout });
    } catch (thrown) {
      if (this.list === shown) this.list = before;
      throw thrown;
    }
  }
}
