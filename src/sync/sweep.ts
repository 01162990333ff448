import type { ItemKey } from "../domain/ids.ts";
import { createWake } from "../loop.ts";
import type { DeletionChecks } from "./deletion-checks.ts";
import { progressOf, type SweepProgress } from "./event.ts";
import type { InitialSync } from "./initial-sync.ts";
import type { PolledSource } from "./polled-source.ts";
import type { SubtaskPages } from "./subtask-pages.ts";
import type { SyncContext } from "./sync-context.ts";
import { TurnOrder } from "./turn-order.ts";
import type { Job, WorkerPoolOptions } from "./worker-pool.ts";

export interface SweepOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: SweepProgress) => void;
}

interface SweepDeps extends SyncContext {
  readonly deletionChecks: DeletionChecks;
  readonly initial: InitialSync;
  readonly pages: SubtaskPages;
  /** Polls one source; never rejects. */
  readonly poll: (name: string, signal: AbortSignal) => Promise<void>;
  /** Works until there is nothing more to do. */
  readonly work: (work: Pick<WorkerPoolOptions, "next" | "signal" | "rest">) => Promise<void>;
}

interface Reading extends SweepOptions {
  readonly isDue: (entry: PolledSource) => boolean;
  /** Further sources to be read later in the sweep. */
  readonly later?: () => number;
}

/** How many times a sweep looks up missing items. */
const followUps = 3;
const longestRestMs = 5_000;
/** How soon a sweep checks again whether it has waited long enough for first answers. */
const firstAnswerRestMs = 500;
/** Requests prepared between two time checks: a window's burst takes some 20 ms. */
const begunAtOnce = 4;

/**
 * Reads every source once that the current round has not read yet, retries refused ones, and looks up missing items. If pages
 * of all tasks may save most requests for subtasks, those wait until everything else was read.
 */
export class Sweep {
  readonly #deps: SweepDeps;

  constructor(deps: SweepDeps) {
    this.#deps = deps;
  }

  async run(options: SweepOptions): Promise<void> {
    const { sources, pages } = this.#deps;
    const { signal } = options;
    const start = sources.turn;
    const isDue = (entry: PolledSource) => entry.turn <= start && !sources.isDone(entry);
    const waits = ({ kind }: PolledSource) => kind === "subtasks" && pages.mayHelp();
    await this.#read({
      ...options,
      isDue: (entry) => isDue(entry) && !waits(entry),
      later: () => (pages.mayHelp() ? sources.countOf("subtasks") : 0),
    });
    const probes = pages.probes();
    if (probes.size > 0) {
      await this.#read({ ...options, isDue: (entry) => isDue(entry) && probes.has(entry.name) });
      await pages.read(signal, (jobs) => this.#together(jobs, signal));
    }
    await this.#read({ ...options, isDue });
    await this.#retryRefused(signal);
    await this.#followUp(signal);
  }

  /**
   * A single refusal of a list proves nothing: lists that a project still lacks are polled once more, after one that answers.
   */
  async #retryRefused(signal: AbortSignal): Promise<void> {
    const { sources, initial } = this.#deps;
    const refused = initial.refused();
    const answering = sources.all().find(({ read, failures }) => read && failures === 0);
    if (refused.length === 0 || !answering) return;
    for (const names of [[answering.name], refused.map(({ name }) => name)]) {
      const start = sources.turn;
      const due = new Set(names);
      await this.#read({ signal, isDue: ({ name, turn }) => turn <= start && due.has(name) });
    }
  }

  async #read({ signal, isDue, onProgress, later = () => 0 }: Reading): Promise<void> {
    const { sources, upstream, clock, poll, work } = this.#deps;
    const order = new TurnOrder();
    /** Sources not read since they were due. */
    const left = new Set<string>();
    const moved = createWake();
    const unwatch = sources.watch((name, entry) => {
      if (entry && (isDue(entry) || (entry.underWay && left.has(name)))) left.add(name);
      else left.delete(name);
      // A sweep ignores rest periods.
      if (entry && (entry.underWay || isDue(entry))) order.put({ ...entry, notBefore: null });
      else order.drop(name);
      if (!entry?.underWay) moved.notify();
    });
    const next = (room: number): readonly Job[] =>
      order.next({ now: clock(), room: Math.min(room, begunAtOnce) }).map((name) => async () => {
        await poll(name, signal);
        upstream.gate.setPace({ kind: "sweep", reads: order.size });
        onProgress?.(this.#progress(order.size + later()));
      });
    try {
      await work({ signal, next, rest: () => firstAnswerRestMs });
      // Another reader may be polling the rest, and may have started before this sweep.
      while (left.size > 0 && !signal.aborted) {
        await moved.wait(firstAnswerRestMs, signal);
        await work({ signal, next, rest: () => firstAnswerRestMs });
      }
    } finally {
      unwatch();
    }
  }

  #progress(due: number): SweepProgress {
    const { all } = this.#deps.sources.tally;
    return progressOf({ done: all - due, total: all, gate: this.#deps.upstream.gate.state() });
  }

  /** Runs all of these, as many at once as allowed. */
  async #together(jobs: readonly Job[], signal: AbortSignal): Promise<void> {
    const left = [...jobs];
    const { upstream, work } = this.#deps;
    const next = (room: number): readonly Job[] => {
      upstream.gate.setPace({ kind: "sweep", reads: left.length });
      return left.splice(0, Math.min(room, begunAtOnce));
    };
    await work({ signal, next, rest: () => longestRestMs });
  }

  /** Handles items that a sweep found missing: requests each once, and reads lists again to which one may have moved. */
  async #followUp(signal: AbortSignal): Promise<void> {
    const { sources, deletionChecks, work } = this.#deps;
    const asked = new Set<ItemKey>();
    for (let round = 0; round < followUps && !signal.aborted; round += 1) {
      const next = (room: number): readonly Job[] =>
        deletionChecks.next(room, asked).map((key) => {
          asked.add(key);
          return () => deletionChecks.ask(key, signal);
        });
      await work({ signal, next, rest: () => longestRestMs });
      const { read } = deletionChecks.settle();
      const forbidden = deletionChecks.forbidden();
      if (read.size + forbidden.size === 0) return;
      for (const key of forbidden.keys()) asked.delete(key);
      const due = new Set([...read, ...forbidden.values()]);
      const start = sources.turn;
      await this.#read({ signal, isDue: ({ name, turn }) => turn <= start && due.has(name) });
    }
  }
}
