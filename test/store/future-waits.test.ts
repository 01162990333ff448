import { expect, it } from "vitest";
import { leaveCreating } from "../support/edits.ts";
import { anEvent } from "../support/items.ts";
import { storeRig, title } from "./rig.ts";

it("futureWaits.end() ends only the waits written by a clock that was years ahead", () => {
  const { put, wish, appendCreation, store, clock } = storeRig();
  const { edit: creation } = appendCreation(anEvent(9));
  const change = wish(put(anEvent(1)), "update", title("changed"));
  const soon = wish(put(anEvent(2)), "update", title("soon"));
  const claim = () => {
    const claimed = store.journal.claimNext();
    if (!claimed) throw new Error("nothing was claimed");
    return claimed;
  };
  clock.advance({ seconds: 1 });
  const later = { minutes: 10 };
  const first = claim();
  expect(first.id).toBe(creation);
  const second = claim();
  const third = claim();
  clock.set("2036-01-01T00:00:00Z");
  leaveCreating(store, creation);
  for (const edit of [first, second]) {
    const notBefore = clock().add(later);
    store.journal.settle(edit, { kind: "retry", notBefore, problem: "down" });
  }
  clock.set("2026-11-20T12:10:00Z");
  const notBefore = clock().add(later);
  store.journal.settle(third, { kind: "retry", notBefore, problem: "down" });

  expect(store.futureWaits.end()).toBe(3);
  expect(store.journal.get(change)?.notBefore).toBe(null);
  expect(store.journal.get(soon)?.notBefore).toEqual(notBefore);
  const until = store.journal.get(creation)?.inFlightUntil;
  expect(until).toEqual(clock().add({ minutes: 3 }));
  expect(store.futureWaits.end()).toBe(0);
});
