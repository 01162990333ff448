import { describe, expect, it } from "vitest";
import { listId, serviceId } from "../../src/domain/ids.ts";
import { aTodolist, dates } from "../support/items.ts";
import { started } from "./day-mails-rig.ts";
import { ana, anEvent, aPerson, aTask, ben, cleo, on, recipients, subjects } from "./rig.ts";

describe("step() mails the leads of tasks, subtasks and milestones", () => {
  it("at nine on each reader's clock", async () => {
    const { inbox, rig } = await started("2026-11-23T07:59:59Z");
    rig.store.directory.putPeople(
      [aPerson({ id: ben, name: "Ben", timeZone: "America/New_York" })],
      false,
    );
    rig.put(aTask({ assigned: [ana, ben, cleo] }));
    await rig.run();
    expect(inbox.mails).toEqual([]);
    expect(rig.nextAt()).toBe("2026-11-23T08:00:00Z");
    await rig.run("2026-11-23T08:00:00Z");
    expect(recipients(inbox)).toEqual(["cleo@example.com"]);
    await rig.run("2026-11-23T09:00:00Z");
    expect(recipients(inbox)).toEqual(["ana@example.com", "cleo@example.com"]);
    await rig.run("2026-11-23T14:00:00Z");
    expect(recipients(inbox)).toContain("ben@example.com");
    expect(new Set(subjects(inbox))).toEqual(
      new Set(["Due tomorrow: Write the brief – Tue 24 Nov 2026"]),
    );
  });

  it("with the fact first, the list, the zone and links, and no calendar for a task", async () => {
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
        "You are assigned to this task. Reminders are sent 1 day before, at 09:00 (Europe/Lisbon).",
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

  it("seven days and one day before milestones, with a calendar", async () => {
    const { inbox, rig } = await started("2026-11-17T08:30:00Z");
    const milestone = { milestone: true, when: dates("2026-11-24", "2026-11-26"), reminder: null };
    rig.put(anEvent({ ...milestone, assigned: [ben] }));
    await rig.run();
    await rig.run("2026-11-23T08:30:00Z");
    expect(inbox.mails.map(({ mail }) => mail.subject)).toEqual([
      "Due in 7 days: Design review – Tue 24 Nov 2026",
      "Due tomorrow: Design review – Tue 24 Nov 2026",
    ]);
    const [mail] = inbox.mails;
    expect(mail?.mail.text).toContain("Tue 24 Nov 2026 – Wed 25 Nov 2026 (all day)");
    expect(mail?.mail.attachments.map(({ mimeType }) => mimeType)).toContain("text/calendar");
  });

  it("once although the item is moved away and back, and again for another day", async () => {
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
    await rig.run("2026-11-26T09:00:00Z");
    expect(subjects(inbox)).toEqual([
      "Due tomorrow: Write the brief – Fri 27 Nov 2026",
      "Due tomorrow: Write the brief – Tue 24 Nov 2026",
    ]);
  });

  it("not for what became known after the mail was due, nor for what was done in time", async () => {
    const { inbox, rig } = await started("2026-11-23T21:00:01Z");
    rig.put(aTask());
    rig.put(aTask({ id: serviceId(802), dueOn: on("2026-11-25") }));
    await rig.run();
    rig.put(aTask({ id: serviceId(802), dueOn: on("2026-11-25"), completed: true }));
    await rig.run("2026-11-24T09:00:00Z");
    expect(inbox.asked).toEqual([]);
  });

  it("not for archived lists, nor to people who left the project", async () => {
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
    await rig.run("2026-11-25T09:00:00Z");
    rig.restart();
    await rig.run("2026-11-26T09:00:00Z");
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

  it("never for what was overdue when first seen, and again for another due date", async () => {
    const { inbox, rig } = await started("2026-11-25T08:00:00Z");
    rig.put(aTask());
    await rig.run("2026-11-25T10:00:00Z");
    expect(inbox.asked).toEqual([]);
    rig.put(aTask({ dueOn: on("2026-11-26") }));
    await rig.run("2026-11-27T09:00:00Z");
    expect(subjects(inbox)).toEqual(["Overdue: Write the brief – was due Thu 26 Nov 2026"]);
  });
});
