/**
 * Reproducible random numbers: the same seed gives the same numbers. Not for secrets. Source: the mulberry32 generator, public
 * domain.
 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `low` to `high`, both inclusive. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the items; throws for an empty list. */
  pick<T>(items: readonly T[]): T {
    const index = Math.floor(this.next() * items.length);
    const item = items[index];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  }

  /** Up to `count` different items. */
  some<T>(items: readonly T[], count: number): readonly T[] {
    const left = [...items];
    const chosen: T[] = [];
    while (chosen.length < count && left.length > 0) {
      const [item] = left.splice(Math.floor(this.next() * left.length), 1);
      if (item !== undefined) chosen.push(item);
    }
    return chosen;
  }
}
