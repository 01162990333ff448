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

describe("createSubscription() with vanished items", () => {
  it("step() result when an item is absent from two whole snapshots: deleted, against what the calendar had shown", async () => {
    const { rig, uid } = withItem(await subscriptionRig({ options: { gone: "delete" } }), aDay(1));
    await rig.shows(shown(uid, "Event 1"), other);
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

  it("step() result when the second look needs the whole calendar: it is asked for without validators, and only then", async () => {
    const { rig, uid } = withItem(await subscriptionRig({ options: { gone: "delete" } }), aDay(1));
    await rig.shows(shown(uid, "Event 1"), other);
    await rig.again();
    await rig.shows(other);
    await rig.again();
    await rig.again();
    const asked = rig.server.requests.map(({ headers }) => "if-none-match" in headers);
    expect(asked).toEqual([false, true, true, false, true]);
  });

  it("step() result when it comes back in between: nothing, and counting begins anew", async () => {
    const { rig, uid } = withItem(await subscriptionRig({ options: { gone: "delete" } }), aDay(1));
    for (let round = 0; round < 3; round++) {
      await rig.shows(shown(uid, "Event 1"), other);
      await rig.shows(other);
    }
    expect(rig.edits()).toEqual([]);
  });

  it("step() result when vanished items are ignored: nothing, and one that comes back changed is compared", async () => {
    const { rig, uid } = withItem(await subscriptionRig(), aDay(1));
    await rig.shows(shown(uid, "Event 1"), other);
    for (let round = 0; round < 4; round++) await rig.shows(other);
    expect(rig.edits()).toEqual([]);
    await rig.shows(shown(uid, "Back again"), other);
    expect(rig.wishes()).toEqual(["update Event 1"]);
  });

  it("step() result when an item is cancelled there: the same as vanished", async () => {
    const cancelled = (uid: string) => vevent(uid, "SUMMARY:Event 1", "STATUS:CANCELLED");
    const { rig, uid } = withItem(await subscriptionRig({ options: { gone: "delete" } }), aDay(1));
    await rig.shows(shown(uid, "Event 1"), other);
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
  ])(
    "step() result when the answer is %s: unknown, however often; nothing is deleted",
    async (_what, answer) => {
      const { rig, uid } = withItem(
        await subscriptionRig({ options: { gone: "delete" } }),
        aDay(1),
      );
      await rig.shows(shown(uid, "Event 1"), other);
      for (let round = 0; round < 3; round++) await rig.answers(answer);
      expect(rig.state()).toMatchObject({ state: "failing", failures: 3, items: 2 });
      await rig.shows(shown(uid, "Event 1"), other);
      expect(rig.state()).toMatchObject({ state: "watched", failures: 0, problem: null });
      expect(rig.edits()).toEqual([]);
    },
  );

  it("step() result when failures stand between two absences: they do not count", async () => {
    const { rig, uid } = withItem(await subscriptionRig({ options: { gone: "delete" } }), aDay(1));
    await rig.shows(shown(uid, "Event 1"), other);
    await rig.shows(other);
    await rig.answers("<html>");
    await rig.answers((_request, response) => response.writeHead(503).end());
    expect(rig.edits()).toEqual([]);
    await rig.shows(other);
    expect(rig.wishes()).toEqual(["delete Event 1"]);
  });

  it("step() result when an item of the calendar has no UID: it may be the missing one, so nothing is deleted", async () => {
    const nameless = "BEGIN:VEVENT\r\nSUMMARY:Event 1\r\nDTSTART;VALUE=DATE:20261201\r\nEND:VEVENT";
    const { rig, uid } = withItem(await subscriptionRig({ options: { gone: "delete" } }), aDay(1));
    await rig.shows(shown(uid, "Event 1"), other);
    for (let round = 0; round < 3; round++) await rig.shows(other, nameless);
    expect(rig.edits()).toEqual([]);
    expect(rig.state().notes).toEqual(["Skipped: 1 item without a UID"]);
  });

  it.each([
    ["an item has lost its END", "BEGIN:VEVENT\r\nUID:torn@x\r\nSUMMARY:Torn"],
    ["a BEGIN cannot be read", "BEGIN VEVENT\r\nUID:torn@x\r\nEND:VEVENT"],
  ])(
    "step() result when %s: another may be hidden by it, so nothing is deleted",
    async (_what, torn) => {
      const { rig, uid } = withItem(
        await subscriptionRig({ options: { gone: "delete" } }),
        aDay(1),
      );
      await rig.shows(shown(uid, "Event 1"), other);
      for (let round = 0; round < 3; round++) await rig.shows(torn, other);
      expect(rig.edits()).toEqual([]);
      await rig.shows(other);
      await rig.again();
      expect(rig.wishes()).toEqual(["delete Event 1"]);
    },
  );

  it("step() result when more than ten vanish at once: all are held for a person", async () => {
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
    "step() result when the vanished item is %s: kept with a note, as it may have left the feed by itself",
    async (_what, change, reason) => {
      const { rig, uid } = withItem(
        await subscriptionRig({ options: { gone: "delete" } }),
        aDay(1),
      );
      await rig.shows(shown(uid, "Event 1"), other);
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
  ])("step() result when the vanished item is a task %s", async (_what, change, wishes) => {
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

  it("step() result when the item is gone from the workspace already, or absent for months: forgotten", async () => {
    const { rig, uid } = withItem(await subscriptionRig({ options: { gone: "delete" } }), aDay(1));
    await rig.shows(shown(uid, "Event 1"), other);
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
