import { backOff } from "../../domain/backoff.ts";
import type { PersonId } from "../../domain/ids.ts";
import { timeLimit } from "../../runtime.ts";
import type { WaitingEdit } from "../../store/journal/claims.ts";
import type { Store } from "../../store/store.ts";
import type { Upstream } from "../../upstream/client.ts";

interface EditWakerDeps {
  readonly store: Store;
  readonly upstream: Upstream;
  readonly clock: () => Temporal.Instant;
  /** Waiting edits may be sent. */
  readonly onWoken: (count: number) => void;
  /** The service is up again, or accepts the account's key again: sources resting because of it may be read. */
  readonly onBack: () => void;
}

/** A service that does not respond in time is asked again. */
const probeTimeoutMs = 5000;
/** Keys tried per step. */
const mostKeys = 3;
/** A refused key is tried again after this fraction of the time it has been refused, and after this maximum. */
const keyPart = 0.1;
const longestKeyGapMs = 60_000;
/** More waiting edits are woken by the next steps, as only a few are sent per second anyway. */
const mostWoken = 500;
/** An edit that fails again as soon as it is woken has its own problem, and is woken ever more rarely. */
const gaps = {
  first: Temporal.Duration.from({ seconds: 5 }),
  ceiling: Temporal.Duration.from({ minutes: 10 }),
} as const;
const longestGapMs = gaps.ceiling.total("milliseconds");

/** Sends edits as soon as what they wait for is available. */
export function createEditWaker(deps: EditWakerDeps) {
  const { store, upstream, clock } = deps;
  const woken = new Map<string, { readonly times: number; readonly atMs: number }>();
  /** When waited-for keys were first and last tried, the one tried longest ago first. */
  const tried = new Map<PersonId | null, { readonly sinceMs: number; readonly atMs: number }>();
  let isBack = false;

  const isTooSoon = (waiting: WaitingEdit): boolean => {
    const last = woken.get(nameOf(waiting));
    if (!last) return false;
    return clock().epochMilliseconds - last.atMs < backOff(last.times, gaps).total("milliseconds");
  };

  /** Returns whether any may be sent. */
  function wake(waiting: readonly WaitingEdit[]): boolean {
    const ready = waiting.filter((one) => !isTooSoon(one)).slice(0, mostWoken);
    if (ready.length === 0) return false;
    store.waits.wake(ready);
    const atMs = clock().epochMilliseconds;
    for (const one of ready) {
      const { times = 0 } = woken.get(nameOf(one)) ?? {};
      woken.set(nameOf(one), { times: times + 1, atMs });
    }
    deps.onWoken(ready.length);
    return true;
  }

  function forgetOld(): void {
    const now = clock().epochMilliseconds;
    for (const [name, { atMs }] of woken) if (now - atMs > longestGapMs) woken.delete(name);
    // An edit being tried does not wait, but may wait for the same afterwards.
    for (const [actor, { atMs }] of tried) if (now - atMs > longestGapMs) tried.delete(actor);
  }

  /** Whether the service answers with a person's key or the account's; null if unknown. */
  async function asks(person: PersonId | null, signal: AbortSignal): Promise<boolean | null> {
    const soon = AbortSignal.any([signal, timeLimit(probeTimeoutMs)]);
    const answer = await upstream.labels.list({ priority: "edit", person, signal: soon });
    if (answer.ok) return true;
    return answer.failure.kind === "refused" ? false : null;
  }

  /** Keys never tried come first. */
  function keysToTry(actors: ReadonlySet<PersonId | null>): readonly (PersonId | null)[] {
    const fresh = [...actors].filter((actor) => !tried.has(actor));
    const now = clock().epochMilliseconds;
    const due = [...tried].filter(([actor, { sinceMs, atMs }]) => {
      if (!actors.has(actor)) return false;
      const gapMs = Math.min(longestKeyGapMs, (atMs - sinceMs) * keyPart);
      // A time in the future comes from a clock that was set back.
      return now < atMs || now - atMs >= gapMs;
    });
    return [...fresh, ...due.map(([actor]) => actor)].slice(0, mostKeys);
  }

  async function tryKeys(signal: AbortSignal): Promise<void> {
    const waiting = store.waits.of("key");
    for (const actor of keysToTry(new Set(waiting.map((one) => one.actor)))) {
      const atMs = clock().epochMilliseconds;
      const { sinceMs = atMs } = tried.get(actor) ?? {};
      tried.delete(actor);
      tried.set(actor, { sinceMs: Math.min(sinceMs, atMs), atMs });
      if ((await asks(actor, signal)) !== true) continue;
      if (!wake(waiting.filter((one) => one.actor === actor))) continue;
      tried.delete(actor);
      deps.onBack();
    }
  }

  return {
    /** An outage has ended: the next step wakes waiting edits. Safe anywhere, as it stores nothing. */
    ended(): void {
      isBack = true;
    },
    /** Keys have changed: the next step tries them at once. */
    keysChanged(): void {
      tried.clear();
      woken.clear();
    },
    /** Checks whether the service is up again and accepts keys again, but only while edits wait for that. */
    step: async (signal: AbortSignal): Promise<"idle"> => {
      if (!isBack && upstream.isOut()) await asks(null, signal);
      if (isBack) {
        const waiting = store.waits.of("service");
        wake(waiting);
        // Set only after the store has succeeded.
        isBack = waiting.length > mostWoken;
        deps.onBack();
      }
      if (!upstream.isOut()) await tryKeys(signal);
      forgetOld();
      return "idle";
    },
  };
}

const nameOf = ({ kind, id }: WaitingEdit): string => `${kind} ${id}`;
