// A real daemon for a test, on a private desk of its own: nothing of the person's is read or written.
import { spawn } from "node:child_process";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Returns the binary that tests drive, or null when there is none. */
export function findBinary() {
  const target = process.env.CARGO_TARGET_DIR ?? join(ROOT, "target");
  const named = process.env.PUPITRE_BIN;
  const places = named ? [named] : [join(target, "debug", "pupitre"), join(target, "release", "pupitre")];
  return places.find((path) => existsSync(path)) ?? null;
}

/** A desk: folders, a configuration, and a daemon that can be started and killed. */
export class Daemon {
  constructor(binary, folder) {
    this.binary = binary;
    this.folder = folder;
    this.child = null;
  }

  static async start(binary, configuration) {
    const folder = await mkdtemp(join(tmpdir(), "pupitre-desk-"));
    for (const name of ["run", "config", "state", "home"]) await mkdir(join(folder, name), { mode: 0o700 });
    const daemon = new Daemon(binary, folder);
    await writeFile(daemon.configPath, configuration(binary, folder));
    await daemon.launch();
    return daemon;
  }

  get configPath() {
    return join(this.folder, "pupitre.toml");
  }

  get socketPath() {
    return join(this.folder, "run", "pupitre", "pupitre.sock");
  }

  /** Calls a method on the socket, as a program outside does. */
  async call(method, params = {}) {
    const socket = connect(this.socketPath);
    try {
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`);
      for await (const line of createInterface({ input: socket })) {
        const { result, error } = JSON.parse(line);
        if (error) throw new Error(`${method}: ${error.message}`);
        return result;
      }
      throw new Error(`${method}: the daemon did not answer`);
    } finally {
      socket.destroy();
    }
  }

  /** Returns an address that lets one browser in, once. */
  async newAddress() {
    return (await this.call("system.page")).url;
  }

  get environment() {
    const { PATH, LANG } = process.env;
    const at = (name) => join(this.folder, name);
    return {
      PATH, LANG, HOME: at("home"), XDG_RUNTIME_DIR: at("run"), XDG_CONFIG_HOME: at("config"), XDG_STATE_HOME: at("state"),
      PUPITRE_CONFIG: this.configPath,
    };
  }

  /** Starts the daemon and waits until it says that it is ready. */
  async launch() {
    const child = spawn(this.binary, ["serve"], { env: this.environment, stdio: ["ignore", "ignore", "pipe"] });
    this.child = child;
    const said = [];
    await new Promise((resolve, reject) => {
      createInterface({ input: child.stderr }).on("line", (line) => {
        said.push(line);
        if (/\bready\b/.test(line)) resolve();
      });
      child.once("exit", (code) => reject(new Error(`the daemon ended with ${code}: ${said.join("\n")}`)));
    });
  }

  /** Kills it as a power cut would. */
  async kill() {
    const child = this.child;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  async end() {
    const child = this.child;
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}
