import { expect, it } from "vitest";
import { type KnownChanges, livelinessOf } from "../../src/sync/first-impressions.ts";

const hour = 3600;
const day = 24 * hour;
/** Nine in the morning, after three whole days. */
const at = 1000 * day + 9 * hour;

/** Changes every ten minutes between nine and five, of which those since `from` are known. */
function worked(from: number): KnownChanges {
  const times: number[] = [];
  for (let time = from + 300; time < at; time += 600) {
    const hourOfDay = (time % day) / hour;
    if (hourOfDay >= 9 && hourOfDay < 17) times.push(time);
  }
  return { from, at, times };
}

it("tells nights from days, even if each source knows only a part", () => {
  const sources = Array.from({ length: 30 }, (_, nth) => worked(at - 72 * hour + nth * hour));
  const lively = livelinessOf(sources);
  expect(lively(at - 6 * hour, at)).toBeLessThan(0.1);
  expect(lively(at - 24 * hour, at - 16 * hour)).toBeGreaterThan(2.5);
  expect(lively(at - 71 * hour, at - 65 * hour)).toBeGreaterThan(2.5);
});

it("does not derive a daily pattern from a few changes", () => {
  const lively = livelinessOf([{ from: at - 72 * hour, at, times: [at - 7 * hour] }]);
  for (const since of [2, 8, 24]) {
    expect(lively(at - since * hour, at - since * hour + hour)).toBeGreaterThan(0.7);
    expect(lively(at - since * hour, at - since * hour + hour)).toBeLessThan(1.4);
  }
});

it("is neutral if nothing is known", () => {
  expect(livelinessOf([])(at - hour, at)).toBe(1);
});
