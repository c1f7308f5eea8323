// Why a call failed, for the page to show or to go by.
import type { Cause, RpcError } from "../protocol";

/** A call that was answered with an error, or could not be made. */
export class CallFailure extends Error {
  /** The stable word of the daemon, or `connection_lost` when there was nobody to ask. */
  readonly kind: string;
  readonly candidates: readonly string[];
  /** More about why, where the daemon knows it. */
  override readonly cause: Cause | undefined;
  /** What the agent itself answered, when it did. */
  readonly agentError: string | undefined;

  constructor(kind: string, message: string, more: { candidates?: readonly string[]; cause?: Cause; agentError?: string } = {}) {
    super(message);
    this.name = "CallFailure";
    this.kind = kind;
    this.candidates = more.candidates ?? [];
    this.cause = more.cause;
    this.agentError = more.agentError;
  }

  static of(error: RpcError): CallFailure {
    const kind = error.data?.kind ?? (error.code === -32601 ? "unknown_method" : "internal");
    const { candidates, cause, agent_error } = error.data ?? {};
    const agentError = (agent_error as { message?: string } | null | undefined)?.message;
    return new CallFailure(kind, error.message, { candidates: candidates ?? undefined, cause: cause ?? undefined, agentError });
  }
}

/** For what is asked again once the connection is back: its loss is no failure of the page. */
export function unlessLost(thrown: unknown): void {
  if (!(thrown instanceof CallFailure) || thrown.kind !== "connection_lost") console.error(thrown);
}

/** For what is asked about a surface or a workspace that may be closed meanwhile: events tell that, too, and nothing is left to do. */
export function unlessGone(thrown: unknown): void {
  if (!(thrown instanceof CallFailure) || (thrown.kind !== "not_found" && thrown.kind !== "surface_closed")) unlessLost(thrown);
}
