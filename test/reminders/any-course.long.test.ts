import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import type { Delivery, Mail } from "../../src/mail/mail.ts";
import type { MailKey } from "../../src/store/mails/ledger.ts";
import { dates } from "../support/items.ts";
import { ana, anEvent, aRig, aTask, ben, berlin, leads, on, type Rig } from "./rig.ts";

const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("advance"), by: fc.nat(90) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("hours"), by: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("back"), by: fc.nat(180) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("far"), by: fc.integer({ min: -400, max: 400 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("restart"), by: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("crash"), by: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("busy"), by: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("move"), by: fc.nat(23) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("complete"), by: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("sweep"), by: fc.constant(0) }) },
);

/** A night with a repeated hour, one with a missing hour, and an ordinary one. */
const night = fc.constantFrom("2026-10-25", "2027-03-28", "2026-11-24");

interface Thing {
  day: Temporal.PlainDate;
  completed: boolean;
}

/** Eight items of both people around one night, six of them tasks. */
function theItems(rig: Rig, middle: Temporal.PlainDate) {
  const things: Thing[] = Array.from({ length: 8 }, (_, index) => ({
    day: middle.add({ days: (index % 3) - 1 }),
    completed: false,
  }));
  const assigned = [ana, ben];
  return {
    things,
    put: (index: number): void => {
      const thing = things[index];
      if (!thing) throw new Error(`there is no item ${index}`);
      const { day, completed } = thing;
      const id = serviceId(900 + index);
      if (index < 6) rig.put(aTask({ id, assigned, dueOn: day, completed }));
      else {
        const when = dates(day.toString(), day.add({ days: 1 }).toString());
        rig.put(anEvent({ id, assigned, when, completed, milestone: true }));
      }
    },
  };
}

it("any course of events tells each person each thing once under one Message-ID, at most twice after a crash, and certainly in the end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 25 }),
      night,
      fc.constantFrom(3, 1000),
      // How many looks it takes to read the workspace again after a leap: never, if it does not respond.
      fc.constantFrom(0, 2, Number.POSITIVE_INFINITY),
      async (acts, around, perMinute, looks) => {
        const post = aPost();
        const middle = on(around);
        let isOpen = false;
        const rig = aRig({
          mailer: post.mailer,
          now: middle.subtract({ days: 4 }).toZonedDateTime(berlin).toInstant().toString(),
          installedAt: "2026-01-01T00:00:00Z",
          perMinute,
          rereadAll() {
            let left = isOpen ? looks : 0;
            return () => left-- <= 0;
          },
          mails: {
            milestones: leads("P1D"),
            tasks: leads("P1D"),
            overdue: true,
            at: Temporal.PlainTime.from("02:30"),
            digest: { at: Temporal.PlainTime.from("02:30"), weekday: null },
          },
        });
        post.watch(rig);
        await rig.run();
        isOpen = true;
        const { things, put } = theItems(rig, middle);
        for (const index of things.keys()) put(index);
        rig.set(middle.subtract({ days: 2 }).toZonedDateTime(berlin).toInstant().toString());
        for (const { kind, by } of acts) {
          const chosen = Math.abs(by) % things.length;
          const thing = things[chosen];
          if (!thing) throw new Error("there are items");
          if (kind === "advance") rig.advance({ minutes: by });
          else if (kind === "hours") rig.advance({ hours: by });
          else if (kind === "back") rig.advance({ minutes: -by });
          else if (kind === "far") rig.advance({ hours: by });
          else if (kind === "restart") rig.restart();
          else if (kind === "busy") post.busy = by;
          else if (kind === "move") thing.day = middle.add({ days: (by % 5) - 2 });
          else if (kind === "complete") thing.completed = !thing.completed;
          if (kind === "move" || kind === "complete") put(chosen);
          else if (kind === "sweep") for (const index of things.keys()) put(index);
          if (kind === "crash") await post.crash();
          else await rig.run();
        }
        post.busy = 0;
        await tellAll(rig, things);
        post.check();
      },
    ),
    { numRuns: 10 },
  );
});

/** Waits at the time of each mail, long enough for every pause, and looks until all were sent. */
async function tellAll(rig: Rig, things: readonly Thing[]): Promise<void> {
  const at = Temporal.PlainTime.from("02:30");
  const expected = things.flatMap(({ day, completed }, index) =>
    completed
      ? []
      : [
          { index, day, kind: "lead", lead: "P1D", on: day.subtract({ days: 1 }) } as const,
          { index, day, kind: "overdue", lead: "", on: day.add({ days: 1 }) } as const,
        ],
  );
  for (const [date, mails] of Map.groupBy(expected, ({ on }) => on.toString())) {
    const moment = on(date).toPlainDateTime(at).toZonedDateTime(berlin);
    rig.set(moment.add({ hours: 3 }).toInstant().toString());
    for (let round = 0; round < 35; round += 1) {
      await rig.run();
      rig.advance({ minutes: 2 });
    }
    for (const { index, day, kind, lead } of mails) {
      const item = rig.store.mirror.find(index < 6 ? "task" : "event", serviceId(900 + index));
      if (item === null) throw new Error(`item ${index} is gone`);
      for (const person of [ana, ben]) {
        const row = rig.store.ledger.get({ kind, item, occurrence: day.toString(), lead, person });
        if (row?.problem?.startsWith("given up")) continue;
        expect([index, kind, person, row?.state]).toEqual([index, kind, person, "sent"]);
      }
    }
  }
}

/** A mail server in the program, which knows from the claimed rows what each mail contains. */
function aPost() {
  const idsOf = new Map<string, Set<string>>();
  const deliveries = new Map<string, number>();
  const crashes = new Map<string, number>();
  let rig: Rig | null = null;
  let crashing = false;
  const count = (of: Map<string, number>, id: string) => of.set(id, (of.get(id) ?? 0) + 1);
  const nameOf = ({ kind, item, occurrence, lead, person }: MailKey) =>
    [kind, item, occurrence, lead, person].join(" ");
  const post = {
    busy: 0,
    watch(watched: Rig) {
      rig = watched;
    },
    mailer: {
      send({ messageId }: Mail): Promise<Delivery> {
        post.busy -= 1;
        if (post.busy >= 0) {
          return Promise.resolve({ kind: "deferred", code: 451, message: "busy" });
        }
        const rows = rig?.store.ledger.unsettled() ?? [];
        const told = rows.filter((row) => row.state === "claimed" && row.messageId === messageId);
        expect(told.length).toBeGreaterThan(0);
        for (const { key } of told) {
          const ids = idsOf.get(nameOf(key)) ?? new Set();
          idsOf.set(nameOf(key), ids.add(messageId));
        }
        count(deliveries, messageId);
        if (!crashing) return Promise.resolve({ kind: "sent", response: "250" });
        count(crashes, messageId);
        return new Promise(() => undefined);
      },
      verify: () => Promise.resolve(null),
      close: () => undefined,
    },
    /** The process ends after mails have left and before that is recorded. */
    async crash() {
      crashing = true;
      void rig?.step();
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      crashing = false;
      rig?.restart();
    },
    check() {
      for (const [told, ids] of idsOf) expect(`${told}: ${ids.size}`).toBe(`${told}: 1`);
      for (const [id, times] of deliveries) {
        expect(times - 1).toBeLessThanOrEqual(crashes.get(id) ?? 0);
      }
    },
  };
  return post;
}
