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
 * Writes that were refused because the item had changed. A PUT without If-Match by the same program soon afterwards replaces the
 * item: its user was asked and chose to overwrite, as in Thunderbird.
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

  /** Whether a write of this item by this program was refused lately. */
  has(item: ItemKey, writer: Writer): boolean {
    const at = this.#at.get(nameOf(item, writer));
    return at !== undefined && isRecent(at, { length: memory, now: writer.clock() });
  }
}

const nameOf = (item: ItemKey, { person, agent }: Writer): string =>
  `${item} ${person.id} ${agent}`;
