import { describe, expect, it } from "vitest";
import { listId, projectId } from "../../src/domain/ids.ts";
import { Importance } from "../../src/sync/importance.ts";
import { aTask } from "../support/items.ts";

const project = projectId(7);
const list = {
  name: "tasks:1",
  source: { kind: "tasks", projectId: project, listId: listId(1) },
  days: null,
} as const;
const now = Temporal.Instant.from("2026-05-10T10:00:00Z").epochMilliseconds / 1000;
const hour = 3600;
const due = (on: string) => ({
  ...aTask(1),
  dueOn: Temporal.PlainDate.from(on),
  completedAt: null,
});

describe("the weight of a source", () => {
  it("is 1 if nothing is known, and least for names of labels", () => {
    const importance = new Importance();
    expect(importance.weightOf(list, now)).toBe(1);
    const labels = { name: "labels", source: { kind: "labels" }, days: null } as const;
    expect(importance.weightOf(labels, now)).toBe(0.5);
  });

  it("grows as a date comes nearer", () => {
    const importance = new Importance();
    expect(importance.knowsDates(list.name)).toBe(false);
    importance.noteDates(list.name, { items: [due("2026-05-14"), due("2020-01-01")], now });
    expect(importance.knowsDates(list.name)).toBe(true);
    const later = (days: number) => importance.weightOf(list, now + days * 24 * hour);
    expect([later(-9), later(0), later(3), later(4), later(5), later(6)]).toEqual([
      1, 1.2, 1.5, 1.5, 1.5, 1,
    ]);
    importance.noteDates(list.name, { items: [due("2026-05-10")], now });
    expect(importance.weightOf(list, now)).toBe(1.5);
    importance.forget(list.name);
    expect(importance.weightOf(list, now)).toBe(1);
    expect(importance.weightOf({ ...list, days: 1 }, now)).toBe(1.5);
  });

  it("ignores completed items", () => {
    const importance = new Importance();
    const done = { ...due("2026-05-10"), completedAt: Temporal.Instant.from("2026-05-09T10:00Z") };
    importance.noteDates(list.name, { items: [done], now });
    expect(importance.weightOf(list, now)).toBe(1);
  });

  it("rises for a while when someone has read the project or edited here", () => {
    const importance = new Importance();
    expect(importance.noteReading(project, now)).toBe(true);
    expect(importance.noteReading(project, now + 5)).toBe(false);
    expect(importance.noteReading(project, now + 90)).toBe(false);
    const weight = (seconds: number) => importance.weightOf(list, now + seconds);
    expect([weight(100), weight(3 * hour), weight(30 * hour)]).toEqual([1.6, 1.2, 1]);
    expect(importance.noteReading(project, now + 4 * hour)).toBe(true);
    importance.noteEdit(list.name, now + 4 * hour);
    expect(weight(4 * hour + 60)).toBeCloseTo(1.6 * 1.3);
    importance.noteDates(list.name, { items: [due("2026-05-10")], now });
    expect(weight(4 * hour + 60)).toBeCloseTo(1.6 * 1.3 * 1.5);
    expect(weight(4 * hour + 60)).toBeLessThanOrEqual(4);
  });
});
