// Looks at one pane: a WebSocket of its own, over which the daemon draws it. It comes back by itself, and is drawn anew then.
import type { ExitStatus, PaneSize, RpcError } from "../protocol";

/** What is drawn on. */
export interface Screen {
  /** The pane has this size from here on. */
  size(size: PaneSize): void;
  /** Everything, for a screen without anything on it. */
  draw(bytes: Uint8Array, done: () => void): void;
  write(bytes: Uint8Array, done: () => void): void;
  ended(status: ExitStatus): void;
  /** Whether the daemon is heard. */
  contact(isThere: boolean): void;
}

/** The first byte of a message says what the rest is. */
const OUTPUT = 0;
const SNAPSHOT = 1;
const SIZE = 2;
const ENDED = 3;
const CLOSED = 4;

/** Well below what one call takes. */
const PIECE_BYTES = 32 << 10;

const RETRY_FIRST_MS = 250;
const RETRY_MOST_MS = 5_000;
/** More than this undrawn, and the pane is let go and drawn anew later: a browser keeps whatever is sent to it. */
const UNDRAWN_MOST_BYTES = 8 << 20;

export class Viewer {
  private socket: WebSocket | null = null;
  private retryMs = RETRY_FIRST_MS;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private undrawn = 0;
  private isDone = false;

  constructor(
    private readonly url: string,
    private readonly surface: number,
    private readonly screen: Screen,
    private readonly dial: (url: string) => WebSocket = (url) => new WebSocket(url),
  ) {}

  open(): void {
    const socket = this.dial(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      const params = { surface: String(this.surface) };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "surface.snapshot", params }));
    };
    socket.onmessage = ({ data }) => {
      if (this.socket !== socket) return;
      if (typeof data === "string") this.reply(JSON.parse(data) as { error?: RpcError });
      else this.frame(new Uint8Array(data as ArrayBuffer));
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.screen.contact(false);
      this.again();
    };
  }

  close(): void {
    this.isDone = true;
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  private reply({ error }: { error?: RpcError }): void {
    if (!error) {
      this.retryMs = RETRY_FIRST_MS;
      this.screen.contact(true);
      return;
    }
    // A pane that is gone leaves the page by its own event.
    if (error.data?.kind === "not_found") this.close();
    else this.socket?.close();
  }

  private frame(message: Uint8Array): void {
    const bytes = message.subarray(1);
    switch (message[0]) {
      case OUTPUT:
        this.screen.write(bytes, this.drawn(bytes.length));
        break;
      case SNAPSHOT:
        this.screen.draw(bytes, this.drawn(bytes.length));
        break;
      case SIZE: {
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        this.screen.size({ columns: view.getUint16(0, true), rows: view.getUint16(2, true) });
        break;
      }
      case ENDED:
        this.screen.ended(JSON.parse(new TextDecoder().decode(bytes)) as ExitStatus);
        break;
      case CLOSED:
        this.close();
        break;
      default:
      // A newer daemon may tell more.
    }
  }

  /** Counts what waits to be drawn; returns what to call once it is. */
  private drawn(length: number): () => void {
    this.undrawn += length;
    if (this.undrawn > UNDRAWN_MOST_BYTES) {
      const socket = this.socket;
      this.socket = null;
      socket?.close();
    }
    return () => {
      this.undrawn -= length;
      if (this.undrawn === 0 && this.socket === null && !this.isDone && this.timer === undefined) this.open();
    };
  }

  private again(): void {
    this.socket = null;
    if (this.isDone) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.open();
    }, this.retryMs);
    this.retryMs = Math.min(this.retryMs * 2, RETRY_MOST_MS);
  }
}

/** Gives a pane its keys in their order: calls are answered side by side, so one is on its way at a time, with all that was typed since. */
export class Typist {
  private waiting: Uint8Array[] = [];
  private isSending = false;

  constructor(
    private readonly send: (data: string) => Promise<unknown>,
    private readonly told: (failure: unknown) => void,
  ) {}

  type(data: string | Uint8Array): void {
    this.waiting.push(typeof data === "string" ? new TextEncoder().encode(data) : data);
    if (!this.isSending) void this.sendAll();
  }

  private async sendAll(): Promise<void> {
    this.isSending = true;
    try {
      while (this.waiting.length > 0) {
        const bytes = joined(this.waiting);
        this.waiting = [];
        for (const piece of piecesOf(bytes, PIECE_BYTES)) await this.send(piece);
        this.told(null);
      }
    } catch (thrown) {
      // What was typed after something that did not arrive would mean something else.
      this.waiting = [];
      this.told(thrown);
    } finally {
      this.isSending = false;
    }
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** Returns bytes in base64, in pieces that one call takes. */
export function piecesOf(bytes: Uint8Array, most: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; from += most) {
    pieces.push(btoa(Array.from(bytes.subarray(from, from + most), (byte) => String.fromCharCode(byte)).join("")));
  }
  return pieces;
}
