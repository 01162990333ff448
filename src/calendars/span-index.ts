import type { ItemKey } from "../domain/ids.ts";
import type { CalendarObject, TimeSpan } from "./calendar-types.ts";

type Placed = Pick<CalendarObject, "key" | "span">;

/** Finds what may take place between two times, without looking at everything. */
export interface SpanIndex {
  readonly put: (object: Placed) => void;
  /** Removes an object. */
  readonly remove: (object: Placed) => void;
  /** Everything that touches a span, objects without one, and some nearby, in no order. Either end may be infinite. */
  readonly near: (span: TimeSpan) => readonly ItemKey[];
}

/** Ten days, as a usual query is about a month. */
const bucketMs = 10 * 24 * 3_600_000;

/**
 * Keys by the ten days in which they begin; a sorted index would have to be sorted whenever it is filled. Long objects are
 * rare, and checked in every query.
 */
export function createSpanIndex(): SpanIndex {
  const buckets = new Map<number, Set<ItemKey>>();
  const always = new Set<ItemKey>();

  function bucketOf({ span }: Placed): Set<ItemKey> {
    if (!span || span.to - span.from > bucketMs) return always;
    const number = Math.floor(span.from / bucketMs);
    const bucket = buckets.get(number) ?? new Set();
    buckets.set(number, bucket);
    return bucket;
  }

  return {
    put: (object) => void bucketOf(object).add(object.key),
    remove: (object) => void bucketOf(object).delete(object.key),
    near({ from, to }) {
      const found = [...always];
      for (const [number, keys] of buckets) {
        const begins = number * bucketMs;
        if (begins <= to && begins + 2 * bucketMs >= from) found.push(...keys);
      }
      return found;
    },
  };
}
