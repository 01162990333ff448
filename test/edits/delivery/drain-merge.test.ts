import { describe, expect, it } from "vitest";
import { calendar, vevent, vtodo } from "../rig.ts";
import { change, changeTask, drainRig, withEvent, withTask } from "./drain-rig.ts";

describe("a change beside someone else's change", () => {
  it("merges different fields and leaves the other person's alone", async () => {
    const { rig, id, uid } = await withEvent(drainRig(), { description: "old" });
    rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
    change(rig, id, {
      description: "theirs",
      start: "2026-11-24",
      end: "2026-11-24",
      all_day: true,
    });
    await rig.drainAll();
    expect(rig.bodies("PUT")).toEqual([{ title: "Renamed" }]);
    expect(rig.workspaceEvents()).toMatchObject([
      { title: "Renamed", description: "theirs", all_day: true },
    ]);
    expect(rig.store.view.findUid(uid)?.item).toMatchObject({ description: "theirs" });
    expect(rig.edit()).toMatchObject({
      state: "confirmed",
      conflicts: [],
      before: { title: "Review" },
    });
  });

  it("merges sets of people", async () => {
    const rig = await drainRig();
    const [member, client] = [rig.person("member"), rig.person("client")];
    rig.store.directory.putPeople(
      [rig.person("owner"), member, client].map((id) => ({
        id,
        name: `Person ${id}`,
        email: `person-${id}@example.com`,
        timeZone: null,
        suspended: false,
      })),
      true,
    );
    const { id, uid } = await rig.task({ assigned: [] });
    rig.send(calendar(vtodo(uid, `ATTENDEE:mailto:person-${member}@example.com`)));
    changeTask(rig, id, { assigned: [client] });
    await rig.drainAll();
    expect(new Set(rig.workspaceTasks()[0]?.assigned)).toEqual(new Set([member, client]));
    expect(rig.events.map(({ kind }) => kind)).toEqual(["applied"]);
    expect(rig.editActions.show(1)).toMatchObject({ state: "confirmed", problem: null });
  });

  it.each([
    ["a change", "SUMMARY:Renamed", "PUT"],
    ["a deletion", "STATUS:CANCELLED", "DELETE"],
  ])(
    "reports what the second request of %s overwrote, even if its response is lost",
    async (_what, line, method) => {
      const { rig, id, uid } = await withEvent(drainRig({ conflicts: "theirs" }));
      rig.send(calendar(vevent(uid, line)));
      rig.sandbox.faults.add({ kind: "drop-before", method });
      await rig.step();
      change(rig, id, { title: "Theirs" });
      rig.sandbox.faults.clear();
      rig.sandbox.faults.add({ kind: "drop-after", method });
      await rig.drainAll();
      expect(rig.edit()).toMatchObject({
        state: "confirmed",
        conflicts: [{ field: "title", ours: "Theirs", taken: "theirs" }],
      });
    },
  );

  it("sends nothing if the workspace already has the value in another spelling", async () => {
    const { rig, id, uid } = await withEvent(drainRig(), { description: "old" });
    rig.send(calendar(vevent(uid, "SUMMARY:Renamed", "DESCRIPTION:One\\nTwo")));
    change(rig, id, { title: "Renamed", description: "<p>One</p><p>Two</p>" });
    await rig.drainAll();
    expect(rig.requests()).toEqual(["GET /projects/events"]);
    expect(rig.edit()).toMatchObject({ state: "confirmed", before: null });
    expect(rig.store.view.findUid(uid)?.item.description).toContain("<p>");
  });

  it("ignores another rendering of the same description", async () => {
    const { rig, id, uid } = await withEvent(drainRig(), { description: "One\nTwo" });
    rig.send(calendar(vevent(uid, "DESCRIPTION:Three")));
    change(rig, id, { description: "One<br>Two\n" });
    await rig.drainAll();
    expect(rig.workspaceEvents()).toMatchObject([{ description: "Three" }]);
  });

  it("parks a field that both sides changed, with every value", async () => {
    const { rig, id, uid } = await withEvent(drainRig(), { description: "old" });
    rig.send(calendar(vevent(uid, "SUMMARY:Mine", "DESCRIPTION:mine")));
    change(rig, id, { title: "Yours" });
    expect(await rig.drainAll()).toEqual(["parked: conflict"]);
    expect(rig.requests("PUT")).toEqual([]);
    const shown = JSON.parse(JSON.stringify(rig.editActions.show(1)));
    expect(shown.conflicts).toEqual([
      { field: "title", base: "Review", ours: "Yours", theirs: "Mine", taken: null },
    ]);
    expect(shown.problem).toMatch(/Title.*"Yours".*"Mine".*"Review"/);
    expect(rig.events).toMatchObject([{ kind: "parked", reason: "conflict" }]);
  });

  it("never overwrites a change that the person has not seen", async () => {
    const { rig, id, uid } = await withEvent(drainRig());
    rig.send(calendar(vevent(uid, "SUMMARY:Mine")));
    change(rig, id, { title: "Yours" });
    await rig.drainAll();
    const first = rig.editActions.retry(1);
    if (first.kind !== "overwrites") return expect.fail(first.kind);
    expect(first.edit).toMatchObject({ state: "parked", conflictVersion: first.version });
    expect(rig.editActions.retry(1, "0123456789ab")).toMatchObject({ kind: "overwrites" });

    // The workspace changes, the edit meets that and waits again: what was shown first is old.
    expect(rig.editActions.retry(1, first.version).kind).toBe("done");
    change(rig, id, { title: "Newest" });
    await rig.drainAll();
    const second = rig.editActions.retry(1, first.version);
    if (second.kind !== "overwrites") return expect.fail(second.kind);
    expect(second.version).not.toBe(first.version);
    expect(second.edit.words.conflicts[0]).toMatchObject({ workspace: "Newest", edit: "Mine" });
    await rig.drainAll();
    expect(rig.workspaceEvents()).toMatchObject([{ title: "Newest" }]);
    expect(rig.editActions.retry(1, second.version).kind).toBe("done");
    await rig.drainAll();
    expect(rig.workspaceEvents()).toMatchObject([{ title: "Mine" }]);
  });

  it("shows the times of a conflict in the account's time zone", async () => {
    const { rig, id, uid } = await withEvent(drainRig());
    rig.send(
      calendar(
        vevent(
          uid,
          "DTSTART;TZID=Europe/Berlin:20261124T090000",
          "DTEND;TZID=Europe/Berlin:20261124T100000",
        ),
      ),
    );
    change(rig, id, { start: "2026-11-25T11:00:00+01:00", end: "2026-11-25T12:00:00+01:00" });
    await rig.drainAll();
    const shown = rig.editActions.show(1);
    expect(shown?.words.conflicts[0]).toEqual({
      name: "When",
      before: "Mon 23 Nov 2026, 10:00–11:00 (Europe/Berlin)",
      workspace: "Wed 25 Nov 2026, 11:00–12:00 (Europe/Berlin)",
      edit: "Tue 24 Nov 2026, 09:00–10:00 (Europe/Berlin)",
    });
    expect(shown?.problem).not.toMatch(/\{|startAt|\dZ/);
  });

  it("keeps other additions to a set when a conflict is retried", async () => {
    const { rig, id, uid } = await withTask(drainRig());
    const label = rig.sandbox.workspace.labels.create(rig.by, { name: "Theirs", color: "#aabbcc" });
    rig.send(calendar(vtodo(uid, "SUMMARY:Mine", "CATEGORIES:Fresh")));
    changeTask(rig, id, { title: "Yours", labels: [label.id] });
    expect(await rig.drainAll()).toEqual(["parked: conflict"]);
    rig.keepMine();
    await rig.drainAll();
    const [task] = rig.workspaceTasks();
    expect(task).toMatchObject({ title: "Mine" });
    expect(task?.labels).toHaveLength(2);
    expect(task?.labels).toContain(label.id);
  });

  it("policy theirs: sends the edit and keeps the lost value on record", async () => {
    const { rig, id, uid } = await withEvent(drainRig({ conflicts: "theirs" }));
    rig.send(calendar(vevent(uid, "SUMMARY:Mine")));
    change(rig, id, { title: "Yours", description: "kept" });
    await rig.drainAll();
    expect(rig.workspaceEvents()).toMatchObject([{ title: "Mine", description: "kept" }]);
    expect(rig.editActions.show(1)).toMatchObject({
      state: "confirmed",
      conflicts: [
        { field: "title", base: "Review", ours: "Yours", theirs: "Mine", taken: "theirs" },
      ],
      replaced: expect.stringContaining('"Yours"'),
    });
  });

  it("policy ours: drops the field and keeps the edit's value on record", async () => {
    const { rig, id, uid } = await withEvent(drainRig({ conflicts: "ours" }));
    rig.send(calendar(vevent(uid, "SUMMARY:Mine", "DESCRIPTION:mine")));
    change(rig, id, { title: "Yours" });
    await rig.drainAll();
    expect(rig.bodies("PUT")).toEqual([{ description: "mine" }]);
    expect(rig.workspaceEvents()).toMatchObject([{ title: "Yours", description: "mine" }]);
    expect(rig.editActions.show(1)).toMatchObject({
      state: "confirmed",
      conflicts: [{ taken: "ours", theirs: "Mine" }],
      problem: expect.stringContaining('"Mine"'),
    });
    rig.send(calendar(vevent(uid, "SUMMARY:Mine again")));
    change(rig, id, { title: "Yours again" });
    await rig.drainAll();
    expect(rig.editActions.show(2)).toMatchObject({
      state: "discarded",
      problem: expect.stringContaining("dropped"),
    });
    expect(rig.store.view.findUid(uid)?.item.title).toBe("Yours again");
    expect(rig.events.at(-1)).toMatchObject({ kind: "dropped", edit: 2 });
  });

  it("does not mistake its own earlier edit, as the service stored it, for someone else's change", async () => {
    const { rig, uid } = await withTask(drainRig());
    rig.send(calendar(vtodo(uid, "SUMMARY:  Spaced  ", "CATEGORIES:Fresh")));
    rig.send(calendar(vtodo(uid, "SUMMARY:Next", "CATEGORIES:Fresh,More")));
    rig.send(calendar(vtodo(uid, "STATUS:CANCELLED")));
    expect(await rig.drainAll()).toEqual(["confirmed", "confirmed", "confirmed"]);
    expect(rig.workspaceTasks()).toEqual([]);
  });

  it("recognizes a person's own earlier edit from the same old file", async () => {
    const { rig, uid } = await withEvent(drainRig());
    rig.send(calendar(vevent(uid, "SEQUENCE:0", "SUMMARY:First")));
    await rig.drainAll();
    rig.send(calendar(vevent(uid, "SEQUENCE:0", "SUMMARY:Second")));
    expect(await rig.drainAll()).toEqual(["confirmed", "confirmed"]);
    rig.send(calendar(vevent(uid, "SEQUENCE:0", "SUMMARY:Third")), { actor: rig.person("member") });
    await rig.drainAll();
    expect(rig.states().at(-1)).toBe("parked: conflict");
    expect(rig.workspaceEvents()).toMatchObject([{ title: "Second" }]);
  });
});

describe("a deletion beside someone else's change", () => {
  it("policy theirs: deletes and keeps the lost version", async () => {
    const { rig, id, uid } = await withEvent(drainRig({ conflicts: "theirs" }));
    rig.send(calendar(vevent(uid, "STATUS:CANCELLED")));
    change(rig, id, { title: "Important now" });
    await rig.drainAll();
    expect(rig.workspaceEvents()).toEqual([]);
    expect(rig.editActions.show(1)?.replaced).toContain('"Important now"');
    rig.editActions.undo(1, { channel: "upload", actor: null });
    await rig.drainAll();
    expect(rig.workspaceEvents()).toMatchObject([{ title: "Important now" }]);
  });

  it("policy ours: keeps the item", async () => {
    const { rig, id, uid } = await withEvent(drainRig({ conflicts: "ours" }));
    rig.send(calendar(vevent(uid, "STATUS:CANCELLED")));
    change(rig, id, { title: "Important now" });
    await rig.drainAll();
    expect(rig.workspaceEvents()).toHaveLength(1);
    expect(rig.store.view.findUid(uid)).not.toBeNull();
    expect(rig.editActions.show(1)).toMatchObject({
      state: "discarded",
      problem: expect.stringContaining("not deleted"),
    });
  });
});
