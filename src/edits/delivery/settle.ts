import { unreachable } from "../../domain/result.ts";
import type { Settlement } from "../../store/journal/journal.ts";
import type { WaitCause } from "../../store/journal/waits.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";

/** What decides how a failed edit goes on. `attempts`: tries so far, this one included; `random`: 0 up to 1. */
export interface Trial {
  readonly attempts: number;
  readonly createdAt: Temporal.Instant;
  readonly now: Temporal.Instant;
  readonly random: number;
}

const longestWait = Temporal.Duration.from({ minutes: 10 });
/** An outage of minutes must not delay an edit by as many: a pause is short beside what has been waited already. */
const partOfAge = 8;
const leastLongest = 15;
/** An edit that a person gives another chance later gets this many tries, however old it is. */
const fewestTries = 10;
const patience = Temporal.Duration.from({ hours: 24 });

/**
 * How a claimed edit goes on after a failure. What the service has refused waits for a person; everything else is tried
 * again after a growing pause (2, 4, 8 … seconds with jitter, at most an eighth of the edit's age, which is 15 seconds at least
 * and 10 minutes at most, never sooner than the service asks), and waits for a person when a day of tries has not helped.
 */
export function settleFailure(failure: Failure, trial: Trial): Settlement {
  const problem = describeFailure(failure);
  switch (failure.kind) {
    case "refused":
    case "service-refused":
      return { kind: "park", reason: "refused", problem };
    case "aborted":
      return { kind: "retry", notBefore: trial.now, problem, isInterrupted: true };
    case "rate-limited":
    case "unavailable":
      return waitingFor("service", again(problem, { trial, retryAfter: failure.retryAfter }));
    case "unreadable":
    case "unknown-outcome":
      return waitingFor("service", again(problem, { trial, retryAfter: null }));
    default:
      return unreachable(failure);
  }
}

/** Another try that may be made as soon as its cause is gone, whatever its pause. */
export const waitingFor = (waitsFor: WaitCause, settlement: Settlement): Settlement =>
  settlement.kind === "retry" ? { ...settlement, waitsFor } : settlement;

/** How long a claim rests whose try the own disk has cut short. */
const diskRest = Temporal.Duration.from({ seconds: 2 });

/** A try that could not go on because the disk refused what was to be kept: nothing is known against the edit. */
export const cutShort = (
  error: unknown,
  now: Temporal.Instant,
): Extract<Settlement, { readonly kind: "retry" }> => {
  const message = error instanceof Error ? error.message : String(error);
  const problem = `it could not be stored here how far the edit is (${message}); it goes on as soon as that is possible`;
  return { kind: "retry", notBefore: now.add(diskRest), problem, isInterrupted: true };
};

/** Another try after the next pause, or parking when there were enough of them. */
export function again(
  problem: string,
  { trial, retryAfter }: { readonly trial: Trial; readonly retryAfter: Temporal.Duration | null },
): Settlement {
  const { attempts, createdAt, now, random } = trial;
  const isOld = Temporal.Duration.compare(createdAt.until(now), patience) >= 0;
  if (isOld && attempts >= fewestTries) {
    return { kind: "park", reason: "failed", problem: `given up after a day of tries: ${problem}` };
  }
  const part = createdAt.until(now).total("seconds") / partOfAge;
  const longest = Math.min(longestWait.total("seconds"), Math.max(leastLongest, part));
  const seconds = Math.min(2 ** Math.min(attempts, 20), longest) * (0.5 + random / 2);
  const own = Temporal.Duration.from({ milliseconds: Math.round(seconds * 1000) });
  const isLonger = retryAfter && Temporal.Duration.compare(retryAfter, own) > 0;
  return { kind: "retry", notBefore: now.add(isLonger ? retryAfter : own), problem };
}
