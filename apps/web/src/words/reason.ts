// Why something ended, in the page's language where the cause is known, else in the words that came.
import type { Cause } from "../protocol";
import type { Catalogue } from "./en";

/** Returns the words; what an agent wrote last stands below the first line of the error, and stays. */
export function reasonOf(say: Catalogue, error: string, cause: Cause | null | undefined): string {
  // A daemon that is newer than the page may know more causes.
  const line: string | undefined = cause ? say.causeLine(cause) : undefined;
  return line === undefined ? error : [line, ...error.split("\n").slice(1)].join("\n");
}
