import type { Result } from "../../domain/result.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import type { Errand, Outcome } from "./errand.ts";
import type { ItemCalls } from "./item-calls.ts";
import { again, waitingFor } from "./settle.ts";

/** So long a refused key is taken for something that passes. */
const patience = Temporal.Duration.from({ hours: 1 });

type Refusal = Extract<Failure, { kind: "refused" }>;

/** Calls that remember the last answer by which the service may have refused their key. */
export interface WatchedCalls {
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
    readonly errand: Errand;
    readonly refusal: Refusal | null;
    readonly probes: readonly (() => Promise<Result<unknown, Failure>>)[];
  },
): Promise<Outcome> {
  const { edit, store, clock, random } = about.errand;
  const refusal = isOfKey(outcome) ? refusalIn(outcome, about.refusal) : null;
  if (!refusal || !(refusal.status === 401 || (await isRefusedWhole(about.probes)))) {
    if (edit.keyRefusedAt) store.journal.keyRefused(edit.id, false);
    return outcome;
  }
  const now = clock();
  const since = edit.keyRefusedAt ?? now;
  store.journal.keyRefused(edit.id, true);
  const until = since.add(patience);
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
