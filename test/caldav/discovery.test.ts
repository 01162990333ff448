import { createDAVClient } from "tsdav";
import { describe, expect, it } from "vitest";
import { startDav } from "../support/dav-server.ts";

const propfind = (props: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><A:propfind xmlns:A="DAV:"><A:prop>${props}</A:prop></A:propfind>`;

const asked = (depth: string, body = "") => ({ headers: { depth }, body });

describe("/.well-known/caldav", () => {
  it("redirects every method to the context root without signing in", async () => {
    const { bare } = await startDav();
    for (const method of ["GET", "PROPFIND", "OPTIONS", "REPORT", "HEAD", "POST"]) {
      const { status, headers } = await bare(`${method} /.well-known/caldav`);
      expect(status, method).toBe(301);
      expect(headers.location).toBe("https://calendar.example.com/dav/");
    }
  });

  it("names the path of the public address, whether or not a proxy has removed it", async () => {
    const { bare } = await startDav({ publicUrl: "https://example.com/team" });
    for (const path of ["/.well-known/caldav", "/team/.well-known/caldav/"]) {
      const { headers } = await bare(`PROPFIND ${path}`);
      expect(headers.location).toBe("https://example.com/team/dav/");
    }
  });
});

it("requests outside CalDAV are left to the next handler", async () => {
  const { call, bare } = await startDav();
  const requests = [
    "GET /",
    "HEAD /",
    "POST /",
    "GET /davs/",
    "GET /feeds/x.ics",
    "PROPFIND /feeds/",
  ];
  for (const request of requests) {
    expect((await call(request)).status, request).toBe(418);
    expect((await bare(request)).status, request).toBe(418);
  }
});

describe("OPTIONS", () => {
  it.each([
    ["/", "OPTIONS, GET, HEAD, PROPFIND, REPORT"],
    ["/dav/", "OPTIONS, GET, HEAD, PROPFIND, REPORT"],
    ["/dav/principals/11/", "OPTIONS, GET, HEAD, PROPFIND, REPORT"],
    ["/dav/calendars/11/", "OPTIONS, GET, HEAD, PROPFIND, REPORT, PROPPATCH"],
    [
      "/dav/calendars/11/events-2001/",
      "OPTIONS, GET, HEAD, PROPFIND, REPORT, PROPPATCH, COPY, PUT, DELETE, MOVE",
    ],
    [
      "/dav/calendars/11/events-2001/a.ics",
      "OPTIONS, GET, HEAD, PROPFIND, REPORT, COPY, PUT, DELETE, MOVE",
    ],
    ["/dav/principals/11/dayferry.mobileconfig", "OPTIONS, GET, HEAD"],
  ])("shows what %s supports, with and without signing in", async (path, allow) => {
    const { call, bare } = await startDav();
    for (const answer of [await bare(`OPTIONS ${path}`), await call(`OPTIONS ${path}`)]) {
      expect(answer.status).toBe(200);
      expect(answer.headers["dav"]).toBe("1, 3, access-control, calendar-access");
      expect(answer.headers.allow).toBe(allow);
      expect(answer.bytes).toHaveLength(0);
    }
  });

  it("offers no changes to a read-only person", async () => {
    const { call } = await startDav({ readOnly: [11] });
    const calendar = await call("OPTIONS /dav/calendars/11/events-2001/");
    expect(calendar.headers.allow).toBe("OPTIONS, GET, HEAD, PROPFIND, REPORT");
    const object = await call("OPTIONS /dav/calendars/11/events-2001/a.ics");
    expect(object.headers.allow).toBe("OPTIONS, GET, HEAD, PROPFIND, REPORT, COPY");
  });
});

describe("the first requests of programs", () => {
  it("Apple: from the context root through the principal to calendars and reminders", async () => {
    const { call } = await startDav();
    const root = await call(
      "PROPFIND /dav/",
      asked("0", propfind("<A:current-user-principal/><A:principal-URL/><A:resourcetype/>")),
    );
    expect(root.status).toBe(207);
    expect(root.text).toContain(
      "<d:current-user-principal><d:href>/dav/principals/11/</d:href></d:current-user-principal>",
    );

    const principal = await call(
      "PROPFIND /dav/principals/11/",
      asked(
        "0",
        `<?xml version="1.0"?><A:propfind xmlns:A="DAV:"><A:prop>
          <B:calendar-home-set xmlns:B="urn:ietf:params:xml:ns:caldav"/>
          <B:calendar-user-address-set xmlns:B="urn:ietf:params:xml:ns:caldav"/>
          <B:schedule-inbox-URL xmlns:B="urn:ietf:params:xml:ns:caldav"/>
          <C:email-address-set xmlns:C="http://calendarserver.org/ns/"/>
          <A:displayname/><A:principal-collection-set/><A:principal-URL/><A:supported-report-set/>
        </A:prop></A:propfind>`,
      ),
    );
    expect(principal.text).toContain(
      "<c:calendar-home-set><d:href>/dav/calendars/11/</d:href></c:calendar-home-set>",
    );
    expect(principal.text).toContain("<d:href>mailto:ana@example.com</d:href>");
    expect(principal.text).toContain("<d:displayname>Ana</d:displayname>");
    expect(principal.text).toContain(
      "<d:prop><c:schedule-inbox-URL/></d:prop><d:status>HTTP/1.1 404",
    );

    const home = await call(
      "PROPFIND /dav/calendars/11/",
      asked(
        "1",
        propfind(
          `<A:displayname/><A:resourcetype/><A:current-user-privilege-set/><A:sync-token/>
           <B:supported-calendar-component-set xmlns:B="urn:ietf:params:xml:ns:caldav"/>
           <C:getctag xmlns:C="http://calendarserver.org/ns/"/>
           <D:calendar-color xmlns:D="http://apple.com/ns/ical/"/>
           <D:calendar-order xmlns:D="http://apple.com/ns/ical/"/>`,
        ),
      ),
    );
    const hrefs = [...home.text.matchAll(/<d:response><d:href>([^<]+)/g)].map(([, href]) => href);
    expect(hrefs[0]).toBe("/dav/calendars/11/");
    expect(new Set(hrefs.slice(1))).toEqual(
      new Set([
        "/dav/calendars/11/assigned/",
        "/dav/calendars/11/events-2001/",
        "/dav/calendars/11/milestones-2001/",
        "/dav/calendars/11/tasks-3001/",
      ]),
    );
    const orders = [...home.text.matchAll(/calendar-order>(\d+)</g)].map(([, order]) => order);
    expect(orders).toEqual(["1", "2", "3", "4"]);
    expect(home.text).toContain("<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>");
    expect(home.text).toContain('<c:comp name="VTODO"/>');
    expect(home.text).toMatch(/<cs:getctag>[^<]*[a-z][^<]*<\/cs:getctag>/);
    expect(home.text).toMatch(/<d:sync-token>urn:dayferry:sync:[^<]+<\/d:sync-token>/);
  });

  it("Thunderbird: the entered address, with or without a trailing slash", async () => {
    const { call } = await startDav();
    const body = propfind(
      `<A:resourcetype/><A:owner/><A:displayname/><A:current-user-principal/><A:current-user-privilege-set/>
       <C:calendar-color xmlns:C="http://apple.com/ns/ical/"/>
       <C:calendar-home-set xmlns:C="urn:ietf:params:xml:ns:caldav"/>`,
    );
    for (const path of ["/", "/dav", "/dav/"]) {
      const { status, text } = await call(`PROPFIND ${path}`, asked("0", body));
      expect(status).toBe(207);
      const href = path === "/" ? "/" : "/dav/";
      expect(text).toContain(`<d:response><d:href>${href}</d:href>`);
      expect(text).toContain("<d:href>/dav/principals/11/</d:href>");
    }
    const calendar = await call("PROPFIND /dav/calendars/11/events-2001", asked("0", body));
    expect(calendar.text).toContain("<d:href>/dav/calendars/11/events-2001/</d:href>");
    expect(calendar.text).toContain("<d:privilege><d:write/></d:privilege>");
    expect(calendar.text).toContain("<d:owner><d:href>/dav/principals/11/</d:href></d:owner>");
  });

  it("DAVx5: principal and home with any prefix, and privileges of read-only calendars", async () => {
    const { call } = await startDav({ readOnly: [11] });
    const body = `<propfind xmlns="DAV:" xmlns:CAL="urn:ietf:params:xml:ns:caldav"><prop><CAL:calendar-home-set/>
      <current-user-privilege-set/><supported-report-set/></prop></propfind>`;
    const home = await call("PROPFIND /dav/calendars/11/", asked("1", body));
    expect(home.status).toBe(207);
    expect(home.text).toContain("<d:privilege><d:read/></d:privilege>");
    expect(home.text).not.toMatch(/<d:(?:write|write-content|write-properties|bind|unbind|all)\/>/);
    expect(home.text).toContain(
      "<d:supported-report><d:report><d:sync-collection/></d:report></d:supported-report>",
    );
  });

  it("Evolution: no missing properties in the answer if it prefers that", async () => {
    const { call } = await startDav();
    const body = propfind(
      `<A:displayname/><B:schedule-outbox-URL xmlns:B="urn:ietf:params:xml:ns:caldav"/>`,
    );
    const options = { headers: { depth: "0", prefer: "return=minimal" }, body };
    const { text, headers } = await call("PROPFIND /dav/principals/11/", options);
    expect(text).not.toContain("404");
    expect(text).not.toContain("schedule-outbox-URL");
    expect(headers["preference-applied"]).toBe("return=minimal");
  });

  it("vdirsyncer: no Depth at the root, hrefs below the public address's path", async () => {
    const { call } = await startDav({ publicUrl: "https://example.com/team" });
    const body = propfind("<A:current-user-principal/>");
    const plain = await call("PROPFIND /dav/", { body });
    expect(plain.status).toBe(207);
    expect(plain.text).toContain("<d:href>/team/dav/principals/11/</d:href>");
    const prefixed = await call("PROPFIND /team/dav/", asked("0", body));
    expect(prefixed.text).toContain("<d:href>/team/dav/principals/11/</d:href>");
  });
});

it("tsdav finds principal, home and calendars from the server's address alone", async () => {
  const { port, secrets } = await startDav({ publicUrl: "own" });
  const client = await createDAVClient({
    serverUrl: `http://127.0.0.1:${port}`,
    credentials: { username: "ana@example.com", password: secrets.ana },
    authMethod: "Basic",
    defaultAccountType: "caldav",
  });
  const calendars = await client.fetchCalendars();
  expect(new Set(calendars.map(({ url }) => new URL(url).pathname))).toEqual(
    new Set([
      "/dav/calendars/11/assigned/",
      "/dav/calendars/11/events-2001/",
      "/dav/calendars/11/milestones-2001/",
      "/dav/calendars/11/tasks-3001/",
    ]),
  );
  const events = calendars.find(({ url }) => url.endsWith("/events-2001/"));
  expect(events).toMatchObject({ displayName: "Website", components: ["VEVENT"] });
  expect(events?.reports).toContain("syncCollection");
  expect(events?.ctag).toEqual(expect.stringMatching(/[a-z]/));
  expect(events?.timezone).toContain("TZID:Europe/Berlin");
});

it.each(["/dav/", "/dav/principals/11/", "/dav/calendars/", "/dav/calendars/11/"])(
  "GET of collections %s explains how to set up a program",
  async (path) => {
    const { call, secrets } = await startDav();
    const { status, headers, text } = await call(`GET ${path}`);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(text).toContain("https://calendar.example.com/dav/");
    expect(text).toContain("ana@example.com");
    expect(text).not.toContain(secrets.ana);
  },
);

it("the Apple profile is the person's own, with their login and no password", async () => {
  const { call, bare, as, secrets } = await startDav();
  const path = "/dav/principals/11/dayferry.mobileconfig";
  const mine = await call(`GET ${path}`, { headers: as("11", secrets.ana) });
  expect(mine.status).toBe(200);
  expect(mine.headers["content-type"]).toBe("application/x-apple-aspen-config");
  expect(mine.text).toContain("<key>CalDAVUsername</key><string>11</string>");
  expect(mine.text).not.toContain(secrets.ana);
  expect((await bare(`GET ${path}`)).status).toBe(401);
  const bens = await call(`GET ${path}`, { headers: as("ben@example.com", secrets.ben) });
  expect(bens.status).toBe(403);
  expect((await call(`PUT ${path}`, { body: "x" })).status).toBe(405);
});
