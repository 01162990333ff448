import { randomUUID } from "node:crypto";
import type { EventLoopBudget } from "@dayferry/event-loop";
import type { Sandbox, SandboxOptions } from "@dayferry/sandbox";
import { onTestFinished } from "vitest";
import { knownValuesIn } from "../../../src/store/mirror/mirror.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import type { SideOptions } from "../../../src/sync/side-queue.ts";
import { type Scope, type SweepSummary, Sync, type SyncEvent } from "../../../src/sync/sync.ts";
import { createUpstream, type Upstream } from "../../../src/upstream/client.ts";
import { eventually, untilHung } from "../../support/eventually.ts";
import { noGateHistory } from "../../support/gate-history.ts";
import { testSandbox } from "../../support/sandbox.ts";
import { emptyDatabase, migrations } from "../../support/test-store.ts";

const zone = "Europe/Berlin";
const clock = (): Temporal.Instant => Temporal.Now.instant();
const everything: Scope = { projects: "discover", people: [], discoverPeople: true };

/** A daemon's sync half on a real sandbox over HTTP, at fifty times the documented quota. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly store: Store;
  readonly upstream: Upstream;
  readonly sync: Sync;
  readonly events: SyncEvent[];
  /** The owner's id, who sees everything. */
  readonly by: number;
  sweep(): Promise<SweepSummary>;
  /** The sandbox's requests since the last call, as `METHOD path`, without 429s. */
  asked(): readonly string[];
  /** A second process on the same store and service, with the same gate, as its history is kept too. */
  again(changed?: Partial<StageOptions>): Stage;
}

export interface StageOptions extends Partial<SandboxOptions> {
  readonly scope?: Scope;
  readonly maxAge?: Temporal.Duration;
  /** The quota for choosing polls; by default that of the gate. */
  readonly pollQuota?: { readonly requests: number; readonly per: Temporal.Duration };
  /** What else is mirrored; nothing by default. */
  readonly side?: SideOptions;
  readonly file?: string;
  /** A faulty store, for `again`. */
  readonly store?: Store;
  /** By default those of the event loop. */
  readonly eventLoop?: EventLoopBudget;
  /** The daemon's clock; the sandbox has its own in `clock`. */
  readonly now?: () => Temporal.Instant;
}

/** The documented requests in a fiftieth of the documented time. */
const documented = { requests: 25, perMs: 200 };
/** Some sixty lists, most of them of subtasks. */
export const manyLists = { size: "s", counts: { tasks: 80, parents: 0.6 } } as const;
/** For tests that are not about the quota. */
export const roomy = { requests: 200, perMs: 200 };

export async function stage(options: StageOptions = {}): Promise<Stage> {
  const {
    scope: _,
    maxAge: _age,
    now: _now,
    store: _store,
    file,
    side: _side,
    pollQuota: _quota,
    eventLoop: _eventLoop,
    ...wishes
  } = options;
  const sandbox = await testSandbox({ seed: 7, quota: documented, ...wishes });
  onTestFinished(() => sandbox.close());
  const store = openStore({
    file: file ?? emptyDatabase(),
    migrations,
    zone,
    clock: options.now ?? clock,
    randomId: randomUUID,
  });
  onTestFinished(() => store.close());
  const upstream = connect(sandbox, { ...options, store });
  return assemble({ sandbox, store, upstream, options });
}

const quotaOf = ({ quota: { requests, perMs } = documented }: StageOptions) => ({
  requests,
  per: Temporal.Duration.from({ milliseconds: perMs }),
});

function connect(sandbox: Sandbox, options: StageOptions): Upstream {
  const { now = clock, store } = options;
  const upstream = createUpstream({
    baseUrl: sandbox.baseUrl,
    uploadUrl: sandbox.uploadUrl,
    apiKey: ownerOf(sandbox).apiKey,
    keyOf: () => null,
    contact: "test@example.com",
    timeZone: zone,
    quota: quotaOf(options),
    readShare: 1,
    timeout: Temporal.Duration.from({ minutes: 2 }),
    clock: now,
    monotonic: () => performance.now(),
    random: () => 0,
    history: noGateHistory,
    ...(store && { known: knownValuesIn(store) }),
    onEvent: () => undefined,
  });
  onTestFinished(() => upstream.close());
  return upstream;
}

function ownerOf({ keys: [owner] }: Sandbox) {
  if (!owner) throw new Error("the sandbox has no key");
  return owner;
}

function assemble({
  sandbox,
  store,
  upstream,
  options,
}: {
  readonly sandbox: Sandbox;
  readonly store: Store;
  readonly upstream: Upstream;
  readonly options: StageOptions;
}): Stage {
  const events: SyncEvent[] = [];
  const sync = new Sync({
    store,
    upstream,
    scope: options.scope ?? everything,
    clock: options.now ?? clock,
    maxAge: options.maxAge ?? Temporal.Duration.from({ minutes: 15 }),
    quota: options.pollQuota ?? quotaOf(options),
    share: options.pollQuota ? 0.9 : 1,
    ...(options.side && { side: options.side }),
    ...(options.eventLoop && { eventLoop: options.eventLoop }),
    onEvent: (event) => void events.push(event),
  });
  return {
    sandbox,
    store,
    upstream,
    sync,
    events,
    by: ownerOf(sandbox).personId,
    sweep: () => sync.sweep({ signal: untilHung() }),
    asked() {
      const seen = sandbox.requests.entries().map(({ method, path }) => `${method} ${path}`);
      sandbox.requests.clear();
      return seen;
    },
    again: (changed) =>
      assemble({
        sandbox,
        store: changed?.store ?? store,
        upstream,
        options: { ...options, ...changed },
      }),
  };
}

/** Polls until `reached`, then stops it; throws the expectation when that takes too long. */
export async function runUntil(
  { sync }: Pick<Stage, "sync">,
  reached: () => boolean,
): Promise<void> {
  const stop = new AbortController();
  const running = sync.run(stop.signal);
  try {
    await until(reached);
  } finally {
    stop.abort();
    await running;
  }
}

/** Polls a condition. */
export async function until(reached: () => boolean): Promise<void> {
  await eventually(reached.toString(), () => reached() || null);
}
