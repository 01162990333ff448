import { expect, it } from "vitest";
import { timed } from "../../../packages/ical/test/cards.ts";
import { dates, event, eventLines, laid, type Turn, times } from "./overlays.ts";

it.each<[string, Turn, readonly string[]]>([
  [
    "a client's DURATION by our DTEND",
    {
      octets: eventLines(
        "DTSTART:20260701T080000Z",
        "DURATION:PT1H",
        "SUMMARY:Kickoff",
        "TRANSP:OPAQUE",
      ),
      said: event({}),
      now: event({ when: timed("2026-07-01T12:00", "2026-07-01T14:00") }),
    },
    [
      "DTSTART;TZID=Europe/Berlin:20260701T120000",
      "DTEND;TZID=Europe/Berlin:20260701T140000",
      "SUMMARY:Kickoff",
      "TRANSP:OPAQUE",
    ],
  ],
  [
    "times by days, with what says so twice",
    {
      octets: eventLines(
        ...times,
        "SUMMARY:Kickoff",
        "TRANSP:OPAQUE",
        "X-MICROSOFT-CDO-ALLDAYEVENT:FALSE",
        "X-A:1",
      ),
      said: event({}),
      now: event({ when: dates("2026-07-01", "2026-07-02") }),
    },
    [
      "DTSTART;VALUE=DATE:20260701",
      "DTEND;VALUE=DATE:20260702",
      "SUMMARY:Kickoff",
      "TRANSP:OPAQUE",
      "X-A:1",
    ],
  ],
  [
    "times, with the rules of the one occurrence",
    {
      octets: eventLines(
        ...times,
        "RRULE:FREQ=DAILY;COUNT=1",
        "RDATE:20260701T080000Z",
        "EXDATE:20260801T080000Z",
        "SUMMARY:Kickoff",
        "TRANSP:OPAQUE",
      ),
      said: event({}),
      now: event({ when: dates("2026-08-01", "2026-08-02") }),
    },
    [
      "DTSTART;VALUE=DATE:20260801",
      "DTEND;VALUE=DATE:20260802",
      "SUMMARY:Kickoff",
      "TRANSP:OPAQUE",
    ],
  ],
  [
    "a description and its other forms",
    {
      octets: eventLines(
        ...times,
        "X-ALT-DESC:<b>old</b>",
        "DESCRIPTION:old",
        "SUMMARY:Kickoff",
        "TRANSP:OPAQUE",
      ),
      said: event({ description: "old" }),
      now: event({ description: "new" }),
    },
    [...times, "DESCRIPTION:new", "SUMMARY:Kickoff", "TRANSP:OPAQUE"],
  ],
  [
    "a property that is gone",
    {
      octets: eventLines(
        ...times,
        "DESCRIPTION:old",
        "CLASS:PRIVATE",
        "SUMMARY:Kickoff",
        "TRANSP:OPAQUE",
      ),
      said: event({ description: "old", classification: "PRIVATE" }),
      now: event({}),
    },
    [...times, "SUMMARY:Kickoff", "TRANSP:OPAQUE"],
  ],
  [
    "all categories that the service knows, and none besides",
    {
      octets: eventLines(
        ...times,
        "CATEGORIES:Work,milestone",
        "CATEGORIES:Home\\, sweet",
        "SUMMARY:Kickoff",
        "TRANSP:OPAQUE",
      ),
      said: event({ categories: ["Milestone"] }),
      now: event({}),
    },
    [...times, "CATEGORIES:Work,Home\\, sweet", "SUMMARY:Kickoff", "TRANSP:OPAQUE"],
  ],
  [
    "categories, into the client's",
    {
      octets: eventLines(...times, "CATEGORIES:Work", "SUMMARY:Kickoff", "TRANSP:OPAQUE"),
      said: event({}),
      now: event({ categories: ["Milestone"] }),
    },
    [...times, "CATEGORIES:Work,Milestone", "SUMMARY:Kickoff", "TRANSP:OPAQUE"],
  ],
  [
    "a property with what the client had left out",
    {
      octets: eventLines("DTSTART:20260701T080000Z", "SUMMARY:Kickoff"),
      said: event({ description: "text" }),
      now: event({ description: "text", summary: "Start" }),
    },
    [
      "DTSTART;TZID=Europe/Berlin:20260701T100000",
      "SUMMARY:Start",
      "DTEND;TZID=Europe/Berlin:20260701T110000",
      "DESCRIPTION:text",
      "TRANSP:OPAQUE",
    ],
  ],
])("overlayOctets() of an event with a known past replaces %s", (_what, turn, own) => {
  const lines = laid(turn).filter(
    (line) => !/TZ|STANDARD|DAYLIGHT|^RRULE|1970/.test(line) || line.includes(";TZID="),
  );
  expect(lines.slice(lines.indexOf("UID:event-1@dayferry") + 1)).toEqual([
    ...own,
    "END:VEVENT",
    "END:VCALENDAR",
  ]);
});
