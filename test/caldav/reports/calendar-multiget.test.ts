import { describe, expect, it } from "vitest";
import {
  preconditionsOf,
  readMultistatus,
} from "../../../packages/caldav-server/test/multistatus.ts";
import { personId } from "../../../src/domain/ids.ts";
import { startDav } from "../../support/dav-server.ts";
import { anEvent, aTask } from "../../support/items.ts";

const home = "/dav/calendars/11/";
const events = `${home}events-2001/`;
const data = "{urn:ietf:params:xml:ns:caldav}calendar-data";
const etag = "{DAV:}getetag";

const multiget = (hrefs: readonly string[], props = "<d:getetag/><c:calendar-data/>") =>
  `<c:calendar-multiget xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:d="DAV:"><d:prop>${props}</d:prop>${hrefs
    .map((href) => `<d:href>${href.replaceAll("&", "&amp;")}</d:href>`)
    .join("\n")}</c:calendar-multiget>`;

const octets = (uid: string) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//x//y//EN",
    "BEGIN:VEVENT",
    `UID:${uid}`,
    "DTSTAMP:20261101T000000Z",
    "DTSTART:20261123T090000Z",
    "DTEND:20261123T100000Z",
    `SUMMARY:A & <b> "c"`,
    "X-NOTE:kept",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");

async function filled() {
  const dav = await startDav();
  dav.store.mirror.put(anEvent(1), "events:2001");
  dav.store.mirror.put(aTask(2), "tasks:3001");
  const put = async (name: string, uid: string) => {
    const headers = { "content-type": "text/calendar" };
    const answer = await dav.call(`PUT ${events}${name}`, { headers, body: octets(uid) });
    expect(answer.status).toBe(201);
    return answer.headers.etag ?? "";
  };
  const get = async (path: string, hrefs: readonly string[], headers = {}) => {
    const answer = await dav.call(`REPORT ${path}`, { headers, body: multiget(hrefs) });
    expect(answer.status).toBe(207);
    return readMultistatus(answer.text).responses;
  };
  return { ...dav, put, get };
}

describe("calendar-multiget", () => {
  it("returns the octets and the ETag of a PUT", async () => {
    const { put, get } = await filled();
    const tag = await put("mine.ics", "mine");
    const [found] = await get(events, [`${events}mine.ics`]);
    expect(found?.props[etag]).toBe(tag);
    // XML readers turn CRLF into LF.
    expect(found?.props[data]).toBe(octets("mine").replaceAll("\r\n", "\n"));
  });

  it("writes calendars without character references, which simple programs do not decode", async () => {
    const { call, put } = await filled();
    await put("mine.ics", "mine");
    const answer = await call(`REPORT ${events}`, { body: multiget([`${events}mine.ics`]) });
    expect(answer.text).toContain("SUMMARY:A &amp; &lt;b&gt; &quot;c&quot;\r\n");
    expect(answer.text).not.toMatch(/&#/);
  });

  it("responds at the requested address, however the member's name is spelled", async () => {
    const { put, get } = await filled();
    await put("mine.ics", "mine");
    const found = ["mine.ics", "%6Dine.ics", "mine%2Eics", "mine.ics/", "mine.ics?x=1"];
    const absent = ["../events-2001/mine.ics", "", ".", "..", "...", "more/mine.ics", "MINE.ICS"];
    for (const [names, status] of [
      [found, 200],
      [absent, 404],
    ] as const) {
      for (const name of names) {
        const responses = await get(events, [events + name]);
        expect(responses.map((one) => [one.href, one.status ?? 200])).toEqual([
          [events + name, status],
        ]);
      }
    }
  });

  it("keeps the order, answers each address once and skips none", async () => {
    const { put, get } = await filled();
    await put("a.ics", "a");
    await put("b.ics", "b");
    const asked = [`${events}b.ics`, `${events}no.ics`, `${events}a.ics`, `${events}b.ics`];
    const found = await get(events, asked);
    expect(found.map(({ href, status }) => [href, status])).toEqual([
      [`${events}b.ics`, null],
      [`${events}no.ics`, 404],
      [`${events}a.ics`, null],
    ]);
  });

  it.each([
    ["encoded", "my%20caf%C3%A9%40%2B.ics", "my%20caf%C3%A9%40%2B.ics"],
    ["encoded in other letters", "my%20caf%c3%a9@+.ics", "my%20caf%c3%a9@+.ics"],
    ["not encoded", "my café@+.ics", "my%20caf%C3%A9%40%2B.ics"],
  ])(
    "finds an address that is %s and names it as programs compare it",
    async (_how, name, named) => {
      const { put, get } = await filled();
      await put("my%20caf%C3%A9%40%2B.ics", "x");
      const [found] = await get(events, [`${events}${name}`]);
      expect(found?.href).toBe(`${events}${named}`);
      expect(found?.props[data]).toContain("UID:x\n");
    },
  );

  it("finds absolute and relative addresses of this server", async () => {
    const { put, get, port } = await filled();
    await put("a%26b.ics", "a");
    const local = `http://127.0.0.1:${port}${events}a%26b.ics`;
    const published = `https://calendar.example.com${events}a&b.ics`;
    expect((await get(events, [local]))[0]).toMatchObject({ href: local, status: null });
    expect((await get(events, [published]))[0]).toMatchObject({ href: published, status: null });
    expect((await get(events, ["a%26b.ics"]))[0]).toMatchObject({
      href: `${events}a%26b.ics`,
      status: null,
    });
  });

  it.each([
    ["on another server", `https://elsewhere.example${events}a.ics`],
    ["of another person", "/dav/calendars/12/events-2001/a.ics"],
    ["in another calendar", `${home}tasks-3001/a.ics`],
    ["of the calendar itself", events],
    ["outside of everything", "/etc/hosts"],
    ["that leaves its calendar", `${events}../../12/events-2001/a.ics`],
    ["that is malformed", `${events}%E0%A4.ics`],
    ["without text", ""],
    ["of no scheme", "mailto:a@example.com"],
  ])("answers 404 for a single address %s", async (_what, href) => {
    const { put, get } = await filled();
    await put("a.ics", "a");
    const found = await get(events, [href, `${events}a.ics`]);
    expect(found.map(({ status }) => status)).toEqual([404, null]);
    expect(found[0]?.href).toBe(href);
  });

  it("finds many members like a single one", async () => {
    const { put, get } = await filled();
    const names = Array.from({ length: 15 }, (_, at) => `${events}n${at}.ics`);
    for (const [at] of names.entries()) if (at % 2 === 0) await put(`n${at}.ics`, `u${at}`);
    const found = await get(events, [...names.toReversed(), `${home}tasks-3001/n0.ics`]);
    expect(found.map(({ href, status }) => [href, status])).toEqual([
      ...names.map((href, at) => [href, at % 2 === 0 ? null : 404]).toReversed(),
      [`${home}tasks-3001/n0.ics`, 404],
    ]);
    expect(found.at(-2)?.props[data]).toContain("UID:u0\n");
  });

  it("covers all calendars from the home, and one object from itself", async () => {
    const { put, get } = await filled();
    await put("a.ics", "a");
    await put("b.ics", "b");
    const list = await get(home, [`${events}a.ics`, `${home}gone/a.ics`]);
    expect(list.map(({ status }) => status)).toEqual([null, 404]);
    const self = await get(`${events}a.ics`, [`${events}a.ics`, `${events}b.ics`]);
    expect(self.map(({ status }) => status)).toEqual([null, 404]);
  });

  it("hides private events from others", async () => {
    const { call, store, as, secrets } = await startDav();
    const creatorId = personId(11);
    store.mirror.put(anEvent(9, { private: true, title: "Secret", creatorId }), "events:2001");
    const listed = await call(`PROPFIND ${events}`, { headers: { depth: "1" } });
    const own = readMultistatus(listed.text).responses.at(-1)?.href ?? "";
    const seen = await call(`REPORT ${events}`, { body: multiget([own]) });
    expect(readMultistatus(seen.text).responses[0]?.props[data]).toContain("SUMMARY:Secret");
    const his = own.replace("/11/", "/12/");
    for (const href of [own, his]) {
      const answer = await call("REPORT /dav/calendars/12/events-2001/", {
        headers: as("ben@example.com", secrets.ben),
        body: multiget([href]),
      });
      expect(readMultistatus(answer.text).responses).toMatchObject([{ href, status: 404 }]);
    }
  });

  it("answers 503 for what cannot be listed completely yet", async () => {
    let unread = false;
    const dav = await startDav({ unread: () => unread });
    dav.store.mirror.put(anEvent(1), "events:2001");
    unread = true;
    const body = multiget([`${events}a.ics`]);
    const fromHome = await dav.call(`REPORT ${home}`, { body });
    expect(readMultistatus(fromHome.text).responses.map(({ status }) => status)).toEqual([503]);
    const direct = await dav.call(`REPORT ${events}`, { body });
    expect(direct.status).toBe(503);
    expect(direct.headers["retry-after"]).toBe("30");
  });

  it("is refused if it names nothing, or two kinds of properties", async () => {
    const { call } = await filled();
    const empty = await call(`REPORT ${events}`, { body: multiget([]) });
    expect([empty.status, preconditionsOf(empty.text)]).toEqual([400, []]);
    const both = multiget([`${events}a.ics`]).replace("<d:prop>", "<d:allprop/><d:prop>");
    expect((await call(`REPORT ${events}`, { body: both })).status).toBe(400);
  });
});
