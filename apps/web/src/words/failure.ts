// Why something that was asked for did not happen, in the page's language.
import { CallFailure } from "../transport/failure";
import { language } from "./language.svelte";

/** Returns the sentence of a failure, whatever was thrown. */
export function sentence(thrown: unknown): string {
  if (thrown instanceof CallFailure) return language.say.failureLine(thrown);
  return language.say.browserSays(thrown instanceof Error ? thrown.message : String(thrown));
}
