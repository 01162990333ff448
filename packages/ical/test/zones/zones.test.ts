import { isUtc, resolveZone, writeTimeZone } from "@dayferry/ical";
import { describe, expect, it } from "vitest";

const zones = [
  "UTC",
  "Etc/GMT-5",
  "Europe/Berlin",
  "Europe/London",
  "Europe/Dublin",
  "Europe/Lisbon",
  "Europe/Kyiv",
  "Europe/Kiev",
  "Europe/Moscow",
  "Europe/Istanbul",
  "Europe/Chisinau",
  "America/New_York",
  "America/Los_Angeles",
  "America/Phoenix",
  "America/St_Johns",
  "America/Sao_Paulo",
  "America/Mexico_City",
  "America/Chihuahua",
  "America/Santiago",
  "America/Asuncion",
  "America/Havana",
  "America/Nuuk",
  "America/Scoresbysund",
  "Africa/Casablanca",
  "Africa/Cairo",
  "Africa/Juba",
  "Africa/Lagos",
  "Antarctica/Troll",
  "Asia/Kolkata",
  "Asia/Calcutta",
  "Asia/Kathmandu",
  "Asia/Tokyo",
  "Asia/Tehran",
  "Asia/Amman",
  "Asia/Beirut",
  "Asia/Gaza",
  "Asia/Jerusalem",
  "Asia/Almaty",
  "Australia/Lord_Howe",
  "Australia/Sydney",
  "Pacific/Auckland",
  "Pacific/Chatham",
  "Pacific/Apia",
  "Pacific/Fiji",
];

describe("writeTimeZone()", () => {
  it("writes a rule that applies from 1970 on, as Outlook needs it", () => {
    const lines = writeTimeZone({ zone: "America/New_York", fromYear: 2026, toYear: 2028 });
    expect(lines.split("\r\n")).toEqual([
      "BEGIN:VTIMEZONE",
      "TZID:America/New_York",
      "X-LIC-LOCATION:America/New_York",
      "BEGIN:DAYLIGHT",
      "DTSTART:19700308T020000",
      "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU",
      "TZOFFSETFROM:-0500",
      "TZOFFSETTO:-0400",
      "END:DAYLIGHT",
      "BEGIN:STANDARD",
      "DTSTART:19701101T020000",
      "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU",
      "TZOFFSETFROM:-0400",
      "TZOFFSETTO:-0500",
      "END:STANDARD",
      "END:VTIMEZONE",
      "",
    ]);
  });

  it("ends a rule where a zone gave up its summer time", () => {
    const block = writeTimeZone({ zone: "America/Vancouver", fromYear: 2014, toYear: 2026 });
    expect(block.split("\r\n")).toEqual([
      "BEGIN:VTIMEZONE",
      "TZID:America/Vancouver",
      "X-LIC-LOCATION:America/Vancouver",
      "BEGIN:DAYLIGHT",
      "DTSTART:19700308T020000",
      "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU;UNTIL=20260308T100000Z",
      "TZOFFSETFROM:-0800",
      "TZOFFSETTO:-0700",
      "END:DAYLIGHT",
      "BEGIN:STANDARD",
      "DTSTART:19701101T020000",
      "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU;UNTIL=20251102T090000Z",
      "TZOFFSETFROM:-0700",
      "TZOFFSETTO:-0800",
      "END:STANDARD",
      "END:VTIMEZONE",
      "",
    ]);
  });

  it("ends a rule so that programs comparing UNTIL with the wall clock also see its last onset", () => {
    const block = writeTimeZone({ zone: "Asia/Damascus", fromYear: 2014, toYear: 2026 });
    // 24 March 22:00 in UTC.
    expect(block).toContain("BYMONTH=3;BYDAY=-1FR;UNTIL=20220325T000000Z");
  });

  it("writes one rule after another when they changed", () => {
    const block = writeTimeZone({ zone: "America/New_York", fromYear: 1990, toYear: 2026 });
    expect(block.match(/^(?:DTSTART|RRULE):.*$/gm)).toEqual([
      "DTSTART:19700405T020000",
      "RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU;UNTIL=20060402T070000Z",
      "DTSTART:19701025T020000",
      "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;UNTIL=20061029T060000Z",
      "DTSTART:20070311T020000",
      "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU",
      "DTSTART:20071104T020000",
      "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU",
    ]);
  });

  it("writes a rule that names a day of the month", () => {
    const block = writeTimeZone({ zone: "Asia/Baghdad", fromYear: 1999, toYear: 2010 });
    expect(block).toContain("RRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=1;UNTIL=20070401T030000Z");
  });

  it("writes no half of a rule without end when the other half is irregular", () => {
    const block = writeTimeZone({ zone: "Africa/Cairo", fromYear: 2026, toYear: 2028 });
    expect(block.match(/^RRULE:.*$/gm)).toEqual([
      "RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=-1FR;UNTIL=20300426T000000Z",
      "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1FR;UNTIL=20291026T000000Z",
    ]);
  });

  it("writes single changes as RDATE lines and the following rule as RRULE", () => {
    const block = writeTimeZone({ zone: "America/Nuuk", fromYear: 2022, toYear: 2028 });
    expect(block).toContain("RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU");
    expect(block).toContain("BYMONTHDAY=24,25,26,27,28,29,30;BYDAY=SA");
  });

  it("writes one RDATE a line when the changes follow no rule", () => {
    const block = writeTimeZone({ zone: "Africa/Casablanca", fromYear: 2019, toYear: 2024 });
    expect(block.match(/^RDATE:\d{8}T\d{6}\r$/gm)?.length).toBeGreaterThan(5);
    expect(block).not.toMatch(/RDATE:.*,/);
  });

  it("begins before 1970 when times are older and nothing changed since", () => {
    const block = writeTimeZone({ zone: "Asia/Tokyo", fromYear: 1965, toYear: 1965 });
    expect(block).toContain("DTSTART:19640101T000000\r\nTZOFFSETFROM:+0900");
  });

  it.each([
    [1, 1],
    [9998, 9999],
    [1, 9999],
  ])("can cover the years %i to %i", (fromYear, toYear) => {
    const block = writeTimeZone({ zone: "Europe/Berlin", fromYear, toYear });
    expect(block.match(/^DTSTART:(?!\d{8}T\d{6}\r)/gm)).toBeNull();
  });

  it("writes one block for a zone without changes", () => {
    const block = writeTimeZone({ zone: "Asia/Kolkata", fromYear: 2026, toYear: 2028 });
    expect(block.match(/BEGIN:/g)).toHaveLength(2);
    expect(block).toContain("DTSTART:19700101T000000\r\nTZOFFSETFROM:+0530\r\nTZOFFSETTO:+0530");
  });

  it("writes the seconds of an offset", () => {
    const block = writeTimeZone({ zone: "Africa/Monrovia", fromYear: 1970, toYear: 1975 });
    expect(block).toContain("TZOFFSETFROM:-004430\r\nTZOFFSETTO:+0000");
  });

  it("throws for an unknown zone", () => {
    const options = { zone: "Mars/Base", fromYear: 2026, toYear: 2028 };
    expect(() => writeTimeZone(options)).toThrow(RangeError);
  });

  it("gives each zone the requested name", () => {
    for (const zone of zones) {
      const block = writeTimeZone({ zone, fromYear: 2026, toYear: 2027 });
      expect(block).toContain(`\r\nTZID:${zone}\r\n`);
    }
  });
});

describe("resolveZone()", () => {
  it.each([
    ["Europe/Berlin", "Europe/Berlin"],
    ["europe/BERLIN", "Europe/Berlin"],
    [" Asia/Tokyo ", "Asia/Tokyo"],
    ["UTC", "UTC"],
    ["/freeassociation.sourceforge.net/Europe/Berlin", "Europe/Berlin"],
    ["/citadel.org/20210210_1/America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
    ["/softwarestudio.org/Olson_20011030_5/Asia/Tokyo", "Asia/Tokyo"],
    ["/UTC", "UTC"],
    ["W. Europe Standard Time", "Europe/Berlin"],
    ["eastern standard time", "America/New_York"],
    ["(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna", "Europe/Berlin"],
    ["(UTC) Dublin, Edinburgh, Lisbon, London", "Europe/London"],
  ])("knows %s", (tzid, zone) => {
    expect(resolveZone(tzid)).toBe(zone);
  });

  it.each([
    [""],
    ["/"],
    ["/Mars/Base"],
    ["Mars/Base"],
    ["05:30"],
    ["GMT+2500"],
    ["Customized Time Zone"],
    ["tzone://Microsoft/Custom"],
    ["Berlin"],
    ["(UTC+01:00) Mars, Base"],
    ['(UTC+01:00) A"B'],
    ["(UTC+01:00) A\r\nEND:VEVENT"],
    [`(UTC+01:00) ${"x".repeat(500)}`],
    ["toString"],
    ["Europe/Berlin 2"],
  ])("does not guess %j", (tzid) => {
    expect(resolveZone(tzid)).toBeNull();
  });
});

describe("isUtc()", () => {
  it.each([
    ["UTC", true],
    ["Etc/UTC", true],
    ["Europe/London", false],
    ["Africa/Abidjan", false],
  ])("of %s is %s", (zone, expected) => {
    expect(isUtc(zone)).toBe(expected);
  });

  it.each([
    ["GMT+0100", "Etc/GMT-1"],
    ["GMT+02:00", "Etc/GMT-2"],
    ["UTC-5", "Etc/GMT+5"],
    ["+05:30", "+05:30"],
    ["UTC+00:00", "UTC"],
    ["tzone://Microsoft/Utc", "UTC"],
    ["Eastern Standard Time 1", "America/New_York"],
  ])("reads the odd name %j as %s", (tzid, zone) => {
    expect(resolveZone(tzid)).toBe(zone);
  });
});
