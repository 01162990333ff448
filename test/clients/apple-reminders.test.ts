import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ics, type Program, pathOf, prop, replay } from "./replay.ts";
import { type ClientSetting, clientSetting, day, icsDay, only } from "./setting.ts";

// Reminders of iOS: it makes a to-do without dates and adds them a moment later, sends dates as VALUE=DATE, deletes
// without conditions, and keeps writing to the address at which it once found something.

const prodId = "-//Apple Inc.//iOS 17.5//EN";
const type = { "content-type": "text/calendar; charset=utf-8" };

describe("Apple Reminders", () => {
  let setting: ClientSetting;
  let reminders: Program;
  let list: string;

  beforeAll(async () => {
    setting = await clientSetting();
    setting.addTask({ title: "Write the brief", due_date: day(5), description: "Two pages" });
    setting.addTask({ title: "Some day" });
    await setting.refresh();
    reminders = replay(setting, {
      agent: "iOS/17.5 (21F79) remindd/1.0",
      headers: { brief: "t", prefer: "return=minimal", accept: "*/*" },
    });
    list = `${pathOf(setting.home)}${setting.slugs.tasks}/`;
  });
  afterAll(() => setting?.close());

  const uid = "E87F4211-1D5A-4B0C-9C55-21B3D7A0F6C2";
  const todo = (...lines: readonly string[]) =>
    ics(
      prodId,
      "CALSCALE:GREGORIAN",
      "BEGIN:VTODO",
      "CREATED:20261101T080000Z",
      `UID:${uid}`,
      "DTSTAMP:20261101T080000Z",
      "LAST-MODIFIED:20261101T080000Z",
      ...lines,
      "END:VTODO",
    );
  const put = async (path: string, body: string, condition: Readonly<Record<string, string>>) => {
    const answer = await reminders.send(`PUT ${path}`, {
      headers: { ...type, ...condition },
      body,
    });
    await setting.arrived();
    return answer;
  };
  let etag = "";

  it("finds the lists for to-dos in the home", async () => {
    const { responses } = await reminders.read(`PROPFIND ${pathOf(setting.home)}`, {
      headers: { depth: "1", "content-type": "text/xml" },
      body: `<?xml version="1.0" encoding="UTF-8"?>\n<A:propfind xmlns:A="DAV:"><A:prop><A:current-user-principal/><A:displayname/><A:resourcetype/><B:supported-calendar-component-set xmlns:B="urn:ietf:params:xml:ns:caldav"/></A:prop></A:propfind>\n`,
    });
    const [home, ...calendars] = responses;
    expect(prop(home?.props ?? {}, "current-user-principal")).toContain(`/${setting.by}/`);
    expect(calendars.map(({ href }) => href)).toContain(list);
    const { text } = await reminders.send(`PROPFIND ${pathOf(setting.home)}`, {
      headers: { depth: "1" },
      body: `<A:propfind xmlns:A="DAV:"><A:prop><B:supported-calendar-component-set xmlns:B="urn:ietf:params:xml:ns:caldav"/></A:prop></A:propfind>`,
    });
    expect(text).toContain('name="VTODO"');
    // It would show a home that called itself a calendar as an empty calendar.
    const body = `<A:propfind xmlns:A="DAV:"><A:prop><A:resourcetype/></A:prop></A:propfind>`;
    const { text: self } = await reminders.send(`PROPFIND ${pathOf(setting.home)}`, {
      headers: { depth: "0" },
      body,
    });
    expect(self).toMatch(/:collection\/>/);
    expect(self).not.toMatch(/:calendar\/>/);
  });

  it("lists open to-dos, including those without a date", async () => {
    const open = (range: string) =>
      reminders.read(`REPORT ${list}`, {
        headers: { depth: "1", "content-type": "text/xml" },
        body: `<?xml version="1.0" encoding="UTF-8"?>\n<B:calendar-query xmlns:B="urn:ietf:params:xml:ns:caldav"><A:prop xmlns:A="DAV:"><A:getetag/><B:calendar-data/></A:prop><B:filter><B:comp-filter name="VCALENDAR"><B:comp-filter name="VTODO">${range}<B:prop-filter name="COMPLETED"><B:is-not-defined/></B:prop-filter><B:prop-filter name="STATUS"><B:text-match negate-condition="yes">CANCELLED</B:text-match></B:prop-filter></B:comp-filter></B:comp-filter></B:filter></B:calendar-query>\n`,
      });
    const all = await open("");
    expect(all.responses).toHaveLength(2);
    const soon = await open(
      `<B:time-range start="${icsDay(40)}T000000Z" end="${icsDay(50)}T000000Z"/>`,
    );
    const shown = soon.responses.map(({ props }) => prop(props, "calendar-data"));
    expect(shown).toHaveLength(1);
    expect(shown[0]).toContain("SUMMARY:Some day");
  });

  it("creates a to-do, then adds the date", async () => {
    const body = todo("SUMMARY:Buy milk", "STATUS:NEEDS-ACTION");
    const made = await put(`${list}${uid}.ics`, body, { "if-none-match": "*" });
    expect(made.status).toBe(201);
    expect(only(setting.tasks(), "Buy milk").due_date).toBeNull();
    const dated = todo(
      "SUMMARY:Buy milk",
      "STATUS:NEEDS-ACTION",
      `DTSTART;VALUE=DATE:${icsDay(2)}`,
      `DUE;VALUE=DATE:${icsDay(2)}`,
      "PRIORITY:9",
      "BEGIN:VALARM",
      "UID:4A9C1F66-0000-4000-8000-000000000001",
      "ACTION:DISPLAY",
      "DESCRIPTION:Reminder",
      "TRIGGER;VALUE=DATE-TIME:19760401T005545Z",
      "X-APPLE-PROXIMITY:ARRIVE",
      "END:VALARM",
    );
    const saved = await put(`${list}${uid}.ics`, dated, { "if-match": made.headers["etag"] ?? "" });
    expect(saved.status).toBe(204);
    etag = saved.headers["etag"] ?? "";
    const kept = await reminders.send(`GET ${list}${uid}.ics`);
    expect(kept.text).toBe(dated);
    expect(kept.headers["etag"]).toBe(etag);
    expect(only(setting.tasks(), "Buy milk")).toMatchObject({
      start_date: day(2),
      due_date: day(2),
    });
  });

  it("keeps a time of day, while the workspace has the day", async () => {
    const timed = todo("SUMMARY:Buy milk", `DUE;TZID=Europe/Berlin:${icsDay(2)}T180000`);
    const saved = await put(`${list}${uid}.ics`, timed, { "if-match": etag });
    expect(saved.status).toBe(204);
    etag = saved.headers["etag"] ?? "";
    const got = await reminders.send(`GET ${list}${uid}.ics`);
    expect([got.text, got.headers["etag"]]).toEqual([timed, etag]);
    expect(only(setting.tasks(), "Buy milk").due_date).toBe(day(2));
  });

  it("removes the date by leaving it out, since it had sent one", async () => {
    const saved = await put(`${list}${uid}.ics`, todo("SUMMARY:Buy milk", "STATUS:NEEDS-ACTION"), {
      "if-match": etag,
    });
    expect(saved.status).toBe(204);
    etag = saved.headers["etag"] ?? "";
    expect(only(setting.tasks(), "Buy milk")).toMatchObject({ start_date: null, due_date: null });
  });

  it("keeps another person's description and date if it names no version", async () => {
    const { id } = only(setting.tasks(), "Write the brief");
    const path = `${list}${encodeURIComponent(setting.uidOf("task", id))}.ics`;
    const body = todo(
      "SUMMARY:Write the brief",
      "STATUS:COMPLETED",
      "PERCENT-COMPLETE:100",
    ).replace(uid, setting.uidOf("task", id));
    const saved = await put(path, body, { "if-match": "*" });
    expect(saved.status).toBe(204);
    expect(only(setting.tasks(), "Write the brief")).toMatchObject({
      completed: true,
      due_date: day(5),
      description: "Two pages",
    });
  });

  it("writes to the old address of a moved task, and creates no second one", async () => {
    const { id } = only(setting.tasks(), "Buy milk");
    setting.changeTask(id, {
      move_task: true,
      project: setting.place.project,
      list_id: setting.nearList,
    });
    await setting.refresh();
    const completed = todo(
      "SUMMARY:Buy milk",
      "STATUS:COMPLETED",
      "COMPLETED:20261110T045638Z",
      "PERCENT-COMPLETE:100",
    );
    const conditional = await put(`${list}${uid}.ics`, completed, { "if-match": etag });
    expect(conditional.status).toBe(404);
    expect(only(setting.tasks(setting.nearList), "Buy milk").completed).toBe(false);
    const plain = await put(`${list}${uid}.ics`, completed, {});
    expect(plain.status).toBe(204);
    expect(setting.tasks().map(({ title }) => title)).not.toContain("Buy milk");
    expect(only(setting.tasks(setting.nearList), "Buy milk").completed).toBe(true);
    expect((await reminders.send(`DELETE ${list}${uid}.ics`)).status).toBe(404);
    await setting.arrived();
    expect(only(setting.tasks(setting.nearList), "Buy milk").completed).toBe(true);
  });

  it("deletes without a condition", async () => {
    const near = `${pathOf(setting.home)}${setting.slugs.nearTasks}/`;
    expect((await reminders.send(`DELETE ${near}${uid}.ics`)).status).toBe(204);
    await setting.arrived();
    expect(setting.tasks(setting.nearList)).toEqual([]);
    expect(new Set(setting.edits().map(({ state }) => state))).toEqual(new Set(["confirmed"]));
  });
});
