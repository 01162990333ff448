import { describe, expect, it } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import { anEvent, aTask, days, times } from "../support/items.ts";
import { events, home, namespaces, principal, rfcRig, vevent } from "./rfc-rig.ts";

describe("RFC 3744 5.4: current-user-privilege-set", () => {
  const set = `<propfind xmlns="DAV:"><prop><current-user-privilege-set/></prop></propfind>`;
  const told = (text: string) =>
    [...text.matchAll(/<d:privilege><[a-z]+:([a-z-]+)\/>/g)]
      .map(([, name = ""]) => name)
      .toSorted();

  it.each([
    ["/dav/", ["read", "read-current-user-privilege-set"]],
    [principal, ["read", "read-current-user-privilege-set"]],
    [
      events,
      [
        "bind",
        "read",
        "read-current-user-privilege-set",
        "read-free-busy",
        "unbind",
        "write",
        "write-content",
        "write-properties",
      ],
    ],
    [
      `${home}assigned/`,
      [
        "read",
        "read-current-user-privilege-set",
        "read-free-busy",
        "unbind",
        "write-content",
        "write-properties",
      ],
    ],
  ])("of %s is what can be done there", async (path, expected) => {
    const { call } = await rfcRig();
    const { text } = await call(`PROPFIND ${path}`, { headers: { depth: "0" }, body: set });
    expect(told(text)).toEqual(expected);
  });

  it("lists nothing that supported-privilege-set does not", async () => {
    const { call, event } = await rfcRig();
    const body = `<propfind xmlns="DAV:"><prop><supported-privilege-set/></prop></propfind>`;
    for (const path of [events, event.href, home]) {
      const all = told((await call(`PROPFIND ${path}`, { headers: { depth: "0" }, body })).text);
      const own = await call(`PROPFIND ${path}`, { headers: { depth: "0" }, body: set });
      expect(all).toEqual(expect.arrayContaining(told(own.text)));
    }
  });
});

describe("RFC 3744 7.1.1: need-privileges", () => {
  it.each([
    ["PUT", `${events}new.ics`, "write-content", `${events}new.ics`],
    ["DELETE", "EVENT", "unbind", events],
    ["PROPPATCH", events, "write-properties", events],
    ["MKCOL", `${home}new/`, "bind", home],
    ["PROPFIND", "/dav/calendars/12/", "read", "/dav/calendars/12/"],
  ])("of %s on %s names %s and the resource", async (method, path, privilege, resource) => {
    const { call, event } = await rfcRig({ readOnly: [11] });
    const headers = { "content-type": "text/calendar", depth: "0" };
    const answer = await call(`${method} ${path.replace("EVENT", event.href)}`, { headers });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(
      `<d:need-privileges><d:resource><d:href>${resource}</d:href><d:privilege><d:${privilege}/></d:privilege></d:resource></d:need-privileges>`,
    );
  });
});

describe("RFC 3744 4: the principal", () => {
  it("names itself, belongs to no group, and is what current-user-principal names", async () => {
    const { props } = await rfcRig();
    const asked =
      "<d:principal-URL/><d:alternate-URI-set/><d:group-member-set/><d:group-membership/><d:displayname/><d:resourcetype/>";
    expect(await props(principal, asked)).toEqual({
      "{DAV:}principal-URL": principal,
      "{DAV:}alternate-URI-set": "",
      "{DAV:}group-member-set": "",
      "{DAV:}group-membership": "",
      "{DAV:}displayname": "Ana",
      "{DAV:}resourcetype": "",
    });
    for (const path of ["/", "/dav/", home, events]) {
      expect(
        (await props(path, "<d:current-user-principal/>"))["{DAV:}current-user-principal"],
      ).toBe(principal);
    }
  });
});

describe("RFC 7240: Prefer", () => {
  it.each([
    ["return=minimal", true],
    ["RETURN = minimal", true],
    ['return="minimal"; x=1, respond-async', true],
    ["wait=10, return=minimal", true],
    ["return=minimal, return=representation", true],
    ["return=representation, return=minimal", false],
    ["return=minimalist", false],
    ["handling=strict, odd", false],
  ])("%s is honoured: %s", async (prefer, isMinimal) => {
    const { call, event } = await rfcRig();
    const requests = [
      [`PROPFIND ${events}`, `<d:propfind ${namespaces}><d:prop><d:none/></d:prop></d:propfind>`],
      [
        `REPORT ${events}`,
        `<c:calendar-multiget ${namespaces}><d:prop><d:none/></d:prop><d:href>${event.href}</d:href></c:calendar-multiget>`,
      ],
    ] as const;
    for (const [request, body] of requests) {
      const { text, headers } = await call(request, { headers: { depth: "0", prefer }, body });
      expect(text.includes("HTTP/1.1 404")).toBe(!isMinimal);
      expect(headers["preference-applied"]).toBe(isMinimal ? "return=minimal" : undefined);
      if (isMinimal) expect(headers.vary).toContain("Prefer");
    }
  });
});

describe("RFC 6764 5: the well-known address", () => {
  it("redirects to a context root that knows who has logged in, and is none itself", async () => {
    const { bare, call, port } = await rfcRig({ publicUrl: "own" });
    const body = `<propfind xmlns="DAV:"><prop><current-user-principal/></prop></propfind>`;
    const first = await bare("PROPFIND /.well-known/caldav", { headers: { depth: "0" }, body });
    expect(first.status).toBe(301);
    const { href, pathname } = new URL(first.headers.location ?? "");
    expect(href).toBe(`http://127.0.0.1:${port}/dav/`);
    const second = await call(`PROPFIND ${pathname}`, { headers: { depth: "0" }, body });
    expect(second.text).toContain(`<d:href>${principal}</d:href>`);
  });
});

describe("RFC 5545: what the server writes", () => {
  it("is whole, folded, dated, and brings every zone that it names", async () => {
    const { store, propfind, call, put } = await rfcRig();
    const show = (event: ReturnType<typeof anEvent>) => store.mirror.put(event, "events:2001");
    show(anEvent(2, { when: days("2026-12-01", "2026-12-03"), title: "ä".repeat(100) }));
    show(anEvent(3, { when: times("2026-12-01T10:00", null), private: true, assigned: [] }));
    show(anEvent(4, { when: days("2026-12-05"), milestone: true, description: "a, b; c\\\nd" }));
    show(anEvent(6, { when: times("2026-12-01T10:00", "2026-12-01T11:00", "America/New_York") }));
    store.mirror.put(aTask(7, { percent: 50, description: "line\nline" }), "tasks:3001");
    store.mirror.put(aTask(8, { kind: "subtask", parentId: serviceId(7) }), "tasks:3001");
    await put(`${events}own.ics`, vevent("own"));
    const { responses: calendars } = await propfind(
      home,
      "<d:prop><d:resourcetype/></d:prop>",
      "1",
    );
    let seen = 0;
    for (const { href } of calendars.slice(1)) {
      const { responses } = await propfind(href, "<d:prop><d:getetag/></d:prop>", "1");
      for (const member of responses.slice(1)) {
        checkObject((await call(`GET ${member.href}`)).text);
        seen++;
      }
    }
    expect(seen).toBeGreaterThan(8);
  });
});

function checkObject(text: string): void {
  expect(text).toMatch(/^BEGIN:VCALENDAR\r\n/);
  expect(text).toMatch(/\r\nEND:VCALENDAR\r\n$/);
  expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  for (const line of text.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  const lines = text.replace(/\r\n[ \t]/g, "").split("\r\n");
  const count = (start: RegExp) => lines.filter((line) => start.test(line)).length;
  expect(count(/^VERSION:2\.0$/)).toBe(1);
  expect(count(/^PRODID:./)).toBe(1);
  expect(count(/^METHOD[:;]/)).toBe(0);
  expect(count(/^BEGIN:(VEVENT|VTODO)$/)).toBe(1);
  expect(count(/^UID:./)).toBe(1);
  expect(count(/^DTSTAMP:\d{8}T\d{6}Z$/)).toBe(1);
  const item = lines.slice(lines.findIndex((line) => /^BEGIN:V(EVENT|TODO)$/.test(line)));
  expect(item.filter((line) => /^(RRULE|RDATE|RECURRENCE-ID)[:;]/.test(line))).toEqual([]);
  const named = new Set([...text.matchAll(/;TZID=([^:;\r]+)/g)].map(([, tzid]) => tzid));
  const brought = [...text.matchAll(/BEGIN:VTIMEZONE\r\nTZID:([^\r]+)/g)].map(([, tzid]) => tzid);
  expect(brought).toHaveLength(named.size);
  expect(new Set(brought)).toEqual(named);
}
