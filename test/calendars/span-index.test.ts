import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSpanIndex } from "../../src/calendars/span-index.ts";
import { itemKey } from "../../src/domain/ids.ts";
import { anEvent, times } from "../support/items.ts";
import { ann, calendarRig, open } from "./rig.ts";

const day = 24 * 3_600_000;
const at = fc.integer({ min: -400, max: 400 }).map((days) => days * day);
const length = fc.constantFrom(0, 1, day, 9 * day, 10 * day, 11 * day, 300 * day);
const someSpan = fc
  .record({ from: at, length })
  .map(({ from, length: by }) => ({ from, to: from + by }));
const asked = fc.oneof(
  someSpan,
  at.map((from) => ({ from, to: Number.POSITIVE_INFINITY })),
  at.map((to) => ({ from: Number.NEGATIVE_INFINITY, to })),
);

describe("the index of time spans", () => {
  it("returns everything that touches the span or has none, each once", () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(someSpan), { maxLength: 40 }),
        asked,
        fc.nat(40),
        (all, span, gone) => {
          const index = createSpanIndex();
          const objects = all.map((one, nth) => ({ key: itemKey(nth + 1), span: one }));
          for (const object of objects) index.put(object);
          for (const object of objects.slice(0, gone)) index.remove(object);
          const left = objects.slice(gone);
          const found = index.near(span);
          const touching = left.filter(
            ({ span: own }) => !own || (own.from <= span.to && own.to >= span.from),
          );
          expect(new Set(found).size).toBe(found.length);
          expect(left.map(({ key }) => key)).toEqual(expect.arrayContaining([...found]));
          expect(found).toEqual(expect.arrayContaining(touching.map(({ key }) => key)));
        },
      ),
    );
  });

  it("leaves out what is months away", () => {
    const index = createSpanIndex();
    for (let nth = 0; nth < 1000; nth++) {
      index.put({ key: itemKey(nth + 1), span: { from: nth * day, to: nth * day + 1 } });
    }
    expect(index.near({ from: 500 * day, to: 530 * day }).length).toBeLessThan(70);
  });
});

it("objects near a span follow changes, in the order of the complete list", () => {
  const rig = calendarRig();
  const { put, store, calendars } = rig;
  const calendar = open(rig, "events-2001");
  const inMarch = (nth: number) => times(`2027-03-${10 + nth}T09:00`, `2027-03-${10 + nth}T10:00`);
  const march = {
    from: Temporal.Instant.from("2027-03-01T00:00:00Z").epochMilliseconds,
    to: Temporal.Instant.from("2027-04-01T00:00:00Z").epochMilliseconds,
  };
  const near = () => calendars.objects(calendar, march).map(({ uid }) => uid);
  const [first, second] = [1, 2].map((nth) => put(anEvent(nth, { when: inMarch(nth) })));
  put(anEvent(3, { when: times("2027-09-01T09:00", "2027-09-01T10:00") }));
  if (!first || !second) throw new Error("nothing was put");
  expect(near()).toHaveLength(2);
  put(anEvent(2, { when: times("2027-08-01T09:00", "2027-08-01T10:00") }));
  put(anEvent(3, { when: inMarch(3) }));
  put(anEvent(4, { when: inMarch(4), private: true, creatorId: ann }));
  put(anEvent(5, { when: inMarch(5), private: true, creatorId: null }));
  const all = calendars.objects(calendar).map(({ uid }) => uid);
  const moved = store.mirror.identity(second).uid;
  expect(near()).toEqual(all.filter((uid) => uid !== moved));
  store.mirror.bury(first);
  expect(near()).toHaveLength(2);
});
