import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasWords } from "../../../src/domain/searched-words.ts";
import { anEvent } from "../../support/items.ts";
import { storeRig } from "../rig.ts";

describe("createItemSearch()", () => {
  it("finds items by their present words, newest first, whatever changed before", () => {
    const titles = fc.constantFrom("Plan", "Plan B", "Review plan", "Launch", "plané");
    const step = fc.record({ id: fc.integer({ min: 1, max: 5 }), title: fc.option(titles) });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 20 }),
        fc.constantFrom("plan", "re", "b"),
        (steps, text) => {
          const { store, put } = storeRig();
          const now = new Map<number, string>();
          for (const { id, title } of steps) {
            if (title === null) {
              const key = store.mirror.find("event", anEvent(id).id);
              if (key) store.mirror.bury(key);
              now.delete(id);
            } else now.set(put(anEvent(id, { title })) && id, title);
          }
          const found = [...store.itemSearch.find(text, null)].flat();
          const shown = found.map((key) => store.view.get(key)?.item.title ?? "");
          const expected = [...now.values()].filter((title) => hasWords(title, text));
          expect(shown.toSorted()).toEqual(
            expected.length > 0
              ? expected.toSorted()
              : [...now.values()].filter((title) => title.toLowerCase().includes(text)).toSorted(),
          );
          expect(found).toEqual(found.toSorted((a, b) => b - a));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("reads in small batches", () => {
    const { store, put } = storeRig();
    for (let id = 1; id <= 250; id++) put(anEvent(id, { title: `Item ${id}` }));
    const batches = [...store.itemSearch.find("item", null)].map(({ length }) => length);
    expect(batches.slice(0, 3)).toEqual([100, 100, 50]);
    expect(Math.max(...batches)).toBe(100);
  });
});
