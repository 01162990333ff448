import { atOnce } from "@dayferry/event-loop";
import { describe, expect, it } from "vitest";
import { labelId, listId, personId, projectId, revision, serviceId } from "../../src/domain/ids.ts";
import { aLabel, anEvent, aTask } from "../support/items.ts";
import { storeRig } from "./rig.ts";

const [ann, bob, cat] = [personId(11), personId(12), personId(13)];

it("calendarProperties.of() gives the properties set by one person for one calendar", () => {
  const { store } = storeRig();
  const at = { person: ann, calendar: "assigned", property: "{DAV:}displayname" };
  store.calendarProperties.put({ ...at, value: "Mine" });
  store.calendarProperties.put({ ...at, value: "Mine again" });
  store.calendarProperties.put({ ...at, person: bob, value: "His" });
  store.calendarProperties.put({ ...at, property: "{x:}y", value: "<z/>" });
  const own = () => Object.fromEntries(store.calendarProperties.of(ann, "assigned"));
  expect(own()).toEqual({ "{DAV:}displayname": "Mine again", "{x:}y": "<z/>" });
  expect(store.calendarProperties.of(ann, "events-1").size).toBe(0);
  store.calendarProperties.remove(at);
  expect(own()).toEqual({ "{x:}y": "<z/>" });
  expect(store.calendarProperties.of(bob, "assigned").size).toBe(1);
});

describe("objectNames", () => {
  it("find() gives every item that has or had the name, newest first", () => {
    const { store, put } = storeRig();
    const [one, two] = [put(anEvent(1)), put(anEvent(2))];
    const { objectNames } = store;
    expect(objectNames.of(one)).toBeNull();
    objectNames.put({ item: one, name: "a.ics", revision: revision(0), person: null });
    objectNames.put({ item: one, name: "b.ics", revision: revision(5), person: ann });
    objectNames.put({ item: two, name: "a.ics", revision: revision(6), person: null });
    expect(objectNames.of(one)).toBe("b.ics");
    expect(objectNames.all(one).map(({ name, person }) => [name, person])).toEqual([
      ["a.ics", null],
      ["b.ics", ann],
    ]);
    expect(objectNames.find("a.ics")).toEqual([two, one]);
    expect(objectNames.find("c.ics")).toEqual([]);
  });

  it("oddUids() gives the UIDs that cannot be part of an address", () => {
    const { store } = storeRig();
    for (const uid of ["plain@host", "with space", "ünicode", "a/b"])
      store.mirror.createIdentity("event", uid);
    expect(store.objectNames.oddUids().map(({ uid }) => uid)).toEqual([
      "with space",
      "ünicode",
      "a/b",
    ]);
  });
});

describe("objects", () => {
  const body = Buffer.from("octets");
  const put = { component: "VEVENT", uid: "u", raw: "BEGIN:VEVENT\nEND:VEVENT" } as const;

  it("put() keeps the octets of a program beside those of the other channel", () => {
    const { store, put: mirror } = storeRig();
    const item = mirror(anEvent(1));
    expect(store.objects.put({ ...put, item, channel: "upload" })).toBe(true);
    expect(store.objects.put({ ...put, item, channel: "upload" })).toBe(false);
    expect(store.objects.get({ item, component: "VEVENT" })).toMatchObject({
      body: null,
      overlaid: null,
    });
    store.objects.putBody({
      ...put,
      item,
      body,
      rendered: "s",
      stale: false,
      actor: ann,
      agent: "x",
    });
    const kept = () => store.objects.get({ item, component: "VEVENT" });
    expect(kept()).toMatchObject({ channel: "caldav", rendered: "s", actor: ann, stale: false });
    expect(kept()?.body).toEqual(body);
    const overlaid = "BEGIN:VEVENT\nLOCATION:x\nEND:VEVENT";
    expect(store.objects.put({ ...put, item, raw: overlaid, channel: "upload" })).toBe(true);
    expect(store.objects.put({ ...put, item, raw: overlaid, channel: "upload" })).toBe(false);
    expect(kept()).toMatchObject({ channel: "caldav", raw: put.raw, overlaid });
    expect(store.objects.get({ item, component: "VTODO" })).toBeNull();
  });

  it("get() is stale once the item says something else, until octets are kept again", () => {
    const { store, put: mirror } = storeRig();
    const item = mirror(aTask(1));
    const keep = () =>
      store.objects.putBody({
        ...put,
        component: "VTODO",
        item,
        body,
        rendered: "s",
        stale: false,
        actor: ann,
        agent: "",
      });
    const stale = () => store.objects.get({ item, component: "VTODO" })?.stale;
    keep();
    mirror(aTask(1, { commentCount: 4 }));
    mirror(aTask(1, { completedAt: Temporal.Instant.from("2026-11-20T10:00:00Z") }));
    expect(stale()).toBe(false);
    mirror(aTask(1, { title: "Other" }));
    expect(stale()).toBe(true);
    keep();
    expect(stale()).toBe(false);
    store.mirror.bury(item);
    mirror(aTask(1, { title: "Other" }));
    expect(stale()).toBe(true);
  });
});

describe("the change log", () => {
  it("note() logs a shown item under the same SEQUENCE, and no hidden one", () => {
    const { store, put, seen } = storeRig();
    const key = put(anEvent(1));
    const { sequence } = seen(key);
    const before = store.changes.latest();
    expect(store.changes.note(key)).toBe(before + 1);
    expect(seen(key).sequence).toBe(sequence);
    expect(store.changes.hasChangedAfter(before, key)).toBe(true);
    expect(store.changes.hasChangedAfter(store.changes.latest(), key)).toBe(false);
    store.mirror.bury(key);
    expect(store.changes.note(key)).toBeNull();
  });

  it("seenAfter() gives each changed item once, by its newest change", () => {
    const { store, put } = storeRig();
    const [one, two] = [put(anEvent(1)), put(anEvent(2))];
    const task = put(aTask(1));
    put(anEvent(1, { title: "x" }));
    const { changes } = store;
    const items = (collection: "events:2001" | null) =>
      changes.seenAfter(revision(0), { collection, person: ann }).map(({ item }) => item);
    expect(items("events:2001")).toEqual([two, one]);
    expect(items(null)).toEqual([two, task, one]);
    expect(changes.changedAfter(revision(0)).map(({ item }) => item)).toEqual([two, task, one]);
    expect(changes.seenRevision("events:2001", ann)).toBe(changes.latest());
    expect(changes.seenRevision("tasks:3001", ann)).toBe(3);
  });

  const own = { creatorId: ann, private: true, assigned: [] };
  it.each([
    ["a private event, for its creator", own, { ...own, title: "b" }, [ann]],
    ["a private event, for its assigned", own, { ...own, assigned: [bob] }, [ann, bob]],
    ["an event that becomes private", { creatorId: ann }, own, [ann, bob, cat]],
    ["an event that is no longer private", own, { creatorId: ann }, [ann, bob, cat]],
    ["an event", { creatorId: ann }, { creatorId: ann, title: "b" }, [ann, bob, cat]],
    ["nothing that calendars show", own, { ...own, updatedAt: null }, []],
  ] as const)("shows changes of %s to the people concerned", (_name, before, after, told) => {
    const { store, put } = storeRig();
    put(anEvent(1, before));
    const { changes } = store;
    const then = changes.latest();
    const key = put(anEvent(1, after));
    const scopes = [ann, bob, cat].map(
      (person) => ({ collection: "events:2001", person }) as const,
    );
    const isTold = scopes.filter((scope) => changes.seenAfter(then, scope).length > 0);
    expect(isTold.map(({ person }) => person)).toEqual(told);
    const isRaised = scopes.filter(
      ({ person }) => changes.seenRevision("events:2001", person) > then,
    );
    expect(isRaised.map(({ person }) => person)).toEqual(told);
    expect(changes.changedAfter(then).map(({ item }) => item)).toEqual(
      told.length > 0 ? [key] : [],
    );
  });

  it("shows a new comment to feeds, and to no two-way calendar", () => {
    const { store, put } = storeRig();
    const key = put(aTask(1));
    const then = store.changes.latest();
    put(aTask(1, { commentCount: 4 }));
    expect(store.changes.changedAfter(then).map(({ item }) => item)).toEqual([key]);
    expect(store.changes.seenAfter(then, { collection: "tasks:3001", person: ann })).toEqual([]);
    expect(store.changes.seenRevision("tasks:3001", ann)).toBe(then);
  });

  it("versionsFrom() gives what the view said at a revision, and all later versions", () => {
    const { store, put } = storeRig();
    const key = put(anEvent(1, { title: "a" }));
    const then = store.changes.latest();
    put(anEvent(9));
    put(anEvent(1, { title: "b" }));
    store.mirror.bury(key);
    const titles = (at: number) =>
      store.view.versionsFrom(key, revision(at)).map(({ item }) => item?.title ?? null);
    expect(titles(0)).toEqual(["a", "b", null]);
    expect(titles(then + 1)).toEqual(["a", "b", null]);
    expect(titles(then + 2)).toEqual(["b", null]);
    expect(titles(then + 3)).toEqual([null]);
  });

  it("prune() removes old changes, notes how far back the log reaches, and keeps counting revisions", () => {
    const { store, put, clock } = storeRig();
    const key = put(anEvent(1, { title: "a" }));
    put(anEvent(1, { title: "b" }));
    put(anEvent(2));
    store.mirror.bury(put(anEvent(3)));
    store.objects.put({ item: key, component: "VEVENT", channel: "upload", uid: "u", raw: "r" });
    const cut = store.changes.latest();
    clock.advance({ hours: 24 * 100 });
    put(anEvent(1, { title: "c" }));
    const latest = store.changes.latest();
    atOnce(store.pastEdits.prune(clock().subtract({ hours: 24 * 90 })));
    expect(store.changes.completeFrom()).toBe(cut);
    expect(store.changes.latest()).toBe(latest);
    const titles = store.view.versionsFrom(key, store.changes.completeFrom());
    expect(titles.map(({ item }) => item?.title)).toEqual(["b", "c"]);
    // A feed that was not requested for so long looks at everything.
    expect(store.changes.itemsSince(projectId(2001), revision(1))).toHaveLength(3);
    expect(store.objects.get({ item: key, component: "VEVENT" })).not.toBeNull();
    clock.advance({ hours: 24 * 200 });
    atOnce(store.pastEdits.prune(clock()));
    expect(store.changes.latest()).toBe(latest);
    put(anEvent(4));
    expect(store.changes.latest()).toBe(latest + 1);
  });
});

it("putLabels() raises SEQUENCE only of items shown with a renamed label", () => {
  const { store, put, seen } = storeRig();
  store.directory.putLabels([aLabel(7, "Old"), aLabel(8, "Other")], true);
  const [with7, with8] = [
    put(aTask(1, { labels: [labelId(7)] })),
    put(aTask(2, { labels: [labelId(8)] })),
  ];
  store.directory.putLabels([aLabel(7, "New"), aLabel(8, "Other")], true);
  expect([seen(with7).sequence, seen(with8).sequence]).toEqual([1, 0]);
  store.directory.putLabels([{ ...aLabel(7, "New"), color: "red" }], true);
  expect([seen(with7).sequence, seen(with8).sequence]).toEqual([1, 0]);
  const late = put(aTask(3, { labels: [labelId(9)] }));
  store.directory.putLabels([aLabel(9, "Known now")], false);
  expect(seen(late).sequence).toBe(1);
});

it("adopt() logs the children of a parent that turns out to be another item", () => {
  const { store, put, seen, appendCreation } = storeRig();
  const { key } = appendCreation(aTask(1, { listId: listId(3001) }), "own@program");
  put(aTask(1));
  const child = put(aTask(2, { kind: "subtask", parentId: serviceId(1) }));
  const before = seen(child).sequence;
  store.mirror.adopt(key, serviceId(1));
  expect(seen(child).sequence).toBe(before + 1);
});

it("logs subtasks when their task's UID becomes known, and when it passes to another", () => {
  const { store, put, seen, appendCreation } = storeRig();
  const { key } = appendCreation(aTask(1, { listId: listId(3001) }), "own@program");
  const child = put(aTask(2, { kind: "subtask", parentId: serviceId(1) }));
  const other = put(aTask(4, { kind: "subtask", parentId: serviceId(3) }));
  store.mirror.adopt(key, serviceId(1));
  expect([seen(child).sequence, seen(other).sequence]).toEqual([1, 0]);
  put(aTask(3));
  expect([seen(child).sequence, seen(other).sequence]).toEqual([1, 1]);
  put(aTask(3, { title: "Changed" }));
  expect(seen(other).sequence).toBe(1);
  store.mirror.clearServiceId(key, "task");
  expect([seen(child).sequence, seen(other).sequence]).toEqual([2, 1]);
});

describe("transaction()", () => {
  it("tells memory copies what nested, undone and kept steps changed", () => {
    const { store, put } = storeRig();
    expect(store.transaction()).toEqual({ begun: 0, isOpen: false, undone: 0, since: 0 });
    put(anEvent(1));
    store.durably(() => {
      put(anEvent(2));
      store.durably(() => store.together(() => put(anEvent(3))));
      expect(store.transaction()).toEqual({ begun: 1, isOpen: true, undone: 0, since: 1 });
    });
    expect(() =>
      store.durably(() => {
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(store.transaction()).toEqual({ begun: 2, isOpen: false, undone: 1, since: 3 });
  });

  it("durably() continues without an inner part that was undone", () => {
    const { store, put } = storeRig();
    store.durably(() => {
      put(anEvent(1));
      expect(() =>
        store.durably(() => {
          put(anEvent(2));
          throw new Error("no");
        }),
      ).toThrow("no");
    });
    expect(store.mirror.counts().event).toBe(1);
  });

  it("prune() removes everything old in short steps", () => {
    const { store, put, clock } = storeRig();
    for (let id = 1; id <= 1200; id += 1) put(anEvent(id));
    for (let id = 1; id <= 1200; id += 1) put(anEvent(id, { title: "again" }));
    clock.advance({ hours: 24 * 100 });
    const steps = [...store.pastEdits.prune(clock())];
    expect(steps.length).toBeGreaterThanOrEqual(7);
    expect(store.changes.since(revision(0), 10_000).length).toBe(1);
    expect(store.view.history(put(anEvent(7)), null).length).toBeLessThanOrEqual(2);
  });
});
