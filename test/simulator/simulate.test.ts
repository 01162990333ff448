import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fits, mutants } from "../../simulator/mutants.ts";
import { simulate } from "../../simulator/simulate.ts";
import { isThorough } from "../support/effort.ts";

/** With a crash, accepted and refused edits, and failed requests. */
const seed = 6;

it("gives the same events for the same seed, and others for another", async () => {
  // The test runner loads modules on demand, which takes real time unknown to the virtual clock.
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

/** The same days every time, so that a failure comes from the present change; `npm run simulate` plays others. */
const days = isThorough ? ["--seeds", "24"] : ["--seeds", "16", "--seconds", "60"];

/** However slow the machine is. */
const longestMs = 30 * 60_000;

// In a separate process: the test runner loads modules in a way unknown to the virtual clock.
it(
  "keeps every promise on fixed days",
  async () => {
    const { code, stdout } = await runSimulator(["--from", "1", ...days]);
    expect(stdout).toMatch(/^\d+ seeds, \d{2,} acknowledged edits, 0 broken/);
    expect(code).toBe(0);
  },
  longestMs,
);

function runSimulator(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number | null; stdout: string }>();
  const main = join(import.meta.dirname, "../../simulator/main.ts");
  const child = execFile(process.execPath, [main, ...args], (_error, stdout) =>
    resolve({ code: child.exitCode, stdout }),
  );
  return promise;
}

it.each(mutants)("finds a planted defect that $name", (mutant) => {
  expect(fits(mutant)).toBe(true);
});
