import { describe, expect, it } from "vitest";
import { Ceiling, ceilingOf, forcedShare, isWithin, shareAhead } from "../src/ceiling.ts";

const maxAge = 825;
const load = (sources: number, pace = 2.25) => ({ sources, pace, maxAge });

describe("ceilingOf()", () => {
  it.each([
    ["a round takes half a minute", 73, maxAge],
    ["a round takes three fifths of it", 1120, maxAge],
    ["a round takes just as long as it may", 1670, maxAge],
    ["a round takes longer", 1671, (4 * 1671) / 2.25],
    ["a round takes 83 minutes", 11_200, (4 * 11_200) / 2.25],
  ])("is %3$d s when %s", (_, sources, seconds) => {
    expect(ceilingOf(load(sources))).toBe(seconds);
  });

  it("is never below the requested age", () => {
    for (let sources = 1; sources < 20_000; sources += 37) {
      for (const pace of [0.1, 0.7, 2.25, 40]) {
        expect(ceilingOf(load(sources, pace))).toBeGreaterThanOrEqual(maxAge);
      }
    }
  });

  it("is infinite when no age was requested", () => {
    expect(ceilingOf({ ...load(11_200), maxAge: Number.POSITIVE_INFINITY })).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});

describe("forcedShare()", () => {
  it("is everything while sources have just reached the ceiling", () => {
    expect(forcedShare(load(1120), 1.05 * maxAge)).toBe(1);
  });

  it("is half, or what it takes to stay below the ceiling, after an outage", () => {
    expect(forcedShare(load(73), 86_400)).toBe(0.5);
    expect(forcedShare(load(1120), 86_400)).toBeCloseTo((1.1 * 1120) / (2.25 * maxAge));
    expect(forcedShare(load(11_200), 86_400)).toBe(0.5);
  });

  it("is enough to come below the ceiling again, and never more than all", () => {
    for (let sources = 1; sources < 20_000; sources += 37) {
      const some = load(sources);
      const needed = sources / (some.pace * ceilingOf(some));
      for (const age of [ceilingOf(some), 2 * ceilingOf(some), 1e7]) {
        const part = forcedShare(some, age);
        expect(part).toBeGreaterThan(needed);
        expect(part).toBeLessThanOrEqual(1);
      }
    }
  });
});

describe("shareAhead()", () => {
  /** Oldest first, evenly spread. */
  const spread = (sources: number, { from, to }: { from: number; to: number }) =>
    Array.from({ length: sources }, (_, nth) => to - ((to - from) * (nth + 0.5)) / sources);

  it.each([
    ["all ages are there", { from: 0, to: maxAge }, 0],
    ["all were just read", { from: 0, to: 10 }, 0],
    ["all are in their last third", { from: 550, to: maxAge }, 1],
    ["none is younger than a third", { from: 275, to: 600 }, 0.604],
    ["all have reached the ceiling", { from: maxAge, to: 2 * maxAge }, 0],
  ])("is right when %s", (_what, ages, share) => {
    expect(shareAhead(load(770), spread(770, ages))).toBeCloseTo(share, 2);
  });
});

it("Ceiling takes no poll when ages are spread, and an even part of them when not", () => {
  const taken = (ages: readonly number[]) => {
    const ceiling = new Ceiling();
    const polls = Array.from({ length: 100 }, () =>
      ceiling.takes({ now: 0, load: load(ages.length), age: ages[0] ?? 0, ages: () => ages }),
    );
    return polls.filter((isTaken) => isTaken).length;
  };
  expect(taken([700, 600, 500, 400, 300, 200, 100, 0])).toBe(0);
  const third = taken(Array.from({ length: 400 }, () => 250));
  expect(third).toBeGreaterThan(27);
  expect(third).toBeLessThan(35);
});

it("isWithin() leaves some polls to what has probably changed", () => {
  expect(isWithin(load(1670))).toBe(true);
  expect(isWithin(load(1671))).toBe(false);
});
