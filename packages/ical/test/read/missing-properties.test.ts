import { missingProperties } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { eventFile, readOne, todoFile } from "../files.ts";

const start = "DTSTART:20260701T100000Z";
const alarm = ["BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT5M", "DESCRIPTION:x", "END:VALARM"];

const missingOf = (before: Uint8Array, after: Uint8Array) =>
  missingProperties(readOne(before).raw, readOne(after));

describe("missingProperties()", () => {
  it("names the properties that an event has lost", () => {
    const before = eventFile(start, "description:a", "CATEGORIES;X=1:b", "LOCATION:c", ...alarm);
    expect(missingOf(before, eventFile(start))).toEqual(["CATEGORIES", "DESCRIPTION", "VALARM"]);
    expect(missingOf(before, before)).toEqual([]);
  });

  it("names the properties that a to-do has lost", () => {
    const before = todoFile("DTSTART;VALUE=DATE:20260701", "DUE;VALUE=DATE:20260703", ...alarm);
    expect(missingOf(before, todoFile())).toEqual(["DTSTART", "DUE"]);
    expect(missingOf(before, todoFile("DUE;VALUE=DATE:20260703"))).toEqual(["DTSTART"]);
    expect(missingOf(todoFile(start, "DURATION:PT1H"), todoFile(start))).toEqual(["DUE"]);
    expect(missingOf(before, todoFile("DTSTART;VALUE=DATE:20260701", "DURATION:P2D"))).toEqual([]);
  });

  it.each<[string, Uint8Array, Uint8Array]>([
    ["nothing", todoFile(), todoFile()],
    [
      "what is there, empty",
      todoFile("DESCRIPTION:a", "CATEGORIES:b"),
      todoFile("DESCRIPTION:", "CATEGORIES:"),
    ],
    [
      "the words of an alarm",
      eventFile(start, ...alarm),
      eventFile(start, ...alarm.toSpliced(3, 1)),
    ],
    [
      "another alarm",
      eventFile(start, ...alarm),
      eventFile(start, ...alarm.with(2, "TRIGGER:PT5M")),
    ],
    [
      "an alarm that means no alarm",
      eventFile(start, "BEGIN:VALARM", "ACTION:NONE", "TRIGGER:-PT5M", "END:VALARM"),
      eventFile(start),
    ],
    [
      "a snoozed alarm",
      eventFile(start, ...alarm.toSpliced(2, 0, "RELATED-TO;RELTYPE=SNOOZE:a1")),
      eventFile(start),
    ],
    ["anything of another component", todoFile("DESCRIPTION:a"), eventFile(start)],
  ])("does not name %s", (_what, before, after) => {
    expect(missingOf(before, after)).toEqual([]);
  });
});
