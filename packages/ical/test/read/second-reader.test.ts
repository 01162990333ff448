import ical from "node-ical";
import { describe, expect, it, vi } from "vitest";
import { longTimes } from "../../../../test/support/long-inputs.ts";
import { excuses, rewordings } from "../../src/read/second-reader-faults.ts";
import { inEnglish } from "../../src/sentences.ts";
import {
  calendar,
  eventFile,
  file,
  octets,
  problemsOf,
  readFine,
  readOne,
  todoFile,
} from "../files.ts";

const twoZones = "TZID=Europe/Berlin;TZID=Asia/Tokyo";

describe("an item that node-ical reads at another time", () => {
  it("is refused with both readings and the line", () => {
    const start = `DTSTART;${twoZones}:20260701T100000`;
    const { problems } = readOne(eventFile(start, "DTEND:20260701T120000Z"));
    expect(problems).toMatchObject([{ line: 5, uid: "u1", code: "readers-disagree" }]);
    const [said] = problems.map(({ message }) => inEnglish(message));
    expect(said).toContain(start);
    expect(said).toContain("2026-07-01T08:00:00Z to one reader");
    expect(said).toContain("2026-07-01T01:00:00Z to another (node-ical)");
  });

  it.each([
    ["an end", eventFile("DTSTART:20260701T000000Z", `DTEND;${twoZones}:20260701T100000`), 6],
    ["a due date", todoFile(`DUE;${twoZones}:20260701T100000`), 5],
    ["a start of a to-do", todoFile(`DTSTART;${twoZones}:20260701T100000`), 5],
    ["a completion", todoFile("STATUS:COMPLETED", `COMPLETED;${twoZones}:20260701T100000`), 6],
    [
      "a folded line",
      eventFile(`DTSTART;TZID=Europe/Berlin;TZID=Asia/\r\n Tokyo:2026\r\n\t0701T100000`),
      5,
    ],
  ])("is refused by %s", (_what, bytes, line) => {
    expect(problemsOf(bytes)).toEqual([[line, "u1", "readers-disagree"]]);
  });

  it("does not affect the other items of the file", () => {
    const event = (uid: string, start: string) => [
      "BEGIN:VEVENT",
      `UID:${uid}`,
      start,
      "END:VEVENT",
    ];
    const { items } = readFine(
      calendar(
        ...event("a", "DTSTART;TZID=Europe/Berlin:20260701T100000"),
        ...event("b", `DTSTART;${twoZones}:20260701T100000`),
        ...event("c", "DTSTART;TZID=Europe/Berlin:20260702T100000"),
      ),
    );
    expect(items.map(({ problems }) => problems.length)).toEqual([0, 1, 0]);
  });

  it("is refused although only the first and the last of its form are compared at once", () => {
    const events = Array.from({ length: 300 }, (_, at) => [
      ...["BEGIN:VEVENT", `UID:u${at}`],
      `DTSTART;${twoZones}:2026${String(1 + (at % 12)).padStart(2, "0")}15T100000`,
      "END:VEVENT",
    ]).flat();
    const { items } = readFine(calendar(...events));
    expect(items.every(({ problems }) => problems[0]?.code === "readers-disagree")).toBe(true);
  });
});

/** What node-ical itself returns for the first item of a file. */
function alone(bytes: Uint8Array): { readonly start: unknown; readonly end: unknown } {
  const quiet = vi.spyOn(console, "warn").mockImplementation(() => {});
  try {
    const read = Object.values(ical.sync.parseICS(new TextDecoder().decode(bytes)));
    const item = read.find((each) => each?.type === "VEVENT");
    const text = (value: unknown) => (value instanceof Date ? value.toISOString() : value);
    return { start: text(item?.start), end: text(item?.end) };
  } catch {
    return { start: "error", end: "error" };
  } finally {
    quiet.mockRestore();
  }
}

const rules = (tzid: string) => [
  "BEGIN:VTIMEZONE",
  `TZID:${tzid}`,
  "BEGIN:STANDARD",
  "DTSTART:16010101T000000",
  "TZOFFSETFROM:+0330",
  "TZOFFSETTO:+0330",
  "END:STANDARD",
  "END:VTIMEZONE",
];
const inRules = (tzid: string, ...lines: readonly string[]) =>
  calendar(...rules(tzid), "BEGIN:VEVENT", "UID:u1", ...lines, "END:VEVENT");

/** Each bug: a file with its true start and end, which node-ical reads differently. */
const faults: readonly (readonly [string, Uint8Array, string])[] = [
  [
    "a date with a zone",
    eventFile("DTSTART;TZID=a:b:20260701", "DTEND;VALUE=DATE:20260703"),
    "2026-07-01/2026-07-03",
  ],
  [
    "a time in UTC with a zone",
    eventFile("DTSTART;TZID=(UTC+01:00) Rome:20260701T100000Z", "DTEND:20260701T110000Z"),
    "2026-07-01T10:00:00Z/2026-07-01T11:00:00Z",
  ],
  [
    "a zone of the file's own rules",
    inRules("Own", "DTSTART;TZID=Own:20260701T100000", "DURATION:PT1H"),
    "2026-07-01T06:30:00Z/2026-07-01T07:30:00Z",
  ],
  [
    "a zone of the file's own rules",
    inRules("EST", "DTSTART;TZID=EST:20260701T100000", "DTEND;TZID=EST:20260701T110000"),
    "2026-07-01T06:30:00Z/2026-07-01T07:30:00Z",
  ],
  [
    "a zone of the file's own rules",
    inRules(
      "tzone://Microsoft/Custom",
      "DTSTART;TZID=tzone://Microsoft/Custom:20260701T100000",
      "DURATION:PT1H",
    ),
    "2026-07-01T06:30:00Z/2026-07-01T07:30:00Z",
  ],
  [
    "a floating time",
    eventFile("DTSTART:20260701T100000", "DTEND:20260701T110000"),
    "2026-07-01T08:00:00Z/2026-07-01T09:00:00Z",
  ],
  [
    "a floating time",
    inRules("Asia/Tokyo", "DTSTART:20260701T100000", "DURATION:PT1H"),
    "2026-07-01T08:00:00Z/2026-07-01T09:00:00Z",
  ],
  [
    "a zone under a longer name",
    eventFile(
      "DTSTART;TZID=/freeassociation.sourceforge.net/Asia/Tokyo:20260701T100000",
      "DURATION:PT1H",
    ),
    "2026-07-01T01:00:00Z/2026-07-01T02:00:00Z",
  ],
  [
    "a zone under a longer name",
    eventFile("DTSTART;TZID=(UTC+09:00) Osaka, Sapporo, Tokyo:20260701T100000", "DURATION:PT1H"),
    "2026-07-01T01:00:00Z/2026-07-01T02:00:00Z",
  ],
  [
    "a zone under a longer name",
    calendar(
      "BEGIN:VTIMEZONE",
      "TZID:Mine",
      "X-LIC-LOCATION:Asia/Tokyo",
      "END:VTIMEZONE",
      "BEGIN:VEVENT",
      "UID:u1",
      "DTSTART;TZID=Mine:20260701T100000",
      "DURATION:PT1H",
      "END:VEVENT",
    ),
    "2026-07-01T01:00:00Z/2026-07-01T02:00:00Z",
  ],
  [
    "a repeated hour",
    eventFile(
      "DTSTART;TZID=Europe/Berlin:20261025T023000",
      "DTEND;TZID=Europe/Berlin:20261025T033000",
    ),
    "2026-10-25T00:30:00Z/2026-10-25T02:30:00Z",
  ],
  [
    "an end behind a skipped hour",
    eventFile(
      "DTSTART;TZID=Europe/Berlin:20260329T023000",
      "DTEND;TZID=Europe/Berlin:20260329T030000",
    ),
    "2026-03-29T01:30:00Z/2026-03-29T02:00:00Z",
  ],
  [
    "a leap second",
    eventFile("DTSTART:20161231T235960Z", "DTEND:20170101T010000Z"),
    "2016-12-31T23:59:59Z/2017-01-01T01:00:00Z",
  ],
  [
    "whole days by Outlook's mark",
    eventFile(
      "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE",
      "DTSTART;TZID=Asia/Tokyo:20260701T000000",
      "DTEND;TZID=Asia/Tokyo:20260703T000000",
    ),
    "2026-07-01/2026-07-03",
  ],
  [
    "a day that ends as it starts",
    eventFile("DTSTART;VALUE=DATE:20260701", "DTEND;VALUE=DATE:20260701"),
    "2026-07-01/2026-07-02",
  ],
  [
    "a year before 100",
    eventFile("DTSTART:00500701T100000Z", "DTEND:00500701T110000Z"),
    "0050-07-01T10:00:00Z/0050-07-01T11:00:00Z",
  ],
];

describe("a known fault of node-ical is no disagreement:", () => {
  it.each([...rewordings, ...excuses].map(({ name }) => name))("%s", (name) => {
    const examples = faults.filter(([of]) => of === name);
    const isMended: boolean[] = [];
    for (const [, bytes, span] of examples) {
      const [start = "", end = ""] = span.split("/");
      const { problems, when } = readOne(bytes);
      expect(problems).toEqual([]);
      const text = (time: unknown) =>
        time instanceof Temporal.ZonedDateTime ? time.toInstant().toString() : String(time);
      expect([text(when?.start), text(when?.end)]).toEqual([start, end]);
      const whole = (value: string) => new Date(value).toISOString();
      const theirs = alone(bytes);
      isMended.push(theirs.start === whole(start) && theirs.end === whole(end));
    }
    // Once it reads all of them correctly, the bug is fixed and its entry can go.
    expect(isMended).toContain(false);
  });

  it.each<[string, Uint8Array]>([
    [
      "a day of a DURATION over a change of the clocks",
      eventFile("DTSTART;TZID=Europe/Berlin:20261024T120000", "DURATION:P1DT2H"),
    ],
    [
      "a DURATION from a repeated hour",
      eventFile("DTSTART;TZID=Europe/Berlin:20261025T023000", "DURATION:PT30M"),
    ],
    ["a DURATION of a to-do", todoFile("DTSTART:20260701T100000Z", "DURATION:PT30M")],
    ["whole days in hours", eventFile("DTSTART;VALUE=DATE:20260328", "DURATION:PT72H")],
    [
      "names in lower case",
      file(
        "begin:vcalendar",
        "begin:vevent",
        "uid:u1",
        "dtstart;tzid=Europe/Berlin:20260701T100000",
        "end:vevent",
        "end:vcalendar",
      ),
    ],
    ["blanks at the end", eventFile("DTSTART:20260701T100000Z  ", "DTEND:20260701T110000Z ")],
    ["one line twice", eventFile("DTSTART:20260701T100000Z", "DTSTART:20260701T100000Z")],
    [
      "a byte order mark",
      octets(`\ufeff${new TextDecoder().decode(eventFile("DTSTART:20260701T100000Z"))}`),
    ],
    [
      "an X-UID and an X-DTSTART",
      eventFile(
        "X-uid:evil",
        "X-start:evil",
        "X-DTSTART:20200101T000000Z",
        "DTSTART:20260701T100000Z",
      ),
    ],
    [
      "an alarm's own DURATION",
      eventFile(
        "DTSTART:20260701T100000Z",
        "DTEND:20260701T110000Z",
        "BEGIN:VALARM",
        "TRIGGER:-PT15M",
        "REPEAT:2",
        "DURATION:PT5M",
        "END:VALARM",
      ),
    ],
    [
      "text that looks like lines",
      eventFile(
        "DESCRIPTION:x\r\n DTSTART:20200101T000000Z\r\n BEGIN:VEVENT",
        "DTSTART:20260701T100000Z",
      ),
    ],
    [
      "a line separator",
      eventFile("SUMMARY:a\u2028DTSTART:20200101T000000Z", "DTSTART:20260701T100000Z"),
    ],
    ["a quoted zone", eventFile('DTSTART;TZID="Europe/Berlin":20260701T100000')],
    [
      "a parameter of parameters",
      eventFile('DTSTART;X-A="b:c;d";TZID=Europe/Berlin:20260701T100000'),
    ],
    [
      "a second second",
      eventFile(
        "DTSTART;TZID=Europe/Berlin:20261025T024500",
        "DTEND;TZID=Europe/Berlin:20261025T021500",
      ),
    ],
  ])("%s", (_what, bytes) => {
    const warned = vi.spyOn(console, "warn");
    expect(problemsOf(bytes)).toEqual([]);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it.each([
    "type",
    "params",
    "vcalendar",
    "method",
    "__proto__",
    "constructor",
    "toString",
    "item",
  ])("the UID %s", (uid) => {
    const event = [
      "BEGIN:VEVENT",
      `UID:${uid}`,
      `DTSTART;${twoZones}:20260701T100000`,
      "END:VEVENT",
    ];
    expect(problemsOf(calendar(...event))).toEqual([[5, uid, "readers-disagree"]]);
    expect(Object.hasOwn(Object.prototype, "start")).toBe(false);
  });

  it("a Windows name, of all known ones", async () => {
    const { WINDOWS_TO_IANA_MAP } = await import("windows-iana");
    const names = [...new Set(WINDOWS_TO_IANA_MAP.map(({ windowsName }) => windowsName))];
    const times = ["20000115T120000", "20100701T120000", "20260115T120000", "20260701T120000"];
    const events = names.flatMap((name, at) =>
      times.map((time) => [
        "BEGIN:VEVENT",
        `UID:${at}-${time}`,
        `DTSTART;TZID=${name}:${time}`,
        "END:VEVENT",
      ]),
    );
    const { items } = readFine(calendar(...events.flat()));
    expect(items.flatMap(({ problems }) => problems)).toEqual([]);
  });
});

it.each(longTimes)("node-ical takes a moment for $name", ({ make, most }) => {
  const { items } = readFine(octets(make(most)));
  expect(items).toHaveLength(most);
  expect(items.flatMap(({ problems }) => problems)).toEqual([]);
});
