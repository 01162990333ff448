import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Expectation, earliestReach, pollIndex } from "../src/poll-index.ts";

const steady: Expectation = {
  level: 1e-3,
  excess: 0,
  fade: 1e-3,
  growth: 0,
  weight: 1,
  slope: 0,
  hinted: 0,
  quietFor: 0,
  certainty: 0,
  slot: 0,
};

/** The integral of u x (expected rate at u), numerically. */
function integrated({ level, excess, fade, growth, weight, slope }: Expectation, seconds: number) {
  const step = seconds / 100_000;
  let sum = 0;
  for (let u = step / 2; u < seconds; u += step) {
    sum += u * step * (level * (1 + slope * u) + growth * u + excess * Math.exp(-fade * u));
  }
  return weight * sum;
}

describe("pollIndex()", () => {
  const cases: readonly [string, Partial<Expectation>, number][] = [
    ["a steady rate", {}, 300],
    ["importance", { weight: 7 }, 300],
    ["a session that runs", { excess: 1e-2 }, 300],
    ["a session that runs, after a moment", { excess: 1e-2 }, 0.5],
    ["a source just found quiet", { excess: -1e-3 }, 300],
    ["a day that begins", { slope: 1e-4 }, 1800],
    ["a day that ends", { slope: -1e-4 }, 1800],
    ["a source that may have become a busy one", { growth: 1e-6 }, 1800],
  ];

  it.each(cases)("is the integral over the waits of expected changes for %s", (_what, part, at) => {
    const expected = { ...steady, ...part };
    const exact = integrated(expected, at);
    expect(Math.abs(pollIndex(expected, at) / exact - 1)).toBeLessThan(1e-3);
  });

  it("polls by the square root of rate x weight when rates are steady", () => {
    const busy = { ...steady, level: 4e-3, weight: 4 };
    expect(pollIndex(busy, 25)).toBeCloseTo(pollIndex(steady, 100), 9);
  });

  it("is in slots what one more slot of waiting costs over the mean of the cycle so far", () => {
    const slot = 5;
    for (const slots of [1, 2, 7]) {
      const unseenIn = (one: number) => steady.level * slot * slot * (one + 1 / 2);
      const before = Array.from({ length: slots }, (_, one) => unseenIn(one));
      const cost = slots * unseenIn(slots) - before.reduce((sum, one) => sum + one, 0);
      expect(pollIndex({ ...steady, slot }, slots * slot)).toBeCloseTo(cost, 9);
    }
  });

  it("adds what a hint said", () => {
    const hinted = pollIndex({ ...steady, weight: 3, hinted: 5 }, 10);
    expect(hinted).toBeCloseTo(pollIndex({ ...steady, weight: 3 }, 10) + 15, 9);
  });
});

describe("pollIndex() of a source that was quiet by other evidence", () => {
  const session = { ...steady, excess: 1e-2, slot: 2 };

  it("is as if it had been polled then, as far as that is certain", () => {
    const quiet = { ...session, quietFor: 200 };
    const polled = { ...session, excess: 1e-2 * Math.exp(-1e-3 * 200) };
    const [none, all] = [pollIndex(session, 500), pollIndex(polled, 300)];
    for (const certainty of [0, 0.25, 1]) {
      const index = pollIndex({ ...quiet, certainty }, 500);
      expect(index).toBeCloseTo((1 - certainty) * none + certainty * all, 9);
    }
  });
});

describe("earliestReach()", () => {
  it("is never later than the time at which the index reaches the target", () => {
    const expectation = fc.record({
      level: fc.double({ min: 1e-7, max: 1e-1, noNaN: true }),
      part: fc.double({ min: -1, max: 50, noNaN: true }),
      fade: fc.double({ min: 1e-4, max: 1e-1, noNaN: true }),
      growth: fc.double({ min: -1e-9, max: 1e-6, noNaN: true }),
      weight: fc.double({ min: 1e-2, max: 1e2, noNaN: true }),
      slope: fc.double({ min: -2e-4, max: 2e-3, noNaN: true }),
      slot: fc.double({ min: 0, max: 60, noNaN: true }),
      quietPart: fc.double({ min: 0, max: 1, noNaN: true }),
      certainty: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const span = fc.double({ min: 0, max: 3600, noNaN: true });
    fc.assert(
      fc.property(expectation, span, span, ({ part, quietPart, ...given }, one, other) => {
        const [now, then] = [Math.min(one, other), Math.max(one, other)];
        const quietFor = quietPart * now;
        const expected = { ...given, excess: given.level * part, hinted: 0, quietFor };
        const index = pollIndex(expected, now);
        const target = pollIndex(expected, then);
        const reach = earliestReach(expected, { seconds: now, index, target });
        expect(reach).toBeLessThanOrEqual(then * (1 + 1e-9) + 1e-9);
      }),
    );
  });

  it("is now when the target is reached", () => {
    expect(earliestReach(steady, { seconds: 9, index: 2, target: 1 })).toBe(9);
  });
});
