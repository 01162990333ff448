import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../src/log.ts";
import type { Modules } from "../src/modules/open-modules.ts";
import { startDaemon } from "../src/serve.ts";
import { modulesOn } from "../test/support/modules.ts";
import type { World } from "./world.ts";

const kept = [
  "dayferry.sqlite",
  "dayferry.sqlite-wal",
  "feed-key",
  "admin-token",
  "mail-key",
  "inbox",
  "mail",
];

/** One run of the daemon, from its start to its end or crash. */
export class Life {
  readonly modules: Modules;
  readonly dataDir: string;
  readonly #world: World;
  readonly #stop = new AbortController();
  #done: Promise<void> = Promise.resolve();
  #port = 0;
  #isDead = false;

  constructor(world: World, dataDir: string) {
    this.#world = world;
    this.dataDir = dataDir;
    const { time, chance } = world;
    this.modules = modulesOn(world.sandbox, {
      folder: this.dataDir,
      clock: time.clock,
      monotonic: time.monotonic,
      random: () => chance.next(),
      log: this.#log(),
      config: {
        service: { quota: { requests: 25, per: "PT10S" } },
        polling: { share: world.settings.share, comments: false, history: false, files: false },
        edits: {
          ...world.settings.edits,
          inbox: this.inbox,
          subscriptions: subscriptionsOf(world),
        },
        backups: { enabled: false },
        feeds: { past: "P50Y", future: "P50Y", completed: "P50Y" },
        http: { port: 0, publicUrl: "https://calendars.example.com" },
      },
    });
  }

  /** Files put here are edits. */
  get inbox(): string {
    return join(this.dataDir, "inbox");
  }

  /** The mails it has sent: hashes of their Message-IDs, which are the file names. */
  get mails(): readonly string[] {
    const folder = join(this.dataDir, "mail");
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names.filter((name) => name.endsWith(".eml")).map((name) => name.replace(/^.*-/, ""));
  }

  get port(): number {
    return this.#port;
  }

  /** True if edits are to be delivered or awaited. */
  get isAtWork(): boolean {
    const { journal, unanswered } = this.modules.store;
    const { pending = 0, claimed = 0 } = journal.counts();
    return pending + claimed > 0 || unanswered.nextLookAt() !== null;
  }

  /** True if each list was read since then, on the virtual clock. */
  hasReadSince(ms: number): boolean {
    const { clock, monotonic } = this.#world.time;
    const since = clock().subtract({ milliseconds: Math.round(monotonic() - ms) });
    return this.modules.store.sources
      .all()
      .every(({ attemptedAt: at }) => at !== null && Temporal.Instant.compare(at, since) >= 0);
  }

  async start(): Promise<void> {
    const { url, done } = await startDaemon({
      config: this.modules.config,
      modules: this.modules,
      version: "0.0.0",
      signal: this.#stop.signal,
      loopDelay: { read: () => ({ p50Ms: 0, p99Ms: 0, longestMs: 0, minutes: 0 }), turnOver() {} },
    });
    this.#port = Number(new URL(url).port);
    this.#done = done;
  }

  /** Copies what would be on the disk if the process died now, and hides anything it does from now on. */
  die(dataDir: string): void {
    this.#isDead = true;
    copyFiles(this.dataDir, dataDir);
  }

  /** Resolves once everything is closed. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  #log(): Log {
    const note =
      (level: string) =>
      (event: string, fields: object = {}) => {
        if (!this.#isDead && !this.#stop.signal.aborted)
          this.#world.note(level, `${event} ${JSON.stringify(fields, errorText)}`);
      };
    const log: Log = {
      debug: () => undefined,
      info: note("log"),
      warn: note("warning"),
      error: note("error"),
      child: () => log,
    };
    return log;
  }
}

/** The name of the subscribed calendar. */
export const subscribed = "Elsewhere";

/** An external calendar from which everything is accepted. */
const subscriptionsOf = ({ calendarUrl: url, sandbox }: World) => {
  const project = sandbox.workspace.places()[0]?.project;
  const how = { every: "PT1M", new: "create", gone: "delete", allowPrivate: true } as const;
  return url === null ? [] : [{ name: subscribed, url, project, ...how }];
};

function copyFiles(from: string, to: string): void {
  for (const name of kept) {
    if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name), { recursive: true });
  }
}

/** Errors have no enumerable fields. */
const errorText = (_key: string, value: unknown): unknown =>
  value instanceof Error ? value.message : value;
