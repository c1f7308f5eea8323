// The connection comes back by itself: it resumes from its cursor, and says so when that is impossible.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Frame } from "../src/protocol";
import { Connection, type ConnectionState } from "../src/transport/connection";
import { CallFailure } from "../src/transport/failure";

/** A WebSocket whose other end is the test. */
class Wire {
  static readonly OPEN = 1;
  readonly sent: { id: number; method: string; params: Record<string, unknown> }[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;

  send(line: string): void {
    this.sent.push(JSON.parse(line) as Wire["sent"][number]);
  }

  close(): void {
    this.readyState = 3;
    this.onclose?.();
  }

  accept(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  reply(id: number, result: unknown): void {
    this.onmessage?.({ data: JSON.stringify({ jsonrpc: "2.0", id, result }) });
  }

  fail(id: number, code: number, message: string, kind?: string): void {
    this.onmessage?.({ data: JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(kind ? { data: { kind } } : {}) } }) });
  }

  event(frame: object): void {
    this.onmessage?.({ data: JSON.stringify({ jsonrpc: "2.0", method: "event", params: frame }) });
  }
}

const wires: Wire[] = [];
let states: ConnectionState[] = [];
let frames: Frame[] = [];
let resyncs = 0;

function make(isThere = true): Connection {
  const receiver = { state: (state: ConnectionState) => states.push(state), frames: (batch: readonly Frame[]) => frames.push(...batch), resync: () => (resyncs += 1) };
  const dial = () => {
    const wire = new Wire();
    wires.push(wire);
    return wire as unknown as WebSocket;
  };
  return new Connection("ws://page/rpc", receiver, dial, () => Promise.resolve(isThere));
}

const at = (wire: number) => wires[wire]!;
const log = (seq: number, epoch = "one") => ({ type: "agent:log", agent: "a", number: seq, line: "", stray: false, missed: 0, epoch, seq, ts: seq });

beforeEach(() => {
  vi.useFakeTimers();
  wires.length = 0;
  states = [];
  frames = [];
  resyncs = 0;
  vi.stubGlobal("WebSocket", { OPEN: 1 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Connects and lets the daemon stand at a cursor. */
async function connect(connection: Connection, cursor: string): Promise<void> {
  connection.open();
  const wire = wires.at(-1)!;
  wire.accept();
  wire.reply(wire.sent[0]!.id, { cursor });
  await vi.advanceTimersByTimeAsync(0);
}

describe("the connection", () => {
  test("subscribes from now on, and asks for snapshots once", async () => {
    await connect(make(), "one:7");
    expect(at(0).sent[0]).toMatchObject({ method: "events.subscribe", params: {} });
    expect(states).toEqual(["connecting", "connected"]);
    expect(resyncs).toBe(1);
  });

  test("comes back and resumes from the last event, without new snapshots", async () => {
    const connection = make();
    await connect(connection, "one:7");
    at(0).event(log(8));
    at(0).event(log(9));
    at(0).close();
    await vi.advanceTimersByTimeAsync(300);
    expect(states).toContain("lost");
    at(1).accept();
    expect(at(1).sent[0]?.params).toEqual({ since: "one:9" });
    at(1).event(log(9));
    at(1).event(log(10));
    at(1).reply(at(1).sent[0]!.id, { cursor: "one:9" });
    await vi.advanceTimersByTimeAsync(100);
    expect(frames.map((frame) => frame.seq)).toEqual([8, 9, 10]);
    expect(states.at(-1)).toBe("connected");
    expect(resyncs).toBe(1);
  });

  test("a stream that is idle resumes from where it was subscribed", async () => {
    await connect(make(), "one:7");
    at(0).close();
    await vi.advanceTimersByTimeAsync(300);
    at(1).accept();
    expect(at(1).sent[0]?.params).toEqual({ since: "one:7" });
  });

  test("asks for snapshots again when the daemon says resync or dropped", async () => {
    await connect(make(), "one:7");
    at(0).event({ type: "resync", reason: "epoch_changed", epoch: "two", seq: 3, ts: 1 });
    at(0).event(log(4, "two"));
    at(0).event({ type: "dropped", from: 5, to: 9, kinds: [], epoch: "two", seq: 9, ts: 1 });
    await vi.advanceTimersByTimeAsync(100);
    expect(resyncs).toBe(3);
    expect(frames.map((frame) => frame.seq)).toEqual([4]);
    at(0).close();
    await vi.advanceTimersByTimeAsync(300);
    at(1).accept();
    expect(at(1).sent[0]?.params).toEqual({ since: "two:9" });
  });

  test("tells a daemon that is gone from one that does not let it in", async () => {
    make(false).open();
    at(0).close();
    await vi.advanceTimersByTimeAsync(0);
    expect(states.at(-1)).toBe("lost");
    make(true).open();
    wires.at(-1)!.close();
    await vi.advanceTimersByTimeAsync(0);
    expect(states.at(-1)).toBe("refused");
  });

  test("a call that was not answered fails when the connection breaks; one without a connection fails at once", async () => {
    const connection = make();
    await connect(connection, "one:7");
    const call = connection.call("system.ping", {});
    const outcome = expect(call).rejects.toMatchObject({ kind: "connection_lost" });
    at(0).close();
    await outcome;
    await expect(connection.call("system.ping", {})).rejects.toBeInstanceOf(CallFailure);
  });

  test("an error carries the daemon's sentence and its word", async () => {
    const connection = make();
    await connect(connection, "one:7");
    const call = connection.call("agent.list", {});
    at(0).fail(at(0).sent.at(-1)!.id, -32003, "there is no agent", "not_found");
    await expect(call).rejects.toMatchObject({ kind: "not_found", message: "there is no agent" });
    const other = connection.call("agent.list", {});
    at(0).fail(at(0).sent.at(-1)!.id, -32601, "no such method");
    await expect(other).rejects.toMatchObject({ kind: "unknown_method" });
  });
});

test("a request that the daemon would not read is refused before it is sent", async () => {
  const connection = make();
  await connect(connection, "one:0");
  const sent = at(0).sent.length;
  // Letters of two bytes: fewer than the limit has, and more bytes.
  const failure = await connection.call("chat.send", { agent: "a", text: "é".repeat(600_000) }).catch((thrown: unknown) => thrown);
  expect((failure as CallFailure).kind).toBe("too_large");
  expect(at(0).sent.length).toBe(sent);
  void connection.call("chat.send", { agent: "a", text: "e".repeat(600_000) });
  expect(at(0).sent.length).toBe(sent + 1);
});
