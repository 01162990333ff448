import { describe, expect, it } from "vitest";
import type { Item } from "../../../src/domain/item.ts";
import { patchToPlain } from "../../../src/domain/plain-item.ts";
import {
  fieldsOfItem,
  type ItemFields,
  readItemFields,
} from "../../../src/edits/forms/item-fields.ts";
import { anEvent, aTask, days, times, zone } from "../../support/items.ts";

const zones = { reader: "America/New_York", account: zone };
const call = anEvent(1, { title: "Release call" });
const task = aTask(2, { estimated: Temporal.Duration.from({ minutes: 90 }) });

const read = (given: ItemFields, shown: Item = call) => readItemFields(given, shown, zones);
const wished = (given: ItemFields, shown: Item = call) => {
  const patch = read(given, shown);
  return patch.ok ? patchToPlain(patch.value) : patch.failure;
};

describe("fields shown in a form", () => {
  it("show times in the reader's time zone", () => {
    expect(fieldsOfItem(call, zones.reader)).toMatchObject({
      allDay: "",
      startOn: "2026-11-23",
      startAt: "04:00",
      endOn: "2026-11-23",
      endAt: "05:00",
    });
  });

  it("show the last day of an all-day event, not the day after", () => {
    const fair = anEvent(3, { when: days("2026-11-23", "2026-11-25") });
    expect(fieldsOfItem(fair, zones.reader)).toMatchObject({
      allDay: "yes",
      startOn: "2026-11-23",
      endOn: "2026-11-25",
    });
  });
});

describe("fields read from a form", () => {
  it.each<[string, Item]>([
    ["an event", call],
    ["an event without an end", anEvent(4, { when: times("2026-11-23T10:00") })],
    ["whole days", anEvent(5, { when: days("2026-11-23", "2026-11-25") })],
    ["formatted text", anEvent(6, { description: "<p>Bring <b>cake</b></p>\n<p>and tea</p>" })],
    ["a task", task],
  ])("change nothing if %s comes back as it was shown", (_what, item) => {
    expect(wished(fieldsOfItem(item, zones.reader), item)).toEqual({});
  });

  it("change nothing if only the browser's line endings differ", () => {
    const noted = anEvent(7, { description: "one\ntwo" });
    expect(wished({ description: "one\r\ntwo\r\n" }, noted)).toEqual({});
  });

  it("are read in the reader's time zone and stored in the account's", () => {
    const { startAt, endAt } = { startAt: "06:00", endAt: "07:30" };
    expect(wished({ startAt, endAt })).toEqual({
      when: { startAt: "2026-11-23T11:00:00Z", endAt: "2026-11-23T12:30:00Z" },
    });
  });

  it.each<[string, ItemFields, Item, object]>([
    [
      "whole days",
      { allDay: "yes", endOn: "2026-11-24" },
      call,
      { when: { startOn: "2026-11-23", endOn: "2026-11-25" } },
    ],
    ["no end", { endAt: "" }, call, { when: { startAt: "2026-11-23T09:00:00Z", endAt: null } }],
    ["a reminder", { reminder: "15" }, call, { reminder: 15 }],
    [
      "no description",
      { description: " " },
      anEvent(8, { description: "x" }),
      { description: null },
    ],
    ["people", { assigned: ["12", "11"] }, call, { assigned: [11, 12] }],
    ["labels", { labels: ["51"] }, task, { labels: [51] }],
    ["another due day", { dueOn: "2026-12-01" }, task, { dueOn: "2026-12-01" }],
    ["no due day", { dueOn: "" }, task, { dueOn: null }],
    ["no estimate", { estimated: "" }, task, { estimated: null }],
    ["a task that is done", { completed: "yes" }, task, { completed: true }],
    ["a title without blanks around it", { title: " Launch " }, call, { title: "Launch" }],
  ])("include %s", (_what, given, shown, wish) => {
    expect(wished(given, shown)).toEqual(wish);
  });

  it.each<[string, ItemFields, Item, string, RegExp]>([
    ["no day", { startOn: "" }, call, "startOn", /start day is required/],
    ["an impossible day", { startOn: "2026-02-30" }, call, "startOn", /no day 2026-02-30/],
    ["a day in other words", { dueOn: "tomorrow" }, task, "dueOn", /"tomorrow" is not a day/],
    ["no clock", { startAt: "" }, call, "startAt", /time of day is required/],
    ["a clock beyond the day", { startAt: "24:30" }, call, "startAt", /"24:30" is not a time/],
    ["an end before the start", { endAt: "03:00" }, call, "endAt", /before it starts/],
    ["an end on the day before", { endOn: "2026-11-22" }, call, "endOn", /before it starts/],
    [
      "a clock that is passed over",
      { startOn: "2026-03-08", startAt: "02:30", endOn: "2026-03-08", endAt: "" },
      call,
      "startAt",
      /no 02:30 on 2026-03-08 in America\/New_York/,
    ],
    ["a reminder in words", { reminder: "soon" }, call, "reminder", /"soon" is not a whole number/],
    ["an invalid person", { assigned: ["x"] }, call, "assigned", /"x" is not a person/],
    ["an invalid label", { labels: ["0"] }, task, "labels", /"0" is not a label/],
  ])("name the field and the reason for %s", (_what, given, shown, field, reason) => {
    const result = read(given, shown);
    expect(result).toMatchObject({ ok: false, failure: [{ field }] });
    expect(result.ok ? "" : result.failure[0]?.message).toMatch(reason);
  });

  it("name every field that cannot be read", () => {
    const result = read({ reminder: "soon", startOn: "never" });
    expect(result.ok ? [] : result.failure.map(({ field }) => field)).toEqual([
      "reminder",
      "startOn",
    ]);
  });

  it("ignore fields that this kind of item does not have", () => {
    expect(wished({ dueOn: "2026-12-01", labels: ["51"] }, call)).toEqual({});
    expect(wished({ startAt: "10:00", milestone: "yes" }, task)).toEqual({});
  });
});
