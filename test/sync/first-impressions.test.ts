import { describe, expect, it } from "vitest";
import { FirstImpressions, mostChanges } from "../../src/sync/first-impressions.ts";

const hour = 3600;
const at = 1_000_000;

/** The first impression of sources of ten items, by the ages of their last changes in seconds. */
function told(...ages: readonly (readonly number[])[]) {
  const impressions = new FirstImpressions();
  for (const [nth, each] of ages.entries()) {
    const changes = each.map((age) => at - age);
    impressions.add(`source ${nth}`, { at, now: at + 30, items: 10, changes });
  }
  return impressions.take(1000).map(([, recalled]) => recalled);
}

/** Ages of separate changes. */
const many = Array.from({ length: 90 }, (_, nth) => 100 * (nth + 1));

describe("changes known from the first reading", () => {
  it("cover the last three days, in order", () => {
    const [first] = told([hour, 60, 80 * hour, -90]);
    expect(first).toMatchObject({ times: [at - hour, at - 60], from: at - 72 * hour });
  });

  it("include their distance while the request waited", () => {
    const [first] = told([-20, -10, 5]);
    expect(first?.times).toEqual([at - 25, at - 10, at]);
  });

  it("begin at the oldest change if every item has one", () => {
    const [first] = told(Array.from({ length: 10 }, (_, nth) => hour * (nth + 1)));
    expect(first?.from).toBe(at - 10 * hour);
  });

  it.each([
    ["nothing where nobody has worked", [[], []], 0, 0],
    ["little where there were few acts", [[60], [hour]], 0.01, 0.3],
    ["all where many people have worked", [many, []], 0.85, 1],
  ])("give quiet sources %s", (_what, ages, least, most) => {
    for (const { activity } of told(...ages)) {
      const ofAll = activity(at - 72 * hour, at);
      expect(ofAll).toBeGreaterThanOrEqual(least);
      expect(ofAll).toBeLessThanOrEqual(most);
    }
  });

  it("exclude bulk changes everywhere", () => {
    const imported = [7200];
    const sources = told([...imported, 60], imported, imported, imported);
    expect(sources.map(({ times }) => times)).toEqual([[at - 60], [], [], []]);
    expect(sources[0]?.activity(at - 72 * hour, at)).toBeLessThan(0.2);
  });

  it("are limited to the time in which all changes are known", () => {
    const [first] = told(Array.from({ length: mostChanges + 50 }, (_, nth) => 10 * nth));
    expect(first?.times).toHaveLength(mostChanges);
    expect(first?.from).toBe(at - 10 * (mostChanges - 1));
  });

  it("are used once for each source, and not for removed ones", () => {
    const impressions = new FirstImpressions();
    for (const key of ["a", "b", "c"]) impressions.add(key, { at, now: at, items: 1, changes: [] });
    impressions.drop("b");
    expect(impressions.take(1).map(([key]) => key)).toEqual(["a"]);
    expect(impressions.take(9).map(([key]) => key)).toEqual(["c"]);
    expect(impressions.size).toBe(0);
  });
});
