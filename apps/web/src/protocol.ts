// The wire, as the page knows it.
export type * from "./gen/protocol";
export { LIMITS, PROTOCOL } from "./gen/protocol";
