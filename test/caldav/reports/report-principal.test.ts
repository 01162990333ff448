import { describe, expect, it } from "vitest";
import {
  childOf,
  childrenNamed,
  childrenOf,
  xmlTextOf,
} from "../../../packages/caldav-server/src/xml/read-xml.ts";
import {
  preconditionsOf,
  readMultistatus,
  rootOf,
} from "../../../packages/caldav-server/test/multistatus.ts";
import { startDav } from "../../support/dav-server.ts";
import { anEvent } from "../../support/items.ts";

const principals = "/dav/principals/";
const own = "/dav/principals/11/";
const cs = `xmlns:cs="http://calendarserver.org/ns/"`;
const c = `xmlns:c="urn:ietf:params:xml:ns:caldav"`;

describe("principal-property-search", () => {
  const search = (conditions: string, attributes = "") =>
    `<d:principal-property-search xmlns:d="DAV:" ${attributes}>${conditions}<d:prop><d:displayname/></d:prop><d:apply-to-principal-collection-set/></d:principal-property-search>`;
  const by = (prop: string, match: string) =>
    `<d:property-search><d:prop>${prop}</d:prop><d:match match-type="starts-with">${match}</d:match></d:property-search>`;
  const name = "<d:displayname/>";
  const mail = `<cs:email-address-set ${cs}/>`;

  it.each([
    ["by a part of the name, in any case", search(by(name, "AN")), true],
    [
      "by the mail address",
      search(by(`<c:calendar-user-address-set ${c}/>`, "ana@example.com")),
      true,
    ],
    ["by both", search(by(name, "ana") + by(mail, "example")), true],
    ["by one of two that hold", search(by(name, "zoe") + by(mail, "ana@"), `test="anyof"`), true],
    ["not when one of two fails", search(by(name, "zoe") + by(mail, "ana@")), false],
    ["not by another's name", search(by(name, "ben")), false],
    ["not by what nobody can be looked for by", search(by("<d:owner/>", "")), false],
  ])("finds the person %s", async (_how, body, isFound) => {
    const { call } = await startDav();
    const { status, text } = await call(`REPORT ${principals}`, { headers: { depth: "0" }, body });
    expect(status).toBe(207);
    expect(readMultistatus(text).responses).toMatchObject(
      isFound ? [{ href: own, props: { "{DAV:}displayname": "Ana" } }] : [],
    );
  });

  it("is refused without a condition", async () => {
    const { call } = await startDav();
    for (const body of [search(""), search("<d:property-search/>")]) {
      expect((await call(`REPORT ${principals}`, { body })).status).toBe(400);
    }
  });

  it("lists the properties for searching people", async () => {
    const { call } = await startDav();
    const body = `<d:principal-search-property-set xmlns:d="DAV:"/>`;
    const { status, text } = await call(`REPORT ${principals}`, { headers: { depth: "0" }, body });
    expect(status).toBe(200);
    const names = childrenNamed(rootOf(text), "principal-search-property").map((each) => {
      const prop = childOf(each, "prop");
      return prop && childrenOf(prop)[0]?.name;
    });
    expect(names).toEqual(["displayname", "email-address-set", "calendar-user-address-set"]);
  });
});

describe("principal-match", () => {
  const match = (inner: string) =>
    `<d:principal-match xmlns:d="DAV:">${inner}<d:prop><d:displayname/></d:prop></d:principal-match>`;
  const hrefs = async (path: string, inner: string) => {
    const { call } = await startDav();
    const { status, text } = await call(`REPORT ${path}`, {
      headers: { depth: "0" },
      body: match(inner),
    });
    expect(status).toBe(207);
    return readMultistatus(text).responses.map(({ href }) => href);
  };

  it("finds the person's principal", async () => {
    for (const path of ["/dav/", principals, own])
      expect(await hrefs(path, "<d:self/>")).toEqual([own]);
    expect(await hrefs("/dav/calendars/11/", "<d:self/>")).toEqual([]);
  });

  it("finds what the person owns", async () => {
    const owned = await hrefs(
      "/dav/calendars/",
      "<d:principal-property><d:owner/></d:principal-property>",
    );
    expect(owned).toContain("/dav/calendars/11/");
    expect(owned).toContain("/dav/calendars/11/events-2001/");
    const none = await hrefs(
      "/dav/calendars/",
      "<d:principal-property><d:getetag/></d:principal-property>",
    );
    expect(none).toEqual([]);
  });

  it("is refused without a choice", async () => {
    const { call } = await startDav();
    expect((await call(`REPORT ${principals}`, { body: match("") })).status).toBe(400);
  });
});

describe("expand-property", () => {
  const expand = (inner: string) =>
    `<d:expand-property xmlns:d="DAV:">${inner}</d:expand-property>`;
  const property = (name: string, inner = "", namespace = "") =>
    `<d:property name="${name}"${namespace && ` namespace="${namespace}"`}>${inner}</d:property>`;

  it("replaces addresses by properties, as far as they are known", async () => {
    const { call } = await startDav();
    const caldav = "urn:ietf:params:xml:ns:caldav";
    const body = expand(
      property("displayname") +
        property("no-such-thing") +
        property(
          "calendar-home-set",
          property("displayname") + property("owner", property("displayname")),
          caldav,
        ) +
        property("calendar-user-address-set", property("displayname"), caldav),
    );
    const { status, text } = await call(`REPORT ${own}`, { headers: { depth: "0" }, body });
    expect(status).toBe(207);
    const { responses } = readMultistatus(text);
    expect(responses).toMatchObject([
      { href: own, absent: { 404: ["no-such-thing"] }, props: { "{DAV:}displayname": "Ana" } },
    ]);
    expect(text).toMatch(
      /<c:calendar-home-set><d:response><d:href>\/dav\/calendars\/11\/<\/d:href>.*Calendars of Ana.*<d:owner><d:response><d:href>\/dav\/principals\/11\/<\/d:href>.*<\/d:owner>.*<\/c:calendar-home-set>/,
    );
    expect(text).toMatch(/<d:href>mailto:[^<]*<\/d:href>/);
    const [first] = childrenNamed(rootOf(text), "response");
    const statuses =
      first &&
      childrenNamed(first, "propstat").map((each) => {
        const own = childOf(each, "status");
        return own && xmlTextOf(own);
      });
    expect(statuses).toEqual(["HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found"]);
  });

  it("works for objects, and answers 404 if there is none", async () => {
    const { call, store } = await startDav();
    store.mirror.put(anEvent(1), "events:2001");
    const events = "/dav/calendars/11/events-2001/";
    const listed = await call(`PROPFIND ${events}`, { headers: { depth: "1" } });
    const path = readMultistatus(listed.text).responses.at(-1)?.href ?? "";
    const body = expand(property("getetag") + property("owner", property("displayname")));
    const { responses } = readMultistatus((await call(`REPORT ${path}`, { body })).text);
    expect(responses[0]?.props["{DAV:}getetag"]).toMatch(/^"/);
    expect(responses[0]?.props["{DAV:}owner"]).toContain("Ana");
    expect((await call(`REPORT ${events}none.ics`, { body })).status).toBe(404);
  });

  it("is refused if a property has no name", async () => {
    const { call } = await startDav();
    const body = expand(property("owner", "<d:property/>"));
    expect((await call(`REPORT ${own}`, { body })).status).toBe(400);
  });
});

describe("REPORT", () => {
  it.each([
    [
      "an unknown report",
      "/dav/calendars/11/events-2001/",
      `<x xmlns="urn:x"/>`,
      403,
      ["supported-report"],
    ],
    ["one of another place", principals, `<c:calendar-query ${c}/>`, 403, ["supported-report"]],
    [
      "one of another namespace",
      principals,
      `<d:calendar-query xmlns:d="DAV:"/>`,
      403,
      ["supported-report"],
    ],
    ["no body", "/dav/calendars/11/events-2001/", "", 400, []],
    ["a body that is no XML", "/dav/calendars/11/events-2001/", "<a>", 400, []],
    ["a document type", "/dav/calendars/11/events-2001/", `<!DOCTYPE x><x/>`, 400, []],
  ])("is refused for %s", async (_what, path, body, status, preconditions) => {
    const { call } = await startDav();
    const answer = await call(`REPORT ${path}`, { body });
    expect(answer.status).toBe(status);
    expect(preconditionsOf(answer.text)).toEqual(preconditions);
  });

  it.each([
    "/dav/",
    principals,
    own,
    "/dav/calendars/",
    "/dav/calendars/11/",
    "/dav/calendars/11/events-2001/",
    "/dav/calendars/11/tasks-3001/",
  ])("supports every report that %s lists", async (path) => {
    const { call } = await startDav();
    const propfind = `<d:propfind xmlns:d="DAV:"><d:prop><d:supported-report-set/></d:prop></d:propfind>`;
    const { text } = await call(`PROPFIND ${path}`, { headers: { depth: "0" }, body: propfind });
    const names = [...text.matchAll(/<d:supported-report><d:report><(\w+):([\w-]+)\/>/g)];
    expect(names.length).toBeGreaterThan(0);
    for (const [, prefix, name] of names) {
      const namespace = prefix === "c" ? "urn:ietf:params:xml:ns:caldav" : "DAV:";
      const answer = await call(`REPORT ${path}`, { body: `<r:${name} xmlns:r="${namespace}"/>` });
      expect([200, 207, 400], name).toContain(answer.status);
    }
  });
});
