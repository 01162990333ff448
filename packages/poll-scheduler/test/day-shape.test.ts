import { describe, expect, it } from "vitest";
import { DayShape, newClock } from "../src/day-shape.ts";

const day = 86_400;
const hour = 3600;

/** A workspace whose sources start sessions at these hours, folded every hour for some days. */
function learned(
  hoursOf: (source: number, today: number) => readonly number[],
  {
    days = 10,
    groupOf = () => null,
  }: { readonly days?: number; readonly groupOf?: (source: number) => string | null } = {},
) {
  const shape = new DayShape();
  const clocks = Array.from({ length: 20 }, newClock);
  for (let now = 0; now < days * day; now += hour) {
    const [today, current] = [Math.floor(now / day), (now % day) / hour];
    for (const [source, clock] of clocks.entries()) {
      if (hoursOf(source, today).includes(current)) shape.note(clock, now + 1200);
      shape.fold({ clock, group: groupOf(source) });
    }
    shape.renew(now);
  }
  const at = (source: number, time: number) =>
    shape.activity(clocks[source] ?? newClock(), days * day + time * hour);
  return { shape, at };
}

describe("DayShape", () => {
  it("learns the hours of work, and of those in another time zone", () => {
    const isAbroad = (source: number) => source >= 14;
    const { at } = learned((source, today) => {
      const first = isAbroad(source) ? 16 : 9;
      return [first + ((source + today) % 3), first + 4 + ((source * 3 + today) % 4)];
    });
    expect(at(0, 10)).toBeGreaterThan(4 * at(0, 3));
    expect(at(19, 18)).toBeGreaterThan(4 * at(19, 10));
    expect(at(0, 10)).toBeGreaterThan(4 * at(19, 10));
  });

  it("assumes the hours of the group for a little-known source", () => {
    const isAbroad = (source: number) => source >= 14;
    const { at } = learned(
      (source, today) => {
        if (source === 0 || source === 19) return [];
        const first = isAbroad(source) ? 16 : 9;
        return [first + ((source + today) % 3), first + 4 + ((source * 3 + today) % 4)];
      },
      { groupOf: (source) => (isAbroad(source) ? "abroad" : "here") },
    );
    expect(at(0, 10)).toBeGreaterThan(2 * at(19, 10));
    expect(at(19, 20)).toBeGreaterThan(2 * at(0, 20));
  });

  it("assumes nothing from groups whose sources keep different hours", () => {
    const isAbroad = (source: number) => source >= 14;
    const hoursOf = (source: number, today: number) => {
      if (source === 0) return [];
      const first = isAbroad(source) ? 16 : 9;
      return [first + ((source + today) % 3), first + 4 + ((source * 3 + today) % 4)];
    };
    const apart = learned(hoursOf);
    const grouped = learned(hoursOf, { groupOf: (source) => `${Math.min(source, 19 - source)}` });
    for (const time of [4, 10, 20]) {
      expect(grouped.at(0, time) / apart.at(0, time)).toBeCloseTo(1, 1);
    }
  });

  it("learns the idle days of the week, and who works on them anyway", () => {
    const works = (source: number, today: number) => source >= 17 || ![1, 2].includes(today % 7);
    const { at } = learned(
      (source, today) => (works(source, today) ? [9 + ((source + today) % 6)] : []),
      { days: 28 },
    );
    // Day 28 is like day 0: the next two are days off.
    expect(at(0, 11)).toBeGreaterThan(3 * at(0, 24 + 11));
    expect(at(0, 48 + 11) / at(0, 24 + 11)).toBeCloseTo(1, 0);
    expect(at(0, 72 + 11)).toBeGreaterThan(3 * at(0, 48 + 11));
    expect(Math.abs(at(19, 11) / at(19, 24 + 11) - 1)).toBeLessThan(0.2);
  });

  it("treats all days alike when none is idle", () => {
    const { at } = learned((source, today) => [9 + ((source * 5 + today * 3) % 6)], { days: 21 });
    for (let day = 0; day < 7; day += 1) expect(at(0, day * 24 + 11) / at(0, 11)).toBeCloseTo(1, 1);
  });

  it("assumes a usual day when little was seen, from its beginning there", () => {
    const { at } = learned((source, today) =>
      source < 3 ? [14 + ((today * 3 + source) % 6)] : [],
    );
    expect(at(0, 17)).toBeGreaterThan(5 * at(0, 4));
    // Nobody has started anything at ten in the evening, but days end slowly.
    expect(at(0, 22)).toBeGreaterThan(1.2 * at(0, 4));
  });

  it("stays flat when nobody keeps hours", () => {
    const { at } = learned((source, today) => [(source * 7 + today * 11) % 24]);
    for (let time = 0; time < 24; time += 1) expect(Math.abs(at(0, time) - 1)).toBeLessThan(0.08);
  });

  it("is flat before a day has passed", () => {
    const shape = new DayShape();
    expect(shape.activity(newClock(), 5 * hour)).toBe(1);
  });

  it("continues from what was stored", () => {
    const { shape } = learned((source, today) => [9 + ((source + today) % 6)]);
    const again = new DayShape(structuredClone(shape.dump()));
    const [one, other] = [newClock(), newClock()];
    for (const clock of [one, other]) clock.starts[10] = 8;
    shape.fold({ clock: one, group: null });
    again.fold({ clock: other, group: null });
    expect(again.activity(other, 10.5 * hour)).toBe(shape.activity(one, 10.5 * hour));
    expect(again.activity(other, 10.5 * hour)).toBeGreaterThan(2);
  });
});
