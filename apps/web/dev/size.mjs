// What a first visit loads, compressed; it fails when that outgrows its limit.
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

const FIRST_LOAD_BYTES = 150_000;
const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

const manifest = JSON.parse(readFileSync(join(DIST, "manifest.json"), "utf8"));
const files = new Set(["index.html", "favicon.svg"]);
const add = (key) => {
  const chunk = manifest[key];
  if (files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const file of [...(chunk.css ?? []), ...(chunk.assets ?? [])]) files.add(file);
  for (const other of chunk.imports ?? []) add(other);
};
add("index.html");

let gzip = 0;
let brotli = 0;
for (const file of files) {
  const bytes = readFileSync(join(DIST, file));
  gzip += gzipSync(bytes, { level: 9 }).length;
  brotli += brotliCompressSync(bytes).length;
}
console.log(`first load: ${files.size} files, ${gzip} bytes with gzip, ${brotli} with brotli (limit ${FIRST_LOAD_BYTES})`);
if (gzip > FIRST_LOAD_BYTES) process.exit(1);
