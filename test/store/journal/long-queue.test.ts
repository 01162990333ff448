import { describe, expect, it } from "vitest";
import { anEvent } from "../../support/items.ts";
import { storeRig, title } from "../rig.ts";

/** Edits of so many items, an hour old, and one of just now. */
function longQueue(count: number) {
  const rig = storeRig();
  const { put, wish, store, clock } = rig;
  const keys = Array.from({ length: count }, (_, at) => put(anEvent(at + 1)));
  const old = keys.map((key) => wish(key, "update", title("changed")));
  clock.advance({ hours: 1 });
  const claim = () => store.journal.claimNext()?.id ?? null;
  return { ...rig, keys, old, claim };
}

describe("claimNext() of a long queue", () => {
  it("alternates between the newest and the oldest edit, so that neither waits behind the other", () => {
    const { old, claim, put, wish } = longQueue(10);
    const fresh = [50, 51].map((id) => wish(put(anEvent(id)), "update", title("today")));
    expect([claim(), claim(), claim(), claim(), claim()]).toEqual([
      old[0],
      fresh[1],
      old[1],
      fresh[0],
      old[2],
    ]);
  });

  it("sends an item's earlier edits first, even before the newest edit", () => {
    const { old, keys, claim, wish } = longQueue(10);
    const [, , , , fifth] = keys;
    if (fifth === undefined) throw new Error("there are too few items");
    wish(fifth, "update", { description: "today" });
    expect([claim(), claim()]).toEqual([old[0], old[4]]);
  });

  it("keeps the order of arrival while nothing has waited for minutes", () => {
    const { put, wish, store } = storeRig();
    const edits = [1, 2, 3, 4].map((id) => wish(put(anEvent(id)), "update", title("now")));
    expect(edits.map(() => store.journal.claimNext()?.id)).toEqual(edits);
  });

  it("gives the next time of many deferred edits", () => {
    const { put, wish, store, clock } = storeRig();
    const many = 300;
    store.together(() => {
      for (let id = 1; id <= many; id++) wish(put(anEvent(id)), "update", title("changed"));
      for (const edit of store.journal.list({ state: "pending", limit: many })) {
        const notBefore = clock().add({ seconds: 60 + edit.id });
        store.journal.settle(edit, { kind: "retry", notBefore, problem: "down" });
      }
    });
    expect(store.journal.nextAt()).toEqual(clock().add({ seconds: 61 }));
    expect(store.journal.claimNext()).toBeNull();
  });
});

it("claimNext() does not wait for years after the clock was set back", () => {
  const { put, wish, store, clock } = storeRig();
  const edit = wish(put(anEvent(1)), "update", title("changed"));
  const claimed = store.journal.claimNext();
  if (!claimed) throw new Error("nothing was claimed");
  const notBefore = clock().add({ minutes: 10 });
  store.journal.settle(claimed, { kind: "retry", notBefore, problem: "down" });
  clock.set("2021-01-01T00:00:00Z");
  expect(store.journal.nextAt()).toEqual(clock());
  expect(store.journal.claimNext()?.id).toBe(edit);
});
