// Getting in and out: the one-time token of the URL's fragment becomes a cookie, and leaves the address bar.
import { CallFailure } from "./failure";

/** Returns whether an address lets a browser in. */
export function hasToken(location: Location): boolean {
  return tokenOf(location) !== null;
}

/** Exchanges the token of the address for a cookie, when there is one. */
export async function login(location: Location, history: History): Promise<void> {
  const token = tokenOf(location);
  if (token === null) return;
  history.replaceState(null, "", location.pathname);
  await fetch("/api/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
}

/** Ends this browser's session; the daemon then closes the connection of every window of it. */
export async function logout(): Promise<void> {
  const reply = await fetch("/api/logout", { method: "POST" });
  if (!reply.ok) throw new CallFailure("logout_failed", (await reply.text()) || `${reply.status} ${reply.statusText}`);
}

function tokenOf(location: Location): string | null {
  return new URLSearchParams(location.hash.slice(1)).get("token");
}
