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
    if (request.method === "surface.snapshot") {
      streams.add(view(webSocket, socketPath, line));
      return;
    }
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

/** Looks at a pane: the reply is a line, and frames of a kind, a length and bytes come after it. */
function view(webSocket, socketPath, line) {
  const viewer = connect(socketPath);
  let rest = Buffer.alloc(0);
  let isAnswered = false;
  viewer.on("error", () => webSocket.close()).on("close", () => webSocket.close());
  viewer.write(`${line}\n`);
  viewer.on("data", (data) => {
    rest = Buffer.concat([rest, data]);
    if (!isAnswered) {
      const end = rest.indexOf(10);
      if (end === -1) return;
      webSocket.send(rest.subarray(0, end).toString("utf8"));
      rest = rest.subarray(end + 1);
      isAnswered = true;
    }
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32LE(1)) {
      const length = rest.readUInt32LE(1);
      webSocket.send(Buffer.concat([rest.subarray(0, 1), rest.subarray(5, 5 + length)]));
      rest = rest.subarray(5 + length);
    }
  });
  return viewer;
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
