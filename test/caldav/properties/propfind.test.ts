import { describe, expect, it } from "vitest";
import { type DavSettings, startDav } from "../../support/dav-server.ts";
import { anEvent, aTask } from "../../support/items.ts";

const calendar = "/dav/calendars/11/events-2001/";

async function withEvents(settings: DavSettings = {}) {
  const dav = await startDav(settings);
  dav.store.mirror.put(anEvent(1, { title: "Review" }), "events:2001");
  dav.store.mirror.put(anEvent(2, { title: "Launch" }), "events:2001");
  dav.store.mirror.put(aTask(5), "tasks:3001");
  const propfind = (path: string, options: { depth?: string; body?: string } = {}) =>
    dav.call(`PROPFIND ${path}`, {
      headers: options.depth === undefined ? {} : { depth: options.depth },
      body: options.body ?? "",
    });
  return { ...dav, propfind };
}

const hrefs = (text: string): readonly (string | undefined)[] =>
  [...text.matchAll(/<d:response><d:href>([^<]+)/g)].map(([, href]) => href);

const prop = (...props: readonly string[]): string =>
  `<propfind xmlns="DAV:"><prop>${props.map((name) => `<${name}/>`).join("")}</prop></propfind>`;

describe("Depth", () => {
  it("0 covers only the calendar, 1 also its members", async () => {
    const { propfind } = await withEvents();
    const [own] = [await propfind(calendar, { depth: "0" })];
    expect(hrefs(own?.text ?? "")).toEqual([calendar]);
    const all = hrefs((await propfind(calendar, { depth: "1" })).text);
    expect(all).toHaveLength(3);
    expect(all[0]).toBe(calendar);
  });

  it("may be omitted, and then covers everything", async () => {
    const { propfind } = await withEvents();
    expect(hrefs((await propfind(calendar)).text)).toHaveLength(3);
  });

  it.each([calendar, "/dav/calendars/11/", "/dav/"])("infinity is refused for %s", async (path) => {
    const { propfind } = await withEvents();
    const { status, text } = await propfind(path, { depth: "infinity" });
    expect(status).toBe(403);
    expect(text).toContain("<d:propfind-finite-depth/>");
  });

  it.each(["2", "-1", "deep"])("%s is a bad request", async (depth) => {
    const { propfind } = await withEvents();
    expect((await propfind(calendar, { depth })).status).toBe(400);
  });

  it("is irrelevant for an object, which has no members", async () => {
    const { propfind } = await withEvents();
    const [, object = ""] = hrefs((await propfind(calendar, { depth: "1" })).text);
    for (const depth of ["0", "1", "infinity"]) {
      expect(hrefs((await propfind(object, { depth })).text)).toEqual([object]);
    }
  });
});

describe("properties", () => {
  it("of a member belong to its octets", async () => {
    const { propfind, call } = await withEvents();
    const asked = prop(
      "getetag",
      "getcontentlength",
      "getcontenttype",
      "getlastmodified",
      "resourcetype",
      "creationdate",
      "current-user-privilege-set",
    );
    const { text } = await propfind(calendar, { depth: "1", body: asked });
    const [, object = ""] = hrefs(text);
    const got = await call(`GET ${object}`);
    const one = (await propfind(object, { depth: "0", body: asked })).text;
    expect(one).toContain(`<d:getetag>${got.headers.etag}</d:getetag>`);
    expect(one).toContain(`<d:getcontentlength>${got.bytes.length}</d:getcontentlength>`);
    expect(one).toContain(`<d:getcontenttype>${got.headers["content-type"]}</d:getcontenttype>`);
    expect(one).toContain("component=VEVENT");
    expect(one).toContain("<d:getlastmodified>Sat, 21 Nov 2026 09:00:00 GMT</d:getlastmodified>");
    expect(one).toContain("<d:creationdate>2026-11-21T09:00:00Z</d:creationdate>");
    expect(one).toContain("<d:resourcetype/>");
    expect(one).toContain("<d:write-content/>");
    expect(one).not.toContain("404");
  });

  it("that do not exist, in any namespace, are reported with 404", async () => {
    const { propfind } = await withEvents();
    const body = `<propfind xmlns="DAV:"><prop><displayname/><x:color xmlns:x="urn:a&amp;b"/><quota-used-bytes/></prop></propfind>`;
    const { text } = await propfind(calendar, { depth: "0", body });
    expect(text).toContain(
      "<d:propstat><d:prop><d:displayname>Website</d:displayname></d:prop><d:status>HTTP/1.1 200 OK",
    );
    expect(text).toContain('<x:color xmlns:x="urn:a&amp;b"/>');
    expect(text).toMatch(/<d:quota-used-bytes\/><\/d:prop><d:status>HTTP\/1\.1 404 Not Found/);
  });

  it.each(["", '<propfind xmlns="DAV:"><allprop/></propfind>'])(
    "by allprop, or an empty body, are those of WebDAV",
    async (body) => {
      const { propfind } = await withEvents();
      const { text } = await propfind(calendar, { depth: "1", body });
      expect(text).toContain("<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>");
      expect(text).toContain("<d:getetag>");
      expect(text).not.toContain("supported-calendar-data");
      expect(text).not.toContain("404");
    },
  );

  it("by allprop include those listed by name", async () => {
    const { propfind } = await withEvents();
    const body = `<propfind xmlns="DAV:"><allprop/><include><supported-report-set/><nothing/></include></propfind>`;
    const { text } = await propfind(calendar, { depth: "0", body });
    expect(text).toContain("<d:sync-collection/>");
    expect(text).toContain("<d:displayname>");
    expect(text).toMatch(/<d:nothing\/><\/d:prop><d:status>HTTP\/1\.1 404/);
  });

  it("by propname have no content", async () => {
    const { propfind } = await withEvents();
    const body = '<propfind xmlns="DAV:"><propname/></propfind>';
    const { text } = await propfind(calendar, { depth: "1", body });
    expect(text).toContain("<cs:getctag/>");
    expect(text).toContain("<d:getetag/>");
    expect(text).not.toContain("calendar-home-set");
    expect(text).not.toContain("<c:calendar-data");
  });

  it("of an empty prop are none, and the response still has a propstat", async () => {
    const { propfind } = await withEvents();
    const { text } = await propfind(calendar, { depth: "0", body: prop() });
    expect(text).toContain("<d:propstat><d:prop/><d:status>HTTP/1.1 200 OK</d:status>");
  });

  it("of a calendar tell programs what it accepts", async () => {
    const { propfind } = await withEvents({ maxSize: 4321 });
    const body = `<a:propfind xmlns:a="DAV:" xmlns:b="urn:ietf:params:xml:ns:caldav"><a:prop>
      <b:max-resource-size/><b:max-instances/><b:supported-calendar-data/><b:supported-collation-set/>
      <b:calendar-timezone/><b:supported-calendar-component-set/></a:prop></a:propfind>`;
    const { text } = await propfind(calendar, { depth: "0", body });
    expect(text).toContain("<c:max-resource-size>4321</c:max-resource-size>");
    expect(text).toContain("<c:max-instances>1</c:max-instances>");
    expect(text).toContain('<c:calendar-data content-type="text/calendar" version="2.0"/>');
    expect(text).toContain("<c:supported-collation>i;octet</c:supported-collation>");
    expect(text).toContain("TZID:Europe/Berlin\r\n");
    expect(text).toContain('<c:comp name="VEVENT"/>');
    expect(text).not.toContain('<c:comp name="VTODO"/>');
  });

  it("getctag and sync-token change with every change", async () => {
    const { propfind, store } = await withEvents();
    const body = `<propfind xmlns="DAV:"><prop><sync-token/><getctag xmlns="http://calendarserver.org/ns/"/></prop></propfind>`;
    const before = (await propfind(calendar, { depth: "0", body })).text;
    expect((await propfind(calendar, { depth: "0", body })).text).toBe(before);
    store.mirror.put(anEvent(1, { title: "Renamed" }), "events:2001");
    const after = (await propfind(calendar, { depth: "0", body })).text;
    for (const name of ["sync-token", "getctag"]) {
      const value = new RegExp(`:${name}>([^<]+)<`);
      expect(value.exec(after)?.[1]).not.toBe(value.exec(before)?.[1]);
    }
  });
});

describe("request bodies", () => {
  it.each([
    ["<x/>", "another element"],
    ["<propfind xmlns='DAV:'/>", "nothing asked"],
    ["<propfind xmlns='DAV:'><prop/><allprop/></propfind>", "two questions"],
    ["<propfind xmlns='urn:x'><prop/></propfind>", "another namespace"],
    ["<propfind xmlns='DAV:'><prop>", "cut off"],
    ["{}", "no XML"],
    ["<!DOCTYPE a [<!ENTITY b 'c'>]><propfind xmlns='DAV:'><allprop/></propfind>", "an entity"],
  ])("%s (%s) is a bad request", async (body) => {
    const { propfind } = await withEvents();
    const { status, headers, text } = await propfind(calendar, { depth: "0", body });
    expect(status).toBe(400);
    expect(headers["content-type"]).toBe("application/xml; charset=utf-8");
    expect(text).toContain("<df:reason>");
  });

  it("beyond 1 MB are refused with 413", async () => {
    const { propfind } = await withEvents();
    const body = `<propfind xmlns="DAV:"><prop>${" ".repeat(1_100_000)}</prop></propfind>`;
    expect((await propfind(calendar, { depth: "0", body })).status).toBe(413);
  });
});

describe("missing resources", () => {
  it.each([`${calendar}none.ics`, "/dav/calendars/11/events-9/", "/dav/other/"])(
    "%s is 404",
    async (path) => {
      const { propfind } = await withEvents();
      expect((await propfind(path, { depth: "0" })).status).toBe(404);
    },
  );

  it("a calendar that was not read yet is 503, never empty; its home lists it without a state", async () => {
    let unread = true;
    const { propfind, call } = await withEvents({ unread: () => unread });
    for (const path of [calendar, `${calendar}a.ics`]) {
      const { status, headers } = await propfind(path, { depth: "1" });
      expect(status).toBe(503);
      expect(headers["retry-after"]).toBe("30");
    }
    const body = `<propfind xmlns="DAV:"><prop><displayname/><sync-token/><getctag xmlns="http://calendarserver.org/ns/"/></prop></propfind>`;
    const home = await propfind("/dav/calendars/11/", { depth: "1", body });
    expect(hrefs(home.text)).toContain(calendar);
    expect(home.text).not.toContain("urn:dayferry:sync");
    expect((await call(`REPORT ${calendar}`)).status).toBe(503);
    unread = false;
    expect((await propfind(calendar, { depth: "1" })).status).toBe(207);
    const after = await propfind("/dav/calendars/11/", { depth: "1", body });
    expect(after.text).toContain("urn:dayferry:sync");
  });
});

describe("a selection of properties", () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`);

  it("is refused if it is very long, since each member repeats it", async () => {
    const { propfind, call } = await withEvents();
    expect((await propfind(calendar, { body: prop(...names(500)) })).status).toBe(207);
    const refused = await propfind(calendar, { body: prop(...names(501)) });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain("more than 500 properties");
    const query = prop(...names(501)).replaceAll("propfind", "sync-collection");
    expect((await call(`REPORT ${calendar}`, { body: query })).status).toBe(403);
  });
});
