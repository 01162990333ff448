import { atOnce } from "@dayferry/event-loop";
import { describe, expect, it } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import { type ReminderRules, remindersOf } from "../../src/reminders/reminder.ts";
import { createReminderIndex } from "../../src/reminders/reminder-index.ts";
import { zone } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";
import { started } from "./day-mails-rig.ts";
import { anEvent, aTask, on, subjects } from "./rig.ts";

const rules: ReminderRules = {
  zone,
  events: true,
  milestones: [],
  tasks: [Temporal.Duration.from({ days: 1 })],
  overdue: true,
  at: Temporal.PlainTime.from("09:00"),
  installedAt: Temporal.Instant.from("2026-11-01T00:00:00Z"),
  restoredAt: null,
  catchUp: Temporal.Duration.from({ hours: 12 }),
};

/** An index over tasks due on these days; what it lists, and what it has looked up for that. */
function indexOver(...days: readonly string[]) {
  const store = testStore(handClock("2026-11-20T12:00:00Z"));
  for (const [at, day] of days.entries()) {
    store.mirror.put(aTask({ id: serviceId(100 + at), title: day, dueOn: on(day) }), "tasks:3001");
  }
  const lookedUp: number[] = [];
  const view = {
    ...store.view,
    get(key: Parameters<typeof store.view.get>[0]) {
      lookedUp.push(key);
      return store.view.get(key);
    },
  };
  const index = createReminderIndex({ ...store, view }, rules);
  const titleOf = (key: Parameters<typeof store.view.get>[0]) => store.view.get(key)?.item.title;
  return {
    lookedUp,
    at: (moment: string, until = moment) => {
      const [from, to] = [Temporal.Instant.from(moment), Temporal.Instant.from(until)];
      const { items, nextAt } = atOnce(index.within({ from, until: to }));
      const named = new Set([...items].flatMap(([first]) => (first ? [titleOf(first.item)] : [])));
      return { named, nextAt };
    },
  };
}

describe("within()", () => {
  it("lists what may be due, and until when nothing else is", () => {
    const { at } = indexOver("2026-11-21", "2026-12-20");
    const { named, nextAt } = at("2026-11-20T12:00:00Z");
    expect(named).toEqual(new Set(["2026-11-21"]));
    const next = String(nextAt);
    expect(next > "2026-11-20T12:00:00Z" && next < "2026-12-19T09:00:00Z").toBe(true);
  });

  it("looks up far items once they come near, day by day, and never past ones", () => {
    const index = indexOver("2026-10-01", "2026-11-21", "2026-12-20", "2027-06-01");
    const told = new Map<string, string>();
    for (let day = Temporal.Instant.from("2026-11-20T12:00:00Z"); ; day = day.add({ hours: 24 })) {
      const { named } = index.at(day.toString());
      for (const title of named) told.set(title ?? "", told.get(title ?? "") ?? day.toString());
      if (named.has("2026-12-20")) break;
    }
    expect([...told.keys()]).toEqual(["2026-11-21", "2026-12-20"]);
    // A lead of one day falls due at nine on the day before, in every zone.
    expect((told.get("2026-12-20") ?? "") <= "2026-12-18T19:00:00Z").toBe(true);
    expect(index.lookedUp).toHaveLength(1);
  });

  it("lists all of a week on request", () => {
    const { at } = indexOver("2026-11-23", "2026-11-26", "2026-12-20");
    const week = at("2026-11-20T12:00:00Z", "2026-11-27T12:00:00Z");
    expect(week.named).toEqual(new Set(["2026-11-23", "2026-11-26"]));
  });

  it("finds again what seemed over while the clock was wrong", () => {
    const { at } = indexOver("2026-11-22");
    expect(at("2036-11-20T12:00:00Z").named.size).toBe(0);
    expect(at("2026-11-21T12:00:00Z").named).toEqual(new Set(["2026-11-22"]));
  });

  it("delays no reminder for another: each is listed when it falls due", () => {
    const when = { kind: "dates", start: on("2026-11-24"), end: on("2026-11-26") } as const;
    const items = [
      aTask(),
      anEvent(),
      anEvent({ id: serviceId(502), when, milestone: true, reminder: null }),
    ];
    const store = testStore(handClock("2026-11-20T12:00:00Z"));
    const own = { ...rules, milestones: [Temporal.Duration.from({ months: 1 })] };
    for (const item of items) store.mirror.put(item, "events:2001");
    const index = createReminderIndex(store, own);
    const shown = [...store.view.remindable()].flat();
    expect(shown).toHaveLength(items.length);
    const dues = shown.flatMap((one) =>
      remindersOf(one, own).map(({ timing }) => {
        if (timing.kind === "moment") return timing.dueAt;
        const day = timing.day.kind === "on" ? timing.day.day : on("2026-11-24");
        const lead = timing.kind === "before" ? timing.lead : { days: -1 };
        return day
          .subtract(lead)
          .toZonedDateTime({ timeZone: zone, plainTime: own.at })
          .toInstant();
      }),
    );
    for (const due of dues.toSorted((a, b) => Temporal.Instant.compare(a, b))) {
      const { items: named } = atOnce(index.within({ from: due, until: due }));
      expect([...named].length).toBeGreaterThan(0);
    }
  });
});

it("step() mails a far item in time although nothing has changed since", async () => {
  const { inbox, rig } = await started("2026-11-23T09:00:00Z");
  rig.put(aTask({ dueOn: on("2027-02-10") }));
  for (let hours = 0; inbox.mails.length === 0 && hours < 24 * 100; hours += 6) {
    await rig.run();
    const next = rig.nextAt();

    if (next !== null) rig.set(next);
  }
  expect(subjects(inbox)).toEqual(["Due tomorrow: Write the brief – Wed 10 Feb 2027"]);
});
