import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { countFitting, largestAnswer } from "../../packages/caldav-server/src/answer-size.ts";
import { readMultistatus } from "../../packages/caldav-server/test/multistatus.ts";
import { startDav } from "../support/dav-server.ts";
import { anEvent } from "../support/items.ts";

const calendar = "/dav/calendars/11/events-2001/";

async function withEvents(count: number, description = "") {
  const dav = await startDav();
  dav.store.together(() => {
    for (let id = 1; id <= count; id++) {
      dav.store.mirror.put(anEvent(id, { description }), "events:2001");
    }
  });
  return dav;
}

const named = (count: number, length: number): string =>
  Array.from({ length: count }, (_, at) => `<x:${"n".repeat(length)}${at}/>`).join("");

const props = (inside: string): string =>
  `<d:propfind xmlns:d="DAV:" xmlns:x="urn:x"><d:prop>${inside}</d:prop></d:propfind>`;

describe("how many members fit an answer", () => {
  const members = (length: number, count: number) =>
    Array.from({ length: count }, () => ({ length }));
  it.each([
    [10_000, members(1500, 10_000), { names: 2000, hasData: true }],
    [1, members(largestAnswer * 2, 3), { names: 0, hasData: true }],
    [3, members(largestAnswer * 2, 3), { names: 0, hasData: false }],
    [32, members(1, 1000), { names: 2 ** 20, hasData: false }],
    [0, [], { names: 1, hasData: true }],
  ])("is %i", (count, all, each) => expect(countFitting(all, each)).toBe(count));
});

describe("long property names", () => {
  const sync = (inside: string) =>
    `<d:sync-collection xmlns:d="DAV:" xmlns:x="urn:x"><d:sync-token/><d:sync-level>1</d:sync-level><d:prop>${inside}</d:prop></d:sync-collection>`;
  const deep = (inside: string) =>
    `<d:expand-property xmlns:d="DAV:"><d:property name="owner">${inside}</d:property></d:expand-property>`;

  it.each([
    ["PROPFIND", "too many", props(named(600, 1))],
    ["PROPFIND", "too long ones", props(named(1, 600))],
    ["PROPFIND", "too much together", props(named(490, 200))],
    ["REPORT", "too much together", sync(named(490, 200))],
    ["REPORT", "too many inside of others", deep(`<d:property name="a"/>`.repeat(600))],
  ])("in a %s are refused if they are %s", async (method, _what, body) => {
    const { call } = await withEvents(3);
    const { status, text } = await call(`${method} ${calendar}`, {
      headers: { depth: "1", "content-encoding": "gzip" },
      body: gzipSync(body),
    });
    expect(status).toBe(403);
    expect(text).toContain("<df:reason>");
  });

  it("in a PROPPATCH are refused", async () => {
    const { call } = await startDav();
    const body = `<d:propertyupdate xmlns:d="DAV:" xmlns:x="urn:x"><d:set><d:prop>${named(1, 600)}</d:prop></d:set></d:propertyupdate>`;
    expect((await call(`PROPPATCH ${calendar}`, { body })).status).toBe(403);
  });
});

describe("an answer that would be too long", () => {
  it("is refused with 507 if property names are multiplied by members", async () => {
    const { call } = await withEvents(4000);
    const { status, text } = await call(`PROPFIND ${calendar}`, {
      headers: { depth: "1" },
      body: props(named(100, 70)),
    });
    expect(status).toBe(507);
    expect(text).toContain("<d:number-of-matches-within-limits/>");
  });

  it("is refused with 507 as a whole, or for single members", async () => {
    const { call } = await withEvents(90, "long ".repeat(150_000));
    const data = `<d:prop><c:calendar-data/></d:prop>`;
    const query = `<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${data}<c:filter><c:comp-filter name="VCALENDAR"/></c:filter></c:calendar-query>`;
    const queried = await call(`REPORT ${calendar}`, { headers: { depth: "1" }, body: query });
    expect(queried.status).toBe(507);
    expect((await call(`GET ${calendar}`)).status).toBe(507);

    const listed = readMultistatus((await call(`PROPFIND ${calendar}`)).text);
    const hrefs = listed.responses.slice(1).map(({ href }) => `<d:href>${href}</d:href>`);
    const multiget = `<c:calendar-multiget xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${data}${hrefs.join("")}</c:calendar-multiget>`;
    const got = await call(`REPORT ${calendar}`, { body: multiget });
    expect(got.status).toBe(207);
    const statuses = [...got.text.matchAll(/<\/d:href><d:status>HTTP\/1.1 (\d+)/g)];
    expect(statuses.length).toBeGreaterThan(5);
    expect(new Set(statuses.map(([, status]) => status))).toEqual(new Set(["507"]));
    expect(got.text.length).toBeLessThan(largestAnswer);

    // A sync-collection ends where it still fits, and its token continues it.
    const seen = new Set<string>();
    let token = "";
    for (let page = 1; page <= 4; page++) {
      const body = `<d:sync-collection xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:sync-token>${token}</d:sync-token><d:sync-level>1</d:sync-level><d:prop><c:calendar-data/></d:prop></d:sync-collection>`;
      const { status, text } = await call(`REPORT ${calendar}`, { body });
      expect(status).toBe(207);
      token = /<d:sync-token>([^<]+)/.exec(text)?.[1] ?? "";
      for (const [, href = ""] of text.matchAll(/<d:href>([^<]+\.ics)/g)) seen.add(href);
      if (!text.includes("507")) break;
    }
    expect(seen.size).toBe(90);
  });

  it("of expand-property is refused, however short the request is", async () => {
    const { call } = await startDav();
    const value = "v".repeat(19_000);
    const set = `<d:propertyupdate xmlns:d="DAV:" xmlns:x="urn:x"><d:set><d:prop><x:big>${value}</x:big></d:prop></d:set></d:propertyupdate>`;
    expect((await call(`PROPPATCH /dav/calendars/11/`, { body: set })).text).toContain("200 OK");
    const home = `<d:property name="current-user-principal"><d:property name="calendar-home-set" namespace="urn:ietf:params:xml:ns:caldav"><d:property name="big" namespace="urn:x"/></d:property></d:property>`;
    const { status } = await call("REPORT /dav/principals/11/", {
      body: `<d:expand-property xmlns:d="DAV:">${home.repeat(60)}</d:expand-property>`,
    });
    expect(status).toBe(507);
  });

  it("is limited in advance: a calendar stores only so many dead properties", async () => {
    const { call } = await startDav();
    const statuses: (string | undefined)[] = [];
    for (let at = 0; at < 8; at++) {
      const body = `<d:propertyupdate xmlns:d="DAV:" xmlns:x="urn:x"><d:set><d:prop><x:big${at}>${"v".repeat(19_000)}</x:big${at}></d:prop></d:set></d:propertyupdate>`;
      const { text } = await call(`PROPPATCH ${calendar}`, { body });
      statuses.push(/HTTP\/1.1 (\d+)/.exec(text)?.[1]);
    }
    expect(statuses).toEqual(["200", "200", "200", "200", "200", "507", "507", "507"]);
    const remove = `<d:propertyupdate xmlns:d="DAV:" xmlns:x="urn:x"><d:remove><d:prop><x:big0/></d:prop></d:remove></d:propertyupdate>`;
    expect((await call(`PROPPATCH ${calendar}`, { body: remove })).text).toContain("200 OK");
  });
});

it("a long answer shows members as they are when it reaches them, and no deleted ones", async () => {
  const { call, store } = await withEvents(400, "text ".repeat(2000));
  const query = `<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><d:getetag/><c:calendar-data/></d:prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"><c:prop-filter name="SUMMARY"/></c:comp-filter></c:comp-filter></c:filter></c:calendar-query>`;
  const asked = call(`REPORT ${calendar}`, { headers: { depth: "1" }, body: query });
  const changes = setInterval(() => {
    for (let id = 1; id <= 400; id += 40) {
      store.mirror.put(anEvent(id, { title: `Changed ${performance.now()}` }), "events:2001");
    }
  }, 1);
  const { status, text } = await asked;
  clearInterval(changes);
  expect(status).toBe(207);
  expect(text.match(/<d:response>/g)).toHaveLength(400);
  expect(text.match(/SUMMARY:Changed/g)?.length).toBeGreaterThan(0);
  expect(text.endsWith("</d:multistatus>\n")).toBe(true);
});
