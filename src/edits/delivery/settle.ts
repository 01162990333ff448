import { backOff, equalJitter } from "../../domain/backoff.ts";
import { messageOf, unreachable } from "../../domain/result.ts";
import type { Postponement, WaitCause } from "../../store/journal/claims.ts";
import type { Settlement } from "../../store/journal/endings.ts";
import { isStorageFault } from "../../store/storage-health.ts";
import { stored } from "../../texts/stored.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";

/**
 * Facts about a failed try. `attempts`: tries so far, including this one; `random`: 0 up to 1; `retryAfter`: the wait requested
 * by the service, if any.
 */
export interface Trial {
  readonly attempts: number;
  readonly createdAt: Temporal.Instant;
  readonly now: Temporal.Instant;
  readonly random: number;
  /** True if the service is down, which says nothing about the edit: such a try does not count. */
  readonly isOut?: boolean;
  readonly retryAfter?: Temporal.Duration | null;
}

/**
 * How a claimed edit continues after a failure. What the service refuses waits for a person. Everything else is retried after a
 * growing pause (2, 4, 8 … seconds with jitter, at most an eighth of the edit's age, which counts as at least 15 seconds and at
 * most 10 minutes, never sooner than the service requests), and waits for a person after a day of tries. A try during an outage
 * counts as neither.
 */
export function settleFailure(failure: Failure, trial: Trial): Settlement {
  const problem = describeFailure(failure);
  switch (failure.kind) {
    case "refused":
    case "service-refused":
      return { kind: "park", reason: "refused", problem };
    case "aborted":
      return { kind: "retry", notBefore: trial.now, problem, isInterrupted: true };
    case "outdated":
      return {
        kind: "retry",
        notBefore: trial.now.add(settlingPause),
        problem,
        isInterrupted: true,
      };
    case "rate-limited":
    case "unavailable":
      return waitingFor(
        "service",
        retryLater(problem, { ...trial, retryAfter: failure.retryAfter }),
      );
    case "unreadable":
    case "unknown-outcome":
      return waitingFor("service", retryLater(problem, trial));
    default:
      return unreachable(failure);
  }
}

/** How long to wait before reading again what the service has confirmed. */
const settlingPause = Temporal.Duration.from({ seconds: 3 });

/** A retry as soon as its cause is gone, whatever its pause. */
const waitingFor = (waitsFor: WaitCause, settlement: Settlement): Settlement =>
  settlement.kind === "retry" ? { ...settlement, waitsFor } : settlement;

/** A retry as soon as the key is accepted again, however long that takes. Tries with a refused key only count for pauses. */
export function waitingForKey(problem: string, trial: Trial): Settlement {
  const retry = retryLater(problem, { ...trial, isOut: true });
  return retry.kind === "retry"
    ? { kind: "retry", notBefore: retry.notBefore, problem, waitsFor: "key" }
    : retry;
}

const firstPause = Temporal.Duration.from({ seconds: 2 });
/** A pause is short compared to the time waited, so that an outage of minutes does not delay an edit by as many. */
const partOfAge = 8;
const leastCeilingMs = 15_000;
const mostCeilingMs = 600_000;
/**
 * Minimum number of tries for an edit that a person retries later, or that was old before its first try, over some two hours.
 */
const fewestTries = 20;
const patience = Temporal.Duration.from({ hours: 24 });

/** A retry after the next pause, or parking after enough tries. */
export function retryLater(problem: string, trial: Trial): Settlement {
  const { attempts, createdAt, now, random, retryAfter, isOut = false } = trial;
  const age = createdAt.until(now);
  if (!isOut && Temporal.Duration.compare(age, patience) >= 0 && attempts >= fewestTries) {
    return {
      kind: "park",
      reason: "failed",
      problem: stored("problem.gaveUp", { what: problem }),
    };
  }
  const part = Math.round(age.total("milliseconds") / partOfAge);
  const ceiling = Temporal.Duration.from({
    milliseconds: Math.min(mostCeilingMs, Math.max(leastCeilingMs, part)),
  });
  const own = backOff(attempts, { first: firstPause, ceiling, jitter: equalJitter(random) });
  const isLonger = retryAfter && Temporal.Duration.compare(retryAfter, own) > 0;
  const notBefore = now.add(isLonger ? retryAfter : own);
  return { kind: "retry", notBefore, problem, ...(isOut && { isInterrupted: true }) };
}

/** Delay before retrying an edit after a local disk error. */
const diskRest = Temporal.Duration.from({ seconds: 2 });

/** A try that was interrupted by a local disk error, which says nothing about the edit. */
export function retryAfterDiskFault(error: unknown, now: Temporal.Instant): Postponement {
  const problem = stored("problem.notStored", { reason: messageOf(error) });
  return { kind: "retry", notBefore: now.add(diskRest), problem, isInterrupted: true };
}

/** The result of a claim, and how it is stored. */
interface ClaimEnding {
  /** Throws what the store throws. */
  readonly store: () => void;
  /** Called if `store` failed for another reason than the disk, which would only happen again. */
  readonly giveUp: (error: unknown) => void;
}

/**
 * Claims are leases of a running worker: each belongs to a running step, or to a result that is still to be stored. What the
 * disk refuses is kept here in order, and stored before anything else starts, so that no claim outlives its worker and no
 * answer of the service is lost.
 */
export class ClaimLeases<Id> {
  readonly #running = new Set<Id>();
  readonly #endings = new Map<Id, ClaimEnding>();
  #notes: (() => void)[] = [];

  begin(id: Id): void {
    this.#running.add(id);
  }

  /** Stores the result of a claim. If the disk refuses, throws and keeps it for `catchUp`. */
  end(id: Id, ending: ClaimEnding): void {
    this.#running.delete(id);
    this.#endings.set(id, ending);
    this.#store(id, ending);
  }

  /** Stores a finding of a running step, after what waits already; later if the disk refuses. */
  keep(note: () => void): void {
    this.#notes.push(note);
    try {
      this.#storeNotes();
    } catch (error) {
      if (!isStorageFault(error)) throw error;
    }
  }

  /** Stores what was kept. Throws as long as the disk refuses it. */
  catchUp(): void {
    this.#storeNotes();
    for (const [id, ending] of this.#endings) this.#store(id, ending);
  }

  /** True if no running step and no result belongs to the claim. */
  isLost(id: Id): boolean {
    return !this.#running.has(id) && !this.#endings.has(id);
  }

  /**
   * Stores notes in order, as one may depend on an earlier one. A note that fails for another reason than the disk is dropped,
   * and its error thrown.
   */
  #storeNotes(): void {
    for (let next = this.#notes[0]; next; next = this.#notes[0]) {
      try {
        next();
      } catch (error) {
        if (!isStorageFault(error)) this.#notes = this.#notes.slice(1);
        throw error;
      }
      this.#notes = this.#notes.slice(1);
    }
  }

  #store(id: Id, { store, giveUp }: ClaimEnding): void {
    try {
      store();
    } catch (error) {
      if (isStorageFault(error)) throw error;
      this.#endings.set(id, { store: () => giveUp(error), giveUp });
      giveUp(error);
    }
    this.#endings.delete(id);
  }
}
