import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { berlinZone, ics, type Program, pathOf, prop, replay } from "./replay.ts";
import { type ClientSetting, clientSetting, day, icsDay, only } from "./setting.ts";

// Outlook through CalDav Synchronizer: lists by calendar-query, writes a day of a task as its first and last second,
// and continues at the address in Location.

const prodId = "-//CalDavSynchronizer//EN";

describe("Outlook CalDav Synchronizer", () => {
  let setting: ClientSetting;
  let outlook: Program;
  let events: string;
  let tasks: string;

  beforeAll(async () => {
    setting = await clientSetting();
    setting.addEvent({ title: "Kick-off", start: day(3), all_day: true });
    setting.addTask({ title: "Write the brief", due_date: day(5) });
    await setting.refresh();
    outlook = replay(setting, { agent: "CalDavSynchronizer/4.4" });
    events = `${pathOf(setting.home)}${setting.slugs.events}/`;
    tasks = `${pathOf(setting.home)}${setting.slugs.tasks}/`;
  });
  afterAll(() => setting?.close());

  const xml = (depth: "0" | "1", body: string) => ({
    headers: { depth, "content-type": "application/xml; charset=utf-8" },
    body: `<?xml version='1.0'?>\n${body}`,
  });
  const question = (...props: readonly string[]) =>
    `<D:propfind xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:E="http://apple.com/ns/ical/"><D:prop>${props.join("")}</D:prop></D:propfind>`;
  const versions = async (path: string, component: string, range = "") => {
    const body = `<C:calendar-query xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop xmlns:D="DAV:"><D:getetag/></D:prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="${component}">${range}</C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`;
    return (await outlook.read(`REPORT ${path}`, xml("1", body))).responses;
  };
  const put = async (path: string, body: string, condition: Readonly<Record<string, string>>) => {
    const headers = { "content-type": "text/calendar; charset=utf-8", ...condition };
    const answer = await outlook.send(`PUT ${path}`, { headers, body });
    await setting.arrived();
    return answer;
  };

  it("finds calendars and task lists, and sees that it may write", async () => {
    const moved = await outlook.send(
      "PROPFIND /.well-known/caldav",
      xml("0", question("<D:current-user-principal/>")),
    );
    const root = pathOf(moved.headers.location ?? "");
    const [who] = (
      await outlook.read(`PROPFIND ${root}`, xml("0", question("<D:current-user-principal/>")))
    ).responses;
    const [own] = (
      await outlook.read(
        `PROPFIND ${prop(who?.props ?? {}, "current-user-principal")}`,
        xml("0", question("<C:calendar-home-set/>", "<C:schedule-default-calendar-URL/>")),
      )
    ).responses;
    const { responses } = await outlook.read(
      `PROPFIND ${prop(own?.props ?? {}, "calendar-home-set")}`,
      xml(
        "1",
        question(
          "<D:resourcetype />",
          "<D:displayname />",
          "<E:calendar-color />",
          "<C:supported-calendar-component-set />",
        ),
      ),
    );
    expect(responses.map(({ href }) => href)).toEqual(expect.arrayContaining([events, tasks]));
    const privileges = await outlook.send(
      `PROPFIND ${events}`,
      xml("0", question("<D:current-user-privilege-set/>")),
    );
    for (const name of ["write-content", "bind", "unbind"]) {
      expect(privileges.text).toMatch(new RegExp(`:${name}/>`));
    }
    const all = await outlook.send(
      `PROPFIND ${events}`,
      xml("0", `<D:propfind xmlns:D="DAV:"><D:allprop/></D:propfind>`),
    );
    expect(all.text).toMatch(/:calendar\/>/);
    const reports = await outlook.send(
      `PROPFIND ${events}`,
      xml("0", question("<D:supported-report-set/>")),
    );
    expect(reports.text).toMatch(/:calendar-query\/>/);
  });

  it("sets its color, with alpha, for itself", async () => {
    const body = `<D:propertyupdate xmlns:D="DAV:" xmlns:E="http://apple.com/ns/ical/"><D:set><D:prop><E:calendar-color >#E7A1A2FF</E:calendar-color></D:prop></D:set></D:propertyupdate>`;
    const done = await outlook.send(`PROPPATCH ${events}`, xml("0", body));
    expect(done.text).toContain("HTTP/1.1 200 OK");
  });

  it("creates an event and continues at its address", async () => {
    const uid = "040000008200E00074C5B7101A82E008";
    const event = (summary: string) =>
      ics(
        prodId,
        ...berlinZone,
        "BEGIN:VEVENT",
        "CLASS:PUBLIC",
        "DESCRIPTION:Bring cake\\n",
        `DTEND;TZID=Europe/Berlin:${icsDay(4)}T100000`,
        "DTSTAMP:20261101T080000Z",
        `DTSTART;TZID=Europe/Berlin:${icsDay(4)}T093000`,
        "LOCATION:Room 3",
        "PRIORITY:5",
        "SEQUENCE:0",
        `SUMMARY:${summary}`,
        "TRANSP:OPAQUE",
        `UID:${uid}`,
        "X-MICROSOFT-CDO-BUSYSTATUS:BUSY",
        "X-MICROSOFT-CDO-IMPORTANCE:1",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        "DESCRIPTION:This is an event reminder",
        "TRIGGER:-PT15M",
        "END:VALARM",
        "END:VEVENT",
      );
    const made = await put(`${events}${uid}.ics`, event("Stand-up"), { "if-none-match": "*" });
    expect(made.status).toBe(201);
    const path = pathOf(made.headers.location ?? "");
    expect(path).toBe(`${events}${uid}.ics`);
    const range = `<C:time-range start="${icsDay(0)}T000000Z" end="${icsDay(30)}T000000Z"/>`;
    const found = await versions(events, "VEVENT", range);
    expect(found.map(({ href }) => href)).toContain(path);
    const condition = { "if-match": made.headers["etag"] ?? "" };
    const saved = await put(path, event("Stand-up, short"), condition);
    expect(saved.status).toBe(204);
    expect(only(setting.events(), "Stand-up, short")).toMatchObject({
      start: `${day(4)} 09:30`,
      end: `${day(4)} 10:00`,
      reminder: 15,
    });
    expect((await outlook.send(`DELETE ${path}`, { headers: condition })).status).toBe(412);
    const etag = saved.headers["etag"] ?? "";
    expect((await outlook.send(`DELETE ${path}`, { headers: { "if-match": etag } })).status).toBe(
      204,
    );
    await setting.arrived();
    expect(setting.events().map(({ title }) => title)).toEqual(["Kick-off"]);
  });

  it("writes days of tasks as their first and last second, which stay days", async () => {
    const todo = (due: number, ...lines: readonly string[]) =>
      ics(
        prodId,
        ...berlinZone,
        "BEGIN:VTODO",
        "DESCRIPTION:",
        `DTSTART;TZID=Europe/Berlin:${icsDay(1)}T000000`,
        "DTSTAMP:20261101T080000Z",
        `DUE;TZID=Europe/Berlin:${icsDay(due)}T235959`,
        "PRIORITY:5",
        "SEQUENCE:1",
        "SUMMARY:Order paper",
        "UID:task-of-outlook",
        ...lines,
        "END:VTODO",
      );
    const path = `${tasks}task-of-outlook.ics`;
    const made = await put(path, todo(6, "STATUS:NEEDS-ACTION"), { "if-none-match": "*" });
    expect(made.status, made.text).toBe(201);
    expect(only(setting.tasks(), "Order paper")).toMatchObject({
      start_date: day(1),
      due_date: day(6),
    });
    expect((await outlook.send(`GET ${path}`)).text).toBe(todo(6, "STATUS:NEEDS-ACTION"));
    setting.changeTask(only(setting.tasks(), "Order paper").id, { due_date: day(9) });
    await setting.refresh();
    const present = await outlook.send(`GET ${path}`);
    expect(present.text).toContain(`DTSTART;TZID=Europe/Berlin:${icsDay(1)}T000000\r\n`);
    expect(present.text).toContain(`DUE;TZID=Europe/Berlin:${icsDay(9)}T235959\r\n`);
    const done = todo(9, "STATUS:COMPLETED", "COMPLETED:20261110T045638Z", "PERCENT-COMPLETE:100");
    const saved = await put(path, done, { "if-match": present.headers["etag"] ?? "" });
    expect(saved.status).toBe(204);
    expect(only(setting.tasks(), "Order paper")).toMatchObject({
      completed: true,
      start_date: day(1),
      due_date: day(9),
    });
    expect(await versions(tasks, "VTODO")).toHaveLength(2);
  });

  it("cannot create calendars", async () => {
    const body = `<D:mkcol xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:resourcetype><D:collection/><C:calendar/></D:resourcetype></D:prop></D:set></D:mkcol>`;
    const path = `${pathOf(setting.home)}3f1b/`;
    expect((await outlook.send(`MKCOL ${path}`, xml("0", body))).status).toBe(403);
    expect(new Set(setting.edits().map(({ state }) => state))).toEqual(new Set(["confirmed"]));
  });
});
