import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import type { Fault } from "../../../src/sandbox/faults.ts";
import { letPass } from "../../support/eventually.ts";
import { dayText } from "../workspace-people.ts";
import { copyEntry, decide, putFamily } from "./further.ts";
import type { CaldavHands } from "./hands.ts";
import type { Present } from "./present.ts";
import { clearedNames, type TextTouch } from "./text.ts";
import { type CaldavRig, unlessLater } from "./walk-rig.ts";
import { pick } from "./workspace.ts";

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
  { weight: 3, arbitrary: fc.constant({ kind: "tick" as const }) },
  fc.constant({ kind: "percent" as const }),
  fc.constantFrom(...clearedNames).map((name) => ({ kind: "clear" as const, name })),
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

const who = fc.constantFrom(0, 1, 2, 0, 1);
const isBare = fc.nat(4).map((one) => one === 0);
const isLost = fc.nat(9).map((one) => one === 0);
export const step = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({ kind: fc.constant("change"), who, nth, touch, isLost, isBare }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("create"), who, nth, word, day, isLost }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove"), who, nth }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("move"),
      who,
      nth,
      to: fc.nat(9),
      way: fc.constantFrom("move" as const, "put" as const, "half" as const, "take" as const),
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
        ...([
          "make",
          "make",
          "rename",
          "describe",
          "dates",
          "tick",
          "carry",
          "assign",
          "hide",
          "remove",
        ] as const),
      ),
      nth,
      word,
      day,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("family"),
      who: fc.nat(1),
      nth,
      word,
      day,
      wait: fc.constantFrom(0, 0, 20, 90),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("copy"), who, nth, to: fc.nat(9) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("decide"), nth, isYes: fc.nat(2).map(Boolean) }),
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
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Scene {
  readonly scene: CaldavRig;
  readonly hands: CaldavHands;
}

export async function take(one: Step, { scene, hands }: Scene): Promise<void> {
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
    case "family": {
      const program = pick(programs, one.who);
      await unlessLater(() => putFamily(hands, { ...one, program }));
      break;
    }
    case "copy": {
      const copy = { ...one, program: pick(programs, one.who) };
      if (scene.mode === "apply") await unlessLater(() => copyEntry(hands, copy));
      break;
    }
    case "decide":
      decide(hands, one);
      break;
    case "play":
      play(one, { scene, hands });
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
      // What goes on beside gets on with it.
      await letPass(10);
      break;
    case "sweep":
    case "drain":
      await scene.beside(one.kind);
  }
  await nextTurn();
}

/** Somebody in the workspace makes, changes, moves or deletes something. */
function play(
  one: Extract<Step, { readonly kind: "play" }>,
  { scene: { workspace }, hands }: Scene,
): void {
  if (one.what === "make") {
    workspace.create(pick(["event", "milestone", "task", "subtask"] as const, one.nth), one);
    return;
  }
  const items = workspace.items();
  const item = items[one.nth % Math.max(1, items.length)];
  if (!item) return;
  // A copy that has not got its own title yet: nobody could say later which of the two it was. Of an event that is being
  // moved there are two for a while as well, and whoever deletes one of them just then may mean either or both.
  const isVague = hands.copied.has(item.token) || one.what === "remove";
  if (isVague && items.some((other) => isTwin(item, other))) return;
  if (one.what === "rename") workspace.rename(item, one.word);
  else if (one.what === "describe") workspace.describe(item, one.word);
  else if (one.what === "dates") workspace.move(item, one.day);
  else if (one.what === "tick") workspace.tick(item);
  else if (one.what === "assign") workspace.assign(item, one.nth + one.day);
  else if (one.what === "hide") workspace.hide(item);
  else if (one.what === "carry") workspace.carry(item, one.nth + one.day);
  else workspace.remove(item);
}

const isTwin = (one: Present, other: Present): boolean =>
  one.token === other.token && (one.kind !== other.kind || one.id !== other.id);
