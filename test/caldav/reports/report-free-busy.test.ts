import { describe, expect, it } from "vitest";
import { startDav } from "../../support/dav-server.ts";
import { anEvent, days, times } from "../../support/items.ts";

const events = "/dav/calendars/11/events-2001/";
const asked = (start = `start="20261123T000000Z"`, end = `end="20261124T000000Z"`) =>
  `<c:free-busy-query xmlns:c="urn:ietf:params:xml:ns:caldav"><c:time-range ${start} ${end}/></c:free-busy-query>`;

const octets = (uid: string, ...lines: string[]) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//x//y//EN",
    "BEGIN:VEVENT",
    `UID:${uid}`,
    "SUMMARY:x",
    ...lines,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");

describe("free-busy-query", () => {
  it("shows when events take up time, and nothing else", async () => {
    const { call, store } = await startDav();
    const put = (id: number, from: string, to: string | null) =>
      store.mirror.put(anEvent(id, { title: "Secret plan", when: times(from, to) }), "events:2001");
    put(1, "2026-11-23T10:00", "2026-11-23T11:00");
    put(2, "2026-11-23T10:30", "2026-11-23T12:00");
    put(3, "2026-11-23T15:00", null);
    put(4, "2026-11-25T10:00", "2026-11-25T11:00");
    put(5, "2026-11-22T22:00", "2026-11-23T02:00");
    store.mirror.put(anEvent(6, { when: days("2026-11-23") }), "events:2001");
    const { status, headers, text } = await call(`REPORT ${events}`, { body: asked() });
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/calendar; charset=utf-8");
    expect(text).not.toContain("Secret");
    expect(text.match(/^FREEBUSY.*$/gm)?.map((line) => line.trim())).toEqual([
      "FREEBUSY;FBTYPE=BUSY:20261123T000000Z/20261123T010000Z",
      "FREEBUSY;FBTYPE=BUSY:20261123T090000Z/20261123T110000Z",
      "FREEBUSY;FBTYPE=BUSY:20261123T140000Z/20261123T143000Z",
    ]);
    expect(text).toMatch(
      /^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\n[\s\S]*BEGIN:VFREEBUSY\r\n[\s\S]*END:VCALENDAR\r\n$/,
    );
  });

  it("respects what a program has said about an event's time", async () => {
    const { call } = await startDav();
    const put = async (name: string, ...lines: string[]) => {
      const answer = await call(`PUT ${events}${name}.ics`, {
        headers: { "content-type": "text/calendar" },
        body: octets(name, "DTSTAMP:20261101T000000Z", ...lines),
      });
      expect(answer.status).toBe(201);
    };
    await put("free", "DTSTART:20261123T080000Z", "DTEND:20261123T090000Z", "TRANSP:TRANSPARENT");
    await put("day", "DTSTART;VALUE=DATE:20261123");
    const before = await call(`REPORT ${events}`, { body: asked() });
    expect(before.text).not.toContain("FREEBUSY;");
    await put("holiday", "DTSTART;VALUE=DATE:20261123", "TRANSP:OPAQUE");
    const after = await call(`REPORT ${events}`, { body: asked() });
    expect(after.text).toContain("FREEBUSY;FBTYPE=BUSY:20261123T000000Z/20261123T230000Z");
  });

  it("leaves out private events of others", async () => {
    const { call, store } = await startDav();
    store.mirror.put(anEvent(1, { private: true }), "events:2001");
    expect((await call(`REPORT ${events}`, { body: asked() })).text).not.toContain("FREEBUSY;");
  });

  it.each([
    ["no range", `<c:free-busy-query xmlns:c="urn:ietf:params:xml:ns:caldav"/>`],
    ["no end", asked(undefined, "")],
    ["no start", asked("")],
    ["local times", asked(`start="20261123T000000"`)],
  ])("is refused with %s", async (_what, body) => {
    const { call } = await startDav();
    expect((await call(`REPORT ${events}`, { body })).status).toBe(400);
  });
});
