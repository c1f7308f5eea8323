// Every colour and size that a style asks for is one of the tokens, or set where it is used: an unknown one draws nothing.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => /\.(?:css|svelte|ts)$/.test(name));
const texts = files.map((name) => readFileSync(join("src", name), "utf8")).join("\n");

test("no style asks for what is not there", () => {
  const set = new Set([...texts.matchAll(/(?:style:)?(--[\w-]+)["']?\s*[:=]/g)].map(([, name]) => name));
  const asked = new Set([...texts.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name));
  expect(asked.size).toBeGreaterThan(40);
  expect([...asked].filter((name) => !set.has(name))).toEqual([]);
});
