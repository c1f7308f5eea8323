// The time that elapsed durations are drawn with; it rests while the page is hidden.

const TICK_MS = 1_000;

export class Clock {
  /** In epoch milliseconds, a second old at most. */
  now = $state(Date.now());

  start(): void {
    setInterval(() => {
      if (!document.hidden) this.now = Date.now();
    }, TICK_MS);
    document.addEventListener("visibilitychange", () => (this.now = Date.now()));
  }
}

export const clock = new Clock();
