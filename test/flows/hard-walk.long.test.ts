import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../src/sandbox/faults.ts";
import { runs } from "../support/effort.ts";
import { canFillDisk, fullDisk } from "../support/full-disk.ts";
import { describeWalk, expectRest } from "./walk-expect.ts";
import { begin, make, move, type Scene } from "./walk-moves.ts";
import { forgiveDisk, walkRig } from "./walk-rig.ts";

// As the random walk, in hard times: requests are carried out seconds after they were given up, the service's clock is
// wrong, lists lag behind, the disk is full for a while, and the daemon starts anew while nothing answers. More walks, or one
// again:
// THOROUGH=1 WALKS=500 npx vitest run test/flows/hard-walk.long.test.ts
// THOROUGH=1 WALK_SEED=-123456 WALK_PATH=7:0:1 npx vitest run test/flows/hard-walk.long.test.ts

/** Late requests are carried out within ten seconds: after an error of the service they are waited for twice as long. */
const late = fc.record({
  kind: fc.constant("late" as const),
  ms: fc.integer({ min: 0, max: 5 }).map((seconds) => 1000 * seconds),
  method: fc.constantFrom("POST", "PUT", "PUT", "DELETE"),
  answer: fc.constantFrom<"hang" | "drop" | number>("hang", "drop", 500, 503),
});
const skew = fc.record({
  kind: fc.constant("skew" as const),
  seconds: fc.constantFrom(0, 4, -4, 30, -30, 3600, -3600),
});
const lag = fc.record({
  kind: fc.constant("lag" as const),
  seconds: fc.integer({ min: 1, max: 4 }),
  times: fc.integer({ min: 1, max: 4 }),
});
const outage = fc.record({
  kind: fc.constant("outage" as const),
  fault: fc.constantFrom<Fault>(
    { kind: "drop-before" },
    { kind: "status", status: 502 },
    { kind: "html" },
  ),
  times: fc.integer({ min: 5, max: 40 }),
});
const disk = fc.record({ kind: fc.constantFrom("fill" as const, "makeRoom" as const) });
const hardship = fc.oneof({ weight: 4, arbitrary: late }, skew, lag, outage, disk);
type Hardship = typeof hardship extends fc.Arbitrary<infer Value> ? Value : never;

const step = fc.oneof(
  { weight: 4, arbitrary: move.map((one) => ({ kind: "move" as const, move: one })) },
  { weight: 1, arbitrary: hardship.map((one) => ({ kind: "hardship" as const, hardship: one })) },
  fc.record({ kind: fc.constant("wait" as const), seconds: fc.integer({ min: 1, max: 5 }) }),
);

const { WALKS, WALK_SEED, WALK_PATH } = process.env;

/** The same walks every time, so that a failure is of the change at hand; `WALKS` takes others. */
const usualSeed = 20_261_122;

describe("a random walk in hard times", () => {
  it("ends with the same everywhere, and with all that was wished, once", async () => {
    const ended = { confirmed: 0, parked: 0 };
    const disk = canFillDisk() ? fullDisk() : { fill() {}, makeRoom() {} };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), async (steps) => {
        const rig = await walkRig();
        try {
          const scene = { rig, calendars: await begin(rig), disk };
          for (const one of steps) await take(one, scene);
          disk.makeRoom();
          await rig.settle();
          const edits = await expectRest(rig);
          expect(rig.rooms.store.unanswered.nextLookAt(), "nothing is watched any more").toBeNull();
          for (const { state } of edits) {
            if (state === "confirmed" || state === "parked") ended[state] += 1;
          }
        } catch (cause) {
          throw new Error(`${String(cause)}\n${describeWalk(rig)}`, { cause });
        } finally {
          disk.makeRoom();
          await rig.close();
        }
      }),
      {
        numRuns: Number(WALKS ?? runs(24)),
        endOnFailure: true,
        seed: Number(
          WALK_SEED ?? (WALKS ? Temporal.Now.instant().epochMilliseconds % 2 ** 31 : usualSeed),
        ),
        ...(WALK_PATH && { path: WALK_PATH }),
        ...(!WALKS && { interruptAfterTimeLimit: 240_000 }),
      },
    );
    // Walks in which nothing is carried out would prove nothing.
    expect(ended.confirmed).toBeGreaterThan(5);
  }, 3_600_000);
});

interface HardScene extends Scene {
  readonly disk: Pick<ReturnType<typeof fullDisk>, "fill" | "makeRoom">;
}

async function take(
  one: typeof step extends fc.Arbitrary<infer Value> ? Value : never,
  scene: HardScene,
): Promise<void> {
  if (one.kind === "wait") scene.rig.clock.advance({ seconds: one.seconds });
  else if (one.kind === "hardship") suffer(one.hardship, scene);
  else {
    // A start waits for room, as the supervisor tries again.
    if (one.move.kind === "crash") scene.disk.makeRoom();
    await make(one.move, scene).catch(forgiveDisk);
  }
}

function suffer(one: Hardship, { rig: { sandbox, time, lists }, disk }: HardScene): void {
  switch (one.kind) {
    case "fill":
    case "makeRoom":
      disk[one.kind]();
      break;
    case "late":
    case "outage":
      sandbox.faults.add(one.kind === "late" ? one : { ...one.fault, times: one.times });
      break;
    case "skew":
      time.skew = Temporal.Duration.from({ seconds: one.seconds });
      break;
    case "lag":
      lists.lag(one.seconds, one.times);
  }
}
