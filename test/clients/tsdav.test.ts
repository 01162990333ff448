import { createDAVClient, type DAVCalendar } from "tsdav";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ClientSetting, clientSetting, day, icsDay, only } from "./setting.ts";

// tsdav, the library with which programs in JavaScript reach calendars.

type Client = Awaited<ReturnType<typeof createDAVClient>>;

describe("tsdav", () => {
  let setting: ClientSetting;
  let client: Client;
  let calendars: readonly DAVCalendar[];

  beforeAll(async () => {
    setting = await clientSetting();
    setting.addEvent({ title: "Kick-off", start: day(3), all_day: true });
    setting.addTask({ title: "Write the brief", due_date: day(5) });
    await setting.refresh();
    client = await createDAVClient({
      serverUrl: setting.daemon.url,
      credentials: { username: setting.login, password: setting.password },
      authMethod: "Basic",
      defaultAccountType: "caldav",
    });
    calendars = await client.fetchCalendars();
  });
  afterAll(() => setting?.close());

  const calendar = (slug: string): DAVCalendar => {
    const found = calendars.find(({ url }) => url.endsWith(`/${slug}/`));
    if (!found) throw new Error(`tsdav found no ${slug}`);
    return found;
  };
  const iCalString = (uid: string, ...lines: readonly string[]) =>
    `${["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", "BEGIN:VEVENT", `UID:${uid}`, "DTSTAMP:20260101T000000Z", ...lines, "END:VEVENT", "END:VCALENDAR"].join("\r\n")}\r\n`;

  it("finds the calendars and their properties from the server's address", () => {
    expect(calendars.length).toBeGreaterThanOrEqual(Object.keys(setting.slugs).length);
    expect(calendar(setting.slugs.events)).toMatchObject({
      displayName: expect.stringContaining("Blank project"),
      calendarColor: "#428BCA",
      components: ["VEVENT"],
      ctag: expect.stringMatching(/^c-/),
      reports: expect.arrayContaining(["calendarMultiget", "calendarQuery", "syncCollection"]),
    });
    expect(calendar(setting.slugs.tasks).components).toEqual(["VTODO"]);
  });

  it("creates, changes and deletes with conditions", async () => {
    const events = calendar(setting.slugs.events);
    const create = (summary: string) =>
      client.createCalendarObject({
        calendar: events,
        filename: "made by tsdav.ics",
        iCalString: iCalString("ts@example.com", summary, `DTSTART;VALUE=DATE:${icsDay(4)}`),
      });
    const made = await create("SUMMARY:Made");
    expect(made.status).toBe(201);
    expect((await create("SUMMARY:Made twice")).status).toBe(412);
    const [object] = await client.fetchCalendarObjects({
      calendar: events,
      objectUrls: [`${events.url}made%20by%20tsdav.ics`],
    });
    expect(object?.etag).toBe(made.headers.get("etag"));
    if (!object) throw new Error("the object is not there");
    const data = String(object.data).replace("SUMMARY:Made", "SUMMARY:Changed");
    const changed = await client.updateCalendarObject({ calendarObject: { ...object, data } });
    expect(changed.status).toBe(204);
    expect((await client.updateCalendarObject({ calendarObject: object })).status).toBe(412);
    await setting.arrived();
    expect(only(setting.events(), "Changed").start).toBe(`${day(4)} 00:00`);

    expect((await client.deleteCalendarObject({ calendarObject: object })).status).toBe(412);
    const etag = changed.headers.get("etag") ?? "";
    const gone = await client.deleteCalendarObject({ calendarObject: { ...object, etag } });
    expect(gone.status).toBe(204);
    await setting.arrived();
    expect(setting.events().map(({ title }) => title)).toEqual(["Kick-off"]);
  });

  it("queries the events of some days", async () => {
    const within = async (from: number, to: number) => {
      const found = await client.fetchCalendarObjects({
        calendar: calendar(setting.slugs.events),
        timeRange: { start: `${day(from)}T00:00:00Z`, end: `${day(to)}T00:00:00Z` },
      });
      return found.map(({ data }) => /SUMMARY:(.*)\r/.exec(String(data))?.[1]);
    };
    expect(await within(3, 4)).toEqual(["Kick-off"]);
    expect(await within(5, 9)).toEqual([]);
  });

  it("follows changes by sync tokens, including deleted members", async () => {
    const tasks = calendar(setting.slugs.tasks);
    const objects = await client.fetchCalendarObjects({
      calendar: tasks,
      filters: { "comp-filter": { _attributes: { name: "VCALENDAR" } } },
    });
    expect(objects).toHaveLength(1);
    const first = await client.smartCollectionSync({
      collection: { ...tasks, objects, objectMultiGet: client.calendarMultiGet },
      method: "webdav",
      detailedResult: true,
    });
    expect(first.objects).toMatchObject({ created: [], updated: [], deleted: [] });
    const { id } = only(setting.tasks(), "Write the brief");
    setting.addTask({ title: "Read it", due_date: day(6) });
    setting.changeTask(id, { title: "Write the long brief" });
    await setting.refresh();
    const collection = { ...tasks, objects, objectMultiGet: client.calendarMultiGet };
    const second = await client.smartCollectionSync({
      collection: { ...collection, syncToken: tokenOf(first) },
      method: "webdav",
      detailedResult: true,
    });
    expect(second.objects).toMatchObject({
      created: [{ data: expect.stringContaining("SUMMARY:Read it") }],
      updated: [{ data: expect.stringContaining("SUMMARY:Write the long brief") }],
      deleted: [],
    });
    setting.workspace.tasks.remove({ by: setting.by, ...setting.place, task: id });
    await setting.buried("task", id);
    const third = await client.smartCollectionSync({
      collection: { ...collection, syncToken: tokenOf(second) },
      method: "webdav",
      detailedResult: true,
    });
    expect(third.objects.deleted).toHaveLength(1);
  });

  it("learns by the precondition that repeating events are not supported", async () => {
    const refused = await client.createCalendarObject({
      calendar: calendar(setting.slugs.events),
      filename: "weekly.ics",
      iCalString: iCalString(
        "w@example.com",
        `DTSTART;VALUE=DATE:${icsDay(4)}`,
        "RRULE:FREQ=DAILY",
      ),
    });
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain("max-instances");
  });
});

function tokenOf({ syncToken }: { readonly syncToken?: string | undefined }): string {
  if (syncToken === undefined) throw new Error("the sync has given no token");
  return syncToken;
}
