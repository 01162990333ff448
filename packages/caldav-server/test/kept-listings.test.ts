import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CalendarObject } from "../src/backend.ts";
import { createKeptListings } from "../src/properties/kept-listings.ts";

const modifiedAt = Temporal.Instant.from("2026-11-20T00:00:00Z");

function member(key: number, version = 0): CalendarObject {
  const etag = `"${key}-${version}"`;
  const about = { uid: `x-${key}`, component: "VEVENT", name: `${key}.ics`, length: 1 } as const;
  return { key, ...about, etag, modifiedAt, span: null };
}

function counting() {
  const written: string[] = [];
  const write = ({ etag }: CalendarObject) => {
    written.push(etag);
    return `<${etag}>`;
  };
  return { written, write };
}

const members = Array.from({ length: 200 }, (_, nth) => member(nth + 1));
const textOf = (all: readonly CalendarObject[]) => all.map(({ etag }) => `<${etag}>`).join("\n");

describe("texts()", () => {
  it("rewrites only the parts around a changed object", () => {
    const listings = createKeptListings();
    const { written, write } = counting();
    const list = (all: readonly CalendarObject[]) =>
      [...listings.texts({ id: "a", members: all, write })].join("\n");
    expect(list(members)).toBe(textOf(members));
    expect(written).toHaveLength(200);
    expect(list([...members])).toBe(textOf(members));
    expect(written).toHaveLength(200);
    const changed = members.with(99, member(100, 1));
    expect(list(changed)).toBe(textOf(changed));
    expect(written.slice(200)).toContain('"100-1"');
    expect(written.length).toBeLessThanOrEqual(264);
    const without = changed.toSpliced(0, 1);
    expect(list(without)).toBe(textOf(without));
    expect(list([])).toBe("");
  });

  it("gives the same text as without a cache, in any order", () => {
    const present = fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.nat(2)), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("a", "b"), present)),
        fc.nat(4000),
        (lists, budget) => {
          const listings = createKeptListings(budget);
          const known = new Map<string, CalendarObject>();
          for (const [id, keys] of lists) {
            const all = [...new Map(keys)]
              .toSorted(([a], [b]) => a - b)
              .map(([key, version]) => {
                const object = known.get(`${key} ${version}`) ?? member(key, version);
                known.set(`${key} ${version}`, object);
                return object;
              });
            const write = ({ etag }: CalendarObject) => `${id}${etag}`;
            expect([...listings.texts({ id, members: all, write })].join("\n")).toBe(
              all.map(write).join("\n"),
            );
          }
        },
      ),
    );
  });

  it("drops the least recently used listing if there are too many", () => {
    const listings = createKeptListings(textOf(members).length * 2.5);
    const { written, write } = counting();
    const list = (id: string) => [...listings.texts({ id, members, write })];
    for (const id of ["a", "b", "a", "c"]) list(id);
    expect(written).toHaveLength(600);
    list("a");
    expect(written).toHaveLength(600);
    list("b");
    expect(written).toHaveLength(800);
  });
});
