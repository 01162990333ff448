import { OutdatedObjectError } from "@dayferry/caldav-server/backend";
import { readCalendarObject } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { UnknownCalendarError } from "../../src/calendars/create-calendars.ts";
import { labelId, listId, type ProjectId, projectId, serviceId } from "../../src/domain/ids.ts";
import { aLabel, anEvent, aPerson, aProject, aTask, days, zone } from "../support/items.ts";
import { ann, bob, calendarRig, calendarsOf, eve, open, textOf } from "./rig.ts";

describe("a person's calendars", () => {
  it("are own projects, visible lists, milestones and assigned items", () => {
    const { calendars, put } = calendarRig();
    const slugs = (person: typeof ann) => calendars.list(person).map(({ slug }) => slug);
    const common = ["events-2001", "tasks-3001", "milestones-2001"];
    expect(slugs(eve)).toEqual([...common, "assigned"]);
    const fair = ["events-2002", "tasks-3003", "milestones-2002"];
    expect(slugs(ann)).toEqual([...common, ...fair, "assigned"]);
    put(aTask(1, { listId: listId(3002), creatorId: ann }));
    expect(slugs(ann)).toContain("tasks-3002");
    expect(slugs(bob)).not.toContain("tasks-3002");
    expect(calendars.find(bob, "tasks-3002")).toBeNull();
    expect(calendars.list(ann).map(({ order }) => order)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("take name, color and text from the project", () => {
    const rig = calendarRig();
    expect(open(rig, "events-2001")).toMatchObject({
      name: "Website",
      description: "All of it",
      color: "#1A2B3C",
      components: ["VEVENT"],
      access: "write",
      refusesNew: null,
    });
    expect(open(rig, "tasks-3001")).toMatchObject({
      name: "Website: Relaunch",
      listId: 3001,
      components: ["VTODO"],
    });
    expect(open(rig, "milestones-2001").name).toBe("Website: milestones");
    expect(open(rig, "assigned")).toMatchObject({ name: "Assigned to me", projectId: null });
    expect(open(rig, "assigned").refusesNew).not.toBeNull();
  });

  it("take colors of feeds if they have none, while the feeds are open", () => {
    const rig = calendarRig();
    const { feeds, directory } = rig.store;
    const colours = () =>
      ["events-2001", "tasks-3003", "assigned"].map((slug) => open(rig, slug).color);
    expect(colours()).toEqual(["#1A2B3C", "#8A3FFC", "#1559B7"]);
    const of = { filter: null, name: "Of feeds", givenName: null };
    const [website, fair] = directory.projects();
    const project = { ...of, kind: "project", personId: null } as const;
    feeds.add({ ...project, projectId: website?.id ?? null, colour: "#000001" });
    feeds.add({ ...project, projectId: fair?.id ?? null, colour: "#000002" });
    feeds.add({ ...of, kind: "person", projectId: null, personId: bob, colour: "#000004" });
    const own = { ...of, kind: "person", projectId: null, personId: ann } as const;
    const { id } = feeds.add({ ...own, colour: "#000003" });
    rig.store.changes.directoryChanged();
    expect(colours()).toEqual(["#1A2B3C", "#000002", "#000003"]);
    feeds.revoke(id);
    rig.store.changes.directoryChanged();
    expect(colours()).toEqual(["#1A2B3C", "#000002", "#1559B7"]);
  });

  it("are none if the person is unknown or suspended, or if they are switched off", () => {
    const { calendars, store } = calendarRig();
    store.directory.putPeople(
      [aPerson(11, "Ann"), { ...aPerson(12, "Bob"), suspended: true }],
      true,
    );
    expect(calendars.list(bob)).toEqual([]);
    expect(calendars.list(eve)).toEqual([]);
    store.directory.putProjects([{ ...aProject(2001, "Website"), archived: true }], true);
    expect(calendars.list(ann).map(({ slug }) => slug)).toEqual(["assigned"]);
    const quiet = calendarsOf(store, { milestones: false, readOnly: new Set([ann]) });
    store.directory.putProjects([aProject(2001, "Website")], true);
    expect(quiet.list(ann).map(({ slug, access }) => [slug, access])).toEqual([
      ["events-2001", "read"],
      ["tasks-3001", "read"],
      ["assigned", "read"],
    ]);
  });

  it("are incomplete if one of several projects was not read", () => {
    const { store } = calendarRig();
    const calendars = calendarsOf(store, { hasRead: (id) => id === projectId(2001) });
    const read = calendars.list(ann).map((each) => [each.slug, calendars.hasRead(each)]);
    expect(Object.fromEntries(read)).toMatchObject({
      "events-2001": true,
      "tasks-3003": false,
      assigned: false,
    });
  });

  it("stay complete if a project appears after everything was read", () => {
    const { store } = calendarRig();
    const hasRead = (id: ProjectId | null) => id === null || id === projectId(2001);
    const calendars = calendarsOf(store, { hasRead });
    const read = calendars.list(ann).map((each) => [each.slug, calendars.hasRead(each)]);
    expect(Object.fromEntries(read)).toMatchObject({ "tasks-3003": false, assigned: true });
  });
});

describe("objects of a calendar", () => {
  it("are listed wherever they belong, in the right component", () => {
    const rig = calendarRig();
    rig.put(anEvent(1, { assigned: [ann] }));
    rig.put(anEvent(2, { milestone: true, when: days("2026-12-01") }));
    rig.put(aTask(3, { assigned: [ann, bob] }));
    rig.put(aTask(4, { projectId: projectId(2002), listId: listId(3003), assigned: [eve] }));
    const shown = (slug: string, person = ann) =>
      rig.calendars
        .objects(open(rig, slug, person))
        .map(({ name, component }) => `${name.slice(0, 7)} ${component}`);
    expect(shown("events-2001")).toEqual(["event-1 VEVENT", "event-2 VEVENT"]);
    expect(shown("milestones-2001")).toEqual(["event-2 VTODO"]);
    expect(shown("tasks-3001")).toEqual(["task-3@ VTODO"]);
    expect(shown("assigned")).toEqual(["event-1 VEVENT", "task-3@ VTODO"]);
    // Eve is no member of that project.
    expect(shown("assigned", eve)).toEqual([]);
  });

  it("are hidden if private, except from creator and assignees, even by name and UID", () => {
    const rig = calendarRig();
    const key = rig.put(anEvent(1, { private: true, creatorId: bob, assigned: [ann] }));
    rig.put(anEvent(2));
    const { uid } = rig.seen(key);
    const [forAnn, forEve] = [open(rig, "events-2001"), open(rig, "events-2001", eve)];
    expect(rig.calendars.objects(forAnn)).toHaveLength(2);
    expect(rig.calendars.objects(forEve)).toHaveLength(1);
    expect(rig.calendars.object(forAnn, `${uid}.ics`)?.key).toBe(key);
    expect(rig.calendars.object(forEve, `${uid}.ics`)).toBeNull();
    expect(rig.calendars.objectOfUid(forEve, uid)).toBeNull();
    expect(textOf(rig, rig.calendars.objectOfUid(forAnn, uid))).toContain("CLASS:PRIVATE");
  });

  it("are cached until something changes", () => {
    const rig = calendarRig();
    rig.put(anEvent(1));
    const calendar = open(rig, "events-2001");
    const before = rig.calendars.objects(calendar);
    expect(rig.calendars.objects(calendar)).toBe(before);
    rig.put(anEvent(1, { title: "Other" }));
    const after = rig.calendars.objects(calendar);
    expect(after[0]?.etag).not.toBe(before[0]?.etag);
    expect(rig.calendars.octets(after[0] ?? expect.fail()).toString()).toContain("SUMMARY:Other");
    const [old] = before;
    expect(() => rig.calendars.octets(old ?? expect.fail())).toThrow(OutdatedObjectError);
  });

  it("are found under two names if both want the same one", () => {
    const rig = calendarRig();
    const [one, two] = [rig.put(anEvent(1)), rig.put(anEvent(2))];
    rig.store.together(() => rig.calendars.rename(one, "same.ics"));
    rig.store.together(() => rig.calendars.rename(two, "same.ics"));
    const calendar = open(rig, "events-2001");
    const names = rig.calendars.objects(calendar).map(({ name }) => name);
    expect(names[0]).toBe("same.ics");
    expect(names[1]).toMatch(/^x-[0-9a-f]{32}\.ics$/);
    expect(names.map((name) => rig.calendars.object(calendar, name)?.key)).toEqual([one, two]);
    expect(
      rig
        .reopened()
        .objects(calendar)
        .map(({ name }) => name),
    ).toEqual(names);
  });

  it("are rendered again if memory is short", () => {
    const { store, put } = calendarRig();
    for (let id = 1; id <= 20; id++) put(anEvent(id));
    const rig = { calendars: calendarsOf(store, { budget: 2000 }) };
    const calendar = open(rig, "events-2001");
    for (const object of rig.calendars.objects(calendar)) {
      expect(rig.calendars.octets(object).byteLength).toBe(object.length);
      expect(textOf(rig, object)).toContain(`UID:${object.uid}`);
    }
  });

  it("fail if the calendar is gone, instead of an empty list", () => {
    const rig = calendarRig();
    const calendar = open(rig, "events-2001");
    rig.store.directory.putProjects([aProject(2002, "Fair")], true);
    expect(() => rig.calendars.objects(calendar)).toThrow(UnknownCalendarError);
  });
});

describe("octets of an object", () => {
  const events = [
    anEvent(1, { title: "A; b, c \\ d", description: "<p>Some <b>text</b></p>" }),
    anEvent(1, {
      when: days("2026-12-24", "2026-12-26"),
      reminder: Temporal.Duration.from({ hours: 1 }),
    }),
    anEvent(1, { milestone: true, title: "✓ ◆ odd" }),
    anEvent(1, { title: "" }),
  ];
  it.each(events)("describe the item when they are read again", (event) => {
    const rig = calendarRig();
    const key = rig.put(event);
    const object = rig.calendars.objectOfUid(open(rig, "events-2001"), rig.seen(key).uid);
    const read = readCalendarObject(rig.calendars.octets(object ?? expect.fail()), { zone });
    if (!read.ok) return expect.fail(JSON.stringify(read.failure));
    expect(read.value.uid).toBe(rig.seen(key).uid);
    expect(read.value.summary ?? "").toBe(event.title);
    const text = textOf(rig, object);
    expect(text).not.toMatch(/ATTENDEE|X-ALT-DESC|URL|METHOD/);
    return expect(text.includes("CATEGORIES:Milestone")).toBe(event.milestone);
  });

  it("of tasks have dates, labels, progress and the parent's UID", () => {
    const rig = calendarRig();
    rig.store.directory.putLabels([aLabel(7, "Urgent")], true);
    const parent = rig.put(aTask(1, { labels: [labelId(7)], percent: 40 }));
    const child = rig.put(
      aTask(2, {
        kind: "subtask",
        parentId: serviceId(1),
        completed: true,
        percent: 100,
        completedAt: Temporal.Instant.from("2026-11-20T10:00:00Z"),
      }),
    );
    const calendar = open(rig, "tasks-3001");
    const text = (key: typeof parent) =>
      textOf(rig, rig.calendars.objectOfUid(calendar, rig.seen(key).uid));
    expect(text(parent)).toContain("DUE;VALUE=DATE:20261124\r\n");
    expect(text(parent)).toContain("CATEGORIES:Urgent\r\n");
    expect(text(parent)).toContain("PERCENT-COMPLETE:40\r\n");
    expect(text(child)).toContain(`RELATED-TO;RELTYPE=PARENT:${rig.seen(parent).uid}`);
    expect(text(child)).toContain("COMPLETED:20261120T100000Z");
  });

  it("of a subtask use its task's UID before that has an ID", () => {
    const rig = calendarRig();
    rig.appendCreation(aTask(1), "above@program");
    const child = rig.store.mirror.createIdentity("subtask", "below@program");
    rig.store.journal.append({
      channel: "upload",
      actor: ann,
      item: child,
      action: "create",
      base: { ...aTask(2, { kind: "subtask" }), id: null },
      patch: {},
      newLabels: [],
      state: "pending",
      parent: { uid: "above@program", until: rig.clock().add({ minutes: 1 }) },
    });
    const calendar = open(rig, "tasks-3001");
    const text = textOf(rig, rig.calendars.objectOfUid(calendar, "below@program"));
    expect(text).toContain("RELATED-TO;RELTYPE=PARENT:above@program\r\n");
  });

  it("change once if a label is renamed", () => {
    const rig = calendarRig();
    rig.store.directory.putLabels([aLabel(7, "Urgent")], true);
    const key = rig.put(aTask(1, { labels: [labelId(7)] }));
    const calendar = open(rig, "tasks-3001");
    const token = rig.calendars.token(calendar);
    rig.store.directory.putLabels([aLabel(7, "Later")], true);
    const changed = rig.calendars.changes(calendar, { token, limit: null });
    expect(changed?.put.map((object) => object.key)).toEqual([key]);
    expect(textOf(rig, changed?.put[0] ?? null)).toContain("CATEGORIES:Later");
    expect(rig.seen(key).sequence).toBe(1);
  });

  it("keep ETags, tokens and ctags across a restart", () => {
    const rig = calendarRig();
    rig.put(anEvent(1));
    rig.put(aTask(2));
    const says = (calendars: typeof rig.calendars) =>
      calendars
        .list(ann)
        .filter(({ slug }) => slug !== "assigned")
        .map((each) => [calendars.objects(each), calendars.token(each), calendars.ctag(each)]);
    expect(says(rig.reopened())).toEqual(says(rig.calendars));
  });
});

it("a ctag changes with members or names, and never looks like a number", () => {
  const rig = calendarRig();
  const tags = [rig.calendars.ctag(open(rig, "events-2001"))];
  const key = rig.put(anEvent(1));
  tags.push(rig.calendars.ctag(open(rig, "events-2001")));
  rig.store.mirror.bury(key);
  tags.push(rig.calendars.ctag(open(rig, "events-2001")));
  rig.store.directory.putProjects([{ ...aProject(2001, "Renamed"), color: "#1a2b3c" }], false);
  tags.push(rig.calendars.ctag(open(rig, "events-2001")));
  rig.store.directory.putProjects([{ ...aProject(2001, "Renamed"), color: "#1a2b3d" }], false);
  tags.push(rig.calendars.ctag(open(rig, "events-2001")));
  expect(new Set(tags).size).toBe(5);
  expect(tags.every((tag) => Number.isNaN(Number(tag)))).toBe(true);
  rig.put(aTask(9));
  expect(rig.calendars.ctag(open(rig, "events-2001"))).toBe(tags[4]);
});
