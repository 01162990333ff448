import { describe, expect, it } from "vitest";
import { DayShape, newClock } from "../../../src/sync/scheduler/day-shape.ts";

const day = 86_400;
const hour = 3600;

/** A workspace whose sources start sessions at these hours, folded every hour for some days. */
function learned(hoursOf: (source: number, today: number) => readonly number[], days = 10) {
  const shape = new DayShape();
  const clocks = Array.from({ length: 20 }, newClock);
  for (let now = 0; now < days * day; now += hour) {
    const [today, current] = [Math.floor(now / day), (now % day) / hour];
    for (const [source, clock] of clocks.entries()) {
      if (hoursOf(source, today).includes(current)) shape.note(clock, now + 1200);
      shape.fold(clock);
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

  it("takes a usual day for granted where little was seen, from when it begins there", () => {
    const { at } = learned((source, today) =>
      source < 3 ? [14 + ((today * 3 + source) % 6)] : [],
    );
    expect(at(0, 17)).toBeGreaterThan(5 * at(0, 4));
    // Nobody has begun anything at ten in the evening, but days end slowly.
    expect(at(0, 22)).toBeGreaterThan(1.2 * at(0, 4));
  });

  it("stays flat where nobody keeps hours", () => {
    const { at } = learned((source, today) => [(source * 7 + today * 11) % 24]);
    for (let time = 0; time < 24; time += 1) expect(at(0, time)).toBeCloseTo(1, 1);
  });

  it("is flat before a day has passed", () => {
    const shape = new DayShape();
    expect(shape.activity(newClock(), 5 * hour)).toBe(1);
  });

  it("goes on from what was kept", () => {
    const { shape } = learned((source, today) => [9 + ((source + today) % 6)]);
    const again = new DayShape(structuredClone(shape.dump()));
    const [one, other] = [newClock(), newClock()];
    for (const clock of [one, other]) clock.starts[10] = 8;
    shape.fold(one);
    again.fold(other);
    expect(again.activity(other, 10.5 * hour)).toBe(shape.activity(one, 10.5 * hour));
    expect(again.activity(other, 10.5 * hour)).toBeGreaterThan(2);
  });
});
