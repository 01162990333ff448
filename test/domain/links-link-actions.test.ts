import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { feedId, itemKey } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import { patchToPlain } from "../../src/domain/plain-item.ts";
import {
  createLinkSigner,
  dayOf,
  type LinkAction,
  linkActions,
  linkPatch,
  linkUntil,
  makeLinks,
  offeredActions,
} from "../../src/domain/signed-links.ts";
import { anEvent, aTask, days, times } from "../support/items.ts";

const day = (text: string) => Temporal.PlainDate.from(text);
const milestone = anEvent(1, { milestone: true, when: days("2026-11-12") });
const long = anEvent(1, { milestone: true, when: days("2026-12-30", "2026-12-31") });
const timed = anEvent(1, { milestone: true, when: times("2026-11-12T09:00") });
const due = aTask(2, { startOn: day("2026-11-10"), dueOn: day("2026-11-12") });
const started = aTask(2, { startOn: day("2027-02-28"), dueOn: null });
const dateless = aTask(2, { startOn: null, dueOn: null });
const subtask = aTask(2, { kind: "subtask", dueOn: day("2028-02-28") });

it.each([
  ["an event", anEvent(1), []],
  ["a completed event that is no milestone", anEvent(1, { completed: true }), []],
  ["a milestone", milestone, ["done", "day", "week"]],
  ["a milestone with a time of day", timed, ["done"]],
  ["a completed milestone", { ...milestone, completed: true }, ["reopen"]],
  ["a task", due, ["done", "day", "week"]],
  ["a task without dates", dateless, ["done"]],
  ["a completed task", { ...due, completed: true }, ["reopen"]],
  ["a subtask", subtask, ["done", "day", "week"]],
])("actions offered for an item that is %s", (_what, item, expected) => {
  expect(offeredActions(item)).toEqual(expected);
});

describe("the patch of a link", () => {
  it.each<[string, Item, LinkAction, object]>([
    ["a task", due, "done", { completed: true }],
    ["a completed task", { ...due, completed: true }, "reopen", { completed: false }],
    ["a task with a due date", due, "day", { dueOn: "2026-11-13" }],
    ["a task with a start date alone", started, "day", { startOn: "2027-03-01" }],
    ["a subtask before a leap day", subtask, "day", { dueOn: "2028-02-29" }],
    ["a task", due, "week", { dueOn: "2026-11-19" }],
    ["a milestone", milestone, "week", { when: { startOn: "2026-11-19", endOn: "2026-11-20" } }],
    ["a long milestone", long, "day", { when: { startOn: "2026-12-31", endOn: "2027-01-02" } }],
  ])("for %s (%#)", (_what, item, action, expected) => {
    const patch = linkPatch(item, action);
    expect(patch && patchToPlain(patch)).toEqual(expected);
  });

  it("is null if the action is not offered", () => {
    for (const item of [anEvent(1), milestone, timed, due, dateless, { ...due, completed: true }]) {
      for (const action of linkActions) {
        const offered = offeredActions(item).includes(action);
        expect(linkPatch(item, action) !== null).toBe(offered);
      }
    }
  });
});

it.each([
  ["9998-12-24", ["done", "day", "week"]],
  ["9998-12-30", ["done", "day"]],
  ["9998-12-31", ["done"]],
])("actions offered at the end of time for an item due on %s", (dueOn, expected) => {
  expect(offeredActions({ ...due, dueOn: day(dueOn) })).toEqual(expected);
});

it.each([
  [due, "2026-11-12"],
  [started, "2027-02-28"],
  [long, "2026-12-30"],
  [dateless, undefined],
  [timed, undefined],
])("the day of an item, case %#", (item, expected) => {
  expect(dayOf(item)?.toString()).toBe(expected);
});

describe("the validity of a link", () => {
  it.each([
    ["2026-01-01", "2026-06-30"],
    ["2026-03-31", "2026-06-30"],
    ["2026-04-01", "2026-09-30"],
    ["2026-09-30", "2026-12-31"],
    ["2026-11-21", "2027-03-31"],
    ["2026-12-31", "2027-03-31"],
    ["2028-02-29", "2028-06-30"],
  ])("for %s", (today, until) => {
    expect(linkUntil(day(today)).toString()).toBe(until);
  });

  it("is 90 to 183 days on any day, and constant within a quarter", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30_000 }), (count) => {
        const today = day("2000-01-01").add({ days: count });
        const until = linkUntil(today);
        const length = today.until(until, { largestUnit: "days" }).days;
        expect(length).toBeGreaterThanOrEqual(90);
        expect(length).toBeLessThanOrEqual(183);
        const tomorrow = today.add({ days: 1 });
        const sameQuarter = Math.ceil(today.month / 3) === Math.ceil(tomorrow.month / 3);
        expect(linkUntil(tomorrow).equals(until)).toBe(sameQuarter);
      }),
    );
  });
});

it("links name every offered action, with addresses short enough for a calendar", () => {
  const signer = createLinkSigner(createHash("sha256").update("key").digest());
  const address = "https://a-rather-long-name.of-a-department.of-a-company.example.com/calendar";
  const claim = {
    item: itemKey(123_456_789),
    feed: feedId(4321),
    feedVersion: 77,
    until: day("2027-03-31"),
  };
  const links = makeLinks({ signer, address }, { item: due, claim });
  expect(links.map(({ label }) => label)).toEqual(["Done", "+1 day", "+1 week"]);
  for (const { url } of links) {
    expect(url.length).toBeLessThan(200);
    const read = signer.read(url.slice(`${address}/act/`.length));
    expect(read).toMatchObject({ item: claim.item, feed: claim.feed, feedVersion: 77 });
  }
  expect(
    makeLinks({ signer, address }, { item: { ...due, completed: true }, claim }),
  ).toMatchObject([{ label: "Open again" }]);
});
