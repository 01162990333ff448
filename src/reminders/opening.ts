import { wholeMinutes } from "../domain/when.ts";
import type { Store } from "../store/store.ts";

/** Whether mails may go out yet. */
export type Opening = () => boolean;

export interface OpeningDeps {
  readonly store: Store;
  /** Whether this process has read the whole workspace. */
  readonly swept: () => boolean;
  /** How late a missed reminder may still be sent. */
  readonly catchUp: Temporal.Duration;
  readonly clock: () => Temporal.Instant;
}

/** How long a restarted process waits for its first sweep. */
const patience = Temporal.Duration.from({ minutes: 10 });

/**
 * Nothing is told of a workspace that is known by half: the first time, mails wait until all of it was read. Later a process
 * waits for its own sweep as well, so that nothing is said of what was done while it was down, but not for ever: where
 * the service does not answer, what is known is told.
 */
export function createOpening({ store, swept, catchUp, clock }: OpeningDeps): Opening {
  const startedAt = clock();
  const halved = Temporal.Duration.from({ minutes: Math.floor(wholeMinutes(catchUp) / 2) });
  const wait = Temporal.Duration.compare(halved, patience) < 0 ? halved : patience;
  let opened = store.ledger.openedAt() !== null;
  return () => {
    if (swept()) {
      if (!opened) store.ledger.opened();
      opened = true;
      return true;
    }
    // A clock that was set back must not make it longer.
    const waited = clock().since(startedAt).abs();
    return opened && Temporal.Duration.compare(waited, wait) >= 0;
  };
}
