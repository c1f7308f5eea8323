// Everything that agents ask of their user: what the lamp, the badge and the notifications go by.
import type { AgentName, Elicitation, Frame, OpenLogin, Permission, PermissionId, ToolKind } from "../protocol";
import type { Caller } from "./caller";

/** One open request. */
export type Asking = {
  id: string;
  agent: AgentName;
  /** In the agent's words. */
  title: string;
  about: About;
  /** In epoch milliseconds; null where that is not told. */
  since: number | null;
  /** What may be answered, for a permission. */
  permission: Permission | null;
};

export type About = { is: "permission"; kind: ToolKind } | { is: "form" } | { is: "visit" } | { is: "login" };

export class AskingStore {
  /** In the order in which they came. */
  list: readonly Asking[] = $state.raw([]);
  private early: Frame[] | null = null;

  constructor(private readonly caller: Caller) {}

  of(agent: AgentName): readonly Asking[] {
    return this.list.filter((open) => open.agent === agent);
  }

  async load(): Promise<void> {
    this.early = [];
    const { permissions, elicitations, logins } = await this.caller.call("chat.permissions", {});
    const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
    this.list = [...[...permissions.map(ofPermission), ...elicitations.map(ofElicitation)].sort(byId), ...logins.map(ofLogin)];
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
      switch (frame.type) {
        case "permission:requested":
          this.add(ofPermission(frame));
          break;
        case "elicitation:requested":
          this.add(ofElicitation(frame.elicitation));
          break;
        case "turn:changed":
          if (frame.login) this.add(ofLogin({ agent: frame.agent, conversation: frame.conversation, login: frame.login }));
          else this.remove(loginId(frame.agent));
          break;
        case "permission:resolved":
        case "elicitation:resolved":
          this.remove(frame.id);
          break;
        default:
      }
    }
  }

  private add(asking: Asking): void {
    if (!this.list.some((open) => open.id === asking.id)) this.list = [...this.list, asking];
  }

  private remove(id: string): void {
    if (this.list.some((open) => open.id === id)) this.list = this.list.filter((open) => open.id !== id);
  }
}

function ofPermission({ id, agent, conversation, messageId, toolCall, options, rejections, createdAt }: Permission): Asking {
  const permission = { id, agent, conversation, messageId, toolCall, options, rejections, createdAt };
  return { id, agent, title: toolCall.title, about: { is: "permission", kind: toolCall.kind }, since: createdAt, permission };
}

function ofElicitation({ id, agent, message, wants, createdAt }: Elicitation): Asking {
  return { id, agent, title: message, about: { is: wants.mode === "form" ? "form" : "visit" }, since: createdAt, permission: null };
}

function ofLogin({ agent, login }: OpenLogin): Asking {
  return { id: loginId(agent), agent, title: login.message, about: { is: "login" }, since: null, permission: null };
}

/** One conversation of an agent is current, so one login at most is awaited. */
function loginId(agent: AgentName): string {
  return `login-${agent}`;
}
