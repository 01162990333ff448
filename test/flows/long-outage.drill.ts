import { expect, it } from "vitest";
import { playOutage } from "../../bench/outage/drill.ts";

it("after an outage, each edit of every kind is applied as last requested, once, within the quota", async () => {
  const outcome = await playOutage({ edits: 120, perSecond: 120, fresh: 3, kills: 1 });
  const { accepted, wrong, tooMany, mostPerSecond, freshMs } = outcome;
  expect(wrong).toEqual([]);
  expect(accepted).toBeGreaterThanOrEqual(120);
  expect(tooMany).toBe(0);
  expect(mostPerSecond).toBeLessThanOrEqual(120);
  expect(freshMs).toHaveLength(3);
}, 600_000);
