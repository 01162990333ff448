import { describe, expect, it } from "vitest";
import { fieldsOf } from "../../../src/domain/merge.ts";
import { anEvent, aTask, days, times } from "../../support/items.ts";
import { vevent, vtodo } from "../rig.ts";
import { subscriptionRig } from "./subscription-rig.ts";

const review = { title: "Review", when: times("2026-11-23T10:00", "2026-11-23T11:00") };
const at = (start: string, end: string) => [
  `DTSTART;TZID=Europe/Berlin:${start}`,
  `DTEND;TZID=Europe/Berlin:${end}`,
];
const usual = at("20261123T100000", "20261123T110000");

describe("createSubscription()", () => {
  it("step() result when the calendar is read for the first time: a baseline, no edit, however it differs", async () => {
    const rig = await subscriptionRig({ options: { new: "create", gone: "delete" } });
    const uid = rig.put(anEvent(1, review));
    await rig.shows(
      vevent(uid, "SUMMARY:Quite another title", ...usual),
      vevent("private@example.com", "SUMMARY:Dentist", "DTSTART:20261124T080000Z"),
      vevent(
        "weekly@example.com",
        "SUMMARY:Choir",
        "DTSTART:20261124T180000Z",
        "RRULE:FREQ=WEEKLY",
      ),
    );
    expect(rig.edits()).toEqual([]);
    expect(rig.state()).toMatchObject({
      state: "watched",
      items: 3,
      problem: null,
      notes: ["1 repeating item: left aside"],
    });
    expect(
      rig
        .items()
        .map(({ knownAs }) => knownAs)
        .filter((known) => known !== null),
    ).toEqual([uid]);
    expect(rig.events).toEqual([{ kind: "began", name: "Ana's calendar", items: 3 }]);
  });

  it("step() result when a known item is changed there: an edit of the changed fields, by its person, against what the calendar had shown", async () => {
    const rig = await subscriptionRig();
    const uid = rig.put(anEvent(1, review));
    await rig.shows(vevent(uid, "SUMMARY:Review", "DESCRIPTION:Old", ...usual));
    await rig.shows(
      vevent(uid, "SUMMARY:Review", "DESCRIPTION:Old", ...at("20261123T140000", "20261123T150000")),
    );
    const [edit, ...others] = rig.edits();
    expect(others).toEqual([]);
    expect(edit).toMatchObject({ channel: "subscription", actor: 11, action: "update" });
    expect(edit && fieldsOf(edit.patch)).toEqual(["when"]);
    expect(edit?.base).toMatchObject({ title: "Review", description: "Old" });
    expect(rig.events.at(-1)).toEqual({ kind: "changed", name: "Ana's calendar", edits: 1 });
    expect(rig.woken()).toBe(1);
  });

  it("step() result when the calendar is behind the workspace: the base is what it showed, so that the merge can tell", async () => {
    const rig = await subscriptionRig();
    const uid = rig.put(anEvent(1, review));
    await rig.shows(vevent(uid, "SUMMARY:Review", ...usual));
    rig.put(anEvent(1, { ...review, title: "Review II", description: "Agenda" }));
    await rig.shows(vevent(uid, "SUMMARY:Review of Ana", ...usual));
    expect(rig.edits()).toMatchObject([
      { base: { title: "Review", description: "Agenda" }, patch: { title: "Review of Ana" } },
    ]);
  });

  it("step() result when only stamps change: nothing", async () => {
    const rig = await subscriptionRig();
    const uid = rig.put(anEvent(1, review));
    const stamped = (stamp: string, sequence: number) =>
      vevent(
        uid,
        `DTSTAMP:${stamp}`,
        `LAST-MODIFIED:${stamp}`,
        `SEQUENCE:${sequence}`,
        "SUMMARY:Mine",
        ...usual,
      );
    await rig.shows(stamped("20261120T120000Z", 0));
    await rig.shows(stamped("20261120T130000Z", 4));
    await rig.shows(
      stamped("20261120T140000Z", 9).replace(
        "Europe/Berlin:20261123T100000",
        "Africa/Tunis:20261123T100000",
      ),
    );
    expect(rig.edits()).toEqual([]);
    expect(rig.items()[0]?.shown).toContain("SEQUENCE:9");
    expect(rig.items()[0]?.shown).not.toContain("DTSTAMP");
  });

  it("step() result when something was odd before and still is: only what was changed counts", async () => {
    const rig = await subscriptionRig();
    const uid = rig.put(aTask(7, { title: "Write" }));
    const shown = (title: string) =>
      vevent(
        uid,
        `SUMMARY:${title}`,
        "DTSTART;VALUE=DATE:20261124",
        "CATEGORIES:Red category",
        "LOCATION:Room 5",
        "BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT15M\r\nEND:VALARM",
      );
    await rig.shows(shown("Write"));
    await rig.shows(shown("Write it"));
    expect(rig.edits()).toMatchObject([{ patch: { title: "Write it" } }]);
    expect(rig.state().notes).toEqual([]);
  });

  it("step() result when a change cannot be taken over: a note for people, and the rest goes on", async () => {
    const rig = await subscriptionRig();
    const task = rig.put(aTask(7, { title: "Write" }));
    const event = rig.put(anEvent(1, review));
    const day = "DTSTART;VALUE=DATE:20261124";
    await rig.shows(vevent(task, "SUMMARY:Write", day), vevent(event, "SUMMARY:Review", ...usual));
    await rig.shows(
      vevent(task, "SUMMARY:Write", "DTSTART:20261124T090000Z"),
      vevent(event, "SUMMARY:Renamed", ...usual),
    );
    expect(rig.wishes()).toEqual(["update Review"]);
    expect(rig.state().notes).toEqual([
      '"Write": a task cannot have a time of day, such as 2026-11-24T09:00',
    ]);
    await rig.again();
    expect(rig.state().notes).toHaveLength(1);
    expect(rig.edits()).toHaveLength(1);
  });

  it("step() result when a known item begins to repeat, and stops again: skipped with a note, later compared with what was understood", async () => {
    const rig = await subscriptionRig();
    const uid = rig.put(anEvent(1, review));
    await rig.shows(vevent(uid, "SUMMARY:Review", ...usual));
    await rig.shows(vevent(uid, "SUMMARY:Review", ...usual, "RRULE:FREQ=WEEKLY"));
    expect(rig.edits()).toEqual([]);
    expect(rig.state().notes[0]).toMatch(/^"Review": RRULE .*no repeating items/);
    await rig.shows(vevent(uid, "SUMMARY:Review once", ...usual));
    expect(rig.edits()).toMatchObject([{ patch: { title: "Review once" } }]);
  });

  it("step() result when an item is no longer in the workspace: the change is noted as refused", async () => {
    const rig = await subscriptionRig();
    const uid = rig.put(anEvent(1, review));
    await rig.shows(vevent(uid, "SUMMARY:Review", ...usual));
    rig.store.mirror.bury(rig.store.mirror.findUid(uid)?.item ?? fail());
    await rig.shows(vevent(uid, "SUMMARY:Still wanted", ...usual));
    expect(rig.edits()).toEqual([]);
    expect(rig.state().notes[0]).toContain("no longer in the workspace");
  });

  it("step() result when the project is not known: nothing is taken, and the change is not lost", async () => {
    const rig = await subscriptionRig();
    const uid = rig.put(anEvent(1, review));
    await rig.shows(vevent(uid, "SUMMARY:Review", ...usual));
    const projects = rig.store.directory.projects();
    rig.store.directory.putProjects([], true);
    await rig.shows(vevent(uid, "SUMMARY:Changed", ...usual));
    expect(rig.state()).toMatchObject({
      state: "failing",
      problem: "there is no project 2001 in the workspace",
    });
    rig.store.directory.putProjects(projects, true);
    await rig.again();
    expect(rig.edits()).toMatchObject([{ patch: { title: "Changed" } }]);
  });

  it("step() result when one item stands there under two UIDs: one of them is followed", async () => {
    const rig = await subscriptionRig();
    const uid = rig.put(anEvent(1, review));
    await rig.shows(vevent(uid, "SUMMARY:Review", ...usual));
    await rig.shows(vevent("other@x", "SUMMARY:Review", ...usual));
    await rig.shows(
      vevent("other@x", "SUMMARY:By one", ...usual),
      vevent(uid, "SUMMARY:By another", ...usual),
    );
    expect(rig.wishes()).toEqual(["update Review"]);
    expect(rig.edits()).toMatchObject([{ patch: { title: "By one" } }]);
    expect(rig.state().notes).toEqual([
      '"By another": the calendar has it twice; only one of them is followed',
    ]);
  });
});

describe("createSubscription() with a calendar that repeats what was published", () => {
  const fields = (title: string, sequence: number, stamp: string) => [
    `SUMMARY:${title}`,
    `SEQUENCE:${sequence}`,
    `LAST-MODIFIED:${stamp}`,
    ...usual,
  ];

  async function threeVersions() {
    const rig = await subscriptionRig();
    const uid = rig.put(anEvent(1, { ...review, title: "One" }));
    await rig.shows(vevent(uid, ...fields("One", 0, "20261120T120000Z")));
    for (const title of ["Two", "Three"]) rig.put(anEvent(1, { ...review, title }));
    return { ...rig, uid };
  }

  it("step() result when it follows hours behind, or jumps back to a stale copy: no edits", async () => {
    const { uid, ...rig } = await threeVersions();
    await rig.shows(vevent(uid, ...fields("Two", 1, "20261120T130000Z")));
    await rig.shows(vevent(uid, ...fields("One", 0, "20261120T120000Z")));
    await rig.shows(vevent(uid, ...fields("Three", 2, "20261120T140000Z")));
    await rig.shows(vevent(uid, ...fields("Two", 1, "20261120T130000Z")));
    expect(rig.edits()).toEqual([]);
  });

  it("step() result when its feed decorates and completes: no edits", async () => {
    const rig = await subscriptionRig();
    rig.put(
      anEvent(1, { title: "Go live", milestone: true, when: days("2026-12-01"), assigned: [] }),
    );
    rig.put(aTask(7, { title: "Write" }));
    const component = (feed: string) =>
      feed.slice(feed.indexOf("BEGIN:VEVENT"), feed.lastIndexOf("END:VCALENDAR")).trim();
    const first = component(rig.feed());
    rig.put(
      anEvent(1, { title: "Go live", milestone: true, when: days("2026-12-01"), completed: true }),
    );
    rig.put(aTask(7, { title: "Write", completed: true, description: "<p>Now <b>done</b></p>" }));
    const second = component(rig.feed());
    rig.put(aTask(7, { title: "Write", description: "<p>Not yet</p>" }));
    await rig.shows(first);
    await rig.shows(second);
    expect(second).toContain("✓ Go live");
    expect(rig.edits()).toEqual([]);
  });

  it("step() result when a person takes something back: an edit, as it claims to be newer", async () => {
    const { uid, ...rig } = await threeVersions();
    await rig.shows(vevent(uid, ...fields("Three", 2, "20261120T140000Z")));
    await rig.shows(vevent(uid, ...fields("Two", 3, "20261120T150000Z")));
    expect(rig.edits()).toMatchObject([{ base: { title: "Three" }, patch: { title: "Two" } }]);
  });

  it("step() result when a person takes something back and only LAST-MODIFIED says so: an edit", async () => {
    const { uid, ...rig } = await threeVersions();
    await rig.shows(vevent(uid, ...fields("Three", 0, "20261120T140000Z")));
    await rig.shows(vevent(uid, ...fields("One", 0, "20261120T150000Z")));
    expect(rig.wishes()).toEqual(["update Three"]);
  });

  it("step() result when a known item appears later, as published or changed: only the changed one is an edit", async () => {
    const rig = await subscriptionRig();
    const [one, two] = [rig.put(anEvent(1, review)), rig.put(anEvent(2, { title: "Two" }))];
    await rig.shows(vevent("private@x", "SUMMARY:Dentist", ...usual));
    await rig.shows(
      vevent(one, "SUMMARY:Review", ...usual),
      vevent(two, "SUMMARY:Two, copied and changed", "SEQUENCE:0"),
    );
    expect(rig.wishes()).toEqual(["update Two"]);
  });
});

describe("createSubscription() with new items", () => {
  const dentist = vevent("new@example.com", "SUMMARY:Dentist", ...usual);

  it("step() result when new items are ignored: none is made, now or later", async () => {
    const rig = await subscriptionRig();
    await rig.shows(vevent("old@x", "SUMMARY:Old", ...usual));
    await rig.shows(vevent("old@x", "SUMMARY:Old", ...usual), dentist);
    await rig.shows(
      vevent("old@x", "SUMMARY:Older", ...usual),
      dentist.replace("Dentist", "Doctor"),
    );
    expect(rig.edits()).toEqual([]);
  });

  it("step() result when new items are created: those that appear, once, and their later changes are edits", async () => {
    const rig = await subscriptionRig({ options: { new: "create" } });
    await rig.shows(vevent("old@x", "SUMMARY:Old", ...usual));
    const old = vevent("old@x", "SUMMARY:Older", ...usual);
    await rig.shows(old, dentist, vtodo("todo@x", "SUMMARY:To do"));
    await rig.again();
    await rig.shows(old, dentist.replace("Dentist", "Doctor"));
    expect(rig.wishes()).toEqual(["create Dentist", "update Dentist"]);
    expect(rig.edits()[0]?.base).toMatchObject({ projectId: 2001 });
  });

  it("step() result when a new item repeats, or is a task without a place: noted, not created", async () => {
    const rig = await subscriptionRig({ options: { new: "create" } });
    await rig.shows(vevent("old@x", "SUMMARY:Old", ...usual));
    await rig.shows(
      vevent("weekly@x", "SUMMARY:Weekly", ...usual, "RRULE:FREQ=WEEKLY"),
      vtodo("todo@x", "SUMMARY:To do"),
    );
    expect(rig.edits()).toEqual([]);
    expect(rig.state().notes).toEqual([
      expect.stringMatching(/^"Weekly": RRULE/),
      expect.stringMatching(/^"To do": a new task needs a todolist/),
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
    "step() result when a new item is a copy of %s under another UID: noted, not created",
    async (_what, made, dated) => {
      const rig = await subscriptionRig({ options: { new: "create" } });
      rig.put(made());
      await rig.shows(vevent("old@x", "SUMMARY:Old", ...usual));
      await rig.shows(vevent("copy@x", "SUMMARY:✓ Review", ...dated), vevent("none@x", ...usual));
      expect(rig.edits()).toEqual([]);
      expect(rig.state().notes[0]).toBe(
        '"✓ Review": an item of this title and time is there already',
      );
    },
  );
});

const fail = (): never => {
  throw new Error("the item is not known");
};
