import { describe, expect, it } from "vitest";
import { fieldsOf } from "../../../src/domain/patch.ts";
import { anEvent, aTask } from "../../support/items.ts";
import { calendar, vevent, withItem } from "../rig.ts";
import { at, review, subscriptionRig, usual } from "./subscription-rig.ts";

describe("a subscribed calendar", () => {
  it("is only a baseline when it is read first, however it differs", async () => {
    const { rig, uid } = withItem(
      await subscriptionRig({ options: { new: "create", gone: "delete" } }),
      anEvent(1, review),
    );
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
      notes: ['Skipped: 1 repeating item: "Choir"'],
    });
    expect(
      rig
        .items()
        .map(({ knownAs }) => knownAs)
        .filter((known) => known !== null),
    ).toEqual([uid]);
    expect(rig.events).toEqual([{ kind: "began", name: "Ana's calendar", items: 3 }]);
  });

  it("is followed except for what cannot be read, which is named", async () => {
    const rig = await subscriptionRig({ options: { new: "create", gone: "delete" } });
    const [known, gone] = [rig.put(anEvent(1, review)), rig.put(anEvent(2, review))];
    const event = (uid: string, title: string, ...lines: readonly string[]) =>
      vevent(uid, `SUMMARY:${title}`, ...(lines.length > 0 ? lines : usual));
    const bad = (title: string) => event(known, title, ...usual, "X BAD");
    const all = [event("first@x", "First"), event(gone, "Review"), event("dup@x", "Dup")];
    await rig.shows(...all, event(known, "Review"));

    const series = event("series@x", "Choir", ...usual, "RRULE:FREQ=WEEKLY");
    await rig.answers(
      calendar(...all, bad("Unread"), event("dup@x", "Dup"), series) +
        calendar(event("new@x", "Plain new"), event("late@x", "Late", ...usual, "X BAD")),
    );
    expect(rig.wishes()).toEqual(["create Plain new"]);
    expect(rig.state()).toMatchObject({ state: "watched", problem: null });
    const names = [
      expect.stringMatching(/^Skipped: "Unread" \(UID .*\): line \d+: /),
      expect.stringMatching(/^Skipped: "Late" \(UID late@x\): line \d+: /),
      'Skipped: 1 repeating item: "Choir"',
    ];
    expect(rig.state().notes).toEqual(names);

    // An unread item is not gone, and once it is readable again only its new values become edits.
    for (let round = 0; round < 3; round++) await rig.shows(...all.slice(0, 1), bad(`${round}`));
    await rig.shows(...all.slice(0, 1), event(known, "Read again"), event("late@x", "Late"));
    expect(rig.wishes()).toEqual([
      "create Plain new",
      "delete Review",
      "delete Plain new",
      "update Review",
      "create Late",
    ]);
    expect(rig.edits()).toMatchObject([{}, {}, {}, { patch: { title: "Read again" } }, {}]);
    expect(rig.state().notes).toEqual([]);
  });

  it("makes no edit when an unreadable item becomes readable", async () => {
    const { rig, uid } = withItem(
      await subscriptionRig({ options: { new: "create" } }),
      anEvent(1, review),
    );
    const bad = vevent(uid, "SUMMARY:Review", "DTSTART 20261123T100000");
    await rig.shows(bad, vevent("n@x", "SUMMARY:N", ...usual));
    const mended = (title: string) => vevent(uid, `SUMMARY:${title}`, ...usual);
    await rig.shows(mended("Else"), vevent("n@x", "SUMMARY:N", ...usual));
    expect(rig.wishes()).toEqual([]);
    await rig.shows(mended("Mine"), vevent("n@x", "SUMMARY:N", ...usual));
    expect(rig.wishes()).toEqual(["update Else"]);
  });

  it.each([
    ["an END is missing", (text: string) => text.replace("END:VEVENT\r\n", "")],
    ["text stands outside", (text: string) => `${text}hello\r\n`],
    [
      "two items run together",
      (text: string) => text.replace("END:VEVENT\r\nBEGIN:VEVENT\r\n", ""),
    ],
  ])("deletes nothing if %s", async (_what, damage) => {
    const rig = await subscriptionRig({ options: { gone: "delete" } });
    const uids = [rig.put(anEvent(1, review)), rig.put(anEvent(2, review))];
    const shown = uids.map((uid) => vevent(uid, "SUMMARY:Review", ...usual));
    await rig.shows(...shown);
    const others = ["a@x", "b@x"].map((uid) => vevent(uid, "SUMMARY:Other", ...usual));
    for (let round = 0; round < 3; round++) {
      await rig.answers(damage(calendar(...others, vevent("c@x", `SUMMARY:${round}`, ...usual))));
    }
    expect(rig.edits()).toEqual([]);
    expect(rig.state()).toMatchObject({ state: "watched", problem: null });
  });

  it("makes an edit of the changed fields, based on what it had shown", async () => {
    const { rig, uid } = withItem(await subscriptionRig(), anEvent(1, review));
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

  it("is compared with what it showed if it lags behind the workspace", async () => {
    const { rig, uid } = withItem(await subscriptionRig(), anEvent(1, review));
    await rig.shows(vevent(uid, "SUMMARY:Review", ...usual));
    rig.put(anEvent(1, { ...review, title: "Review II", description: "Agenda" }));
    await rig.shows(vevent(uid, "SUMMARY:Review of Ana", ...usual));
    expect(rig.edits()).toMatchObject([
      { base: { title: "Review", description: "Agenda" }, patch: { title: "Review of Ana" } },
    ]);
  });

  it("makes no edit if only stamps change", async () => {
    const { rig, uid } = withItem(await subscriptionRig(), anEvent(1, review));
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

  it("makes an edit only of what changed if something was odd before", async () => {
    const { rig, uid } = withItem(await subscriptionRig(), aTask(7, { title: "Write" }));
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

  it("continues with a note if a change cannot be applied", async () => {
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

  it("skips an item with a note while it repeats, and later compares it with its last readable state", async () => {
    const { rig, uid } = withItem(await subscriptionRig(), anEvent(1, review));
    await rig.shows(vevent(uid, "SUMMARY:Review", ...usual));
    await rig.shows(vevent(uid, "SUMMARY:Review", ...usual, "RRULE:FREQ=WEEKLY"));
    expect(rig.edits()).toEqual([]);
    expect(rig.state().notes[0]).toBe('Skipped: 1 repeating item: "Review"');
    await rig.shows(vevent(uid, "SUMMARY:Review once", ...usual));
    expect(rig.edits()).toMatchObject([{ patch: { title: "Review once" } }]);
  });

  it("notes a refused change if the item is no longer in the workspace", async () => {
    const { rig, uid } = withItem(await subscriptionRig(), anEvent(1, review));
    await rig.shows(vevent(uid, "SUMMARY:Review", ...usual));
    rig.store.mirror.bury(rig.store.mirror.findUid(uid)?.item ?? fail());
    await rig.shows(vevent(uid, "SUMMARY:Still wanted", ...usual));
    expect(rig.edits()).toEqual([]);
    expect(rig.state().notes[0]).toContain("no longer exists in the workspace");
  });

  it("keeps a change until its project is known", async () => {
    const { rig, uid } = withItem(await subscriptionRig(), anEvent(1, review));
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

  it("follows one of two UIDs of the same item", async () => {
    const { rig, uid } = withItem(await subscriptionRig(), anEvent(1, review));
    await rig.shows(vevent(uid, "SUMMARY:Review", ...usual));
    await rig.shows(vevent("other@x", "SUMMARY:Review", ...usual));
    await rig.shows(
      vevent("other@x", "SUMMARY:By one", ...usual),
      vevent(uid, "SUMMARY:By another", ...usual),
    );
    expect(rig.wishes()).toEqual(["update Review"]);
    expect(rig.edits()).toMatchObject([{ patch: { title: "By one" } }]);
    expect(rig.state().notes).toEqual([
      '"By another": the calendar has it twice; only one of them is synced',
    ]);
  });
});

const fail = (): never => {
  throw new Error("the item is not known");
};
