import { describe, expect, it } from "vitest";
import { labelId, listId, personId, projectId, serviceId } from "../../../src/domain/ids.ts";
import { vevent, vtodo } from "../../edits/rig.ts";
import { anEvent, aTask, days } from "../../support/items.ts";
import { object, objectRig, root, told, uidOf } from "./object-rig.ts";

const events = `${root}/events-2001`;
const tasks = `${root}/tasks-3001`;
const milestones = `${root}/milestones-2001`;
const party = vevent(
  "party@example.com",
  "DTSTAMP:20261120T120000Z",
  "SUMMARY:Party",
  "LOCATION:Kitchen",
  "DTSTART;VALUE=DATE:20261224",
  "DTEND;VALUE=DATE:20261225",
  "X-FOO;X=y:bar",
);
const chore = (...lines: readonly string[]) =>
  vtodo("chore@example.com", "DTSTAMP:20261120T120000Z", "SUMMARY:Chore", ...lines);

describe("objectAnswer() of a PUT that creates", () => {
  it("takes the edit in, keeps the octets, and answers their strong ETag", () => {
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

  it("makes a task of the list, with everything that it says", () => {
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
      "403 c:valid-calendar-object-resource",
    );
  });

  it("takes a to-do before and after the task above it", () => {
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

  it("hangs nothing below a task that the person does not see", () => {
    const rig = objectRig();
    const there = { projectId: projectId(2002), listId: listId(3009) };
    const hidden = uidOf(rig.member(aTask(601, there)));
    rig.closeProject(2002, 12);
    rig.put(`${tasks}/1.ics`, chore(`RELATED-TO:${hidden}`));
    expect(rig.itemOf("chore@example.com")).toMatchObject({ kind: "task", projectId: 2001 });
    expect(rig.put(`${tasks}/2.ics`, vtodo(hidden, "SUMMARY:Mine")).status).toBe(403);
    expect(rig.itemOf(hidden)).toMatchObject({ title: "Task 601" });
  });

  it("is refused where nothing new may be put", () => {
    const rig = objectRig();
    const answer = rig.put(`${root}/assigned/a.ics`, chore());
    expect(told(answer)).toBe("403 d:need-privileges");
    expect(String(answer.body)).toContain("<d:bind/>");
    expect(rig.edits()).toEqual([]);
  });

  it.each([
    ["text/plain", "403 c:supported-calendar-data"],
    ["application/octet-stream", "403 c:supported-calendar-data"],
    ["text/calendar;charset=utf-8;component=vevent", "201"],
    ["TEXT/CALENDAR", "201"],
  ])("answers an object of type %s with %s", (type, expected) => {
    const rig = objectRig();
    expect(told(rig.put(`${events}/a.ics`, party, { "content-type": type }))).toBe(expected);
  });

  it.each([
    ["iso-8859-1", "Fête", "403 c:supported-calendar-data"],
    ['"ISO-8859-15"', "Fête", "403 c:supported-calendar-data"],
    ["iso-8859-1", "Feast", "201"],
    ["us-ascii", "Feast", "201"],
    ['"UTF-8"', "Fête", "201"],
    ["utf8", "Fête", "201"],
  ])("answers an object of the charset %s with the title %s by %s", (charset, title, expected) => {
    const rig = objectRig();
    const type = `text/calendar; component=vevent; charset=${charset}`;
    const item = party.replace(/SUMMARY:.*/, `SUMMARY:${title}`);
    expect(told(rig.put(`${events}/a.ics`, item, { "content-type": type }))).toBe(expected);
  });

  it("takes an object without a type", () => {
    const rig = objectRig();
    expect(rig.ask("PUT", `${events}/a.ics`, { body: object(party) }).status).toBe(201);
  });

  const series = vevent(
    "s@example.com",
    "SUMMARY:S",
    "DTSTART:20261224T100000Z",
    "RRULE:FREQ=DAILY",
  );
  it.each([
    ["a to-do among events", events, chore(), "403 c:supported-calendar-component"],
    ["an event among tasks", tasks, party, "403 c:supported-calendar-component"],
    ["a series", events, series, "403 c:max-instances"],
    ["a METHOD", events, `METHOD:REQUEST\r\n${party}`, "403 c:valid-calendar-object-resource"],
    ["two items", events, `${party}\r\n${series}`, "403 c:valid-calendar-object-resource"],
    ["nothing readable", events, "BEGIN:VEVENT\r\nnonsense", "403 c:valid-calendar-data"],
    ["an unknown label", tasks, chore("CATEGORIES:No"), "403 c:valid-calendar-object-resource"],
    ["a time of day", tasks, chore("DUE:20261224T100000Z"), "403 c:valid-calendar-object-resource"],
    [
      "no title",
      events,
      party.replace("SUMMARY:Party", "SUMMARY:"),
      "403 c:valid-calendar-object-resource",
    ],
  ])("refuses %s and keeps nothing", (_name, calendar, item, expected) => {
    const rig = objectRig();
    const answer = rig.put(`${calendar}/a.ics`, item);
    expect(told(answer)).toBe(expected);
    expect(String(answer.body)).toMatch(/<df:reason>.{10,}<\/df:reason>/);
    expect(rig.edits()).toEqual([]);
    expect(rig.get(`${calendar}/a.ics`).status).toBe(404);
  });

  it("refuses what is too large", () => {
    const rig = objectRig();
    const item = vevent("x@example.com", "SUMMARY:X", `DESCRIPTION:${"x".repeat(100_001)}`);
    expect(told(rig.put(`${events}/a.ics`, item))).toBe("403 c:max-resource-size");
  });

  it("names the object that has the UID already", () => {
    const rig = objectRig();
    rig.put(`${events}/one.ics`, party);
    const answer = rig.put(`${events}/two.ics`, party, { "if-none-match": "*" });
    expect(told(answer)).toBe("403 c:no-uid-conflict");
    expect(String(answer.body)).toContain(`<d:href>${events}/one.ics</d:href>`);
    expect(rig.names("events-2001")).toEqual(["one.ics"]);
  });

  it("makes again what the same person has deleted, and what is said to be new", () => {
    const rig = objectRig();
    const path = rig.member(aTask(601));
    const uid = uidOf(path);
    expect(rig.ask("DELETE", path).status).toBe(204);
    expect(rig.get(path).status).toBe(404);
    expect(rig.put(path, vtodo(uid, "SUMMARY:Back")).status).toBe(201);
    expect(rig.itemOf(uid)).toMatchObject({ title: "Back" });
  });

  it("does not make again what somebody else has deleted, unless it is said to be new", () => {
    const rig = objectRig();
    const path = rig.member(aTask(601));
    const key = rig.store.mirror.find("task", serviceId(601));
    if (key) rig.store.mirror.bury(key);
    const item = vtodo(uidOf(path), "SUMMARY:Back");
    const refused = rig.put(path, item);
    expect(told(refused)).toBe("403 c:valid-calendar-object-resource");
    expect(String(refused.body)).toContain("deleted");
    expect(rig.put(path, item, { "if-none-match": "*" }).status).toBe(201);
  });
});

describe("objectAnswer() of a PUT that changes", () => {
  const changed = party.replace("SUMMARY:Party", "SUMMARY:Feast");

  it("is an edit against the present version, and answers the ETag of its octets", () => {
    const rig = objectRig();
    const first = rig.put(`${events}/p.ics`, party).headers?.["ETag"] ?? "";
    const answer = rig.put(`${events}/p.ics`, changed, { "if-match": first });
    expect(answer.status).toBe(204);
    expect(answer.headers?.["ETag"]).not.toBe(first);
    expect(rig.etag(`${events}/p.ics`)).toBe(answer.headers?.["ETag"]);
    expect(rig.text(`${events}/p.ics`)).toBe(object(changed));
    expect(rig.edits()[1]).toMatchObject({ action: "update", patch: { title: "Feast" } });
  });

  it("keeps octets that ask for nothing, without an edit", () => {
    const rig = objectRig();
    rig.put(`${events}/p.ics`, party);
    const token = rig.token("events-2001");
    const moved = party.replace("LOCATION:Kitchen", "LOCATION:Garden");
    expect(rig.put(`${events}/p.ics`, moved).status).toBe(204);
    expect(rig.text(`${events}/p.ics`)).toContain("LOCATION:Garden");
    expect(rig.edits()).toHaveLength(1);
    expect(rig.since("events-2001", token)).toEqual({ put: ["p.ics"], buried: [] });
  });

  it("never wipes what a small event does not speak of", () => {
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
    expect(rig.put(path, small, { "if-match": rig.etag(path) }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toEqual(before);
    expect(rig.edits()).toEqual([]);
  });

  it("never wipes what a small to-do does not speak of", () => {
    const rig = objectRig();
    const path = rig.member(
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
    expect(rig.put(path, vtodo(uidOf(path)), { "if-match": rig.etag(path) }).status).toBe(204);
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

  it("unsets what the same program of the same person has taken away", () => {
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
  ])("unsets nothing that %s leaves out", (_name, headers, person) => {
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
    "unsets nothing that the script %j leaves out of its own text",
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

  it("unsets nothing once somebody has changed the item", () => {
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

  it("compares with the version that the octets name, where no condition does", () => {
    const rig = objectRig();
    const path = rig.member(aTask(601));
    const old = rig.text(path);
    rig.put(path, vtodo(uidOf(path), "SUMMARY:By phone"));
    const edited = old.replace("DUE;VALUE=DATE:20261124", "DUE;VALUE=DATE:20261130");
    expect(edited).not.toBe(old);
    const body = { body: edited, headers: { "content-type": "text/calendar" } };
    expect(rig.ask("PUT", path, body).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({
      title: "By phone",
      dueOn: Temporal.PlainDate.from("2026-11-30"),
    });
  });

  it("refuses another UID and another kind under the same name", () => {
    const rig = objectRig();
    rig.put(`${events}/p.ics`, party);
    const other = rig.put(`${events}/p.ics`, party.replace("UID:party", "UID:other"));
    expect(told(other)).toBe("403 c:no-uid-conflict");
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

  it("leaves nothing behind when a step fails", () => {
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
    const rig = objectRig();
    const path = rig.member(aTask(601));
    const token = rig.token("tasks-3001");
    rig.put(path, vtodo(uidOf(path), "SUMMARY:Mine"));
    const edit = rig.store.journal.claimNext();
    const park = { kind: "park", reason: "refused", problem: "no" } as const;
    if (edit) rig.store.journal.settle(edit, park);
    expect(rig.text(path)).toContain("SUMMARY:Task 601");
    expect(rig.since("tasks-3001", token).put).toEqual([`${uidOf(path)}.ics`]);
  });
});

describe("objectAnswer() of a PUT in review mode", () => {
  it("answers without an ETag, and has programs drop what is not there", () => {
    const rig = objectRig({ mode: "review" });
    const token = rig.token("events-2001");
    expect(rig.put(`${events}/p.ics`, party)).toEqual({ status: 202 });
    expect(rig.since("events-2001", token)).toEqual({ put: [], buried: ["p.ics"] });
    expect(rig.edits()).toMatchObject([{ state: "held" }]);
  });

  it("has programs load a changed object again as it is", () => {
    const rig = objectRig({ mode: "review" });
    const path = rig.member(aTask(601));
    const token = rig.token("tasks-3001");
    const answer = rig.put(path, vtodo(uidOf(path), "SUMMARY:Mine"));
    expect(answer).toEqual({ status: 204 });
    expect(rig.text(path)).toContain("SUMMARY:Task 601");
    expect(rig.since("tasks-3001", token).put).toHaveLength(1);
    rig.put(path, vtodo(uidOf(path), "SUMMARY:Mine"));
    expect(rig.edits()).toHaveLength(1);
  });
});
