import { describe, expect, it } from "vitest";
import { editId } from "../../../src/domain/ids.ts";
import { anEvent, aTask, days } from "../../support/items.ts";
import { storeRig, title } from "../rig.ts";

describe("the view over the journal", () => {
  it("append() shows a pending edit at once in the view, and not in the mirror", () => {
    const { put, seen, wish, store } = storeRig();
    const key = put(anEvent(1));
    const { sequence } = seen(key);
    wish(key, "update", title("wished"));
    expect(seen(key)).toMatchObject({
      pending: true,
      sequence: sequence + 1,
      item: { id: 1, title: "wished" },
    });
    expect(store.mirror.get(key)?.item.title).toBe("Event 1");
  });

  it("append() hides a held edit from the view until it is resumed", () => {
    const { put, seen, append, store } = storeRig();
    const key = put(anEvent(1));
    const edit = append({ item: key, action: "delete", base: anEvent(1), state: "held" });
    expect(seen(key).pending).toBe(false);
    expect(store.journal.claimNext()).toBeNull();
    expect(store.journal.resume(edit)).toBe(true);
    expect(store.view.get(key)).toBeNull();
    expect(store.journal.resume(edit)).toBe(false);
  });

  it("put() shows the service's change of another field together with a pending edit", () => {
    const { put, seen, wish } = storeRig();
    const key = put(anEvent(1));
    wish(key, "update", title("wished"));
    put(anEvent(1, { description: "from the service" }));
    expect(seen(key).item).toMatchObject({ title: "wished", description: "from the service" });
  });

  it("settle() takes a parked edit out of the view until it is resumed", () => {
    const { put, seen, wish, store } = storeRig();
    const key = put(anEvent(1));
    const id = wish(key, "update", title("wished"));
    const claimed = store.journal.claimNext();
    if (!claimed) throw new Error("nothing to claim");
    store.journal.settle(claimed, { kind: "park", reason: "refused", problem: "no access" });
    expect(seen(key).item.title).toBe("Event 1");
    expect(store.journal.get(id)).toMatchObject({
      state: "parked",
      parkReason: "refused",
      problem: "no access",
      attempts: 1,
    });
    expect(store.journal.resume(id)).toBe(true);
    expect(seen(key).item.title).toBe("wished");
    expect(store.journal.get(id)).toMatchObject({
      state: "pending",
      parkReason: null,
      attempts: 0,
    });
  });

  it("resume() parks an edit with its item's parked creation, and lets a later creation go", () => {
    const { append, appendCreation, store } = storeRig();
    const base = { ...anEvent(1), id: null };
    const { key: item } = appendCreation(base);
    const claimed = store.journal.claimNext() ?? expect.fail("nothing to claim");
    store.journal.settle(claimed, { kind: "park", reason: "refused", problem: "no access" });
    const held = append({ item, action: "update", base, patch: title("wished"), state: "held" });
    const again = append({ item, action: "create", base });
    expect(store.journal.resume(held)).toBe(true);
    expect(store.journal.get(held)).toMatchObject({
      state: "parked",
      problem: `the item was not created: edit ${claimed.id} is waiting for a decision; this edit follows it`,
    });
    expect(store.journal.claimNext()?.id).toBe(again);
  });

  it("discard() ends a pending edit, but no claimed or confirmed one", () => {
    const { put, seen, wish, store } = storeRig();
    const key = put(anEvent(1));
    const id = wish(key, "update", title("wished"));
    const sequence = seen(key).sequence;
    expect(store.journal.discard(id)).toBe(true);
    expect(seen(key).item.title).toBe("Event 1");
    expect(seen(key).sequence).toBe(sequence + 1);
    expect(store.journal.discard(id)).toBe(false);
    const second = wish(key, "update", title("second"));
    const claimed = store.journal.claimNext();
    if (!claimed) throw new Error("nothing was claimed");
    expect(store.journal.discard(second)).toBe(false);
    store.journal.confirm(claimed, anEvent(1, title("second")));
    expect(store.journal.discard(second)).toBe(false);
    expect(store.journal.discard(editId(999))).toBe(false);
  });

  it("discard() of a creation ends the edits of what will not exist", () => {
    const { appendCreation, wish, store } = storeRig();
    const { key, edit } = appendCreation(anEvent(1));
    const follower = wish(key, "update", title("renamed"));
    expect(store.journal.discard(edit)).toBe(true);
    expect(store.view.get(key)).toBeNull();
    expect(store.journal.get(follower)?.state).toBe("discarded");
    expect(store.journal.counts()).toEqual({ discarded: 2 });
  });
});

describe("list()", () => {
  it("gives edits of all states newest first, up to the limit", () => {
    const { put, wish, store } = storeRig();
    const key = put(anEvent(1));
    const ids = ["a", "b", "c"].map((text) => wish(key, "update", title(text)));
    store.journal.claimNext();
    expect(store.journal.list({ limit: 2 }).map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(store.journal.list({ state: "claimed", limit: 9 }).map(({ id }) => id)).toEqual([
      ids[0],
    ]);
    expect(store.journal.counts()).toEqual({ claimed: 1, pending: 2 });
    expect(store.journal.get(editId(99))).toBeNull();
  });

  it("get() gives back everything that an edit can contain", () => {
    const { put, store, append } = storeRig();
    const key = put(aTask(1));
    const patch = {
      title: "t",
      description: null,
      completed: true,
      dueOn: Temporal.PlainDate.from("2026-12-01"),
      startOn: null,
      estimated: Temporal.Duration.from({ minutes: 90 }),
      reminder: null,
      when: days("2026-12-01", "2026-12-02"),
      milestone: false,
      private: true,
    };
    const id = append({ item: key, action: "update", base: aTask(1), patch });
    expect(store.journal.get(id)).toMatchObject({
      base: { ...aTask(1) },
      patch,
      item: key,
      channel: "upload",
    });
  });
});
