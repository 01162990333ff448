import { atOnce } from "@dayferry/event-loop";
import { describe, expect, it } from "vitest";
import { itemKey } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import { createWindows, planMails } from "../../src/reminders/plan-mails.ts";
import type { Recipient } from "../../src/reminders/recipients.ts";
import { type ReminderRules, remindersOf } from "../../src/reminders/reminder.ts";
import type { ViewItem } from "../../src/store/view/view.ts";
import { dates, times } from "../support/items.ts";
import { ana, anEvent, aPerson, aTask, at, ben, berlin, leads, on } from "./rig.ts";

const rules: ReminderRules = {
  zone: berlin,
  events: true,
  milestones: leads("P7D", "P1D"),
  tasks: leads("P1D"),
  overdue: true,
  at: Temporal.PlainTime.from("09:00"),
  installedAt: at("2026-11-01T00:00:00Z"),
  restoredAt: null,
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

const namesOf = (item: Item, with_: ReminderRules = rules) =>
  remindersOf(shown(item), with_).map(({ sort, kind, occurrence, lead }) =>
    [sort, kind, occurrence, lead].filter(Boolean).join(" "),
  );

const windowOf = (
  item: Item,
  {
    zone = berlin,
    with_ = rules,
    sort = "reminder",
  }: { readonly zone?: string; readonly with_?: ReminderRules; readonly sort?: string } = {},
) => {
  const reminder = remindersOf(shown(item), with_).find((each) => each.sort === sort);
  const window = reminder && createWindows(with_)(reminder, { zone, at: null });
  return window && [window.dueAt.toString(), window.lapsesAt.toString()];
};

describe("remindersOf()", () => {
  it("lists an event's own reminder, whole leads of tasks and milestones, and what may become overdue", () => {
    expect(namesOf(anEvent({ assigned: [ana, ben, ana] }))).toEqual([
      "reminder events 2026-11-24T09:00:00Z PT15M",
    ]);
    expect(remindersOf(shown(anEvent({ assigned: [ana, ben, ana] })), rules)[0]?.people).toEqual([
      ana,
      ben,
    ]);
    expect(namesOf(aTask())).toEqual(["lead tasks 2026-11-24 P1D", "overdue overdue 2026-11-24"]);
    expect(namesOf(anEvent({ milestone: true, when: dates("2026-11-24", "2026-11-26") }))).toEqual([
      "reminder milestones 2026-11-23T23:00:00Z PT15M",
      "lead milestones 2026-11-24 P7D",
      "lead milestones 2026-11-24 P1D",
      "overdue overdue 2026-11-25",
    ]);
  });

  it("lists a lead once, however it is written", () => {
    for (const text of ["P1D", "PT24H", "PT1440M"]) {
      const reminder = Temporal.Duration.from(text);
      expect(remindersOf(shown(anEvent({ reminder })), rules)[0]?.lead).toBe("PT1440M");
    }
    expect(namesOf(aTask(), { ...rules, tasks: leads("P1W", "P7D"), overdue: false })).toEqual([
      "lead tasks 2026-11-24 P7D",
    ]);
  });

  it.each<[string, Item]>([
    ["a task without a due date", aTask({ dueOn: null })],
    ["a completed task", aTask({ completed: true })],
    ["an event without a reminder", anEvent({ reminder: null })],
    ["a completed milestone", anEvent({ milestone: true, completed: true })],
    ["an event of nobody", anEvent({ assigned: [] })],
  ])("is empty for %s", (_name, item) => {
    expect(remindersOf(shown(item), rules)).toEqual([]);
  });

  it("omits what the rules turn off", () => {
    const quiet = { ...rules, events: false, overdue: false, milestones: [], tasks: [] };
    expect(namesOf(anEvent({ milestone: true }), quiet)).toEqual([]);
    expect(namesOf(aTask(), quiet)).toEqual([]);
  });
});

describe("createWindows()", () => {
  it.each<[string, Item, readonly [string, string]]>([
    [
      "an event: catchUp after its reminder",
      anEvent(),
      ["2026-11-24T08:45:00Z", "2026-11-24T20:45:00Z"],
    ],
    [
      "an event that was due before the installation: its start",
      anEvent({
        when: times("2026-11-01T01:30", null),
        reminder: Temporal.Duration.from({ hours: 1 }),
      }),
      ["2026-10-31T23:30:00Z", "2026-11-01T00:30:00Z"],
    ],
  ])("gives, for %s", (_name, item, expected) => {
    expect(windowOf(item)).toEqual(expected);
  });

  it("counts whole days of events from the first moment of their day", () => {
    const old = {
      ...rules,
      zone: "America/Sao_Paulo",
      installedAt: at("2018-01-01T00:00:00Z"),
    };
    const item = anEvent({ when: dates("2018-11-04", "2018-11-05") });
    expect(windowOf(item, { with_: old })?.[0]).toBe("2018-11-04T02:45:00Z");
  });

  it.each([
    ["the day before at nine, in Berlin", "P1D", berlin, "2026-11-23T08:00:00Z"],
    ["the day before at nine, in Tokyo", "P1D", "Asia/Tokyo", "2026-11-23T00:00:00Z"],
    ["on the day itself", "PT0S", berlin, "2026-11-24T08:00:00Z"],
    ["hours before nine", "P1DT2H", berlin, "2026-11-23T06:00:00Z"],
    ["a month before", "P1M", berlin, "2026-10-24T07:00:00Z"],
  ])("counts leads back from the due day: %s", (_name, lead, zone, dueAt) => {
    const with_ = { ...rules, tasks: leads(lead) };
    expect(windowOf(aTask(), { sort: "lead", zone, with_ })?.[0]).toBe(dueAt);
  });

  it.each([
    ["02:30 does not exist: 03:30", "2027-03-29", "02:30", "2027-03-28T01:30:00Z"],
    ["02:30 comes twice: the first", "2026-10-26", "02:30", "2026-10-25T00:30:00Z"],
    ["the day after the gap keeps its clock", "2027-03-30", "02:30", "2027-03-29T00:30:00Z"],
  ])("handles nights that change the clocks: %s", (_name, dueOn, time, dueAt) => {
    const with_ = { ...rules, at: Temporal.PlainTime.from(time) };
    expect(windowOf(aTask({ dueOn: on(dueOn) }), { sort: "lead", with_ })?.[0]).toBe(dueAt);
  });

  it("drops a lead once the due day is over", () => {
    const with_ = { ...rules, catchUp: Temporal.Duration.from({ days: 5 }) };
    expect(windowOf(aTask(), { sort: "lead", with_ })).toEqual([
      "2026-11-23T08:00:00Z",
      "2026-11-24T23:00:00Z",
    ]);
  });

  it("reports overdue items on the day after the last one, in the reader's zone", () => {
    const milestone = anEvent({ milestone: true, when: dates("2026-11-24", "2026-11-26") });
    expect(windowOf(milestone, { sort: "overdue", zone: "Asia/Tokyo" })?.[0]).toBe(
      "2026-11-26T00:00:00Z",
    );
    const timedOne = anEvent({ milestone: true, when: times("2026-11-24T23:30", null) });
    expect(windowOf(timedOne, { sort: "overdue", zone: "Asia/Tokyo" })?.[0]).toBe(
      "2026-11-26T00:00:00Z",
    );
    expect(windowOf(timedOne, { sort: "overdue" })?.[0]).toBe("2026-11-25T08:00:00Z");
  });

  it.each([
    ["2026-11-24T23:00:00Z", true],
    ["2026-11-24T23:00:01Z", false],
  ])("never reports what was overdue before it was seen at %s: %s", (knownAt, tells) => {
    const [reminder] = remindersOf(shown(aTask(), { knownAt: at(knownAt) }), {
      ...rules,
      tasks: [],
    });
    if (!reminder) throw new Error("nothing to tell");
    expect(createWindows(rules)(reminder, { zone: berlin, at: null }) !== null).toBe(tells);
  });
});

const readerOf = (person = aPerson({ id: ana, name: "Ana" }), wants = true): Recipient => ({
  person,
  zone: berlin,
  at: null,
  digestAt: null,
  since: null,
  wants: () => wants,
});

describe("planMails()", () => {
  const plan = (now: string, item: Item, readers = [readerOf()]) =>
    atOnce(
      planMails([remindersOf(shown(item), rules)], {
        readers: new Map(readers.map((reader) => [reader.person.id, reader])),
        now: at(now),
        windowOf: createWindows(rules),
      }),
    );

  it.each([
    ["2026-11-24T08:44:59.999Z", 0, "2026-11-24T08:45:00Z"],
    ["2026-11-24T08:45:00Z", 1, undefined],
    ["2026-11-24T20:45:00Z", 1, undefined],
    ["2026-11-24T20:45:00.001Z", 0, undefined],
  ])("plans at %s: %i mails, the next at %s", (now, mails, next) => {
    const { due, nextAt } = plan(now, anEvent({ assigned: [ana, ben] }));
    expect(due).toHaveLength(mails);
    expect(nextAt?.toString()).toBe(next);
  });

  it("omits people who cannot be reached or do not want it", () => {
    expect(plan("2026-11-24T08:45:00Z", anEvent(), []).due).toEqual([]);
    const unwilling = plan("2026-11-24T08:44:00Z", anEvent(), [readerOf(undefined, false)]);
    expect(unwilling).toEqual({ due: [], nextAt: null });
  });

  it("chooses the missed lead nearest to the day", () => {
    const long = { ...rules, catchUp: Temporal.Duration.from({ days: 30 }), overdue: false };
    const milestone = anEvent({
      milestone: true,
      when: dates("2026-11-24", "2026-11-25"),
      reminder: null,
    });
    const at_ = (now: string) =>
      atOnce(
        planMails([remindersOf(shown(milestone), long)], {
          readers: new Map([[ana, readerOf()]]),
          now: at(now),
          windowOf: createWindows(long),
        }),
      ).due.map(({ key }) => key.lead);
    expect(at_("2026-11-20T12:00:00Z")).toEqual(["P7D"]);
    expect(at_("2026-11-23T12:00:00Z")).toEqual(["P1D"]);
    expect(at_("2026-11-24T23:00:01Z")).toEqual([]);
  });
});
