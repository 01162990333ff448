import { describe, expect, it } from "vitest";
import { personId, projectId } from "../../../src/domain/ids.ts";
import { anEvent, aProject } from "../../support/items.ts";
import { acceptRig, calendar, codes, vevent, wishes, withItem } from "../rig.ts";

const anEventOnce = () =>
  withItem(acceptRig(), anEvent(501, { title: "One", description: "first" }));

describe("an item that was deleted meanwhile", () => {
  it("refuses a change, shows what was asked, and is never recreated", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(501, { title: "Review" }));
    rig.store.mirror.bury(rig.store.mirror.findUid(uid)?.item ?? expect.fail("no identity"));
    const item = rig.one(calendar(vevent(uid, "SEQUENCE:0", "SUMMARY:Renamed")));
    expect(codes(item)).toEqual(["gone"]);
    expect(item.changes).toEqual([{ field: "title", from: "Review", to: "Renamed" }]);
    expect(rig.edits()).toEqual([]);
  });

  it("counts as deleted if the file deletes it", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(501));
    const file = calendar(vevent(uid, "STATUS:CANCELLED"));
    expect(rig.one(file).action).toBe("delete");
    expect(rig.one(file).action).toBe("unchanged");
    expect(rig.edits()).toHaveLength(1);
  });
});

describe("the version that the editor saw", () => {
  it("is the one named by SEQUENCE, so that other people's changes stay", () => {
    const { rig, uid } = anEventOnce();
    rig.put(anEvent(501, { title: "Two", description: "first" }));
    const stale = calendar(vevent(uid, "SEQUENCE:0", "SUMMARY:One", "DESCRIPTION:second"));
    const item = rig.one(stale);
    expect(wishes(item)).toEqual({ description: "second" });
    expect(rig.edits()[0]).toMatchObject({
      base: { title: "One" },
      patch: { description: "second" },
    });
    expect(rig.store.view.findUid(uid)?.item).toMatchObject({
      title: "Two",
      description: "second",
    });
  });

  it("is found even if the editor can no longer see the item", () => {
    const { rig, uid } = anEventOnce();
    rig.put(anEvent(501, { title: "Two", description: "first" }));
    const members = [personId(11)];
    rig.store.directory.putProjects([{ ...aProject(2001, "Website"), members }], true);
    const stale = calendar(vevent(uid, "SEQUENCE:0", "SUMMARY:One", "DESCRIPTION:second"));
    const item = rig.one(stale, { actor: personId(12) });
    expect(wishes(item)).toEqual({ description: "second" });
  });

  it("is the one with the fewest changes if the copy names none", () => {
    const { rig, uid } = anEventOnce();
    rig.put(anEvent(501, { title: "Two", description: "first" }));
    const item = rig.one(calendar(vevent(uid, "SUMMARY:One", "DESCRIPTION:second")));
    expect(wishes(item)).toEqual({ description: "second" });
  });

  it("is what a program has put, if the copy names the version before it", () => {
    const { rig, uid } = anEventOnce();
    const put = (...lines: readonly string[]) =>
      calendar(vevent(uid, "SEQUENCE:0", "X-DAYFERRY-BASE:0", ...lines));
    const byProgram = { channel: "caldav", actor: personId(11) } as const;
    rig.one(put("SUMMARY:Two", "DESCRIPTION:first"), byProgram);
    rig.clock.advance({ minutes: 1 });
    rig.put(anEvent(501, { title: "One", description: "first" }));
    rig.clock.advance({ minutes: 1 });
    const item = rig.one(put("SUMMARY:Two", "DESCRIPTION:second"));
    expect(wishes(item)).toEqual({ description: "second" });
  });

  it.each(["upload", "cli", "inbox"] as const)(
    "is what a file by %s said, if the copy names the version before it",
    (channel) => {
      const { rig, uid } = anEventOnce();
      const handIn = (...lines: readonly string[]) =>
        rig.one(calendar(vevent(uid, "SEQUENCE:0", "X-DAYFERRY-BASE:0", ...lines)), { channel });
      handIn("SUMMARY:One", "DESCRIPTION:second");
      rig.clock.advance({ minutes: 1 });
      const byOther = { channel: "caldav", actor: personId(12) } as const;
      rig.one(calendar(vevent(uid, "SEQUENCE:0", "DESCRIPTION:third")), byOther);
      rig.clock.advance({ minutes: 1 });
      const item = handIn("SUMMARY:Two", "DESCRIPTION:second");
      expect(wishes(item)).toEqual({ title: "Two" });
    },
  );

  it("is the oldest candidate that programs have put, so that later changes are a conflict", () => {
    const { rig, uid } = anEventOnce();
    const put = (actor: number, ...lines: readonly string[]) =>
      rig.one(calendar(vevent(uid, "SEQUENCE:0", "X-DAYFERRY-BASE:0", ...lines)), {
        channel: "caldav",
        actor: personId(actor),
      });
    put(11, "CLASS:PRIVATE", "SUMMARY:One", "DESCRIPTION:first");
    rig.clock.advance({ minutes: 1 });
    put(12, "CLASS:PRIVATE", "SUMMARY:One", "DESCRIPTION:second");
    rig.clock.advance({ minutes: 1 });
    const item = put(11, "CLASS:PRIVATE", "SUMMARY:Three", "DESCRIPTION:third");
    expect(rig.edits().at(-1)?.base).toMatchObject({ private: true, description: "first" });
    expect(codes(item)).toContain("changed-meanwhile");
  });

  it("may be any version for a file in the inbox that names none", () => {
    const { rig, uid } = anEventOnce();
    const drop = (...lines: readonly string[]) =>
      rig.one(calendar(vevent(uid, ...lines)), { channel: "inbox", actor: null });
    drop("SUMMARY:Two", "DESCRIPTION:first");
    rig.clock.advance({ minutes: 1 });
    expect(wishes(drop("SUMMARY:One", "DESCRIPTION:second"))).toEqual({ description: "second" });
  });

  it("is no older than the last edit of the same program, if the copy names none", () => {
    const { rig, uid } = anEventOnce();
    const file = (...lines: readonly string[]) => calendar(vevent(uid, ...lines));
    rig.one(file("SUMMARY:Two", "DESCRIPTION:first"), { program: "One/1.0" });
    rig.clock.advance({ minutes: 1 });
    const item = rig.one(file("SUMMARY:One", "DESCRIPTION:second"), { program: "Other/1.0" });
    expect(wishes(item)).toEqual({ description: "second" });
  });

  it("is the editor's own edit if the editor puts a value back", () => {
    const { rig, uid } = anEventOnce();
    rig.one(calendar(vevent(uid, "SUMMARY:Two", "DESCRIPTION:first")));
    rig.clock.advance({ minutes: 1 });
    const item = rig.one(calendar(vevent(uid, "SUMMARY:One", "DESCRIPTION:second")));
    expect(wishes(item)).toEqual({ title: "One", description: "second" });
  });

  it("makes a field that someone else changed a conflict, with a note", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(501, { title: "One" }));
    rig.put(anEvent(501, { title: "Two", reminder: Temporal.Duration.from({ minutes: 5 }) }));
    const item = rig.one(calendar(vevent(uid, "SEQUENCE:0", "SUMMARY:Three")));
    expect(item.changes).toEqual([{ field: "title", from: "Two", to: "Three" }]);
    expect(codes(item)).toEqual(["changed-meanwhile"]);
    expect(item.problems[0]?.message).toContain('"Two"');
  });

  it("drops a wish that has already come true", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(501, { title: "One" }));
    rig.put(anEvent(501, { title: "Two" }));
    expect(rig.one(calendar(vevent(uid, "SEQUENCE:0", "SUMMARY:Two"))).action).toBe("unchanged");
  });

  it.each([["SEQUENCE:7"], ["DTSTAMP:20261120T100000Z"]])(
    "is the present one if the file says %s",
    (line) => {
      const { rig, uid } = withItem(acceptRig(), anEvent(501, { title: "One" }));
      rig.put(anEvent(501, { title: "Two" }));
      expect(wishes(rig.one(calendar(vevent(uid, line, "SUMMARY:One"))))).toEqual({ title: "One" });
    },
  );

  it.each([
    [
      "the feed's mark, though the program has raised SEQUENCE",
      ["X-DAYFERRY-BASE:0", "SEQUENCE:1"],
    ],
    ["LAST-MODIFIED without a SEQUENCE", ["LAST-MODIFIED:20261120T120000Z"]],
    ["SEQUENCE and LAST-MODIFIED together", ["SEQUENCE:0", "LAST-MODIFIED:20261120T120000Z"]],
  ])("is the one named by %s", (_name, lines) => {
    const { rig, uid } = withItem(acceptRig(), anEvent(501, { title: "One" }));
    rig.clock.advance({ minutes: 1 });
    rig.put(anEvent(501, { title: "Two" }));
    const item = rig.one(calendar(vevent(uid, ...lines, "SUMMARY:One", "DESCRIPTION:new")));
    expect(wishes(item)).toEqual({ description: "new" });
    expect(item.problems).toEqual([]);
    expect(rig.edits()[0]?.base.title).toBe("One");
  });

  it("is the present one if SEQUENCE and LAST-MODIFIED name none together", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(501, { title: "One" }));
    rig.clock.advance({ minutes: 1 });
    rig.put(anEvent(501, { title: "Two" }));
    const raised = calendar(
      vevent(uid, "SEQUENCE:0", "LAST-MODIFIED:20261120T123000Z", "SUMMARY:One"),
    );
    expect(wishes(rig.one(raised))).toEqual({ title: "One" });
  });

  it("is the base of a deletion", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(501, { title: "One" }));
    rig.put(anEvent(501, { title: "Two" }));
    rig.one(calendar(vevent(uid, "SEQUENCE:0", "STATUS:CANCELLED")));
    expect(rig.edits()[0]).toMatchObject({ action: "delete", base: { title: "One" } });
  });

  it("has the item's own project, whatever the request names", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(501));
    rig.one(calendar(vevent(uid, "SUMMARY:New")), { projectId: projectId(2002) });
    expect(rig.edits()[0]?.base.projectId).toBe(2001);
  });
});
