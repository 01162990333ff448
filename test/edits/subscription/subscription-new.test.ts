import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { zone } from "../../../packages/ical/test/files.ts";
import { createCalendarReader } from "../../../src/ics/read/calendar-reader.ts";
import { anEvent, aTask } from "../../support/items.ts";
import { vevent, vtodo, withItem } from "../rig.ts";
import { review, subscriptionRig, usual } from "./subscription-rig.ts";

describe("a new item in a subscribed calendar", () => {
  const dentist = vevent("new@example.com", "SUMMARY:Dentist", ...usual);

  it("is never created if new items are ignored", async () => {
    const rig = await subscriptionRig();
    await rig.shows(vevent("old@x", "SUMMARY:Old", ...usual));
    await rig.shows(vevent("old@x", "SUMMARY:Old", ...usual), dentist);
    await rig.shows(
      vevent("old@x", "SUMMARY:Older", ...usual),
      dentist.replace("Dentist", "Doctor"),
    );
    expect(rig.edits()).toEqual([]);
  });

  it("is created once, and its later changes are edits", async () => {
    const rig = await subscriptionRig({ options: { new: "create" } });
    await rig.shows(vevent("old@x", "SUMMARY:Old", ...usual));
    const old = vevent("old@x", "SUMMARY:Older", ...usual);
    await rig.shows(old, dentist, vtodo("todo@x", "SUMMARY:To do"));
    await rig.again();
    await rig.shows(old, dentist.replace("Dentist", "Doctor"));
    expect(rig.wishes()).toEqual(["create Dentist", "update Dentist"]);
    expect(rig.edits()[0]?.base).toMatchObject({ projectId: 2001 });
  });

  it.each<[string, readonly string[], string]>([
    ["a bad line", [vevent("bad@x", "SUMMARY:Bad", "oops", ...usual)], "Bad"],
    ["an alarm without END", [vevent("bad@x", "SUMMARY:Bad", ...usual, "BEGIN:VALARM")], "Bad"],
    ["a UID twice", [vevent("bad@x", "SUMMARY:Bad"), vevent("bad@x", "SUMMARY:Other")], "Bad"],
    ["text outside of an item", ["oops"], "oops"],
    ["a second calendar", ["END:VCALENDAR\r\nBEGIN:VCALENDAR\r\nVERSION:2.0"], ""],
  ])("with %s is named in a note, and the others are followed", async (_what, odd, noted) => {
    const rig = await subscriptionRig({ options: { new: "create", gone: "delete" } });
    const old = vevent("old@x", "SUMMARY:Old", ...usual);
    await rig.shows(old);
    for (let round = 0; round < 3; round++) await rig.shows(...odd, old, dentist);
    expect(rig.wishes()).toEqual(["create Dentist"]);
    expect(rig.state()).toMatchObject({ state: "watched", problem: null });
    expect(rig.state().notes.join()).toContain(noted);
    await rig.shows(old, dentist, vevent("bad@x", "SUMMARY:Mended", ...usual));
    expect(rig.wishes()).toEqual(["create Dentist", "create Mended"]);
  });

  it("is created from a long calendar like from a short one", async () => {
    const reader = createCalendarReader({ zone, pause: nextTurn });
    const rig = await subscriptionRig({ options: { new: "create" }, deps: { reader } });
    const old = Array.from({ length: 900 }, (_, at) =>
      vevent(`old-${at}@x`, "SUMMARY:Old", "DESCRIPTION:Nothing of interest", ...usual),
    );
    await rig.shows(...old);
    await rig.again();
    await rig.shows(...old, dentist);
    expect(rig.items()).toHaveLength(901);
    expect(rig.wishes()).toEqual(["create Dentist"]);
  });

  it("is noted but not created if it repeats, or is a task without a place", async () => {
    const rig = await subscriptionRig({ options: { new: "create" } });
    await rig.shows(vevent("old@x", "SUMMARY:Old", ...usual));
    await rig.shows(
      vevent("weekly@x", "SUMMARY:Weekly", ...usual, "RRULE:FREQ=WEEKLY"),
      vtodo("todo@x", "SUMMARY:To do"),
    );
    expect(rig.edits()).toEqual([]);
    expect(rig.state().notes).toEqual([
      expect.stringMatching(/^"To do": a new task needs a todolist/),
      'Skipped: 1 repeating item: "Weekly"',
    ]);
  });

  it("is noted but not created if the service cannot store a time", async () => {
    const { rig, uid } = withItem(
      await subscriptionRig({ options: { new: "create" } }),
      anEvent(1, review),
    );
    await rig.shows(vevent(uid, "SUMMARY:Review", ...usual));
    await rig.shows(
      vevent(uid, "SUMMARY:Review", "DTSTART:20261025T013000Z", "DTEND:20261025T023000Z"),
      vevent("late@x", "SUMMARY:Late", "DTSTART:20261025T013000Z"),
    );
    expect(rig.edits()).toEqual([]);
    expect(rig.state().notes).toEqual([
      expect.stringMatching(/^"Review": the start, 2026-10-25T01:30Z, is the second/),
      expect.stringMatching(/^"Late": the start, 2026-10-25T01:30Z, is the second/),
    ]);
  });

  it.each([
    ["an event", () => anEvent(1, review), usual],
    [
      "a task",
      () => aTask(7, { title: "Review", dueOn: Temporal.PlainDate.from("2026-11-24") }),
      ["DTSTART;VALUE=DATE:20261124"],
    ],
  ])(
    "is noted but not created if it is a copy of %s under another UID",
    async (_what, made, dated) => {
      const rig = await subscriptionRig({ options: { new: "create" } });
      rig.put(made());
      await rig.shows(vevent("old@x", "SUMMARY:Old", ...usual));
      await rig.shows(vevent("copy@x", "SUMMARY:✓ Review", ...dated), vevent("none@x", ...usual));
      expect(rig.edits()).toEqual([]);
      expect(rig.state().notes[0]).toBe(
        '"✓ Review": an item with this title and time already exists',
      );
    },
  );
});
