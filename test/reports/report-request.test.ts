import { atOnce } from "@dayferry/event-loop";
import { describe, expect, it } from "vitest";
import { labelId, serviceId } from "../../src/domain/ids.ts";
import { aLabel, anEvent, aProject, aTask, days } from "../support/items.ts";
import { fill, readEverything, reportRig } from "./rig.ts";

describe("buildReport()", () => {
  it("names every wrong argument with the reason", () => {
    const rig = reportRig();
    fill(rig);
    rig.store.directory.putProjects([aProject(2003, "website")], false);
    const wrong: readonly [string, Parameters<typeof rig.ask>[1], string][] = [
      ["agenda", { project: "9" }, '--project "9": nothing has that id or name'],
      [
        "agenda",
        { project: "Website" },
        "2 have that name: Website (2001), website (2003); use the id",
      ],
      ["agenda", { project: "fair" }, "Did you mean Trade | fair (2002)?"],
      ["agenda", { project: "Tarde" }, "Did you mean Trade | fair (2002)?"],
      ["agenda", { from: "2026-13-01" }, '--from "2026-13-01": it must be a date'],
      ["agenda", { from: "2026-12-01", to: "2026-11-01" }, "is after --to 2026-11-01"],
      ["agenda", { asOf: "yesterday" }, '--as-of "yesterday": it must be a date'],
      ["agenda", { asOf: "2027-01-01" }, "that is in the future"],
      ["agenda", { since: "1" }, "--since: the report agenda cannot be narrowed by it"],
      ["files", { label: "5" }, "--label: the report files cannot be narrowed by it"],
      ["changes", { since: "long ago" }, '--since "long ago": it must be a revision'],
    ];
    for (const [name, request, message] of wrong) {
      expect(rig.ask(name, request)).toMatchObject({
        failure: { kind: "usage", message: expect.stringContaining(message) },
      });
    }
    const many = rig.ask("agenda", { project: "9", from: "x", to: "y" });
    expect(many.ok ? "" : many.failure.message.split("\n")).toHaveLength(3);
    expect(rig.ask("agendas")).toMatchObject({
      failure: { kind: "unknown", message: expect.stringContaining("agenda, overdue, workload") },
    });
  });

  it("accepts the unambiguous beginning of a name", () => {
    const rig = reportRig();
    fill(rig);
    const of = (project: string) => rig.ask("agenda", { project });
    expect(of("trade")).toEqual(of("2002"));
    expect(of("tra").ok).toBe(true);
    rig.store.directory.putProjects([aProject(2004, "Training")], false);
    expect(of("tra")).toMatchObject({
      failure: {
        message:
          '--project "tra": 2 begin with that: Trade | fair (2002), Training (2004); use the id',
      },
    });
  });

  it("prefers the existing bearer of a reused name", () => {
    const rig = reportRig();
    rig.put(aTask(1, { labels: [labelId(7)] }));
    rig.store.directory.putLabels([aLabel(6, "Later"), aLabel(7, "Urgent")], true);
    expect(rig.rows("labels", { label: "urgent" })).toMatchObject([{ label_id: 7, items: 1 }]);
    expect(rig.rows("labels", { label: "5" })).toEqual([]);
  });

  it("gives the first rows up to the limit, and how many there are", () => {
    const rig = reportRig();
    fill(rig);
    const { rows, notes } = rig.report("items", { limit: 2 });
    expect(rows).toHaveLength(2);
    expect(notes).toEqual(["These are the first 2 of 7 rows."]);
  });
});

describe("--as-of", () => {
  it("shows the workspace as it was at a past time", () => {
    const rig = reportRig();
    fill(rig);
    readEverything(rig);
    const titles = (asOf: string | null) =>
      rig.rows("items", { asOf }).map(({ title, last_on: on }) => `${title} ${on}`);
    const before = titles(null);
    rig.clock.set("2026-11-22T09:00:00Z");
    rig.put(aTask(2, { title: "Next month", dueOn: Temporal.PlainDate.from("2026-12-25") }));
    rig.put(aTask(77, { title: "New" }));
    const gone = rig.store.mirror.find("task", serviceId(1));
    if (gone) rig.store.mirror.bury(gone);
    expect(titles(null)).toContain("Next month 2026-12-25");
    expect(titles(null).join()).not.toContain("Late one");
    expect(titles("2026-11-21T20:00:00Z").toSorted()).toEqual(before.toSorted());
    expect(rig.rows("overdue", { asOf: "2026-11-21" })).toMatchObject([
      { title: "Late one", days_late: 11 },
    ]);
    // Every reading of the past gives what the present gave then.
    expect(rig.report("hours", { asOf: "2026-11-21" }).rows).toHaveLength(4);
    expect(rig.rows("slippage", { asOf: "2026-11-21" })).toEqual([]);
    expect(rig.rows("slippage")).toMatchObject([{ title: "Next month" }]);
    expect(titles("2026-11-22")).toEqual(titles(null));
  });

  it("refuses a time before the first complete one, and names that", () => {
    const rig = reportRig();
    rig.put(anEvent(1));
    const asOf = (text: string) => rig.ask("agenda", { asOf: text });
    expect(asOf("2026-11-21T12:00:00Z")).toMatchObject({
      failure: { kind: "usage", message: expect.stringContaining("not been read as a whole yet") },
    });
    rig.clock.advance({ minutes: 5 });
    readEverything(rig);
    expect(asOf("2026-11-21T12:04:00Z")).toMatchObject({
      failure: {
        message: expect.stringContaining("known from 2026-11-21 13:05:00 (Europe/Berlin) on"),
      },
    });
    expect(asOf("2026-11-21T12:05:00Z").ok).toBe(true);
    // Later readings do not move the first one.
    rig.clock.advance({ hours: 30 });
    readEverything(rig);
    expect(asOf("2026-11-21T12:05:00Z").ok).toBe(true);
    expect(asOf("2026-11-21T12:04:00Z").ok).toBe(false);
    expect(asOf("2026-11-20")).toMatchObject({
      failure: {
        message: expect.stringMatching(
          /^--as-of 2026-11-20: everything is known from [-\d]{10} [:\d]{8} \(\S+\) on/,
        ),
      },
    });
  });

  it("shows every later time unchanged after old versions were forgotten", () => {
    const rig = reportRig();
    readEverything(rig);
    const put = (day: string) =>
      rig.put(anEvent(1, { title: day, when: days(day), milestone: true }));
    put("2026-11-23");
    for (const day of ["2026-11-24", "2026-11-25", "2026-11-26"]) {
      rig.clock.advance({ hours: 24 });
      put(day);
    }
    atOnce(rig.store.pastEdits.prune(Temporal.Instant.from("2026-11-23T00:00:00Z")));
    const then = (asOf: string) => rig.rows("milestones", { asOf }).map(({ title }) => title);
    expect(then("2026-11-23T00:00:00Z")).toEqual(["2026-11-24"]);
    expect(then("2026-11-23T13:00:00Z")).toEqual(["2026-11-25"]);
    expect(rig.ask("milestones", { asOf: "2026-11-21T18:00:00Z" })).toMatchObject({
      failure: {
        message: expect.stringContaining("known from 2026-11-22 13:00:00 (Europe/Berlin) on"),
      },
    });
  });
});
