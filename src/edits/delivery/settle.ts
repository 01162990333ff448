import { type Result, unreachable } from "../../domain/result.ts";
import type { Settlement } from "../../store/journal/journal.ts";
import type { WaitCause } from "../../store/journal/waits.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import type { Attempt, Outcome } from "./attempt.ts";
import type { ItemCalls } from "./item-calls.ts";

/**
 * Holds back a creation that is not in its list while an earlier request for it may still be carried out: what is not
 * there yet may be there a moment later, and would be made twice. It is looked for again in between. Null when it may go.
 */
export function waitForInFlight({ edit, clock, random }: Attempt): Outcome | null {
  const now = clock();
  const { inFlightUntil: until, attempts, createdAt } = edit;
  if (!until || Temporal.Instant.compare(until, now) <= 0) return null;
  const then = until.round({ smallestUnit: "second", roundingMode: "ceil" }).toString();
  const problem = `no answer came to the creation, and it may still be carried out: it is looked for, and not sent again before ${then}`;
  const settlement = again(problem, {
    trial: { attempts, createdAt, now, random },
    retryAfter: null,
  });
  const isLate =
    settlement.kind === "retry" && Temporal.Instant.compare(until, settlement.notBefore) < 0;
  return {
    kind: "settled",
    settlement: isLate ? { ...settlement, notBefore: until } : settlement,
  };
}

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
const waitingFor = (waitsFor: WaitCause, settlement: Settlement): Settlement =>
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

/** So long a refused key is taken for something that passes. */
const keyPatience = Temporal.Duration.from({ hours: 1 });

type Refusal = Extract<Failure, { kind: "refused" }>;

/** Calls that remember the last answer by which the service may have refused their key. */
interface WatchedCalls {
  readonly calls: ItemCalls;
  readonly refusal: () => Refusal | null;
}

export function watchKey(calls: ItemCalls): WatchedCalls {
  let refusal: Refusal | null = null;
  async function seen<Value>(asked: Promise<Result<Value, Failure>>) {
    const answer = await asked;
    if (!answer.ok && mayBeOfKey(answer.failure)) refusal = answer.failure;
    return answer;
  }
  return {
    refusal: () => refusal,
    calls: {
      list: (item) => seen(calls.list(item)),
      get: (spot) => seen(calls.get(spot)),
      create: (item, wish) => seen(calls.create(item, wish)),
      update: (spot, patch) => seen(calls.update(spot, patch)),
      complete: (spot, completed) => seen(calls.complete(spot, completed)),
      delete: (spot) => seen(calls.delete(spot)),
      move: (spot, place) => seen(calls.move(spot, place)),
    },
  };
}

/**
 * How an edit ends whose key may have been refused: that says nothing about the edit, so that it waits for the key, for an
 * hour at most. `probes` read what almost any key may read, as a 403 may also be about the item alone.
 */
export async function waitForKey(
  outcome: Outcome,
  about: {
    readonly attempt: Attempt;
    readonly refusal: Refusal | null;
    readonly probes: readonly (() => Promise<Result<unknown, Failure>>)[];
  },
): Promise<Outcome> {
  const { edit, store, clock, random } = about.attempt;
  const refusal = isOfKey(outcome) ? refusalIn(outcome, about.refusal) : null;
  if (!refusal || !(refusal.status === 401 || (await isRefusedWhole(about.probes)))) {
    if (edit.keyRefusedAt) store.journal.keyRefused(edit.id, false);
    return outcome;
  }
  const now = clock();
  const since = edit.keyRefusedAt ?? now;
  store.journal.keyRefused(edit.id, true);
  const until = since.add(keyPatience);
  const problem = describeFailure(refusal);
  if (Temporal.Instant.compare(until, now) <= 0) {
    const text = `the key has been refused for an hour: ${problem}`;
    return { kind: "settled", settlement: { kind: "park", reason: "refused", problem: text } };
  }
  const end = until.round({ smallestUnit: "second", roundingMode: "ceil" }).toString();
  const text = `the key is refused, which says nothing about the edit: it is tried again until ${end}; ${problem}`;
  const trial = { attempts: edit.attempts, createdAt: since, now, random };
  const settlement = waitingFor("key", again(text, { trial, retryAfter: null }));
  return { kind: "settled", settlement };
}

const mayBeOfKey = (failure: Failure): failure is Refusal =>
  failure.kind === "refused" && (failure.status === 401 || failure.status === 403);

/** Whether the edit would end for good, or wait, for what a refused key explains. */
function isOfKey(outcome: Outcome): boolean {
  if (outcome.kind !== "settled") return outcome.kind === "failed";
  const { settlement } = outcome;
  if (settlement.kind === "retry") return true;
  return settlement.kind === "park" && settlement.reason !== "conflict" && !settlement.frozen;
}

function refusalIn(outcome: Outcome, seen: Refusal | null): Refusal | null {
  if (outcome.kind !== "failed") return seen;
  return mayBeOfKey(outcome.failure) ? outcome.failure : null;
}

async function isRefusedWhole(
  probes: readonly (() => Promise<Result<unknown, Failure>>)[],
): Promise<boolean> {
  for (const probe of probes) {
    const answer = await probe();
    if (answer.ok || !mayBeOfKey(answer.failure)) return false;
  }
  return true;
}
