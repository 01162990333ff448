import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { preconditionsOf } from "../../packages/caldav-server/test/multistatus.ts";
import { ics, type Program, pathOf, prop, replay } from "./replay.ts";
import { type ClientSetting, clientSetting, day, icsDay, only } from "./setting.ts";

// DAVx5 with tasks.org or jtx Board: events by sync-collection, tasks by calendar-query; children may come before their
// parents, and a condition on something that is gone must not end in a loop.

const tasksOrg = "+//IDN tasks.org//android-130804//EN";
const type = { "content-type": "text/calendar; charset=utf-8" };

describe("DAVx5", () => {
  let setting: ClientSetting;
  let davx5: Program;
  let events: string;
  let tasks: string;

  beforeAll(async () => {
    setting = await clientSetting();
    const times = { start: `${day(3)}T10:00:00+01:00`, end: `${day(3)}T11:00:00+01:00` };
    setting.addEvent({ title: "Kick-off", ...times, all_day: false });
    setting.addTask({ title: "Some day" });
    await setting.refresh();
    davx5 = replay(setting, {
      agent: "DAVx5/4.4.3-ose (dav4jvm; okhttp/4.12.0) Android/14",
      headers: { "accept-language": "de-DE, de;q=0.7, *;q=0.5", "accept-encoding": "identity" },
    });
    events = `${pathOf(setting.home)}${setting.slugs.events}/`;
    tasks = `${pathOf(setting.home)}${setting.slugs.tasks}/`;
  });
  afterAll(() => setting?.close());

  const xml = (depth: "0" | "1", body: string) => ({
    headers: { depth, "content-type": "application/xml; charset=utf-8" },
    body: `<?xml version='1.0' encoding='UTF-8' ?>${body}`,
  });
  const question = (props: string) =>
    `<propfind xmlns="DAV:" xmlns:CAL="urn:ietf:params:xml:ns:caldav" xmlns:CARD="urn:ietf:params:xml:ns:carddav" xmlns:n0="http://calendarserver.org/ns/"><prop>${props}</prop></propfind>`;
  const changes = (token: string) =>
    davx5.read(
      `REPORT ${events}`,
      xml(
        "0",
        `<sync-collection xmlns="DAV:"><sync-token>${token}</sync-token><sync-level>1</sync-level><prop><getetag /></prop></sync-collection>`,
      ),
    );
  const openTasks = () =>
    davx5.read(
      `REPORT ${tasks}`,
      xml(
        "1",
        `<CAL:calendar-query xmlns="DAV:" xmlns:CAL="urn:ietf:params:xml:ns:caldav"><prop><getetag /></prop><CAL:filter><CAL:comp-filter name="VCALENDAR"><CAL:comp-filter name="VTODO" /></CAL:comp-filter></CAL:filter></CAL:calendar-query>`,
      ),
    );
  const put = async (path: string, body: string, condition: Readonly<Record<string, string>>) => {
    const answer = await davx5.send(`PUT ${path}`, { headers: { ...type, ...condition }, body });
    await setting.arrived();
    return answer;
  };
  const todo = (uid: string, ...lines: readonly string[]) =>
    ics(
      tasksOrg,
      "BEGIN:VTODO",
      "DTSTAMP:20261101T080000Z",
      `UID:${uid}`,
      "CREATED:20261101T080000Z",
      "LAST-MODIFIED:20261101T080000Z",
      ...lines,
      "PRIORITY:5",
      "X-APPLE-SORT-ORDER:685200000",
      "END:VTODO",
    );

  it("finds principal, home and collections by names without a prefix", async () => {
    const asked = xml(
      "0",
      question(
        "<resourcetype /><displayname /><CAL:calendar-home-set /><CARD:addressbook-home-set /><current-user-principal />",
      ),
    );
    const moved = await davx5.send("PROPFIND /.well-known/caldav", asked);
    const [root] = (await davx5.read(`PROPFIND ${pathOf(moved.headers.location ?? "")}`, asked))
      .responses;
    const principal = prop(root?.props ?? {}, "current-user-principal");
    expect((await davx5.send(`OPTIONS ${principal}`)).headers["dav"]).toContain("calendar-access");
    const [own] = (await davx5.read(`PROPFIND ${principal}`, asked)).responses;
    const { responses } = await davx5.read(
      `PROPFIND ${prop(own?.props ?? {}, "calendar-home-set")}`,
      xml(
        "1",
        question(
          "<resourcetype /><displayname /><current-user-privilege-set /><owner /><CAL:calendar-description /><CAL:calendar-timezone /><CAL:supported-calendar-component-set /><n0:source /><supported-report-set /><sync-token /><n0:getctag />",
        ),
      ),
    );
    expect(responses.map(({ href }) => href)).toEqual(expect.arrayContaining([events, tasks]));
    const sizes = await davx5.read(
      `PROPFIND ${events}`,
      xml(
        "0",
        question("<CAL:max-resource-size /><supported-report-set /><n0:getctag /><sync-token />"),
      ),
    );
    expect(Number(prop(sizes.responses[0]?.props ?? {}, "max-resource-size"))).toBeGreaterThan(
      10_000,
    );
  });

  it("lists with an empty token, and learns that another has become invalid", async () => {
    const first = await changes("");
    expect(first.responses).toHaveLength(1);
    expect((await changes(first.token ?? "")).responses).toEqual([]);
    for (const token of ["0", "http://example.com/ns/sync/7", `${first.token}9`]) {
      const body = `<sync-collection xmlns="DAV:"><sync-token>${token}</sync-token><sync-level>1</sync-level><prop><getetag /></prop></sync-collection>`;
      const answer = await davx5.send(`REPORT ${events}`, xml("0", body));
      expect(answer.status, token).toBe(403);
      expect(preconditionsOf(answer.text)).toEqual(["valid-sync-token"]);
    }
  });

  it("fetches single objects with its own Accept header", async () => {
    const [member] = (await changes("")).responses;
    const accept = "text/calendar;version=2.0, text/calendar;q=0.8, */*;q=0.7";
    const got = await davx5.send(`GET ${member?.href}`, { headers: { accept } });
    expect(got.status).toBe(200);
    expect(got.headers["content-type"]).toMatch(/^text\/calendar/);
    const data = `<CAL:calendar-multiget xmlns="DAV:" xmlns:CAL="urn:ietf:params:xml:ns:caldav"><prop><getetag /><n1:schedule-tag xmlns:n1="urn:ietf:params:xml:ns:caldav" /><CAL:calendar-data content-type="text/calendar" version="2.0" /></prop><href>${member?.href}</href></CAL:calendar-multiget>`;
    const { responses } = await davx5.read(`REPORT ${events}`, xml("1", data));
    expect(prop(responses[0]?.props ?? {}, "calendar-data")).toContain("SUMMARY:Kick-off");
  });

  it("sends a child before its parent, and it becomes a subtask", async () => {
    const child = todo("child-1", "SUMMARY:Ask Ben", "RELATED-TO:parent-1");
    const first = await davx5.send(`PUT ${tasks}child-1.ics`, {
      headers: { ...type, "if-none-match": "*" },
      body: child,
    });
    expect(first.status).toBe(201);
    const parent = todo("parent-1", "SUMMARY:Write the brief", `DUE;VALUE=DATE:${icsDay(5)}`);
    const made = await put(`${tasks}parent-1.ics`, parent, { "if-none-match": "*" });
    expect(made.status).toBe(201);
    await setting.arrived();
    const task = only(setting.tasks(), "Write the brief");
    expect(task.due_date).toBe(day(5));
    expect(setting.tasks().map(({ title }) => title)).not.toContain("Ask Ben");
    expect(setting.subtasks(task.id).map(({ title }) => title)).toEqual(["Ask Ben"]);
    await setting.refresh();
    expect((await openTasks()).responses).toHaveLength(3);
    const kept = await davx5.send(`GET ${tasks}child-1.ics`);
    expect(kept.text).toMatch(/RELATED-TO[^:]*:parent-1\r\n/);
    expect(kept.text).toContain("X-APPLE-SORT-ORDER:685200000\r\n");
  });

  it("writes both again without relations, and the child stays a subtask", async () => {
    const present = await davx5.send(`GET ${tasks}parent-1.ics`);
    const body = todo("parent-1", "SUMMARY:Write the long brief", `DUE;VALUE=DATE:${icsDay(5)}`);
    const condition = { "if-match": present.headers["etag"] ?? "" };
    expect((await put(`${tasks}parent-1.ics`, body, condition)).status).toBe(204);
    const child = await davx5.send(`GET ${tasks}child-1.ics`);
    const unrelated = todo(
      "child-1",
      "SUMMARY:Ask Ben",
      "STATUS:COMPLETED",
      "PERCENT-COMPLETE:100",
    );
    const again = await put(`${tasks}child-1.ics`, unrelated, {
      "if-match": child.headers["etag"] ?? "",
    });
    expect(again.status).toBe(204);
    const task = only(setting.tasks(), "Write the long brief");
    expect(only(setting.subtasks(task.id), "Ask Ben").completed).toBe(true);
    expect(setting.tasks()).toHaveLength(2);
  });

  it("gets 404 for deleted objects, 412 for unknown ones, and a tombstone", async () => {
    const body = (title: string) =>
      ics(
        "-//DAVx5//ical4j//EN",
        "BEGIN:VEVENT",
        "UID:ev-1",
        "DTSTAMP:20261101T080000Z",
        `SUMMARY:${title}`,
        `DTSTART;VALUE=DATE:${icsDay(8)}`,
        `DTEND;VALUE=DATE:${icsDay(9)}`,
        "END:VEVENT",
      );
    const made = await put(`${events}ev-1.ics`, body("Trip"), { "if-none-match": "*" });
    const { token } = await changes("");
    const { id } = only(setting.events(), "Trip");
    setting.workspace.events.remove({ by: setting.by, project: setting.place.project, event: id });
    await setting.buried("event", id);
    const condition = { "if-match": made.headers["etag"] ?? "" };
    expect((await put(`${events}ev-1.ics`, body("Trip, later"), condition)).status).toBe(404);
    expect((await davx5.send(`DELETE ${events}ev-1.ics`, { headers: condition })).status).toBe(404);
    expect((await put(`${events}never.ics`, body("Never"), condition)).status).toBe(412);
    expect((await changes(token ?? "")).responses).toMatchObject([
      { href: `${events}ev-1.ics`, status: 404 },
    ]);
    expect(setting.events().map(({ title }) => title)).toEqual(["Kick-off"]);
  });

  it("moves a task to another list by a new object and a deletion", async () => {
    const near = `${pathOf(setting.home)}${setting.slugs.nearTasks}/`;
    const { id } = only(setting.tasks(), "Some day");
    const name = `${encodeURIComponent(setting.uidOf("task", id))}.ics`;
    const body = todo(setting.uidOf("task", id), "SUMMARY:Some day");
    expect((await put(`${near}${name}`, body, { "if-none-match": "*" })).status).toBe(201);
    expect((await davx5.send(`DELETE ${tasks}${name}`)).status).toBe(404);
    await setting.arrived();
    expect(setting.tasks().map(({ title }) => title)).toEqual(["Write the long brief"]);
    expect(only(setting.tasks(setting.nearList), "Some day").id).toBe(id);
    expect(new Set(setting.edits().map(({ state }) => state))).toEqual(new Set(["confirmed"]));
  });
});
