import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventuallyWithin } from "../../test/support/eventually.ts";

/** Sizes are in MB of 2^20 octets. */
export interface Usage {
  /** Since its start, in hours of its clock. */
  readonly upHours: number;
  readonly residentMB: number;
  /** What a full collection of garbage leaves; null where it was not asked for. */
  readonly heapMB: number | null;
  readonly openFiles: number;
  readonly databaseMB: number;
  readonly walMB: number;
}

const script = fileURLToPath(new URL("./scaled-daemon.ts", import.meta.url));
const preload = fileURLToPath(new URL("./scaled-clock-preload.ts", import.meta.url));
const program = fileURLToPath(new URL("../../src/dayferry.ts", import.meta.url));

/** Real milliseconds after which a request counts as unanswered: no load explains more. */
export const patience = 60_000;

interface About {
  readonly configFile: string;
  readonly dataDir: string;
  /** As `scaledClock` has them. */
  readonly start: string;
  readonly beganMs: number;
  readonly scale: number;
}

/** A daemon on a scaled clock, which is started, ended and killed over and over on one data directory. */
export class SoakDaemon {
  readonly #about: About;
  #child: ChildProcess | null = null;
  #url = "";
  #log = "";
  #startedAt = 0;
  /** Lines of all of them together, by level. */
  readonly logLines = new Map<string, number>();
  /** The same by what they say first. */
  readonly logWords = new Map<string, number>();

  constructor(about: About) {
    this.#about = about;
  }

  get isUp(): boolean {
    return this.#child !== null;
  }

  get dataDir(): string {
    return this.#about.dataDir;
  }

  get url(): string {
    return this.#url;
  }

  async start(): Promise<void> {
    const { configFile, start, beganMs, scale } = this.#about;
    const args = ["--expose-gc", script, configFile, start, String(beganMs), String(scale)];
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: { ...process.env, NODE_NO_WARNINGS: "1" },
    });
    this.#child = child;
    this.#startedAt = Date.now();
    this.#log = "";
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      if (this.#log.length < 1e6) this.#log += chunk;
      for (const [, level = ""] of chunk.matchAll(/"level":"(\w+)"/g)) {
        this.logLines.set(level, (this.logLines.get(level) ?? 0) + 1);
      }
      for (const [, what = ""] of chunk.matchAll(/"msg":"([^"\\]{1,60})/g)) {
        this.logWords.set(what, (this.logWords.get(what) ?? 0) + 1);
      }
    });
    this.#url = await eventuallyWithin(60_000, "the daemon listens", () => {
      if (child.exitCode !== null) {
        throw new Error(`it ended with ${child.exitCode}: ${this.#log}`);
      }
      return /"url":"(http:[^"]+)"/.exec(this.#log)?.[1] ?? null;
    });
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null) return;
    const closed = once(child, "close");
    child.kill(signal);
    await closed;
  }

  ask(path: string, init: RequestInit = {}): Promise<Response> {
    const token = readFileSync(join(this.#about.dataDir, "admin-token"), "utf8").trim();
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${token}`);
    // A connection that is kept would be one to a daemon that was ended.
    headers.set("connection", "close");
    return fetch(`${this.#url}${path}`, {
      ...init,
      headers,
      signal: AbortSignal.timeout(patience),
    });
  }

  /** A command in a process of its own, on the same clock; what it printed where it failed, else null. */
  async command(...args: readonly string[]): Promise<string | null> {
    const { configFile, start, beganMs, scale } = this.#about;
    const child = spawn(
      process.execPath,
      [`--import=${preload}`, program, ...args, "--config", configFile],
      { env: { ...process.env, SOAK_CLOCK: JSON.stringify({ start, beganMs, scale }) } },
    );
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
    });
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    const [code] = await once(child, "close");
    return code === 0 ? null : said;
  }

  async usage({ heap }: { readonly heap: boolean }): Promise<Usage> {
    const { dataDir, scale } = this.#about;
    const size = (name: string) => {
      const path = join(dataDir, name);
      return existsSync(path) ? statSync(path).size / 2 ** 20 : 0;
    };
    const pid = this.#child?.pid;
    const status = pid === undefined ? "" : readFileSync(`/proc/${pid}/status`, "utf8");
    return {
      upHours: pid === undefined ? 0 : round(((Date.now() - this.#startedAt) * scale) / 3_600_000),
      residentMB: round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024),
      openFiles: pid === undefined ? 0 : readdirSync(`/proc/${pid}/fd`).length,
      databaseMB: round(size("dayferry.sqlite")),
      walMB: round(size("dayferry.sqlite-wal")),
      heapMB: heap ? await this.#heap() : null,
    };
  }

  async #heap(): Promise<number | null> {
    const child = this.#child;
    if (!child) return null;
    const told = once(child, "message", { signal: AbortSignal.timeout(20_000) });
    child.send("heap");
    const [octets] = await told;
    return round(Number(octets) / 2 ** 20);
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;
