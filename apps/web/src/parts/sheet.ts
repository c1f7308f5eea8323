// The sheet of icons, under a name that changes with its content, so that no cache holds an old one.
import sheet from "../icons.svg?url";

/** Returns the address of one drawing of the sheet. */
export function drawing(name: string): string {
  return `${sheet}#${name}`;
}
