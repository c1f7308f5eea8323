// From a WebSocket to the daemon's Unix socket, so that the page can talk to a real daemon without its HTTP part.
// Test support: no cookie, no token, no check of Origin. The daemon's own HTTP part has all of that.
import { randomUUID } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** Joins one WebSocket to the daemon: calls over one connection, events over another. */
export function bridge(webSocket, socketPath) {
  const calls = connect(socketPath);
  const streams = new Set();
  const close = () => {
    webSocket.close();
    calls.destroy();
    for (const stream of streams) stream.destroy();
  };
  onLines(calls, (line) => webSocket.send(line));
  calls.on("error", close).on("close", close);
  webSocket.on("close", close);
  webSocket.on("message", (data) => {
    const line = String(data);
    const request = JSON.parse(line);
    if (request.method !== "events.subscribe") {
      // An id of `keepUpload` is a path.
      const { uploads, ...params } = request.params ?? {};
      calls.write(`${JSON.stringify(uploads ? { ...request, params: { ...params, attachments: uploads } } : request)}\n`);
      return;
    }
    const stream = connect(socketPath);
    streams.add(stream);
    stream.on("error", close).on("close", close);
    stream.write(`${line}\n`);
    let isFirst = true;
    onLines(stream, (frame) => {
      const parsed = JSON.parse(frame);
      if (isFirst && parsed.type === "subscribed") {
        webSocket.send(JSON.stringify({ jsonrpc: "2.0", id: request.id, result: { cursor: parsed.cursor } }));
      } else if (isFirst) {
        webSocket.send(frame);
      } else webSocket.send(`{"jsonrpc":"2.0","method":"event","params":${frame}}`);
      isFirst = false;
    });
  });
}

/** Keeps an upload and returns its path, which the daemon takes in place of an id. */
export async function keepUpload(name, bytes) {
  const folder = await mkdtemp(join(tmpdir(), "pupitre-upload-"));
  const path = join(folder, basename(name) || randomUUID());
  await writeFile(path, bytes);
  return path;
}

function onLines(socket, take) {
  let pieces = [];
  socket.on("data", (data) => {
    let from = 0;
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, from)) {
      pieces.push(data.subarray(from, end));
      take(Buffer.concat(pieces).toString("utf8"));
      pieces = [];
      from = end + 1;
    }
    if (from < data.length) pieces.push(data.subarray(from));
  });
}
