import { expect, it } from "vitest";
import { fits, mutants } from "../../simulator/mutants.ts";
import { simulate } from "../../simulator/simulate.ts";

/** With a crash, edits that are accepted and refused, and requests that fail. */
const seed = 6;

it("gives the same events for the same seed, and others for another", async () => {
  // The test runner loads modules when they are first needed, which takes real time of which the virtual clock knows nothing.
  await simulate(seed, { seconds: 80 });
  const first = await simulate(seed, { seconds: 80 });
  const again = await simulate(seed, { seconds: 80 });
  const other = await simulate(seed + 1, { seconds: 80 });
  expect(again.trace).toEqual(first.trace);
  expect(again.hash).toBe(first.hash);
  expect(other.hash).not.toBe(first.hash);
  expect(first.edits).toBeGreaterThan(2);
  expect([first.faults, other.faults]).toEqual([[], []]);
});

it.each(mutants)("can plant a defect that $name", (mutant) => {
  expect(fits(mutant)).toBe(true);
});
