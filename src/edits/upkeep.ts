import type { Store } from "../store/store.ts";

/** How long ended edits, and versions that a newer one has replaced, are kept. */
const keptFor = Temporal.Duration.from({ hours: 24 * 90 });

/**
 * Forgets what ended long ago, some of it at a step: confirmed, discarded and undone edits, old versions, and mails. Returns how
 * many edits went.
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
