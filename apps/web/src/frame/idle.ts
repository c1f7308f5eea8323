// Work that nobody waits for, after what is on its way to the screen.

const IDLE_MOST_MS = 500;

/** Calls it when the browser has nothing better to do, or soon; returns what withdraws it. */
export function whenIdle(work: () => void): () => void {
  // Safari has no idle callbacks; there it comes after the next frame.
  if (typeof requestIdleCallback === "undefined") {
    const frame = requestAnimationFrame(() => setTimeout(work));
    return () => cancelAnimationFrame(frame);
  }
  const call = requestIdleCallback(work, { timeout: IDLE_MOST_MS });
  return () => cancelIdleCallback(call);
}
