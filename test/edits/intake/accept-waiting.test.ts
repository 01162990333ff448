import { describe, expect, it } from "vitest";
import { personId, projectId } from "../../../src/domain/ids.ts";
import { anEvent } from "../../support/items.ts";
import {
  acceptRig,
  calendar,
  codes,
  list,
  type RigSetting,
  vevent,
  vtodo,
  withItem,
} from "../rig.ts";

const party = vevent("party@example.com", "SUMMARY:Party", "DTSTART;VALUE=DATE:20261224");

describe("deletions in a file", () => {
  const uids = (rig: ReturnType<typeof acceptRig>, count: number) =>
    Array.from({ length: count }, (_, index) => rig.put(anEvent(501 + index)));
  const cancel = (uid: string) => vevent(uid, "STATUS:CANCELLED");

  it("need STATUS:CANCELLED or METHOD:CANCEL; a missing UID deletes nothing", () => {
    const rig = acceptRig();
    const [one = "", two = "", three = ""] = uids(rig, 3);
    expect(rig.one(calendar(cancel(one))).action).toBe("delete");
    expect(rig.one(calendar("METHOD:CANCEL", vevent(two))).action).toBe("delete");
    expect(rig.store.view.findUid(one)).toBeNull();
    expect(rig.store.view.findUid(three)).not.toBeNull();
    expect(rig.edits().map(({ action }) => action)).toEqual(["delete", "delete"]);
  });

  it("are sent up to ten, and all held from eleven", () => {
    const ten = acceptRig();
    const few = ten.plan(calendar(...uids(ten, 10).map(cancel)));
    expect(few.summary).toMatchObject({ delete: 10 });
    expect(ten.edits().every(({ state }) => state === "pending")).toBe(true);

    const eleven = acceptRig();
    const file = calendar(...uids(eleven, 11).map(cancel), party);
    const many = eleven.plan(file);
    expect(many.summary).toMatchObject({ delete: 11, create: 1 });
    expect(many.items.filter((item) => codes(item).includes("held"))).toHaveLength(11);
    expect(eleven.edits().filter(({ state }) => state === "held")).toHaveLength(11);
    expect(eleven.store.view.count(projectId(2001))).toBe(12);

    const again = eleven.plan(file);
    expect(again.items.map(({ editId }) => editId)).toEqual([
      ...many.items.slice(0, 11).map(({ editId }) => editId),
      null,
    ]);
    expect(eleven.edits()).toHaveLength(12);
  });

  it("are counted per editor within a minute, across files", () => {
    const rig = acceptRig();
    const all = uids(rig, 14);
    for (const uid of all.slice(0, 9)) rig.send(calendar(cancel(uid)));
    rig.clock.advance({ seconds: 59 });
    const [a = "", b = "", c = "", d = "", e = ""] = all.slice(9);
    const two = rig.plan(calendar(cancel(a), cancel(b)));
    expect(two.items.map(codes)).toEqual([["held"], ["held"]]);
    expect(rig.one(calendar(cancel(c)), { actor: personId(12) }).problems).toEqual([]);
    expect(rig.one(calendar(cancel(d)), { channel: "inbox" }).problems).toEqual([]);
    rig.clock.advance({ minutes: 1 });
    expect(rig.one(calendar(cancel(e))).problems).toEqual([]);
    expect(rig.edits().filter(({ state }) => state === "held")).toHaveLength(2);
  });
});

describe("a file in review mode", () => {
  const review: RigSetting = { mode: "review" };

  it("is held as a whole, and the same wish only once", () => {
    const { rig, uid } = withItem(acceptRig(review), anEvent(501));
    const file = calendar(vevent(uid, "SUMMARY:New"), party);
    const first = rig.plan(file);
    expect(first.summary).toMatchObject({ update: 1, create: 1 });
    expect(rig.edits().map(({ state }) => state)).toEqual(["held", "held"]);
    expect(rig.woken()).toBe(0);

    const second = rig.plan(file);
    expect(second.items.map(({ action }) => action)).toEqual(["update", "create"]);
    expect(second.items.map(codes)).toEqual([["waiting"], ["waiting"]]);
    expect(second.items.map(({ editId }) => editId)).toEqual(
      first.items.map(({ editId }) => editId),
    );
    expect(rig.edits()).toHaveLength(2);
  });

  it("replaces a creation that waits with a corrected one", () => {
    const rig = acceptRig(review);
    rig.one(calendar(party));
    const item = rig.one(calendar(party.replace("Party", "Feast")));
    expect(item).toMatchObject({ action: "create", title: "Feast" });
    expect(codes(item)).toEqual(["replaces"]);
    expect(rig.edits().map(({ state }) => state)).toEqual(["discarded", "held"]);
  });

  it("may not cancel a creation that waits, or change its kind", () => {
    const rig = acceptRig(review);
    rig.one(calendar(party));
    const uid = "party@example.com";
    expect(codes(rig.one(calendar(vevent(uid, "STATUS:CANCELLED"))))).toEqual(["waiting"]);
    const todo = calendar(vtodo(uid, "SUMMARY:Party"));
    expect(codes(rig.one(todo, { listId: list }))).toEqual(["kind"]);
  });

  it("creates again what a person discarded, and cannot cancel it", () => {
    const rig = acceptRig(review);
    rig.one(calendar(party));
    const [edit] = rig.edits();
    rig.store.journal.discard(edit?.id ?? expect.fail("no edit"));
    const cancelled = rig.one(calendar(vevent("party@example.com", "STATUS:CANCELLED")));
    expect(codes(cancelled)).toEqual(["unknown-uid"]);
    expect(rig.one(calendar(party))).toMatchObject({ action: "create", problems: [] });
    expect(rig.edits()[1]?.item).toBe(edit?.item);
  });
});

describe("a UID whose creation is parked", () => {
  function parked(reason: "refused" | "unknown-outcome") {
    const rig = acceptRig();
    rig.one(calendar(party));
    const edit = rig.store.journal.claimNext() ?? expect.fail("nothing to claim");
    rig.store.journal.settle(edit, { kind: "park", reason, problem: "title is too long" });
    return rig;
  }

  it("takes the same wish for the parked one", () => {
    const rig = parked("refused");
    const item = rig.one(calendar(party));
    expect(item).toMatchObject({ action: "create", editId: 1 });
    expect(item.problems[0]?.message).toContain("title is too long");
    expect(rig.edits()).toHaveLength(1);
  });

  it("replaces a refused creation with another wish", () => {
    const rig = parked("refused");
    expect(codes(rig.one(calendar(party.replace("Party", "Feast"))))).toEqual(["replaces"]);
    expect(rig.edits().map(({ state }) => state)).toEqual(["discarded", "pending"]);
  });

  it("refuses another wish while the outcome of the first is unknown", () => {
    const rig = parked("unknown-outcome");
    const item = rig.one(calendar(party.replace("Party", "Feast")));
    expect(item.action).toBe("refused");
    expect(codes(item)).toEqual(["waiting"]);
  });
});
