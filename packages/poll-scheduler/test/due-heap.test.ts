import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DueHeap } from "../src/due-heap.ts";

interface Numbered {
  readonly number: number;
  due: number | null;
}

describe("DueHeap", () => {
  it("gives what is due, earliest first, each by its latest time", () => {
    const put = fc.record({ item: fc.nat(9), due: fc.nat(99), gone: fc.boolean() });
    fc.assert(
      fc.property(fc.array(put, { maxLength: 60 }), fc.nat(99), (puts, now) => {
        const heap = new DueHeap<Numbered>();
        const items = Array.from({ length: 10 }, (_, number): Numbered => ({ number, due: null }));
        const dues = new Map<number, number>();
        for (const { item: number, due, gone } of puts) {
          const item = items[number];
          if (!item) continue;
          if (gone) {
            heap.delete(item);
            dues.delete(item.number);
          } else {
            heap.put(item, due);
            dues.set(item.number, due);
          }
        }
        const taken: number[] = [];
        for (let item = heap.take(now); item !== null; item = heap.take(now)) {
          taken.push(dues.get(item.number) ?? Number.NaN);
          dues.delete(item.number);
        }
        expect(taken).toEqual(taken.toSorted((a, b) => a - b));
        expect(taken.every((due) => due <= now)).toBe(true);
        expect(heap.earliest).toBe(Math.min(...dues.values(), Number.POSITIVE_INFINITY));
      }),
    );
  });

  it("is empty after clear()", () => {
    const heap = new DueHeap<Numbered>();
    heap.put({ number: 1, due: null }, 1);
    heap.clear();
    expect(heap.take(9)).toBeNull();
    expect(heap.earliest).toBe(Number.POSITIVE_INFINITY);
  });
});
