// Every open permission request, of all agents: what the lamp, the badge and the notifications go by.
import type { AgentName, Frame, Permission, PermissionId } from "../protocol";
import type { Caller } from "./caller";

export class PermissionsStore {
  /** Oldest first. */
  list: readonly Permission[] = $state.raw([]);
  private early: Frame[] | null = null;

  constructor(private readonly caller: Caller) {}

  of(agent: AgentName): readonly Permission[] {
    return this.list.filter((open) => open.agent === agent);
  }

  async load(): Promise<void> {
    this.early = [];
    const { permissions } = await this.caller.call("chat.permissions", {});
    this.list = permissions;
    const early = this.early;
    this.early = null;
    this.apply(early);
  }

  async answer(id: PermissionId, optionId: string): Promise<void> {
    await this.caller.call("chat.answer_permission", { id, optionId });
  }

  apply(frames: readonly Frame[]): void {
    for (const frame of frames) {
      this.early?.push(frame);
      if (frame.type === "permission:requested") {
        const { id, agent, conversation, messageId, toolCall, options, rejections, createdAt } = frame;
        const asked = { id, agent, conversation, messageId, toolCall, options, rejections, createdAt };
        this.list = [...this.list.filter((open) => open.id !== id), asked];
      } else if (frame.type === "permission:resolved") {
        this.list = this.list.filter((open) => open.id !== frame.id);
      }
    }
  }
}
