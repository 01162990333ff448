import { expect, it } from "vitest";
import { progressLines } from "../../src/cli/progress-lines.ts";
import { handClock } from "../support/test-store.ts";

it("writes at most a line per second, with the remaining time, and none at the end", () => {
  const clock = handClock("2026-11-20T12:00:00Z");
  const said: string[] = [];
  const progress = progressLines({ clock, say: (line) => said.push(line) }, "backup");
  for (const [milliseconds, done] of [
    [999, 10],
    [1, 10],
    [500, 15],
    [500, 20],
    [158_000, 40],
    [1000, 100],
  ] as const) {
    clock.advance({ milliseconds });
    progress(done, 100);
  }
  expect(said).toEqual([
    "backup: 10 %, about 9 s left\n",
    "backup: 20 %, about 8 s left\n",
    "backup: 40 %, about 4 min left\n",
  ]);
});
