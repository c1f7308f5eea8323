// Getting in: the one-time token of the URL's fragment becomes a cookie, and leaves the address bar.

/** Exchanges the token of the address for a cookie, when there is one. */
export async function login(location: Location, history: History): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  history.replaceState(null, "", location.pathname);
  await fetch("/api/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
}
