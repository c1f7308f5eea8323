// The line between a browser and the daemon, which a test can cut as a network does: both ends get a reset.
import { connect, createServer } from "node:net";

export class Line {
  #ends = new Set();
  #server;

  constructor(server, port) {
    this.#server = server;
    this.port = port;
  }

  /** Lays a line to a port of this machine. */
  static async to(port) {
    const server = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      for (const [end, other] of [[near, far], [far, near]]) {
        line.#ends.add(end);
        end.on("close", () => {
          line.#ends.delete(end);
          other.destroy();
        });
        // A reset is what this is for, and a daemon that is gone what some tests want.
        end.on("error", () => other.destroy());
        end.pipe(other);
      }
    });
    const line = new Line(server, port);
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return line;
  }

  /** What makes a browser take this line for every connection to the port. */
  get rule() {
    return `MAP 127.0.0.1:${this.port} 127.0.0.1:${this.#server.address().port}`;
  }

  /** Breaks every connection, and returns how many there were. */
  cut() {
    const open = this.#ends.size / 2;
    for (const end of this.#ends) end.resetAndDestroy();
    return open;
  }

  end() {
    this.cut();
    return new Promise((resolve) => this.#server.close(resolve));
  }
}
