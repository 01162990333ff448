import { describe, expect, it } from "vitest";
import { labelId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import { anEvent, aProject, aTask, days, times } from "../support/items.ts";
import { readBack } from "../support/read-back.ts";
import { byTitle, feedRig } from "./rig.ts";

describe("a feed, read by other programs", () => {
  it("has every kind of item", () => {
    const { put, text } = feedRig();
    put(anEvent(1, { title: "Kick-off", reminder: Temporal.Duration.from("PT15M") }));
    put(anEvent(2, { title: "No end", when: times("2026-07-01T09:00") }));
    put(anEvent(3, { title: "Fair", when: days("2026-12-01", "2026-12-03") }));
    put(anEvent(4, { title: "Launch", milestone: true, when: days("2026-12-24") }));
    put(aTask(1, { title: "Draft", labels: [labelId(51), labelId(52)], assigned: [personId(12)] }));
    put(
      aTask(2, {
        kind: "subtask",
        parentId: serviceId(1),
        title: "Part",
        completed: true,
        completedAt: Temporal.Instant.from("2026-11-19T10:00:00Z"),
      }),
    );
    put(aTask(3, { title: "Undated", dueOn: null }));
    const read = byTitle(text());
    // "No end" is longer ago than 90 days.
    expect([...read.keys()]).toEqual(["Kick-off", "✓ Part", "Draft", "Fair", "◆ Launch"]);
    expect(read.get("Kick-off")).toMatchObject({
      start: "2026-11-23T09:00:00Z",
      end: "2026-11-23T10:00:00Z",
      alarm: 15,
      transparent: false,
    });
    expect(read.get("Fair")).toMatchObject({
      start: "2026-12-01",
      end: "2026-12-04",
      transparent: true,
      alarm: null,
    });
    expect(read.get("◆ Launch")).toMatchObject({
      start: "2026-12-24",
      end: "2026-12-25",
      categories: ["Milestone"],
    });
    expect(read.get("Draft")).toMatchObject({
      start: "2026-11-24",
      end: "2026-11-25",
      categories: ["Design", "Print, web"],
      url: "https://work.example.com/#/2001/task/1",
    });
    expect(read.get("Draft")?.description).toContain("Assigned: Björn");
  });

  it("has right times around clock changes", () => {
    const { put, text } = feedRig();
    put(anEvent(1, { title: "winter", when: times("2026-10-26T09:00", "2026-10-26T10:00") }));
    put(anEvent(2, { title: "summer", when: times("2027-03-28T09:00", "2027-03-28T10:00") }));
    put(anEvent(3, { title: "night", when: times("2027-03-27T23:00", "2027-03-28T04:00") }));
    const read = byTitle(text());
    expect(read.get("winter")?.start).toBe("2026-10-26T08:00:00Z");
    expect(read.get("summer")?.start).toBe("2027-03-28T07:00:00Z");
    expect(read.get("night")).toMatchObject({
      start: "2027-03-27T22:00:00Z",
      end: "2027-03-28T02:00:00Z",
    });
    expect(text()).toContain("TZID:Europe/Berlin");
  });

  it("has the second pass of a repeated hour", () => {
    const { put, text } = feedRig();
    const start = Temporal.ZonedDateTime.from("2026-10-25T02:30:00+01:00[Europe/Berlin]");
    put(
      anEvent(1, { title: "second", when: { kind: "times", start, end: start.add({ hours: 1 }) } }),
    );
    expect(byTitle(text()).get("second")?.start).toBe("2026-10-25T01:30:00Z");
  });

  it("without items is a calendar with its name and no time zone", () => {
    const { text } = feedRig();
    expect(readBack(text()).size).toBe(0);
    expect(text()).toContain("X-WR-CALNAME:Website\r\n");
    expect(text()).not.toContain("VTIMEZONE");
  });

  it("of a deleted project keeps its last items", () => {
    const { put, text, store, feeds, head } = feedRig();
    put(anEvent(1));
    const before = head().etag;
    store.directory.putProjects([aProject(2002, "Trade fair")], true);
    feeds.ensure();
    expect(readBack(text()).size).toBe(1);
    expect(head().etag).toBe(before);
  });

  it("loses the tasks of a todolist that leaves its project", () => {
    const { put, text } = feedRig();
    put(aTask(1));
    expect(readBack(text()).size).toBe(1);
    put(aTask(1, { projectId: projectId(2002) }));
    expect(readBack(text()).size).toBe(0);
    expect(readBack(text(2002)).size).toBe(1);
    put(aTask(1));
    expect(readBack(text()).size).toBe(1);
    expect(readBack(text(2002)).size).toBe(0);
  });
});
