import { describe, expect, it } from "vitest";
import { listId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import { feedPlaceOf, feedSpanOf, inWindow, windowAround } from "../../src/feeds/window.ts";
import { feedOptions } from "../support/feed-options.ts";
import { anEvent, aTask, days, times, zone } from "../support/items.ts";
import { viewOf } from "./rig.ts";

const today = Temporal.PlainDate.from("2026-11-20");
const on = (text: string) => Temporal.PlainDate.from(text);
const done = (text: string) => ({ completed: true, completedAt: Temporal.Instant.from(text) });

function isShown(item: Item, changes: Parameters<typeof feedOptions>[0] = {}): boolean {
  const options = feedOptions({
    past: Temporal.Duration.from("P10D"),
    future: Temporal.Duration.from("P20D"),
    ...changes,
  });
  const place = feedPlaceOf(item, options);
  if (!place) return false;
  const { days: shownOn } = feedSpanOf(viewOf(item), place, options.zone);
  return inWindow(shownOn, windowAround(today, options));
}

/** The date of a day counted from 1970. */
const dateOf = (day: number | null): string | undefined =>
  day === null ? undefined : on("1970-01-01").add({ days: day }).toString();

describe("the window around 2026-11-20, 10 days back and 20 ahead, in Berlin", () => {
  const cases: readonly (readonly [string, Item, boolean])[] = [
    ["the first day of the window", anEvent(1, { when: days("2026-11-10") }), true],
    ["the day before it", anEvent(1, { when: days("2026-11-09") }), false],
    ["an event that reaches into it", anEvent(1, { when: days("2026-11-01", "2026-11-10") }), true],
    ["an event that ends before it", anEvent(1, { when: days("2026-11-01", "2026-11-09") }), false],
    ["the last day of the window", anEvent(1, { when: days("2026-12-10") }), true],
    ["the day after it", anEvent(1, { when: days("2026-12-11") }), false],
    [
      "an event that starts in it and ends after it",
      anEvent(1, { when: days("2026-12-10", "2027-03-01") }),
      true,
    ],
    ["an event around all of it", anEvent(1, { when: days("2026-01-01", "2027-12-31") }), true],
    [
      "a time in the last minute of the last day",
      anEvent(1, { when: times("2026-12-10T23:59") }),
      true,
    ],
    ["a time in the first minute after it", anEvent(1, { when: times("2026-12-11T00:00") }), false],
    [
      "a time that ends at the midnight before it",
      anEvent(1, { when: times("2026-11-09T22:00", "2026-11-10T00:00") }),
      false,
    ],
    [
      "a time that ends a minute into it",
      anEvent(1, { when: times("2026-11-09T22:00", "2026-11-10T00:01") }),
      true,
    ],
    [
      "a time without end at 23:45 before it",
      anEvent(1, { when: times("2026-11-09T23:45") }),
      true,
    ],
    [
      "a time without end at 23:30 before it",
      anEvent(1, { when: times("2026-11-09T23:30") }),
      false,
    ],
    [
      "a time of another zone that is the last day in Berlin",
      anEvent(1, { when: times("2026-12-11T07:30", null, "Asia/Tokyo") }),
      true,
    ],
    [
      "a time of another zone that is the day after in Berlin",
      anEvent(1, { when: times("2026-12-10T18:30", null, "America/New_York") }),
      false,
    ],
    ["a milestone", anEvent(1, { milestone: true, when: days("2026-12-10") }), true],
    [
      "a completed milestone within 14 days of its day",
      anEvent(1, { milestone: true, completed: true, when: days("2026-11-10") }),
      true,
    ],
    [
      "a milestone that was completed early",
      anEvent(1, { milestone: true, completed: true, when: days("2026-12-01") }),
      true,
    ],
    [
      "an event that is no milestone but called completed",
      anEvent(1, { completed: true, when: days("2026-11-12") }),
      true,
    ],
    ["a task on the last day", aTask(1, { dueOn: on("2026-12-10") }), true],
    ["a task after it", aTask(1, { dueOn: on("2026-12-11") }), false],
    ["an overdue task before the window", aTask(1, { dueOn: on("2026-11-09") }), false],
    ["a task without dates", aTask(1, { dueOn: null }), false],
    ["a task with only a start", aTask(1, { dueOn: null, startOn: on("2026-11-21") }), true],
    ["a task completed on the first counted day", aTask(1, done("2026-11-05T23:00:00Z")), true],
    [
      "a task completed the evening before in Berlin",
      aTask(1, done("2026-11-05T22:59:59Z")),
      false,
    ],
    [
      "a task that is due today and was completed long ago",
      aTask(1, { ...done("2026-08-01T00:00:00Z"), dueOn: today }),
      false,
    ],
    ["a task that was completed just now, without a time", aTask(1, { completed: true }), false],
    ["a subtask", aTask(1, { kind: "subtask", listId: listId(3001) }), true],
  ];
  it.each(cases)("for an item that is %s", (_name, item, expected) => {
    expect(isShown(item, { completed: Temporal.Duration.from("P14D") })).toBe(expected);
  });

  it("uses the view's own change if a completion has no time yet", () => {
    const view = viewOf(aTask(1, { completed: true }), {
      modifiedAt: Temporal.Instant.from("2026-11-20T11:00:00Z"),
    });
    const place = days("2026-11-24");
    expect(dateOf(feedSpanOf(view, place, zone).days.doneOn)).toBe("2026-11-20");
  });

  it("keeps completed milestones for 5 days", () => {
    const milestone = anEvent(1, { milestone: true, completed: true, when: days("2026-11-14") });
    const completed = Temporal.Duration.from("P5D");
    expect(isShown(milestone, { completed })).toBe(false);
    expect(isShown({ ...milestone, when: days("2026-11-15") }, { completed })).toBe(true);
  });
});

describe("the span of a feed over clock changes", () => {
  it.each([
    ["Europe/Berlin", "2026-03-29T00:30", "2026-03-29T23:30", "2026-03-29", "2026-03-29"],
    ["Europe/Berlin", "2026-10-25T02:30", "2026-10-26T00:00", "2026-10-25", "2026-10-25"],
    // There is no midnight on this day: the clocks jump from 23:59 to 01:00.
    ["America/Sao_Paulo", "2018-11-03T22:00", "2018-11-04T01:00", "2018-11-03", "2018-11-03"],
    ["America/Sao_Paulo", "2018-11-03T22:00", "2018-11-04T01:01", "2018-11-03", "2018-11-04"],
    ["Pacific/Kiritimati", "2026-11-20T00:00", "2026-11-21T00:00", "2026-11-20", "2026-11-20"],
  ])("%s: %s to %s", (inZone, start, end, first, last) => {
    const place = times(start, end, inZone);
    const found = feedSpanOf(viewOf(anEvent(1, { when: place })), place, inZone).days;
    expect([dateOf(found.first), dateOf(found.last)]).toEqual([first, last]);
  });

  it("is right at the edges of the calendar", () => {
    const place = times("1969-12-31T23:30", "1970-01-01T00:00", "UTC");
    const { days: found, years } = feedSpanOf(viewOf(anEvent(1, { when: place })), place, "UTC");
    expect([found, years]).toEqual([
      { first: -1, last: -1, doneOn: null },
      { from: 1969, to: 1969 },
    ]);
    const early = times("0099-12-31T23:30", "0100-01-01T00:30", "UTC");
    const { days: longAgo, years: spanned } = feedSpanOf(
      viewOf(anEvent(1, { when: early })),
      early,
      "UTC",
    );
    expect([dateOf(longAgo.first), dateOf(longAgo.last), spanned]).toEqual([
      "0099-12-31",
      "0100-01-01",
      { from: 99, to: 100 },
    ]);
  });
});

describe("the place of a task in a feed", () => {
  const task = aTask(1, { startOn: on("2026-11-20"), dueOn: on("2026-11-24") });
  it.each([
    ["due", task, "2026-11-24", "2026-11-25"],
    ["span", task, "2026-11-20", "2026-11-25"],
    ["span", aTask(1, { startOn: null }), "2026-11-24", "2026-11-25"],
    ["span", aTask(1, { startOn: on("2026-12-01") }), "2026-11-24", "2026-11-25"],
    ["span", aTask(1, { startOn: on("2026-11-22"), dueOn: null }), "2026-11-22", "2026-11-23"],
    ["due", aTask(1, { startOn: on("2026-11-22"), dueOn: null }), "2026-11-22", "2026-11-23"],
  ] as const)("with tasks shown as %s", (tasks, item, start, end) => {
    const place = feedPlaceOf(item, feedOptions({ tasks }));
    expect(place?.kind).toBe("dates");
    expect([place?.start.toString(), place?.end?.toString()]).toEqual([start, end]);
  });

  it("is none if tasks are switched off", () => {
    expect(feedPlaceOf(task, feedOptions({ tasks: "none" }))).toBeNull();
    expect(feedPlaceOf(anEvent(1), feedOptions({ tasks: "none" }))).not.toBeNull();
  });

  it("feedPlaceOf() puts a milestone with times on its days", () => {
    const milestone = anEvent(1, {
      milestone: true,
      when: times("2026-11-23T00:00", "2026-11-24T23:59"),
    });
    const place = feedPlaceOf(milestone, feedOptions());
    expect([place?.kind, place?.start.toString(), place?.end?.toString()]).toEqual([
      "dates",
      "2026-11-23",
      "2026-11-25",
    ]);
  });
});
