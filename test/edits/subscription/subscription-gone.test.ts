import { describe, expect, it } from "vitest";
import { projectId } from "../../../src/domain/ids.ts";
import { anEvent, aTask, days, times } from "../../support/items.ts";
import { vevent, withItem } from "../rig.ts";
import { subscriptionRig } from "./subscription-rig.ts";

const other = vevent("other@example.com", "SUMMARY:Other", "DTSTART:20261124T080000Z");
const shown = (uid: string, title: string, day = "20261201") =>
  vevent(uid, `SUMMARY:${title}`, `DTSTART;VALUE=DATE:${day}`);
const aDay = (id: number, fields: object = {}) =>
  anEvent(id, { title: `Event ${id}`, when: days("2026-12-01"), ...fields });

/** A calendar that has shown "Event 1" beside another event. */
async function followed() {
  const { rig, uid } = withItem(await subscriptionRig({ options: { gone: "delete" } }), aDay(1));
  await rig.shows(shown(uid, "Event 1"), other);
  return { rig, uid };
}

describe("an item that vanishes from a subscribed calendar", () => {
  it("is deleted once it is absent from two complete snapshots", async () => {
    const { rig } = await followed();
    await rig.shows(other);
    expect(rig.edits()).toEqual([]);
    await rig.again();
    expect(rig.edits()).toMatchObject([
      { action: "delete", channel: "subscription", actor: 11, state: "pending", base: { id: 1 } },
    ]);
    await rig.again();
    await rig.again();
    expect(rig.edits()).toHaveLength(1);
  });

  it("makes the second read ask for the whole calendar, without validators", async () => {
    const { rig } = await followed();
    await rig.again();
    await rig.shows(other);
    await rig.again();
    await rig.again();
    const asked = rig.server.requests.map(({ headers }) => "if-none-match" in headers);
    expect(asked).toEqual([false, true, true, false, true]);
  });

  it("is not deleted if it comes back in between", async () => {
    const { rig, uid } = withItem(await subscriptionRig({ options: { gone: "delete" } }), aDay(1));
    for (let round = 0; round < 3; round++) {
      await rig.shows(shown(uid, "Event 1"), other);
      await rig.shows(other);
    }
    expect(rig.edits()).toEqual([]);
  });

  it("is not deleted if vanished items are ignored, and is compared if it returns", async () => {
    const { rig, uid } = withItem(await subscriptionRig(), aDay(1));
    await rig.shows(shown(uid, "Event 1"), other);
    for (let round = 0; round < 4; round++) await rig.shows(other);
    expect(rig.edits()).toEqual([]);
    await rig.shows(shown(uid, "Back again"), other);
    expect(rig.wishes()).toEqual(["update Event 1"]);
  });

  it("is treated alike if it is canceled there", async () => {
    const cancelled = (uid: string) => vevent(uid, "SUMMARY:Event 1", "STATUS:CANCELLED");
    const { rig, uid } = await followed();
    await rig.shows(cancelled(uid), cancelled("unknown@x"), other);
    await rig.again();
    expect(rig.wishes()).toEqual(["delete Event 1"]);
  });

  it.each([
    ["a web page", "<!doctype html><title>Sign in</title>"],
    ["empty", ""],
    ["a calendar without items", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n"],
    ["cut", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:other@example.com\r\n"],
    [
      "a cancellation",
      `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:CANCEL\r\n${other}\r\nEND:VCALENDAR`,
    ],
  ])("is not deleted if the response is %s, however often", async (_what, answer) => {
    const { rig, uid } = await followed();
    for (let round = 0; round < 3; round++) await rig.answers(answer);
    expect(rig.state()).toMatchObject({ state: "failing", failures: 3, items: 2 });
    await rig.shows(shown(uid, "Event 1"), other);
    expect(rig.state()).toMatchObject({ state: "watched", failures: 0, problem: null });
    expect(rig.edits()).toEqual([]);
  });

  it("is not deleted because of failures between two absences", async () => {
    const { rig } = await followed();
    await rig.shows(other);
    await rig.answers("<html>");
    await rig.answers((_request, response) => response.writeHead(503).end());
    expect(rig.edits()).toEqual([]);
    await rig.shows(other);
    expect(rig.wishes()).toEqual(["delete Event 1"]);
  });

  it("is not deleted if an item has no UID, since that may be the missing one", async () => {
    const nameless = "BEGIN:VEVENT\r\nSUMMARY:Event 1\r\nDTSTART;VALUE=DATE:20261201\r\nEND:VEVENT";
    const { rig } = await followed();
    for (let round = 0; round < 3; round++) await rig.shows(other, nameless);
    expect(rig.edits()).toEqual([]);
    expect(rig.state().notes).toEqual(["Skipped: 1 item without a UID"]);
  });

  it.each([
    ["an item has lost its END", "BEGIN:VEVENT\r\nUID:torn@x\r\nSUMMARY:Torn"],
    ["a BEGIN cannot be read", "BEGIN VEVENT\r\nUID:torn@x\r\nEND:VEVENT"],
  ])("is not deleted if %s, since that may hide another", async (_what, torn) => {
    const { rig } = await followed();
    for (let round = 0; round < 3; round++) await rig.shows(torn, other);
    expect(rig.edits()).toEqual([]);
    await rig.shows(other);
    await rig.again();
    expect(rig.wishes()).toEqual(["delete Event 1"]);
  });

  it("is held for a person if more than ten vanish at once", async () => {
    const rig = await subscriptionRig({ options: { gone: "delete" } });
    const uids = Array.from({ length: 11 }, (_, index) => rig.put(aDay(index + 1)));
    await rig.shows(...uids.map((uid, index) => shown(uid, `Event ${index + 1}`)), other);
    await rig.shows(other);
    await rig.again();
    expect(rig.edits().map(({ state }) => state)).toEqual(Array(11).fill("held"));
    await rig.again();
    expect(rig.edits()).toHaveLength(11);
  });

  it.each([
    ["completed", { completed: true, milestone: true }, "it is completed"],
    ["private", { private: true }, "it is private"],
    ["over", { when: days("2026-11-01", "2026-11-19") }, "it is in the past"],
    [
      "over, by the hour",
      { when: times("2026-11-18T10:00", "2026-11-18T11:00") },
      "it is in the past",
    ],
    ["over, without an end", { when: times("2026-11-18T10:00") }, "it is in the past"],
    ["moved elsewhere", { projectId: projectId(2002) }, "another project"],
  ])(
    "is kept with a note if it is %s, since it may have left the feed by itself",
    async (_what, change, reason) => {
      const { rig } = await followed();
      rig.put(aDay(1, change));
      for (let round = 0; round < 4; round++) await rig.shows(other);
      expect(rig.edits()).toEqual([]);
      expect(rig.state().notes[0]).toContain(reason);
    },
  );

  it.each([
    ["in a private list", { listId: 3002 }, []],
    ["due in the past", { dueOn: "2026-11-01" }, []],
    ["due today", { dueOn: "2026-11-20" }, ["delete Write"]],
    ["without a date", { dueOn: null }, ["delete Write"]],
  ])("may be a task %s", async (_what, change, wishes) => {
    const rig = await subscriptionRig({ options: { gone: "delete" } });
    const { dueOn } = { dueOn: "2026-11-24", ...change };
    const lists = rig.store.directory.todolists();
    const listId = lists.find(({ id }) => "listId" in change && id === change.listId)?.id;
    const uid = rig.put(
      aTask(7, {
        title: "Write",
        dueOn: dueOn === null ? null : Temporal.PlainDate.from(dueOn),
        ...(listId && { listId }),
      }),
    );
    await rig.shows(shown(uid, "Write"), other);
    for (let round = 0; round < 3; round++) await rig.shows(other);
    expect(rig.wishes()).toEqual(wishes);
  });

  it("is forgotten if it is gone from the workspace, or absent for months", async () => {
    const { rig, uid } = await followed();
    rig.store.mirror.bury(rig.store.mirror.findUid(uid)?.item ?? fail());
    await rig.shows(other);
    await rig.again();
    expect(rig.edits()).toEqual([]);
    expect(rig.items()).toHaveLength(2);
    rig.clock.advance({ hours: 91 * 24 });
    await rig.shows(other.replace("Other", "Another"));
    expect(rig.items()).toHaveLength(1);
  });
});

const fail = (): never => {
  throw new Error("the item is not known");
};
