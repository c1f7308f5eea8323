// Why a call failed, for the page to show or to go by.
import type { RpcError } from "../protocol";

/** A call that was answered with an error, or could not be made. */
export class CallFailure extends Error {
  /** The stable word of the daemon, or `connection_lost` when there was nobody to ask. */
  readonly kind: string;
  readonly candidates: readonly string[];

  constructor(kind: string, message: string, candidates: readonly string[] = []) {
    super(message);
    this.name = "CallFailure";
    this.kind = kind;
    this.candidates = candidates;
  }

  static of(error: RpcError): CallFailure {
    const kind = error.data?.kind ?? (error.code === -32601 ? "unknown_method" : "internal");
    return new CallFailure(kind, error.message, error.data?.candidates);
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

/** Returns the sentence of a failure, whatever was thrown. */
export function sentence(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
