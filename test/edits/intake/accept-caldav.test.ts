import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { readCalendar } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { refusalOfItem } from "../../../src/caldav/plan-object.ts";
import { labelId, personId, projectId } from "../../../src/domain/ids.ts";
import type { PatchField } from "../../../src/domain/patch.ts";
import { createAcceptItems, type ItemsRequest } from "../../../src/edits/intake/accept.ts";
import { prepareRestore } from "../../../src/store/copies/prepare-restore.ts";
import { anEvent, aTask, days, zone } from "../../support/items.ts";
import { migrations, testDirectory } from "../../support/test-store.ts";
import {
  acceptRig,
  calendar,
  codes,
  list,
  type RigSetting,
  vevent,
  vtodo,
  wishes,
  withItem,
} from "../rig.ts";

/** A rig whose items come as a two-way channel sends them: already read, with what the channel knows of them. */
function channelRig(setting: RigSetting = {}) {
  const rig = acceptRig(setting);
  return {
    ...rig,
    take(text: string, { mode, ...request }: Partial<ItemsRequest> & { mode?: "review" } = {}) {
      const { policy } = rig.deps;
      const acceptItems = createAcceptItems({
        ...rig.deps,
        policy: { ...policy, ...(mode && { mode }) },
      });
      const read = readCalendar(Buffer.from(calendar(text)), { zone });
      if (!read.ok) throw new Error(JSON.stringify(read.failure));
      const accepted = acceptItems({
        calendar: read.value,
        bases: new Map(),
        channel: "caldav",
        actor: personId(11),
        projectId: projectId(2001),
        listId: list,
        dryRun: false,
        ...request,
      });
      const item = accepted.kind === "plan" ? accepted.items[0] : undefined;
      if (!item) throw new Error(JSON.stringify(accepted));
      return item;
    },
  };
}

const full = {
  description: "<p>Two <b>pages</b></p>",
  startOn: Temporal.PlainDate.from("2026-11-20"),
  labels: [labelId(51), labelId(53)],
};
const cleared = (uid: string, ...fields: PatchField[]) => ({ cleared: new Map([[uid, fields]]) });

describe("properties that a program removed", () => {
  it.each<[PatchField, object]>([
    ["description", { description: null }],
    ["dueOn", { dueOn: null }],
    ["startOn", { startOn: null }],
    ["labels", { labels: [] }],
  ])("clear the %s of a task", (field, expected) => {
    const { rig, uid } = withItem(channelRig(), aTask(601, full));
    const item = rig.take(vtodo(uid, "SUMMARY:Task 601"), cleared(uid, field));
    expect(wishes(item)).toEqual(expected);
    expect(rig.store.view.findUid(uid)?.item).toMatchObject(expected);
  });

  it.each<[PatchField, object]>([
    ["description", { description: null }],
    ["reminder", { reminder: null }],
    ["milestone", { milestone: false }],
  ])("clear the %s of an event", (field, expected) => {
    const rig = channelRig();
    const reminder = Temporal.Duration.from({ minutes: 15 });
    const milestone = { when: days("2026-12-01"), milestone: true, reminder, description: "Yes" };
    const uid = rig.put(anEvent(501, milestone));
    expect(wishes(rig.take(vevent(uid), cleared(uid, field)))).toEqual(expected);
  });

  it("change nothing if the item has no such value or field", () => {
    const { rig, uid } = withItem(channelRig(), aTask(601, { dueOn: null }));
    const all = cleared(uid, "description", "dueOn", "startOn", "labels", "reminder", "title");
    expect(rig.take(vtodo(uid), all).action).toBe("unchanged");
  });

  it("keep labels that calendars do not show", () => {
    const { rig, uid } = withItem(channelRig(), aTask(601, { labels: [labelId(51), labelId(99)] }));
    expect(wishes(rig.take(vtodo(uid), cleared(uid, "labels")))).toEqual({ labels: [99] });
  });

  it("may remove a due date while the start moves beyond it", () => {
    const { rig, uid } = withItem(channelRig(), aTask(601, full));
    const item = rig.take(vtodo(uid, "DTSTART;VALUE=DATE:20261230"), cleared(uid, "dueOn"));
    expect(wishes(item)).toEqual({ startOn: "2026-12-30", dueOn: null });
  });

  it("count only where the program says what it removed", () => {
    const { rig, uid } = withItem(channelRig(), aTask(601, full));
    expect(rig.take(vtodo(uid)).action).toBe("unchanged");
  });
});

describe("a to-do in a calendar of milestones", () => {
  const ship = (...lines: readonly string[]) => vtodo("ship@example.com", "SUMMARY:Ship", ...lines);
  const asMilestone = { newAs: "milestone", listId: null } as const;

  it.each(["DUE;VALUE=DATE:20261224", "DTSTART;VALUE=DATE:20261224"])(
    "takes its day from %s",
    (day) => {
      const rig = channelRig();
      const item = rig.take(ship(day, "CATEGORIES:Work"), asMilestone);
      expect(item).toMatchObject({ action: "create", kind: "milestone" });
      expect(codes(item)).toEqual(["event-labels"]);
      expect(rig.edits()[0]).toMatchObject({
        base: { kind: "event", milestone: true, when: days("2026-12-24") },
        patch: { title: "Ship", milestone: true, when: days("2026-12-24") },
      });
    },
  );

  it("is completed at once if it says so", () => {
    const rig = channelRig();
    rig.take(ship("DUE;VALUE=DATE:20261224", "STATUS:COMPLETED"), asMilestone);
    expect(rig.store.view.findUid("ship@example.com")?.item).toMatchObject({ completed: true });
  });

  it("is refused without a day", () => {
    const rig = channelRig();
    expect(codes(rig.take(ship(), asMilestone))).toEqual(["no-start"]);
  });

  it("takes the day of its time", () => {
    const rig = channelRig();
    rig.take(ship("DUE:20261224T233000Z"), asMilestone);
    expect(rig.edits()[0]).toMatchObject({ base: { when: days("2026-12-25") } });
  });

  it("stays a milestone whatever its categories", () => {
    const { rig, uid } = withItem(
      channelRig(),
      anEvent(501, { when: days("2026-12-01"), milestone: true }),
    );
    const item = rig.take(vtodo(uid, "CATEGORIES:Work", "DUE;VALUE=DATE:20261202"));
    expect(item.changes.map(({ field }) => field)).toEqual(["when"]);
  });
});

describe("an item that was deleted", () => {
  const again = (uid: string) => vtodo(uid, "SUMMARY:Again", "DUE;VALUE=DATE:20261224");

  it("is recreated under its UID if the editor creates a new item", () => {
    const { rig, uid } = withItem(channelRig(), aTask(601));
    const key = rig.store.mirror.findUid(uid)?.item;
    if (key) rig.store.mirror.bury(key);
    expect(codes(rig.take(again(uid)))).toEqual(["gone"]);
    const item = rig.take(again(uid), { recreate: true });
    expect(item).toMatchObject({ action: "create", uid });
    expect(rig.store.view.findUid(uid)).toMatchObject({ key, item: { id: null, title: "Again" } });
  });

  it("is not recreated after a restore before the lists were read", () => {
    const folder = testDirectory();
    const [file, replaced] = [join(folder, "backup.sqlite"), join(folder, "replaced.sqlite")];
    const before = acceptRig({ file });
    before.store.close();
    copyFileSync(file, replaced);
    const since = acceptRig({ file: replaced });
    const uid = since.put(aTask(601));
    since.store.close();
    const now = before.clock();
    prepareRestore(file, { migrations, epoch: "next", now, madeAt: now, quota: 25, replaced });
    const rig = channelRig({ file });
    const refused = rig.take(again(uid), { recreate: true });
    expect(codes(refused)).toEqual(["not-read"]);
    expect(refusalOfItem(refused)).toMatchObject({ status: 503, retryAfterSeconds: 30 });
    rig.store.rounds.reconciled();
    expect(rig.take(again(uid), { recreate: true })).toMatchObject({ action: "create", uid });
  });

  it("withdraws a deletion that was not sent", () => {
    const { rig, uid } = withItem(channelRig(), aTask(601, full));
    rig.take(vtodo(uid, "STATUS:CANCELLED"), { channel: "upload" });
    expect(rig.store.view.findUid(uid)).toBeNull();
    rig.take(again(uid), { recreate: true });
    expect(rig.edits()).toMatchObject([
      { action: "delete", state: "discarded" },
      { action: "update", state: "pending", patch: { title: "Again" } },
    ]);
    expect(rig.store.view.findUid(uid)?.item).toMatchObject({
      id: 601,
      title: "Again",
      labels: [51, 53],
    });
  });

  it("withdraws a deletion even if the same change has waited for approval since before", () => {
    const { rig, uid } = withItem(channelRig(), aTask(601, full));
    rig.take(again(uid), { mode: "review" });
    rig.take(vtodo(uid, "STATUS:CANCELLED"), { channel: "upload" });
    rig.take(again(uid), { recreate: true });
    expect(rig.edits().map(({ action, state }) => `${action} ${state}`)).toEqual([
      "update discarded",
      "delete discarded",
      "update pending",
    ]);
    expect(rig.store.view.findUid(uid)?.item).toMatchObject({ id: 601, title: "Again" });
  });

  it("withdraws a started deletion as long as no request was sent", () => {
    const { rig, uid } = withItem(channelRig(), aTask(601));
    rig.take(vtodo(uid, "STATUS:CANCELLED"), { channel: "upload" });
    const deletion = rig.store.journal.claimNext();
    expect(rig.take(again(uid), { recreate: true })).toMatchObject({ action: "update" });
    expect(deletion && rig.store.journal.get(deletion.id)?.state).toBe("discarded");
    expect(rig.store.view.findUid(uid)?.item).toMatchObject({ id: 601, title: "Again" });
  });

  it("waits for a deletion that is in flight", () => {
    const { rig, uid } = withItem(channelRig(), aTask(601));
    rig.take(vtodo(uid, "STATUS:CANCELLED"), { channel: "upload" });
    const deletion = rig.store.journal.claimNext();
    if (deletion) rig.store.journal.replacing(deletion.id, deletion.base);
    rig.take(again(uid), { recreate: true });
    expect(rig.store.journal.claimNext()).toBeNull();
    if (deletion) rig.store.journal.confirm(deletion, null);
    expect(rig.store.view.findUid(uid)?.item).toMatchObject({ title: "Again" });
    expect(rig.store.journal.claimNext()).toMatchObject({ action: "create" });
  });
});

describe("a canceled item", () => {
  it("is not deleted if the program can delete", () => {
    const { rig, uid } = withItem(channelRig(), aTask(601));
    expect(rig.take(vtodo(uid, "STATUS:CANCELLED")).action).toBe("unchanged");
  });

  it("is not created", () => {
    const rig = channelRig();
    const answer = rig.take(vtodo("new@example.com", "SUMMARY:New", "STATUS:CANCELLED"));
    expect([answer.action, codes(answer)]).toEqual(["refused", ["unknown-uid"]]);
  });
});
