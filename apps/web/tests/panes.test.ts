// What the page does itself about panes: looking at one over a connection that breaks, keys that stay the page's, commands in words.
import { describe, expect, test } from "vitest";
import { wordsOf } from "../src/panes/command";
import { isLeftAlone, paneKey } from "../src/panes/keys";
import { placesOf } from "../src/panes/layout";
import { piecesOf, type Screen, Typist, Viewer } from "../src/panes/viewer";
import { formatRoute, parseRoute } from "../src/stores/route.svelte";

/** The daemon's end of a WebSocket, as the test plays it. */
class Line {
  static made: Line[] = [];
  binaryType = "";
  sent: string[] = [];
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;

  constructor() {
    Line.made.push(this);
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.onclose?.();
  }

  say(kind: number, ...bytes: number[]): void {
    this.onmessage?.({ data: Uint8Array.from([kind, ...bytes]).buffer });
  }
}

class Paper implements Screen {
  readonly told: string[] = [];
  readonly waiting: (() => void)[] = [];
  size = ({ columns, rows }: { columns: number; rows: number }) => void this.told.push(`size ${columns} ${rows}`);
  draw = (bytes: Uint8Array, done: () => void) => this.take("draw", bytes, done);
  write = (bytes: Uint8Array, done: () => void) => this.take("write", bytes, done);
  ended = (status: object) => void this.told.push(`ended ${JSON.stringify(status)}`);
  contact = (isThere: boolean) => void this.told.push(isThere ? "heard" : "lost");

  private take(verb: string, bytes: Uint8Array, done: () => void): void {
    this.told.push(`${verb} ${bytes.length > 99 ? bytes.length : new TextDecoder().decode(bytes)}`);
    this.waiting.push(done);
  }
}

function look() {
  Line.made = [];
  const paper = new Paper();
  const viewer = new Viewer("ws://x/rpc", 7, paper, () => new Line() as unknown as WebSocket);
  viewer.open();
  return { paper, viewer, line: () => Line.made.at(-1) as Line };
}

describe("a viewer", () => {
  test("asks for the pane and passes on what it is told, each by its first byte", () => {
    const { paper, line } = look();
    line().onopen?.();
    expect(JSON.parse(line().sent[0] ?? "")).toMatchObject({ method: "surface.snapshot", params: { surface: "7" } });
    line().onmessage?.({ data: '{"jsonrpc":"2.0","id":1,"result":{}}' });
    line().say(2, 0x2c, 0x01, 24, 0);
    line().say(1, 104, 105);
    line().say(0, 33);
    line().say(9, 1);
    line().say(3, ...new TextEncoder().encode('{"code":3}'));
    expect(paper.told).toEqual(["heard", "size 300 24", "draw hi", "write !", 'ended {"code":3}']);
  });

  test("that draws too slowly lets go, and looks anew once everything is drawn", () => {
    const { paper, line } = look();
    line().say(0, ...new Uint8Array(1_000));
    const large = new Uint8Array((8 << 20) + 1);
    line().onmessage?.({ data: large.buffer });
    expect(Line.made.length).toBe(1);
    paper.waiting[0]?.();
    expect(Line.made.length).toBe(1);
    paper.waiting[1]?.();
    expect(Line.made.length).toBe(2);
  });

  test("of a pane that is closed or gone does not come back", () => {
    const closed = look();
    closed.line().say(4);
    expect(closed.paper.told).toEqual([]);
    const gone = look();
    gone.line().onmessage?.({ data: '{"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"no","data":{"kind":"not_found"}}}' });
    gone.line().onclose?.();
    expect(Line.made.length).toBe(1);
  });
});

test("what is typed goes in pieces that one call takes, byte for byte", () => {
  const pieces = piecesOf(new TextEncoder().encode("é\u0003x"), 2);
  expect(pieces.map((piece) => Array.from(atob(piece), (letter) => letter.charCodeAt(0)))).toEqual([[0xc3, 0xa9], [3, 0x78]]);
});

test("keys arrive in their order, and none after one that did not arrive", async () => {
  const sent: string[] = [];
  const ends: { resolve(value: unknown): void; reject(thrown: unknown): void }[] = [];
  const told: unknown[] = [];
  const typist = new Typist((data) => new Promise((resolve, reject) => (sent.push(atob(data)), ends.push({ resolve, reject }))), (failure) => told.push(failure));
  // sleep: no time passes; what waits for the answer runs before the next task does.
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  for (const key of "abc") typist.type(key);
  expect(sent).toEqual(["a"]);
  ends[0]?.resolve({});
  await settled();
  expect(sent).toEqual(["a", "bc"]);
  typist.type("d");
  ends[1]?.reject("lost");
  await settled();
  expect(told.at(-1)).toBe("lost");
  typist.type("e");
  expect(sent).toEqual(["a", "bc", "e"]);
});

test("Ctrl+Shift and a letter are the page's, everything else is the program's", () => {
  const press = (key: string, more: KeyboardEventInit = { ctrlKey: true, shiftKey: true }) => new KeyboardEvent("keydown", { key, code: /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : key, ...more });
  expect(paneKey(press("M"))).toBe("leave");
  expect(paneKey(press("ArrowLeft"))).toBe("left");
  expect([press("c", { ctrlKey: true }), press("k", { ctrlKey: true }), press("Escape", {}), press("Q")].map(isLeftAlone)).toEqual([false, false, false, false]);
  expect(isLeftAlone(press("V"))).toBe(true);
});

test("a command is taken apart as a person means it", () => {
  expect(wordsOf(`cargo watch -x 'test --all' "a \\"b\\"" c\\ d ''`)).toEqual(["cargo", "watch", "-x", "test --all", 'a "b"', "c d", ""]);
  expect(wordsOf("echo 'open")).toBe(null);
  expect(wordsOf("  ")).toEqual([]);
});

test("every pane and every divider has its place", () => {
  const leaf = (surface: number) => ({ share: 1, layout: { type: "pane" as const, surface } });
  const { panes, dividers } = placesOf({ type: "split", direction: "row", parts: [leaf(1), { share: 3, layout: { type: "split", direction: "column", parts: [leaf(2), leaf(3)] } }] });
  expect(panes).toEqual([
    { surface: 1, left: 0, top: 0, width: 0.25, height: 1 }, { surface: 2, left: 0.25, top: 0, width: 0.75, height: 0.5 }, { surface: 3, left: 0.25, top: 0.5, width: 0.75, height: 0.5 },
  ]);
  expect(dividers.map(({ direction, at, from, length, begin, end }) => [direction, at, from, length, begin, end])).toEqual([["row", 0.25, 0, 1, 0, 1], ["column", 0.5, 0.25, 0.75, 0, 1]]);
});

test("an address leads to a pane and back", () => {
  for (const hash of ["#/panes", "#/panes/4", "#/panes/4/12", "#/fleet"]) expect(formatRoute(parseRoute(hash))).toBe(hash);
  expect(parseRoute("#/panes/x")).toEqual({ place: "panes", workspace: null, pane: null });
});
