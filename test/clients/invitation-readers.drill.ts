import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type CalendarMethod, writeCalendarPart } from "../../src/reminders/calendar-part.ts";
import { anEvent, times, zone } from "../support/items.ts";
import { readBack } from "../support/read-back.ts";
import { hasPythonCaldav, isInstalled, python, runProgram } from "./programs.ts";

// An invitation as two parsers for JavaScript, two for Python and khal read it.

function invitation(method: CalendarMethod): string {
  const modifiedAt = Temporal.Instant.from("2026-11-20T08:00:00Z");
  const shown = { uid: "event-1@readers.example", sequence: 3, modifiedAt };
  const when = times("2026-11-24T10:00", "2026-11-24T11:00");
  const event = anEvent(1, { title: "Überblick, Teil 1", when });
  const [from, to] = ["dayferry", "ana"].map((name) => ({
    name: `${name}; "x"`,
    address: `${name}@example.com`,
  }));
  if (!from || !to) throw new Error("there is nobody");
  return writeCalendarPart(shown, event, { method, zone, link: null, from, to, hasAlarm: true });
}

const script = `
import json, sys
import icalendar, vobject
text = sys.stdin.buffer.read()
calendar = icalendar.Calendar.from_ical(text)
event = calendar.walk("VEVENT")[0]
other = vobject.readOne(text.decode())
print(json.dumps([
  [str(calendar["METHOD"]), str(event["UID"]), str(event["SUMMARY"]), event["DTSTART"].dt.isoformat(),
   str(event["STATUS"]), str(event["ORGANIZER"]), str(event["ATTENDEE"]), int(event["SEQUENCE"])],
  [other.method.value, other.vevent.uid.value, other.vevent.summary.value, other.vevent.dtstart.value.isoformat(),
   other.vevent.status.value, other.vevent.organizer.value, other.vevent.attendee.value, int(other.vevent.sequence.value)],
]))`;

const hasPython = await hasPythonCaldav();

describe("an invitation", () => {
  it.skipIf(!hasPython)("is read alike by icalendar and vobject", async () => {
    for (const [method, status] of [
      ["REQUEST", "CONFIRMED"],
      ["CANCEL", "CANCELLED"],
    ] as const) {
      const text = invitation(method);
      const [read] = readBack(text).values();
      const ran = await runProgram([python, "-c", script], { env: {}, input: text });
      expect(ran.code, ran.output).toBe(0);
      const expected = [
        ...[method, "event-1@readers.example", "Überblick, Teil 1", "2026-11-24T10:00:00+01:00"],
        ...[status, "mailto:dayferry@example.com", "mailto:ana@example.com", 3],
      ];
      expect(JSON.parse(ran.stdout)).toEqual([expected, expected]);
      expect(read).toMatchObject({ summary: "Überblick, Teil 1", sequence: 3 });
    }
  });

  it.skipIf(!isInstalled("khal"))("is shown by khal", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dayferry-khal-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "event.ics");
    writeFileSync(file, invitation("REQUEST"));
    const config = join(folder, "config");
    writeFileSync(
      config,
      `[calendars]\n[[own]]\npath = ${folder}/own\n[locale]\nlocal_timezone = ${zone}\ndefault_timezone = ${zone}\ntimeformat = %H:%M\ndateformat = %Y-%m-%d\nlongdateformat = %Y-%m-%d\ndatetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n`,
    );
    const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder, LC_ALL: "C.UTF-8" };
    const ran = await runProgram(["khal", "-c", config, "printics", file], { env, input: "" });
    expect(ran.output).toContain("2026-11-24 10:00-2026-11-24 11:00");
    expect(ran.output).toContain("Überblick, Teil 1");
  });
});
