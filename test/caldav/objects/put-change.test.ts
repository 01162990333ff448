import { describe, expect, it } from "vitest";
import { labelId, personId } from "../../../src/domain/ids.ts";
import { vevent, vtodo } from "../../edits/rig.ts";
import { anEvent, aTask, days } from "../../support/items.ts";
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

const sequenceOf = (octets: string): number => Number(/^SEQUENCE:(\d+)/m.exec(octets)?.[1]);

describe("a PUT that changes", () => {
  const changed = party.replace("SUMMARY:Party", "SUMMARY:Feast");

  it("is an edit of the present version, and returns the ETag of its octets", () => {
    const rig = objectRig();
    const first = rig.put(`${events}/p.ics`, party).headers?.["ETag"] ?? "";
    const answer = rig.put(`${events}/p.ics`, changed, { "if-match": first });
    expect(answer.status).toBe(204);
    expect(answer.headers?.["ETag"]).not.toBe(first);
    expect(rig.etag(`${events}/p.ics`)).toBe(answer.headers?.["ETag"]);
    expect(rig.text(`${events}/p.ics`)).toBe(object(changed));
    expect(rig.edits()[1]).toMatchObject({ action: "update", patch: { title: "Feast" } });
  });

  it("keeps octets without changes, without an edit", () => {
    const rig = objectRig();
    rig.put(`${events}/p.ics`, party);
    const token = rig.token("events-2001");
    const moved = party.replace("LOCATION:Kitchen", "LOCATION:Garden");
    expect(rig.put(`${events}/p.ics`, moved).status).toBe(204);
    expect(rig.text(`${events}/p.ics`)).toContain("LOCATION:Garden");
    expect(rig.edits()).toHaveLength(1);
    expect(rig.since("events-2001", token)).toEqual({ put: ["p.ics"], buried: [] });
  });

  it("never clears what a small event omits", () => {
    const rig = objectRig();
    const whole = {
      description: "<b>Bold</b>",
      reminder: Temporal.Duration.from({ minutes: 15 }),
      assigned: [personId(12)],
      private: true,
      creatorId: personId(11),
    };
    const path = rig.member(anEvent(501, whole));
    const before = rig.itemOf(uidOf(path));
    const small = vevent(uidOf(path), "DTSTART;TZID=Europe/Berlin:20261123T100000");
    expect(rig.put(path, small).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toEqual(before);
    expect(rig.edits()).toEqual([]);
  });

  it("never clears what a small to-do omits", () => {
    const { rig, path } = withMember(
      objectRig(),
      aTask(601, {
        description: "Two pages",
        startOn: Temporal.PlainDate.from("2026-11-20"),
        labels: [labelId(51)],
        assigned: [personId(12)],
        completed: true,
        percent: 100,
      }),
    );
    const before = rig.itemOf(uidOf(path));
    expect(rig.put(path, vtodo(uidOf(path)), { "if-match": "*" }).status).toBe(204);
    expect(rig.put(path, vtodo(uidOf(path))).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toEqual(before);
    expect(rig.edits()).toEqual([]);
  });

  const said = [
    "DESCRIPTION:Two pages",
    "DTSTART;VALUE=DATE:20261201",
    "DUE;VALUE=DATE:20261224",
    "CATEGORIES:Design",
  ];

  it("clears what the same program of the same person has removed", () => {
    const rig = objectRig();
    const phone = { "user-agent": "DAVx5/4.4" };
    rig.put(`${tasks}/c.ics`, chore(...said), phone);
    expect(rig.put(`${tasks}/c.ics`, chore(), phone).status).toBe(204);
    const empty = { description: null, startOn: null, dueOn: null, labels: [] };
    expect(rig.itemOf("chore@example.com")).toMatchObject(empty);
  });

  it.each([
    ["another program", { "user-agent": "Other/1" }, 11],
    ["another person", { "user-agent": "DAVx5/4.4" }, 12],
  ])("clears nothing that %s omits", (_name, headers, person) => {
    const rig = objectRig();
    rig.put(`${tasks}/c.ics`, chore(...said), { "user-agent": "DAVx5/4.4" });
    const path = `/dav/calendars/${person}/tasks-3001/c.ics`;
    expect(rig.ask("PUT", path, { body: object(chore()), headers, person }).status).toBe(204);
    expect(rig.itemOf("chore@example.com")).toMatchObject({
      description: "Two pages",
      labels: [51],
    });
  });

  it.each(["curl/8.5", "node", "python-requests/2.32", ""])(
    "clears nothing that the script %j omits from its own text",
    (agent) => {
      const rig = objectRig();
      const script = { "user-agent": agent };
      rig.put(`${tasks}/c.ics`, chore(...said), script);
      expect(rig.put(`${tasks}/c.ics`, chore(), script).status).toBe(204);
      expect(rig.itemOf("chore@example.com")).toMatchObject({
        description: "Two pages",
        labels: [51],
        dueOn: Temporal.PlainDate.from("2026-12-24"),
      });
      expect(rig.text(`${tasks}/c.ics`)).toContain("DESCRIPTION:Two pages");
    },
  );

  it("clears nothing once somebody has changed the item", () => {
    const rig = objectRig();
    const phone = { "user-agent": "DAVx5/4.4" };
    rig.put(`${tasks}/c.ics`, chore(...said), phone);
    rig.send(object(chore("DUE;VALUE=DATE:20261226")));
    rig.put(`${tasks}/c.ics`, chore(), phone);
    expect(rig.itemOf("chore@example.com")).toMatchObject({
      description: "Two pages",
      dueOn: Temporal.PlainDate.from("2026-12-26"),
    });
  });

  it("is compared with the version that the octets name, if no condition does", () => {
    const { rig, path } = withMember(objectRig(), aTask(601));
    const old = rig.text(path);
    rig.put(path, vtodo(uidOf(path), "SUMMARY:By phone"));
    const edited = old.replace("DUE;VALUE=DATE:20261124", "DUE;VALUE=DATE:20261130");
    expect(edited).not.toBe(old);
    const body = { body: edited };
    expect(rig.ask("PUT", path, body).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({
      title: "By phone",
      dueOn: Temporal.PlainDate.from("2026-11-30"),
    });
  });

  it.each([
    ["where it is", tasks],
    ["in another calendar", `${root}/tasks-3009`],
  ])("never lowers SEQUENCE with an old copy that is put %s", (_where, target) => {
    const { rig, path } = withMember(objectRig(), aTask(601));
    const old = rig.text(path);
    for (const name of ["B", "C"]) rig.member(aTask(601, { title: name }));
    const shown = sequenceOf(rig.text(path));
    expect(shown).toBeGreaterThan(sequenceOf(old));
    const there = path.replace(tasks, target);
    const answer = rig.ask("PUT", there, { body: old.replace("SUMMARY:Task 601", "SUMMARY:D") });
    expect([answer.status < 300, answer.headers?.["ETag"]]).toEqual([true, undefined]);
    expect(rig.text(there)).toContain("SUMMARY:D");
    expect(sequenceOf(rig.text(there))).toBeGreaterThanOrEqual(shown);
    // The present SEQUENCE stays as it is.
    const next = rig.text(there).replace("SUMMARY:D", "SUMMARY:E");
    expect(rig.ask("PUT", there, { body: next }).headers?.["ETag"]).toBe(rig.etag(there));
    expect(rig.text(there)).toBe(next);
  });

  it.each([
    ["as the service had it", 0],
    ["that a program had put", 5],
  ])("never lowers SEQUENCE with an old copy of what was deleted: %s", (_what, sequence) => {
    const { rig, path } = withMember(objectRig(), aTask(601));
    const old = rig.text(path).replace("SEQUENCE:0", `SEQUENCE:${sequence}\r\nCOLOR:red`);
    if (sequence > 0) rig.ask("PUT", path, { body: old });
    rig.clock.advance({ seconds: 9 });
    for (const description of ["B", null]) rig.member(aTask(601, { description }));
    const shown = sequenceOf(rig.text(path));
    rig.ask("DELETE", path);
    rig.ask("PUT", path, { body: old });
    expect(sequenceOf(rig.text(path))).toBeGreaterThanOrEqual(shown);
  });

  it("refuses another UID or kind under the same name", () => {
    const rig = objectRig();
    rig.put(`${events}/p.ics`, party);
    const other = rig.put(`${events}/p.ics`, party.replace("UID:party", "UID:other"));
    expect(told(other)).toBe("409 c:no-uid-conflict");
    expect(rig.edits()).toHaveLength(1);
  });

  it("completes a milestone by its to-do, and shows both forms", () => {
    const rig = objectRig();
    const uid = uidOf(rig.member(anEvent(501, { when: days("2026-12-01"), milestone: true })));
    const path = `${milestones}/${uid}.ics`;
    const todo = rig.text(path).replace("STATUS:NEEDS-ACTION", "STATUS:COMPLETED");
    expect(rig.ask("PUT", path, { body: todo }).status).toBe(204);
    expect(rig.itemOf(uid)).toMatchObject({ completed: true });
    expect(rig.text(path)).toBe(todo);
    expect(rig.text(`${events}/${uid}.ics`)).toContain("BEGIN:VEVENT");
  });

  it("is rolled back as a whole if a step fails", () => {
    const rig = objectRig();
    const { keep } = rig.calendars;
    Object.assign(rig.calendars, {
      keep() {
        throw new Error("the disk is full");
      },
    });
    expect(() => rig.put(`${events}/p.ics`, party)).toThrow("the disk is full");
    Object.assign(rig.calendars, { keep });
    expect(rig.edits()).toEqual([]);
    expect(rig.store.mirror.findUid("party@example.com")).toBeNull();
    expect(rig.get(`${events}/p.ics`).status).toBe(404);
    expect(rig.put(`${events}/p.ics`, party).status).toBe(201);
  });

  it("shows the service's version again once the edit is parked", () => {
    const { rig, path } = withMember(objectRig(), aTask(601));
    const token = rig.token("tasks-3001");
    rig.put(path, vtodo(uidOf(path), "SUMMARY:Mine"));
    const edit = rig.store.journal.claimNext();
    const park = { kind: "park", reason: "refused", problem: "no" } as const;
    if (edit) rig.store.journal.settle(edit, park);
    expect(rig.text(path)).toContain("SUMMARY:Task 601");
    expect(rig.since("tasks-3001", token).put).toEqual([`${uidOf(path)}.ics`]);
  });
});
