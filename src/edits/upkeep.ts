import type { Store } from "../store/store.ts";

/** How long finished edits and replaced versions are kept. */
const keptFor = Temporal.Duration.from({ hours: 24 * 90 });

/**
 * Deletes old data step by step: confirmed, discarded and undone edits, old versions, and mails. Returns how many edits were
 * deleted.
 */
export function forgetOld({
  store,
  clock,
}: {
  readonly store: Store;
  readonly clock: () => Temporal.Instant;
}): Generator<void, number> {
  return store.pastEdits.prune(clock().subtract(keptFor));
}
