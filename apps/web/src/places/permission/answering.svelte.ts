// Answering a permission request: the agent's options as they are shown, and what came of choosing one.
import type { Permission, PermissionOption } from "../../protocol";
import type { AskingStore } from "../../stores/asking.svelte";
import { sentence } from "../../words/failure";

export class Answering {
  isUnderWay = $state(false);
  failure: string | null = $state(null);

  constructor(
    private readonly asking: AskingStore,
    private readonly permission: () => Permission,
  ) {}

  /** The one that allows once: what is to be done here, if anything is. */
  get main(): PermissionOption | undefined {
    return this.permission().options.find((option) => option.kind === "allow_once");
  }

  get refusal(): PermissionOption | undefined {
    return this.permission().options.find((option) => option.kind === "reject_once");
  }

  get refusals(): readonly PermissionOption[] {
    return this.permission().options.filter(isRefusal);
  }

  get others(): readonly PermissionOption[] {
    return this.permission().options.filter((option) => !isRefusal(option));
  }

  async answer(option: PermissionOption): Promise<void> {
    this.isUnderWay = true;
    this.failure = null;
    try {
      await this.asking.answer(this.permission().id, option.optionId);
    } catch (thrown) {
      this.failure = sentence(thrown);
      this.isUnderWay = false;
    }
  }

  /** `a` and `d` answer, in the card that has the focus only. */
  readonly press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || this.isUnderWay) return;
    const option = event.key === "a" ? this.main : event.key === "d" ? this.refusal : undefined;
    if (!option) return;
    event.preventDefault();
    void this.answer(option);
  };
}

function isRefusal(option: PermissionOption): boolean {
  return option.kind.startsWith("reject");
}
