import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rows, runs } from "../../support/effort.ts";
import { describeWalk } from "../walk-expect.ts";
import { expectCaldavRest } from "./expect.ts";
import { approveAll } from "./further.ts";
import { CaldavHands } from "./hands.ts";
import { step, take } from "./steps.ts";
import { caldavRig, type Setting } from "./walk-rig.ts";

// Two people work in calendar programs, one of them in two at once, others in the workspace, while requests get lost and
// the daemon starts anew. In the end everybody holds the same, and no edit that a program was told to be stored is missing
// without a word.

/** Raise it for a long run. */
const walks = runs(28);
const seed = 20_261_121;

const setting: fc.Arbitrary<Setting> = fc.record({
  conflicts: fc.constantFrom("ask", "theirs", "ours"),
  mode: fc.constantFrom("apply", "apply", "apply", "review"),
  third: fc.constantFrom("telephone", "reader"),
  isOrderly: fc.boolean(),
});

describe("a random walk of calendar programs", () => {
  it("ends with the same everywhere, and with every edit in it or listed", async () => {
    let confirmed = 0;
    const tally = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        setting,
        fc.array(step, { minLength: 20, maxLength: 45 }),
        async (how, steps) => {
          const scene = await caldavRig(how);
          const hands = new CaldavHands(scene);
          try {
            for (const one of steps) await take(one, { scene, hands });
            approveAll(hands);
            await scene.rig.settle();
            const ended = await expectCaldavRest(scene, hands);
            confirmed += ended.filter(({ state }) => state === "confirmed").length;
            for (const [what, times] of hands.tally) {
              tally.set(what, (tally.get(what) ?? 0) + times);
            }
          } catch (cause) {
            throw new Error(`${String(cause)}\n${describeWalk(scene.rig)}`, { cause });
          } finally {
            await scene.close();
          }
        },
      ),
      { numRuns: walks, seed, endOnFailure: true },
    );
    // Walks in which nothing is carried out would prove nothing.
    expect(confirmed).toBeGreaterThan(5 * walks);
    const answers = ["PUT 204", "PUT 412", "MOVE 201", "PUT 201", "DELETE 204", "COPY 201"];
    // A few walks may lack what is seldom done.
    for (const what of rows(answers, 3)) {
      expect(tally.get(what) ?? 0, what).toBeGreaterThan(0);
    }
  }, 600_000);
});
