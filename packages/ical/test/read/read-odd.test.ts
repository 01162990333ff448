import { readCalendar } from "@dayferry/ical";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventFile, octets, refusalOf, todoFile, zone } from "../files.ts";
import { nastyText } from "../nasty.ts";

describe("readCalendar() never throws and always answers", () => {
  const names =
    "BEGIN END UID DTSTART DTEND DUE DURATION SUMMARY RRULE TRIGGER ATTENDEE COMPLETED".split(" ");
  const params = ["", ";VALUE=DATE", ";TZID=Europe/Berlin", ";TZID=Custom", ";RELATED=END", ";X"];
  const values = [
    "VEVENT",
    "VTODO",
    "VALARM",
    "20260701",
    "20260701T100000",
    "99991231T235959Z",
    "00000101T000000Z",
    "P999999W",
    "-P999999DT999999H",
    "FREQ=DAILY",
    "mailto:%",
  ];
  const line = fc
    .tuple(
      fc.constantFrom(...names),
      fc.constantFrom(...params),
      fc.oneof(fc.constantFrom(...values), nastyText),
    )
    .map(([name, param, value]) => `${name}${param}:${value}`);

  it("for odd lines in good components", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.boolean(), (lines, isEvent) => {
        const read = readCalendar(isEvent ? eventFile(...lines) : todoFile(...lines), { zone });
        expect(read.ok ? read.value.items.length : read.failure.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  it("for good files with damaged octets", () => {
    const good = eventFile("DTSTART;TZID=Europe/Berlin:20260701T100000", "SUMMARY:äöü", " folded");
    const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(damage, fc.nat(good.length), (changes, cut) => {
        const bytes = Uint8Array.from(good);
        for (const [at, byte] of changes) bytes[at] = byte;
        for (const each of [bytes, good.slice(0, cut), good.slice(cut)]) {
          const read = readCalendar(each, { zone });
          expect(read.ok || read.failure.length > 0).toBe(true);
        }
        expect(readCalendar(good.slice(0, Math.min(cut, good.length - 3)), { zone }).ok).toBe(
          false,
        );
      }),
      { numRuns: 300 },
    );
  });

  it("for any octets", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(refusalOf(bytes).length).toBeGreaterThan(0);
        expect(refusalOf(octets("BEGIN:VCALENDAR\n")).length).toBe(1);
      }),
    );
  });
});
