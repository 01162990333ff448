import { calendarEnd, decodeText, writeHeader } from "@dayferry/ical";
import ICAL from "ical.js";
import { describe, expect, it } from "vitest";
import { octets, readFine } from "../files.ts";

const plain = {
  name: "Website",
  description: "",
  zone: "Europe/Berlin",
  refresh: Temporal.Duration.from("PT1H"),
};

describe("writeHeader()", () => {
  it("writes everything that stands before the first component", () => {
    expect(writeHeader({ ...plain, description: "synced 14:05, rev 44" }).split("\r\n")).toEqual([
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//Dayferry//Dayferry//EN",
      "CALSCALE:GREGORIAN",
      "NAME:Website",
      "X-WR-CALNAME:Website",
      "X-WR-CALDESC:synced 14:05\\, rev 44",
      "X-WR-TIMEZONE:Europe/Berlin",
      "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
      "X-PUBLISHED-TTL:PT1H",
      "",
    ]);
  });

  it("leaves an empty description out", () => {
    expect(writeHeader(plain)).not.toContain("X-WR-CALDESC");
  });

  it("lets no name or zone bring lines of its own, and folds", () => {
    const name = `A\r\nBEGIN:VEVENT\n${"ü; ".repeat(60)}`;
    const header = writeHeader({ ...plain, name, description: `x\ny${name}`, zone: "A\r\nB:1" });
    for (const line of header.split("\r\n")) {
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      expect(line).not.toMatch(/^BEGIN:VEVENT|^B:/);
    }
    const read = new ICAL.Component(ICAL.parse(header + calendarEnd));
    const shown = decodeText(String(read.getFirstPropertyValue("x-wr-calname")));
    expect(shown).toBe(`A BEGIN:VEVENT ${"ü; ".repeat(60)}`.trim());
    expect(readFine(octets(header + calendarEnd)).items).toEqual([]);
  });

  it.each([
    ["PT15M", "PT15M"],
    ["PT90M", "PT1H30M"],
    ["P1D", "P1D"],
    ["P1W", "P7D"],
    ["PT26H", "PT26H"],
    ["P1DT1H0.5S", "P1DT1H"],
    ["PT0S", "PT0S"],
  ])("writes a refresh of %s as %s", (refresh, written) => {
    const header = writeHeader({ ...plain, refresh: Temporal.Duration.from(refresh) });
    expect(header).toContain(`\r\nX-PUBLISHED-TTL:${written}\r\n`);
  });

  it("throws when the refresh has months", () => {
    const refresh = Temporal.Duration.from("P1M");
    expect(() => writeHeader({ ...plain, refresh })).toThrow(RangeError);
  });
});
