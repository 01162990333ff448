import { createZoneWriter } from "@dayferry/ical";
import { describe, expect, it } from "vitest";

const event = (...lines: readonly string[]): string =>
  ["BEGIN:VEVENT", ...lines, "END:VEVENT", ""].join("\r\n");

describe("createZoneWriter()", () => {
  it("writes nothing when nothing names a zone", () => {
    expect(createZoneWriter()(event("DTSTART:20261124T100000Z"))).toBe("");
  });

  it("writes one component for each name, under that name", () => {
    const text = createZoneWriter()(
      event(
        "DTSTART;TZID=W. Europe Standard Time:20261124T100000",
        'DTEND;TZID="Asia/Tokyo":20261124T190000',
      ),
    );
    expect(text.match(/^TZID:.*$/gm)).toEqual(["TZID:W. Europe Standard Time", "TZID:Asia/Tokyo"]);
  });

  it("covers all years between two distant times", () => {
    const text = createZoneWriter()(
      event(
        "DTSTART;TZID=America/Vancouver:20140701T100000",
        "DTEND;TZID=America/Vancouver:20270701T100000",
      ),
    );
    expect(text).toContain("UNTIL=20260308T100000Z");
  });

  it("covers the years that a duration reaches into", () => {
    const text = createZoneWriter()(
      event("DTSTART;TZID=America/Mexico_City:20190701T100000", "DURATION:P1400D"),
    );
    // Mexico abolished summer time in 2022.
    expect(text).toContain("UNTIL=20220403T080000Z");
  });
});
