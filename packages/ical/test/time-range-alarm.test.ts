import { type Component, matchesTimeRange } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { at, range, read } from "./ranges.ts";

describe("matchesTimeRange() of alarms", () => {
  const alarmOf = (lines: readonly string[], own: readonly string[], name = "VEVENT") => {
    const inner = ["BEGIN:VALARM", "ACTION:DISPLAY", ...own, "END:VALARM"];
    const { component, context } = read(name, [...lines, ...inner]);
    const [alarm] = component.components;
    if (!alarm) throw new Error("no alarm was read");
    return { alarm, context: { ...context, parent: component } };
  };
  const rings = (
    { alarm, context }: ReturnType<typeof alarmOf>,
    asked: ReturnType<typeof range>,
    parent: Component | null = context.parent,
  ) => matchesTimeRange(alarm, asked, { ...context, parent });
  const timed = [`DTSTART:${at(10)}`, `DTEND:${at(12)}`];

  it.each<[string, readonly string[], readonly string[], string, number]>([
    ["before the start", timed, ["TRIGGER:-PT1H"], "VEVENT", 9],
    ["from the end", timed, ["TRIGGER;RELATED=END:PT1H"], "VEVENT", 13],
    [
      "from the end of a DURATION",
      [`DTSTART:${at(10)}`, "DURATION:PT3H"],
      ["TRIGGER;RELATED=END:-PT1H"],
      "VEVENT",
      12,
    ],
    ["at a time", timed, [`TRIGGER;VALUE=DATE-TIME:${at(5)}`], "VEVENT", 5],
    ["before midnight of a date", ["DTSTART;VALUE=DATE:20260702"], ["TRIGGER:-PT2H"], "VEVENT", 20],
    [
      "at the end of a date",
      ["DTSTART;VALUE=DATE:20260701"],
      ["TRIGGER;RELATED=END:-PT2H"],
      "VEVENT",
      20,
    ],
    ["before the due time", [`DUE:${at(12)}`], ["TRIGGER:-PT1H"], "VTODO", 11],
    ["by its last repetition", timed, ["TRIGGER:-PT1H", "REPEAT:4", "DURATION:PT1H"], "VEVENT", 13],
  ])("matches one %s only in its minute", (_what, lines, own, name, hour) => {
    const alarm = alarmOf(lines, own, name);
    const minute = 1 / 60;
    expect(rings(alarm, range(hour, hour + minute))).toBe(true);
    expect(rings(alarm, range(hour + minute, hour + 2 * minute))).toBe(false);
    expect(rings(alarm, range(hour - minute, hour))).toBe(false);
  });

  it("matches a repetition within a range, not the gap between two", () => {
    const alarm = alarmOf(timed, ["TRIGGER:-PT1H", "REPEAT:999999999", "DURATION:PT1H"]);
    expect(rings(alarm, range("2036-07-01T09:00:00Z", "2036-07-01T09:01:00Z"))).toBe(true);
    expect(rings(alarm, range("2036-07-01T09:01:00Z", "2036-07-01T09:59:00Z"))).toBe(false);
    expect(rings(alarm, range(null, null))).toBe(true);
    expect(rings(alarm, range(null, 9))).toBe(false);
  });

  it("matches none that counts from nothing", () => {
    expect(rings(alarmOf(["SUMMARY:x"], ["TRIGGER:-PT1H"], "VTODO"), range(null, null))).toBe(
      false,
    );
    expect(rings(alarmOf(timed, []), range(null, null))).toBe(false);
    expect(rings(alarmOf(timed, ["TRIGGER:x"]), range(null, null))).toBe(false);
    expect(rings(alarmOf(timed, ["TRIGGER:-PT1H"]), range(null, null), null)).toBe(false);
  });
});
