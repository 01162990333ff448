import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { itemKey, serviceId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import type { Delivery, Mail } from "../../src/mail/mail.ts";
import { planMails, type ReminderRules, reminderOf } from "../../src/reminders/plan.ts";
import type { ViewItem } from "../../src/store/view.ts";
import { aTask } from "../domain/items.ts";
import { ana, anEvent, aPerson, aRig, at, ben, berlin, days, people, timed } from "./rig.ts";

const rules: ReminderRules = {
  zone: berlin,
  installedAt: at("2026-11-01T00:00:00Z"),
  catchUp: Temporal.Duration.from({ hours: 12 }),
};

const shown = (item: Item, fields: Partial<ViewItem> = {}): ViewItem => ({
  key: itemKey(1),
  uid: "event-501@test.dayferry",
  collection: "events:2001",
  sequence: 0,
  modifiedAt: at("2026-11-01T00:00:00Z"),
  knownAt: at("2026-11-01T00:00:00Z"),
  pending: false,
  item,
  ...fields,
});

describe("reminderOf()", () => {
  it("names start, lead and the time in which it may be sent", () => {
    const reminder = reminderOf(shown(anEvent({ assigned: [ana, ben, ana] })), rules);
    expect(reminder).toEqual({
      item: 1,
      occurrence: "2026-11-24T09:00:00Z",
      lead: "PT15M",
      dueAt: at("2026-11-24T08:45:00Z"),
      lapsesAt: at("2026-11-24T20:45:00Z"),
      people: [ana, ben],
    });
  });

  it("names one lead alike, however it is written", () => {
    const leads = ["P1D", "PT24H", "PT1440M"].map((text) => {
      const reminder = Temporal.Duration.from(text);
      return reminderOf(shown(anEvent({ reminder })), rules)?.lead;
    });
    expect(new Set(leads)).toEqual(new Set(["PT1440M"]));
  });

  it.each<[string, Item]>([
    ["a task", aTask()],
    ["an event without a reminder", anEvent({ reminder: null })],
    ["a completed milestone", anEvent({ milestone: true, completed: true })],
    ["an event of nobody", anEvent({ assigned: [] })],
  ])("is null when it is %s", (_name, item) => {
    expect(reminderOf(shown(item), rules)).toBeNull();
  });

  it("lapses at the start when it fell due before the installation", () => {
    const when = timed("2026-11-01T01:30", null);
    const reminder = Temporal.Duration.from({ hours: 1 });
    const late = reminderOf(shown(anEvent({ when, reminder })), rules);
    expect(late?.dueAt.toString()).toBe("2026-10-31T23:30:00Z");
    expect(late?.lapsesAt.toString()).toBe("2026-11-01T00:30:00Z");
  });

  it("counts whole days from the first moment of their day", () => {
    const when = days("2018-11-04", "2018-11-05");
    const old = { ...rules, zone: "America/Sao_Paulo", installedAt: at("2018-01-01T00:00:00Z") };
    const reminder = reminderOf(shown(anEvent({ when })), old);
    expect(reminder?.dueAt.toString()).toBe("2018-11-04T02:45:00Z");
  });
});

describe("planMails()", () => {
  const reminder = reminderOf(shown(anEvent({ assigned: [ana, ben] })), rules);
  const plan = (now: string, who = people) =>
    planMails(reminder ? [reminder] : [], { people: who, now: at(now) });

  it.each([
    ["2026-11-24T08:44:59.999Z", 0, "2026-11-24T08:45:00Z"],
    ["2026-11-24T08:45:00Z", 2, undefined],
    ["2026-11-24T20:45:00Z", 2, undefined],
    ["2026-11-24T20:45:00.001Z", 0, undefined],
  ])("at %s: %i mails, the next at %s", (now, mails, next) => {
    const { due, nextAt } = plan(now);
    expect(due).toHaveLength(mails);
    expect(nextAt?.toString()).toBe(next);
  });

  it("leaves out whom a mail cannot reach", () => {
    const who = [aPerson({ id: ana, name: "Ana" }), aPerson({ id: ben, name: "Ben", email: "" })];
    const { due } = plan("2026-11-24T08:45:00Z", who);
    expect(due.map(({ key }) => key)).toEqual([
      { item: 1, occurrence: "2026-11-24T09:00:00Z", lead: "PT15M", person: ana },
    ]);
  });
});

describe("any course of events", () => {
  const act = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("advance"), by: fc.nat(40) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("restart"), by: fc.constant(0) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("move"), by: fc.nat(180) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("busy"), by: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("back"), by: fc.nat(120) }) },
  );

  it("sends each occurrence once to each person, and the last one for certain", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
        let busy = 0;
        const taken: Mail[] = [];
        const send = (mail: Mail): Promise<Delivery> => {
          busy -= 1;
          if (busy >= 0) return Promise.resolve({ kind: "deferred", code: 451, message: "busy" });
          taken.push(mail);
          return Promise.resolve({ kind: "sent", response: "250" });
        };
        const mailer = { send, verify: () => Promise.resolve(null), close: () => undefined };
        const rig = aRig({ mailer, now: "2026-11-24T08:00:00Z" });
        const begin = Temporal.PlainDateTime.from("2026-11-24T10:00");
        let start = begin;
        const put = () => {
          const when = timed(start.toString(), null);
          rig.put(anEvent({ id: serviceId(501), assigned: [ana, ben], when }));
        };
        put();
        for (const { kind, by } of acts) {
          if (kind === "advance") rig.advance({ minutes: by });
          else if (kind === "back") rig.advance({ minutes: -by });
          else if (kind === "restart") rig.restart();
          else if (kind === "busy") busy = by;
          else {
            start = begin.add({ minutes: by });
            put();
          }
          await rig.run();
        }
        busy = 0;
        // Long enough for every pause, and within the time in which a missed mail is still sent.
        rig.set(start.toZonedDateTime(berlin).add({ hours: 2 }).toInstant().toString());
        await rig.run();
        rig.advance({ hours: 2 });
        await rig.run();

        const ids = taken.map(({ messageId }) => messageId);
        expect(new Set(ids).size).toBe(ids.length);
        const last = taken.filter(({ calendar }) =>
          calendar?.content.includes(`DTSTART;TZID=Europe/Berlin:${stamp(start)}`),
        );
        expect(last.map(({ to }) => to.name).toSorted()).toEqual(["Ana", "Ben"]);
      }),
      { numRuns: 30 },
    );
  });
});

const stamp = (clock: Temporal.PlainDateTime): string =>
  clock.toString({ smallestUnit: "second" }).replace(/[-:]/g, "");
