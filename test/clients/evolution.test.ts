import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ics, type Program, pathOf, prop, replay } from "./replay.ts";
import { type ClientSetting, clientSetting, day, icsDay, only } from "./setting.ts";

// evolution-data-server, behind Evolution and GNOME Calendar: looks at the ctag, requests the ETags within a time
// range, loads new objects by multiget, and prefers short answers.

const prodId = "-//Ximian//NONSGML Evolution Calendar//EN";
const header = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n`;

describe("Evolution", () => {
  let setting: ClientSetting;
  let evolution: Program;
  let events: string;

  beforeAll(async () => {
    setting = await clientSetting();
    setting.addEvent({ title: "Kick-off", start: day(3), all_day: true });
    setting.addEvent({ title: "Far away", start: day(300), all_day: true });
    await setting.refresh();
    evolution = replay(setting, {
      agent: "Evolution/3.46.4",
      headers: { prefer: "return=minimal", "cache-control": "no-cache", pragma: "no-cache" },
    });
    events = `${pathOf(setting.home)}${setting.slugs.events}/`;
  });
  afterAll(() => setting?.close());

  const xml = (depth: "0" | "1", body: string) => ({
    headers: { depth, "content-type": 'application/xml; charset="utf-8"' },
    body: header + body,
  });
  const ctag = async () => {
    const body = `<D:propfind xmlns:D="DAV:"><D:prop><CS:getctag xmlns:CS="http://calendarserver.org/ns/"/></D:prop></D:propfind>`;
    const [found] = (await evolution.read(`PROPFIND ${events}`, xml("0", body))).responses;
    return prop(found?.props ?? {}, "getctag");
  };
  const listed = async (from: number, to: number) => {
    const body = `<C:calendar-query xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:D="DAV:"><D:prop><D:getetag/></D:prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range start="${icsDay(from)}T000000Z" end="${icsDay(to)}T000000Z"/></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`;
    return (await evolution.read(`REPORT ${events}`, xml("1", body))).responses;
  };
  const loaded = async (hrefs: readonly string[]) => {
    const list = hrefs.map((href) => `<D:href>${href}</D:href>`).join("");
    const body = `<C:calendar-multiget xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:D="DAV:"><D:prop><D:getetag/><C:calendar-data/></D:prop>${list}</C:calendar-multiget>`;
    const { responses } = await evolution.read(`REPORT ${events}`, xml("1", body));
    return responses.map(({ props }) => prop(props, "calendar-data"));
  };
  const put = async (path: string, body: string, condition: Readonly<Record<string, string>>) => {
    const headers = { "content-type": 'text/calendar; charset="utf-8"', ...condition };
    const answer = await evolution.send(`PUT ${path}`, { headers, body });
    await setting.arrived();
    return answer;
  };

  it("sees by OPTIONS and privileges that the calendar is writable", async () => {
    const options = await evolution.send(`OPTIONS ${events}`);
    expect(options.headers["dav"]).toContain("calendar-access");
    // It opens a calendar read-only when the calendar's own address does not offer PUT and DELETE.
    expect(options.headers["allow"]?.split(", ")).toEqual(
      expect.arrayContaining(["PUT", "DELETE"]),
    );
    const body = `<D:propfind xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:current-user-privilege-set/><C:calendar-user-address-set/><D:owner/></D:prop></D:propfind>`;
    const { text } = await evolution.send(`PROPFIND ${events}`, xml("0", body));
    expect(text).toMatch(/:write-content\/>/);
  });

  it("loads events within the range, and does nothing while the ctag is unchanged", async () => {
    const first = await ctag();
    const found = await listed(0, 60);
    expect(found).toHaveLength(1);
    expect((await loaded(found.map(({ href }) => href)))[0]).toContain("SUMMARY:Kick-off");
    await setting.refresh();
    expect(await ctag()).toBe(first);
    setting.changeEvent(only(setting.events(), "Kick-off").id, { title: "Kick-off, later" });
    await setting.refresh();
    expect(await ctag()).not.toBe(first);
    const [again] = await listed(0, 60);
    expect(prop(again?.props ?? {}, "getetag")).not.toBe(prop(found[0]?.props ?? {}, "getetag"));
  });

  it("creates, changes and deletes an event", async () => {
    const event = (summary: string) =>
      ics(
        prodId,
        "BEGIN:VEVENT",
        "UID:4c5e8b1a0c7f",
        "DTSTAMP:20261101T080000Z",
        `DTSTART;VALUE=DATE:${icsDay(6)}`,
        `DTEND;VALUE=DATE:${icsDay(8)}`,
        "SEQUENCE:2",
        `SUMMARY:${summary}`,
        "TRANSP:TRANSPARENT",
        "CLASS:PUBLIC",
        "X-EVOLUTION-CALDAV-ETAG:x",
        "END:VEVENT",
      );
    const path = `${events}4c5e8b1a0c7f.ics`;
    const made = await put(path, event("Conference"), { "if-none-match": "*" });
    expect(made.status).toBe(201);
    expect(only(setting.events(), "Conference")).toMatchObject({
      start: `${day(6)} 00:00`,
      end: `${day(7)} 23:59`,
      all_day: true,
    });
    const condition = { "if-match": made.headers["etag"] ?? "" };
    const saved = await put(path, event("Conference, both days"), condition);
    expect(saved.status).toBe(204);
    expect((await put(path, event("Too late"), condition)).status).toBe(412);
    // Line ends of XML are LF.
    expect((await loaded([path]))[0]).toBe(event("Conference, both days").replaceAll("\r\n", "\n"));
    const gone = await evolution.send(`DELETE ${path}`, {
      headers: { "if-match": saved.headers["etag"] ?? "" },
    });
    expect(gone.status).toBe(204);
    await setting.arrived();
    expect(setting.eventTitles()).toEqual(["Far away", "Kick-off, later"]);
    expect(new Set(setting.edits().map(({ state }) => state))).toEqual(new Set(["confirmed"]));
  });
});
