import { describe, expect, it } from "vitest";
import { editId, serviceId } from "../../../src/domain/ids.ts";
import { UnidentifiedAnswerError } from "../../../src/store/journal/journal.ts";
import { anEvent, aTask, days } from "../../support/items.ts";
import { storeRig } from "../rig.ts";

const title = (text: string) => ({ title: text });

describe("the view over the journal", () => {
  it("append() result when an edit is pending: the view shows it at once, the mirror does not", () => {
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

  it("append() result when the edit is held: the view does not show it before it is resumed", () => {
    const { put, seen, append, store } = storeRig();
    const key = put(anEvent(1));
    const edit = append({ item: key, action: "delete", base: anEvent(1), state: "held" });
    expect(seen(key).pending).toBe(false);
    expect(store.journal.claimNext()).toBeNull();
    expect(store.journal.resume(edit)).toBe(true);
    expect(store.view.get(key)).toBeNull();
    expect(store.journal.resume(edit)).toBe(false);
  });

  it("put() result when the service changes another field under a pending edit: both are shown", () => {
    const { put, seen, wish } = storeRig();
    const key = put(anEvent(1));
    wish(key, "update", title("wished"));
    put(anEvent(1, { description: "from the service" }));
    expect(seen(key).item).toMatchObject({ title: "wished", description: "from the service" });
  });

  it("settle() result when an edit is parked: it leaves the view, and comes back when it is resumed", () => {
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

  it("discard() result when an edit is pending, claimed, confirmed", () => {
    const { put, seen, wish, store } = storeRig();
    const key = put(anEvent(1));
    const id = wish(key, "update", title("wished"));
    const sequence = seen(key).sequence;
    expect(store.journal.discard(id)).toBe(true);
    expect(seen(key).item.title).toBe("Event 1");
    expect(seen(key).sequence).toBe(sequence + 1);
    expect(store.journal.discard(id)).toBe(false);
    const second = wish(key, "update", title("second"));
    store.journal.claimNext();
    expect(store.journal.discard(second)).toBe(false);
    expect(store.journal.discard(editId(999))).toBe(false);
  });

  it("discard() result when a creation is discarded: the edits of what will not exist end with it", () => {
    const { conceive, wish, store } = storeRig();
    const { key, edit } = conceive(anEvent(1));
    const follower = wish(key, "update", title("renamed"));
    expect(store.journal.discard(edit)).toBe(true);
    expect(store.view.get(key)).toBeNull();
    expect(store.journal.get(follower)?.state).toBe("discarded");
    expect(store.journal.counts()).toEqual({ discarded: 2 });
  });
});

describe("claimNext()", () => {
  it("claimNext() result when one item has several edits: one after the other, others are not kept waiting", () => {
    const { put, wish, store } = storeRig();
    const [a, b] = [put(anEvent(1)), put(anEvent(2))];
    const [a1, a2, b1] = [
      wish(a, "update", title("a1")),
      wish(a, "update", title("a2")),
      wish(b, "update", title("b1")),
    ];
    const first = store.journal.claimNext();
    expect(first?.id).toBe(a1);
    expect(store.journal.claimNext()?.id).toBe(b1);
    expect(store.journal.claimNext()).toBeNull();
    if (!first) throw new Error("nothing was claimed");
    store.journal.confirm(first, anEvent(1, title("a1")));
    expect(store.journal.claimNext()?.id).toBe(a2);
  });

  it("claimNext() result when an older edit of the item is parked: the younger one goes", () => {
    const { put, wish, store } = storeRig();
    const key = put(anEvent(1));
    wish(key, "update", title("poison"));
    const younger = wish(key, "update", { description: "fine" });
    const poison = store.journal.claimNext();
    if (!poison) throw new Error("nothing was claimed");
    store.journal.settle(poison, { kind: "park", reason: "failed", problem: "never works" });
    expect(store.journal.claimNext()?.id).toBe(younger);
  });

  it("claimNext() result when the item has no id yet: its creation goes first", () => {
    const { conceive, wish, store } = storeRig();
    const { key, edit } = conceive(anEvent(1));
    const update = wish(key, "update", title("renamed"));
    const creation = store.journal.claimNext();
    expect(creation?.id).toBe(edit);
    expect(store.journal.claimNext()).toBeNull();
    if (!creation) throw new Error("nothing was claimed");
    store.journal.confirm(creation, anEvent(77));
    expect(store.journal.claimNext()?.id).toBe(update);
  });

  it.each([
    ["2026-11-20T12:00:10Z", "2026-11-20T12:00:09.999Z", "2026-11-20T12:00:10Z"],
    ["2026-11-20T12:00:10Z", "2026-11-20T12:00:09Z", "2026-11-20T12:00:10.5Z"],
    ["2026-11-20T12:00:10.25Z", "2026-11-20T12:00:10Z", "2026-11-20T12:00:10.3Z"],
  ])("claimNext() result when an edit may not go before %s", (notBefore, early, late) => {
    const { put, wish, store, clock } = storeRig();
    wish(put(anEvent(1)), "update", title("later"));
    const claimed = store.journal.claimNext();
    if (!claimed) throw new Error("nothing was claimed");
    const again = Temporal.Instant.from(notBefore);
    store.journal.settle(claimed, { kind: "retry", notBefore: again, problem: "busy" });
    expect(store.journal.nextAt()).toEqual(again);
    clock.set(early);
    expect(store.journal.claimNext()).toBeNull();
    clock.set(late);
    expect(store.journal.claimNext()).toMatchObject({ attempts: 2, problem: "busy" });
  });

  it("nextAt() result when edits wait for another edit, or for nothing", () => {
    const { put, wish, conceive, store, clock } = storeRig();
    expect(store.journal.nextAt()).toBeNull();
    const key = put(anEvent(1));
    wish(key, "update", title("a"));
    wish(key, "update", title("b"));
    const { key: unborn } = conceive(anEvent(2));
    wish(unborn, "update", title("c"));
    expect(store.journal.nextAt()).toEqual(clock());
    store.journal.claimNext();
    store.journal.claimNext();
    expect(store.journal.nextAt()).toBeNull();
  });

  it("release() result when claims were left by a crash: they wait again, with their attempts", () => {
    const { put, wish, store } = storeRig();
    const id = wish(put(anEvent(1)), "update", title("a"));
    store.journal.claimNext();
    expect(store.journal.release()).toBe(1);
    expect(store.journal.release()).toBe(0);
    expect(store.journal.claimNext()).toMatchObject({ id, attempts: 2 });
  });
});

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
    const { put, seen, wish, conceive, store } = storeRig();
    const key = put(anEvent(1));
    wish(key, "delete");
    const deletion = store.journal.claimNext();
    if (!deletion) throw new Error("nothing was claimed");
    store.journal.confirm(deletion, null);
    expect([store.mirror.get(key), store.view.get(key)]).toEqual([null, null]);

    const { key: born } = conceive(anEvent(5, { when: days("2026-12-01") }), "theirs@calendar");
    expect(seen(born)).toMatchObject({ uid: "theirs@calendar", sequence: 0, item: { id: null } });
    const creation = store.journal.claimNext();
    if (!creation) throw new Error("nothing was claimed");
    store.journal.confirm(creation, anEvent(5, { when: days("2026-12-01") }));
    expect(seen(born)).toMatchObject({ uid: "theirs@calendar", item: { id: 5 } });
    expect(store.mirror.find("event", serviceId(5))).toBe(born);
  });

  it("confirm() result when a sweep saw the new item first: one item stays, with the calendar's UID and all edits", () => {
    const { put, seen, wish, conceive, store } = storeRig();
    const { key } = conceive(aTask(9), "theirs@calendar");
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
    const { conceive, store, clock } = storeRig();
    const { edit } = conceive(anEvent(1));
    expect(store.journal.openCreations()).toEqual([]);
    const claimed = store.journal.claimNext();
    if (!claimed) throw new Error("nothing was claimed");
    store.journal.sending(edit);
    const sentAt = clock();
    clock.advance({ minutes: 1 });
    store.journal.sending(edit);
    expect(store.journal.openCreations()).toMatchObject([{ id: edit, sentAt }]);
    store.journal.confirm(claimed, anEvent(1));
    expect(store.journal.openCreations()).toEqual([]);
  });
});

describe("list()", () => {
  it("list() result when edits are in several states: newest first, up to the limit", () => {
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

  it("get() result when an edit says everything that an edit can", () => {
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
