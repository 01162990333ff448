import { describe, expect, it } from "vitest";
import { listId, serviceId } from "../../../src/domain/ids.ts";
import { vevent, vtodo } from "../../edits/rig.ts";
import { anEvent, aTask, days } from "../../support/items.ts";
import {
  type ObjectSetting,
  object,
  root,
  told,
  twoListsRig,
  uidOf,
  withMember,
} from "./object-rig.ts";

function moveRig(setting: ObjectSetting = {}) {
  const rig = twoListsRig(setting);
  return {
    ...rig,
    move: (from: string, destination: string, headers: Readonly<Record<string, string>> = {}) =>
      rig.ask("MOVE", from, { headers: { ...headers, destination } }),
    copy: (from: string, destination: string, headers: Readonly<Record<string, string>> = {}) =>
      rig.ask("COPY", from, { headers: { ...headers, destination } }),
    place: (uid: string) => {
      const item = rig.itemOf(uid);
      return item?.kind === "event" ? [item.projectId] : [item?.projectId, item?.listId];
    },
  };
}

const far = `${root}/tasks-3009`;
const near = `${root}/tasks-3003`;
const elsewhere = `${root}/events-2002`;

describe("a MOVE", () => {
  it.each([
    ["a path", ""],
    ["an absolute address", "https://cal.example.com"],
    ["an absolute address with a login", "https://ana@cal.example.com"],
  ])("takes a task to another list, named by %s", (_name, before) => {
    const { rig, path } = withMember(moveRig(), aTask(601));
    const uid = uidOf(path);
    const tokens = [rig.token("tasks-3001"), rig.token("tasks-3003")] as const;
    const key = rig.store.mirror.findUid(uid)?.item;
    const answer = rig.move(path, `${before}${near}/${uid}.ics`);
    expect(answer).toMatchObject({
      status: 201,
      headers: { Location: `https://cal.example.com${near}/${encodeURIComponent(uid)}.ics` },
    });
    expect(rig.place(uid)).toEqual([2001, 3003]);
    expect(rig.store.view.findUid(uid)?.key).toBe(key);
    expect(rig.get(path).status).toBe(404);
    expect(rig.text(`${near}/${uid}.ics`)).toContain(`UID:${uid}`);
    expect(rig.since("tasks-3001", tokens[0])).toEqual({ put: [], buried: [`${uid}.ics`] });
    expect(rig.since("tasks-3003", tokens[1])).toEqual({ put: [`${uid}.ics`], buried: [] });
    expect(rig.edits()).toMatchObject([
      { action: "update", channel: "caldav", actor: 11, patch: { place: { listId: 3003 } } },
    ]);
    expect(rig.ask("DELETE", path).status).toBe(404);
    expect(rig.place(uid)).toEqual([2001, 3003]);
  });

  it("takes an event to another project under another name, with everything only the program knows", () => {
    const rig = moveRig();
    const item = vevent("p@example.com", "SUMMARY:P", "LOCATION:Here", "DTSTART:20261224T100000Z");
    rig.put(`${root}/events-2001/p.ics`, item);
    expect(rig.move(`${root}/events-2001/p.ics`, `${elsewhere}/other%20name.ics`).status).toBe(201);
    expect(rig.place("p@example.com")).toEqual([2002]);
    expect(rig.names("events-2002")).toEqual(["other name.ics"]);
    expect(rig.text(`${elsewhere}/other%20name.ics`)).toContain("LOCATION:Here");
  });

  it("renames an object within its calendar", () => {
    const { rig, path } = withMember(moveRig(), aTask(601));
    const text = rig.text(path);
    const token = rig.token("tasks-3001");
    expect(rig.move(path, `${root}/tasks-3001/renamed.ics`).status).toBe(201);
    expect(rig.get(path).status).toBe(404);
    expect(rig.text(`${root}/tasks-3001/renamed.ics`)).toBe(text);
    const buried = [`${uidOf(path)}.ics`];
    expect(rig.since("tasks-3001", token)).toEqual({ put: ["renamed.ics"], buried });
    expect(rig.edits()).toEqual([]);
  });

  it.each<[string, string, Readonly<Record<string, string>>, string]>([
    ["another server", "https://other.example.com/dav/calendars/11/tasks-3003/a.ics", {}, "502"],
    ["someone else's calendar", "/dav/calendars/12/tasks-3003/a.ics", {}, "403"],
    ["no calendar", `${root}/tasks-4711/a.ics`, {}, "409"],
    ["no address", "/elsewhere/a.ics", {}, "403"],
    ["a collection", `${near}/`, {}, "403"],
    ["nowhere", "", {}, "400"],
    ["itself", "SELF", {}, "403"],
    ["the events", `${root}/events-2001/a.ics`, {}, "409 c:supported-calendar-component"],
    ["the milestones", `${root}/milestones-2001/a.ics`, {}, "409 c:valid-calendar-object-resource"],
    ["the assigned", `${root}/assigned/a.ics`, {}, "403 d:need-privileges"],
    ["another object", "OTHER", {}, "403"],
    ["another object, not to overwrite it", "OTHER", { overwrite: "F" }, "412"],
    ["where it must be another version", `${near}/a.ics`, { "if-match": '"a"' }, "412"],
  ])("to %s is refused", (_name, to, headers, expected) => {
    const { rig, path } = withMember(moveRig(), aTask(601));
    const other = rig.member(aTask(602, { listId: listId(3003) }));
    const answer = rig.move(path, to.replace("SELF", path).replace("OTHER", other), headers);
    expect(told(answer)).toBe(expected);
    expect(rig.edits()).toEqual([]);
    expect(rig.place(uidOf(path))).toEqual([2001, 3001]);
  });

  it("of a subtask is refused, since it moves with its task", () => {
    const rig = moveRig();
    rig.member(aTask(601));
    const path = rig.member(aTask(701, { kind: "subtask", parentId: serviceId(601) }));
    const answer = rig.move(path, `${near}/a.ics`);
    expect(told(answer)).toBe("409 c:valid-calendar-object-resource");
    expect(String(answer.body)).toContain("subtasks");
  });

  it("takes subtasks along", () => {
    const { rig, path } = withMember(moveRig(), aTask(601));
    const sub = uidOf(rig.member(aTask(701, { kind: "subtask", parentId: serviceId(601) })));
    rig.move(path, `${far}/${uidOf(path)}.ics`);
    expect(rig.names("tasks-3009").toSorted()).toEqual(
      [`${uidOf(path)}.ics`, `${sub}.ics`].toSorted(),
    );
    expect(rig.names("tasks-3001")).toEqual([]);
  });

  it("out of a calendar that only shows items of others is refused", () => {
    const rig = moveRig();
    const uid = uidOf(rig.member(anEvent(501, { when: days("2026-12-01"), milestone: true })));
    const answer = rig.move(
      `${root}/milestones-2001/${uid}.ics`,
      `${root}/milestones-2002/${uid}.ics`,
    );
    expect(told(answer)).toBe("409 c:valid-calendar-object-resource");
  });

  it("waits for a person in review mode, and is visible only to its sender", () => {
    const { rig, path } = withMember(moveRig({ mode: "review" }), aTask(601));
    const name = `${uidOf(path)}.ics`;
    const tokens = [rig.token("tasks-3001"), rig.token("tasks-3003")] as const;
    expect(rig.move(path, `${near}/${name}`).status).toBe(201);
    expect(rig.place(uidOf(path))).toEqual([2001, 3001]);
    expect(rig.since("tasks-3001", tokens[0])).toEqual({ put: [], buried: [name] });
    expect(rig.since("tasks-3003", tokens[1])).toEqual({ put: [name], buried: [] });
    expect(rig.names("tasks-3001", 12)).toEqual([name]);
    expect(rig.names("tasks-3003", 12)).toEqual([]);
  });
});

describe("a COPY", () => {
  it("creates a new item with a UID of its own and otherwise the same octets", () => {
    const rig = moveRig();
    const item = vtodo(
      "c@example.com",
      "SUMMARY:C",
      "X-DAYFERRY-BASE:3",
      "X-FOO:bar",
      "BEGIN:VALARM",
      "UID:alarm",
      "ACTION:DISPLAY",
      "TRIGGER:-PT5M",
      "END:VALARM",
    );
    rig.put(`${root}/tasks-3001/c.ics`, item);
    const answer = rig.copy(`${root}/tasks-3001/c.ics`, `${near}/copy.ics`);
    expect(answer.status).toBe(201);
    expect(answer.headers?.["ETag"]).toBe(rig.etag(`${near}/copy.ics`));
    const expected = item.replace("UID:c@example.com", "UID:random-1");
    expect(rig.text(`${near}/copy.ics`)).toBe(
      object(expected.replace("X-DAYFERRY-BASE:3\r\n", "")),
    );
    expect(rig.text(`${root}/tasks-3001/c.ics`)).toBe(object(item));
    expect(rig.edits().map(({ action }) => action)).toEqual(["create", "create"]);
    expect(rig.itemOf("random-1")).toMatchObject({ title: "C", listId: 3003 });
  });

  it.each([
    ["the events", `${root}/events-2001/a.ics`, "409 c:supported-calendar-component"],
    ["the assigned", `${root}/assigned/a.ics`, "403 d:need-privileges"],
    ["another object", "OTHER", "403"],
  ])("to %s is refused", (_name, to, expected) => {
    const { rig, path } = withMember(moveRig(), aTask(601));
    const other = rig.member(aTask(602));
    expect(told(rig.copy(path, to.replace("OTHER", other)))).toBe(expected);
    expect(told(rig.copy(path, other, { overwrite: "F" }))).toBe("412");
    expect(rig.edits()).toEqual([]);
  });
});

describe("a PUT of a UID that another calendar has", () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ["as something new", { "if-none-match": "*" }],
    ["without a condition", {}],
  ])("is the first half of a move, %s", (_name, headers) => {
    const { rig, path } = withMember(moveRig(), aTask(601));
    const uid = uidOf(path);
    const octets = vtodo(uid, "SUMMARY:Moved", "DUE;VALUE=DATE:20261124");
    const answer = rig.put(`${near}/${uid}.ics`, octets, headers);
    expect(answer.status).toBe(201);
    expect(answer.headers?.["ETag"]).toBe(rig.etag(`${near}/${uid}.ics`));
    expect(rig.itemOf(uid)).toMatchObject({ id: 601, title: "Moved", listId: 3003 });
    expect(rig.ask("DELETE", path).status).toBe(404);
    expect(rig.names("tasks-3003")).toEqual([`${uid}.ics`]);
    expect(rig.names("tasks-3001")).toEqual([]);
  });

  it("changes the item where it is, for a program with the old address", () => {
    const { rig, path } = withMember(moveRig(), aTask(601));
    const uid = uidOf(path);
    rig.move(path, `${near}/${uid}.ics`, { "user-agent": "Another/1" });
    const answer = rig.put(path, vtodo(uid, "SUMMARY:By Reminders"));
    expect(answer).toEqual({ status: 204 });
    expect(rig.itemOf(uid)).toMatchObject({ title: "By Reminders", listId: 3003 });
    expect(rig.names("tasks-3001")).toEqual([]);
    expect(rig.text(`${near}/${uid}.ics`)).toContain("SUMMARY:By Reminders");
  });

  it("moves it back if the program says it is new there", () => {
    const { rig, path } = withMember(moveRig(), aTask(601));
    const uid = uidOf(path);
    rig.move(path, `${near}/${uid}.ics`);
    expect(rig.put(path, vtodo(uid), { "if-none-match": "*" }).status).toBe(201);
    expect(rig.place(uid)).toEqual([2001, 3001]);
  });

  it("no longer needs the old version, with 404 at the old place and 412 elsewhere", () => {
    const { rig, path } = withMember(moveRig(), aTask(601));
    const uid = uidOf(path);
    rig.move(path, `${near}/${uid}.ics`);
    const headers = { "if-match": '"a"' };
    expect(rig.put(path, vtodo(uid), headers).status).toBe(404);
    expect(rig.put(`${far}/${uid}.ics`, vtodo(uid), headers).status).toBe(412);
  });

  it("undoes the move if the content is refused", () => {
    const { rig, path } = withMember(moveRig(), aTask(601));
    const uid = uidOf(path);
    const answer = rig.put(`${near}/${uid}.ics`, vtodo(uid, "RRULE:FREQ=DAILY"));
    expect(told(answer)).toBe("409 c:max-instances");
    expect(rig.place(uid)).toEqual([2001, 3001]);
    expect(rig.edits()).toEqual([]);
    expect(rig.get(path).status).toBe(200);
  });

  it("is refused for another kind of item", () => {
    const rig = moveRig();
    const uid = uidOf(rig.member(aTask(601)));
    const item = vevent(uid, "SUMMARY:No", "DTSTART:20261224T100000Z");
    expect(told(rig.put(`${root}/events-2001/a.ics`, item))).toBe(
      "409 c:valid-calendar-object-resource",
    );
    expect(rig.itemOf(uid)).toMatchObject({ kind: "task", title: "Task 601" });
  });
});
