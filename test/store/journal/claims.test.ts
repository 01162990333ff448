import { describe, expect, it } from "vitest";
import { anEvent } from "../../support/items.ts";
import { storeRig, title } from "../rig.ts";

describe("claimNext()", () => {
  it("sends the edits of one item in order, without delaying other items", () => {
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

  it("waits for an older edit that is put back while a newer one is under way", () => {
    const { put, wish, store } = storeRig();
    const key = put(anEvent(1));
    const older = wish(key, "update", title("a"));
    const newer = wish(key, "update", { description: "b" });
    const take = () => {
      const claimed = store.journal.claimNext();
      if (!claimed) throw new Error("nothing was claimed");
      return claimed;
    };
    store.journal.confirm(take(), anEvent(1, title("a")));
    const running = take();
    expect(running.id).toBe(newer);
    store.journal.putBack(older, { patch: title("a"), over: title("old"), by: older });
    expect(store.journal.claimNext()).toBeNull();
    expect(store.journal.nextAt()).toBeNull();
    store.journal.confirm(running, anEvent(1, { description: "b" }));
    expect(take().id).toBe(older);
  });

  it("sends the younger edit when the older one is parked", () => {
    const { put, wish, store } = storeRig();
    const key = put(anEvent(1));
    wish(key, "update", title("poison"));
    const younger = wish(key, "update", { description: "fine" });
    const poison = store.journal.claimNext();
    if (!poison) throw new Error("nothing was claimed");
    store.journal.settle(poison, { kind: "park", reason: "failed", problem: "never works" });
    expect(store.journal.claimNext()?.id).toBe(younger);
  });

  it("sends the creation of an item first", () => {
    const { appendCreation, wish, store } = storeRig();
    const { key, edit } = appendCreation(anEvent(1));
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
  ])("waits when an edit may not go before %s", (notBefore, early, late) => {
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

  it.each(["update", "delete"] as const)(
    "lets the creation go first when a held %s of a deleted item is resumed",
    (action) => {
      const { put, append, store } = storeRig();
      const key = put(anEvent(1));
      const held = append({ item: key, action, base: anEvent(1), state: "held" });
      store.mirror.bury(key);
      const creation = store.journal.append({
        channel: "caldav",
        actor: null,
        newLabels: [],
        item: key,
        action: "create",
        base: { ...anEvent(1), id: null },
        patch: {},
        state: "pending",
        recreates: true,
      });
      expect(store.journal.isAboutGone(held)).toBe(true);
      expect(store.journal.resume(held)).toBe(false);
      expect(store.journal.get(held)?.state).toBe("held");
      const claimed = store.journal.claimNext();
      expect(claimed?.id).toBe(creation);
      if (!claimed) throw new Error("nothing was claimed");
      store.journal.confirm(claimed, anEvent(77));
      expect(store.journal.isAboutGone(held)).toBe(false);
    },
  );

  it("nextAt() gives the next time when edits wait for another edit, or for nothing", () => {
    const { put, wish, appendCreation, store, clock } = storeRig();
    expect(store.journal.nextAt()).toBeNull();
    const key = put(anEvent(1));
    wish(key, "update", title("a"));
    wish(key, "update", title("b"));
    const { key: uncreated } = appendCreation(anEvent(2));
    wish(uncreated, "update", title("c"));
    expect(store.journal.nextAt()).toEqual(clock());
    store.journal.claimNext();
    store.journal.claimNext();
    expect(store.journal.nextAt()).toBeNull();
  });

  it("release() makes claims left by a crash wait again, without counting an attempt", () => {
    const { put, wish, store } = storeRig();
    const id = wish(put(anEvent(1)), "update", title("a"));
    store.journal.claimNext();
    expect(store.journal.release()).toBe(1);
    expect(store.journal.release()).toBe(0);
    expect(store.journal.claimNext()).toMatchObject({ id, attempts: 1, begun: 2 });
  });
});
