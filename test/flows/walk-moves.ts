import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect } from "vitest";
import type { Acceptance } from "../../src/edits/intake/plan-answer.ts";
import type { Fault } from "../../src/sandbox/faults.ts";
import { letPass } from "../support/eventually.ts";
import { type Manner, newEntry, type Touch, WalkCalendar } from "./walk-calendar.ts";
import type { WalkRig } from "./walk-rig.ts";
import type { WalkItem } from "./walk-workspace.ts";
import { dayText, type Wish } from "./workspace-people.ts";

const word = fc.oneof(
  fc.constantFrom(
    "plan",
    "review, draft; v2",
    "über 👩‍💻 אב",
    "a\\nb",
    "◆ mark",
    '"quoted"',
    `${"x ".repeat(60)}end`,
  ),
  fc.stringMatching(/^[a-z]{1,8}( [a-z,;]{1,8})?$/),
);
const day = fc.nat(300);
const nth = fc.nat(40);
const wish = fc.record({ word, day });

const touch: fc.Arbitrary<Touch> = fc.oneof(
  { weight: 3, arbitrary: word.map((one) => ({ kind: "rename" as const, word: one })) },
  word.map((one) => ({ kind: "describe" as const, word: one })),
  {
    weight: 2,
    arbitrary: fc.integer({ min: -20, max: 20 }).map((days) => ({ kind: "move" as const, days })),
  },
  fc.constant({ kind: "tick" as const }),
  fc.constant({ kind: "delete" as const }),
);
const manner: fc.Arbitrary<Manner> = fc.record({ whole: fc.boolean(), stamps: fc.boolean() });

const fault = fc.record({
  fault: fc.oneof(
    {
      weight: 9,
      arbitrary: fc.constantFrom<Fault>(
        { kind: "drop-before" },
        { kind: "drop-after" },
        { kind: "status", status: 500 },
        { kind: "status", status: 503 },
        { kind: "html" },
        { kind: "cut" },
        { kind: "cut", plain: true },
        { kind: "replace", body: { hello: "world" } },
        { kind: "replace", body: [] },
      ),
    },
    fc.constantFrom<Fault>({ kind: "hang-before" }, { kind: "hang-after" }),
  ),
  method: fc.constantFrom("GET", "POST", "PUT", "PUT", "DELETE"),
  times: fc.integer({ min: 1, max: 3 }),
});

/** One step of a walk. */
export type Move =
  | {
      readonly kind: "make";
      readonly what: "event" | "milestone" | "task" | "subtask";
      readonly wish: Wish;
    }
  | {
      readonly kind: "play";
      readonly what: "rename" | "describe" | "move" | "tick" | "remove";
      readonly nth: number;
      readonly wish: Wish;
    }
  | { readonly kind: "download" | "sweep" | "drain" | "crash" | "pause" }
  | {
      readonly kind: "edit";
      readonly copy: number;
      readonly nth: number;
      readonly touch: Touch;
      readonly manner: Manner;
    }
  | { readonly kind: "new"; readonly wish: Wish; readonly task: boolean; readonly twice: boolean }
  | { readonly kind: "fault"; readonly fault: Fault };

export const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    kind: fc.constant("make" as const),
    what: fc.constantFrom("event", "milestone", "task", "subtask"),
    wish,
  }),
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("play" as const),
      what: fc.constantFrom("rename", "describe", "move", "move", "tick", "remove"),
      nth,
      wish,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("edit" as const), copy: nth, nth, touch, manner }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("new" as const),
      wish,
      task: fc.boolean(),
      twice: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fault.map(({ fault: kind, ...where }) => {
      return { kind: "fault" as const, fault: { ...kind, ...where } };
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom("download", "sweep", "drain", "drain", "crash", "pause"),
    }),
  },
);

export interface Scene {
  readonly rig: WalkRig;
  readonly calendars: WalkCalendar[];
}

/** A small workspace that is mirrored, and one subscriber. */
export async function begin(rig: WalkRig): Promise<WalkCalendar[]> {
  const kinds = [
    "event",
    "event",
    "milestone",
    "milestone",
    "task",
    "task",
    "task",
    "subtask",
  ] as const;
  for (const [at, kind] of kinds.entries()) {
    rig.workspace.create(kind, { word: `of kind ${kind}`, day: 7 * at });
  }
  // On a busy machine a request may not be answered in time.
  while (!rig.rooms.sync.ready) await rig.sweep();
  return [new WalkCalendar(rig.feed())];
}

export async function make(one: Move, { rig, calendars }: Scene): Promise<void> {
  const { workspace } = rig;
  rig.clock.advance({ seconds: 7 });
  switch (one.kind) {
    case "make":
      workspace.create(one.what, one.wish);
      break;
    case "play":
      play(one, rig);
      break;
    case "edit": {
      const calendar = calendars[one.copy % calendars.length];
      const file = calendar?.edit(one.nth, one);
      if (calendar && file) expectOnlyWishes(await rig.upload(file), calendar);
      break;
    }
    case "new": {
      const token = workspace.token();
      const { word: text, day: on } = one.wish;
      const entry = { title: `${token} ${text}`, day: dayText(on), task: one.task };
      const file = newEntry({ ...entry, uid: `${token}@elsewhere.example.com` });
      await rig.upload(file);
      if (one.twice) await rig.upload(file);
      break;
    }
    case "fault":
      rig.sandbox.faults.add(one.fault);
      break;
    case "download":
      calendars.push(new WalkCalendar(rig.feed()));
      break;
    case "crash":
      await rig.crash();
      break;
    case "pause":
      rig.clock.advance({ seconds: 40 });
      await letPass(15);
      break;
    case "drain":
    case "sweep":
      rig.beside(one.kind);
  }
  await nextTurn();
}

/** A file that says everything anew changes nothing but what its editor has changed. */
function expectOnlyWishes(acceptance: Acceptance, calendar: WalkCalendar): void {
  if (acceptance.kind !== "plan") throw new Error(JSON.stringify(acceptance.errors));
  for (const { uid, action, changes } of acceptance.items) {
    if (action === "unchanged" || action === "refused") continue;
    const wished = calendar.wished(uid);
    const others = changes.filter(({ field }) => !wished.has(field));
    expect(others, `${action} of ${uid}`).toEqual([]);
  }
}

function play(one: Extract<Move, { readonly kind: "play" }>, { workspace }: WalkRig): void {
  const items = workspace.items();
  const item: WalkItem | undefined = items[one.nth % Math.max(1, items.length)];
  if (!item) return;
  if (one.what === "rename") workspace.rename(item, one.wish.word);
  else if (one.what === "describe") workspace.describe(item, one.wish.word);
  else if (one.what === "move") workspace.move(item, one.wish.day);
  else if (one.what === "tick") workspace.tick(item);
  else workspace.remove(item);
}
