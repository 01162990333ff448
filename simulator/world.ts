import { createHash } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { request as requestOf, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AdmittedRequest, Random, type Reply, type Sandbox } from "@dayferry/sandbox";
import type { ConflictPolicy } from "../src/edits/delivery/attempt.ts";
import { replaceRuntime } from "../src/runtime.ts";
import { testSandbox } from "../test/support/sandbox.ts";
import { Disk } from "./disk.ts";
import { LaggingReads } from "./lagging-reads.ts";
import { Life } from "./life.ts";
import { MemoryNetwork } from "./memory-network.ts";
import { VirtualTime } from "./virtual-time.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const start = Temporal.Instant.from("2027-03-01T09:00Z");
export const latencyMs = 80;
/** Of the service. */
export const quota = { requests: 25, perMs: 10_000 } as const;

/**
 * `trimmed`: without surrounding white space, and single spaces inside; `escaped`: as in HTML; `without descriptions`: these
 * are ignored.
 */
type Spelling = "as sent" | "trimmed" | "escaped" | "without descriptions";

const spellings: Readonly<Record<Spelling, (text: string) => string>> = {
  "as sent": (text) => text,
  trimmed: (text) => text.trim().replaceAll(/ +/g, " "),
  escaped: (text) => text.replaceAll(/&(?!amp;)/g, "&amp;"),
  "without descriptions": (text) => text,
};

/** A body with title and description rewritten as the service does. */
function respelled(body: unknown, spelling: Spelling): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const spell = spellings[spelling];
  const taken = Object.entries(body).filter(
    ([name]) => name !== "description" || spelling !== "without descriptions",
  );
  const fields = taken.map(([name, value]: [string, unknown]) => {
    const isText = typeof value === "string" && (name === "title" || name === "description");
    return [name, isText ? spell(value) : value];
  });
  return Object.fromEntries(fields);
}

/** `share`: fraction of the quota used for polling; `edits`: how edits are handled. */
export interface Settings {
  readonly share: number;
  readonly edits: { readonly conflicts: ConflictPolicy; readonly mode: "apply" | "review" };
}

export const settingsFrom = (random: Random): Settings => ({
  share: random.pick([0.2, 0.4]),
  edits: {
    conflicts: random.pick(["ask", "ask", "theirs", "ours"] as const),
    mode: random.chance(0.2) ? "review" : "apply",
  },
});

/**
 * A workspace, the daemon and a network inside one process, on a virtual clock, with all randomness from one seed: the same
 * seed gives the same events. Only one world runs at a time, because it replaces the process's runtime.
 */
export class World {
  readonly time = new VirtualTime(start);
  /** Random numbers for people and faults. */
  random: Random;
  /** Random numbers for the daemon. */
  readonly chance: Random;
  readonly folder = mkdtempSync(join(scratchFolder(), "dayferry-simulation-"));
  /** The operator's choices. */
  settings: Settings;
  /** True if a list was deleted, or somebody sees other projects than before. */
  hasRegrouped = false;
  /** How often a backup was restored. */
  restores = 0;
  /** How the service rewrites texts. */
  readonly spelling: Spelling;
  /** How far the service's clock is ahead, in seconds. */
  skew: number;
  /** How outdated the service's responses may be. */
  readonly reads = new LaggingReads(this.time.monotonic);
  readonly disk = new Disk(this.time.monotonic);
  readonly #network = new MemoryNetwork();
  readonly #trace: string[] = [];
  readonly #hash = createHash("sha256");
  readonly #agent;
  /** By processes that have died. */
  #sandbox: Sandbox | null = null;
  #life: Life | null = null;
  #calendarUrl: string | null = null;
  #lives = 0;
  #process = 0;
  #starting: Promise<void> | null = null;
  #hasLostNotes = false;

  readonly #tellsRequests: boolean;

  /** `requests`: record every request to the service with its response. */
  constructor(seed: number, { requests = false } = {}) {
    this.#tellsRequests = requests;
    this.random = new Random(seed);
    this.chance = new Random(this.random.between(0, 2 ** 31));
    this.skew = this.random.pick([0, 0, 0, 30, -30, 3600, -3600]);
    this.settings = settingsFrom(this.random);
    this.spelling = this.random.pick([
      ...(["as sent", "as sent", "as sent", "trimmed", "escaped"] as const),
      "without descriptions",
    ]);
    this.#agent = this.#network.httpAgent({});
  }

  /** Runs `act` with this world in place of the process's clock, timers, randomness and network. */
  async within<Value>(act: () => Promise<Value>): Promise<Value> {
    const { chance } = this;
    const restoreTime = this.time.install();
    const restore = replaceRuntime({
      random: () => chance.next(),
      randomBytes: (size) =>
        Buffer.from(Array.from({ length: size }, () => chance.between(0, 255))),
      randomId: () => uuidOf(chance),
      listen: this.#network.listen,
      httpAgent: this.#network.httpAgent,
      databaseStep: this.disk.step,
    });
    try {
      return await act();
    } finally {
      restore();
      restoreTime();
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  /** `calendar`: serves a calendar that the daemon subscribes to; none by default. */
  async open(calendar?: Server): Promise<void> {
    if (calendar) {
      const port = await this.#network.listen(calendar, { host: "127.0.0.1", port: 0 });
      this.#calendarUrl = `http://127.0.0.1:${port}/calendar.ics`;
    }
    this.#sandbox = await testSandbox({
      clock: () => this.time.clock().add({ seconds: this.skew }),
      quota,
      latencyMs,
      intermediary: {
        arriving: this.reads.arriving,
        rewriting: (body) => respelled(body, this.spelling),
        answering: (request, reply) => this.#told(request, this.reads.answering(request, reply)),
      },
    });
    this.reads.attach(this.#sandbox);
    await this.#begin(this.#nextFolder());
  }

  get sandbox(): Sandbox {
    if (!this.#sandbox) throw new Error("the world is not open");
    return this.#sandbox;
  }

  /** The URL of the external calendar; null for none. */
  get calendarUrl(): string | null {
    return this.#calendarUrl;
  }

  get life(): Life {
    if (!this.#life) throw new Error("no daemon runs");
    return this.#life;
  }

  get trace(): readonly string[] {
    return this.#trace;
  }

  /** Hash of everything that has happened. */
  get hash(): string {
    return this.#hash.copy().digest("hex");
  }

  /** Adds an event to the trace. */
  note(actor: string, event: string): void {
    const line = this.#lineOf(actor, event.replaceAll(this.folder, ""));
    this.#trace.push(line);
    this.#hash.update(`${line}\n`);
  }

  #lineOf(actor: string, event: string): string {
    return `${(this.time.monotonic() / 1000).toFixed(3).padStart(9)} ${actor}: ${event}`;
  }

  /** Requests are not events: the hash is the same with and without them. */
  #told({ method, path, bytes }: AdmittedRequest, reply: Reply): Reply {
    if (!this.#tellsRequests) return reply;
    const [body, answer] = [bytes.toString("utf8"), JSON.stringify(reply.json) ?? ""];
    const line = `${method} ${path} ${body} -> ${reply.status} ${answer}`;
    this.#trace.push(this.#lineOf("  service", line));
    return reply;
  }

  /** True if a process died that could not record what it had sent. */
  get hasLostNotes(): boolean {
    return this.#hasLostNotes;
  }

  /** Violations in the mails that were sent. */
  mailFaults(): readonly string[] {
    const sent = this.life.mails;
    return sent
      .filter((mail, at) => sent.indexOf(mail) !== at)
      .map((mail) => `the mail in the file that ends in ${mail} was sent twice`);
  }

  /** True while the daemon is being started. */
  get isStarting(): boolean {
    return this.#starting !== null;
  }

  /** The daemon's process dies now, and another one continues from the files as they are. */
  crash(): void {
    if (this.isStarting) return;
    const dead = this.life;
    this.note("operator", "kill -9, start");
    this.#repairDisk();
    const folder = this.#nextFolder();
    dead.die(folder);
    this.#network.kill(this.#process);
    // The dead process may be in the middle of something, which it must not be told to finish.
    this.#starting = Promise.resolve().then(async () => {
      this.#background(dead.stop());
      await this.#begin(folder);
      this.#starting = null;
    });
    this.#background(this.#starting);
  }

  /** No daemon is started on a read-only disk. */
  #repairDisk(): void {
    this.#hasLostNotes ||= this.disk.hadTroubleWithin(quota.perMs);
    this.disk.trouble = null;
  }

  /** Stops the daemon, runs `meanwhile` in its data directory, and starts it again. */
  async restart(meanwhile: (dataDir: string) => void = () => undefined): Promise<void> {
    const { dataDir } = this.life;
    this.#repairDisk();
    const restarting = (async () => {
      await this.life.stop();
      meanwhile(dataDir);
      await this.#begin(dataDir);
    })();
    this.#starting = restarting;
    await restarting;
    this.#starting = null;
  }

  async close(): Promise<void> {
    await this.life.stop();
    this.#agent.destroy();
    await this.sandbox.close();
  }

  /** A request to the daemon with the admin token. */
  askAsAdmin({ headers, ...question }: Question): Promise<Answer | null> {
    const token = readFileSync(join(this.life.dataDir, "admin-token"), "utf8").trim();
    return this.ask({ ...question, headers: { authorization: `Bearer ${token}`, ...headers } });
  }

  /** A request to the daemon; null without a response. */
  ask({ method, path, headers = {}, body }: Question): Promise<Answer | null> {
    const { promise, resolve } = Promise.withResolvers<Answer | null>();
    const { port } = this.life;
    const request = requestOf(
      { method, path, port, host: "127.0.0.1", agent: this.#agent, headers },
      (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", () => resolve(null));
        response.on("end", () => {
          const answered = Object.entries(response.headers).map(([name, value]) => [
            name,
            String(value),
          ]);
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(answered),
            text: Buffer.concat(pieces).toString("utf8"),
          });
        });
      },
    );
    request.on("error", () => resolve(null));
    request.end(body);
    return promise;
  }

  /** Lets time pass until `hasEnded`. */
  async run(hasEnded: () => boolean): Promise<void> {
    await this.time.run(hasEnded, () => isBusy());
  }

  /** Lets time pass until this has settled. */
  async until<Value>(work: Promise<Value>): Promise<Value> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    work.then(over, over);
    await this.run(() => isOver);
    return work;
  }

  /** Resolves once `hasEnded`, which is checked four times a second. */
  async waitFor(hasEnded: () => boolean): Promise<void> {
    while (!hasEnded()) await new Promise<void>((resolve) => this.time.after(250, resolve));
  }

  #nextFolder(): string {
    this.#lives += 1;
    const folder = join(this.folder, String(this.#lives));
    mkdirSync(folder);
    return folder;
  }

  async #begin(dataDir: string): Promise<void> {
    this.#process = this.#network.nextProcess();
    const life = new Life(this, dataDir);
    this.#life = life;
    await life.start();
  }

  #background(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.note("end", String(error)));
  }
}

/** Modules being loaded, according to Node. */
let loading = 0;
channel("tracing:module.import:start").subscribe(() => {
  loading += 1;
});
channel("tracing:module.import:asyncEnd").subscribe(() => {
  loading -= 1;
});

/** Work on threads finishes in real time: the clock waits for it. */
const isBusy = (): boolean =>
  loading > 0 ||
  process
    .getActiveResourcesInfo()
    .some((name) =>
      /Req(?:Callback|Promise|Wrap)?$|Request$|^Zlib|^Worker$|^Immediate$/.test(name),
    );

/** In memory if there is room: the simulation, not a disk, decides what survives a crash. */
function scratchFolder(): string {
  const inMemory = "/dev/shm";
  if (!existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize >= 2 ** 29 ? inMemory : tmpdir();
}

function uuidOf(chance: Random): string {
  const hex = Array.from({ length: 32 }, () => chance.between(0, 15).toString(16)).join("");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join("-");
}
