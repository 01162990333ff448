import { describe, expect, it } from "vitest";
import { inEnglish } from "../../src/sentences.ts";
import { eventFile, readOne } from "../files.ts";

describe("the alarm", () => {
  const timed = [
    "DTSTART;TZID=Europe/Berlin:20260701T100000",
    "DTEND;TZID=Europe/Berlin:20260701T113000",
  ];
  const dated = ["DTSTART;VALUE=DATE:20260701", "DTEND;VALUE=DATE:20260703"];
  const alarm = (...lines: readonly string[]) => ["BEGIN:VALARM", ...lines, "END:VALARM"];
  const display = (trigger: string) => alarm("ACTION:DISPLAY", trigger);
  const read = (...lines: readonly string[]) => readOne(eventFile(...lines));

  it.each([
    [timed, display("TRIGGER:-PT15M"), "PT15M"],
    [timed, display("TRIGGER;RELATED=START:-P1W"), "P7D"],
    [timed, display("TRIGGER:PT0S"), "PT0S"],
    [timed, display("TRIGGER:-PT0S"), "PT0S"],
    [timed, display("TRIGGER;RELATED=END:-PT2H"), "PT30M"],
    [timed, display("TRIGGER;VALUE=DATE-TIME:20260630T080000Z"), "PT24H"],
    [timed, alarm("ACTION:AUDIO", "TRIGGER:-P1DT2H"), "P1DT2H"],
    [timed, alarm("TRIGGER:-PT1M"), "PT1M"],
    [dated, display("TRIGGER:-PT15H"), "PT15H"],
    [dated, display("TRIGGER;RELATED=END:-P3D"), "P1D"],
  ])("%j with %j is %s", (times, lines, expected) => {
    const item = read(...times, ...lines);
    expect(item.alarm?.toString()).toBe(expected);
    expect(item.unstorable).toEqual([]);
  });

  it.each([
    [timed, display("TRIGGER:PT15M")],
    [timed, display("TRIGGER;RELATED=END:-PT15M")],
    [timed, display("TRIGGER;VALUE=DATE-TIME:20260701T090000Z")],
    [timed, display("TRIGGER;VALUE=DATE-TIME:20260701")],
    [timed, display("TRIGGER:soon")],
    [timed, display("X-NO:trigger")],
    [timed, alarm("ACTION:EMAIL", "TRIGGER:-PT15M")],
    [dated, display("TRIGGER:PT9H")],
    [dated, display("TRIGGER;VALUE=DATE-TIME:20260630T080000Z")],
    [[], display("TRIGGER:-PT15M")],
  ])("%j with %j cannot be stored", (times, lines) => {
    const item = read(...times, ...lines);
    expect(item.alarm).toBeUndefined();
    expect(item.unstorable).toMatchObject([{ name: "VALARM" }]);
  });

  it("is the first that can be stored; a second one is reported if it differs", () => {
    const three = [
      ...display("TRIGGER:PT1H"),
      ...display("TRIGGER:-PT10M"),
      ...display("TRIGGER:-PT5M"),
    ];
    const item = read(...timed, ...three, ...alarm("ACTION:AUDIO", "TRIGGER:-PT600S"));
    expect(item.alarm?.toString()).toBe("PT10M");
    expect(item.unstorable.map(({ line }) => line)).toEqual([7, 15]);
  });

  it.each([
    [
      "at a place",
      alarm(
        "ACTION:DISPLAY",
        "TRIGGER;VALUE=DATE-TIME:19760401T005545Z",
        "X-APPLE-PROXIMITY:ARRIVE",
      ),
      undefined,
      "place",
    ],
    [
      "that repeats",
      alarm("ACTION:DISPLAY", "TRIGGER:-PT5M", "REPEAT:2", "DURATION:PT1M"),
      "PT5M",
      "repeats",
    ],
  ])("reports of one %s what the service cannot store", (_what, lines, lead, reason) => {
    const item = read(...timed, ...lines);
    expect(item.alarm?.toString()).toBe(lead);
    expect(item.unstorable.map((one) => inEnglish(one.reason))).toEqual([
      expect.stringContaining(reason),
    ]);
  });

  it("is null when there are only dummies and snoozes", () => {
    const dummy = alarm("ACTION:NONE", "TRIGGER;VALUE=DATE-TIME:19760401T005545Z");
    const snooze = alarm("ACTION:DISPLAY", "TRIGGER:-PT1M", "RELATED-TO;RELTYPE=SNOOZE:a");
    const sounding = display("TRIGGER;VALUE=DATE-TIME:19760401T005545Z");
    const found = read(...timed, ...dummy, ...snooze, ...sounding);
    expect(found).toMatchObject({ alarm: null, unstorable: [{ name: "VALARM", line: 11 }] });
  });
});
