import { isRecent } from "../domain/backoff.ts";
import type { ItemKey, PersonId } from "../domain/ids.ts";

/** A program of a person. */
interface Writer {
  readonly person: { readonly id: PersonId };
  readonly agent: string;
  readonly clock: () => Temporal.Instant;
}

/** A program that asks its user what to do after 412 has an answer within this time. */
const memory = Temporal.Duration.from({ minutes: 10 });
const most = 1000;

/**
 * Writes that were refused because the item had changed. The next PUT without If-Match by the same program replaces what the item
 * was then: its user was asked and chose to overwrite, as in Thunderbird.
 */
export class RefusedWrites {
  readonly #at = new Map<string, Temporal.Instant>();

  note(item: ItemKey, writer: Writer): void {
    const name = nameOf(item, writer);
    this.#at.delete(name);
    this.#at.set(name, writer.clock());
    const [oldest] = this.#at.keys();
    if (this.#at.size > most && oldest !== undefined) this.#at.delete(oldest);
  }

  /** When a write of this item by this program was last refused, and forgets it; null if that is long ago. */
  take(item: ItemKey, writer: Writer): Temporal.Instant | null {
    const name = nameOf(item, writer);
    const at = this.#at.get(name);
    this.#at.delete(name);
    return at && isRecent(at, { length: memory, now: writer.clock() }) ? at : null;
  }
}

const nameOf = (item: ItemKey, { person, agent }: Writer): string =>
  `${item} ${person.id} ${agent}`;
