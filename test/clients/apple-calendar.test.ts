import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { berlinZone, ics, type Program, pathOf, prop, replay } from "./replay.ts";
import { type ClientSetting, clientSetting, day, icsDay, only } from "./setting.ts";

// Calendar of macOS and iOS, as its requests are documented: its own prefixes, its three requests at the start, and
// octets that it wants back as it sent them.

const prodId = "-//Apple Inc.//iPhone OS 17.5//EN";

describe("Apple Calendar", () => {
  let setting: ClientSetting;
  let apple: Program;
  let events: string;

  beforeAll(async () => {
    setting = await clientSetting();
    setting.addEvent({ title: "Kick-off", start: day(3), all_day: true });
    await setting.refresh();
    apple = replay(setting, {
      agent: "iOS/17.5 (21F79) dataaccessd/1.0",
      headers: { brief: "t", prefer: "return=minimal", accept: "*/*" },
    });
    events = `${pathOf(setting.home)}${setting.slugs.events}/`;
  });
  afterAll(() => setting?.close());

  const question = (...props: readonly string[]) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<A:propfind xmlns:A="DAV:">\n  <A:prop>\n    ${props.join("\n    ")}\n  </A:prop>\n</A:propfind>\n`;
  const depth = (level: "0" | "1") => ({ depth: level, "content-type": "text/xml" });
  const principalQuestion = question(
    "<A:current-user-principal/>",
    "<A:principal-URL/>",
    "<A:resourcetype/>",
  );
  const changes = (token: string) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<A:sync-collection xmlns:A="DAV:">\n  <A:sync-token>${token}</A:sync-token>\n  <A:sync-level>1</A:sync-level>\n  <A:prop>\n    <A:getcontenttype/>\n    <A:getetag/>\n  </A:prop>\n</A:sync-collection>\n`;
  const multiget = (...hrefs: readonly string[]) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<B:calendar-multiget xmlns:B="urn:ietf:params:xml:ns:caldav">\n  <A:prop xmlns:A="DAV:">\n    <A:getetag/>\n    <B:calendar-data/>\n    <C:updated-by xmlns:C="http://calendarserver.org/ns/"/>\n    <C:created-by xmlns:C="http://calendarserver.org/ns/"/>\n  </A:prop>\n${hrefs.map((href) => `  <A:href xmlns:A="DAV:">${href}</A:href>`).join("\n")}\n</B:calendar-multiget>\n`;
  const since = async (token: string) => {
    const body = changes(token);
    return apple.read(`REPORT ${events}`, { headers: depth("1"), body });
  };

  it("is challenged, then finds the principal from the server's name alone", async () => {
    const asked = { headers: depth("0"), body: principalQuestion };
    const moved = await apple.bare("PROPFIND /.well-known/caldav", asked);
    expect(moved.status).toBe(301);
    const root = pathOf(moved.headers.location ?? "");
    const stranger = await apple.bare(`PROPFIND ${root}`, asked);
    expect(stranger.status).toBe(401);
    expect(stranger.headers["www-authenticate"]).toMatch(/^Basic realm="Dayferry"/);
    for (const path of [root, "/"]) {
      const answer = await apple.send(`PROPFIND ${path}`, asked);
      expect(Number(answer.headers["content-length"])).toBe(answer.bytes.length);
      const { responses } = await apple.read(`PROPFIND ${path}`, asked);
      // It ignores an answer about another address than it requested.
      expect(responses.map(({ href }) => href)).toEqual([path]);
      expect(prop(responses[0]?.props ?? {}, "current-user-principal")).toBe(
        `/dav/principals/${setting.by}/`,
      );
    }
  });

  it("reads the principal and its methods", async () => {
    const principal = `/dav/principals/${setting.by}/`;
    const options = await apple.send(`OPTIONS ${principal}`);
    expect(options.status).toBe(200);
    expect(options.headers["dav"]).toContain("calendar-access");
    expect(options.headers["allow"]).toContain("PROPFIND");
    const { responses } = await apple.read(`PROPFIND ${principal}`, {
      headers: depth("0"),
      body: question(
        `<B:calendar-home-set xmlns:B="urn:ietf:params:xml:ns:caldav"/>`,
        `<B:calendar-user-address-set xmlns:B="urn:ietf:params:xml:ns:caldav"/>`,
        "<A:current-user-principal/>",
        "<A:displayname/>",
        `<C:dropbox-home-URL xmlns:C="http://calendarserver.org/ns/"/>`,
        `<C:email-address-set xmlns:C="http://calendarserver.org/ns/"/>`,
        `<B:max-attendees-per-instance xmlns:B="urn:ietf:params:xml:ns:caldav"/>`,
        `<C:notification-URL xmlns:C="http://calendarserver.org/ns/"/>`,
        "<A:principal-collection-set/>",
        "<A:principal-URL/>",
        "<A:resource-id/>",
        `<B:schedule-inbox-URL xmlns:B="urn:ietf:params:xml:ns:caldav"/>`,
        `<B:schedule-outbox-URL xmlns:B="urn:ietf:params:xml:ns:caldav"/>`,
        "<A:supported-report-set/>",
      ),
    });
    const props = responses[0]?.props ?? {};
    expect(prop(props, "calendar-home-set")).toBe(pathOf(setting.home));
    expect(prop(props, "calendar-user-address-set")).toContain(`mailto:${setting.login}`);
    expect(prop(props, "principal-URL")).toBe(principal);
  });

  it("lists the calendars, events apart from tasks, and sees that it may write", async () => {
    const { responses } = await apple.read(`PROPFIND ${pathOf(setting.home)}`, {
      headers: depth("1"),
      body: question(
        "<A:add-member/>",
        `<D:calendar-color xmlns:D="http://apple.com/ns/ical/"/>`,
        `<D:calendar-order xmlns:D="http://apple.com/ns/ical/"/>`,
        "<A:current-user-privilege-set/>",
        `<B:default-alarm-vevent-date xmlns:B="urn:ietf:params:xml:ns:caldav"/>`,
        "<A:displayname/>",
        `<C:getctag xmlns:C="http://calendarserver.org/ns/"/>`,
        "<A:owner/>",
        `<C:pushkey xmlns:C="http://calendarserver.org/ns/"/>`,
        "<A:quota-available-bytes/>",
        "<A:resourcetype/>",
        `<B:supported-calendar-component-set xmlns:B="urn:ietf:params:xml:ns:caldav"/>`,
        "<A:supported-report-set/>",
        "<A:sync-token/>",
      ),
    });
    const calendar = responses.find(({ href }) => href === events);
    expect(prop(calendar?.props ?? {}, "calendar-color")).toBe("#428BCA");
    expect(prop(calendar?.props ?? {}, "sync-token")).toMatch(/^urn:/);
    const answer = await apple.send(`PROPFIND ${events}`, {
      headers: depth("0"),
      body: question(
        `<B:supported-calendar-component-set xmlns:B="urn:ietf:params:xml:ns:caldav"/>`,
        "<A:current-user-privilege-set/>",
      ),
    });
    expect(answer.text).toMatch(/name="VEVENT"/);
    expect(answer.text).not.toMatch(/name="VTODO"/);
    expect(answer.text).toMatch(/:write-content\/>/);
  });

  it("sets name and color of a calendar for itself, and default alarms on the home", async () => {
    const patch = (...props: readonly string[]) =>
      `<?xml version="1.0" encoding="UTF-8"?>\n<A:propertyupdate xmlns:A="DAV:"><A:set><A:prop>${props.join("")}</A:prop></A:set></A:propertyupdate>\n`;
    const colour = `<D:calendar-color xmlns:D="http://apple.com/ns/ical/" symbolic-color="red">#FF383C</D:calendar-color>`;
    const body = patch("<A:displayname>My project</A:displayname>", colour);
    const headers = { "content-type": "text/xml", prefer: "" };
    expect((await apple.send(`PROPPATCH ${events}`, { headers, body })).text).not.toMatch(/ 40\d /);
    const alarm = `<B:default-alarm-vevent-date xmlns:B="urn:ietf:params:xml:ns:caldav">BEGIN:VALARM&#13;\nTRIGGER:-PT15H&#13;\nEND:VALARM&#13;\n</B:default-alarm-vevent-date>`;
    const onHome = await apple.send(`PROPPATCH ${pathOf(setting.home)}`, {
      headers,
      body: patch(alarm),
    });
    expect(onHome.status).toBe(207);
    expect(onHome.text).toContain("HTTP/1.1 200 OK");
    const { responses } = await apple.read(`PROPFIND ${events}`, {
      headers: depth("0"),
      body: question("<A:displayname/>", `<D:calendar-color xmlns:D="http://apple.com/ns/ical/"/>`),
    });
    expect(prop(responses[0]?.props ?? {}, "displayname")).toBe("My project");
    expect(prop(responses[0]?.props ?? {}, "calendar-color")).toBe("#FF383C");
  });

  const uid = "9CBBF90B-2D1E-4C11-9A40-2C7E6A2F3D55";
  const event = (...lines: readonly string[]) =>
    ics(
      prodId,
      "CALSCALE:GREGORIAN",
      ...berlinZone,
      "BEGIN:VEVENT",
      "CREATED:20261101T080000Z",
      `UID:${uid}`,
      `DTEND;TZID=Europe/Berlin:${icsDay(5)}T110000`,
      "TRANSP:OPAQUE",
      "X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC",
      "X-APPLE-CREATOR-IDENTITY:com.apple.mobilecal",
      ...lines,
      `DTSTART;TZID=Europe/Berlin:${icsDay(5)}T100000`,
      "LAST-MODIFIED:20261101T080000Z",
      "DTSTAMP:20261101T080000Z",
      `LOCATION:Café Größenwahn\\, Kottbusser Straße 110\\, 10967 Berlin\\, Deutschland\\, 2. Hof`,
      'X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=70;X-TITLE="Café":geo:52.49,13.42',
      "SEQUENCE:0",
      "BEGIN:VALARM",
      "ACTION:NONE",
      "TRIGGER;VALUE=DATE-TIME:19760401T005545Z",
      "END:VALARM",
      "END:VEVENT",
    );
  let etag = "";

  it("creates an event, and its octets are kept under its name", async () => {
    const body = event("SUMMARY:Coffee");
    const headers = { "if-none-match": "*", "content-type": "text/calendar; charset=utf-8" };
    const made = await apple.send(`PUT ${events}${uid}.ics`, { headers, body });
    expect(made.status).toBe(201);
    etag = made.headers["etag"] ?? "";
    expect(etag).toMatch(/^"[^"]+"$/);
    const got = await apple.send(`GET ${events}${uid}.ics`);
    expect(got.text).toBe(body);
    expect(got.headers["etag"]).toBe(etag);
    await setting.arrived();
    await setting.refresh();
    const later = await apple.send(`GET ${events}${uid}.ics`, {
      headers: { "if-none-match": etag },
    });
    expect(later.status).toBe(304);
    // The alarm that says "no alarm" is no reminder.
    expect(only(setting.events(), "Coffee")).toMatchObject({
      start: `${day(5)} 10:00`,
      end: `${day(5)} 11:00`,
      reminder: null,
    });
  });

  it("syncs by token: everything first, then changes by others, with its own octets around them", async () => {
    const first = await since("");
    expect(first.responses).toHaveLength(2);
    expect(first.responses.map(({ status }) => status)).not.toContain(404);
    expect((await since(first.token ?? "")).responses).toEqual([]);
    setting.changeEvent(only(setting.events(), "Coffee").id, { title: "Coffee and cake" });
    await setting.refresh();
    const second = await since(first.token ?? "");
    expect(second.responses.map(({ href }) => href)).toEqual([`${events}${uid}.ics`]);
    const { responses } = await apple.read(`REPORT ${events}`, {
      headers: depth("1"),
      body: multiget(`${events}${uid}.ics`, `${events}gone.ics`),
    });
    const data = prop(responses[0]?.props ?? {}, "calendar-data");
    expect(data).toContain("SUMMARY:Coffee and cake");
    expect(data).toContain("X-APPLE-STRUCTURED-LOCATION");
    expect(data).toContain("TRIGGER;VALUE=DATE-TIME:19760401T005545Z");
    expect(responses[1]?.status).toBe(404);
    expect(etag).not.toBe(prop(responses[0]?.props ?? {}, "getetag"));
  });

  it("gets 412 for a conflict, and loads the other version", async () => {
    const headers = { "if-match": etag, "content-type": "text/calendar; charset=utf-8" };
    const body = event("SUMMARY:Tea");
    const refused = await apple.send(`PUT ${events}${uid}.ics`, { headers, body });
    expect(refused.status).toBe(412);
    const present = await apple.send(`GET ${events}${uid}.ics`);
    const again = await apple.send(`PUT ${events}${uid}.ics`, {
      headers: { ...headers, "if-match": present.headers["etag"] ?? "" },
      body,
    });
    expect(again.status).toBe(204);
    await setting.arrived();
    expect(only(setting.events(), "Tea").start).toBe(`${day(5)} 10:00`);
    expect(setting.events()).toHaveLength(2);
  });

  it("finds an object under a differently encoded address", async () => {
    const uidOfKickOff = setting.uidOf("event", only(setting.events(), "Kick-off").id);
    for (const name of [uidOfKickOff, encodeURIComponent(uidOfKickOff)]) {
      expect((await apple.send(`GET ${events}${name}.ics`)).status).toBe(200);
      const { responses } = await apple.read(`REPORT ${events}`, {
        headers: depth("1"),
        body: multiget(`${events}${name}.ics`),
      });
      expect(prop(responses[0]?.props ?? {}, "calendar-data")).toContain("SUMMARY:Kick-off");
    }
  });

  it("moves an event to another project's calendar by PUT and DELETE, as one item", async () => {
    const far = `${pathOf(setting.home)}${setting.slugs.farEvents}/`;
    const { token } = await since("");
    const body = event("SUMMARY:Tea");
    const headers = { "if-none-match": "*", "content-type": "text/calendar; charset=utf-8" };
    expect((await apple.send(`PUT ${far}${uid}.ics`, { headers, body })).status).toBe(201);
    expect((await apple.send(`DELETE ${events}${uid}.ics`)).status).toBe(404);
    await setting.arrived();
    expect(setting.events().map(({ title }) => title)).toEqual(["Kick-off"]);
    expect(only(setting.events(setting.far.project), "Tea").start).toBe(`${day(5)} 10:00`);
    const { responses } = await since(token ?? "");
    expect(responses).toMatchObject([{ href: `${events}${uid}.ics`, status: 404 }]);
    expect((await apple.send(`GET ${far}${uid}.ics`)).text).toContain(
      "X-APPLE-STRUCTURED-LOCATION",
    );
  });

  it("is refused repeating events, invitations and new calendars", async () => {
    const headers = { "if-none-match": "*", "content-type": "text/calendar; charset=utf-8" };
    const repeating = event("SUMMARY:Daily", "RRULE:FREQ=DAILY;COUNT=3").replaceAll(uid, "R-1");
    const refused = await apple.send(`PUT ${events}R-1.ics`, { headers, body: repeating });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("max-instances");
    const body = repeating.replace("VERSION:2.0\r\n", "VERSION:2.0\r\nMETHOD:REQUEST\r\n");
    expect((await apple.send(`PUT ${events}R-1.ics`, { headers, body })).status).toBe(409);
    const made = await apple.send(`MKCALENDAR ${pathOf(setting.home)}7B5A/`, {
      headers: { "content-type": "text/xml" },
      body: `<B:mkcalendar xmlns:B="urn:ietf:params:xml:ns:caldav"><A:set xmlns:A="DAV:"><A:prop><A:displayname>Mine</A:displayname></A:prop></A:set></B:mkcalendar>`,
    });
    expect(made.status).toBe(403);
    expect(new Set(setting.edits().map(({ state }) => state))).toEqual(new Set(["confirmed"]));
  });
});
