import { type HeldTrouble, troubleId } from "../domain/trouble.ts";
import type { Trouble } from "../domain/trouble-kinds.ts";
import type { Store } from "../store/store.ts";
import type { CurrentTroubles, Episode } from "../store/troubles.ts";

/** A trouble that has begun or ended. */
export type TroubleEvent = {
  readonly kind: "begun" | "over";
  readonly trouble: Trouble;
  readonly since: Temporal.Instant;
};

interface TroubleWatchDeps {
  readonly store: Pick<Store, "troubles" | "health">;
  readonly find: () => CurrentTroubles;
  readonly clock: () => Temporal.Instant;
  readonly onEvent: (event: TroubleEvent) => void;
}

/** The single source for current troubles. */
export type TroubleWatch = ReturnType<typeof createTroubleWatch>;

/** How long ended troubles are kept. */
const keptFor = Temporal.Duration.from({ hours: 24 * 90 });

export function createTroubleWatch(deps: TroubleWatchDeps) {
  const { store, find, clock, onEvent } = deps;
  /** Includes what could not be stored because the disk fails. */
  const since = new Map<string, Temporal.Instant>();
  for (const { identity, since: at } of store.troubles.open()) since.set(identity, at);

  const report = (kind: TroubleEvent["kind"], { trouble, since: at }: Episode): void =>
    onEvent({ kind, trouble, since: at });

  return {
    /** Checks, and records what has begun or ended; runs every few seconds. */
    look(): void {
      const current = find();
      const { begun, over } = store.troubles.observe(current);
      if (over.length > 0) store.troubles.forget(clock().subtract(keptFor));
      since.clear();
      for (const episode of store.troubles.open()) since.set(episode.identity, episode.since);
      for (const episode of begun) report("begun", episode);
      for (const episode of over) report("over", episode);
    },
    /** Current troubles, oldest first. */
    held: (): readonly HeldTrouble[] => {
      const now = clock();
      return find()
        .present.map((trouble) => {
          // If a trouble could not be stored, its beginning was not stored either.
          const failing = trouble.kind === "storage-failing" ? store.health.trouble() : null;
          return { trouble, since: failing?.since ?? since.get(troubleId(trouble)) ?? now };
        })
        .toSorted((a, b) => Temporal.Instant.compare(a.since, b.since));
    },
  };
}
