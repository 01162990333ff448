import { describe, expect, it } from "vitest";
import { Belief } from "../src/belief.ts";
import { Population } from "../src/population.ts";

const day = 86_400;
const minute = 60;

/** A workspace of sources that were polled every ten minutes for some days, and folded every hour. */
function learned(sources: readonly (readonly number[])[], days: number) {
  const population = new Population();
  const beliefs = sources.map(() => new Belief(population));
  for (let to = 600; to <= days * day; to += 600) {
    for (const [i, belief] of beliefs.entries()) {
      const times = (sources[i] ?? []).filter((time) => time > to - 600 && time <= to);
      belief.observe({ from: to - 600, to, times, activity: 1 });
    }
    if (to % (60 * minute) !== 0) continue;
    for (const belief of beliefs) belief.fold();
    population.renew();
  }
  return { population, beliefs };
}

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);

/** A deterministic sequence of numbers in [0, 1). */
const spread = (i: number) => (i * 0.618_034) % 1;

describe("Population", () => {
  it("learns that edits come in sessions, how long those last and how dense they are", () => {
    const sources = Array.from({ length: 12 }, (_, source) =>
      Array.from({ length: 8 }, (_unused, i) => {
        const start = (i + spread(source * 8 + i)) * 0.9 * day;
        return Array.from({ length: 8 }, (_also, edit) => start + edit * 1.5 * minute);
      }).flat(),
    );
    const { population } = learned(sources, 8);
    expect(sum(population.sessionPrior)).toBeGreaterThan(0.9);
    expect(1 / population.sessionEnd).toBeGreaterThan(6 * minute);
    expect(1 / population.sessionEnd).toBeLessThan(20 * minute);
    expect(1 / population.pace).toBeGreaterThan(minute);
    expect(1 / population.pace).toBeLessThan(2 * minute);
  });

  it("learns that edits come one by one", () => {
    const sources = Array.from({ length: 12 }, (_, source) =>
      Array.from({ length: 32 }, (_unused, i) => (i + spread(source * 32 + i)) * 0.25 * day),
    );
    const { population } = learned(sources, 8);
    expect(sum(population.singlePrior)).toBeGreaterThan(0.9);
  });

  it("gives a little-known source the rate of similar ones", () => {
    const alike = Array.from({ length: 20 }, (_, source) =>
      Array.from({ length: 16 }, (_unused, i) => (i + spread(source * 16 + i)) * 0.5 * day),
    );
    const rateOf = (population: Population) => {
      const belief = new Belief(population);
      belief.observe({ from: 0, to: day, times: [], activity: 1 });
      return belief.forecast(1).rate;
    };
    const { population } = learned(alike, 8);
    expect(rateOf(population) * day).toBeLessThan(4);
    expect(rateOf(population) * day).toBeGreaterThan(1);
    expect(rateOf(new Population()) * day).toBeLessThan(1);
  });

  it("adopts fast forgetting when sources change places", () => {
    const place = (source: number, at: number) => (source + Math.floor(at / (2 * day))) % 10 === 0;
    const sources = Array.from({ length: 10 }, (_, source) =>
      Array.from({ length: 1600 }, (_unused, i) => (i + spread(i)) * 15 * minute).filter((at) =>
        place(source, at),
      ),
    );
    const { population } = learned(sources, 16);
    expect(population.hazard).toBeGreaterThan(1 / (9 * day));
    const still = learned(
      Array.from({ length: 10 }, (_, source) =>
        Array.from(
          { length: source === 0 ? 1600 : 0 },
          (_unused, i) => (i + spread(i)) * 15 * minute,
        ),
      ),
      16,
    );
    expect(still.population.hazard).toBeLessThan(1 / (20 * day));
  });

  it("finds no rate unlikely after the first quiet hours, but after quiet days", () => {
    const lively = new Population().meanRate;
    expect(learned([[], [], [], []], 0.1).population.meanRate).toBeGreaterThan(0.8 * lively);
    expect(learned([[], [], [], []], 8).population.meanRate).toBeLessThan(0.3 * lively);
  });
});
