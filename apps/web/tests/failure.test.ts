// Which failures nobody needs to hear of.
import { afterEach, expect, test, vi } from "vitest";
import { CallFailure, unlessGone, unlessLost } from "../src/transport/failure";

const failed = (kind: string) => new CallFailure(kind, "no");

/** Asserts whether a failure is written to the console. */
function check(handle: (thrown: unknown) => void, thrown: unknown, isTold: boolean) {
  const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
  handle(thrown);
  expect(told.mock.calls.length, String(thrown)).toBe(isTold ? 1 : 0);
}

afterEach(() => void vi.restoreAllMocks());

test("a lost connection is mended by itself", () => check(unlessLost, failed("connection_lost"), false));
test("everything else is told", () => check(unlessLost, failed("not_found"), true));
test("a pane that was closed while something was asked about it is gone anyway", () => check(unlessGone, failed("not_found"), false));
test("or was just being closed", () => check(unlessGone, failed("surface_closed"), false));
test("and a lost connection is no more than that for a pane", () => check(unlessGone, failed("connection_lost"), false));
test("another failure about a pane is told", () => check(unlessGone, failed("internal"), true));
test("and so is what is no answer at all", () => check(unlessGone, new Error("oops"), true));
