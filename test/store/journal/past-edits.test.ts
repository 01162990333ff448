import { atOnce } from "@dayferry/event-loop";
import { describe, expect, it } from "vitest";
import { personId } from "../../../src/domain/ids.ts";
import { anEvent, aTask } from "../../support/items.ts";
import { storeRig } from "../rig.ts";

type Rig = ReturnType<typeof storeRig>;

function confirmNext({ store }: Rig, title: string) {
  const edit = store.journal.claimNext() ?? expect.fail("nothing to claim");
  store.journal.confirm(edit, anEvent(1, { title }));
  return edit;
}

describe("prune()", () => {
  it("removes edits that ended long ago, and keeps open and recent ones", () => {
    const rig = storeRig();
    const { put, wish, store, clock } = rig;
    const [key, other] = [put(anEvent(1)), put(anEvent(2))];
    wish(key, "update", { title: "one" });
    const done = confirmNext(rig, "one");
    const discarded = wish(key, "update", { title: "never" });
    store.journal.discard(discarded);
    const undo = store.journal.append({
      ...{ channel: "upload", actor: null, item: key, action: "update", newLabels: [] },
      base: anEvent(1, { title: "one" }),
      patch: { title: "Event 1" },
      state: "pending",
      undoes: done.id,
    });
    const open = wish(other, "update", { title: "waits" });
    clock.advance({ hours: 24 * 40 });
    confirmNext(rig, "Event 1");
    expect(store.journal.get(done.id)?.state).toBe("undone");
    clock.advance({ hours: 24 * 60 });
    expect(atOnce(store.pastEdits.prune(clock().subtract({ hours: 24 * 90 })))).toBe(1);
    expect(store.journal.get(discarded)).toBeNull();
    expect(store.journal.get(done.id)?.state).toBe("undone");
    clock.advance({ hours: 24 * 40 });
    expect(atOnce(store.pastEdits.prune(clock().subtract({ hours: 24 * 90 })))).toBe(2);
    expect(store.journal.get(undo)).toBeNull();
    expect(store.journal.get(open)?.state).toBe("pending");
  });

  it("removes old versions, and keeps each item's newest as a base", () => {
    const { put, seen, store, clock } = storeRig();
    const key = put(anEvent(1, { title: "first" }));
    clock.advance({ hours: 24 * 10 });
    put(anEvent(1, { title: "second" }));
    const { sequence } = seen(key);
    const shown = (at: number) => store.view.shownAs(key, { sequence: at, modifiedAt: null }, null);
    atOnce(store.pastEdits.prune(clock().subtract({ hours: 24 * 20 })));
    expect(shown(sequence - 1)).toMatchObject({ title: "first" });
    clock.advance({ hours: 24 * 200 });
    atOnce(store.pastEdits.prune(clock()));
    expect(shown(sequence - 1)).toBeNull();
    expect(shown(sequence)).toMatchObject({ title: "second" });
  });
});

it("deletionsSince() counts one person's deletions by one channel, without the discarded ones", () => {
  const { put, append, store, clock } = storeRig();
  const remove = (id: number, actor: number | null) => {
    const base = anEvent(id);
    const by = { channel: "upload", actor: actor === null ? null : personId(actor) } as const;
    return store.journal.append({
      ...by,
      item: put(base),
      action: "delete",
      base,
      patch: {},
      newLabels: [],
      state: "pending",
    });
  };
  const since = clock();
  const count = (actor: number | null) =>
    store.pastEdits.deletionsSince(since, {
      channel: "upload",
      actor: actor === null ? null : personId(actor),
    });
  remove(1, 11);
  expect(count(11)).toBe(0);
  clock.advance({ milliseconds: 700 });
  remove(2, 11);
  remove(3, null);
  store.journal.discard(remove(4, 11));
  append({ item: put(anEvent(5)), action: "update", base: anEvent(5), patch: { title: "x" } });
  expect([count(11), count(null), count(12)]).toEqual([1, 1, 0]);
});

it("ofItem() gives an item's edits, newest first", () => {
  const { put, wish, store } = storeRig();
  const [one, two] = [put(anEvent(1)), put(aTask(2))];
  const ids = [wish(one, "update", { title: "a" }), wish(one, "update", { title: "b" })];
  wish(two, "update", { title: "c" });
  expect(store.pastEdits.ofItem(one).map(({ id }) => id)).toEqual(ids.toReversed());
});

it("shownAs() finds a version by SEQUENCE and LAST-MODIFIED, unless these contradict each other", () => {
  const { put, seen, store, clock } = storeRig();
  const key = put(anEvent(1, { title: "first" }));
  const first = seen(key);
  clock.advance({ minutes: 1 });
  put(anEvent(1, { title: "second" }));
  const { sequence, modifiedAt } = seen(key);
  const title = (shown: Parameters<typeof store.view.shownAs>[1]) =>
    store.view.shownAs(key, shown, null)?.title ?? null;
  expect(title({ sequence: first.sequence, modifiedAt: first.modifiedAt })).toBe("first");
  expect(title({ sequence: null, modifiedAt: first.modifiedAt })).toBe("first");
  expect(title({ sequence, modifiedAt })).toBe("second");
  expect(title({ sequence, modifiedAt: first.modifiedAt })).toBeNull();
  expect(title({ sequence: null, modifiedAt: clock().add({ hours: 1 }) })).toBeNull();
  expect(title({ sequence: null, modifiedAt: null })).toBeNull();
});
