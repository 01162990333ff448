import { describe, expect, it } from "vitest";
import { describeEdit } from "../../../src/edits/actions/describe.ts";
import { createEditActions } from "../../../src/edits/actions/edit-actions.ts";
import { anEvent, aTask } from "../../support/items.ts";
import { acceptRig, calendar, list, type RigSetting, vevent, vtodo } from "../rig.ts";

const party = vevent("party@example.com", "SUMMARY:Party", "DTSTART;VALUE=DATE:20261224");

function actionsRig(setting?: RigSetting) {
  const rig = acceptRig(setting);
  let released = 0;
  const actions = createEditActions({
    store: rig.store,
    onReleased: () => {
      released++;
    },
  });
  return { ...rig, actions, released: () => released };
}

describe("describing an edit", () => {
  it("shows a change with its previous values, as JSON", () => {
    const rig = actionsRig({ labels: "create" });
    const uid = rig.put(aTask(601, { title: "Write" }));
    rig.send(calendar(vtodo(uid, "SUMMARY:Rewrite", "CATEGORIES:Fresh")));
    const [edit] = rig.edits();
    expect(JSON.parse(JSON.stringify(edit && describeEdit(edit, rig.store)))).toMatchObject({
      id: 1,
      state: "pending",
      reason: null,
      channel: "upload",
      actor: 11,
      action: "update",
      item: { uid, kind: "task", id: 601, title: "Rewrite" },
      changes: [
        { field: "title", from: "Write", to: "Rewrite" },
        { field: "labels", from: [], to: ["Fresh"] },
      ],
      base: { title: "Write" },
      patch: { title: "Rewrite", labels: [] },
      newLabels: ["Fresh"],
      answer: null,
      attempts: 0,
      problem: null,
      notBefore: null,
      createdAt: "2026-11-20T12:00:00Z",
      updatedAt: "2026-11-20T12:00:00Z",
    });
  });

  it("shows a creation without previous values, even while nobody sees the item", () => {
    const rig = actionsRig({ mode: "review" });
    rig.send(calendar(party));
    const [edit] = rig.edits();
    expect(edit && describeEdit(edit, rig.store)).toMatchObject({
      item: { uid: "party@example.com", kind: "event", id: null, title: "Party" },
      base: null,
      changes: [{ field: "title", from: null, to: "Party" }, { field: "when" }],
    });
  });

  it("names the older edit of the same item that must go first", () => {
    const rig = actionsRig();
    const uid = rig.put(aTask(601, { title: "Write" }));
    for (const title of ["One", "Two", "Three"]) rig.send(calendar(vtodo(uid, `SUMMARY:${title}`)));
    rig.store.journal.claimNext();
    const told = rig.store.journal
      .list({ limit: 9 })
      .map(({ id }) => rig.actions.show(id)?.problem);
    const first = "it waits for edit 1 of the same item";
    expect(told.toReversed()).toEqual([null, first, first]);
  });

  it("names fields that the service did not store", () => {
    const rig = actionsRig();
    const uid = rig.put(anEvent(501));
    rig.send(calendar(vevent(uid, "SUMMARY:New")));
    const edit = rig.store.journal.claimNext() ?? expect.fail("nothing to claim");
    rig.store.journal.confirm(edit, anEvent(501, { title: "Old" }));
    const described = rig.actions.show(1);
    expect(described).toMatchObject({ state: "confirmed", answer: { title: "Old" } });
    expect(described?.problem).toContain("title");
  });
});

describe("listing and deciding about edits", () => {
  it("lists by state, newest first", () => {
    const { actions, send } = actionsRig();
    send(calendar(party));
    send(calendar(party.replace("Party", "Feast")));
    expect(actions.list({ state: undefined, limit: 9 })?.map(({ id }) => id)).toEqual([2, 1]);
    expect(actions.list({ state: "pending", limit: 1 })).toHaveLength(1);
    expect(actions.list({ state: "held", limit: 9 })).toEqual([]);
    expect(actions.list({ state: "lost", limit: 9 })).toBeNull();
    expect(actions.show(3)).toBeNull();
    expect(actions.show(0)).toBeNull();
  });

  it("approves held edits, discards, retries, and wakes the drain", () => {
    const { actions, send, store, released } = actionsRig({ mode: "review" });
    send(calendar(party, vtodo("chore@example.com", "SUMMARY:Chore")), { listId: list });
    expect(actions.approve(1)).toMatchObject({ kind: "done", edit: { state: "pending" } });
    expect(actions.discard(2)).toMatchObject({ kind: "done", edit: { state: "discarded" } });
    expect(actions.approve(2)).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("discarded"),
    });
    expect(actions.retry(9)).toEqual({ kind: "unknown" });
    const edit = store.journal.claimNext() ?? expect.fail("nothing to claim");
    store.journal.settle(edit, { kind: "park", reason: "failed", problem: "no" });
    expect(actions.retry(1)).toMatchObject({ kind: "done", edit: { state: "pending" } });
    expect(released()).toBe(3);
  });
});

it("refuses to approve an edit whose item was deleted and is being recreated", () => {
  const rig = actionsRig({ mode: "review" });
  const uid = rig.put(aTask(601, { title: "Write" }));
  rig.send(calendar(vtodo(uid, "SUMMARY:Rewrite")));
  const [held] = rig.edits();
  if (!held) throw new Error("nothing waits");
  rig.store.mirror.bury(held.item);
  const { base, channel, actor, item } = held;
  const creation = rig.store.journal.append({
    ...{ channel, actor, item, base: { ...base, id: null }, patch: {}, newLabels: [] },
    action: "create",
    state: "pending",
    recreates: true,
  });
  expect(rig.actions.approve(held.id)).toEqual({
    kind: "refused",
    reason: `the item of edit ${held.id} no longer exists, or is being recreated: the edit can only be discarded`,
  });
  expect(rig.released()).toBe(0);
  expect(rig.actions.discard(held.id)).toMatchObject({ kind: "done" });
  expect(rig.store.journal.claimNext()?.id).toBe(creation);
});
