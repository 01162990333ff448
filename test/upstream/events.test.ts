import type { When } from "@dayferry/ical";
import { expect, test } from "vitest";
import { personId, projectId } from "../../src/domain/ids.ts";
import type { Patch } from "../../src/domain/patch.ts";
import { readEvent, writeEventBody } from "../../src/upstream/resources/events.ts";

const about = { projectId: projectId(7), timeZone: "Europe/Berlin" };
const raw = {
  id: 501,
  title: "Review",
  start: "2026-07-01 10:00",
  end: "2026-07-01 11:30",
  all_day: false,
  reminder: 15,
  milestone: false,
  private: true,
  completed: false,
  assigned: [11, 12],
  description: "<p>Bring notes</p>",
  updated_at: "2026-06-01T08:00:00+02:00",
  created_at: "2026-05-01T08:00:00+0200",
  by_me: true,
  creator: { id: 11 },
  project: { id: 7, name: "Website" },
};

const read = (change: object) => readEvent({ ...raw, ...change }, about);
const zoned = (text: string) => Temporal.ZonedDateTime.from(text);
const day = (text: string) => Temporal.PlainDate.from(text);
const times = (start: string, end: string | null): When => ({
  kind: "times",
  start: zoned(`${start}[Europe/Berlin]`),
  end: end === null ? null : zoned(`${end}[Europe/Berlin]`),
});
const dates = (start: string, end: string): When => ({
  kind: "dates",
  start: day(start),
  end: day(end),
});

test("readEvent() reads every field", () => {
  const result = readEvent(raw, about);
  expect(result.ok && JSON.parse(JSON.stringify(result.value))).toEqual({
    kind: "event",
    id: 501,
    projectId: 7,
    title: "Review",
    description: "<p>Bring notes</p>",
    when: {
      kind: "times",
      start: "2026-07-01T10:00:00+02:00[Europe/Berlin]",
      end: "2026-07-01T11:30:00+02:00[Europe/Berlin]",
    },
    reminder: "PT15M",
    milestone: false,
    private: true,
    completed: false,
    assigned: [11, 12],
    creatorId: 11,
    byMe: true,
    createdAt: "2026-05-01T06:00:00Z",
    updatedAt: "2026-06-01T06:00:00Z",
  });
});

const whens: readonly (readonly [string, object, When])[] = [
  ["an end that is missing", { end: undefined }, times("2026-07-01T10:00+02:00", null)],
  ["an end that is empty", { end: "" }, times("2026-07-01T10:00+02:00", null)],
  ["an end that is null", { end: null }, times("2026-07-01T10:00+02:00", null)],
  ["an end equal to the start", { end: "2026-07-01 10:00" }, times("2026-07-01T10:00+02:00", null)],
  [
    "00:00 to 23:59 that is not all-day",
    { start: "2026-07-01 00:00", end: "2026-07-01 23:59" },
    times("2026-07-01T00:00+02:00", "2026-07-01T23:59+02:00"),
  ],
  [
    "one whole day",
    { all_day: true, start: "2026-07-01 00:00", end: "2026-07-01 23:59" },
    dates("2026-07-01", "2026-07-02"),
  ],
  [
    "three whole days, flag as text",
    { all_day: "true", start: "2026-04-20 00:00", end: "2026-04-22 23:59" },
    dates("2026-04-20", "2026-04-23"),
  ],
  [
    "a milestone whose all_day is false",
    { milestone: true, all_day: false, start: "2026-07-01 00:00", end: "2026-07-01 23:59" },
    dates("2026-07-01", "2026-07-02"),
  ],
  [
    "a milestone without an end",
    { milestone: 1, all_day: true, start: "2026-07-01", end: null },
    dates("2026-07-01", "2026-07-02"),
  ],
  [
    "a wall clock in the gap of spring",
    { start: "2026-03-29 02:30", end: "2026-03-29 04:00" },
    times("2026-03-29T03:30+02:00", "2026-03-29T04:00+02:00"),
  ],
  [
    "a wall clock in the overlap of autumn",
    { start: "2026-10-25 02:30", end: "2026-10-25 03:30" },
    times("2026-10-25T02:30+02:00", "2026-10-25T03:30+01:00"),
  ],
];
test.each(whens)("readEvent() reads %s", (_, change, when) => {
  const result = read(change);
  expect(result.ok && JSON.stringify(result.value.when)).toBe(JSON.stringify(when));
});

const lenient: readonly (readonly [string, object, object])[] = [
  [
    "numeric strings",
    { id: "501", reminder: "30", creator: { id: "11" } },
    { id: 501, creatorId: 11 },
  ],
  [
    "null for arrays and objects",
    { assigned: null, creator: null },
    { assigned: [], creatorId: null },
  ],
  [
    "missing optional fields",
    { assigned: undefined, reminder: undefined },
    { assigned: [], reminder: null },
  ],
  [
    "people as objects and text, twice",
    { assigned: ["11", { id: 12 }, 11, "x", null] },
    { assigned: [11, 12] },
  ],
  ["a time stamp that cannot be read", { updated_at: "yesterday" }, { updatedAt: null }],
  ["a title of null", { title: null }, { title: "" }],
  ["a title that is a number", { title: 2027 }, { title: "2027" }],
  ["no project", { project: null }, { projectId: 7 }],
  ["an unknown field", { location: "Room 1" }, { id: 501 }],
];
test.each(lenient)("readEvent() accepts %s", (_, change, expected) => {
  expect(read(change)).toMatchObject({ ok: true, value: expected });
});

const strict: readonly (readonly [string, object, RegExp])[] = [
  ["no id", { id: undefined }, /^id: nothing is not an id$/],
  ["an id of zero", { id: 0 }, /^id: 0 /],
  ["a broken id", { id: 1.5 }, /^id: 1\.5 /],
  ["an id beyond 2^53", { id: "9007199254740993" }, /^id: /],
  ["no start", { start: undefined }, /^start: /],
  ["a day that no calendar has", { start: "2026-02-30 10:00", end: null }, /2026-02-30/],
  ["an end that is no time", { end: "later" }, /later/],
  ["an end before the start", { end: "2026-06-30 10:00" }, /before/],
];
test.each(strict)("readEvent() refuses %s", (_, change, message) => {
  const result = read(change);
  expect(result).toMatchObject({ ok: false, failure: expect.stringMatching(message) });
});

test.each([null, 5, "text", []])("readEvent() refuses %j, which is no object", (value) => {
  expect(readEvent(value, about)).toMatchObject({ ok: false });
});

const writes: readonly (readonly [string, "create" | "update", Patch, object])[] = [
  [
    "a timed event",
    "create",
    { title: "Review", when: times("2026-07-01T10:00+02:00", "2026-07-01T11:00+02:00") },
    {
      title: "Review",
      start: "2026-07-01T10:00:00+02:00",
      end: "2026-07-01T11:00:00+02:00",
      all_day: false,
    },
  ],
  [
    "a timed event without an end",
    "create",
    { when: times("2026-07-01T10:00+02:00", null) },
    { start: "2026-07-01T10:00:00+02:00", all_day: false },
  ],
  [
    "a timed event without an end",
    "update",
    { when: times("2026-07-01T10:00+02:00", null) },
    { start: "2026-07-01T10:00:00+02:00", end: "2026-07-01T10:00:00+02:00", all_day: false },
  ],
  [
    "the second 02:30 of an autumn night",
    "update",
    { when: times("2026-10-25T02:30+01:00", "2026-10-25T03:30+01:00") },
    { start: "2026-10-25T02:30:00+01:00", end: "2026-10-25T03:30:00+01:00", all_day: false },
  ],
  [
    "one whole day",
    "create",
    { when: dates("2026-07-01", "2026-07-02") },
    { start: "2026-07-01", all_day: true },
  ],
  [
    "one whole day",
    "update",
    { when: dates("2026-07-01", "2026-07-02") },
    { start: "2026-07-01", end: "2026-07-01", all_day: true },
  ],
  [
    "three whole days",
    "create",
    { when: dates("2026-04-20", "2026-04-23") },
    { start: "2026-04-20", end: "2026-04-22", all_day: true },
  ],
  [
    "a milestone with a time and several days",
    "create",
    { milestone: true, when: times("2026-07-01T10:00+02:00", "2026-07-03T11:00+02:00") },
    { milestone: true, start: "2026-07-01", all_day: true },
  ],
  [
    "an event that becomes a milestone",
    "update",
    { milestone: true, when: dates("2026-07-01", "2026-07-04") },
    { milestone: true, start: "2026-07-01", end: "2026-07-01", all_day: true },
  ],
  ["unset fields", "create", { title: "x", description: null, reminder: null }, { title: "x" }],
  [
    "unset fields",
    "update",
    { description: null, reminder: null },
    { description: null, reminder: null },
  ],
  [
    "the other fields",
    "update",
    {
      reminder: Temporal.Duration.from({ hours: 1, minutes: 30 }),
      private: false,
      assigned: [personId(11)],
    },
    { reminder: 90, private: false, assigned: [11] },
  ],
  ["no completion", "update", { completed: true, title: "x" }, { title: "x" }],
];
test.each(writes)("writeEventBody() writes %s in %s", (_, mode, patch, body) => {
  expect(writeEventBody(patch, mode)).toEqual(body);
});
