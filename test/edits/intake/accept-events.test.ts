import { expect, it } from "vitest";
import { personId } from "../../../src/domain/ids.ts";
import type { EventItem } from "../../../src/domain/item.ts";
import { anEvent, days, times } from "../../support/items.ts";
import { acceptRig, calendar, codes, type RigSetting, vevent, wishes, withItem } from "../rig.ts";

const minutes = (count: number) => Temporal.Duration.from({ minutes: count });

/** The plan for lines of a known event that differs from the usual one by `fields`. */
function edited(lines: readonly string[], fields: Partial<EventItem> = {}, setting?: RigSetting) {
  const { rig, uid } = withItem(acceptRig(setting), anEvent(501, { title: "Review", ...fields }));
  return rig.one(calendar(vevent(uid, ...lines)));
}

it.each<[string, readonly string[], Partial<EventItem>, object]>([
  ["a title", ["SUMMARY:Review of plans"], {}, { title: "Review of plans" }],
  ["escaped text", ["SUMMARY:a\\, b\\; c\\\\n"], {}, { title: "a, b; c\\n" }],
  ["a description", ["DESCRIPTION:one\\ntwo"], {}, { description: "one\ntwo" }],
  ["an emptied description", ["DESCRIPTION:"], { description: "old" }, { description: null }],
  [
    "a UTC time",
    ["DTSTART:20261123T100000Z", "DTEND:20261123T113000Z"],
    {},
    { when: { startAt: "2026-11-23T10:00:00Z", endAt: "2026-11-23T11:30:00Z" } },
  ],
  [
    "a floating time, in the account's zone",
    ["DTSTART:20261123T120000", "DTEND:20261123T130000"],
    {},
    { when: { startAt: "2026-11-23T11:00:00Z", endAt: "2026-11-23T12:00:00Z" } },
  ],
  [
    "a time of another zone",
    ["DTSTART;TZID=America/New_York:20261123T080000", "DURATION:PT1H"],
    {},
    { when: { startAt: "2026-11-23T13:00:00Z", endAt: "2026-11-23T14:00:00Z" } },
  ],
  [
    "a start alone, which keeps the length",
    ["DTSTART;TZID=Europe/Berlin:20261124T100000"],
    {},
    { when: { startAt: "2026-11-24T09:00:00Z", endAt: "2026-11-24T10:00:00Z" } },
  ],
  [
    "a first day alone, which keeps the days",
    ["DTSTART;VALUE=DATE:20261201"],
    { when: days("2026-11-23", "2026-11-25") },
    { when: { startOn: "2026-12-01", endOn: "2026-12-04" } },
  ],
  [
    "seconds, which are cut",
    ["DTSTART:20261123T100059Z", "DTEND:20261123T113059Z"],
    {},
    { when: { startAt: "2026-11-23T10:00:00Z", endAt: "2026-11-23T11:30:00Z" } },
  ],
  [
    "an end taken away",
    ["DTSTART:20261123T090000Z", "DTEND:20261123T090000Z"],
    {},
    { when: { startAt: "2026-11-23T09:00:00Z", endAt: null } },
  ],
  [
    "a start, with the length that calendars show where none is known",
    ["DTSTART:20261123T100000Z", "DTEND:20261123T103000Z"],
    { when: times("2026-11-23T10:00") },
    { when: { startAt: "2026-11-23T10:00:00Z", endAt: null } },
  ],
  [
    "times made whole days",
    ["DTSTART;VALUE=DATE:20261123", "DTEND;VALUE=DATE:20261125"],
    {},
    { when: { startOn: "2026-11-23", endOn: "2026-11-25" } },
  ],
  [
    "whole days made times",
    ["DTSTART:20261123T090000Z", "DTEND:20261123T100000Z"],
    { when: days("2026-11-23") },
    { when: { startAt: "2026-11-23T09:00:00Z", endAt: "2026-11-23T10:00:00Z" } },
  ],
  [
    "a reminder",
    [
      "DTSTART:20261123T090000Z",
      "DTEND:20261123T100000Z",
      "BEGIN:VALARM",
      "ACTION:DISPLAY",
      "TRIGGER:-P1DT30M",
      "END:VALARM",
    ],
    { reminder: minutes(15) },
    { reminder: 1470 },
  ],
  ["privacy", ["CLASS:CONFIDENTIAL"], {}, { private: true }],
  ["privacy by a class that is not known", ["CLASS:x-secret"], {}, { private: true }],
  ["publicity", ["CLASS:PUBLIC"], { private: true }, { private: false }],
  [
    "attendees, and people without an address",
    ["ATTENDEE;CN=B:mailto:BJOERN@example.com"],
    { assigned: [personId(11), personId(13)] },
    { assigned: [12, 13] },
  ],
])("an event takes %s from a file", (name, lines, fields, expected) => {
  const item = edited(lines, fields);
  const notes = name.startsWith("seconds") ? ["seconds"] : [];
  expect([item.action, codes(item)]).toEqual(["update", notes]);
  expect(wishes(item)).toEqual(expected);
});

it.each<[string, readonly string[], Partial<EventItem>]>([
  ["nothing but a stamp", ["DTSTAMP:20261120T100000Z"], { description: "kept" }],
  ["the same instant elsewhere", ["DTSTART;TZID=Asia/Tokyo:20261123T180000"], {}],
  [
    "the shown length of an open end",
    ["DTSTART:20261123T090000Z", "DTEND:20261123T093000Z"],
    { when: times("2026-11-23T10:00") },
  ],
  ["no alarm where there was one", ["SUMMARY:Review"], { reminder: minutes(15) }],
  ["no class on a private event", ["SUMMARY:Review"], { private: true }],
  ["a busy title of a private event", ["SUMMARY:Busy", "CLASS:PRIVATE"], { private: true }],
  [
    "HTML as the text that was shown",
    ["DESCRIPTION:Hello\\nyou "],
    { description: "<p>Hello<br>you</p>" },
  ],
  ["the same attendees", ["ATTENDEE:mailto:ana@example.com"], { assigned: [personId(11)] }],
])("an event is unchanged by %s", (_name, lines, fields) => {
  expect(edited(lines, fields)).toMatchObject({ action: "unchanged", changes: [], problems: [] });
});

it("assignees are recognized by the addresses they had when the file was downloaded", () => {
  const rig = acceptRig();
  const assigned = [personId(11), personId(12)];
  const uid = rig.put(anEvent(501, { title: "Review", assigned }));
  const person = { timeZone: null, suspended: false };
  const move = (id: number, name: string, email: string) =>
    rig.store.directory.putPeople([{ ...person, id: personId(id), name, email }], false);
  move(12, "Björn", "bjoern@elsewhere.example.com");
  move(12, "Björn", "bjoern@third.example.com");
  const file = (...emails: readonly string[]) =>
    calendar(vevent(uid, "SUMMARY:Plans", ...emails.map((email) => `ATTENDEE:mailto:${email}`)));
  for (const former of ["bjoern@example.com", "Bjoern@Elsewhere.example.com"]) {
    const item = rig.one(file("ana@example.com", former), { dryRun: true });
    expect([former, wishes(item), codes(item)]).toEqual([former, { title: "Plans" }, []]);
  }
  // It means whoever has the address now.
  move(13, "Chen", "bjoern@example.com");
  const item = rig.one(file("ana@example.com", "bjoern@example.com"), { dryRun: true });
  expect(wishes(item)).toEqual({ title: "Plans", assigned: [11, 13] });
  // A former address assigns nobody.
  rig.store.directory.putPeople(
    [{ ...person, id: personId(14), name: "Dan", email: "dan@example.com" }],
    false,
  );
  move(14, "Dan", "dan@elsewhere.example.com");
  const other = rig.one(file("ana@example.com", "bjoern@third.example.com", "dan@example.com"), {
    dryRun: true,
  });
  expect([wishes(other), codes(other)]).toEqual([{ title: "Plans" }, ["unknown-person"]]);
});

it.each<[string, readonly string[], Partial<EventItem>, string]>([
  ["an emptied title", ["SUMMARY: "], {}, "no-title"],
  ["completion", ["STATUS:COMPLETED"], {}, "not-completable"],
  ["a mark of completion", ["SUMMARY:✓ Review"], {}, "not-completable"],
  ["a repetition", ["DTSTART:20261123T090000Z", "RRULE:FREQ=DAILY"], {}, "recurrence"],
  ["an unknown zone", ["DTSTART;TZID=Mars/Base:20261123T090000"], {}, "unknown-zone"],
  [
    "a milestone with a time",
    ["DTSTART:20261123T090000Z"],
    { milestone: true, when: days("2026-11-23") },
    "milestone-time",
  ],
  [
    "a milestone of two days",
    ["DTSTART;VALUE=DATE:20261123", "DTEND;VALUE=DATE:20261125"],
    { milestone: true, when: days("2026-11-23") },
    "milestone-days",
  ],
  ["a timed event made a milestone", ["CATEGORIES:Milestone"], {}, "milestone-time"],
])("an event refuses %s", (_name, lines, fields, code) => {
  const item = edited(lines, fields);
  expect(item).toMatchObject({ action: "refused", editId: null });
  expect(codes(item)).toContain(code);
});

it.each<[string, readonly string[], Partial<EventItem>, string]>([
  ["a place", ["LOCATION:Room 5", "SUMMARY:New"], {}, "not-stored"],
  ["a comment", ["COMMENT:see you", "SUMMARY:New"], {}, "not-stored"],
  ["somebody's link", ["URL:https://example.org/", "SUMMARY:New"], {}, "not-stored"],
  ["labels", ["CATEGORIES:Design,Other", "SUMMARY:New"], {}, "event-labels"],
  ["strangers", ["ATTENDEE:mailto:nobody@example.org", "SUMMARY:New"], {}, "unknown-person"],
  ["formatting", ["DESCRIPTION:plain"], { description: "<b>bold</b>" }, "formatting-lost"],
])("an event is accepted with a note that %s cannot be stored", (_name, lines, fields, code) => {
  const item = edited(lines, fields);
  expect(item.action).toBe("update");
  expect(codes(item)).toEqual([code]);
});
