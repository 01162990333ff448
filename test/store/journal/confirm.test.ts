import { describe, expect, it } from "vitest";
import { serviceId } from "../../../src/domain/ids.ts";
import { UnidentifiedAnswerError } from "../../../src/store/journal/endings.ts";
import { leaveCreating } from "../../support/edits.ts";
import { anEvent, aTask, days } from "../../support/items.ts";
import { storeRig, title } from "../rig.ts";

describe("confirm()", () => {
  it("confirm() result when the service answers an update: its answer is the mirror's row and the view", () => {
    const { put, seen, wish, store } = storeRig();
    const key = put(anEvent(1));
    const id = wish(key, "update", title("  wished "));
    const edit = store.journal.claimNext();
    if (!edit) throw new Error("nothing was claimed");
    const answer = anEvent(1, { title: "wished", description: "changed meanwhile" });
    store.journal.confirm(edit, answer);
    expect(store.mirror.get(key)?.item).toMatchObject({ title: "wished" });
    expect(seen(key)).toMatchObject({
      pending: false,
      item: { title: "wished", description: "changed meanwhile" },
    });
    expect(store.journal.get(id)).toMatchObject({
      state: "confirmed",
      problem: null,
      answer: { id: 1, title: "wished" },
    });
  });

  it("confirm() result when the answer equals what the view shows: calendars are told nothing new", () => {
    const { put, seen, wish, store } = storeRig();
    const key = put(anEvent(1));
    wish(key, "update", title("wished"));
    const before = seen(key);
    const edit = store.journal.claimNext();
    if (!edit) throw new Error("nothing was claimed");
    const latest = store.changes.latest();
    store.journal.confirm(edit, anEvent(1, title("wished")));
    expect(seen(key)).toMatchObject({ sequence: before.sequence, modifiedAt: before.modifiedAt });
    expect(store.changes.latest()).toBe(latest);
  });

  it("confirm() result when a deletion is done, and when a creation is", () => {
    const { put, seen, wish, appendCreation, store } = storeRig();
    const key = put(anEvent(1));
    wish(key, "delete");
    const deletion = store.journal.claimNext();
    if (!deletion) throw new Error("nothing was claimed");
    store.journal.confirm(deletion, null);
    expect([store.mirror.get(key), store.view.get(key)]).toEqual([null, null]);

    const { key: created } = appendCreation(
      anEvent(5, { when: days("2026-12-01") }),
      "theirs@calendar",
    );
    expect(seen(created)).toMatchObject({
      uid: "theirs@calendar",
      sequence: 0,
      item: { id: null },
    });
    const creation = store.journal.claimNext();
    if (!creation) throw new Error("nothing was claimed");
    store.journal.confirm(creation, anEvent(5, { when: days("2026-12-01") }));
    expect(seen(created)).toMatchObject({ uid: "theirs@calendar", item: { id: 5 } });
    expect(store.mirror.find("event", serviceId(5))).toBe(created);
  });

  it("confirm() result when a sweep saw the new item first: one item stays, with the calendar's UID and all edits", () => {
    const { put, seen, wish, appendCreation, store } = storeRig();
    const { key } = appendCreation(aTask(9), "theirs@calendar");
    const creation = store.journal.claimNext();
    if (!creation) throw new Error("nothing was claimed");
    const twin = put(aTask(9));
    expect(twin).not.toBe(key);
    const edit = wish(twin, "update", title("edited on the twin"));
    store.journal.confirm(creation, aTask(9));
    expect(store.view.get(twin)).toBeNull();
    expect(seen(key)).toMatchObject({
      uid: "theirs@calendar",
      item: { id: 9, title: "edited on the twin" },
    });
    expect(put(aTask(9))).toBe(key);
    expect(store.journal.claimNext()).toMatchObject({ id: edit, item: key });
    expect(store.mirror.counts()).toEqual({ event: 0, task: 1, subtask: 0 });
  });

  it("confirm() result when the answer has no id: refused whole", () => {
    const { put, wish, store } = storeRig();
    const key = put(anEvent(1));
    const id = wish(key, "update", title("wished"));
    const edit = store.journal.claimNext();
    if (!edit) throw new Error("nothing was claimed");
    expect(() => store.journal.confirm(edit, { ...anEvent(1), id: null })).toThrow(
      UnidentifiedAnswerError,
    );
    expect(store.journal.get(id)?.state).toBe("claimed");
    expect(store.view.get(key)?.item.title).toBe("wished");
  });

  it("openCreations() result when a creating request left: it is open until it is settled", () => {
    const { appendCreation, store, clock } = storeRig();
    const { edit } = appendCreation(anEvent(1));
    expect(store.journal.openCreations()).toEqual([]);
    const claimed = store.journal.claimNext();
    if (!claimed) throw new Error("nothing was claimed");
    leaveCreating(store, edit);
    const sentAt = clock();
    clock.advance({ minutes: 1 });
    leaveCreating(store, edit);
    expect(store.journal.openCreations()).toMatchObject([{ id: edit, sentAt }]);
    store.journal.confirm(claimed, anEvent(1));
    expect(store.journal.openCreations()).toEqual([]);
  });
});
