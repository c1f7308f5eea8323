// One WebSocket to the daemon that comes back by itself: calls, and the stream of events from its cursor on.
// It knows no noun; what frames mean is the stores' business.
import { LIMITS, type Frame, type Methods, type RpcError } from "../protocol";
import { CallFailure } from "./failure";

/** How the connection is. `refused`: the daemon is there and does not let this page in. */
export type ConnectionState = "connecting" | "connected" | "lost" | "refused";

export interface Receiver {
  state(state: ConnectionState): void;
  /** Events in order, at most one batch for each frame of the screen. */
  frames(frames: readonly Frame[]): void;
  /** The stream did not go on from where it stood: whatever is held must be asked for again. */
  resync(): void;
}

type Waiting = { resolve(value: unknown): void; reject(failure: CallFailure): void };

const RETRY_FIRST_MS = 250;
const RETRY_MOST_MS = 5_000;
/** A tab in the background draws no frames; its events wait no longer than this. */
const BATCH_MOST_MS = 50;

export class Connection {
  private socket: WebSocket | null = null;
  private nextId = 1;
  private readonly waiting = new Map<number, Waiting>();
  private cursor: string | null = null;
  private epoch = "";
  private seq = -1;
  private retryMs = RETRY_FIRST_MS;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private batch: Frame[] = [];
  private batchTimer: ReturnType<typeof setTimeout> | undefined;
  private batchFrame = 0;
  private subscribed = false;

  constructor(
    private readonly url: string,
    private readonly receiver: Receiver,
    private readonly dial: (url: string) => WebSocket = (url) => new WebSocket(url),
    private readonly probe: () => Promise<boolean> = isDaemonThere,
  ) {}

  /** Connects; from here on the connection looks after itself. */
  open(): void {
    clearTimeout(this.retryTimer);
    this.receiver.state("connecting");
    const socket = this.dial(this.url);
    this.socket = socket;
    let wasOpen = false;
    socket.onopen = () => {
      wasOpen = true;
      this.subscribe();
    };
    socket.onmessage = (message) => this.read(String(message.data));
    socket.onclose = () => {
      if (this.socket === socket) void this.closed(wasOpen);
    };
  }

  /** Tries again at once, for a person who does not want to wait. */
  retryNow(): void {
    if (this.socket === null) this.open();
  }

  /** Calls a method; rejects with a `CallFailure`. */
  call<M extends keyof Methods>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["reply"]> {
    const socket = this.socket;
    if (!socket || socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new CallFailure("connection_lost", "the connection to the daemon is lost"));
    }
    const id = this.nextId++;
    const request = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    // What the daemon does not read it cannot answer by its number, so nobody would ever hear of it.
    if (isOver(request, LIMITS.REQUEST_BYTES)) {
      return Promise.reject(new CallFailure("too_large", `the request is over ${LIMITS.REQUEST_BYTES / 2 ** 20} MiB`));
    }
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      socket.send(request);
    });
  }

  private subscribe(): void {
    const since = this.cursor;
    this.subscribed = false;
    this.call("events.subscribe", since === null ? {} : { since }).then(
      (reply) => {
        this.retryMs = RETRY_FIRST_MS;
        if (!this.subscribed) this.standAt(reply.cursor);
        this.receiver.state("connected");
        if (since === null) this.receiver.resync();
      },
      () => this.socket?.close(),
    );
  }

  /** Without a cursor the stream begins where the daemon says it stands; with one, what is replayed moves it on. */
  private standAt(cursor: string): void {
    this.subscribed = true;
    if (this.cursor === null) this.cursor = cursor;
  }

  private read(line: string): void {
    const message = JSON.parse(line) as {
      id?: number;
      result?: unknown;
      error?: RpcError;
      method?: string;
      params?: Frame;
    };
    if (message.method === "event" && message.params) this.frame(message.params);
    if (message.id === undefined) return;
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) waiting?.reject(CallFailure.of(message.error));
    else waiting?.resolve(message.result);
  }

  private frame(frame: Frame): void {
    switch (frame.type) {
      case "subscribed":
        this.standAt(frame.cursor);
        return;
      case "heartbeat":
        return;
      case "resync":
        this.flush();
        this.moveTo(frame);
        this.receiver.resync();
        return;
      case "dropped":
        this.flush();
        this.moveTo(frame);
        this.receiver.resync();
        return;
      default:
    }
    if (frame.epoch === this.epoch && frame.seq <= this.seq) return;
    this.moveTo(frame);
    this.batch.push(frame);
    if (this.batch.length === 1) {
      this.batchFrame = requestAnimationFrame(() => this.flush());
      this.batchTimer = setTimeout(() => this.flush(), BATCH_MOST_MS);
    }
  }

  private moveTo(frame: Frame): void {
    this.epoch = frame.epoch;
    this.seq = frame.seq;
    this.cursor = `${frame.epoch}:${frame.seq}`;
  }

  private flush(): void {
    cancelAnimationFrame(this.batchFrame);
    clearTimeout(this.batchTimer);
    const frames = this.batch;
    this.batch = [];
    if (frames.length > 0) this.receiver.frames(frames);
  }

  private async closed(wasOpen: boolean): Promise<void> {
    this.socket = null;
    this.flush();
    for (const waiting of this.waiting.values()) {
      waiting.reject(new CallFailure("connection_lost", "the connection to the daemon was lost before it answered"));
    }
    this.waiting.clear();
    this.retryTimer = setTimeout(() => this.open(), this.retryMs);
    this.retryMs = Math.min(this.retryMs * 2, RETRY_MOST_MS);
    // A socket that was refused before it opened looks the same as no daemon; only asking tells them apart.
    const refused = !wasOpen && (await this.probe());
    if (this.socket === null) this.receiver.state(refused ? "refused" : "lost");
  }
}

/** Returns whether a text has more bytes than this in UTF-8; short ones need no counting. */
function isOver(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes;
}

async function isDaemonThere(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
