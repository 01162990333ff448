import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { isInstalled } from "./programs.ts";
import { type ClientSetting, clientSetting, day, icsDay, only } from "./setting.ts";
import { type VdirHome, vdirHome } from "./vdir-home.ts";

// vdirsyncer itself synchronises a folder of files with the calendars, each test from where the last one ended.

describe.skipIf(!isInstalled("vdirsyncer"))("vdirsyncer", () => {
  let setting: ClientSetting;
  let home: VdirHome;
  const uids = { event: "", task: "" };

  beforeAll(async () => {
    setting = await clientSetting();
    const event = setting.addEvent({
      title: "Kick-off",
      description: "<p>Bring <b>cake</b></p>",
      start: `${day(3)}T10:00:00+01:00`,
      end: `${day(3)}T11:00:00+01:00`,
      all_day: false,
      reminder: 15,
    });
    const task = setting.addTask({ title: "Write the brief", due_date: day(5) });
    setting.addSubtask(task.id, { title: "Ask Ben", due_date: day(4) });
    // vdirsyncer stops and asks when a folder is emptied completely.
    setting.workspace.tasks.create(
      { by: setting.by, project: setting.place.project, list: setting.nearList },
      { title: "Stays here" },
    );
    setting.addEvent({ title: "Launch", start: day(9), all_day: true, milestone: true });
    await setting.refresh();
    uids.event = setting.uidOf("event", event.id);
    uids.task = setting.uidOf("task", task.id);
    home = vdirHome(setting, "vdirsyncer");
  });
  afterAll(() => setting?.close());

  it("finds every calendar of the person from the context root", async () => {
    const { code, output } = await home.run("discover");
    expect(code, output).toBe(0);
    expect(readdirSync(home.files).toSorted()).toEqual(
      Object.values(setting.slugs)
        .toSorted()
        .concat([`milestones-${setting.far.project}`, `tasks-${farLater()}`])
        .toSorted(),
    );
  });

  const farLater = () => setting.workspace.places()[1]?.lists[1] ?? 0;

  it("loads the contents of the service, with names and colors", async () => {
    await home.sync();
    expect(home.titles(setting.slugs.events)).toEqual(["Kick-off", "Launch"]);
    expect(home.titles(setting.slugs.tasks)).toEqual(["Ask Ben", "Write the brief"]);
    expect(home.titles(setting.slugs.milestones)).toEqual(["Launch"]);
    expect(home.textOf(setting.slugs.events, uids.event)).toContain("DESCRIPTION:Bring cake\n");
    const { code, output } = await home.run("metasync");
    expect(code, output).toBe(0);
    const told = readFileSync(join(home.files, setting.slugs.events, "displayname"), "utf8");
    expect(told).toContain("Blank project");
    expect(readFileSync(join(home.files, setting.slugs.events, "color"), "utf8")).toBe("#428BCA");
  });

  it("has nothing to do the next time, and sends nothing to the service", async () => {
    const before = setting.writes().length;
    const { output } = await home.sync();
    expect(output).not.toMatch(/Copying|Deleting/);
    expect(setting.writes()).toHaveLength(before);
    expect(setting.edits()).toEqual([]);
  });

  it("sends changed and new files to the service, once", async () => {
    home.change(setting.slugs.events, uids.event, (text) =>
      text
        .replace("SUMMARY:Kick-off", "SUMMARY:Kick-off\\, moved")
        .replaceAll("T100000", "T090000"),
    );
    home.write(setting.slugs.events, "own name, with @.ics", [
      "BEGIN:VEVENT",
      "UID:new-one@example.com",
      "DTSTAMP:20260101T000000Z",
      "SUMMARY:Retrospective",
      `DTSTART;VALUE=DATE:${icsDay(20)}`,
      `DTEND;VALUE=DATE:${icsDay(22)}`,
      "LOCATION:Room 3",
      "X-EVOLUTION-CALDAV-HREF:of no interest",
      "END:VEVENT",
    ]);
    home.write(setting.slugs.nearTasks, "todo.ics", [
      "BEGIN:VTODO",
      "UID:new-todo@example.com",
      "DTSTAMP:20260101T000000Z",
      "SUMMARY:Buy paper",
      `DUE;VALUE=DATE:${icsDay(2)}`,
      "PRIORITY:1",
      "END:VTODO",
    ]);
    await home.sync();
    await setting.arrived();
    expect(only(setting.events(), "Kick-off, moved")).toMatchObject({
      start: `${day(3)} 09:00`,
      end: `${day(3)} 11:00`,
      reminder: 15,
      description: "<p>Bring <b>cake</b></p>",
    });
    expect(only(setting.events(), "Retrospective")).toMatchObject({
      start: `${day(20)} 00:00`,
      end: `${day(21)} 23:59`,
      all_day: true,
    });
    expect(only(setting.tasks(setting.nearList), "Buy paper").due_date).toBe(day(2));
    expect(setting.events()).toHaveLength(3);
  });

  it("is in sync after that: no copies, no loops, and what the service cannot store stays", async () => {
    await setting.refresh();
    const before = setting.writes().length;
    for (let round = 0; round < 2; round++) {
      const { output } = await home.sync();
      expect(output).not.toMatch(/Copying|Deleting/);
      await setting.refresh();
    }
    expect(setting.writes()).toHaveLength(before);
    const text = home.textOf(setting.slugs.events, "new-one@example.com");
    expect(text).toContain("LOCATION:Room 3\n");
    expect(text).toContain("X-EVOLUTION-CALDAV-HREF:of no interest\n");
    expect(home.titles(setting.slugs.events)).toHaveLength(3);
  });

  it("brings changes of the workspace, and keeps the client's own lines", async () => {
    const { id } = only(setting.events(), "Retrospective");
    setting.changeEvent(id, { title: "Retrospective and drinks" });
    const { id: task } = only(setting.tasks(), "Write the brief");
    setting.changeTask(task, { completed: true });
    await setting.refresh();
    await home.sync();
    const text = home.textOf(setting.slugs.events, "new-one@example.com");
    expect(text).toContain("SUMMARY:Retrospective and drinks\n");
    expect(text).toContain("LOCATION:Room 3\n");
    expect(home.textOf(setting.slugs.tasks, uids.task)).toContain("STATUS:COMPLETED\n");
  });

  it("leaves a repeating event where it is, with the reason, and syncs the rest", async () => {
    home.write(setting.slugs.events, "weekly.ics", [
      "BEGIN:VEVENT",
      "UID:weekly@example.com",
      "DTSTAMP:20260101T000000Z",
      "SUMMARY:Weekly",
      `DTSTART;TZID=Europe/Berlin:${icsDay(4)}T090000`,
      "RRULE:FREQ=WEEKLY",
      "END:VEVENT",
    ]);
    home.write(setting.slugs.events, "single.ics", [
      "BEGIN:VEVENT",
      "UID:single@example.com",
      "DTSTAMP:20260101T000000Z",
      "SUMMARY:Single",
      `DTSTART:${icsDay(4)}T080000Z`,
      "END:VEVENT",
    ]);
    const { code, output } = await home.run("sync");
    expect(code).not.toBe(0);
    expect(output).toContain("409");
    await setting.arrived();
    expect(setting.events().map(({ title }) => title)).not.toContain("Weekly");
    expect(only(setting.events(), "Single").start).toBe(berlin(`${day(4)}T08:00:00Z`));
    rmSync(join(home.files, setting.slugs.events, "weekly.ics"));
    await home.sync();
  });

  it("finds a conflict, changes neither side, and lets the chosen side win", async () => {
    home.change(setting.slugs.events, "single@example.com", (text) =>
      text.replace("SUMMARY:Single", "SUMMARY:Single of the folder"),
    );
    const { id } = only(setting.events(), "Single");
    setting.changeEvent(id, { title: "Single of the workspace" });
    await setting.refresh();
    const { code, output } = await home.run("sync");
    expect(code).not.toBe(0);
    expect(output).toMatch(/conflict/i);
    expect(only(setting.events(), "Single of the workspace").id).toBe(id);
    expect(home.textOf(setting.slugs.events, "single@example.com")).toContain("of the folder");

    home.configure("a wins");
    await home.sync();
    await setting.arrived();
    expect(only(setting.events(), "Single of the folder").id).toBe(id);
    expect(setting.events()).toHaveLength(4);
  });

  it("deletes on both sides", async () => {
    home.remove(setting.slugs.events, "single@example.com");
    await home.sync();
    await setting.arrived();
    expect(setting.events().map(({ title }) => title)).not.toContain("Single of the folder");
    const { id } = only(setting.events(), "Retrospective and drinks");
    setting.workspace.events.remove({ by: setting.by, project: setting.place.project, event: id });
    await eventually("the event has left the calendar", async () => {
      await setting.refresh();
      await home.sync();
      return home.titles(setting.slugs.events).length === 2 ? true : null;
    });
    expect(home.titles(setting.slugs.events)).toEqual(["Kick-off, moved", "Launch"]);
  });

  it("completes a milestone in its list, and its event follows", async () => {
    home.change(setting.slugs.milestones, "Launch", (text) =>
      text.replace(/^STATUS:.*\n/m, "").replace("END:VTODO", "STATUS:COMPLETED\nEND:VTODO"),
    );
    await home.sync();
    await setting.arrived();
    expect(only(setting.events(), "Launch")).toMatchObject({ completed: true, milestone: true });
  });

  it("moves a task between folders", async () => {
    const name = home.nameOf(setting.slugs.nearTasks, "new-todo@example.com");
    const from = join(home.files, setting.slugs.nearTasks, name);
    const { id } = only(setting.tasks(setting.nearList), "Buy paper");
    const place = { by: setting.by, project: setting.place.project, list: setting.nearList };
    setting.workspace.comments.create({ ...place, task: id }, { description: "Keep me" });
    writeFileSync(join(home.files, setting.slugs.tasks, name), readFileSync(from));
    rmSync(from);
    // When the new file came first, the task has left its old address when vdirsyncer deletes it there: that run
    // reports it.
    await home.run("sync");
    await setting.arrived();
    await home.sync();
    const kept = { id, comments: 1, due_date: day(2) };
    expect(only(setting.tasks(), "Buy paper")).toMatchObject(kept);
    expect(setting.tasks(setting.nearList).map(({ title }) => title)).toEqual(["Stays here"]);
    await home.sync();
    expect(home.titles(setting.slugs.tasks)).toContain("Buy paper");
    expect(home.titles(setting.slugs.nearTasks)).toEqual(["Stays here"]);
  });

  it("ends with both sides equal, and every edit confirmed", async () => {
    await setting.refresh();
    const { output } = await home.sync();
    expect(output).not.toMatch(/Copying|Deleting/);
    // When the removal of a moved file came first, it was undone.
    for (const { action, state, problem } of setting.edits()) {
      if (action === "delete") expect(["confirmed", "discarded"], `${problem}`).toContain(state);
      else expect(state, `${problem}`).toBe("confirmed");
    }
    expect(existsSync(home.files)).toBe(true);
    expect(home.titles(setting.slugs.events)).toEqual(
      setting
        .events()
        .map(({ title }) => title)
        .toSorted(),
    );
  });
});

/** Wall-clock text of the account's zone, as the service shows it. */
const berlin = (instant: string): string =>
  Temporal.Instant.from(instant)
    .toZonedDateTimeISO("Europe/Berlin")
    .toPlainDateTime()
    .toString({ smallestUnit: "minute" })
    .replace("T", " ");
