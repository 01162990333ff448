import type { Wake } from "../loop.ts";
import type { DeletionChecks } from "./deletion-checks.ts";
import type { Readiness } from "./initial-sync.ts";
import type { PollSchedule } from "./poll-schedule.ts";
import type { SideReader } from "./side-reader.ts";
import type { SyncContext } from "./sync-context.ts";
import type { Job } from "./worker-pool.ts";

interface RequestChooserDeps extends Pick<SyncContext, "upstream" | "clock"> {
  readonly schedule: PollSchedule;
  readonly deletionChecks: DeletionChecks;
  readonly side: SideReader;
  readonly readiness: Readiness;
  readonly wake: Wake;
  /** Polls a source. */
  readonly poll: (name: string, signal: AbortSignal) => Promise<void>;
  /** Called after each poll and each deletion check. */
  readonly onDone: (what: "poll" | "deletion check") => void;
}

/** Concurrent polls after the first burst: enough for the rate limit with answers that take two seconds. */
export const steadyPolls = 6;
/** A side source is read after this many other polls. */
const pollsPerSide = 5;
const longestRestMs = 5_000;
const shortestRestMs = 20;

/** Chooses the next request of a running sync: a poll, a deletion check, or a request for a side source. */
export class RequestChooser {
  readonly #deps: RequestChooserDeps;
  #isRunning = false;
  #placeIsFree = false;
  #awaitsPlace = false;
  #wasDeletionCheck = false;
  #pollsSinceSide = 0;
  /** Lets the running side reading send its next request; null if it does not wait. */
  #continueSide: Job | null = null;
  /** When the next poll may be worthwhile; null if unknown. */
  #nextPollAt: Temporal.Instant | null = null;

  constructor(deps: RequestChooserDeps) {
    this.#deps = deps;
  }

  /** While the sync runs, side readings wait for their turn. */
  setRunning(isRunning: boolean): void {
    this.#isRunning = isRunning;
  }

  /**
   * The next request, chosen as late as possible: once each source was tried, only when nothing else waits to be sent. Deletion
   * checks take at most every second place. Side sources wait until all items were read once, and take one of `pollsPerSide` +
   * 1. `underWay`: number of requests without an answer.
   */
  next(signal: AbortSignal, underWay: number): readonly Job[] {
    if (this.#deps.readiness.isTried && !this.#hasPlace(signal)) return [];
    const check = this.#wasDeletionCheck ? null : this.#deletionCheck(signal);
    this.#wasDeletionCheck = check !== null;
    const job =
      check ??
      (this.#pollsSinceSide < pollsPerSide ? null : this.#sideRequest(signal)) ??
      this.#poll(signal, underWay) ??
      this.#deletionCheck(signal) ??
      this.#sideRequest(signal);
    if (job) this.#placeIsFree = false;
    return job ? [job] : [];
  }

  /** Milliseconds until something may be requested, with a maximum, as brakes and checks change without a notification. */
  restMs(): number {
    if (!this.#nextPollAt) return longestRestMs;
    const ms = this.#nextPollAt.epochMilliseconds - this.#deps.clock().epochMilliseconds;
    return Math.min(longestRestMs, Math.max(shortestRestMs, ms));
  }

  /** Resolves when a side reading may send its next request; at once if the sync does not run. */
  sideTurn(signal: AbortSignal): Promise<void> {
    if (!this.#isRunning || signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const go = (): void => {
      signal.removeEventListener("abort", go);
      resolve();
    };
    signal.addEventListener("abort", go);
    this.#continueSide = () => {
      go();
      return promise;
    };
    this.#deps.wake.notify();
    return promise;
  }

  /** True if a request chosen now would be sent at once; otherwise the loop is woken when it would. */
  #hasPlace(signal: AbortSignal): boolean {
    if (this.#placeIsFree || this.#awaitsPlace) return this.#placeIsFree;
    this.#awaitsPlace = true;
    void this.#deps.upstream.gate.whenReadFits(signal).then(() => {
      this.#awaitsPlace = false;
      this.#placeIsFree = true;
      this.#deps.wake.notify();
    });
    return false;
  }

  #deletionCheck(signal: AbortSignal): Job | null {
    const { deletionChecks, onDone } = this.#deps;
    const [key] = deletionChecks.next(1, null);
    if (key === undefined) return null;
    return async () => {
      await deletionChecks.ask(key, signal);
      onDone("deletion check");
    };
  }

  #sideRequest(signal: AbortSignal): Job | null {
    const { readiness, side } = this.#deps;
    const job = this.#continueSide ?? (readiness.ready ? side.next(signal) : null);
    this.#continueSide = null;
    if (job) this.#pollsSinceSide = 0;
    return job;
  }

  /**
   * Until each source was tried, many polls run at once, but only a few of sources read already, which would delay the others.
   */
  #poll(signal: AbortSignal, underWay: number): Job | null {
    const { schedule, readiness, poll, onDone } = this.#deps;
    const next = schedule.next({ isFirstOnly: !readiness.isTried && underWay >= steadyPolls });
    this.#nextPollAt = next.kind === "wait" ? next.until : null;
    if (next.kind === "wait") return null;
    this.#pollsSinceSide += 1;
    return async () => {
      if (next.kind === "source") await poll(next.name, signal);
      else await next.run(signal);
      onDone("poll");
    };
  }
}
