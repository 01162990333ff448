import ICAL from "ical.js";
import { describe, expect, it } from "vitest";
import { isUtc, resolveZone, writeTimeZone } from "../../../src/ics/zones/zones.ts";

const fromYear = 2021;
const toYear = 2031;

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

/** Offsets, in seconds, that ical.js reads from the block and that are true, at noon every 3 days and around changes. */
function wrongTimes(zone: string): readonly string[] {
  const block = ICAL.parse(writeTimeZone({ zone, fromYear, toYear }));
  const timezone = new ICAL.Timezone(new ICAL.Component(block));
  const wrong: string[] = [];
  for (const local of samples(zone)) {
    const time = ICAL.Time.fromDateTimeString(local.toString({ smallestUnit: "second" }));
    const truth = local.toZonedDateTime(zone);
    const isAmbiguous =
      local.toZonedDateTime(zone, { disambiguation: "later" }).offset !== truth.offset;
    if (!isAmbiguous && timezone.utcOffset(time) !== truth.offsetNanoseconds / 1e9) {
      wrong.push(local.toString());
    }
  }
  return wrong;
}

function samples(zone: string): readonly Temporal.PlainDateTime[] {
  const days = Array.from({ length: Math.floor(((toYear - fromYear + 1) * 365) / 3) }, (_, at) =>
    new Temporal.PlainDateTime(fromYear, 1, 1, 12).add({ days: at * 3 }),
  );
  const changes: Temporal.PlainDateTime[] = [];
  let at = new Temporal.PlainDateTime(fromYear, 1, 1).toZonedDateTime(zone);
  for (;;) {
    const next = at.getTimeZoneTransition("next");
    if (!next || next.year > toYear) return [...days, ...changes];
    for (const hours of [-5, 5]) changes.push(next.add({ hours }).toPlainDateTime());
    at = next;
  }
}

describe("writeTimeZone()", () => {
  it.each(zones)("is right for %s", (zone) => {
    expect(wrongTimes(zone)).toEqual([]);
  });

  it("writes a rule that holds from 1970 on, as Outlook needs it", () => {
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

  it("writes history as RDATE lines and the rule that followed as RRULE", () => {
    const block = writeTimeZone({ zone: "America/Nuuk", fromYear: 2022, toYear: 2028 });
    expect(block).toContain("RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU");
    expect(block).toContain("DTSTART:20210101T000000");
    expect(block).toContain("BYMONTHDAY=24,25,26,27,28,29,30;BYDAY=SA");
    expect(block).toContain(
      "DTSTART:20210327T220000\r\nRDATE:20210327T220000\r\nRDATE:20220326T220000",
    );
    expect(block).not.toContain("19700");
  });

  it("writes one RDATE a line where the changes follow no rule", () => {
    const block = writeTimeZone({ zone: "Africa/Cairo", fromYear: 2026, toYear: 2028 });
    expect(block.match(/^RDATE:\d{8}T\d{6}\r$/gm)?.length).toBeGreaterThan(5);
    expect(block).not.toMatch(/RRULE|RDATE:.*,/);
  });

  it("writes one block for a zone without changes", () => {
    const block = writeTimeZone({ zone: "Asia/Kolkata", fromYear: 2026, toYear: 2028 });
    expect(block.match(/BEGIN:/g)).toHaveLength(2);
    expect(block).toContain("DTSTART:19700101T000000\r\nTZOFFSETFROM:+0530\r\nTZOFFSETTO:+0530");
  });

  it("writes seconds of an offset that has some", () => {
    const block = writeTimeZone({ zone: "Africa/Monrovia", fromYear: 1970, toYear: 1975 });
    expect(block).toContain("TZOFFSETFROM:-004430\r\nTZOFFSETTO:+0000");
  });

  it("throws when the zone is not known", () => {
    const options = { zone: "Mars/Base", fromYear: 2026, toYear: 2028 };
    expect(() => writeTimeZone(options)).toThrow(RangeError);
  });

  it("gives each zone the name it was asked for", () => {
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
    ["+05:30"],
    ["GMT+0100"],
    ["Customized Time Zone"],
    ["tzone://Microsoft/Custom"],
    ["Berlin"],
    ["(UTC+01:00) Mars, Base"],
    ['(UTC+01:00) A"B'],
    ["(UTC+01:00) A\r\nEND:VEVENT"],
    [`(UTC+01:00) ${"x".repeat(500)}`],
    ["toString"],
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
});
