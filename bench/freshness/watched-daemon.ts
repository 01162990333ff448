import { randomUUID } from "node:crypto";
import { Agent, get } from "node:http";
import { join } from "node:path";
import type { Scheduler } from "@dayferry/poll-scheduler";
import type { Sandbox } from "@dayferry/sandbox";
import Database from "better-sqlite3";
import type { VirtualTime } from "../../simulator/virtual-time.ts";
import type { ServiceId } from "../../src/domain/ids.ts";
import { kindIn } from "../../src/domain/source.ts";
import type { Log } from "../../src/log.ts";
import type { Modules } from "../../src/modules/open-modules.ts";
import { startDaemon } from "../../src/serve.ts";
import { openStore } from "../../src/store/store.ts";
import { KeptBeliefs } from "../../src/sync/kept-beliefs.ts";
import { zone } from "../../test/support/items.ts";
import { modulesOn } from "../../test/support/modules.ts";
import { migrations } from "../../test/support/test-store.ts";
import type { ChangingSource } from "./changing-workspace.ts";

/** One change of the workspace, and when it was found where, in milliseconds; null until then. */
export interface Change {
  readonly item: string;
  readonly source: string;
  readonly project: number;
  /** The item's from then on, and no other's. */
  readonly title: string;
  readonly atMs: number;
  mirrorMs: number | null;
  feedMs: number | null;
}

interface WatchOptions {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly polling: object;
  readonly time: VirtualTime;
  readonly random: () => number;
}

/** How soon a feed is asked again that does not show what the mirror holds, in milliseconds. */
const lookAgainMs = 1000;

/** The layout in which beliefs are kept. */
const beliefForm = 1;

/** How often subscribers fetch every feed: what is read of late matters more to the daemon, so that all of it has to be. */
const subscriberRestMs = 1_800_000;

/** Keeps in the data directory of a daemon that was stopped what was learned of its sources, or of pages, by their names. */
export function keepBeliefs(
  scheduler: Scheduler,
  {
    dataDir,
    clock,
    names,
  }: {
    readonly dataDir: string;
    readonly clock: () => Temporal.Instant;
    readonly names: readonly string[];
  },
): void {
  const file = join(dataDir, "dayferry.sqlite");
  const store = openStore({ file, migrations, zone, clock, randomId: randomUUID });
  const kept = new KeptBeliefs(store);
  for (const name of names) kept.note(name);
  const now = clock().epochMilliseconds / 1000;
  kept.save(scheduler, { now, isLast: true });
  // What was never seen to change is kept without numbers, as its last poll says the same; nobody has polled it here.
  const rows = names.flatMap((name) => {
    const { belief, clock: hours } = scheduler.dumpOf(name) ?? {};
    const row = store.beliefs.get(name, beliefForm);
    if (!row || !belief || !hours) return [];
    const { starts, shifts, days } = hours;
    const numbers = { odds: belief.odds, hours: Float32Array.of(...starts, ...shifts, ...days) };
    return [{ ...row, ...numbers, polledAt: now }];
  });
  store.beliefs.put(rows, beliefForm);
  store.close();
}

/** Forgets what was learned of all sources. */
export function forgetBeliefs(dataDir: string): void {
  const db = new Database(join(dataDir, "dayferry.sqlite"));
  db.exec("DELETE FROM beliefs; DELETE FROM common_beliefs");
  db.close();
}

/** A whole daemon on a workspace whose changes it is watched finding. */
export class WatchedDaemon {
  readonly changes: Change[];
  /** What the daemon has warned of. */
  readonly warnings: string[] = [];
  readonly #options: WatchOptions;
  #modules: Modules;
  readonly #stop = new AbortController();
  /** A connection a fetch: one that is kept would be closed while time jumps. */
  readonly #agent = new Agent({ keepAlive: false });
  /** Changes that nothing has shown yet, by item. */
  readonly #unseen: Map<string, Change[]>;
  /** Changes of the mirror that no feed has shown yet, by project. */
  readonly #toPublish: Map<number, readonly Change[]>;
  #fetching = 0;
  #subscribers: ReturnType<typeof setInterval> | undefined;
  #url = "";
  #done: Promise<void> = Promise.resolve();

  /** `before`: the daemon that was watched until now, whose changes are still to be found. */
  constructor(options: WatchOptions, before: WatchedDaemon | null) {
    const { sandbox, folder, time, random, polling } = options;
    this.#options = options;
    this.changes = before?.changes ?? [];
    this.#unseen = before ? before.#unseen : new Map();
    this.#toPublish = before ? before.#toPublish : new Map();
    this.#modules = modulesOn(sandbox, {
      folder,
      clock: time.clock,
      monotonic: time.monotonic,
      random,
      log: this.#log(),
      config: {
        service: { quota: { requests: 25, per: "PT10S" } },
        polling,
        http: { port: 0 },
      },
    });
    // A row is told of inside its transaction.
    this.#modules.store.mirror.follow((source, id) =>
      queueMicrotask(() => this.#noteRow(source, id)),
    );
  }

  async start(): Promise<void> {
    const { url, done } = await startDaemon({
      config: this.#modules.config,
      modules: this.#modules,
      version: "0.0.0",
      signal: this.#stop.signal,
    });
    this.#url = url;
    this.#done = done;
    this.#subscribers = setInterval(() => this.#fetchAll(), subscriberRestMs);
  }

  /** Ends it; resolves once everything is closed. */
  stop(): Promise<void> {
    clearInterval(this.#subscribers);
    this.#stop.abort();
    this.#agent.destroy();
    return this.#done;
  }

  get isReady(): boolean {
    return this.#modules.sync.ready;
  }

  /** Requests that have left and are not answered, and fetches of feeds. */
  get underWay(): number {
    return this.#modules.upstream.gate.state().inFlight + this.#fetching;
  }

  /** Warns where the mirror has what nobody has told of: then what is measured is not what is so. */
  checkTold(): void {
    for (const changes of this.#unseen.values()) {
      for (const { source, title } of changes) {
        const items = this.#modules.store.mirror.ofSource(source).map(({ item }) => item.title);
        if (items.includes(title)) this.warnings.push(`not told: ${source} has ${title}`);
      }
    }
  }

  /** Edits one item of a source as somebody in the workspace does. */
  change(source: ChangingSource, nth: number): void {
    const title = `Item [${this.changes.length}]`;
    const id = source.ids[nth % source.ids.length];
    if (id === undefined) throw new Error(`nothing is in ${source.name} that could change`);
    source.edit(id, title);
    const item = `${source.name}/${id}`;
    const change: Change = {
      item,
      source: source.name,
      project: source.project,
      title,
      atMs: this.#options.time.monotonic(),
      mirrorMs: null,
      feedMs: null,
    };
    this.changes.push(change);
    const unseen = this.#unseen.get(item);
    if (unseen) unseen.push(change);
    else this.#unseen.set(item, [change]);
  }

  #log(): Log {
    const note = (event: string, fields: Readonly<Record<string, unknown>> = {}) => {
      const { problem, error, problems } = fields;
      this.warnings.push([event, problem ?? error ?? problems ?? ""].map(String).join(": "));
    };
    const log: Log = {
      debug: () => undefined,
      info: (event, fields = {}) => {
        if (event === "sync failed" || event === "sync fault") note(event, fields);
      },
      warn: note,
      error: note,
      child: () => log,
    };
    return log;
  }

  /** The mirror has an item anew, whose title says which change it is. */
  #noteRow(source: string, id: ServiceId): void {
    const { mirror } = this.#modules.store;
    const key = mirror.find(kindIn(source), id);
    const title = key === null ? null : mirror.get(key)?.item.title;
    const [, mark] = /\[(\d+)\]$/.exec(title ?? "") ?? [];
    const latest = mark === undefined ? undefined : this.changes[Number(mark)];
    if (!latest || latest.mirrorMs !== null) return;
    this.#note(latest);
    this.#look(latest.project);
  }

  #note(latest: Change): void {
    const unseen = this.#unseen.get(latest.item) ?? [];
    // Somebody may have edited the item again after it was read.
    const seen = unseen.splice(0, unseen.indexOf(latest) + 1);
    const toPublish = this.#toPublish.get(latest.project) ?? [];
    this.#toPublish.set(latest.project, [...toPublish, ...seen]);
    for (const change of seen) change.mirrorMs = this.#options.time.monotonic();
  }

  /** Fetches the feed of a project, and again while it lacks what the mirror has. */
  #look(project: number): void {
    this.#fetching += 1;
    this.#fetch(project)
      .then((text) => {
        const toPublish = this.#toPublish.get(project) ?? [];
        // The newest title of an item shows all changes before it.
        const newest = new Map(toPublish.map(({ item, title }) => [item, title]));
        for (const change of toPublish) {
          const isShown = text.includes(newest.get(change.item) ?? change.title);
          if (isShown) change.feedMs = this.#options.time.monotonic();
        }
        const left = toPublish.filter(({ feedMs }) => feedMs === null);
        this.#toPublish.set(project, left);
        if (left.length > 0) setTimeout(() => this.#look(project), lookAgainMs);
      })
      .catch((error: unknown) => {
        this.warnings.push(`feed: ${String(error)}`);
      })
      .finally(() => {
        this.#fetching -= 1;
      });
  }

  #fetchAll(): void {
    for (const { projectId } of this.#modules.feeds.list()) {
      if (projectId === null || this.#stop.signal.aborted) continue;
      this.#fetching += 1;
      this.#fetch(projectId)
        .catch((error: unknown) => {
          this.warnings.push(`feed: ${String(error)}`);
        })
        .finally(() => {
          this.#fetching -= 1;
        });
    }
  }

  /** The feed as a subscriber gets it, with lines unfolded. */
  #fetch(project: number): Promise<string> {
    const path = this.#modules.feeds.list().find(({ projectId }) => projectId === project)?.path;
    return new Promise((resolve, reject) => {
      const request = get(`${this.#url}${path ?? ""}`, { agent: this.#agent }, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", reject);
        response.on("end", () => {
          resolve(
            Buffer.concat(pieces)
              .toString("utf8")
              .replaceAll(/\r\n[ \t]/g, ""),
          );
        });
      });
      request.on("error", reject);
    });
  }
}
