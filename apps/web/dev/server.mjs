// A small server for the built page: its files under the daemon's content policy, and `/rpc` to whoever answers.
// Test support, on loopback only.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

/** What the daemon will send too. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join("; ");

/** Serves the page; `join` takes each WebSocket, `upload` each file. Returns the address and a way to end it. */
export async function servePage({ port = 0, join: take, upload }) {
  const sockets = new Set();
  const server = createServer((request, response) => {
    void answer(request, response, upload).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  const webSockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 * 1024 });
  server.on("upgrade", (request, socket, head) => {
    if (request.url !== "/rpc") {
      socket.destroy();
      return;
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      sockets.add(webSocket);
      webSocket.on("close", () => sockets.delete(webSocket));
      take(webSocket);
    });
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    /** Breaks every WebSocket, as a network that drops would. */
    drop: () => sockets.forEach((webSocket) => webSocket.terminate()),
    close: () => {
      sockets.forEach((webSocket) => webSocket.terminate());
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(request, response, upload) {
  const url = new URL(request.url, "http://127.0.0.1");
  const headers = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
  if (url.pathname === "/healthz") {
    response.writeHead(200, headers).end();
    return;
  }
  if (request.method === "POST" && url.pathname === "/api/upload") {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const id = await upload(url.searchParams.get("name") ?? "file", Buffer.concat(pieces));
    response.writeHead(200, { ...headers, "content-type": "application/json" }).end(JSON.stringify({ id }));
    return;
  }
  const path = normalize(url.pathname === "/" ? "/index.html" : url.pathname);
  try {
    const bytes = await readFile(join(DIST, path));
    response.writeHead(200, { ...headers, "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(bytes);
  } catch {
    response.writeHead(404, headers).end();
  }
}
