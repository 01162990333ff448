import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../src/sandbox/faults.ts";
import { expectCaldavRest } from "./caldav-expect.ts";
import { CaldavHands } from "./caldav-hands.ts";
import type { TextTouch } from "./caldav-text.ts";
import { type CaldavRig, caldavRig, unlessLater } from "./caldav-walk-rig.ts";
import { pick } from "./caldav-workspace.ts";
import { describeWalk } from "./walk-expect.ts";
import { dayText } from "./walk-workspace.ts";

// Two people work in calendar programs, others in the workspace, while requests get lost and the daemon starts anew. In
// the end everybody holds the same, and no edit that a program was told to be stored is missing without a word.

/** Raise the first for a long run. */
const walks = 12;
const seed = 20_261_121;

const word = fc.oneof(
  fc.constantFrom("plan", "review, draft; v2", "über 👩‍💻 אב", "a\\nb", "◆ mark", '"quoted"'),
  fc.stringMatching(/^[a-z]{1,8}( [a-z,;]{1,8})?$/),
);
const labelSets = [[], ["red"], ["green", "red"], ["blue, dark"], ["green"]] as const;
const day = fc.nat(300);
const nth = fc.nat(60);

const touch: fc.Arbitrary<TextTouch> = fc.oneof(
  { weight: 3, arbitrary: word.map((one) => ({ kind: "rename" as const, word: one })) },
  { weight: 2, arbitrary: word.map((one) => ({ kind: "describe" as const, word: one })) },
  fc.integer({ min: -20, max: 20 }).map((days) => ({ kind: "move" as const, days })),
  fc.nat(4).map((at) => ({ kind: "label" as const, names: labelSets[at] ?? [] })),
  { weight: 2, arbitrary: fc.constant({ kind: "tick" as const }) },
);

const fault = fc
  .record({
    fault: fc.constantFrom<Fault>(
      { kind: "drop-before" },
      { kind: "drop-after" },
      { kind: "status", status: 429 },
      { kind: "status", status: 500 },
      { kind: "status", status: 503 },
      { kind: "cut", plain: true },
      { kind: "delay", ms: 30 },
      { kind: "hang-after" },
    ),
    method: fc.constantFrom("GET", "POST", "PUT", "PUT", "DELETE"),
    times: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ fault: kind, ...where }) => ({ ...kind, ...where }));

const who = fc.nat(1);
const isLost = fc.nat(9).map((one) => one === 0);
const step = fc.oneof(
  { weight: 9, arbitrary: fc.record({ kind: fc.constant("change"), who, nth, touch, isLost }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("create"), who, nth, word, day, isLost }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove"), who, nth }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("move"),
      who,
      nth,
      to: fc.nat(9),
      way: fc.constantFrom("move" as const, "put" as const, "half" as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("sync"),
      who,
      nth,
      limit: fc.option(fc.integer({ min: 1, max: 4 })),
      pages: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("play"),
      what: fc.constantFrom(
        ...(["make", "make", "rename", "describe", "dates", "tick", "carry", "remove"] as const),
      ),
      nth,
      word,
      day,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("label"), nth, word }) },
  { weight: 2, arbitrary: fault.map((one) => ({ kind: "fault" as const, fault: one })) },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constantFrom("sweep" as const, "drain" as const, "drain" as const, "pause" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart") }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

describe("a random walk of calendar programs", () => {
  it("ends with the same everywhere, and with every edit in it or listed", async () => {
    let confirmed = 0;
    const tally = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("ask" as const, "theirs" as const, "ours" as const),
        fc.array(step, { minLength: 20, maxLength: 45 }),
        async (conflicts, steps) => {
          const scene = await caldavRig(conflicts);
          const hands = new CaldavHands(scene);
          try {
            for (const one of steps) await take(one, { scene, hands });
            await scene.rig.settle();
            const edits = await expectCaldavRest(scene);
            confirmed += edits.filter(({ state }) => state === "confirmed").length;
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
    for (const what of ["PUT 201", "PUT 204", "PUT 412", "DELETE 204", "MOVE 201"]) {
      expect(tally.get(what) ?? 0, what).toBeGreaterThan(0);
    }
  }, 600_000);
});

interface Scene {
  readonly scene: CaldavRig;
  readonly hands: CaldavHands;
}

async function take(one: Step, { scene, hands }: Scene): Promise<void> {
  const { rig, workspace, programs } = scene;
  rig.clock.advance({ seconds: 7 });
  switch (one.kind) {
    case "change":
      await unlessLater(() => hands.change(pick(programs, one.who), one));
      break;
    case "create": {
      const entry = { ...one, day: dayText(one.day) };
      await unlessLater(() => hands.create(pick(programs, one.who), entry));
      break;
    }
    case "remove":
      await unlessLater(() => hands.remove(pick(programs, one.who), one.nth));
      break;
    case "move":
      await unlessLater(() => hands.move(pick(programs, one.who), one));
      break;
    case "sync": {
      const program = pick(programs, one.who);
      const slugs = [...program.calendars.keys()];
      const chosen = one.nth % 3 === 0 ? slugs : [pick(slugs, one.nth)];
      for (const slug of chosen) await unlessLater(() => program.sync(slug, one));
      break;
    }
    case "play":
      play(one, scene);
      break;
    case "label":
      workspace.renameLabel(one.nth, one.word);
      break;
    case "fault":
      rig.sandbox.faults.add(one.fault);
      break;
    case "restart":
      await rig.crash();
      break;
    case "pause":
      rig.clock.advance({ seconds: 40 });
      await new Promise((resolve) => setTimeout(resolve, 10));
      break;
    case "sweep":
    case "drain":
      rig.beside(one.kind);
  }
  await nextTurn();
}

/** Somebody in the workspace makes, changes, moves or deletes something. */
function play(one: Extract<Step, { readonly kind: "play" }>, { workspace }: CaldavRig): void {
  if (one.what === "make") {
    workspace.create(pick(["event", "milestone", "task", "subtask"] as const, one.nth), one);
    return;
  }
  const item = workspace.items()[one.nth % Math.max(1, workspace.items().length)];
  if (!item) return;
  if (one.what === "rename") workspace.rename(item, one.word);
  else if (one.what === "describe") workspace.describe(item, one.word);
  else if (one.what === "dates") workspace.move(item, one.day);
  else if (one.what === "tick") workspace.tick(item);
  else if (one.what === "carry") workspace.carry(item, one.nth + one.day);
  else workspace.remove(item);
}
