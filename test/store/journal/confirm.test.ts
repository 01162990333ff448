import { describe, expect, it } from "vitest";
import { serviceId } from "../../../src/domain/ids.ts";
import { UnidentifiedAnswerError } from "../../../src/store/journal/endings.ts";
import { leaveCreating } from "../../support/edits.ts";
import { anEvent, aTask, days } from "../../support/items.ts";
import { storeRig, title } from "../rig.ts";

describe("confirm()", () => {
  it("puts the service's answer to an update into mirror and view", () => {
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

  it("gives calendars nothing new when the answer equals the view", () => {
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

  it("settles deletions and creations", () => {
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

  it("keeps one item, with the calendar's UID and all edits, when a sweep saw the new item first", () => {
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

  it("refuses an answer without an id completely", () => {
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

  it("openCreations() lists a sent creation until it is settled", () => {
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
