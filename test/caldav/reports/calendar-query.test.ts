import { describe, expect, it } from "vitest";
import {
  preconditionsOf,
  readMultistatus,
} from "../../../packages/caldav-server/test/multistatus.ts";
import { startDav } from "../../support/dav-server.ts";
import { anEvent, aTask, days, times } from "../../support/items.ts";

const inCalendar = (inside: string): string => `BEGIN:VCALENDAR\r\n${inside}END:VCALENDAR\r\n`;
const zoneBlock = (tzid: string): string =>
  `BEGIN:VTIMEZONE\r\nTZID:${tzid}\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n`;

const events = "/dav/calendars/11/events-2001/";
const tasks = "/dav/calendars/11/tasks-3001/";

const query = (filter: string, { props = "<d:getetag/>", more = "" } = {}) =>
  `<?xml version="1.0" encoding="utf-8"?>
   <x:calendar-query xmlns:x="urn:ietf:params:xml:ns:caldav" xmlns:d="DAV:"><d:prop>${props}</d:prop>
   <x:filter><x:comp-filter name="VCALENDAR">${filter}</x:comp-filter></x:filter>${more}</x:calendar-query>`;
const comp = (name: string, inner = "") => `<x:comp-filter name="${name}">${inner}</x:comp-filter>`;
const range = (start: string, end: string) => `<x:time-range start="${start}" end="${end}"/>`;
const november = range("20261031T230000Z", "20261130T230000Z");

/** Five events and three tasks. */
async function filled() {
  const dav = await startDav();
  const { mirror } = dav.store;
  mirror.put(anEvent(1, { title: "October", when: times("2026-10-01T10:00") }), "events:2001");
  mirror.put(
    anEvent(2, { title: "Meeting", reminder: Temporal.Duration.from("PT1H") }),
    "events:2001",
  );
  mirror.put(anEvent(3, { title: "Fair", when: days("2026-11-30", "2026-12-02") }), "events:2001");
  mirror.put(anEvent(4, { title: "December", when: days("2026-12-01") }), "events:2001");
  mirror.put(
    anEvent(5, { title: "Milestone", when: days("2026-11-10"), milestone: true }),
    "events:2001",
  );
  const on = (text: string) => Temporal.PlainDate.from(text);
  mirror.put(aTask(6, { title: "Due", dueOn: on("2026-11-24") }), "tasks:3001");
  mirror.put(
    aTask(7, { title: "Over", dueOn: on("2026-10-24"), percent: 100, completed: true }),
    "tasks:3001",
  );
  mirror.put(aTask(8, { title: "Any time", dueOn: null }), "tasks:3001");
  const titles = async (
    path: string,
    filter: string,
    headers: Record<string, string> = { depth: "1" },
  ) => {
    const body = query(filter, { props: "<x:calendar-data/>" });
    const answer = await dav.call(`REPORT ${path}`, { headers, body });
    expect(answer.status).toBe(207);
    return readMultistatus(answer.text).responses.map(({ props }) => {
      const [, title] = /^SUMMARY:(.*)$/m.exec(Object.values(props).join("")) ?? [];
      return title;
    });
  };
  return { ...dav, titles };
}

describe("calendar-query", () => {
  it.each([
    ["all", "", ["October", "Meeting", "Fair", "December", "Milestone"]],
    ["events", comp("VEVENT"), ["October", "Meeting", "Fair", "December", "Milestone"]],
    ["to-dos", comp("VTODO"), []],
    ["journals", comp("VJOURNAL"), []],
    ["a month", comp("VEVENT", november), ["Meeting", "Fair", "Milestone"]],
    ["a minute", comp("VEVENT", range("20261123T090000Z", "20261123T090100Z")), ["Meeting"]],
    ["the minute after", comp("VEVENT", range("20261123T100000Z", "20261123T100100Z")), []],
    [
      "from a day on",
      comp("VEVENT", `<x:time-range start="20261130T230000Z"/>`),
      ["Fair", "December"],
    ],
    [
      "alarms",
      comp("VEVENT", comp("VALARM", range("20261123T080000Z", "20261123T080001Z"))),
      ["Meeting"],
    ],
    [
      "a category",
      comp(
        "VEVENT",
        `<x:prop-filter name="CATEGORIES"><x:text-match>MILESTONE</x:text-match></x:prop-filter>`,
      ),
      ["Milestone"],
    ],
  ])("finds events by %s", async (_what, filter, expected) => {
    const { titles } = await filled();
    expect(await titles(events, filter)).toEqual(expected);
  });

  it.each([
    ["to-dos", comp("VTODO"), ["Due", "Over", "Any time"]],
    ["events", comp("VEVENT"), []],
    ["a month", comp("VTODO", november), ["Due", "Any time"]],
    [
      "what is open",
      comp(
        "VTODO",
        `<x:prop-filter name="COMPLETED"><x:is-not-defined/></x:prop-filter><x:prop-filter name="STATUS"><x:text-match negate-condition="yes">COMPLETED</x:text-match></x:prop-filter>`,
      ),
      ["Due", "Any time"],
    ],
  ])("finds tasks by %s", async (_what, filter, expected) => {
    const { titles } = await filled();
    expect(await titles(tasks, filter)).toEqual(expected);
  });

  it("accepts all depths: 0 is the calendar alone, none means its members", async () => {
    const { titles, call } = await filled();
    expect(await titles(tasks, comp("VTODO"), { depth: "0" })).toEqual([]);
    expect(await titles(tasks, comp("VTODO"), { depth: "infinity" })).toHaveLength(3);
    expect(await titles(tasks, comp("VTODO"), {})).toHaveLength(3);
    const odd = await call(`REPORT ${tasks}`, { headers: { depth: "2" }, body: query("") });
    expect(odd.status).toBe(400);
  });

  it("gives the same answer for a member as for its calendar", async () => {
    const { call } = await filled();
    const all = await call(`REPORT ${events}`, { body: query(comp("VEVENT", november)) });
    const [first] = readMultistatus(all.text).responses;
    const path = first?.href ?? "";
    const same = await call(`REPORT ${path}`, {
      headers: { depth: "0" },
      body: query(comp("VEVENT", november)),
    });
    expect(readMultistatus(same.text).responses).toEqual([first]);
    const other = await call(`REPORT ${path}`, { body: query(comp("VTODO")) });
    expect(readMultistatus(other.text).responses).toEqual([]);
  });

  it("reads whole days in the query's zone, the calendar's, or the account's", async () => {
    const { titles, call } = await filled();
    const firstHours = range("20261130T230000Z", "20261201T010000Z");
    expect(await titles(events, comp("VEVENT", firstHours))).toEqual(["Fair", "December"]);
    const zone = (tzid: string) => inCalendar(zoneBlock(tzid));
    const asked = query(comp("VEVENT", firstHours), {
      more: `<x:timezone>${zone("America/New_York")}</x:timezone>`,
    });
    const answer = await call(`REPORT ${events}`, { headers: { depth: "1" }, body: asked });
    expect(readMultistatus(answer.text).responses).toHaveLength(1);
    const set = await call(`PROPPATCH ${events}`, {
      body: `<d:propertyupdate xmlns:d="DAV:"><d:set><d:prop><c:calendar-timezone xmlns:c="urn:ietf:params:xml:ns:caldav">${zone("America/New_York")}</c:calendar-timezone></d:prop></d:set></d:propertyupdate>`,
    });
    expect(set.status).toBe(207);
    expect(await titles(events, comp("VEVENT", firstHours))).toEqual(["Fair"]);
  });

  it.each([
    ["no filter", `<x:calendar-query xmlns:x="urn:ietf:params:xml:ns:caldav"/>`, 400, []],
    ["an invalid filter", query(`<x:comp-filter/>`), 403, ["valid-filter"]],
    ["an unknown component", query(comp("X-A")), 403, ["supported-filter"]],
    [
      "an unknown collation",
      query(
        comp(
          "VEVENT",
          `<x:prop-filter name="UID"><x:text-match collation="i;basic">x</x:text-match></x:prop-filter>`,
        ),
      ),
      403,
      ["supported-collation"],
    ],
    [
      "another format",
      query("", { props: `<x:calendar-data content-type="application/calendar+json"/>` }),
      403,
      ["supported-calendar-data"],
    ],
    [
      "another version",
      query("", { props: `<x:calendar-data version="1.0"/>` }),
      403,
      ["supported-calendar-data"],
    ],
    ...[
      ["that is none", "Europe/Berlin"],
      ["that is two", inCalendar(zoneBlock("Europe/Berlin") + zoneBlock("Europe/Paris"))],
      [
        "beside an event",
        inCalendar(`${zoneBlock("Europe/Berlin")}BEGIN:VEVENT\r\nUID:a\r\nEND:VEVENT\r\n`),
      ],
      ["without a name", inCalendar(zoneBlock("Europe/Berlin").replace(/TZID:.*\r\n/, ""))],
      [
        "without an observance",
        inCalendar("BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nEND:VTIMEZONE\r\n"),
      ],
      [
        "without an offset",
        inCalendar(zoneBlock("Europe/Berlin").replace(/TZOFFSETTO:.*\r\n/, "")),
      ],
    ].map(([what, zone]): [string, string, number, readonly string[]] => [
      `a time zone ${what}`,
      query("", { more: `<x:timezone>${zone}</x:timezone>` }),
      403,
      ["valid-calendar-data"],
    ]),
  ])("is refused with %s", async (_what, body, status, preconditions) => {
    const { call } = await filled();
    const answer = await call(`REPORT ${events}`, { headers: { depth: "1" }, body });
    expect(answer.status).toBe(status);
    expect(preconditionsOf(answer.text)).toEqual(preconditions);
  });

  it("reports missing properties, unless a minimal answer is preferred", async () => {
    const { call } = await filled();
    const body = query(comp("VTODO"), { props: "<d:getetag/><d:displayname/>" });
    const full = await call(`REPORT ${tasks}`, { headers: { depth: "1" }, body });
    expect(readMultistatus(full.text).responses[0]?.absent).toEqual({ 404: ["displayname"] });
    const least = await call(`REPORT ${tasks}`, {
      headers: { depth: "1", prefer: "return=minimal" },
      body,
    });
    expect(readMultistatus(least.text).responses[0]?.absent).toEqual({});
    expect(least.headers["preference-applied"]).toBe("return=minimal");
  });
});
