// What is being asked about a kept conversation before it is done.
import type { AgentName, ConversationId } from "../../protocol";

/** A conversation as its dialogs name it. */
export type Kept = {
  id: ConversationId;
  agent: AgentName;
  title: string | null;
  current: boolean;
  /** How many messages it has; null where that is not told. */
  messages: number | null;
};

export type KeepingDialog = { is: "export" | "delete"; conversation: Kept };

class KeepingView {
  dialog: KeepingDialog | null = $state.raw(null);

  export(conversation: Kept): void {
    this.dialog = { is: "export", conversation };
  }

  delete(conversation: Kept): void {
    this.dialog = { is: "delete", conversation };
  }
}

export const keepingView = new KeepingView();
