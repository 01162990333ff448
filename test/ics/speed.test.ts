import { describe, expect, it } from "vitest";
import { readCalendar } from "../../src/ics/read/calendar-object.ts";
import { processorMs } from "../support/processor-time.ts";
import { octets, zone } from "./files.ts";

const inside = (text: string) => `BEGIN:VCALENDAR\r\n${text}END:VCALENDAR\r\n`;
const event = (text: string) => inside(`BEGIN:VEVENT\r\nUID:u1\r\n${text}\r\nEND:VEVENT\r\n`);
const many = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join("");

// Far above what they take (tenths of a second), far below what quadratic work would.
const limit = 8000;

describe("readCalendar() takes a moment for", () => {
  it.each<[string, () => string]>([
    ["a million folds", () => event(`SUMMARY:x${"\n a".repeat(1_000_000)}`)],
    ["50 MB", () => "x".repeat(50_000_000)],
    ["200,000 nested components", () => inside("BEGIN:VEVENT\r\n".repeat(200_000))],
    ["2,000 zones", () => inside("BEGIN:VTIMEZONE\r\nTZID:x\r\nEND:VTIMEZONE\r\n".repeat(2000))],
    ["a million parameters", () => event(`SUMMARY${";a=1".repeat(1_000_000)}:x`)],
    ["millions of backslashes", () => event(`CATEGORIES:${"\\".repeat(4_900_000)}`)],
    ["millions of commas", () => event(`CATEGORIES:${",".repeat(4_900_000)}`)],
    ["390,000 equal properties", () => event("SUMMARY:x\n".repeat(390_000).trimEnd())],
    ["390,000 odd properties", () => event(many(390_000, (at) => `X-${at}:\n`).trimEnd())],
    [
      "many unknown zones",
      () => {
        const zones = many(60, (at) => `BEGIN:VTIMEZONE\r\nTZID:Z${at}\r\nEND:VTIMEZONE\r\n`);
        const times = (at: number) => `DTSTART;TZID="(UTC+01:00) Z${at}":20260701T100000\r\n`;
        return inside(
          zones + many(19_900, (at) => `BEGIN:VEVENT\r\nUID:${at}\r\n${times(at)}END:VEVENT\r\n`),
        );
      },
    ],
    [
      "many rules",
      () => {
        const rule = (at: number) => `RRULE:FREQ=SECONDLY;COUNT=${at}\r\n`;
        return inside(
          many(19_900, (at) => `BEGIN:VEVENT\r\nUID:${at}\r\n${rule(at)}END:VEVENT\r\n`),
        );
      },
    ],
    [
      "19,900 plain events",
      () => {
        const lines = "DTSTART:20260701T100000Z\r\nSUMMARY:a\\, b\r\nEND:VEVENT\r\n";
        return inside(many(19_900, (at) => `BEGIN:VEVENT\r\nUID:${at}\r\n${lines}`));
      },
    ],
    [
      "many alarms",
      () => event("BEGIN:VALARM\r\nTRIGGER:-PT1M\r\nEND:VALARM\r\n".repeat(19_900).trimEnd()),
    ],
  ])("%s", (_what, make) => {
    const bytes = octets(make());
    const started = processorMs();
    const read = readCalendar(bytes, { zone });
    expect(processorMs() - started).toBeLessThan(limit);
    expect(read.ok || read.failure.length > 0).toBe(true);
  });
});
