import type { PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";

/** How far apart two look-ups have to lie that lack somebody, before they have left: a fault may last for several. */
export const apart = Temporal.Duration.from({ minutes: 5 });

/**
 * Whom the people's look-up lacks, and since when. The service cannot be asked for a single person, so one answer is not
 * believed. Source: service-api.md, which shows no request for people.
 */
export class Leavers {
  readonly #lackedAt = new Map<PersonId, Temporal.Instant>();

  /** Of those whom a complete look-up of this moment lacks, who stays for now; the others have left. */
  staying(missing: readonly Person[], now: Temporal.Instant): readonly Person[] {
    this.#keep(new Set(missing.map(({ id }) => id)));
    return missing.filter(({ id }) => {
      const since = this.#lackedAt.get(id);
      // A clock that was set back would let them wait for as long.
      const isFirst = !since || Temporal.Instant.compare(now, since) < 0;
      if (isFirst) this.#lackedAt.set(id, now);
      return isFirst || Temporal.Duration.compare(since.until(now), apart) < 0;
    });
  }

  /** These have been named, also if by an answer that is not complete. */
  named(people: readonly Person[]): void {
    for (const { id } of people) this.#lackedAt.delete(id);
  }

  /** An answer that lacks nearly everybody is no word about anyone. */
  forget(): void {
    this.#lackedAt.clear();
  }

  #keep(missing: ReadonlySet<PersonId>): void {
    for (const id of this.#lackedAt.keys()) if (!missing.has(id)) this.#lackedAt.delete(id);
  }
}
