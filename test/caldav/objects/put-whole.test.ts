import type { When } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { labelId, personId } from "../../../src/domain/ids.ts";
import type { Item } from "../../../src/domain/item.ts";
import { vevent, vtodo } from "../../edits/rig.ts";
import { anEvent, aTask, days, times, zone } from "../../support/items.ts";
import { chore, milestones, objectRig, tasks, uidOf, withMember } from "./object-rig.ts";

// A program that names its edited version sends the whole object: what it omits of that version is removed.

const day = (text: string) => Temporal.PlainDate.from(text);
const openEnded: When = {
  kind: "times",
  start: day("2026-11-23").toZonedDateTime({ timeZone: zone, plainTime: "10:00" }),
  end: null,
};
const fullTask = aTask(601, {
  description: "Two pages",
  startOn: day("2026-11-20"),
  labels: [labelId(51), labelId(99)],
  completed: true,
  percent: 100,
  assigned: [personId(12)],
});
const fullEvent = anEvent(501, {
  description: "Notes",
  when: times("2026-11-23T10:00", "2026-11-23T12:00"),
  reminder: Temporal.Duration.from({ minutes: 15 }),
  private: true,
  creatorId: personId(11),
  assigned: [personId(12)],
});

type Rig = ReturnType<typeof objectRig>;

/** The text without the lines that match one of these patterns; components go with all their lines. */
const without = (text: string, pattern: RegExp): string =>
  text
    .replace(pattern.source.includes("VALARM") ? /BEGIN:VALARM[\s\S]*END:VALARM\r\n/ : "", "")
    .split("\r\n")
    .filter((line) => !pattern.test(line))
    .join("\r\n");

function putWhole(rig: Rig, path: string, pattern: RegExp) {
  const body = without(rig.text(path), pattern);
  return rig.ask("PUT", path, { body, headers: { "if-match": rig.etag(path) } });
}

const cases: readonly (readonly [string, Item, RegExp, object])[] = [
  ["a task's DESCRIPTION", fullTask, /^DESCRIPTION/, { description: null }],
  ["a task's DTSTART", fullTask, /^DTSTART/, { startOn: null }],
  ["a task's DUE", fullTask, /^DUE/, { dueOn: null }],
  ["a task's CATEGORIES but for labels without a name", fullTask, /^CATEGORIES/, { labels: [99] }],
  [
    "what says that a task is completed",
    fullTask,
    /^(STATUS|COMPLETED|PERCENT)/,
    { completed: false, percent: 0 },
  ],
  ["a task's SUMMARY", fullTask, /^SUMMARY/, { title: "(untitled)" }],
  ["an event's DESCRIPTION", fullEvent, /^DESCRIPTION/, { description: null }],
  ["an event's VALARM", fullEvent, /^VALARM/, { reminder: null }],
  ["an event's CLASS", fullEvent, /^CLASS/, { private: false }],
  ["an event's DTEND", fullEvent, /^DTEND/, { when: openEnded }],
  [
    "the DTEND of whole days",
    anEvent(502, { when: days("2026-12-01", "2026-12-04") }),
    /^DTEND/,
    { when: days("2026-12-01") },
  ],
  [
    "the CATEGORIES of a milestone",
    anEvent(503, { when: days("2026-12-01"), milestone: true }),
    /^CATEGORIES/,
    { milestone: false },
  ],
];

describe("a PUT that names the present version", () => {
  it.each(cases)("clears %s, and returns the ETag of its octets", (_name, item, line, expected) => {
    const { rig, path } = withMember(
      objectRig(),
      item.id === null ? fullTask : { ...item, id: item.id },
    );
    const before = rig.itemOf(uidOf(path));
    const answer = putWhole(rig, path, line);
    expect(answer).toMatchObject({ status: 204, headers: { ETag: rig.etag(path) } });
    expect(rig.itemOf(uidOf(path))).toEqual({ ...before, ...expected });
    expect(rig.edits()).toHaveLength(1);
  });

  it.each(cases)("keeps %s if it names no version, or any", (_name, item, line) => {
    const { rig, path } = withMember(
      objectRig(),
      item.id === null ? fullTask : { ...item, id: item.id },
    );
    const before = rig.itemOf(uidOf(path));
    for (const more of [{}, { "if-match": "*" }]) {
      const body = without(rig.text(path), line);
      expect(rig.ask("PUT", path, { body, headers: more }).status).toBe(204);
    }
    expect(rig.itemOf(uidOf(path))).toEqual(before);
  });

  it("may name it beside others, without quotes, or in an If header", () => {
    for (const condition of [
      (etag: string) => ({ "if-match": `"a", ${etag}` }),
      (etag: string) => ({ "if-match": etag.replaceAll('"', "") }),
      (etag: string) => ({ if: `([${etag}])` }),
    ]) {
      const { rig, path } = withMember(objectRig(), fullTask);
      const body = without(rig.text(path), /^DESCRIPTION/);
      const named = condition(rig.etag(path));
      expect(rig.ask("PUT", path, { body, headers: named }).status).toBe(204);
      expect(rig.itemOf(uidOf(path))).toMatchObject({ description: null });
    }
  });

  it("removes what the service cannot store as well", () => {
    const rig = objectRig();
    const path = `${tasks}/c.ics`;
    const more = ["PRIORITY:1", "LOCATION:Kitchen", "X-FOO:1", "BEGIN:VALARM", "ACTION:DISPLAY"];
    rig.put(path, chore(...more, "TRIGGER:-PT5M", "DESCRIPTION:x", "END:VALARM"));
    const answer = rig.put(path, chore(), { "if-match": rig.etag(path) });
    expect(answer.headers?.["ETag"]).toBe(rig.etag(path));
    expect(rig.text(path)).not.toMatch(/PRIORITY|LOCATION|X-FOO|VALARM/);
  });

  it("removes an alarm that is replaced by one that cannot be stored", () => {
    const { rig, path } = withMember(objectRig(), fullEvent);
    const body = rig.text(path).replace(/TRIGGER[^\r]*/, "TRIGGER;RELATED=END:PT5M");
    const named = { "if-match": rig.etag(path) };
    expect(rig.ask("PUT", path, { body, headers: named }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ reminder: null });
  });

  it("removes only people it could name", () => {
    const rig = objectRig();
    const path = `${tasks}/c.ics`;
    rig.put(path, chore("ATTENDEE:mailto:ana@example.com"));
    expect(rig.itemOf("chore@example.com")).toMatchObject({ assigned: [11] });
    rig.put(path, chore(), { "if-match": rig.etag(path) });
    expect(rig.itemOf("chore@example.com")).toMatchObject({ assigned: [] });
  });

  it("refers to the version with the pending edit", () => {
    const { rig, path } = withMember(objectRig(), aTask(601));
    rig.put(path, vtodo(uidOf(path), "SUMMARY:Task 601", "DESCRIPTION:New"));
    expect(rig.itemOf(uidOf(path))).toMatchObject({ description: "New" });
    putWhole(rig, path, /^DESCRIPTION/);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ description: null });
  });

  it("clears nothing that it was not shown", () => {
    const { rig, path } = withMember(
      objectRig(),
      aTask(601, { description: "<br>", labels: [labelId(99)] }),
    );
    const before = rig.itemOf(uidOf(path));
    expect(rig.text(path)).not.toMatch(/DESCRIPTION|CATEGORIES/);
    putWhole(rig, path, /^DESCRIPTION|^CATEGORIES/);
    expect(rig.itemOf(uidOf(path))).toEqual(before);
  });

  it("leaves a subtask below its task, since the service cannot move it", () => {
    const rig = objectRig();
    rig.member(aTask(601));
    const path = rig.member({ ...aTask(602), kind: "subtask", parentId: aTask(601).id });
    expect(rig.text(path)).toContain("RELATED-TO");
    expect(putWhole(rig, path, /^RELATED-TO/)).toEqual({ status: 204 });
    expect(rig.itemOf(uidOf(path))).toMatchObject({ kind: "subtask" });
    expect(rig.text(path)).toContain("RELATED-TO");
  });

  it("reopens a milestone if its to-do no longer states a status", () => {
    const rig = objectRig();
    const done = { when: days("2026-12-01"), milestone: true, completed: true };
    const uid = uidOf(rig.member(anEvent(501, done)));
    putWhole(rig, `${milestones}/${uid}.ics`, /^(STATUS|COMPLETED|PERCENT)/);
    expect(rig.itemOf(uid)).toMatchObject({ milestone: true, completed: false });
  });
});

it("keeps the duration of an event without a zone for its end", () => {
  const { rig, path } = withMember(objectRig(), anEvent(501, { when: openEnded }));
  const small = vevent(
    uidOf(path),
    "SUMMARY:Event 501",
    "DTSTART;TZID=Europe/Berlin:20261123T100000",
  );
  expect(rig.put(path, small, { "if-match": rig.etag(path) }).headers?.["ETag"]).toBe(
    rig.etag(path),
  );
  expect(rig.edits()).toEqual([]);
});
