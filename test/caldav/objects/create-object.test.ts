import { describe, expect, it } from "vitest";
import { listId, personId, projectId, serviceId } from "../../../src/domain/ids.ts";
import { vevent, vtodo } from "../../edits/rig.ts";
import { anEvent, aTask } from "../../support/items.ts";
import {
  chore,
  events,
  milestones,
  object,
  objectRig,
  party,
  root,
  tasks,
  told,
  uidOf,
  withMember,
} from "./object-rig.ts";

describe("a PUT that creates", () => {
  it("stores the edit, keeps the octets, and returns their strong ETag", () => {
    const rig = objectRig();
    const answer = rig.put(`${events}/a%20b@c%2B%25.ics`, party, { "if-none-match": "*" });
    expect(answer).toMatchObject({
      status: 201,
      headers: { ETag: expect.stringMatching(/^"[^"]+"$/) },
    });
    expect(answer.headers?.["Location"]).toBe(
      `https://cal.example.com${events}/a%20b%40c%2B%25.ics`,
    );
    const got = rig.get(`${events}/a%20b%40c%2B%25.ics`);
    expect(String(got.body)).toBe(object(party));
    expect(got.headers?.["ETag"]).toBe(answer.headers?.["ETag"]);
    expect(rig.edits()).toMatchObject([
      { action: "create", channel: "caldav", actor: 11, state: "pending" },
    ]);
    expect(rig.itemOf("party@example.com")).toMatchObject({ title: "Party", projectId: 2001 });
    expect(rig.names("events-2001")).toEqual(["a b@c+%.ics"]);
    expect(rig.woken()).toBe(1);
  });

  it("makes a task of the list, with all its properties", () => {
    const rig = objectRig();
    const said = ["DUE;VALUE=DATE:20261224", "CATEGORIES:Design", "STATUS:COMPLETED"];
    expect(rig.put(`${tasks}/chore.ics`, chore(...said)).status).toBe(201);
    expect(rig.itemOf("chore@example.com")).toMatchObject({
      kind: "task",
      listId: 3001,
      labels: [51],
      completed: true,
    });
  });

  it("makes a milestone of a to-do in the calendar of milestones", () => {
    const rig = objectRig();
    expect(rig.put(`${milestones}/m.ics`, chore("DUE;VALUE=DATE:20261224")).status).toBe(201);
    expect(rig.itemOf("chore@example.com")).toMatchObject({ kind: "event", milestone: true });
    expect(rig.names("milestones-2001")).toEqual(["m.ics"]);
    expect(rig.names("events-2001")).toEqual(["m.ics"]);
    expect(told(rig.put(`${milestones}/n.ics`, vtodo("n@example.com", "SUMMARY:N")))).toBe(
      "409 c:valid-calendar-object-resource",
    );
  });

  it("accepts a to-do before and after the task above it", () => {
    const rig = objectRig();
    const below = (uid: string) => vtodo(uid, "SUMMARY:Sub", "RELATED-TO:chore@example.com");
    expect(rig.put(`${tasks}/1.ics`, below("one@example.com")).status).toBe(201);
    expect(rig.put(`${tasks}/chore.ics`, chore()).status).toBe(201);
    expect(rig.put(`${tasks}/2.ics`, below("two@example.com")).status).toBe(201);
    for (const uid of ["one@example.com", "two@example.com"]) {
      expect(rig.itemOf(uid)).toMatchObject({ kind: "subtask", parentId: null });
    }
    expect(rig.text(`${tasks}/1.ics`)).toContain("RELATED-TO:chore@example.com");
  });

  it("creates nothing below a task that the person cannot see", () => {
    const rig = objectRig();
    const there = { projectId: projectId(2002), listId: listId(3009) };
    const hidden = uidOf(rig.member(aTask(601, there)));
    rig.closeProject(2002, 12);
    rig.put(`${tasks}/1.ics`, chore(`RELATED-TO:${hidden}`));
    expect(rig.itemOf("chore@example.com")).toMatchObject({ kind: "task", projectId: 2001 });
    expect(rig.put(`${tasks}/2.ics`, vtodo(hidden, "SUMMARY:Mine")).status).toBe(409);
    expect(rig.itemOf(hidden)).toMatchObject({ title: "Task 601" });
  });

  it("is refused in calendars without new items", () => {
    const rig = objectRig();
    const answer = rig.put(`${root}/assigned/a.ics`, chore());
    expect(told(answer)).toBe("403 d:need-privileges");
    expect(String(answer.body)).toContain("<d:bind/>");
    expect(rig.edits()).toEqual([]);
  });

  it("recreates what the same person has deleted if it is said to be new", () => {
    const { rig, path } = withMember(objectRig(), aTask(601));
    const uid = uidOf(path);
    expect(rig.ask("DELETE", path).status).toBe(204);
    expect(rig.get(path).status).toBe(404);
    expect(rig.put(path, vtodo(uid, "SUMMARY:Back")).status).toBe(201);
    expect(rig.itemOf(uid)).toMatchObject({ title: "Back" });
  });

  it.each([{}, { "if-none-match": "*" }])("recreates what someone else has deleted: %j", (more) => {
    const { rig, path } = withMember(objectRig(), aTask(601));
    rig.put(`${tasks}/c.ics`, chore());
    const etag = rig.etag(path);
    for (const one of [path, `${tasks}/c.ics`]) {
      const ben = one.replace("/11/", "/12/");
      expect(rig.ask("DELETE", ben, { person: 12 }).status).toBe(204);
    }
    const item = vtodo(uidOf(path), "SUMMARY:Back");
    expect(rig.put(path, item, { "if-match": etag }).status).toBe(404);
    expect(rig.put(path, item, more).status).toBe(201);
    expect(rig.put(`${tasks}/c.ics`, chore(), more).status).toBe(201);
    expect(rig.names("tasks-3001")).toHaveLength(2);
  });

  it("reveals nothing about items the person could never see", () => {
    const { rig, path } = withMember(
      objectRig(),
      anEvent(501, { private: true, creatorId: personId(12), assigned: [personId(12)] }),
    );
    const own = (uid: string) => rig.put(path, vevent(uid, "DTSTART:20261224T100000Z"));
    const never = own(uidOf(path).replace("501", "502"));
    expect(own(uidOf(path))).toEqual(never);
    expect(rig.ask("DELETE", path.replace("/11/", "/12/"), { person: 12 }).status).toBe(204);
    expect(own(uidOf(path))).toEqual(never);
    expect(told(never)).toBe("409 c:valid-calendar-object-resource");
  });
});

describe("a PUT of a canceled item", () => {
  const lines = ["SUMMARY:Review", "DTSTART:20261123T090000Z", "STATUS:CANCELLED"];

  it("withdraws an unsent deletion, since programs without MOVE delete first", () => {
    const { rig, path } = withMember(objectRig(), anEvent(501));
    const item = vevent(uidOf(path), ...lines);
    expect(rig.put(path, item).status).toBe(204);
    expect(rig.ask("DELETE", path).status).toBe(204);
    expect(rig.put(path, item).status).toBe(201);
    expect(rig.edits().find(({ action }) => action === "delete")?.state).toBe("discarded");
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "Review" });
  });

  it("creates nothing if the item is gone", () => {
    const { rig, path } = withMember(objectRig(), anEvent(501));
    const key = rig.store.mirror.find("event", serviceId(501));
    if (key) rig.store.mirror.bury(key);
    const item = vevent(uidOf(path), ...lines);
    for (const headers of [{}, { "if-none-match": "*" }]) {
      expect(rig.put(path, item, headers).status).toBe(201);
    }
    expect(rig.edits()).toEqual([]);
    expect(rig.names("events-2001")).toEqual([]);
  });

  it.each([
    ["event", events, vevent("off@example.com", ...lines)],
    ["to-do", tasks, vtodo("off@example.com", "SUMMARY:Off", "STATUS:CANCELLED")],
  ])("accepts a new %s and creates nothing", (_kind, calendar, item) => {
    const rig = objectRig();
    expect(rig.put(`${calendar}/a.ics`, item).status).toBe(201);
    expect(rig.edits()).toEqual([]);
    expect(rig.get(`${calendar}/a.ics`).status).toBe(404);
  });
});

describe("a PUT of a lost creation that was loaded as a separate item", () => {
  /** A task made here, shown under the service's number until its creation was found. */
  function adopted() {
    const rig = objectRig();
    rig.put(`${tasks}/chore.ics`, chore("DUE;VALUE=DATE:20261124"));
    const { key } = rig.store.view.findUid("chore@example.com") ?? {};
    if (key === undefined) throw new Error("it was not made");
    const item = aTask(700, { title: "Chore" });
    const loaded = rig.member(item);
    const copy = rig.text(loaded);
    rig.store.mirror.adopt(key, serviceId(700));
    rig.store.mirror.put(item, "tasks:3001");
    return { rig, key, loaded, copy };
  }

  it("changes the existing item, under the UID of the calendar that created it", () => {
    const { rig, key, copy } = adopted();
    const renamed = copy.replace("SUMMARY:Chore", "SUMMARY:Errand");
    const answer = rig.ask("PUT", `${tasks}/chore.ics`, { body: renamed });
    expect([answer.status, answer.headers?.["ETag"]]).toEqual([204, undefined]);
    expect(rig.edits().at(-1)).toMatchObject({ item: key, action: "update" });
    expect(rig.text(`${tasks}/chore.ics`)).toMatch(
      /UID:chore@example.com\r\n[\s\S]*SUMMARY:Errand/,
    );
  });

  it("moves it, and creates no second one", () => {
    const { rig, key, loaded, copy } = adopted();
    const target = loaded.replace("tasks-3001", "tasks-3009");
    expect(rig.ask("PUT", target, { body: copy }).status).toBe(201);
    expect(rig.edits().at(-1)).toMatchObject({ item: key, patch: { place: { listId: 3009 } } });
    expect([rig.names("tasks-3001"), rig.names("tasks-3009")]).toEqual([
      [],
      [`${uidOf(loaded)}.ics`],
    ]);
  });

  it("reveals nothing to a person who cannot see it", () => {
    const { rig, copy } = adopted();
    rig.closeProject(2001, 12);
    const answer = rig.ask("PUT", `${root}/tasks-3009/x.ics`, { body: copy });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(String(answer.body)).not.toContain("chore@example.com");
  });
});

it("a PUT of an item that was moved, deleted there and found at the old place recreates it and keeps the other", () => {
  const rig = objectRig();
  const old = anEvent(501, { title: "Party", projectId: projectId(2002) });
  const uid = uidOf(rig.member(old));
  const path = `${events}/${uid}.ics`;
  const body = rig.text(path.replace("2001", "2002"));
  const { mirror, view } = rig.store;
  const key = mirror.find("event", serviceId(501));
  if (key === null) throw new Error("it is not known");
  // A move makes another event, and the old one stays for now.
  mirror.adopt(key, serviceId(502));
  mirror.put(anEvent(502, { title: "Party" }), "events:2001");
  mirror.bury(key);
  rig.member(old);
  const other = mirror.find("event", serviceId(501));
  rig.clock.advance({ seconds: 9 });
  expect(rig.ask("PUT", path, { body: body.replace("Party", "Feast") }).status).toBe(201);
  expect(rig.edits()).toMatchObject([{ item: key, action: "create" }]);
  expect(view.get(key)?.item.title).toBe("Feast");
  expect(other === null ? null : view.get(other)?.item.title).toBe("Party");
});
