import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../support/effort.ts";
import { describeWalk, expectRest } from "./walk-expect.ts";
import { begin, make, move } from "./walk-moves.ts";
import { walkRig } from "./walk-rig.ts";

// People edit in the workspace and in calendars at the same time, while requests get lost and the daemon dies. Whatever
// happens, in the end everybody sees the same, and nothing is there that nobody wished.

describe("a random walk", () => {
  it("ends with the same everywhere, and with all that was wished and nothing else", async () => {
    const ended = { confirmed: 0, parked: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 12, maxLength: 30 }), async (moves) => {
        const rig = await walkRig();
        try {
          const calendars = await begin(rig);
          for (const one of moves) await make(one, { rig, calendars });
          await rig.settle();
          const edits = await expectRest(rig);
          for (const { state } of edits) {
            if (state === "confirmed" || state === "parked") ended[state] += 1;
          }
        } catch (cause) {
          throw new Error(`${String(cause)}\n${describeWalk(rig)}`, { cause });
        } finally {
          await rig.close();
        }
      }),
      {
        numRuns: runs(40),
        endOnFailure: true,
        interruptAfterTimeLimit: 240_000,
      },
    );
    // Walks in which nothing is carried out would prove nothing.
    expect(ended.confirmed).toBeGreaterThan(runs(40));
  }, 300_000);
});
