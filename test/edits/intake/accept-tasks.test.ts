import { describe, expect, it } from "vitest";
import { labelId, listId, personId, serviceId } from "../../../src/domain/ids.ts";
import type { TaskItem } from "../../../src/domain/item.ts";
import { aTask } from "../../support/items.ts";
import {
  acceptRig,
  calendar,
  codes,
  type RigSetting,
  vevent,
  vtodo,
  wishes,
  withItem,
} from "../rig.ts";

const day = (text: string) => Temporal.PlainDate.from(text);

interface Case {
  readonly lines: readonly string[];
  readonly fields?: Partial<TaskItem>;
  readonly setting?: RigSetting;
}

function editedTodo({ lines, fields, setting }: Case) {
  const { rig, uid } = withItem(acceptRig(setting), aTask(601, { title: "Write", ...fields }));
  return rig.one(calendar(vtodo(uid, ...lines)));
}

function editedEvent({ lines, fields, setting }: Case) {
  const { rig, uid } = withItem(acceptRig(setting), aTask(601, { title: "Write", ...fields }));
  return rig.one(calendar(vevent(uid, ...lines)));
}

const both = { startOn: day("2026-11-20"), dueOn: day("2026-11-24") };
const span: RigSetting = { feeds: { tasks: "span" } };

describe("a task's to-do", () => {
  it.each<[string, Case, string, object]>([
    ["a title", { lines: ["SUMMARY:Rewrite"] }, "update", { title: "Rewrite" }],
    ["a due date", { lines: ["DUE;VALUE=DATE:20261130"] }, "update", { dueOn: "2026-11-30" }],
    [
      "both dates",
      { lines: ["DTSTART;VALUE=DATE:20261125", "DUE;VALUE=DATE:20261130"] },
      "update",
      { startOn: "2026-11-25", dueOn: "2026-11-30" },
    ],
    [
      "a day that is written as its midnight in UTC",
      { lines: ["DUE:20261129T230000Z"] },
      "update",
      { dueOn: "2026-11-30" },
    ],
    [
      "days that are written as their first and last second in another zone",
      {
        lines: [
          "DTSTART;TZID=America/New_York:20261125T000000",
          "DUE;TZID=America/New_York:20261130T235959",
        ],
      },
      "update",
      { startOn: "2026-11-25", dueOn: "2026-11-30" },
    ],
    [
      "a day that is written as its midnight anywhere",
      { lines: ["DUE:20261130T000000"] },
      "update",
      { dueOn: "2026-11-30" },
    ],
    ["completion", { lines: ["STATUS:COMPLETED"] }, "complete", { completed: true }],
    [
      "completion by its moment",
      { lines: ["COMPLETED:20261120T100000Z"] },
      "complete",
      { completed: true },
    ],
    ["completion by percent", { lines: ["PERCENT-COMPLETE:100"] }, "complete", { completed: true }],
    [
      "reopening, whatever else remained",
      { lines: ["STATUS:IN-PROCESS", "PERCENT-COMPLETE:100"], fields: { completed: true } },
      "reopen",
      { completed: false },
    ],
    [
      "labels by name, case apart",
      { lines: ["CATEGORIES:design,Print\\, web"] },
      "update",
      { labels: [51, 52] },
    ],
    [
      "fewer labels, and one without a name",
      { lines: ["CATEGORIES:QA"], fields: { labels: [labelId(51), labelId(53), labelId(99)] } },
      "update",
      { labels: [53, 99] },
    ],
    [
      "no labels",
      { lines: ["CATEGORIES:"], fields: { labels: [labelId(51)] } },
      "update",
      { labels: [] },
    ],
    [
      "a new label",
      { lines: ["CATEGORIES:Design,Brand new"], setting: { labels: "create" } },
      "update",
      { labels: [51, "Brand new"] },
    ],
    [
      "only a new label in addition",
      {
        lines: ["CATEGORIES:Design,Brand new"],
        fields: { labels: [labelId(51)] },
        setting: { labels: "create" },
      },
      "update",
      { labels: [51, "Brand new"] },
    ],
    ["people", { lines: ["ATTENDEE:mailto:ana@example.com"] }, "update", { assigned: [11] }],
  ])("sets %s", (_name, given, action, expected) => {
    const item = editedTodo(given);
    expect(item).toMatchObject({ action, kind: "task" });
    expect(wishes(item)).toEqual(expected);
  });

  it.each<[string, Case]>([
    ["nothing that it does not say", { lines: ["DTSTAMP:20261120T100000Z"], fields: both }],
    ["an open status of an open task", { lines: ["STATUS:IN-PROCESS", "PERCENT-COMPLETE:40"] }],
    [
      "a title without the mark of a feed",
      { lines: ["SUMMARY:Write"], fields: { completed: true } },
    ],
    [
      "the same labels in another order",
      { lines: ["CATEGORIES:QA,Design"], fields: { labels: [labelId(51), labelId(53)] } },
    ],
    [
      "dates that the workspace holds upside down",
      {
        lines: ["DTSTART;VALUE=DATE:20261201"],
        fields: { startOn: day("2026-12-01"), dueOn: day("2026-11-24") },
      },
    ],
  ])("is unchanged by %s", (_name, given) => {
    expect(editedTodo(given).action).toBe("unchanged");
  });

  it.each<[string, Case, string]>([
    ["a due time", { lines: ["DUE:20261130T100000Z"] }, "task-time"],
    ["a start time", { lines: ["DTSTART:20261130T100000Z"] }, "task-time"],
    ["a midnight elsewhere", { lines: ["DUE:20261130T000000Z"] }, "task-time"],
    [
      "a due date before the start",
      { lines: ["DUE;VALUE=DATE:20261101"], fields: both },
      "due-before-start",
    ],
    ["an unknown label", { lines: ["CATEGORIES:Brand new"] }, "unknown-label"],
  ])("refuses %s", (_name, given, code) => {
    const item = editedTodo(given);
    expect(item.action).toBe("refused");
    expect(codes(item)).toEqual([code]);
  });

  it.each<[string, Case]>([
    [
      "a reminder",
      { lines: ["SUMMARY:New", "BEGIN:VALARM", "TRIGGER:-PT5M", "ACTION:DISPLAY", "END:VALARM"] },
    ],
    ["a class", { lines: ["SUMMARY:New", "CLASS:PRIVATE"] }],
    ["a parent", { lines: ["SUMMARY:New", "RELATED-TO:other@example.com"] }],
    ["a priority", { lines: ["SUMMARY:New", "PRIORITY:1"] }],
  ])("accepts and says that %s cannot be kept", (_name, given) => {
    const item = editedTodo(given);
    expect(item.action).toBe("update");
    expect(codes(item)).toEqual(["not-stored"]);
  });

  it("is unchanged by naming the parent it has", () => {
    const rig = acceptRig();
    const parent = rig.put(aTask(600));
    const uid = rig.put(aTask(601, { kind: "subtask", parentId: serviceId(600) }));
    const item = rig.one(calendar(vtodo(uid, `RELATED-TO:${parent}`)));
    expect(item).toMatchObject({ kind: "subtask", action: "unchanged", problems: [] });
  });
});

describe("a task's feed item", () => {
  it.each<[string, Case, object]>([
    [
      "moves the due date and keeps the start",
      { lines: ["DTSTART;VALUE=DATE:20261130", "DTEND;VALUE=DATE:20261201"], fields: both },
      { dueOn: "2026-11-30" },
    ],
    [
      "moves the due date without DTEND",
      { lines: ["DTSTART;VALUE=DATE:20261130"] },
      { dueOn: "2026-11-30" },
    ],
    [
      "moves the start where it stands by that",
      {
        lines: ["DTSTART;VALUE=DATE:20261130"],
        fields: { startOn: day("2026-11-20"), dueOn: null },
      },
      { startOn: "2026-11-30" },
    ],
    [
      "sets a due date where there was no date",
      { lines: ["DTSTART;VALUE=DATE:20261130"], fields: { dueOn: null } },
      { dueOn: "2026-11-30" },
    ],
    ["is done by its mark", { lines: ["SUMMARY:✓ Write"] }, { completed: true }],
    [
      "is reopened by its mark",
      { lines: ["SUMMARY:Write"], fields: { completed: true } },
      { completed: false },
    ],
    ["is done by STATUS", { lines: ["STATUS:COMPLETED"] }, { completed: true }],
    [
      "span: moves both",
      { lines: ["DTSTART;VALUE=DATE:20261121"], fields: both, setting: span },
      { startOn: "2026-11-21", dueOn: "2026-11-25" },
    ],
    [
      "span: moves the first day",
      {
        lines: ["DTSTART;VALUE=DATE:20261118", "DTEND;VALUE=DATE:20261125"],
        fields: both,
        setting: span,
      },
      { startOn: "2026-11-18" },
    ],
    [
      "span: moves the last day",
      {
        lines: ["DTSTART;VALUE=DATE:20261120", "DTEND;VALUE=DATE:20261127"],
        fields: both,
        setting: span,
      },
      { dueOn: "2026-11-26" },
    ],
    [
      "span: one day of one date",
      { lines: ["DTSTART;VALUE=DATE:20261126"], setting: span },
      { dueOn: "2026-11-26" },
    ],
    [
      "span: several days of one date",
      { lines: ["DTSTART;VALUE=DATE:20261126", "DTEND;VALUE=DATE:20261128"], setting: span },
      { startOn: "2026-11-26", dueOn: "2026-11-27" },
    ],
  ])("%s", (_name, given, expected) => {
    expect(wishes(editedEvent(given))).toEqual(expected);
  });

  it.each<[string, Case, string]>([
    ["a time of day", { lines: ["DTSTART:20261130T100000Z"] }, "task-time"],
    [
      "several days",
      { lines: ["DTSTART;VALUE=DATE:20261124", "DTEND;VALUE=DATE:20261127"] },
      "task-days",
    ],
  ])("refuses %s", (_name, given, code) => {
    expect(codes(editedEvent(given))).toEqual([code]);
  });

  it("is accepted with a note that a reminder cannot be stored", () => {
    const lines = [
      "SUMMARY:New",
      "DTSTART;VALUE=DATE:20261124",
      "BEGIN:VALARM",
      "TRIGGER:-PT5M",
      "END:VALARM",
    ];
    const item = editedEvent({ lines });
    expect(item.action).toBe("update");
    expect(codes(item)).toEqual(["not-stored"]);
  });

  it("is unchanged by the busy sign of a private list", () => {
    const fields = { listId: listId(3002), assigned: [personId(11)] };
    const lines = ["SUMMARY:Busy", "CLASS:PRIVATE", "DTSTART;VALUE=DATE:20261124"];
    expect(editedEvent({ lines, fields })).toMatchObject({ action: "unchanged", problems: [] });
  });
});
