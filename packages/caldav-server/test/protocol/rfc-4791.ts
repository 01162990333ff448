import { describe, expect, it } from "vitest";
import { preconditionsOf } from "../multistatus.ts";
import type { StartWorld } from "./world.ts";
import {
  events,
  type Headers,
  home,
  namespaces,
  object,
  principal,
  tasks,
  vevent,
} from "./world.ts";

export function rfc4791(start: StartWorld): void {
  const caldav = (name: string) => `{urn:ietf:params:xml:ns:caldav}${name}`;

  describe("RFC 4791 2: calendars and their objects", () => {
    it("support the three CalDAV reports", async () => {
      const { call, event } = await start();
      const bodies: Readonly<Record<string, string>> = {
        "calendar-query": `<c:calendar-query ${namespaces}><c:filter><c:comp-filter name="VCALENDAR"/></c:filter></c:calendar-query>`,
        "calendar-multiget": `<c:calendar-multiget ${namespaces}><d:href>${event.href}</d:href></c:calendar-multiget>`,
        "free-busy-query": `<c:free-busy-query ${namespaces}><c:time-range start="20261101T000000Z" end="20261201T000000Z"/></c:free-busy-query>`,
      };
      for (const path of [events, event.href]) {
        const listed = await call(`PROPFIND ${path}`, {
          headers: { depth: "0" },
          body: `<propfind xmlns="DAV:"><prop><supported-report-set/></prop></propfind>`,
        });
        for (const [name, body] of Object.entries(bodies)) {
          expect(listed.text).toContain(`<d:report><c:${name}/></d:report>`);
          const { status, text } = await call(`REPORT ${path}`, { headers: { depth: "1" }, body });
          expect(status).toBe(name === "free-busy-query" ? 200 : 207);
          const told = name === "free-busy-query" ? "BUSY:20261123T090000Z/" : event.href;
          expect(text).toContain(told);
        }
      }
    });
  });

  describe("RFC 4791 4.2: a calendar", () => {
    it("contains objects but no collections", async () => {
      const { propfind, call } = await start();
      const { responses } = await propfind(events, "<d:prop><d:resourcetype/></d:prop>", "1");
      expect(responses).toHaveLength(2);
      for (const method of ["MKCALENDAR", "MKCOL"]) {
        expect((await call(`${method} ${events}inner/`)).status).toBe(403);
      }
    });
  });

  describe("RFC 4791 5.1: calendar-access", () => {
    it.each(["/dav/", principal, home, events, `${events}none.ics`])(
      "is in the DAV header of OPTIONS %s",
      async (path) => {
        const { call } = await start();
        const { headers } = await call(`OPTIONS ${path}`);
        expect(headers["dav"]).toBe("1, 3, access-control, calendar-access");
      },
    );
  });

  describe("RFC 4791 5.2: properties of calendars", () => {
    it.each([
      "supported-calendar-component-set",
      "supported-calendar-data",
      "supported-collation-set",
      "max-resource-size",
      "max-instances",
      "min-date-time",
      "max-date-time",
      "max-attendees-per-instance",
      "calendar-data",
    ])("%s is protected", async (name) => {
      const { proppatch } = await start();
      const answer = await proppatch(
        events,
        `<d:set><d:prop><c:${name}>9</c:${name}></d:prop></d:set>`,
      );
      expect(answer.text).toContain("<d:cannot-modify-protected-property/>");
      expect(answer.text).toContain("HTTP/1.1 403");
    });

    it("are not included in allprop", async () => {
      const { propfind } = await start();
      for (const path of [principal, home, events]) {
        const { responses } = await propfind(path, "<d:allprop/>", "1");
        const names = responses.flatMap(({ props }) => Object.keys(props));
        expect(names.filter((name) => !name.startsWith("{DAV:}"))).toEqual([]);
      }
    });

    it("calendar-description and calendar-timezone have defaults until they are set", async () => {
      const { props, proppatch } = await start();
      const asked = "<c:calendar-description/><c:calendar-timezone/>";
      const before = await props(events, asked);
      expect(before[caldav("calendar-timezone")]).toContain("TZID:Europe/Berlin");
      await proppatch(
        events,
        "<d:set><d:prop><c:calendar-description>Mine</c:calendar-description></d:prop></d:set>",
      );
      expect((await props(events, asked))[caldav("calendar-description")]).toBe("Mine");
      const bad =
        "<d:set><d:prop><c:calendar-timezone>Europe/Berlin</c:calendar-timezone></d:prop></d:set>";
      expect((await proppatch(events, bad)).text).toContain("HTTP/1.1 409");
      expect(await props(events, "<c:calendar-timezone/>")).toEqual({
        [caldav("calendar-timezone")]: before[caldav("calendar-timezone")],
      });
    });
  });

  describe("RFC 4791 5.3.2.1: preconditions of PUT", () => {
    const type: Headers = { "content-type": "text/calendar" };
    const two = `${vevent("a")}\r\n${vevent("b")}`;
    const todo = "BEGIN:VTODO\r\nUID:t\r\nDTSTAMP:20261121T080000Z\r\nSUMMARY:T\r\nEND:VTODO";
    const journal = "BEGIN:VJOURNAL\r\nUID:j\r\nDTSTAMP:20261121T080000Z\r\nEND:VJOURNAL";
    it.each<[string, string, string, Headers, string]>([
      [
        "another type",
        events,
        object(vevent("a")),
        { "content-type": "application/calendar+json" },
        "supported-calendar-data",
      ],
      [
        "another version",
        events,
        object(vevent("a")).replace("2.0", "1.0"),
        type,
        "supported-calendar-data",
      ],
      ["no calendar", events, "hello", type, "valid-calendar-data"],
      [
        "a calendar cut short",
        events,
        object(vevent("a")).slice(0, -18),
        type,
        "valid-calendar-data",
      ],
      [
        "a METHOD",
        events,
        object(`METHOD:PUBLISH\r\n${vevent("a")}`),
        type,
        "valid-calendar-object-resource",
      ],
      ["two UIDs", events, object(two), type, "valid-calendar-object-resource"],
      [
        "two kinds",
        events,
        object(`${vevent("a")}\r\n${todo}`),
        type,
        "valid-calendar-object-resource",
      ],
      [
        "no UID",
        events,
        object(vevent("a").replace("UID:a\r\n", "")),
        type,
        "valid-calendar-object-resource",
      ],
      [
        "nothing but a zone",
        events,
        object("BEGIN:VTIMEZONE\r\nTZID:x\r\nEND:VTIMEZONE"),
        type,
        "valid-calendar-object-resource",
      ],
      ["a to-do among events", events, object(todo), type, "supported-calendar-component"],
      ["an event among to-dos", tasks, object(vevent("a")), type, "supported-calendar-component"],
      ["a journal", events, object(journal), type, "supported-calendar-component"],
      ["a UID that is there", events, object(vevent("taken")), type, "no-uid-conflict"],
      ["a repetition", events, object(vevent("a", "RRULE:FREQ=DAILY")), type, "max-instances"],
      [
        "too much",
        events,
        object(vevent("a", `COMMENT:${"x".repeat(3000)}`)),
        type,
        "max-resource-size",
      ],
    ])("refuses %s in %s", async (_what, calendar, body, headers, rule) => {
      const { call, put, sync } = await start({ maxSize: 3000 });
      expect((await put(`${events}taken.ics`, vevent("taken"))).status).toBe(201);
      const before = (await sync("")).token;
      const answer = await call(`PUT ${calendar}new.ics`, { headers, body });
      expect(answer.status, answer.text).toBe(409);
      expect(preconditionsOf(answer.text)).toEqual([rule]);
      if (rule === "no-uid-conflict") expect(answer.text).toContain(`<d:href>${events}taken.ics<`);
      expect((await call(`GET ${calendar}new.ics`)).status).toBe(404);
      expect((await sync("")).token).toBe(before);
    });
  });

  describe("RFC 4791 5.3.3: unknown components and properties", () => {
    it("is returned unchanged", async () => {
      const { put, call } = await start();
      const item = vevent(
        "x",
        "X-ONE;X-PARAM=a:b",
        "NEW-PROPERTY:c",
        "BEGIN:X-PART\r\nX-A:1\r\nEND:X-PART",
      );
      expect((await put(`${events}x.ics`, item)).status).toBe(201);
      expect((await call(`GET ${events}x.ics`)).text).toBe(object(item));
    });
  });

  describe("RFC 4791 5.3.4: the entity tag", () => {
    it("is strong and equal in PUT, GET, HEAD, PROPFIND and every report", async () => {
      const { put, call, props, sync } = await start();
      const path = `${events}a.ics`;
      const made = await put(path, vevent("a"));
      const changed = await put(path, vevent("a", "LOCATION:Hall"));
      const etag = changed.headers.etag ?? "";
      expect(etag).toMatch(/^"[^"]+"$/);
      expect(etag).not.toBe(made.headers.etag);
      expect((await call(`GET ${path}`)).headers.etag).toBe(etag);
      expect((await call(`HEAD ${path}`)).headers.etag).toBe(etag);
      expect((await props(path, "<d:getetag/>"))["{DAV:}getetag"]).toBe(etag);
      const reports = [
        `<c:calendar-multiget ${namespaces}><d:prop><d:getetag/></d:prop><d:href>${path}</d:href></c:calendar-multiget>`,
        `<c:calendar-query ${namespaces}><d:prop><d:getetag/></d:prop><c:filter><c:comp-filter name="VCALENDAR"/></c:filter></c:calendar-query>`,
      ];
      for (const body of reports) {
        const { text } = await call(`REPORT ${events}`, { headers: { depth: "1" }, body });
        expect(text).toContain(`<d:getetag>${etag}</d:getetag>`);
      }
      const { responses } = await sync("");
      expect(responses.map((one) => one.props["{DAV:}getetag"])).toContain(etag);
    });
  });

  describe("RFC 4791 6.1.1: read-free-busy", () => {
    it("is part of read and is listed for calendars", async () => {
      const { call } = await start();
      const { text } = await call(`PROPFIND ${events}`, {
        headers: { depth: "0" },
        body: `<propfind xmlns="DAV:"><prop><supported-privilege-set/><current-user-privilege-set/></prop></propfind>`,
      });
      expect(text).toMatch(
        /<d:privilege><d:read\/><\/d:privilege><d:description[^>]*>[^<]*<\/d:description><d:supported-privilege><d:privilege><c:read-free-busy\/>/,
      );
      expect(text).toMatch(/<d:current-user-privilege-set>.*<c:read-free-busy\/>/);
    });
  });

  describe("RFC 4791 6.2.1: calendar-home-set", () => {
    it("is only on the principal and names its home", async () => {
      const { props } = await start();
      expect(await props(principal, "<c:calendar-home-set/>")).toEqual({
        [caldav("calendar-home-set")]: home,
      });
      for (const path of [home, events])
        expect(await props(path, "<c:calendar-home-set/>")).toEqual({});
    });
  });

  describe("RFC 4791 7.5.1: supported-collation-set", () => {
    it("is on every resource that supports filters", async () => {
      const { props, event } = await start();
      for (const path of [events, tasks, event.href]) {
        expect(await props(path, "<c:supported-collation-set/>")).toEqual({
          [caldav("supported-collation-set")]: "i;ascii-casemapi;octeti;unicode-casemap",
        });
      }
    });
  });

  describe("RFC 4791 7.10: free-busy-query", () => {
    it.each(["0", "1", "infinity"])(
      "covers the members of a calendar with Depth %s",
      async (depth) => {
        const { call } = await start();
        const { text, headers } = await call(`REPORT ${events}`, {
          headers: { depth },
          body: `<c:free-busy-query ${namespaces}><c:time-range start="20261101T000000Z" end="20261201T000000Z"/></c:free-busy-query>`,
        });
        expect(headers["content-type"]).toContain("text/calendar");
        expect(text).toContain("BUSY:20261123T090000Z/20261123T100000Z");
        expect(text).not.toContain("Review");
      },
    );
  });
}
