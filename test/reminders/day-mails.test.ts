import { describe, expect, it } from "vitest";
import { listId, serviceId } from "../../src/domain/ids.ts";
import { aTodolist } from "../support/items.ts";
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
  cleo,
  days,
  everyKind,
  type Inbox,
  leads,
  on,
  type RigOptions,
} from "./rig.ts";

const subjects = ({ mails }: Inbox) => mails.map(({ mail }) => mail.subject ?? "").toSorted();
const recipients = ({ mails }: Inbox) => mails.map(({ to }) => to).toSorted();

const everything = {
  milestones: leads("P7D", "P1D"),
  tasks: leads("P1D"),
  overdue: true,
} as const;

async function started(now: string, options: Partial<RigOptions> = {}) {
  const inbox = await anInbox();
  const mailer = aMailer(inbox);
  return { inbox, mailer, rig: aRig({ mailer, now, mails: everything, ...options }) };
}

describe("step() mails leads of tasks, subtasks and milestones", () => {
  it("at nine on the clocks of each reader", async () => {
    const { inbox, rig } = await started("2026-11-23T07:59:59Z");
    rig.store.directory.putPeople(
      [aPerson({ id: ben, name: "Ben", timeZone: "America/New_York" })],
      false,
    );
    rig.put(aTask({ assigned: [ana, ben, cleo] }));
    await rig.run();
    expect(inbox.mails).toEqual([]);
    expect(rig.nextAt()).toBe("2026-11-23T08:00:00Z");
    rig.set("2026-11-23T08:00:00Z");
    await rig.run();
    expect(recipients(inbox)).toEqual(["cleo@example.com"]);
    rig.set("2026-11-23T09:00:00Z");
    await rig.run();
    expect(recipients(inbox)).toEqual(["ana@example.com", "cleo@example.com"]);
    rig.set("2026-11-23T14:00:00Z");
    await rig.run();
    expect(recipients(inbox)).toContain("ben@example.com");
    expect(new Set(subjects(inbox))).toEqual(
      new Set(["Due tomorrow: Write the brief – Tue 24 Nov 2026"]),
    );
  });

  it("with the fact in front, the list, the zone and links, and no calendar for a task", async () => {
    const { inbox, rig } = await started("2026-11-23T09:00:00Z", {
      choiceUrl: ({ person, choice }) => `https://dates.example/unsubscribe/${person}-${choice}`,
      actions: (shown, person) => [
        { label: "Done", url: `https://dates.example/act/${shown.item.id}-${person}` },
      ],
    });
    rig.put(aTask({ description: "Two pages.", assigned: [ana, ben] }));
    await rig.run();
    const mail = inbox.mails.find(({ to }) => to === "ana@example.com")?.mail;
    expect(mail?.text?.replaceAll("\r\n", "\n").trimEnd()).toBe(
      [
        "Due tomorrow, Tue 24 Nov 2026: Write the brief",
        "",
        "Kind: task",
        "Project: Website",
        "List: Launch",
        "Also assigned: Ben",
        "",
        "Two pages.",
        "",
        "Open: https://company.example.com/#/2001/task/801",
        "Done: https://dates.example/act/801-11",
        "",
        "-- ",
        "You get this mail because you are assigned: a task is reminded of 1 day before at 09:00 (Europe/Lisbon).",
        "Stop reminders of tasks: https://dates.example/unsubscribe/11-tasks",
      ].join("\n"),
    );
    expect(mail?.attachments).toEqual([]);
    const headers = new Map(mail?.headers.map(({ key, value }) => [key, value]));
    expect(headers.get("list-unsubscribe")).toBe("<https://dates.example/unsubscribe/11-tasks>");
    expect(headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    const hidden = /<div style="display:none[^>]*>(.*?)<\/div>/.exec(mail?.html ?? "")?.[1];
    expect(hidden).toMatch(/^Due tomorrow, Tue 24 Nov 2026: Write the brief /);
    expect(mail?.html).toContain("<strong>Due tomorrow, Tue 24 Nov 2026</strong>");
  });

  it("of milestones seven days and one day before, with a calendar", async () => {
    const { inbox, rig } = await started("2026-11-17T08:30:00Z");
    const milestone = { milestone: true, when: days("2026-11-24", "2026-11-26"), reminder: null };
    rig.put(anEvent({ ...milestone, assigned: [ben] }));
    await rig.run();
    rig.set("2026-11-23T08:30:00Z");
    await rig.run();
    expect(inbox.mails.map(({ mail }) => mail.subject)).toEqual([
      "Due in 7 days: Design review – Tue 24 Nov 2026",
      "Due tomorrow: Design review – Tue 24 Nov 2026",
    ]);
    const [mail] = inbox.mails;
    expect(mail?.mail.text).toContain("Tue 24 Nov 2026 – Wed 25 Nov 2026 (all day)");
    expect(mail?.mail.attachments.map(({ mimeType }) => mimeType)).toContain("text/calendar");
  });

  it("once also when the item is moved away and back, and anew for another day", async () => {
    const { inbox, rig } = await started("2026-11-23T09:00:00Z");
    rig.put(aTask());
    await rig.run();
    rig.put(aTask({ dueOn: on("2026-11-27") }));
    await rig.run();
    rig.put(aTask());
    rig.advance({ minutes: 10 });
    await rig.run();
    expect(inbox.mails).toHaveLength(1);
    rig.put(aTask({ dueOn: on("2026-11-27") }));
    expect(rig.nextAt()).toBe("2026-11-26T09:00:00Z");
    rig.set("2026-11-26T09:00:00Z");
    await rig.run();
    expect(subjects(inbox)).toEqual([
      "Due tomorrow: Write the brief – Fri 27 Nov 2026",
      "Due tomorrow: Write the brief – Tue 24 Nov 2026",
    ]);
  });

  it("not of what became known when the mail was due long ago, nor when it was done in time", async () => {
    const { inbox, rig } = await started("2026-11-23T21:00:01Z");
    rig.put(aTask());
    rig.put(aTask({ id: serviceId(802), dueOn: on("2026-11-25") }));
    await rig.run();
    rig.put(aTask({ id: serviceId(802), dueOn: on("2026-11-25"), completed: true }));
    rig.set("2026-11-24T09:00:00Z");
    await rig.run();
    expect(inbox.asked).toEqual([]);
  });

  it("not of archived lists, nor to who has left the project", async () => {
    const { inbox, rig } = await started("2026-11-23T09:00:00Z");
    rig.store.directory.putTodolists(
      null,
      [aTodolist(3001, { archived: true }), aTodolist(3002)],
      true,
    );
    const [project] = rig.store.directory.projects();
    if (!project) throw new Error("there is a project");
    rig.store.directory.putProjects([{ ...project, members: [ana] }], true);
    rig.put(aTask());
    rig.put(aTask({ id: serviceId(802), listId: listId(3002), assigned: [ana, ben] }));
    await rig.run();
    expect(recipients(inbox)).toEqual(["ana@example.com"]);
  });
});

describe("step() mails what is overdue", () => {
  it("once, the day after, and only while it is open", async () => {
    const { inbox, rig } = await started("2026-11-24T20:00:00Z");
    rig.put(aTask(), aTask({ id: serviceId(802), kind: "subtask", parentId: serviceId(801) }));
    rig.put(aTask({ id: serviceId(803), title: "In time" }));
    await rig.run();
    rig.put(aTask({ id: serviceId(803), title: "In time", completed: true }));
    rig.set("2026-11-25T09:00:00Z");
    await rig.run();
    rig.restart();
    rig.set("2026-11-26T09:00:00Z");
    await rig.run();
    expect(subjects(inbox)).toEqual([
      "Overdue: Write the brief – was due Tue 24 Nov 2026",
      "Overdue: Write the brief – was due Tue 24 Nov 2026",
    ]);
    const texts = inbox.mails.map(({ mail }) => mail.text ?? "");
    expect(
      texts.filter((text) => text.includes("\nKind: subtask\nTask: Write the brief\n")),
    ).toHaveLength(1);
    expect(inbox.mails[0]?.mail.text).toMatch(
      /^Was due yesterday, Tue 24 Nov 2026: Write the brief\n/,
    );
    expect(inbox.mails[0]?.mail.html).toContain(
      "<strong>Was due yesterday, Tue 24 Nov 2026</strong>",
    );
  });

  it("never of what was overdue when it was first seen, and again for another due date", async () => {
    const { inbox, rig } = await started("2026-11-25T08:00:00Z");
    rig.put(aTask());
    rig.set("2026-11-25T10:00:00Z");
    await rig.run();
    expect(inbox.asked).toEqual([]);
    rig.put(aTask({ dueOn: on("2026-11-26") }));
    rig.set("2026-11-27T09:00:00Z");
    await rig.run();
    expect(subjects(inbox)).toEqual(["Overdue: Write the brief – was due Thu 26 Nov 2026"]);
  });
});

describe("step() knows whom to tell", () => {
  it("nobody before the workspace was read for the first time", async () => {
    let swept = false;
    const { inbox, rig, mailer } = await started("2026-11-23T09:00:00Z", { swept: () => swept });
    rig.put(aTask());
    await rig.run();
    rig.advance({ hours: 2 });
    rig.restart(mailer);
    await rig.run();
    expect(rig.nextAt()).toBeNull();
    expect(inbox.asked).toEqual([]);
    swept = true;
    await rig.run();
    expect(inbox.mails).toHaveLength(1);
  });

  it("after a restart only once this process has read it, or ten minutes later", async () => {
    let swept = true;
    const { inbox, rig, mailer } = await started("2026-11-20T09:00:00Z", { swept: () => swept });
    await rig.run();
    swept = false;
    rig.put(aTask());
    rig.set("2026-11-23T09:00:00Z");
    rig.restart(mailer);
    rig.advance({ minutes: 9 });
    await rig.run();
    expect(inbox.asked).toEqual([]);
    rig.advance({ minutes: 1 });
    await rig.run();
    expect(inbox.mails).toHaveLength(1);
  });

  it("each of two people with one address, and nobody twice for a new address", async () => {
    const { inbox, rig } = await started("2026-11-23T09:00:00Z");
    const shared = "team@example.com";
    rig.store.directory.putPeople(
      [
        aPerson({ id: ana, name: "Ana", email: shared }),
        aPerson({ id: ben, name: "Ben", email: shared }),
      ],
      false,
    );
    rig.put(aTask({ assigned: [ana, ben] }));
    await rig.run();
    expect(recipients(inbox)).toEqual([shared, shared]);
    rig.store.directory.putPeople([aPerson({ id: ben, name: "Ben", email: "b@b.example" })], false);
    await rig.run();
    expect(inbox.mails).toHaveLength(2);
  });

  it("nobody who is to do without this kind, or has turned it off, until it is turned on", async () => {
    const { inbox, rig } = await started("2026-11-23T09:00:00Z", {
      wishes: (person) => ({ ...everyKind, tasks: person !== ben }),
    });
    rig.put(aTask({ assigned: [ana, ben, cleo] }));
    rig.store.mailChoices.turnOff(ana, "tasks");
    rig.store.mailChoices.turnOff(cleo, "all");
    await rig.run();
    expect(inbox.asked).toEqual([]);
    rig.store.mailChoices.turnOn(ana, "tasks");
    await rig.run();
    expect(recipients(inbox)).toEqual(["ana@example.com"]);
  });
});

describe("step() folds what was missed", () => {
  const tasks = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      aTask({ id: serviceId(810 + index), title: `Task ${index}`, assigned: [ana, ben] }),
    );

  it.each([
    [5, 10],
    [6, 2],
  ])("%i things for each of two people become %i mails", async (count, mails) => {
    const { inbox, rig } = await started("2026-11-23T10:00:00Z");
    rig.put(...tasks(count));
    await rig.run();
    rig.restart();
    rig.advance({ minutes: 30 });
    await rig.run();
    expect(inbox.mails).toHaveLength(mails);
    expect(rig.store.ledger.state().sent).toBe(2 * count);
  });

  it("lists them all, each under the mail's Message-ID", async () => {
    const { inbox, rig } = await started("2026-11-23T10:00:00Z", {
      choiceUrl: ({ person, choice }) => `http://dates.example/unsubscribe/${person}-${choice}`,
    });
    rig.put(...tasks(7));
    rig.put(anEvent({ when: days("2026-11-23", "2026-11-24"), assigned: [ben] }));
    await rig.run();
    const mail = inbox.mails.find(({ to }) => to === "ben@example.com")?.mail;
    expect(mail?.subject).toMatch(/^8 late reminders: /);
    for (let index = 0; index < 7; index += 1) expect(mail?.text).toContain(`- Task ${index}\n`);
    expect(mail?.text).toContain("- Design review\n  Starts today · Mon 23 Nov 2026 (all day)");
    expect(mail?.text).toContain("https://company.example.com/#/2001/task/811");
    expect(mail?.text).toContain("http://dates.example/unsubscribe/12-all");
    const headers = new Map(mail?.headers.map(({ key, value }) => [key, value]));
    expect(headers.has("list-unsubscribe")).toBe(true);
    expect(headers.has("list-unsubscribe-post")).toBe(false);
    const events = rig.events.filter(({ person }) => person === ben);
    expect(new Set(events.map(({ messageId }) => messageId))).toEqual(
      new Set([mail?.messageId ?? ""]),
    );
    expect(events).toHaveLength(8);
  });

  it("repeats it after a crash with what is left, under the same Message-ID", async () => {
    const { inbox, rig, mailer } = await started("2026-11-23T10:00:00Z");
    let first = "";
    rig.restart({
      ...mailer,
      send: ({ messageId }) => {
        first = messageId;
        return new Promise(() => undefined);
      },
    });
    const put = tasks(6).map((task) => ({ ...task, assigned: [ana] }));
    rig.put(...put);
    void rig.step();
    expect(first).not.toBe("");
    rig.restart(mailer);
    rig.put(...put.slice(1).map((task) => ({ ...task, completed: true })));
    rig.put(aTask({ id: serviceId(830), title: "New" }));
    await rig.run();
    expect(inbox.mails.map(({ mail }) => mail.messageId)).toContain(first);
    expect(subjects(inbox)).toEqual([
      "1 late reminder: Task 0",
      "Due tomorrow: New – Tue 24 Nov 2026",
    ]);
    const open = rig.store.ledger.unsettled();
    expect(open).toEqual([]);
  });
});

describe("step() keeps its pace", () => {
  it("begins no more mails in a minute than it may, also after a restart", async () => {
    const { inbox, rig } = await started("2026-11-23T09:00:00Z", { perMinute: 2 });
    const put = Array.from({ length: 5 }, (_, index) => aTask({ id: serviceId(810 + index) }));
    rig.put(...put);
    await rig.run();
    expect(inbox.mails).toHaveLength(2);
    expect(rig.nextAt()).toBe("2026-11-23T09:01:00Z");
    rig.restart();
    rig.set("2026-11-23T09:00:59Z");
    expect(await rig.step()).toBe("idle");
    rig.set("2026-11-23T09:01:00Z");
    await rig.run();
    expect(inbox.mails).toHaveLength(4);
    rig.set("2026-11-23T08:30:00Z");
    await rig.run();
    rig.set("2026-11-23T09:02:00Z");
    await rig.run();
    expect(inbox.mails).toHaveLength(5);
    expect(rig.store.ledger.begunSince(at("2026-11-23T08:00:00Z"))).toHaveLength(5);
  });
});
