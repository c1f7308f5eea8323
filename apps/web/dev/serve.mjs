// `npm run dev -- --socket PATH`: the built page before a running daemon, found as the command line finds it.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bridge, keepUpload } from "./bridge.mjs";
import { servePage } from "./server.mjs";

const { values } = parseArgs({ options: { socket: { type: "string" }, port: { type: "string" } } });
const runtime = process.env.XDG_RUNTIME_DIR;
const socket = values.socket ?? process.env.PUPITRE_SOCKET_PATH ?? (runtime && join(runtime, "pupitre", "pupitre.sock"));
if (!socket) {
  console.error("where is the daemon? give --socket PATH");
  process.exit(2);
}
const page = await servePage({
  port: Number(values.port ?? 0),
  join: (webSocket) => bridge(webSocket, socket),
  upload: keepUpload,
});
console.log(page.url);
