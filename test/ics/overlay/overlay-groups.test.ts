import { expect, it } from "vitest";
import { timed } from "../../../packages/ical/test/cards.ts";
import { dates, event, eventLines, laid, times } from "./overlays.ts";

type Card = Parameters<typeof event>[0];
const rest = ["SUMMARY:Kickoff", "TRANSP:OPAQUE"];

/** The replaced property; the card before and after; the lines before and after. */
it.each<[string, Card, Card, readonly string[], readonly string[]]>([
  [
    "a client's DURATION by our DTEND",
    {},
    { when: timed("2026-07-01T12:00", "2026-07-01T14:00") },
    ["DTSTART:20260701T080000Z", "DURATION:PT1H", ...rest],
    [
      "DTSTART;TZID=Europe/Berlin:20260701T120000",
      "DTEND;TZID=Europe/Berlin:20260701T140000",
      ...rest,
    ],
  ],
  [
    "times by days, with what says so twice",
    {},
    { when: dates("2026-07-01", "2026-07-02") },
    [...times, ...rest, "X-MICROSOFT-CDO-ALLDAYEVENT:FALSE", "X-A:1"],
    ["DTSTART;VALUE=DATE:20260701", "DTEND;VALUE=DATE:20260702", ...rest, "X-A:1"],
  ],
  [
    "times, with the rules of the one occurrence",
    {},
    { when: dates("2026-08-01", "2026-08-02") },
    [
      ...times,
      "RRULE:FREQ=DAILY;COUNT=1",
      "RDATE:20260701T080000Z",
      "EXDATE:20260801T080000Z",
      ...rest,
    ],
    ["DTSTART;VALUE=DATE:20260801", "DTEND;VALUE=DATE:20260802", ...rest],
  ],
  [
    "a description and its other forms",
    { description: "old" },
    { description: "new" },
    [...times, "X-ALT-DESC:<b>old</b>", "DESCRIPTION:old", ...rest],
    [...times, "DESCRIPTION:new", ...rest],
  ],
  [
    "a property that is gone",
    { description: "old", classification: "PRIVATE" },
    {},
    [...times, "DESCRIPTION:old", "CLASS:PRIVATE", ...rest],
    [...times, ...rest],
  ],
  [
    "all categories that the service knows, and none besides",
    { categories: ["Milestone"] },
    {},
    [...times, "CATEGORIES:Work,milestone", "CATEGORIES:Home\\, sweet", ...rest],
    [...times, "CATEGORIES:Work,Home\\, sweet", ...rest],
  ],
  [
    "categories, into the client's",
    {},
    { categories: ["Milestone"] },
    [...times, "CATEGORIES:Work", ...rest],
    [...times, "CATEGORIES:Work,Milestone", ...rest],
  ],
  [
    "a property with what the client had left out",
    { description: "text" },
    { description: "text", summary: "Start" },
    ["DTSTART:20260701T080000Z", "SUMMARY:Kickoff"],
    [
      "DTSTART;TZID=Europe/Berlin:20260701T100000",
      "SUMMARY:Start",
      "DTEND;TZID=Europe/Berlin:20260701T110000",
      "DESCRIPTION:text",
      "TRANSP:OPAQUE",
    ],
  ],
])("an overlay of an event with a known past replaces %s", (_what, said, now, octets, own) => {
  const turn = { octets: eventLines(...octets), said: event(said), now: event(now) };
  const lines = laid(turn).filter(
    (line) => !/TZ|STANDARD|DAYLIGHT|^RRULE|1970/.test(line) || line.includes(";TZID="),
  );
  expect(lines.slice(lines.indexOf("UID:event-1@dayferry") + 1)).toEqual([
    ...own,
    "END:VEVENT",
    "END:VCALENDAR",
  ]);
});
