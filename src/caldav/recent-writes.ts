import type { Calendar } from "../calendars/calendar-types.ts";
import { isRecent } from "../domain/backoff.ts";
import type { ItemKey, PersonId } from "../domain/ids.ts";

/** A program of a person. */
interface Writer {
  readonly person: { readonly id: PersonId };
  readonly agent: string;
  readonly clock: () => Temporal.Instant;
}

const most = 1000;

/** What programs recently did with items, to interpret their next request. */
class Recall<What> {
  readonly #length: Temporal.Duration;
  readonly #kept = new Map<string, { readonly at: Temporal.Instant; readonly what: What }>();

  constructor(length: Temporal.Duration) {
    this.#length = length;
  }

  note(item: ItemKey, writer: Writer, what: What): void {
    const name = nameOf(item, writer);
    this.#kept.delete(name);
    this.#kept.set(name, { at: writer.clock(), what });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > most && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Removes and returns the last record for the item and program; null if that is too old. */
  take(item: ItemKey, writer: Writer): What | null {
    const name = nameOf(item, writer);
    const kept = this.#kept.get(name);
    this.#kept.delete(name);
    return kept && isRecent(kept.at, { length: this.#length, now: writer.clock() })
      ? kept.what
      : null;
  }
}

/** Where a calendar object was put. */
interface PutAddress {
  readonly calendar: Calendar;
  readonly name: string;
}

export interface RecentWrites {
  /**
   * When a PUT was refused because the item had changed. The next PUT there without If-Match by the same program replaces that
   * version: its user was asked and chose to overwrite, as in Thunderbird.
   */
  readonly refused: Recall<Temporal.Instant>;
  /**
   * Where a PUT changed the item at its present address, as if the program had an old one. If the program deletes the item
   * there right afterwards, it has moved it.
   */
  readonly putElsewhere: Recall<PutAddress>;
}

export const createRecentWrites = (): RecentWrites => ({
  refused: new Recall(Temporal.Duration.from({ minutes: 10 })),
  putElsewhere: new Recall(Temporal.Duration.from({ seconds: 30 })),
});

const nameOf = (item: ItemKey, { person, agent }: Writer): string =>
  `${item} ${person.id} ${agent}`;
