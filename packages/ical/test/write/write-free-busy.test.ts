import { writeFreeBusy, writeObject } from "@dayferry/ical";
import ICAL from "ical.js";
import { describe, expect, it } from "vitest";
import { instant } from "../todos.ts";

const hour = (at: number, minutes = 0) =>
  instant("2026-07-01T00:00:00Z").add({ hours: at, minutes });
const card = {
  uid: "fb-1",
  stampAt: hour(7),
  start: hour(8),
  end: hour(18),
  periods: [],
  tentative: [],
  organizer: null,
};
const period = (from: number, to: number) => ({ start: hour(from), end: hour(to) });

const busyOf = (periods: readonly ReturnType<typeof period>[]) =>
  writeFreeBusy({ ...card, periods })
    .split("\r\n")
    .filter((line) => line.startsWith("FREEBUSY"))
    .map((line) => line.replace(/^FREEBUSY;FBTYPE=BUSY:|20260701T|0000Z/g, ""));

describe("writeFreeBusy()", () => {
  it("writes the range and the person", () => {
    const text = writeFreeBusy({
      ...card,
      organizer: "mailto:a@b.example",
      periods: [period(9, 10)],
    });
    expect(text.split("\r\n")).toEqual([
      "BEGIN:VFREEBUSY",
      "UID:fb-1",
      "DTSTAMP:20260701T070000Z",
      "DTSTART:20260701T080000Z",
      "DTEND:20260701T180000Z",
      "ORGANIZER:mailto:a@b.example",
      "FREEBUSY;FBTYPE=BUSY:20260701T090000Z/20260701T100000Z",
      "END:VFREEBUSY",
      "",
    ]);
    const read = new ICAL.Component(ICAL.parse(writeObject(text, ""))).getFirstSubcomponent(
      "vfreebusy",
    );
    expect(read?.getFirstPropertyValue("freebusy")?.toString()).toContain("2026-07-01T09:00:00Z");
  });

  it("marks the times when somebody may be busy", () => {
    const text = writeFreeBusy({ ...card, periods: [period(9, 10)], tentative: [period(9, 11)] });
    expect(text.match(/^FREEBUSY.*$/gm)?.map((line) => line.trim())).toEqual([
      "FREEBUSY;FBTYPE=BUSY:20260701T090000Z/20260701T100000Z",
      "FREEBUSY;FBTYPE=BUSY-TENTATIVE:20260701T090000Z/20260701T110000Z",
    ]);
  });

  it.each<[string, readonly ReturnType<typeof period>[], readonly string[]]>([
    ["nothing", [], []],
    ["periods in order", [period(14, 15), period(9, 10)], ["09/10", "14/15"]],
    ["overlapping ones as one", [period(9, 12), period(10, 11), period(11, 13)], ["09/13"]],
    ["touching ones as one", [period(9, 10), period(10, 11)], ["09/11"]],
    [
      "what lies within the range",
      [period(6, 9), period(17, 20), period(1, 8), period(18, 19)],
      ["08/09", "17/18"],
    ],
    ["none without length", [period(9, 9), period(11, 10)], []],
  ])("says %s", (_what, periods, lines) => {
    expect(busyOf(periods)).toEqual(lines);
  });
});
