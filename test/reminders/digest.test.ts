import { describe, expect, it } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import { digestTurn } from "../../src/reminders/digest.ts";
import { dates, times } from "../support/items.ts";
import {
  aMailer,
  ana,
  anEvent,
  anInbox,
  aPerson,
  aRig,
  aTask,
  at,
  ben,
  berlin,
  everyKind,
  on,
  type Rig,
  type RigOptions,
} from "./rig.ts";

const half = Temporal.PlainTime.from("07:30");
const daily = { at: half, weekday: null };
const monday = { at: half, weekday: 1 };
const rules = { catchUp: Temporal.Duration.from({ hours: 12 }) };

async function started(now: string, options: Partial<RigOptions> = {}) {
  const inbox = await anInbox();
  const mailer = aMailer(inbox);
  const mails = { events: false, digest: daily };
  return { inbox, mailer, rig: aRig({ mailer, now, mails, ...options }) };
}

describe("digestTurn()", () => {
  it.each([
    ["before its time: yesterday's", daily, "2026-11-24T06:29:59Z", "2026-11-23"],
    ["at its time", daily, "2026-11-24T06:30:00Z", "2026-11-24"],
    ["on a Sunday, weekly: last Monday's", monday, "2026-11-22T12:00:00Z", "2026-11-16"],
    ["on Monday before its time: a week ago", monday, "2026-11-23T06:00:00Z", "2026-11-16"],
    ["on Monday at its time", monday, "2026-11-23T06:30:00Z", "2026-11-23"],
  ])("gives the turn %s", (_name, rule, now, day) => {
    expect(
      digestTurn(rule, {
        reader: { zone: berlin, digestAt: null },
        now: at(now),
        rules,
      }).turn.day.toString(),
    ).toBe(day);
  });

  it.each([
    ["that has no half past two", "2027-03-28", "2027-03-28T01:30:00Z"],
    ["that has it twice", "2026-10-25", "2026-10-25T00:30:00Z"],
  ])("gives one turn for a day %s", (_name, day, dueAt) => {
    const rule = { at: Temporal.PlainTime.from("02:30"), weekday: null };
    let now = on(day).subtract({ days: 1 }).toZonedDateTime(berlin).toInstant();
    const turns = new Map<string, string>();
    for (let minutes = 0; minutes < 3 * 24 * 60; minutes += 10) {
      const { turn } = digestTurn(rule, { reader: { zone: berlin, digestAt: null }, now, rules });
      turns.set([turn.day, turn.dueAt].join(" "), turn.day.toString());
      now = now.add({ minutes: 10 });
    }
    const its = [...turns].filter(([, named]) => named === day).map(([name]) => name);
    expect(its).toEqual([`${day} ${dueAt}`]);
  });
});

/** One of everything for Ana, and something of Ben's. */
function fill(rig: Rig) {
  const id = (number: number) => ({ id: serviceId(number) });
  rig.put(
    aTask({ ...id(801), title: "Due today" }),
    aTask({ ...id(802), title: "Due on Monday", dueOn: on("2026-11-30") }),
    aTask({ ...id(803), title: "Due next week", dueOn: on("2026-12-01") }),
    aTask({ ...id(804), title: "Late", dueOn: on("2026-11-20") }),
    aTask({ ...id(805), title: "Done", completed: true }),
    aTask({ ...id(806), title: "Undated", dueOn: null }),
    aTask({ ...id(807), title: "Of Ben", assigned: [ben] }),
    anEvent({ ...id(501), title: "Call" }),
    anEvent({ ...id(502), title: "Over", when: times("2026-11-23T10:00", "2026-11-23T11:00") }),
    anEvent({ ...id(503), title: "Fair", when: dates("2026-11-22", "2026-11-25") }),
    anEvent({
      ...id(504),
      title: "Launch",
      milestone: true,
      when: dates("2026-11-27", "2026-11-28"),
    }),
    anEvent({
      ...id(505),
      title: "Missed",
      milestone: true,
      when: dates("2026-11-22", "2026-11-24"),
    }),
  );
}

describe("step() mails a digest", () => {
  it("of today, this week and what is overdue, with counts", async () => {
    const { inbox, rig } = await started("2026-11-22T12:00:00Z");
    fill(rig);
    await rig.run("2026-11-24T07:30:00Z");
    const mail = inbox.mails.find(({ to }) => to === "ana@example.com")?.mail;
    expect(mail?.subject).toBe("Your day: 3 today, 2 this week, 2 overdue – Tue 24 Nov 2026");
    expect(mail?.text?.replaceAll("\r\n", "\n").trimEnd()).toBe(
      [
        "3 today, 2 this week, 2 overdue: Fair",
        "3 today · 2 this week · 2 overdue (Europe/Lisbon)",
        "",
        "Overdue (2)",
        "- Late",
        "  Was due 4 days ago · due Fri 20 Nov 2026 · task · Website",
        "  https://company.example.com/#/2001/task/804",
        "- Missed",
        "  Was due yesterday · Sun 22 Nov 2026 – Mon 23 Nov 2026 (all day) · milestone · Website",
        "  https://company.example.com/#/2001/event/505",
        "",
        "Today, Tue 24 Nov 2026 (3)",
        "- Fair",
        "  Sun 22 Nov 2026 – Tue 24 Nov 2026 (all day) · event · Website",
        "  https://company.example.com/#/2001/event/503",
        "- Due today",
        "  due Tue 24 Nov 2026 · task · Website",
        "  https://company.example.com/#/2001/task/801",
        "- Call",
        "  Tue 24 Nov 2026, 09:00–10:00 (Europe/Lisbon) · event · Website",
        "  https://company.example.com/#/2001/event/501",
        "",
        "This week, until Mon 30 Nov 2026 (2)",
        "- Launch",
        "  Fri 27 Nov 2026 (all day) · milestone · Website",
        "  https://company.example.com/#/2001/event/504",
        "- Due on Monday",
        "  due Mon 30 Nov 2026 · task · Website",
        "  https://company.example.com/#/2001/task/802",
        "",
        "-- ",
        "You get this digest every day at 07:30 (Europe/Lisbon), unless it is empty.",
      ].join("\n"),
    );
    expect(mail?.html).toContain(">Overdue (2)</h3>");
  });

  it("with a note about the age of the data when the service does not respond", async () => {
    const { inbox, rig } = await started("2026-11-24T06:00:00Z");
    fill(rig);
    const source = { kind: "projects" } as const;
    rig.store.sources.put([source]);
    rig.store.sources.succeeded(source, { items: 1, gaps: null });
    await rig.run("2026-11-24T07:30:00Z");
    expect(inbox.mails[0]?.mail.text).toContain(
      "Last synced Tue 24 Nov 2026, 07:00 (Europe/Berlin): the service does not respond",
    );
  });

  it("once each local day, over restarts, clock jumps and a crash", async () => {
    const { inbox, rig, mailer } = await started("2026-11-22T12:00:00Z");
    rig.store.directory.putPeople([aPerson({ id: ben, name: "Ben", email: null })], false);
    fill(rig);
    let first = "";
    rig.restart({
      ...mailer,
      send: async (mail) => {
        first = mail.messageId;
        await mailer.send(mail);
        return new Promise(() => undefined);
      },
    });
    rig.set("2026-11-24T07:30:00Z");
    void rig.step();
    await expect.poll(() => inbox.mails.length).toBe(1);
    rig.restart(mailer);
    await rig.run();
    expect(inbox.mails.map(({ mail }) => mail.messageId)).toEqual([first, first]);
    for (const now of ["2026-11-24T07:31:00Z", "2026-11-24T00:00:00Z", "2026-11-24T18:00:00Z"]) {
      rig.set(now);
      rig.restart();
      await rig.run();
    }
    expect(inbox.mails).toHaveLength(2);
    await rig.run("2026-11-25T07:30:00Z");
    expect(inbox.mails).toHaveLength(3);
  });

  it("late within catchUp, not beyond it, and not for a day before the installation", async () => {
    const { inbox, rig } = await started("2026-11-22T12:00:00Z", { ticks: false });
    rig.store.directory.putPeople([aPerson({ id: ben, name: "Ben", email: null })], false);
    fill(rig);
    await rig.run("2026-11-24T19:30:01Z");
    expect(inbox.mails).toEqual([]);
    expect(rig.nextAt()).toBe("2026-11-25T06:30:00Z");
    await rig.run("2026-11-25T19:30:00Z");
    expect(inbox.mails).toHaveLength(1);
    const late = await started("2026-11-24T10:00:00Z", { installedAt: "2026-11-24T10:00:00Z" });
    fill(late.rig);
    await late.rig.run();
    expect(late.inbox.asked).toEqual([]);
  });

  it("not when there is nothing to report, and then not later that day either", async () => {
    const { inbox, rig } = await started("2026-11-24T07:30:00Z");
    await rig.run();
    rig.put(aTask());
    rig.advance({ hours: 1 });
    await rig.run();
    expect(inbox.asked).toEqual([]);
    await rig.run("2026-11-25T07:30:00Z");
    expect(inbox.mails.map(({ mail }) => mail.subject)).toEqual([
      "Your day: 1 overdue – Wed 25 Nov 2026",
    ]);
  });

  it("weekly on its day", async () => {
    const { inbox, rig } = await started("2026-11-17T12:00:00Z", {
      mails: { events: false, digest: monday },
    });
    rig.put(aTask());
    expect(rig.nextAt()).toBe("2026-11-23T06:30:00Z");
    await rig.run("2026-11-23T07:30:00Z");
    expect(inbox.mails.map(({ mail }) => mail.subject)).toEqual([
      "Your week: 1 this week – Mon 23 Nov 2026",
    ]);
    await rig.run("2026-11-24T07:30:00Z");
    expect(inbox.mails).toHaveLength(1);
  });

  it("not to people who turned it off", async () => {
    const { inbox, rig } = await started("2026-11-24T07:30:00Z", {
      wishes: (person) => ({ ...everyKind, digest: person !== ben }),
    });
    rig.put(aTask({ assigned: [ana, ben] }));
    rig.store.mailChoices.turnOff(ana, "digest");
    await rig.run();
    expect(inbox.asked).toEqual([]);
  });

  it("with at most thirty lines a section, and the number of the rest", async () => {
    const { inbox, rig } = await started("2026-11-24T07:00:00Z");
    const tasks = Array.from({ length: 33 }, (_, index) =>
      aTask({ id: serviceId(900 + index), title: `Task ${index}` }),
    );
    rig.put(...tasks);
    await rig.run("2026-11-24T07:30:00Z");
    const text = inbox.mails[0]?.mail.text ?? "";
    expect(text).toContain("Today, Tue 24 Nov 2026 (33)");
    expect(text.match(/^- Task /gm)).toHaveLength(30);
    expect(text).toContain("… and 3 more");
  });
});

it("step() reports what moved since the last digest: from where, to where and by whom, if known", async () => {
  const { inbox, rig } = await started("2026-11-23T07:30:00Z");
  const id = (number: number) => ({ id: serviceId(number) });
  const far = on("2026-12-24");
  rig.put(
    aTask({ ...id(801), title: "A", dueOn: far }),
    aTask({ ...id(802), title: "B", dueOn: far }),
  );
  rig.put(aTask({ ...id(803), title: "C", dueOn: far, assigned: [ben] }));
  const when = times("2026-12-01T10:00", "2026-12-01T11:00");
  rig.put(
    anEvent({ ...id(501), title: "Call", when }),
    aTask({ ...id(804), title: "Today", dueOn: on("2026-11-23") }),
  );
  await rig.run();
  rig.advance({ hours: 2 });
  rig.put(aTask({ ...id(801), title: "A", dueOn: on("2026-12-28") }));
  rig.put(aTask({ ...id(802), title: "B renamed", dueOn: far }));
  rig.put(aTask({ ...id(803), title: "C", dueOn: on("2026-12-28"), assigned: [ben] }));
  rig.put(
    anEvent({ ...id(501), title: "Call", when: times("2026-12-01T10:30", "2026-12-01T11:00") }),
  );
  const item = rig.store.mirror.find("event", serviceId(501));
  const base = item && rig.store.view.get(item)?.item;
  if (!item || !base) throw new Error("the event is known");
  rig.store.journal.append({
    channel: "caldav",
    actor: ben,
    item,
    action: "update",
    base,
    patch: { when: times("2026-12-02T10:00", "2026-12-02T11:00") },
    newLabels: [],
    state: "pending",
  });
  await rig.run("2026-11-24T07:30:00Z");
  const mail = inbox.mails.filter(({ to }) => to === "ana@example.com").at(-1)?.mail;
  const text = mail?.text?.replaceAll("\r\n", "\n") ?? "";
  const moved = text.slice(text.indexOf("Moved since"), text.indexOf("-- "));
  expect(moved.trimEnd()).toBe(
    [
      "Moved since the last digest (2)",
      "- A",
      "  due Thu 24 Dec 2026 → due Mon 28 Dec 2026 · Website",
      "  https://company.example.com/#/2001/task/801",
      "- Call",
      "  Tue 1 Dec 2026, 09:00–10:00 (Europe/Lisbon) → Wed 2 Dec 2026, 09:00–10:00 (Europe/Lisbon) · by Ben · Website",
      "  https://company.example.com/#/2001/event/501",
    ].join("\n"),
  );
  await rig.run("2026-11-25T07:30:00Z");
  const next = inbox.mails.filter(({ to }) => to === "ana@example.com").at(-1)?.mail;
  expect(next?.text).not.toContain("Moved since");
});
