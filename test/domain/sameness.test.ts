import type { When } from "@dayferry/ical";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelId, listId, personId, projectId } from "../../src/domain/ids.ts";
import { type Item, milestoneCategory } from "../../src/domain/item.ts";
import {
  applyPatch,
  fieldsOf,
  type Patch,
  type PatchField,
  patchFields,
  pick,
  valuesOf,
} from "../../src/domain/patch.ts";
import { sameDescription, sameText, sameWhen } from "../../src/domain/same-values.ts";
import {
  changedFields,
  differingFields,
  isMilestoneCategory,
  looksAlike,
  missingFields,
  nameKey,
  sameCreation,
  sameShown,
  sameStored,
  sharedFields,
} from "../../src/domain/sameness.ts";
import { anEvent as anAnswer, aTask as aTaskAnswer, dates, days, times } from "../support/items.ts";
import { anEvent, aTask } from "./items.ts";

const minutes = (count: number) => Temporal.Duration.from({ minutes: count });
const length = (text: string) => Temporal.Duration.from(text);
const day = (text: string) => Temporal.PlainDate.from(text);
const place = (project: number, list: number | null): Patch => ({
  place: { projectId: projectId(project), listId: list === null ? null : listId(list) },
});
const people = (...ids: readonly number[]): Patch => ({ assigned: ids.map(personId) });
const labels = (...ids: readonly number[]): Patch => ({ labels: ids.map(labelId) });
const title = (text: string): Patch => ({ title: text });
const description = (text: string | null): Patch => ({ description: text });
const noon = times("2026-11-24T12:00", "2026-11-24T13:00");
const oneDay = dates("2026-11-24", "2026-11-25");

/** How far two values of a field are the same: as stored (and so as shown), only as shown, or not. */
type Degree = "stored" | "shown" | "no";

const cases: readonly (readonly [PatchField, string, Patch, Patch, Degree])[] = [
  ["title", "the same letters", title("A"), title("A"), "stored"],
  ["title", "another case", title("A"), title("a"), "no"],
  ["title", "white space at the ends", title(" A\t"), title("A"), "shown"],
  ["title", "an accent apart from its letter", title("e\u0301"), title("é"), "shown"],
  ["title", "another kind of space", title("a\u00a0b"), title("a b"), "shown"],
  ["title", "two spaces for one", title("a  b"), title("a b"), "no"],
  ["title", "nothing said", title("A"), {}, "no"],
  ["description", "none and an empty one", description(null), description(""), "shown"],
  ["description", "other line ends", description("a\r\nb\r\n"), description("a\nb"), "shown"],
  [
    "description",
    "HTML and its text",
    description("<p>a</p><p>b</p>"),
    description("a\n\nb"),
    "shown",
  ],
  [
    "description",
    "HTML with other line breaks",
    description("<p>a b</p>"),
    description("<div>a<br>b</div>"),
    "shown",
  ],
  [
    "description",
    "plain text with other line breaks",
    description("a b"),
    description("a\nb"),
    "no",
  ],
  ["description", "other words in HTML", description("<p>a</p>"), description("<p>b</p>"), "no"],
  ["description", "none and nothing said", description(null), {}, "no"],
  ["completed", "nothing said", { completed: true }, {}, "no"],
  ["milestone", "the same", { milestone: true }, { milestone: true }, "stored"],
  ["private", "the opposite", { private: true }, { private: false }, "no"],
  [
    "when",
    "another zone and no end",
    { when: times("2026-01-01T10:00", null) },
    { when: times("2026-01-01T09:00", null, "UTC") },
    "stored",
  ],
  ["when", "nothing said", { when: times("2026-01-01T10:00", null) }, {}, "no"],
  ["when", "nothing said by either", {}, {}, "stored"],
  [
    "reminder",
    "hours for minutes",
    { reminder: minutes(60) },
    { reminder: length("PT1H") },
    "stored",
  ],
  [
    "reminder",
    "weeks for minutes",
    { reminder: length("P1W") },
    { reminder: minutes(10_080) },
    "stored",
  ],
  ["reminder", "seconds", { reminder: length("PT90S") }, { reminder: minutes(2) }, "stored"],
  ["reminder", "at the start and none", { reminder: minutes(0) }, { reminder: null }, "no"],
  ["reminder", "none and nothing said", { reminder: null }, {}, "no"],
  ["estimated", "a minute more", { estimated: minutes(60) }, { estimated: minutes(61) }, "no"],
  [
    "startOn",
    "the same day",
    { startOn: day("2026-01-01") },
    { startOn: day("2026-01-01") },
    "stored",
  ],
  ["startOn", "none and nothing said", { startOn: null }, {}, "no"],
  ["dueOn", "a day and none", { dueOn: day("2026-01-01") }, { dueOn: null }, "no"],
  ["dueOn", "none and none", { dueOn: null }, { dueOn: null }, "stored"],
  ["assigned", "another order, one twice", people(1, 2), people(2, 1, 1), "stored"],
  ["assigned", "nobody and nothing said", people(), {}, "no"],
  ["labels", "another label", labels(1), labels(12), "no"],
  ["place", "project and list", place(2002, 3009), place(2002, 3009), "stored"],
  ["place", "another list", place(2002, 3009), place(2002, 3001), "no"],
  ["place", "another project", place(2002, 3009), place(2001, 3009), "no"],
  ["place", "a list and none", place(2002, 3009), place(2002, null), "no"],
];

describe("stored and shown values are the same", () => {
  it.each(cases)("for the %s: %s", (field, _difference, a, b, degree) => {
    const [stored, shown] = [degree === "stored", degree !== "no"];
    expect([sameStored(field, a, b), sameShown(field, a, b)]).toEqual([stored, shown]);
    expect([sameStored(field, b, a), sameShown(field, b, a)]).toEqual([stored, shown]);
  });

  it("for every field of a patch and itself", () => {
    fc.assert(
      fc.property(patches, (patch) => {
        expect(patchFields.every((field) => sameStored(field, patch, patch))).toBe(true);
        expect(patchFields.every((field) => sameShown(field, patch, patch))).toBe(true);
      }),
    );
  });
});

it.each<[string, When, When, boolean]>([
  ["the zone differs", noon, times("2026-11-24T11:00", "2026-11-24T12:00", "UTC"), true],
  ["only seconds differ", noon, times("2026-11-24T12:00:40", "2026-11-24T13:00:01"), true],
  ["the start differs", noon, times("2026-11-24T12:01", "2026-11-24T13:00"), false],
  ["the end differs", noon, times("2026-11-24T12:00", "2026-11-24T13:01"), false],
  [
    "an offset has seconds in one zone only",
    times("1850-01-01T10:00", "1850-01-01T11:00", "Europe/Paris"),
    times("1850-01-01T09:50:39", "1850-01-01T10:50:39", "UTC"),
    true,
  ],
  ["one has no end", noon, times("2026-11-24T12:00", null), false],
  ["none has an end", times("2026-11-24T12:00", null), times("2026-11-24T12:00", null), true],
  ["one is of whole days", noon, oneDay, false],
  ["days agree", oneDay, dates("2026-11-24", "2026-11-25"), true],
  ["last days differ", oneDay, dates("2026-11-24", "2026-11-26"), false],
  ["first days differ", dates("2026-11-23", "2026-11-25"), oneDay, false],
])("times are the same when %s", (_name, a, b, expected) => {
  expect(sameWhen(a, b)).toBe(expected);
  expect(sameWhen(b, a)).toBe(expected);
});

it.each([
  ["a", "a", true],
  ["a\r\nb \n\n", "a\nb", true],
  ["e\u0301", "é", true],
  ["a\u00a0b\u202fc", "a b c", true],
  ["a", "b", false],
  ["a b", "a  b", false],
  [" a", "a", false],
  ["a\n\nb", "a\nb", false],
])("texts %j and %j are the same: %s", (a, b, expected) => {
  expect(sameText(a, b)).toBe(expected);
});

it.each([
  ["  a\n", "a", true],
  ["<p>a</p>", "a", true],
  ["<p>a\n b</p>", "a b", true],
  ["<b>a</b>", "<b>a</b>\n", true],
  ["a", null, false],
])("descriptions %j and %j are the same: %s", (a, b, expected) => {
  expect(sameDescription(a, b)).toBe(expected);
});

describe("names", () => {
  it.each([
    ["Größe", " GRO\u0308ßE ", true],
    ["a b", "a\nb", true],
    ["a b", "ab", false],
  ])("%j and %j are the same: %s", (a, b, expected) => {
    expect(nameKey(a) === nameKey(b)).toBe(expected);
  });

  it("recognize the category of a milestone", () => {
    expect([milestoneCategory, " MILESTONE", "Milestones"].map(isMilestoneCategory)).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe("missing fields", () => {
  it.each<[string, Patch, Item]>([
    [
      "trimmed text",
      { title: " A  ", description: "b\n" },
      anAnswer(1, { title: "A", description: "b" }),
    ],
    ["<br> for line ends", { description: "a\nb" }, anAnswer(1, { description: "a<br>b" })],
    [
      "paragraphs for lines",
      { description: "a\nb" },
      anAnswer(1, { description: "<p>a</p><p>b</p>" }),
    ],
    ["an empty text for none", { description: null }, anAnswer(1, { description: "" })],
    [
      "cut seconds",
      { when: times("2026-11-23T10:00:30", null) },
      anAnswer(1, { when: times("2026-11-23T10:00", null) }),
    ],
    ["another order", people(2, 1), anAnswer(1, { assigned: [personId(1), personId(2)] })],
    [
      "the first day of a milestone",
      { milestone: true, when: days("2026-11-23", "2026-11-25") },
      anAnswer(1, { milestone: true, when: days("2026-11-23") }),
    ],
  ])("are none if the service writes %s", (_name, wish, answer) => {
    expect(missingFields(wish, answer)).toEqual([]);
  });

  it.each<[string, Patch, Item]>([
    ["title", { title: "A" }, anAnswer(1, { title: "B" })],
    ["description", { description: "a b" }, anAnswer(1, { description: "a\nb" })],
    ["description", { description: "a" }, anAnswer(1, { description: "<p>b</p>" })],
    ["when", { when: days("2026-11-23") }, anAnswer(1, { when: days("2026-11-24") })],
    ["completed", { completed: true }, aTaskAnswer(1)],
    ["assigned", { assigned: [personId(1)] }, aTaskAnswer(1)],
    ["dueOn", { dueOn: null }, aTaskAnswer(1)],
    ["reminder", { reminder: null }, anAnswer(1, { reminder: minutes(5) })],
  ])("include %s if it was not stored", (field, wish, answer) => {
    expect(missingFields(wish, answer)).toEqual([field]);
  });
});

it("differing fields are those of the other side with another value", () => {
  const base = { title: "A", dueOn: null };
  expect(differingFields(base, { title: "B", dueOn: null })).toEqual(["title"]);
  expect(differingFields(base, base)).toEqual([]);
});

describe("changed fields", () => {
  it("contain only what the wish changes", () => {
    const base: Patch = { title: "A", dueOn: day("2026-01-01"), assigned: [personId(1)] };
    const wish: Patch = { title: "B", dueOn: day("2026-01-01"), assigned: [personId(1)] };
    expect(changedFields(base, wish)).toEqual({ title: "B" });
  });

  it("are none if nothing is wished, whatever the base", () => {
    expect(changedFields({ title: "A" }, {})).toEqual({});
  });

  it("turn the item into the wish and nothing else", () => {
    fc.assert(
      fc.property(patches, fc.boolean(), (wish, isEvent) => {
        const item = isEvent ? anEvent() : aTask();
        const has = fieldsOf(valuesOf(item));
        const own = pick(
          wish,
          fieldsOf(wish).filter((field) => has.includes(field)),
        );
        const changed = changedFields(valuesOf(item), own);
        const after = valuesOf(applyPatch(item, changed));
        for (const field of has) {
          const expected = own[field] === undefined ? valuesOf(item) : own;
          expect(sameStored(field, after, expected), field).toBe(true);
        }
        expect(changedFields(after, own)).toEqual({});
      }),
    );
  });
});

describe("likeness", () => {
  const party = { title: "Party", when: days("2026-12-24") };
  const wished = anAnswer(1, { ...party, description: "Bring cake" });

  it("counts shared fields, and treats a milestone as its first day", () => {
    expect(sharedFields(anAnswer(9, party), wished)).toBe(2);
    const long = anAnswer(1, {
      ...party,
      milestone: true,
      when: days("2026-12-24", "2026-12-27"),
    });
    expect(looksAlike(anAnswer(9, { ...party, milestone: true }), long)).toBe(true);
  });

  it.each([
    ["A & B", "A &amp; B", true],
    ["A  & B ", "A & B", true],
    ["A &lt; B", "A < B", true],
    ["A & B", "A & C", false],
  ])("treats %j and %j as one title: %s", (ours, theirs, isAlike) => {
    const [one, other] = [ours, theirs].map((title) => anAnswer(1, { ...party, title }));
    expect(one && other && looksAlike(one, other)).toBe(isAlike);
    const dated = other && { ...other, when: days("2026-12-31") };
    expect(one && dated && sharedFields(one, dated)).toBe(isAlike ? 1 : 0);
  });
});

it("creations are the same only if both have a stamp", () => {
  const [stamped, other] = [anEvent(), anEvent({ title: "Moved" })];
  const unknown = anEvent({ createdAt: null });
  expect(sameCreation(stamped, other)).toBe(true);
  expect(sameCreation(stamped, unknown)).toBe(false);
  expect(sameCreation(unknown, unknown)).toBe(false);
});

/** Any patch, with values that often coincide. */
const patches: fc.Arbitrary<Patch> = fc.record(
  {
    title: fc.constantFrom("A", "B"),
    description: fc.constantFrom(null, "", "text"),
    when: fc.constantFrom(dates("2026-01-01", "2026-01-02"), times("2026-01-01T10:00", null)),
    reminder: fc.constantFrom(null, minutes(0), minutes(30)),
    milestone: fc.boolean(),
    private: fc.boolean(),
    completed: fc.boolean(),
    assigned: fc.uniqueArray(fc.constantFrom(personId(1), personId(2), personId(3))),
    labels: fc.uniqueArray(fc.constantFrom(labelId(1), labelId(2))),
    startOn: fc.constantFrom(null, day("2026-01-01"), day("2026-01-02")),
    dueOn: fc.constantFrom(null, day("2026-01-01"), day("2026-01-02")),
    estimated: fc.constantFrom(null, minutes(30), minutes(60)),
  },
  { requiredKeys: [] },
);
