import { describe, expect, it } from "vitest";
import { calendar, eventFile, readFine, readOne, refusalOf, todoFile } from "../files.ts";

describe("readCalendar() refuses the file when", () => {
  const cases: readonly [string, Uint8Array, number, string | null, string][] = [
    ["METHOD is REPLY", calendar("METHOD:REPLY"), 3, null, "method"],
    ["METHOD is COUNTER", calendar("METHOD:counter"), 3, null, "method"],
    ["CALSCALE is not Gregorian", calendar("CALSCALE:JULIAN"), 3, null, "calendar-scale"],
  ];
  it.each(cases)("%s", (_what, bytes, line, uid, code) => {
    expect(refusalOf(bytes)).toMatchObject([{ line, uid, code }]);
  });

  it("VERSION is 1.0", () => {
    const bytes = new TextEncoder().encode("BEGIN:VCALENDAR\nVERSION:1.0\nEND:VCALENDAR\n");
    expect(refusalOf(bytes)).toMatchObject([{ line: 2, code: "version" }]);
  });
});

describe("readCalendar() of a UID that appears twice", () => {
  const event = (uid: string, ...lines: readonly string[]) => [
    "BEGIN:VEVENT",
    `UID:${uid}`,
    ...lines,
    "END:VEVENT",
  ];
  const old = ["SUMMARY:old", "DTSTAMP:20260101T000000Z"];
  it.each<[string, readonly string[], readonly string[], string]>([
    ["the same", old, old, "old"],
    ["a higher SEQUENCE", ["SUMMARY:new", "SEQUENCE:2"], [...old, "SEQUENCE:1"], "new"],
    [
      "a later change",
      ["SUMMARY:old", "LAST-MODIFIED:20260101T000000Z"],
      ["SUMMARY:new", "LAST-MODIFIED:20260102T000000Z"],
      "new",
    ],
    ["a later stamp", old, ["SUMMARY:new", "DTSTAMP:20260102T000000Z"], "new"],
  ])("%s: keeps one of them", (_what, first, second, title) => {
    const { items } = readFine(
      calendar(...event("a", ...first), ...event("b"), ...event("a", ...second)),
    );
    expect(items.flatMap(({ problems }) => problems)).toEqual([]);
    expect(Object.fromEntries(items.map(({ uid, summary }) => [uid, summary]))).toEqual({
      a: title,
      b: undefined,
    });
  });

  it.each([
    ["another text", event("a", "SUMMARY:other")],
    ["a to-do", ["BEGIN:VTODO", "UID:a", "END:VTODO"]],
  ])("%s and does not say which is newer: refuses that UID alone", (_what, other) => {
    const { items } = readFine(calendar(...event("a"), ...event("b"), ...other));
    expect(items.map(({ uid, problems }) => [uid, problems.map(({ code }) => code)])).toEqual([
      ["a", ["duplicate-uid"]],
      ["b", []],
    ]);
  });
});

describe("readCalendar()", () => {
  it("returns items in file order, the method and what it ignored", () => {
    const bytes = calendar(
      "METHOD:request",
      "BEGIN:VTODO",
      "UID:b",
      "END:VTODO",
      "BEGIN:VJOURNAL",
      "UID:j",
      "END:VJOURNAL",
      "BEGIN:VTIMEZONE",
      "TZID:Own",
      "END:VTIMEZONE",
      "BEGIN:VEVENT",
      "UID:a",
      "END:VEVENT",
    );
    const read = readFine(bytes);
    expect(read.method).toBe("REQUEST");
    expect(read.items.map(({ component, uid, line }) => [component, uid, line])).toEqual([
      ["VTODO", "b", 4],
      ["VEVENT", "a", 13],
    ]);
    expect(read.ignored).toMatchObject([{ line: 7, uid: "j", code: "component" }]);
    expect(readFine(calendar("METHOD:")).method).toBeNull();
  });

  it("leaves missing properties undefined", () => {
    expect(readOne(eventFile())).toMatchObject({
      sequence: null,
      lastModified: null,
      summary: undefined,
      description: undefined,
      when: undefined,
      start: undefined,
      due: undefined,
      status: undefined,
      completedAt: undefined,
      percent: undefined,
      categories: undefined,
      alarm: null,
      classification: undefined,
      attendees: undefined,
      relatedTo: undefined,
      comments: [],
      unstorable: [],
      problems: [],
    });
  });

  it("reads every property that can be an edit", () => {
    const item = readOne(
      todoFile(
        "SEQUENCE:7",
        "LAST-MODIFIED:20260701T101112Z",
        'SUMMARY;LANGUAGE=de;ALTREP="cid:x":Eins\\, zwei\\; drei\\\\n\\nvier',
        "DESCRIPTION:",
        "STATUS:completed",
        "COMPLETED:20260702T080000Z",
        "PERCENT-COMPLETE:40",
        "CATEGORIES:A\\,b, c ,,",
        "CATEGORIES:D\\\\,A\\,b",
        "CLASS:private",
        "RELATED-TO;RELTYPE=CHILD:kid",
        "RELATED-TO:parent",
        "COMMENT:one\\Ntwo",
        "COMMENT:three",
        "ATTENDEE;CN=A:MAILTO:Ana@Example.com",
        "ATTENDEE;EMAIL=bo@example.com:urn:uuid:1",
        "ATTENDEE:mailto:ana@example.com",
        "ATTENDEE:mailto:an%2Bx@example.com",
        "ATTENDEE:http://nobody",
        "ATTENDEE:mailto:100%",
      ),
    );
    expect(item).toMatchObject({
      sequence: 7,
      summary: "Eins, zwei; drei\\n\nvier",
      description: "",
      status: "COMPLETED",
      percent: 40,
      categories: ["A,b", "c", "D\\"],
      classification: "PRIVATE",
      relatedTo: "parent",
      comments: ["one\ntwo", "three"],
      attendees: ["ana@example.com", "bo@example.com", "an+x@example.com"],
      unstorable: [
        { line: 23, name: "ATTENDEE" },
        { line: 24, name: "ATTENDEE" },
      ],
    });
    expect(item.lastModified?.toString()).toBe("2026-07-01T10:11:12Z");
    expect(item.completedAt?.toString()).toBe("2026-07-02T08:00:00Z");
  });

  it("keeps the raw lines, unfolded, including alarms", () => {
    const lines = [
      "SUMMARY:a\\,",
      " b",
      'X-Own;P="q":1',
      "BEGIN:VALARM",
      "ACTION:NONE",
      "END:VALARM",
    ];
    expect(readOne(eventFile(...lines)).raw).toEqual([
      "BEGIN:VEVENT",
      "UID:u1",
      "SUMMARY:a\\,b",
      'X-Own;P="q":1',
      "BEGIN:VALARM",
      "ACTION:NONE",
      "END:VALARM",
      "END:VEVENT",
    ]);
  });

  it("ignores unreadable stamps", () => {
    const item = readOne(eventFile("SEQUENCE:-1", "LAST-MODIFIED:yesterday"));
    expect(item).toMatchObject({ sequence: null, lastModified: null, problems: [] });
    expect(readOne(eventFile("LAST-MODIFIED:20261301T000000Z")).lastModified).toBeNull();
  });

  it.each([["type"], ["params"], ["vcalendar"], ["method"], ["__proto__"], ["constructor"]])(
    "reads the UID %s as plain text",
    (uid) => {
      expect(readOne(calendar("BEGIN:VEVENT", `UID:${uid}`, "END:VEVENT")).uid).toBe(uid);
    },
  );

  it("does not read X-UID as a UID", () => {
    expect(readOne(eventFile("X-UID:evil"))).toMatchObject({ uid: "u1" });
  });

  it("keeps quotes and line separators in texts", () => {
    expect(readOne(eventFile('SUMMARY:"quoted"')).summary).toBe('"quoted"');
    expect(readOne(eventFile("SUMMARY:a\u2028b\u2029c\u0085d")).summary).toBe(
      "a\u2028b\u2029c\u0085d",
    );
    expect(readOne(eventFile("SUMMARY:C:\\\\new")).summary).toBe("C:\\new");
    expect(readOne(eventFile("SUMMARY:a\\xb\\")).summary).toBe("a\\xb\\");
  });
});

describe("readCalendar() with limits of an item", () => {
  const long = (count: number) => [
    "BEGIN:VEVENT",
    "UID:long",
    "DTSTART;VALUE=DATE:20261201",
    ...Array.from({ length: count }, (_, at) => `X-LINE:${at}`),
    "END:VEVENT",
  ];
  const short = ["BEGIN:VEVENT", "UID:short", "DTSTART;VALUE=DATE:20261201", "END:VEVENT"];

  it("refuses an item with more lines than CalDAV accepts, and keeps the others", () => {
    const [first, second] = readFine(calendar(...long(5000), ...short)).items;
    expect(first?.problems).toMatchObject([{ code: "too-many-lines", uid: "long" }]);
    expect(second?.problems).toEqual([]);
    expect(readFine(calendar(...long(4990))).items[0]?.problems).toEqual([]);
  });
});
