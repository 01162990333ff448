import { backOff, equalJitter } from "../../domain/backoff.ts";
import { messageOf, unreachable } from "../../domain/result.ts";
import type { Postponement, WaitCause } from "../../store/journal/claims.ts";
import type { Settlement } from "../../store/journal/endings.ts";
import { isStorageFault } from "../../store/storage-health.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";

/**
 * How a failed try goes on. `attempts`: tries so far, this one included; `random`: 0 up to 1; `retryAfter`: how long the
 * service asks to be left alone, if it does.
 */
export interface Trial {
  readonly attempts: number;
  readonly createdAt: Temporal.Instant;
  readonly now: Temporal.Instant;
  readonly random: number;
  /** Whether the service fails as a whole, which says nothing about the edit: such a try does not count. */
  readonly isOut?: boolean;
  readonly retryAfter?: Temporal.Duration | null;
}

/**
 * How a claimed edit goes on after a failure. What the service has refused waits for a person; everything else is tried
 * again after a growing pause (2, 4, 8 … seconds with jitter, at most an eighth of the edit's age, which is 15 seconds at least
 * and 10 minutes at most, never sooner than the service asks), and waits for a person when a day of tries has not helped. A try during an outage is none of these.
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

/** How long the service is given to show what it has confirmed, before it is read again. */
const settlingPause = Temporal.Duration.from({ seconds: 3 });

/** A retry that may be made as soon as its cause is gone, whatever its pause. */
const waitingFor = (waitsFor: WaitCause, settlement: Settlement): Settlement =>
  settlement.kind === "retry" ? { ...settlement, waitsFor } : settlement;

/** A retry as soon as the key is taken again, however long that takes; tries under a refused key count as far as pauses go. */
export function waitingForKey(problem: string, trial: Trial): Settlement {
  const retry = retryLater(problem, { ...trial, isOut: true });
  return retry.kind === "retry"
    ? { kind: "retry", notBefore: retry.notBefore, problem, waitsFor: "key" }
    : retry;
}

const firstPause = Temporal.Duration.from({ seconds: 2 });
/** An outage of minutes must not delay an edit by as many: a pause is short beside what has been waited already. */
const partOfAge = 8;
const leastCeilingMs = 15_000;
const mostCeilingMs = 600_000;
/**
 * An edit that a person gives another chance later, or that an outage has made old before its first try, gets this many tries
 * however old it is: some two hours of them.
 */
const fewestTries = 20;
const patience = Temporal.Duration.from({ hours: 24 });

/** A retry after the next pause, or parking when there were enough of them. */
export function retryLater(problem: string, trial: Trial): Settlement {
  const { attempts, createdAt, now, random, retryAfter, isOut = false } = trial;
  const age = createdAt.until(now);
  if (!isOut && Temporal.Duration.compare(age, patience) >= 0 && attempts >= fewestTries) {
    return { kind: "park", reason: "failed", problem: `given up after a day of tries: ${problem}` };
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

/** How long a claim rests whose try the own disk has cut short. */
const diskRest = Temporal.Duration.from({ seconds: 2 });

/** A try that could not go on because the disk refused what was to be kept: nothing is known against the edit. */
export function retryAfterDiskFault(error: unknown, now: Temporal.Instant): Postponement {
  const problem = `it could not be stored here how far the edit is (${messageOf(error)}); it goes on as soon as that is possible`;
  return { kind: "retry", notBefore: now.add(diskRest), problem, isInterrupted: true };
}

/** What became of a claim, and how that is stored. */
interface ClaimEnding {
  /** Throws what the store throws. */
  readonly store: () => void;
  /** Stores that `store` has failed for another reason than the disk, which would only come again. */
  readonly giveUp: (error: unknown) => void;
}

/**
 * Claims are leases of a live worker: each belongs to a step that runs, or to an ending that is still to be stored. What the
 * disk refuses is kept here, in its order, and stored before anything else is begun, so that no claim outlives its worker and
 * no answer of the service is lost while there is no room for it.
 */
export class ClaimLeases<Id> {
  readonly #running = new Set<Id>();
  readonly #endings = new Map<Id, ClaimEnding>();
  #notes: (() => void)[] = [];

  begin(id: Id): void {
    this.#running.add(id);
  }

  /** Stores how a claim has ended; where the disk refuses it, throws and keeps it for `catchUp`. */
  end(id: Id, ending: ClaimEnding): void {
    this.#running.delete(id);
    this.#endings.set(id, ending);
    this.#store(id, ending);
  }

  /** Stores something that a running step has learnt, after what waits already; where the disk refuses it, later. */
  keep(note: () => void): void {
    this.#notes.push(note);
    try {
      this.#storeNotes();
    } catch (error) {
      if (!isStorageFault(error)) throw error;
    }
  }

  /** Stores what was kept. Throws what the store throws as long as the disk refuses it. */
  catchUp(): void {
    this.#storeNotes();
    for (const [id, ending] of this.#endings) this.#store(id, ending);
  }

  /** Whether a claim belongs to nobody here: it was made, but never heard of, or its worker is no more. */
  isLost(id: Id): boolean {
    return !this.#running.has(id) && !this.#endings.has(id);
  }

  /** In their order, as a later one may build on an earlier. One that fails by itself would only fail again: it is thrown once. */
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
