import { describe, expect, it } from "vitest";
import { Belief } from "../src/belief.ts";
import { Population } from "../src/population.ts";

const day = 86_400;
const activity = 1;

/** A belief that was polled every `every` seconds while changes came at these times. */
function polled(times: readonly number[], { every, until }: { every: number; until: number }) {
  const population = new Population();
  const belief = new Belief(population);
  for (let to = every; to <= until; to += every) {
    const revealed = times.filter((time) => time > to - every && time <= to);
    belief.observe({ from: to - every, to, times: revealed, activity });
  }
  return { population, belief };
}

const evenly = (gap: number, until: number): readonly number[] =>
  Array.from({ length: Math.floor(until / gap) }, (_, i) => (i + 0.5) * gap);

describe("outlook()", () => {
  it.each([
    ["every ten minutes", 600],
    ["every hour", 3600],
    ["every eight hours", 8 * 3600],
  ])("finds the rate of a source that changes %s", (_what, gap) => {
    const { belief } = polled(evenly(gap, 20 * day), { every: 300, until: 20 * day });
    const { rate } = belief.forecast(activity);
    expect(rate * gap).toBeGreaterThan(0.6);
    expect(rate * gap).toBeLessThan(1.6);
  });

  it("expects less and less of a source in which nothing happens", () => {
    const rateAfter = (days: number) =>
      polled([], { every: 600, until: days * day }).belief.forecast(activity).rate;
    expect(rateAfter(1)).toBeLessThan(2 / day);
    expect(rateAfter(10)).toBeLessThan(rateAfter(1) / 1.5);
  });

  it("expects more right after an edit, and less after an hour without one", () => {
    const sessions = [1, 2, 3, 4, 5].flatMap((at) =>
      [0, 60, 130, 240, 300].map((offset) => at * day + offset),
    );
    const until = 5 * day + 300;
    const { belief } = polled(sessions, { every: 60, until });
    const running = belief.forecast(activity);
    expect(running.excess).toBeGreaterThan(10 * running.level);
    belief.observe({ from: until, to: until + 3600, times: [], activity });
    const over = belief.forecast(activity);
    expect(over.excess).toBeLessThan(0);
    expect(over.level + over.excess).toBeGreaterThanOrEqual(0);
  });

  it("forgets a busy past when fast forgetting fits better, and soon", () => {
    const { belief } = polled(evenly(600, 5 * day), { every: 300, until: 5 * day });
    const busy = belief.forecast(activity).rate;
    for (let from = 5 * day; from < 7 * day; from += 600) {
      belief.observe({ from, to: from + 600, times: [], activity });
    }
    expect(belief.forecast(activity).rate).toBeLessThan(busy / 4);
  });

  it("stays finite after what no hypothesis foresees", () => {
    const { belief } = polled([], { every: 3600, until: 2000 * day });
    const from = 2000 * day;
    const burst = Array.from({ length: 2000 }, (_, i) => from + i * 1e-4);
    belief.observe({ from, to: from + 10, times: burst, activity });
    for (const value of Object.values(belief.forecast(activity))) {
      expect(Number.isFinite(value)).toBe(true);
    }
  });
});

describe("observe()", () => {
  it("finds the starts of sessions, not each edit in them", () => {
    const { belief } = polled([], { every: 600, until: day });
    const times = [0, 20, 50, 9000, 9030].map((offset) => day + 100 + offset);
    const { starts } = belief.observe({ from: day, to: day + 10_000, times, activity });
    expect(starts).toEqual([day + 100, day + 9100]);
  });

  it("learns from every observation, however the population was relearned", () => {
    const { belief, population } = polled(evenly(600, day), { every: 300, until: day });
    for (let pass = 0; pass < 20; pass += 1) {
      belief.fold();
      population.renew();
      const from = day + pass * 600;
      const { surprise } = belief.observe({ from, to: from + 600, times: [], activity });
      expect(surprise).toBeGreaterThan(0);
    }
  });
});

it("dump() has all that the next outlook needs, in under one kilobyte", () => {
  const times = evenly(3600, 3 * day);
  const { belief, population } = polled(times, { every: 300, until: 3 * day });
  const kept = belief.dump();
  const again = new Belief(population, structuredClone(kept));
  expect(again.forecast(activity)).toEqual(belief.forecast(activity));
  expect(kept.odds.byteLength).toBeLessThan(1000);
});
